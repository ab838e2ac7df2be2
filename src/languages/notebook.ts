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
  const shown = new Set<number>()
  for (const [at, { cell_type, source }] of cells.entries()) {
    const own = found[at] ?? []
    if (cell_type !== "code") continue
    const text = typeof source === "string" ? source : source.join("")
    const isByLine = own.every((each) => !/\n./s.test(each.text)) && own.map((each) => each.text).join("") === text
    if (!isByLine) return "a notebook that does not have each line of code on a line of its own"
    const isOther = /^\s*%%(?!time\b|timeit\b|capture\b|prun\b)/.test(text)
    const texts = own.map((each) => (isOther ? "" : each.text.trimEnd()))
    const code = grammar === "python" ? pythonIn(texts) : texts
    for (const [row, { line }] of own.entries()) {
      places.set(line, `Cell ${at + 1}, line ${row + 1}.`)
      read[line - 1] = code[row] ?? ""
      if (timed.test(texts[row] ?? "")) shown.add(line)
    }
    shown.add(own.findLast((_, row) => /^[^\s#)\]}]/.test(code[row] ?? ""))?.line ?? 0)
  }
  const note = "only its code cells were checked"
  return { grammar, lines: read, note, placeOf: (line) => places.get(line) ?? null, isShown: (line) => shown.has(line) }
}

/** A command to the notebook or the shell has the place of a statement or of a value. */
const command = /^(\s*)(?:[%!?].*|[\w.]+\?{1,2})$/
const timed = /^(\s*)%time(?:it)?\s+(?:-[a-z]\s?\d*\s+)*(?=\S)/
const commandValue = /^([^=()'"#]*=\s*)[%!].*$/

/** A cell without its commands. One with a string or a bracket that has no end is not code, for the next cell would be in it. */
const pythonIn = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  let [depth, quote, isJoined, isCommand] = [0, "", false, false]
  const lines = texts.map((text) => {
    const isStart = depth === 0 && quote === "" && !isJoined
    const own = isStart ? text.replace(timed, "$1").replace(commandValue, "$1get_ipython()") : text
    isCommand = isStart ? command.test(own) || (own !== text && !timed.test(text)) : isCommand && isJoined
    isJoined = text.endsWith("\\")
    if (isCommand) return isStart ? own.replace(command, "$1pass") : ""
    for (const [mark] of own.matchAll(/\\.|"""|'''|["'#([{}\])]/g)) {
      if (quote !== "") quote = mark.startsWith(quote) ? "" : quote
      else if (mark === "#") break
      else if (/["']/.test(mark)) quote = mark
      else if (mark.length === 1) depth = Math.max(0, depth + (/[([{]/.test(mark) ? 1 : -1))
    }
    if (quote.length === 1 && !isJoined) depth = Number.POSITIVE_INFINITY
    return own
  })
  return depth === 0 && quote === "" && !isJoined ? lines : texts.map((text) => `${notCode}${text}`)
}

/** No grammar accepts the first character, and the second one keeps the parser from the rest. */
const notCode = "$#"

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
