/**
 * Exits from a function while it holds a lock, in languages with explicit release.
 *
 * Reported only if the same function releases the lock later, so that locks that are passed to the caller, or released by
 * a deferred call or in a `finally`, are not reported.
 */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { type NodeCheck, rangeOf } from "../../domain/finding/Rule.ts"
import { enclosing, lineOf, relatedPlace, squeezed } from "../../languages/tree.ts"

interface Language {
  readonly functions: ReadonlyArray<string>
  /** A statement that acquires a lock, without white space. */
  readonly takes: RegExp
  /** The statement that releases it. */
  readonly releases: (lock: string, taken: string) => string
}

interface Held {
  readonly lock: string
  readonly taken: SyntaxNode
  readonly release: string
}

const mostSteps = 60

const longestStep = 4_000

/** The lock that a statement before this one acquired and none released; null if there is none. */
const heldAt = (exit: SyntaxNode, { functions, releases, takes }: Language): Held | null => {
  const passed: Array<string> = [squeezed(exit)]
  let at: SyntaxNode = exit
  let steps = 0
  for (;;) {
    for (let before = at.previousNamedSibling; before !== null; before = before.previousNamedSibling) {
      // A long function is not read again for each of its exits.
      if (++steps > mostSteps || before.endIndex - before.startIndex > longestStep) return null
      const text = squeezed(before)
      const taken = takes.exec(text.replace(/;$/, ""))
      if (taken === null) {
        passed.push(text)
        continue
      }
      const [, lock = "", how = ""] = taken
      const release = releases(lock, how)
      if (passed.some((each) => each.includes(release)) || isReleasedFinally(at, release, functions)) return null
      return { lock, taken: before, release }
    }
    const holder = at.parent
    if (holder === null || functions.includes(holder.type)) return null
    // A `finally` or an `else` of the enclosing statement may release it.
    if (/try|with|do_statement/.test(holder.type)) passed.push(squeezed(holder))
    at = holder
  }
}

/** Is the lock, taken in a `try`, released in a `finally` of it? */
const isReleasedFinally = (inside: SyntaxNode, release: string, functions: ReadonlyArray<string>): boolean => {
  for (let at = inside.parent; at !== null && !functions.includes(at.type); at = at.parent) {
    const last = at.namedChildren.at(-1)
    if (last?.type === "finally_clause" && squeezed(last).includes(release)) return true
  }
  return false
}

/** The check for a language; its page names the statements that leave a function. */
export const lockNotReleased =
  (language: Language): NodeCheck =>
  (claim) => {
    // Swift has the same node for return, throw, break and continue.
    if (/^(break|continue|yield|fallthrough)\b/.test(claim.text)) return false
    const owner = enclosing(claim, language.functions)
    const held = owner === null ? null : heldAt(claim, language)
    if (owner === null || held === null) return false
    const after = owner.text.slice(claim.endIndex - owner.startIndex).replace(/\s+/g, "")
    const isReleasedLater = after.includes(held.release)
    return (
      isReleasedLater && {
        ...rangeOf(claim),
        description: `\`${held.lock}\` was taken on line ${lineOf(held.taken)}.`,
        related: [relatedPlace(held.taken, "taken here")]
      }
    )
  }
