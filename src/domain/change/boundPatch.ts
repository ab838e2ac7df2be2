/**
 * Limits the size of a patch from git: a pack of a few kilobytes may print gigabytes.
 *
 * A file that fits is kept as a whole. Of any other file only the header is kept, in the form that git prints for a
 * binary file.
 */
import { concatBytes } from "../text/concatBytes.ts"
import { sectionsOf } from "./splicePatch.ts"

export interface PatchLimits {
  readonly bytes: number
  /** A parsed line takes about 500 bytes of memory. */
  readonly lines: number
}

export const patchLimits: PatchLimits = { bytes: 40_000_000, lines: 800_000 }

export interface BoundedPatch {
  readonly patch: Uint8Array
  /** The headers of the files without their text. */
  readonly cut: Uint8Array
}

export const boundPatch = (patch: Uint8Array, limits: PatchLimits = patchLimits): BoundedPatch => {
  if (isWithin(patch, limits)) return { patch, cut: new Uint8Array() }
  let { bytes, lines } = limits
  const cut: Array<Uint8Array> = []
  const sections = sectionsOf(patch).map((section) => {
    const count = linesIn(section)
    if (section.length <= bytes && count <= lines) {
      bytes -= section.length
      lines -= count
      return section
    }
    const header = withoutHunks(section)
    if (header === null) return section
    cut.push(header)
    return header
  })
  return { patch: concatBytes(sections), cut: concatBytes(cut) }
}

export const isWithin = (patch: Uint8Array, { bytes, lines }: PatchLimits = patchLimits): boolean =>
  patch.length <= bytes && (patch.length <= lines || linesIn(patch) <= lines)

const linesIn = (bytes: Uint8Array): number => {
  let count = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++
  return count
}

/** Null for a section without hunks. Latin-1 keeps every byte. */
const withoutHunks = (section: Uint8Array): Uint8Array | null => {
  const text = Buffer.from(section.buffer, section.byteOffset, Math.min(section.length, longestHeader)).toString(
    "latin1"
  )
  const names = /^--- (.*)\n\+\+\+ (.*)\n@@ /m.exec(text)
  if (names === null) return null
  const [before = "", after = ""] = names.slice(1).map((name) => name.replace(/\t$/, ""))
  return Buffer.from(`${text.slice(0, names.index)}Binary files ${before} and ${after} differ\n`, "latin1")
}

/** Two names, four times each, of up to 4,096 bytes and escaped. */
const longestHeader = 200_000
