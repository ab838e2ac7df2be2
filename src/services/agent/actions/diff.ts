/** `diff`: the files of the change, the diff of one file, or one hunk. */
import { Effect, Result, Schema } from "effect"
import type { Change } from "../../../domain/change/Change.ts"
import { type DiffFile, type Hunk, isLink, isSubmodule } from "../../../domain/change/Diff.ts"
import { nearestPaths } from "../../../domain/change/nearestPaths.ts"
import { plural } from "../../../domain/text/plural.ts"
import { Redactor } from "../../secret/Redactor.ts"
import { readActionOf, refused } from "../runtime/Action.ts"
import { Ordinal, optional } from "../runtime/actionInput.ts"
import { answerBytes, cutLine, pageOf } from "../runtime/answerText.ts"
import { pathIn, type ShownFile, type ShownFiles } from "../runtime/ShownFiles.ts"

const Input = Schema.Struct({
  path: optional(Schema.String, "A changed file, by its new or old name. Default: the list of all changed files."),
  hunk: optional(Ordinal, "One hunk of the file, by its number. Default: all."),
  from: optional(Ordinal, "First entry of the list, or first line of the file's diff, for the next page. Default 1.")
})

export const makeDiff = Effect.fnUntraced(function* (files: ShownFiles, change: Change) {
  const redactor = yield* Redactor
  const all = change.diff.files

  const nameOf = ({ newPath, oldPath, path }: DiffFile): string =>
    oldPath !== null && newPath !== null && oldPath !== newPath
      ? `${files.path(oldPath)} -> ${files.path(newPath)}`
      : files.path(path)

  const entry = (file: DiffFile): string => {
    const { added, deleted } = countsOf(file)
    const notes = notesOf(file).map(files.words)
    return [
      `${file.status}\t${nameOf(file)}\t+${added} -${deleted}, ${plural(file.hunks.length, "hunk")}`,
      ...(notes.length === 0 ? [] : [`; ${notes.join("; ")}`])
    ].join("")
  }

  /** The redacted lines of the hunks: taken from the complete file if its text is known and the same. */
  const shownLines = Effect.fnUntraced(function* (file: DiffFile) {
    const of = (path: string | null, side: "head" | "base") =>
      path === null ? Effect.succeed(null) : files.file(side, path)
    const head = yield* of(file.newPath, "head")
    const base = yield* of(file.oldPath, "base")
    const flat = file.hunks.flatMap(({ lines }) => lines)
    // Otherwise the lines of each side are redacted as one text.
    const inHunks = {
      head: redactor.lines(flat.flatMap(({ kind, text }) => (kind === "deleted" ? [] : [text]))),
      base: redactor.lines(flat.flatMap(({ kind, text }) => (kind === "added" ? [] : [text])))
    }
    const at = { head: 0, base: 0 }
    const lines = flat.map((line) => {
      const side = line.kind === "deleted" ? "base" : "head"
      const number = (side === "head" ? line.newLine : line.oldLine) ?? 0
      const source = side === "head" ? head : base
      if (line.kind !== "added") at.base++
      if (line.kind !== "deleted") at.head++
      const own = (side === "head" ? inHunks.head[at.head - 1] : inHunks.base[at.base - 1]) ?? ""
      const isSame =
        source?._tag === "Lines" && source.numbers === null && source.raw[number - 1] === line.text.replace(/\r$/, "")
      return { line, text: isSame ? (source.lines[number - 1] ?? "") : own.replace(/\r$/, "") }
    })
    return { base, lines }
  })

  /** The section heading of a hunk, as it appears in the redacted base file. */
  const sectionOf = ({ oldStart, section }: Hunk, base: ShownFile | null): string => {
    if (section === "") return ""
    if (base?._tag !== "Lines" || base.numbers !== null) return ` ${files.words(section)}`
    const at = base.raw.slice(0, oldStart).findLastIndex((line) => line.startsWith(section.trimEnd()))
    const line = base.lines[at]
    return line === undefined ? "" : ` ${files.words(line === base.raw[at] ? section : line)}`
  }

  const fileDiff = Effect.fnUntraced(function* (file: DiffFile, input: typeof Input.Type) {
    const { hunks } = file
    const header = entry(file)
    if (hunks.length === 0) return `${header}\nnone of its lines can be shown`
    if (input.hunk != null && input.hunk > hunks.length) {
      return yield* refused(`${nameOf(file)} has ${plural(hunks.length, "hunk")}; there is no hunk ${input.hunk}`)
    }
    const { base, lines: shown } = yield* shownLines(file)
    const width = String(Math.max(...hunks.map(lastNumber))).length
    const lines: Array<string> = []
    let at = 0
    for (const [index, hunk] of hunks.entries()) {
      const own = shown.slice(at, at + hunk.lines.length)
      at += hunk.lines.length
      if (input.hunk != null && input.hunk !== index + 1) continue
      const section = sectionOf(hunk, base)
      lines.push(
        `hunk ${index + 1}: @@ -${hunk.oldStart},${hunk.oldCount} +${hunk.newStart},${hunk.newCount} @@${section}`
      )
      for (const { line, text } of own) {
        const mark = line.kind === "added" ? "+" : line.kind === "deleted" ? "-" : " "
        const number = (value: number | null) => String(value ?? "").padStart(width)
        const end = line.noNewline ? " [no newline at the end of the file]" : ""
        lines.push(`${number(line.oldLine)} ${number(line.newLine)} ${mark}${cutLine(text)}${end}`)
      }
    }
    const title = `the diff of ${nameOf(file)}`
    const { more, shown: page } = yield* pageOf(title, lines, input.from ?? 1, (line) => line, lines.length)
    return [header, ...page, ...more].join("\n")
  })

  const list = Effect.fnUntraced(function* (from: number) {
    if (all.length === 0) return "the change touches no file"
    const { more, shown } = yield* pageOf("the list of changed files", all, from, entry)
    return [`${plural(all.length, "changed file")}: ${files.words(change.description)}`, ...shown, ...more].join("\n")
  })

  return readActionOf({
    name: "diff",
    description: `The change under review. Without path: every changed file with its status, added and deleted lines. With path: its hunks, each line as "OLD NEW +TEXT" (added), "OLD NEW -TEXT" (deleted) or "OLD NEW  TEXT", with its line number before and after the change. At most ${answerBytes / 1000} kB at once; where more follows, the last line says from where to ask again.`,
    input: Input,
    act: Effect.fn("Action.diff")(function* (input: typeof Input.Type) {
      if (input.path == null || input.path === "") return yield* list(input.from ?? 1)
      const fileOf = (path: string) =>
        all.find((each) => each.newPath === path || files.path(each.path) === path) ??
        all.find((each) => each.oldPath === path)
      const path = fileOf(input.path)?.path ?? (yield* pathIn(input.path, files.words))
      const file = fileOf(path)
      if (file !== undefined) return yield* fileDiff(file, input)
      if (Result.isSuccess(yield* Effect.result(files.find("head", path)))) {
        return yield* refused(`${files.path(path)} is not changed; read_file shows it`)
      }
      const near = nearestPaths(
        path,
        all.map((each) => each.path)
      )
      const hint =
        near.length === 0
          ? "diff without path lists the changed files"
          : `did you mean ${near.map(files.path).join(", ")}?`
      return yield* refused(`${files.path(path)} is not a changed file; ${hint}`)
    })
  })
})

const countsOf = ({ hunks }: DiffFile) => {
  let [added, deleted] = [0, 0]
  for (const { lines } of hunks) {
    for (const { kind } of lines) {
      if (kind === "added") added++
      else if (kind === "deleted") deleted++
    }
  }
  return { added, deleted }
}

const notesOf = (file: DiffFile): ReadonlyArray<string> => [
  ...(file.binary && file.hunks.length === 0 && file.tooLarge === undefined && !isSubmodule(file) ? ["binary"] : []),
  ...(isSubmodule(file) ? ["submodule"] : []),
  ...(isLink(file) ? ["symbolic link"] : []),
  ...(file.oldMode !== null && file.newMode !== null && file.oldMode !== file.newMode
    ? [`mode ${file.oldMode} -> ${file.newMode}`]
    : []),
  ...(file.tooLarge === undefined ? [] : [`too large to be diffed (${file.tooLarge} bytes)`]),
  ...(file.unread === undefined ? [] : [`not all of it is shown: ${file.unread}`])
]

const lastNumber = ({ newCount, newStart, oldCount, oldStart }: Hunk): number =>
  Math.max(oldStart + oldCount, newStart + newCount)
