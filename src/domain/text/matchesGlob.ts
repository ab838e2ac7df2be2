/**
 * Shell patterns like those of Python's `fnmatch`: `*` any text (including slashes), `?` one character, `[abc]` and
 * `[!a-z]` one of a set; case-sensitive. At most pattern length times path length steps.
 */
export const matchesGlob = (pattern: string, path: string): boolean => {
  const tokens = tokenize(pattern)
  let token = 0
  let at = 0
  // The position to continue from if the pattern after the last `*` does not match: one character further.
  let star = -1
  let resume = 0
  while (at < path.length) {
    const wanted = tokens[token]
    if (wanted === "*") {
      star = token++
      resume = at
    } else if (wanted?.(path[at]!) === true) {
      token++
      at++
    } else if (star >= 0) {
      token = star + 1
      at = ++resume
    } else {
      return false
    }
  }
  while (tokens[token] === "*") token++
  return token === tokens.length
}

type Token = "*" | ((char: string) => boolean)

const tokenize = (pattern: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!
    // A `]` at the start of a set is a member of it.
    const end = char === "[" ? pattern.indexOf("]", pattern[i + 1] === "!" ? i + 3 : i + 2) : -1
    if (char === "*") tokens.push("*")
    else if (char === "?") tokens.push(() => true)
    else if (end > 0) {
      tokens.push(oneOf(pattern.slice(i + 1, end)))
      i = end
    } else tokens.push((other) => other === char)
  }
  return tokens
}

const oneOf = (set: string): Token => {
  const negated = set.startsWith("!")
  const members = negated ? set.slice(1) : set
  return (char) => {
    for (let i = 0; i < members.length; i++) {
      const isRange = members[i + 1] === "-" && i + 2 < members.length
      const inside = isRange ? char >= members[i]! && char <= members[i + 2]! : char === members[i]
      if (inside) return !negated
      if (isRange) i += 2
    }
    return negated
  }
}
