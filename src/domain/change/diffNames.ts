/** Parses the names in the headers of a diff: quoted or with spaces, with any prefixes or none, with or without dates. */
import { unquotePath } from "../text/quotePath.ts"

/** A name that extends to the end of its line, quoted or not. */
export const wholeName = (text: string): string => {
  const quoted = unquotePath(text)
  return quoted === null ? text : quoted.path
}

/** The name on a `---` or `+++` line, up to a tab and a date; null for a side that does not exist. */
export const sideName = (line: string): string | null => {
  const text = line.slice(4)
  const quoted = unquotePath(text)
  if (quoted !== null) return quoted.path
  const tab = text.indexOf("\t")
  const name = tab < 0 ? text : text.slice(0, tab)
  return name === "/dev/null" ? null : name
}

/** GNU diff -N marks a missing side by the date of the epoch (in local time) instead of /dev/null. */
export const isEpoch = (line: string): boolean =>
  /\t(?:1969-12-31|1970-01-01) \d\d:\d\d:00(?:\.0+)? [+-]\d{4}$/.test(line)

const prefixes = new Set(["a/", "b/", "c/", "i/", "w/", "o/", "1/", "2/"])
const stripKnown = (name: string): string => (prefixes.has(name.slice(0, 2)) ? name.slice(2) : name)
const stripFirst = (name: string): string | null => {
  const slash = name.indexOf("/")
  return slash < 0 || slash === name.length - 1 ? null : name.slice(slash + 1)
}

/** One path under two different first folders (`a/` and `b/`, or any other pair), or the same text twice. */
const samePath = (old: string, now: string): string | null => {
  if (old === now) return old
  const rest = stripFirst(old)
  return rest !== null && rest === stripFirst(now) ? rest : null
}

export const sideNames = (old: string | null, now: string | null): readonly [string, string] | null => {
  if (old === null) return now === null ? null : [stripKnown(now), stripKnown(now)]
  if (now === null) return [stripKnown(old), stripKnown(old)]
  const same = samePath(old, now)
  return same === null ? [stripKnown(old), stripKnown(now)] : [same, same]
}

/** Longer than two of the longest paths of a file system; to try every space of a longer text would not be linear. */
const maxSearched = 16_384

/** The two names after `diff --git`. Unquoted names may contain spaces: the split is where both sides have the same path. */
export const headerNames = (text: string): readonly [string, string] | null => {
  const left = unquotePath(text)
  if (left !== null) {
    if (text[left.length] !== " ") return null
    return sideNames(left.path, wholeName(text.slice(left.length + 1)))
  }
  if (text.endsWith('"')) {
    if (text.length > maxSearched) return null
    for (let space = text.indexOf(' "'); space >= 0; space = text.indexOf(' "', space + 1)) {
      const right = unquotePath(text.slice(space + 1))
      if (right !== null && space + 1 + right.length === text.length) return sideNames(text.slice(0, space), right.path)
    }
    return null
  }
  const attempt = (space: number): readonly [string, string] | null => {
    const same = samePath(text.slice(0, space), text.slice(space + 1))
    return same === null ? null : [same, same]
  }
  // Git's own prefixes have the same length, so the split is nearly always in the middle.
  const middle = (text.length - 1) / 2
  const centre = text[middle] === " " ? attempt(middle) : null
  if (centre !== null || text.length > maxSearched) return centre
  for (let space = text.indexOf(" "); space >= 0; space = text.indexOf(" ", space + 1)) {
    const found = attempt(space)
    if (found !== null) return found
  }
  return null
}
