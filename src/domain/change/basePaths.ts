/** The paths of the base side, computed from those of the head side and the diff. */

import { compareText } from "../text/compareText.ts"
import type { Diff } from "./Diff.ts"

/** Several callers need the same list. */
const known = new WeakMap<Diff, { readonly paths: ReadonlyArray<string>; readonly answer: ReadonlyArray<string> }>()

/** Sorted like `paths`; the same list if the change does not add, delete or rename files. */
export const basePaths = (paths: ReadonlyArray<string>, diff: Diff): ReadonlyArray<string> => {
  const already = known.get(diff)
  if (already?.paths === paths) return already.answer
  const moved = diff.files.filter(({ newPath, oldPath }) => newPath !== oldPath)
  const answer = moved.length === 0 ? paths : withMoves(paths, moved)
  known.set(diff, { paths, answer })
  return answer
}

const withMoves = (paths: ReadonlyArray<string>, moved: Diff["files"]): ReadonlyArray<string> => {
  const found = new Set(paths)
  for (const { newPath } of moved) if (newPath !== null) found.delete(newPath)
  for (const { oldPath } of moved) if (oldPath !== null) found.add(oldPath)
  return [...found].sort(compareText)
}
