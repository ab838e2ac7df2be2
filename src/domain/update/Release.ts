/** A published version, as the program for one target finds it in SHA256SUMS. */
import { Result, SemVer } from "effect"

export type Release = {
  readonly version: string
  /** The name of the archive. */
  readonly archive: string
  /** SHA-256 of the archive, in hexadecimal. */
  readonly checksum: string
}

/** Null if there is no archive for this target. */
export const releaseIn = (sums: string, target: string): Release | null => {
  for (const line of sums.split("\n")) {
    const [, checksum = "", archive = "", version = "", found = ""] = sumLine.exec(line) ?? []
    if (found === target) return { version, archive, checksum }
  }
  return null
}

const sumLine =
  /^([0-9a-f]{64}) [ *](daydream-(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)-([a-z]+-[a-z0-9-]+)\.(?:tar\.xz|zip))$/

/** A version that cannot be compared is not newer. */
export const isNewer = (version: string, than: string): boolean =>
  Result.getOrElse(
    Result.all([SemVer.parse(version), SemVer.parse(than)]).pipe(
      Result.map(([one, other]) => SemVer.isGreaterThan(one, other))
    ),
    () => false
  )
