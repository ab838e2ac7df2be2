/**
 * Replaces files in a patch of git: each file of `again` replaces the same file of `patch`.
 *
 * All other bytes are kept. Only for git's own output, in which every line that starts with `diff --git ` starts a file.
 */
import { concatBytes } from "../text/concatBytes.ts"

export const splicePatch = (patch: Uint8Array, again: Uint8Array): Uint8Array => {
  const replacement = new Map(sectionsOf(again).map((section) => [keyOf(section), section]))
  return concatBytes(sectionsOf(patch).map((section) => replacement.get(keyOf(section)) ?? section))
}

const encoder = new TextEncoder()
const opening = encoder.encode("diff --git ")
const decoder = new TextDecoder("latin1")

/** One part for each file, in order. */
export const sectionsOf = (patch: Uint8Array): ReadonlyArray<Uint8Array> => {
  const sections: Array<Uint8Array> = []
  let start = 0
  for (let newline = patch.indexOf(10); newline >= 0; newline = patch.indexOf(10, newline + 1)) {
    if (!startsWith(patch, newline + 1, opening)) continue
    sections.push(patch.subarray(start, newline + 1))
    start = newline + 1
  }
  if (start < patch.length) sections.push(patch.subarray(start))
  return sections
}

/** The names of the file, and whether it is added or deleted: a file that became a link is both, under one name. */
const keyOf = (section: Uint8Array): string => {
  const names = section.indexOf(10)
  const second = decoder.decode(section.subarray(names + 1, names + 5))
  return `${second === "new " || second === "dele" ? second : ""}${decoder.decode(section.subarray(0, names))}`
}

const startsWith = (bytes: Uint8Array, at: number, part: Uint8Array): boolean =>
  part.every((byte, index) => bytes[at + index] === byte)
