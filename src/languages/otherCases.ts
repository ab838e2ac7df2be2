/** How a `switch` handles a value without a case, according to its last branch. */
import type { CaseTable } from "../domain/code/Variants.ts"

const refusing =
  /^(?:(?:throw|raise|return errors?\.|panic|log\.(?:Fatal|Panic)|fatalError|preconditionFailure|assertionFailure|unreachable!|panic!|unimplemented!|todo!)\b|[\w.]*assert\w*(?:never|unreachable|exhaust)\w*|[\w.]*(?:unreachable|exhaustive|never)\w*\()/i
const never =
  /:\s*never\b|\bsatisfies\s+never\b|\bassert_?never\b|\bassert_?unreachable\b|\bexhausti?ve?(?:check|switch|guard)?\w*\s*\(/i

/** `body`: the text of the branch without its label; null if there is none. `typed`: the language has the type `never`. */
export const restOf = (body: string | null, typed: boolean): CaseTable["rest"] => {
  if (body === null) return "passed"
  const text = body
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$|^\s*#.*$/gm, "")
    .trim()
    .replace(/^\{\s*|\s*\}$/g, "")
    .trim()
  if (typed && never.test(text)) return "checked"
  return refusing.test(text) ? "refused" : "handled"
}
