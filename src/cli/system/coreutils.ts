/**
 * Tells the calls of coreutils' `dd`, whose name this program shares, from its own. Imports nothing: every start of the
 * program pays for it.
 */

/** Whose call it is. A bare `dd` is coreutils' where standard input or output is redirected. */
export type Owner = "dd" | "coreutils" | "coreutils unless on a terminal"

/** Decides by the name called by, which must be exactly `dd`, and the first argument, which must look like an operand. */
export const ownerOf = (calledAs: string, args: ReadonlyArray<string>): Owner => {
  if (!/(?:^|[\\/])dd(?:\.exe)?$/.test(calledAs)) return "dd"
  const [first] = args
  if (first === undefined) return "coreutils unless on a terminal"
  return /^[a-z_]+=/.test(first) ? "coreutils" : "dd"
}
