/** The code cells of a notebook: each line of code at its line of the file, if the file has one line of code on each line. */
import { Option, Schema } from "effect"
import type { CodeOfFile } from "../domain/code/Syntax.ts"
import { kindOf } from "./fileKinds.ts"

const Notebook = Schema.fromJsonString(
  Schema.Struct({
    cells: Schema.Array(
      Schema.Struct({
        cell_type: Schema.String,
        source: Schema.Union([Schema.String, Schema.Array(Schema.String)])
      })
    ),
    metadata: Schema.optionalKey(
      Schema.Struct({
        kernelspec: Schema.optionalKey(Schema.Struct({ language: Schema.optionalKey(Schema.String) })),
        language_info: Schema.optionalKey(Schema.Struct({ name: Schema.optionalKey(Schema.String) }))
      })
    )
  })
)

const decode = Schema.decodeUnknownOption(Notebook)

/** A text says why the code cannot be read. */
export const notebookCode = (lines: ReadonlyArray<string>): CodeOfFile | string => {
  const notebook = Option.getOrNull(decode(lines.join("\n")))
  if (notebook === null) return "not a notebook that dd can read: it needs the format 4"
  const { cells, metadata } = notebook
  const language = metadata?.language_info?.name ?? metadata?.kernelspec?.language ?? "python"
  const grammar = kindOf("notebook", [`-*- ${language} -*-`])?.grammar ?? null
  if (grammar === null) return `a notebook in ${language}, a language without rules`
  const found = sourceLines(lines)
  const read = new Array<string>(lines.length).fill("")
  const places = new Map<number, string>()
  for (const [at, { cell_type, source }] of cells.entries()) {
    const own = found[at] ?? []
    if (cell_type !== "code") continue
    const text = typeof source === "string" ? source : source.join("")
    const isByLine = own.every((each) => !/\n./s.test(each.text)) && own.map((each) => each.text).join("") === text
    if (!isByLine) return "a notebook that does not have each line of code on a line of its own"
    const isOther = /^\s*%%(?!time\b|timeit\b|capture\b|prun\b)/.test(text)
    for (const [row, { line, text }] of own.entries()) {
      places.set(line, `Cell ${at + 1}, line ${row + 1}.`)
      if (!isOther) read[line - 1] = grammar === "python" ? withoutMagic(text) : text.trimEnd()
    }
    const last = own.findLast(({ text }) => /^[^\s#)\]}]/.test(text))?.line ?? 0
    if (grammar === "python" && !isOther && isShown(read[last - 1] ?? "")) read[last - 1] = `${output}${read[last - 1]}`
  }
  return { grammar, lines: read, note: "only its code cells were checked", placeOf: (line) => places.get(line) ?? null }
}

/** The value of the last expression of a cell is not discarded. */
const output = "_ = "

export const withoutOutput = (line: string): string => (line.startsWith(output) ? line.slice(output.length) : line)

const isShown = (statement: string): boolean =>
  statement !== "" &&
  !/^(?:@|(?:and|as|assert|async|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|match|nonlocal|pass|raise|return|try|type|while|with|yield)\b)/.test(
    statement
  ) &&
  !/^[^=(]*(?:[^=!<>]=(?!=)|:(?![^[]*\]))/.test(statement)

/** The lines of the source of each cell: strings on lines of their own between `"source": [` and `]`. */
const sourceLines = (lines: ReadonlyArray<string>) => {
  const cells: Array<ReadonlyArray<{ readonly line: number; readonly text: string }>> = []
  for (let at = 0; at < lines.length; at++) {
    const source = /^\s*"source": *(\[|".*")(\s*\])?,?\s*$/.exec(lines[at] ?? "")
    if (source === null) continue
    const own: Array<{ line: number; text: string }> = []
    const opening = source[1] ?? ""
    if (opening !== "[") own.push({ line: at + 1, text: stringOf(opening) })
    else if (source[2] === undefined) {
      for (at++; at < lines.length && !/^\s*\]/.test(lines[at] ?? ""); at++) {
        own.push({ line: at + 1, text: stringOf(/^\s*(".*"),?\s*$/.exec(lines[at] ?? "")?.[1] ?? "") })
      }
    }
    cells.push(own)
  }
  return cells
}

const stringOf = (json: string): string => Option.getOrElse(decodeString(json), () => "")
const decodeString = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

/** A command to the notebook or the shell has the place of a statement. */
const withoutMagic = (text: string): string => text.trimEnd().replace(/^(\s*)(?:[%!?].*|[\w.]+\?{1,2})$/, "$1pass")
