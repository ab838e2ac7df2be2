/** Files as a diff that adds them: every line of theirs is added, none is another's. */
import { Result } from "effect"
import { concatBytes } from "../text/concatBytes.ts"
import { creationPatch } from "./creationPatch.ts"
import type { Diff } from "./Diff.ts"
import { parseDiff } from "./parseDiff.ts"
import type { DiffMalformed } from "./readHunks.ts"

export interface AddedFiles {
  readonly patch: Uint8Array
  readonly diff: Diff
}

/** `files`: path to bytes. Fails only for a path that no patch can name. */
export const addedFiles = (files: ReadonlyMap<string, Uint8Array>): Result.Result<AddedFiles, DiffMalformed> => {
  const patch = concatBytes([...files].map(([path, content]) => creationPatch({ path, mode: "100644", content })))
  return Result.map(parseDiff(patch), (diff) => ({ patch, diff }))
}
