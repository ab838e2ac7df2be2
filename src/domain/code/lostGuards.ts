/**
 * Uses of a value that can be null, which a change leaves without the check that the function made before.
 *
 * Reads text, for languages whose compiler does not require the check. Anything that can be another check counts as one.
 * Pure.
 */
import { codeOf, type EditedFunction, type FunctionVersion, type Loss } from "./EditedFunction.ts"

/** Its name is the value: a variable or a path of members. */
export interface GuardLoss extends Loss {
  /** The line of the check, without indentation. */
  readonly check: string
  /** The value with what follows it: `task.name`, `steps[0]`. */
  readonly use: string
}

/** A part of the code and where it begins. */
interface Place {
  readonly text: string
  readonly at: number
}

/** The values that the code compares with null. */
export const comparedValues = (code: string): ReadonlyArray<Place> =>
  [...code.matchAll(comparison)].map(({ 1: text = "", index }) => ({ text, at: index }))

const comparison = /(?<![\w.)\]])((?:\w+\.)*\w+)\s*(?:[!=]=|is not|is)\s*(?:nil|null|None)\b/g

/** The first one of each value. */
export const lostGuards = ({ base, head, path }: EditedFunction): ReadonlyArray<GuardLoss> => {
  const [before, after] = [codeOf(base), codeOf(head)]
  const checks = new Map(
    comparedValues(before)
      .toReversed()
      .map(({ at, text }) => [text, at])
  )
  return [...checks].flatMap(([name, at]) => {
    if (isError.test(name) || isChecked(after, name) || !isSameValue(base, head, name)) return []
    const check = lineAt(before, at)
    const [checked, uses] = [usesOf(before, name), usesOf(after, name)]
    if (uses.some((use) => isShortened(check, name, lineAt(after, use.at)))) return []
    const lost = uses.find(({ at: place, text }) => {
      // A slice of nil is empty in Go.
      if (path.endsWith(".go") && text.includes(":")) return false
      const same = checked.filter((use) => use.text === text)
      return same.length > 0 && same.every((use) => use.at > at) && !hasOtherCondition(before, after, name, place)
    })
    if (lost === undefined) return []
    const [line, previous] = [lineNumber(head, after, lost.at), lineNumber(base, before, at)]
    return [{ name, line, before: previous, use: lost.text.replace(/\($/, "()"), check: check.trim() }]
  })
}

const isError = /^(?:\w*err(?:or)?|e|ex|exc|ok|self|this|cls|\d+)$/i

const usesOf = (code: string, name: string): ReadonlyArray<Place> =>
  [...code.matchAll(new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?:\\.\\w+\\(?|\\[[^\\]\\n]*\\])`, "g"))].map(
    ({ 0: text, index }) => ({ text, at: index })
  )

/** Is the value itself, not a member of it, in a line that has a condition? */
const isChecked = (code: string, name: string): boolean =>
  [...code.matchAll(new RegExp(`(?<![\\w.])${RegExp.escape(name)}(?![\\w.[(]|\\s*:?=(?!=))`, "g"))].some(({ index }) =>
    condition.test(lineAt(code, index))
  )

const condition =
  /\b(?:if|elif|while|and|or|not|assert|switch|case|isinstance|hasattr|\w*nonnull|\w*notnull|isnull|ofnullable)\b|\?|&&|\|\||[!=]=/i

/** The parameter is declared, and the variable assigned, as before. */
const isSameValue = (base: FunctionVersion, head: FunctionVersion, name: string): boolean => {
  const source = sourceOf(base, name)
  return source !== "" && source === sourceOf(head, name)
}

/** Where the value comes from; empty if that is outside of the function. */
const sourceOf = (version: FunctionVersion, name: string): string => {
  const code = codeOf(version)
  const [root = ""] = name.split(".")
  const parameter = version.definition.signature?.parameters.find((each) => each.name === root)
  const declared = parameter === undefined ? [] : [root, parameter.type ?? "", `${parameter.required}`]
  // The receiver of a Go method is in the first line.
  const isOwn = /^(?:self|this)$/.test(root) || new RegExp(`\\b${root}\\b`).test(code.split("\n", 1)[0] ?? "")
  const assigned = [root, name].flatMap((each) => {
    const value = RegExp.escape(each)
    const assignment = new RegExp(`(?<![\\w.])${value}\\s*(?:[:,][^=\\n]*)?:?=(?!=).*|\\bfor ${value}\\b.*`, "g")
    return [...code.matchAll(assignment)].map(([text]) => squeezed(text))
  })
  return [...declared, ...(isOwn ? [root] : []), ...assigned].join(" ")
}

/** Does the change only remove the check from its condition? */
const isShortened = (check: string, name: string, line: string): boolean => {
  const operand = new RegExp(
    `\\b${RegExp.escape(name)}\\s*(?:[!=]=|is not|is)\\s*(?:nil|null|None)\\s*(?:&&|\\|\\||and|or)\\s*`
  )
  return operand.test(check) && squeezed(check.replace(operand, "")) === squeezed(line)
}

/** Is the use in a new condition on the same object? */
const hasOtherCondition = (before: string, after: string, name: string, at: number): boolean => {
  const above = after.slice(0, after.lastIndexOf("\n", at)).trimEnd()
  const line = lineAt(above, above.length)
  const [root = ""] = name.split(".")
  return /\b(?:if|elif|while)\b/.test(line) && new RegExp(`\\b${root}\\.`).test(line) && !before.includes(line)
}

const squeezed = (text: string): string => text.replace(/\s+/g, "")

const lineAt = (code: string, at: number): string => {
  const end = code.indexOf("\n", at)
  return code.slice(code.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end)
}

const lineNumber = ({ definition }: FunctionVersion, code: string, at: number): number =>
  definition.line + code.slice(0, at).split("\n").length - 1
