/**
 * Texts from a patch alone: complete only for files that it creates (their head) or deletes (their base).
 *
 * Of every other file the patch contains only parts: it is `Partial`.
 */
import { Effect, Layer, Result } from "effect"
import { applyDiff, reverseFile } from "../../../domain/change/applyDiff.ts"
import type { Change } from "../../../domain/change/Change.ts"
import type { Degraded } from "../../../domain/change/Degraded.ts"
import { type DiffFile, isLink, isSubmodule } from "../../../domain/change/Diff.ts"
import { noHistory } from "../../../services/change/History.ts"
import { Sources, type SourceText, sourceText } from "../../../services/change/Sources.ts"

export const layer = (change: Change) => {
  const head = headTexts(change.diff.files)
  // Reversed from its last file to its first, a patch leads from head to base.
  const base = headTexts(change.diff.files.toReversed().map(reverseFile))
  return Layer.succeed(
    Sources,
    Sources.of({
      head: (path) => Effect.succeed(head.get(path) ?? notShown),
      base: (path) => Effect.succeed(base.get(path) ?? notShown),
      preload: () => Effect.void,
      blobOf: () => Effect.succeed(null),
      history: noHistory,
      headPaths: Effect.succeed([]),
      submodules: Effect.succeed([]),
      containing: () => Effect.succeed(null),
      passing: (which, paths) =>
        Effect.succeed(paths.map((path) => (which === "head" ? head : base).get(path) ?? notShown)),
      baseFolder: () => Effect.succeed([]),
      mentioning: () => Effect.succeed([]),
      soon: () => Effect.void,
      places: () => Effect.succeed([]),
      incomplete: () => Effect.void,
      failures: Effect.succeed(unknownAround(change, head))
    })
  )
}

/** Reports what a patch does not contain: other files, and the rest of the files that it changes. */
const unknownAround = ({ diff }: Change, head: ReadonlyMap<string, SourceText>): ReadonlyArray<Degraded> => {
  if (diff.files.length === 0) return []
  const inPart = diff.files.filter(({ newPath }) => newPath !== null && head.get(newPath)?._tag === "Partial").length
  const rest = "the code outside the patch"
  const unchecked = inPart === 0 ? rest : `rules that need whole files, and ${rest}`
  const detail = `not checked: ${unchecked}: only the patch is known; run dd in a repository whose working tree has it applied`
  return [{ step: "patch", error: "OnlyPatchKnown", detail, unchecked }]
}

const absent: SourceText = { _tag: "Absent" }
const notShown: SourceText = { _tag: "Unreadable", reason: "only the patch is known, and it does not show this file" }
const inParts: SourceText = { _tag: "Partial" }

/** The known text of each path after all patches; a series may change a path several times. */
const headTexts = (files: ReadonlyArray<DiffFile>): ReadonlyMap<string, SourceText> => {
  const bytes = new Map<string, Uint8Array>()
  const texts = new Map<string, SourceText>()
  for (const file of files) {
    const before = file.oldPath === null ? new Uint8Array() : bytes.get(file.oldPath)
    if (file.oldPath !== null && file.oldPath !== file.newPath && file.status !== "copied") {
      bytes.delete(file.oldPath)
      texts.set(file.oldPath, absent)
    }
    if (file.newPath === null) continue
    bytes.delete(file.newPath)
    if (isSubmodule(file)) texts.set(file.newPath, absent)
    else if (file.binary) texts.set(file.newPath, { _tag: "Binary", bytes: 0 })
    else if (before === undefined) texts.set(file.newPath, inParts)
    else texts.set(file.newPath, applied(file, file.newPath, before, bytes))
  }
  return texts
}

const applied = (file: DiffFile, path: string, before: Uint8Array, known: Map<string, Uint8Array>): SourceText =>
  Result.match(applyDiff(file, before), {
    onFailure: (error): SourceText => ({ _tag: "Unreadable", reason: error.message }),
    onSuccess: (after) => {
      known.set(path, after)
      const text = sourceText(after)
      return isLink(file) && text._tag === "Text" ? { _tag: "Link", target: text.text } : text
    }
  })
