/** Regular expressions that match more, or something else: an anchor, a quantifier or a class is changed. */

interface Edit {
  readonly at: number
  readonly length: number
  readonly instead: string
}

/** Of a pattern on one line without delimiters: an anchor is removed, a class is inverted, `+` becomes `*`. */
export const weakened = (pattern: string): ReadonlyArray<Edit> => {
  const edits: Array<Edit> = []
  let inClass = false
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === "\n") return []
    if (char === "\\") at++
    else if (inClass) inClass = char !== "]"
    else if (char === "[") {
      inClass = true
      if (pattern[at + 1] === "^") edits.push({ at: at + 1, length: 1, instead: "" })
      // A bracket that begins a class belongs to it.
      if (/^\[\^?\]/.test(pattern.slice(at, at + 3))) at += pattern[at + 1] === "^" ? 2 : 1
    } else if (char === "^" || char === "$") edits.push({ at, length: 1, instead: "" })
    else if (char === "+" && at > 0 && !"+*?}".includes(pattern[at - 1] ?? ""))
      edits.push({ at, length: 1, instead: "*" })
  }
  return edits
}
