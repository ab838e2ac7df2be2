/** A change written down as texts, and the sources it stands in: what git would say of it, without git. */
import { Effect, Layer } from "effect"
import type { Change } from "../../src/domain/change/Change.ts"
import type { DiffFile, DiffLine, Hunk } from "../../src/domain/change/Diff.ts"
import { wordPlaces } from "../../src/domain/code/Symbol.ts"
import { type History, noHistory } from "../../src/services/change/History.ts"
import { makeReadFailures } from "../../src/services/change/ReadFailures.ts"
import { Sources, type SourceText, splitLines } from "../../src/services/change/Sources.ts"

/** Path to [base text, head text]; null for absent. Other kinds of source text are given as they are. */
export type Texts = Readonly<
  Record<string, readonly [string | null | SourceText, string | null | SourceText, (readonly [string, string])?]>
>

const sourceText = (text: string | null | SourceText): SourceText => {
  if (text === null) return { _tag: "Absent" }
  return typeof text === "string" ? { _tag: "Text", text, lines: splitLines(text) } : text
}

/** Both sides of every path; `others` are head-side paths the change did not touch, with their texts. */
export const sourcesOf = (
  texts: Texts,
  others: Readonly<Record<string, string>> = {},
  history: History = noHistory
): Layer.Layer<Sources> => {
  const head = (path: string) => sourceText(texts[path]?.[1] ?? others[path] ?? null)
  const base = (path: string) => sourceText(texts[path] === undefined ? (others[path] ?? null) : texts[path][0])
  const headPaths = [...Object.keys(texts), ...Object.keys(others)]
    .filter((path) => head(path)._tag !== "Absent")
    .sort()
  const failures = makeReadFailures()
  return Layer.succeed(Sources, {
    head: (path) => Effect.sync(() => head(path)),
    base: (path) => Effect.sync(() => base(path)),
    preload: () => Effect.void,
    blobOf: () => Effect.succeed(null),
    history,
    headPaths: Effect.succeed(headPaths),
    submodules: Effect.succeed([]),
    containing: () => Effect.succeed(null),
    passing: (which, paths) => Effect.sync(() => paths.map(which === "head" ? head : base)),
    baseFolder: (folder) =>
      Effect.succeed(
        [...Object.keys(texts).filter((path) => texts[path]?.[0] !== null), ...Object.keys(others)]
          .filter((path) => path.startsWith(`${folder}/`) && !path.includes("/", folder.length + 1))
          .sort()
      ),
    soon: () => Effect.void,
    places: (groups, endings) =>
      Effect.sync(() => {
        const words = [...new Set(groups.flatMap((group) => group.words))]
        return headPaths.flatMap((path) => {
          const source = endings.some((ending) => path.endsWith(ending)) ? head(path) : null
          return source?._tag !== "Text"
            ? []
            : source.lines.flatMap((text, at) =>
                words.flatMap((word) => wordPlaces(text, word).map(() => ({ path, line: at + 1, word })))
              )
        })
      }),
    mentioning: (words, endings) =>
      Effect.sync(() =>
        headPaths.filter((path) => {
          const source = head(path)
          const text = source._tag === "Text" ? source.text : ""
          return (
            endings.some((ending) => path.endsWith(ending)) && words.some((word) => wordPlaces(text, word).length > 0)
          )
        })
      ),
    incomplete: (unchecked, reason) => Effect.sync(() => failures.add(unchecked, reason)),
    failures: failures.all
  })
}

export const changeOf = (texts: Texts): Change => ({
  description: "a change written for a test",
  base: { _tag: "Unknown" },
  head: { _tag: "Unknown" },
  branch: null,
  commits: [],
  diff: {
    files: Object.entries(texts).map(([path, [base, head, modes]]) => diffFile(path, textOf(base), textOf(head), modes))
  },
  patch: new Uint8Array()
})

const textOf = (text: string | null | SourceText): string | null => {
  if (text === null || typeof text === "string") return text
  return text._tag === "Text" ? text.text : ""
}

/** One file of a diff between two texts, with the whole file as context. */
export const diffFile = (
  path: string,
  base: string | null,
  head: string | null,
  modes: readonly [string, string] = ["100644", "100644"]
): DiffFile => {
  const hunks = hunksOf(base ?? "", head ?? "")
  return {
    status: base === null ? "added" : head === null ? "deleted" : "modified",
    path,
    oldPath: base === null ? null : path,
    newPath: head === null ? null : path,
    oldMode: base === null ? null : modes[0],
    newMode: head === null ? null : modes[1],
    oldOid: null,
    newOid: null,
    binary: false,
    hunks
  }
}

const hunksOf = (base: string, head: string): ReadonlyArray<Hunk> => {
  if (base === head) return []
  const old = base === "" ? [] : base.replace(/\n$/, "").split("\n")
  const fresh = head === "" ? [] : head.replace(/\n$/, "").split("\n")
  const lines = align(old, fresh)
  return [
    {
      oldStart: old.length === 0 ? 0 : 1,
      oldCount: old.length,
      newStart: fresh.length === 0 ? 0 : 1,
      newCount: fresh.length,
      section: "",
      lines
    }
  ]
}

/** Cells of the table below which the shortest diff is looked for; larger texts are replaced as a whole. */
const smallEnough = 1_000_000

/** What both begin and end with is context; between them, the longest common subsequence. */
const align = (old: ReadonlyArray<string>, fresh: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  const shorter = Math.min(old.length, fresh.length)
  let before = 0
  while (before < shorter && old[before] === fresh[before]) before++
  let behind = 0
  while (behind < shorter - before && old[old.length - 1 - behind] === fresh[fresh.length - 1 - behind]) behind++
  const [rows, columns] = [old.length - behind, fresh.length - behind]
  const length: Array<Array<number>> = []
  const at = (i: number, j: number) => length[i]?.[j] ?? 0
  if ((rows - before) * (columns - before) <= smallEnough) {
    for (let i = rows - 1; i >= before; i--) {
      const row: Array<number> = []
      length[i] = row
      for (let j = columns - 1; j >= before; j--) {
        row[j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), row[j + 1] ?? 0)
      }
    }
  }
  const lines: Array<DiffLine> = []
  const push = (kind: DiffLine["kind"], oldLine: number | null, newLine: number | null, text: string) =>
    lines.push({ kind, oldLine, newLine, text, raw: null, noNewline: false })
  for (let i = 0, j = 0; i < old.length || j < fresh.length; ) {
    const isContext = i < before || i >= rows || (at(i, j) > 0 && old[i] === fresh[j])
    if (isContext && j < fresh.length && old[i] === fresh[j]) push("context", ++i, ++j, fresh[j - 1] ?? "")
    else if (i < rows && (j >= columns || at(i + 1, j) >= at(i, j + 1))) push("deleted", ++i, null, old[i - 1] ?? "")
    else push("added", null, ++j, fresh[j - 1] ?? "")
  }
  return lines
}
