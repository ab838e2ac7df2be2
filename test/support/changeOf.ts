/** A change in miniature: path to [base text, head text], null for absent. Every line of a changed file is in one hunk. */
import { Effect, Layer } from "effect"
import type { Change } from "../../src/domain/change/Change.ts"
import type { DiffFile, DiffLine } from "../../src/domain/change/Diff.ts"
import { noHistory } from "../../src/services/change/History.ts"
import { Sources, type SourceText, splitLines } from "../../src/services/change/Sources.ts"

export type Texts = Readonly<Record<string, readonly [base: string | null, head: string | null]>>

export const changeOf = (texts: Texts, options: { readonly head?: Change["head"] } = {}): Change => ({
  description: "a test's change",
  base: { _tag: "Commit", sha: "b".repeat(40) },
  head: options.head ?? { _tag: "Worktree" },
  branch: "main",
  commits: [],
  diff: {
    files: Object.entries(texts)
      .filter(([, [base, head]]) => base !== head)
      .map(([path, [base, head]]) => fileOf(path, base, head))
  },
  patch: new Uint8Array()
})

/** Answers from the same texts, unchanged files among them. */
export const sourcesOf = (texts: Texts, other: Readonly<Record<string, SourceText>> = {}): Layer.Layer<Sources> => {
  const at = (side: 0 | 1) => (path: string) => {
    const text = texts[path]?.[side] ?? null
    return Effect.succeed(
      other[path] ??
        (text === null ? { _tag: "Absent" as const } : { _tag: "Text" as const, text, lines: splitLines(text) })
    )
  }
  return Layer.succeed(
    Sources,
    Sources.of({
      head: at(1),
      base: at(0),
      preload: () => Effect.void,
      soon: () => Effect.void,
      blobOf: () => Effect.succeed(null),
      history: noHistory,
      baseFolder: (folder) =>
        Effect.succeed(
          [...Object.keys(texts).filter((path) => texts[path]?.[0] !== null), ...Object.keys(other)]
            .filter((path) => path.startsWith(`${folder}/`) && !path.includes("/", folder.length + 1))
            .sort()
        ),
      headPaths: Effect.succeed(
        [...Object.keys(texts).filter((path) => texts[path]?.[1] !== null), ...Object.keys(other)].sort()
      ),
      submodules: Effect.succeed([]),
      containing: () => Effect.succeed(null),
      passing: (which, paths) => Effect.forEach(paths, at(which === "base" ? 0 : 1)),
      mentioning: () => Effect.succeed([]),
      places: () => Effect.succeed([]),
      incomplete: () => Effect.void,
      failures: Effect.succeed([])
    })
  )
}

const fileOf = (path: string, base: string | null, head: string | null): DiffFile => {
  const before = splitLines(base ?? "")
  const after = splitLines(head ?? "")
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++
  }
  const line = (kind: DiffLine["kind"], oldLine: number | null, newLine: number | null, text: string): DiffLine => ({
    kind,
    oldLine,
    newLine,
    text,
    raw: null,
    noNewline: false
  })
  return {
    status: base === null ? "added" : head === null ? "deleted" : "modified",
    path,
    oldPath: base === null ? null : path,
    newPath: head === null ? null : path,
    oldMode: base === null ? null : "100644",
    newMode: head === null ? null : "100644",
    oldOid: null,
    newOid: null,
    binary: false,
    hunks: [
      {
        oldStart: before.length === 0 ? 0 : 1,
        oldCount: before.length,
        newStart: after.length === 0 ? 0 : 1,
        newCount: after.length,
        section: "",
        lines: [
          ...before.slice(0, start).map((text, i) => line("context", i + 1, i + 1, text)),
          ...before.slice(start, before.length - end).map((text, i) => line("deleted", start + i + 1, null, text)),
          ...after.slice(start, after.length - end).map((text, i) => line("added", null, start + i + 1, text)),
          ...before
            .slice(before.length - end)
            .map((text, i) => line("context", before.length - end + i + 1, after.length - end + i + 1, text))
        ]
      }
    ]
  }
}
