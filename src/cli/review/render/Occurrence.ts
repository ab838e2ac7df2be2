/**
 * Numbers findings with the same fingerprint without their line numbers: the first, the second, ...
 *
 * The same defect twice in the same code has one fingerprint; hosts that match by fingerprint keep only one.
 */
import type { Finding } from "../../../domain/finding/Finding.ts"

/** From 1, in the order given. */
export const occurrences = (findings: ReadonlyArray<Pick<Finding, "file" | "fingerprint">>): ReadonlyArray<number> => {
  const seen = new Map<string, number>()
  return findings.map(({ file, fingerprint }) => {
    const key = `${fingerprint}\n${file}`
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return nth
  })
}
