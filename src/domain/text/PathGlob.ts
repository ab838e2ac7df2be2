/**
 * Path patterns as users write them in settings and ignore files.
 *
 * `*.lock` names a file in any folder, `/build` and `docs/*.md` start at the repository's root, and whatever
 * names a folder takes everything below it. Matching never backtracks without bound.
 */
import { Glob } from "effect"

/** Longer patterns are refused: nobody writes them, and they cost time on every path. */
export const maxLength = 500

/** Why a pattern cannot be used, or null. */
export const globFault = (pattern: string): string | null => {
  const bare = pattern.replace(/^\/|\/$/g, "")
  if (bare === "") return "an empty pattern matches nothing"
  if (pattern.length > maxLength) return `a pattern may have ${maxLength} characters`
  if (bare.split("/").includes("..")) return "a pattern may not leave the repository"
  return pattern.startsWith("!") ? "a pattern cannot be negated" : null
}

/** Does the pattern name this path, or a folder it is in? */
export const pathGlob = (pattern: string): ((path: string) => boolean) => {
  const bare = pattern.replace(/^\.?\//, "").replace(/\/$/, "")
  const rooted = pattern.startsWith("/") || pattern.startsWith("./") || bare.includes("/")
  const start = rooted ? bare : `**/${bare}`
  // A trailing slash names a folder, so the file of that name is not meant.
  const globs = [...(pattern.endsWith("/") ? [] : [start]), `${start}/**/*`].map((glob) =>
    Glob.make(glob, { dot: true })
  )
  // Most paths of a large repository end differently, and looking at their ends costs nothing beside a match. A folder
  // called `.` is the one before it, in the pattern and in no path.
  const end = /[\\{[(]|(?:^|\/)\.(?:\/|$)/.test(bare) ? "" : (/[^*?/]*$/.exec(bare)?.[0] ?? "")
  const mayMatch = (path: string) => path.endsWith(end) || path.includes(`${end}/`)
  return (path) => mayMatch(path) && globs.some((glob) => Glob.match(glob, path))
}
