/**
 * Distinguishes calls of coreutils' `dd` from calls of this program. Imports nothing, because it runs at every start.
 */

/** `dd` without arguments is coreutils' if standard input or output is redirected. */
export type Owner = "dd" | "coreutils" | "coreutils unless on a terminal"

/** coreutils' if called exactly `dd` and the first argument looks like an operand. */
export const ownerOf = (calledAs: string, args: ReadonlyArray<string>): Owner => {
  if (!/(?:^|[\\/])dd(?:\.exe)?$/.test(calledAs)) return "dd"
  const [first] = args
  if (first === undefined) return "coreutils unless on a terminal"
  return /^[a-z_]+=/.test(first) ? "coreutils" : "dd"
}
