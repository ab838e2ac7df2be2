/** The syntax of types in Go. */
import type { TypeForms } from "../Language.ts"

export const goTypeForms: TypeForms = {
  plain: (type) => /^\*?(\w+(?:\.\w+)?)(?:\[.*\])?$/s.exec(type)?.[1] ?? null,
  step: (type, step) => {
    if (step !== "[]") return null
    const list = /^(?:\.\.\.|\[\w*\])(.+)$/s.exec(type)?.[1]
    return list ?? (type.startsWith("map[") ? type.slice(closingBracket(type, 3) + 1) : null)
  },
  given: () => []
}

/** The index of the closing bracket. */
const closingBracket = (text: string, open: number): number => {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    if (text[at] === "[") depth++
    else if (text[at] === "]" && --depth === 0) return at
  }
  return text.length
}
