/** Paths built from what a stranger sends, where the request is part of the same expression. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import { squeezed } from "../../languages/tree.ts"

interface Language {
  /** What is called, from the beginning of the call without white space. */
  readonly opens: RegExp
  /** What a stranger sent, anywhere in the call. */
  readonly input: RegExp
  /** What takes the folders out of a name, or holds it against a list. */
  readonly made: RegExp
}

/** A longer call is a program handed over as an argument. */
const longest = 300

/** The call alone: a statement block in it belongs to somebody else. */
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
