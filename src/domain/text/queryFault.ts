/**
 * Checks that a tree-sitter query of a rule file takes a bounded time to compile and to run.
 *
 * Quantifiers on groups can take exponential time in the query compiler and in the matcher, and the `#match?` family runs
 * an unbounded regular expression. Rules need neither.
 */

const longestQuery = 1_000
const mostNodes = 30
const harmless = /^#(?:not-)?(?:any-)?(?:eq|of)\?$/

/** Why the query is refused, with a fix; null if it is accepted. */
export const queryFault = (query: string): string | null => {
  if (query.trim() === "") return "it is empty; write a query such as (call) @claim"
  if (query.length > longestQuery) return `at most ${longestQuery} characters; split the rule in two`
  const bare = withoutTexts(query)
  if (bare === null) return "a text in it does not end; close its double quotes"
  if (!/@claim(?![\w.-])/.test(bare))
    return "nothing is captured as @claim; put it behind the node the finding is about"
  if (/[*+?]/.test(bare.replace(/#[\w-]+[?!]/g, ""))) {
    return "quantifiers (*, +, ?) are not allowed; name the node itself, children that are not named may be there"
  }
  for (const [predicate] of bare.matchAll(/#[\w-]+[?!]?/g)) {
    if (!harmless.test(predicate)) {
      return `${predicate} is not allowed; for a regular expression write it under [where]: name = '...'`
    }
  }
  const nodes = bare.match(/\((?!\s*#)|\b_\b/g)?.length ?? 0
  return nodes > mostNodes ? `at most ${mostNodes} nodes; it has ${nodes}` : null
}

/** The query with the content of strings and comments removed; null if a string has no end. */
const withoutTexts = (query: string): string | null => {
  let bare = ""
  for (let at = 0; at < query.length; at++) {
    const character = query[at]
    if (character === ";") {
      const end = query.indexOf("\n", at)
      if (end < 0) return bare
      at = end - 1
    } else if (character === '"') {
      at++
      while (at < query.length && query[at] !== '"') at += query[at] === "\\" ? 2 : 1
      if (at >= query.length) return null
      bare += '""'
    } else bare += character
  }
  return bare
}
