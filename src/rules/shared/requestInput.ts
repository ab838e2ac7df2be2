/** Paths that are built from a request in the same expression. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import { squeezed } from "../../languages/tree.ts"

interface Language {
  /** Matches the start of the call without white space. */
  readonly opens: RegExp
  /** Matches data of a request in the call. */
  readonly input: RegExp
  /** Matches code that removes folders from a name, or compares it with a list. */
  readonly made: RegExp
}

/** A longer call has a program as an argument. */
const longest = 300

/** The text of the call; null if it contains a statement block. */
const squeezedText = (call: SyntaxNode): string | null => {
  const tooLong = call.endIndex - call.startIndex > longest
  return tooLong || /[{]\s*\n|\bfn\b/.test(call.text) ? null : squeezed(call)
}

/** The check for a language; its page names the nodes that open a file. */
export const pathFromRequest =
  ({ opens, input, made }: Language): NodeCheck =>
  (claim) => {
    const text = squeezedText(claim)
    return text !== null && opens.test(text) && input.test(text) && !made.test(text)
  }
