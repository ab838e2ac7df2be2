/**
 * Path patterns in settings and ignore files.
 *
 * `*.lock` matches a file in any folder, `/build` and `docs/*.md` start at the repository's root, and a pattern that matches
 * a folder includes everything below it. Backtracking is bounded.
 */
import { Glob } from "effect"

/** Longer patterns are refused, because they would slow down every path. */
export const maxLength = 500

/** Why a pattern cannot be used, or null. */
export const globFault = (pattern: string): string | null => {
  const bare = pattern.replace(/^\/|\/$/g, "")
  if (bare === "") return "an empty pattern matches nothing"
  if (pattern.length > maxLength) return `a pattern may have ${maxLength} characters`
  if (bare.split("/").includes("..")) return "a pattern may not leave the repository"
  return pattern.startsWith("!") ? "a pattern cannot be negated" : null
}

/** Does the pattern match this path, or a folder it is in? */
export const pathGlob = (pattern: string): ((path: string) => boolean) => {
  const bare = pattern.replace(/^\.?\//, "").replace(/\/$/, "")
  const rooted = pattern.startsWith("/") || pattern.startsWith("./") || bare.includes("/")
  const start = rooted ? bare : `**/${bare}`
  // A pattern with a trailing slash matches folders only.
  const globs = [...(pattern.endsWith("/") ? [] : [start]), `${start}/**/*`].map((glob) =>
    Glob.make(glob, { dot: true })
  )
  // Most paths of a large repository have another end, and to compare the end is much faster than to match. `.` may be a
  // folder in a pattern, but not in a path.
  const end = /[\\{[(]|(?:^|\/)\.(?:\/|$)/.test(bare) ? "" : (/[^*?/]*$/.exec(bare)?.[0] ?? "")
  const mayMatch = (path: string) => path.endsWith(end) || path.includes(`${end}/`)
  return (path) => mayMatch(path) && globs.some((glob) => Glob.match(glob, path))
}
