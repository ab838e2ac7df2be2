/**
 * Turns the claims of a rule about a changed file into records, in order.
 *
 * A claim is reported only on an added line, or where the change makes the line wrong. An exception in a rule is thrown to the caller.
 */

import { Predicate } from "effect"
import type { Grammar } from "../change/Grammar.ts"
import { changedLines, type Replacement, textAfter } from "../code/Replacement.ts"
import type { Captures, SyntaxNode } from "../code/Syntax.ts"
import {
  type Claim,
  type LineRule,
  linesOf,
  type Range,
  type Rule,
  type RuleFile,
  rangeOf,
  type SyntaxRule
} from "./Rule.ts"
import { ruleRecord } from "./ruleRecord.ts"

/**
 * The claims of one rule in one file, a protection against files that nobody writes by hand. Formats and settings decide what is
 * shown: a lower limit here would be applied before suppressions and the baseline, so that hiding one finding would reveal another.
 */
export const mostClaims = 1_000

/** Line rules skip longer lines: these are generated, and patterns are slow on them. */
export const longestLine = 5_000

export interface AddedLine {
  readonly line: number
  readonly text: string
}

/** Every reviewer needs them. */
const known = new WeakMap<RuleFile["diff"], ReadonlyArray<AddedLine>>()

/** The added lines of the head side, in order, without a CR at the end. */
export const addedLines = (diff: RuleFile["diff"]): ReadonlyArray<AddedLine> => {
  const already = known.get(diff)
  if (already !== undefined) return already
  const added: Array<AddedLine> = []
  for (const hunk of diff.hunks) {
    for (const { kind, newLine, text } of hunk.lines) {
      if (kind !== "added" || newLine === null) continue
      added.push({ line: newLine, text: text.endsWith("\r") ? text.slice(0, -1) : text })
    }
  }
  known.set(diff, added)
  return added
}

/** Does the rule apply to this file? */
export const appliesTo = (rule: LineRule | SyntaxRule, file: RuleFile): boolean =>
  (rule.inTests || !file.isTest) && rule.appliesToPath?.(file.path) !== false && hasCodeFor(rule, file)

const hasCodeFor = (rule: LineRule | SyntaxRule, { code }: RuleFile): boolean => {
  const grammars = grammarsOf(rule)
  return grammars === null || (code !== null && grammars.includes(code.grammar))
}

/** The grammars of a rule about code; null for a rule about any text. */
export const grammarsOf = (rule: Rule): ReadonlyArray<Grammar> | null =>
  (rule._tag === "Line" || rule._tag === "Syntax" ? rule.grammars : null) ?? null

/** The file with its code in place of its text. */
export const codeOnlyOf = (file: RuleFile): RuleFile => {
  const lines = file.code?.lines ?? null
  return lines === null || lines === file.head ? file : { ...file, head: lines }
}

/** A claim on the code of a file as a claim on its text, which is another one in a notebook or between scripts. */
export const inText =
  ({ code, head }: RuleFile) =>
  <A extends Claim>(claim: A): A => {
    const place = code?.placeOf?.(claim.line) ?? null
    const isSame = (line: number) => head === null || code?.lines == null || head[line - 1] === code.lines[line - 1]
    const lines = Array.from({ length: (claim.endLine ?? claim.line) - claim.line + 1 }, (_, at) => claim.line + at)
    const { suggestion, ...rest } = claim
    const same = suggestion === undefined || !lines.every(isSame) ? (rest as A) : claim
    if (place === null) return same
    const { column: _, endColumn: _end, ...whole } = same
    return { ...(whole as A), description: [claim.description, place].filter(Predicate.isNotUndefined).join(" ") }
  }

const placed = (answer: boolean | Claim, line: number, endLine: number): ReadonlyArray<Claim> =>
  answer === false ? [] : answer === true ? [{ line, endLine }] : [answer]

export const lineClaims = (rule: LineRule, file: RuleFile, added: ReadonlyArray<AddedLine>): ReadonlyArray<Claim> => {
  const read = rule.grammars === undefined ? file : codeOnlyOf(file)
  return added.flatMap(({ line, text: own }) => {
    const text = read === file ? own : (read.head?.[line - 1] ?? "")
    if (text.length > longestLine || (!rule.inTests && line >= file.testsFrom)) return []
    return placed(rule.check(text, line, read), line, line).map((claim) =>
      withSuggestion(claim, rule.suggestion?.(text, line, read))
    )
  })
}

const withSuggestion = <A extends Claim>(claim: A, suggestion: string | null | undefined): A =>
  suggestion == null ? claim : { ...claim, suggestion }

/** Without the claims on edited lines: the rule claims as many of the lines that they replace. */
export const withoutEdited = (
  rule: LineRule,
  { before, file }: { readonly before: RuleFile; readonly file: RuleFile },
  claims: ReadonlyArray<Claim>
): ReadonlyArray<Claim> => {
  if (claims.length === 0) return claims
  const old = new Set<number>()
  const claimed = new Set(claims.map(({ line }) => line))
  for (const { lines } of file.diff.hunks) {
    let replaced = 0
    for (const { kind, newLine, oldLine, text } of lines) {
      if (kind === "context") replaced = 0
      if (oldLine !== null && kind === "deleted") {
        replaced += lineClaims(rule, before, [{ line: oldLine, text }]).length
      } else if (newLine !== null && replaced > 0 && claimed.has(newLine)) {
        old.add(newLine)
        replaced--
      }
    }
  }
  return claims.filter(({ line }) => !old.has(line))
}

/** A claim of a syntax rule on a node. */
export interface NodeClaim extends Claim {
  readonly node: SyntaxNode
}

export const syntaxClaims = (
  rule: SyntaxRule,
  file: RuleFile,
  matches: ReadonlyArray<Captures>
): ReadonlyArray<NodeClaim> => {
  const claims = matches.flatMap((captures) => {
    const node = captures.claim?.[0]
    if (node === undefined) return []
    const { line, endLine } = linesOf(node)
    if (!touches(file, line, endLine)) return []
    // A claim on a statement is about a discarded value.
    if (node.type === "expression_statement" && file.code?.isShown?.(line) === true) return []
    const claims = placed(rule.check(node, file, captures), line, endLine).filter((claim) =>
      touches(file, claim.line, claim.endLine ?? claim.line)
    )
    if (claims.length > 0 && isDoubtful(node)) return []
    return claims.map((claim) => ({ ...columnsOf(node, { endLine: claim.line, ...claim }, file), ...claim, node }))
  })
  const { suggestion } = rule
  const { head } = file
  if (suggestion === undefined || head === null) return claims
  // One claim is shown for each place, so its suggestion fixes all of them.
  return [...Map.groupBy(claims, placeOf).values()].flatMap((samePlace) => {
    const replacements = samePlace.flatMap(({ node }) => suggestion(node, file) ?? [])
    return samePlace.map((claim) => {
      const text = textAfter(replacements, { endLine: claim.line, ...claim }, head)
      if (text !== undefined || replacements.length === 0) return withSuggestion(claim, text)
      const wide = widened(claim, replacements, { head, message: claim.label ?? rule.label ?? rule.title })
      // A rule for whole files gets every line as an added one.
      const added = addedLines(file.diff).filter(({ line }) => line >= wide.line && line <= wide.endLine)
      const isNew = added.length === wide.endLine - wide.line + 1 && added.length <= longestEdit
      const wider = isNew ? textAfter(replacements, wide, head) : undefined
      return wider === undefined ? claim : withSuggestion(wide, wider)
    })
  })
}

/** In lines. */
const longestEdit = 20

/** The claim on all lines of its edit; the words that it marked become a related place. */
const widened = <A extends Claim>(
  claim: A,
  replacements: ReadonlyArray<Replacement>,
  { head, message }: { readonly head: ReadonlyArray<string>; readonly message: string }
) => {
  const { column, endColumn, endLine: own = claim.line, related = [] } = claim
  const lines = replacements.map(changedLines)
  const line = Math.min(claim.line, ...lines.map((each) => each.line))
  const endLine = Math.max(own, ...lines.map((each) => each.endLine))
  const isMarked = column !== undefined && endColumn !== undefined && own === claim.line
  const marked = isMarked ? { line: claim.line, column, endColumn, message } : { line: claim.line, message }
  const columns = { column: (head[line - 1] ?? "").search(/\S|$/) + 1, endColumn: (head[endLine - 1] ?? "").length + 1 }
  return { ...claim, line, endLine, ...columns, label: "what the edit changes", related: [marked, ...related] }
}

/** The columns of a node, if the claim begins on its first line; a claim of fewer lines than the node ends with its text. */
const columnsOf = (
  node: SyntaxNode,
  { column, endLine, line }: Range & { readonly endLine: number },
  { head }: RuleFile
): Pick<Range, "column" | "endColumn"> => {
  if (column !== undefined) return {}
  const own = rangeOf(node)
  if (own.line !== line) return {}
  const endColumn = own.endLine <= endLine ? own.endColumn : (head?.[endLine - 1] ?? "").trimEnd().length + 1
  return line === endLine && endColumn <= own.column ? {} : { column: own.column, endColumn }
}

const placeOf = ({ endLine, line }: Claim): string => `${line}-${endLine ?? line}`

/** The claims, with those on lines that the change does not touch as one, which names the others. */
export const untouchedAsOne = <A extends Claim>(file: RuleFile, claims: ReadonlyArray<A>): ReadonlyArray<A> => {
  const isTouched = ({ endLine, line }: Claim) => touches(file, line, endLine ?? line)
  const [first, ...others] = claims.filter((claim) => !isTouched(claim)).toSorted((a, b) => a.line - b.line)
  if (first === undefined) return claims
  const lines = others.map(({ line }) => line).join(", ")
  const same = others.map(({ column, endColumn, endLine, line }) =>
    column === undefined || endColumn === undefined || (endLine ?? line) > line
      ? { line, message: "the same here" }
      : { line, column, endColumn, message: "the same here" }
  )
  const more = others.length === 0 ? [] : [`The same is true of ${others.length === 1 ? "line" : "lines"} ${lines}.`]
  const description = [first.description, "The change does not edit this line, but lines that it depends on.", ...more]
  return [
    ...claims.filter(isTouched),
    {
      ...first,
      description: description.filter(Predicate.isNotUndefined).join(" "),
      related: [...(first.related ?? []), ...same]
    }
  ]
}

/** Does the change add a line of these? */
export const touches = (file: RuleFile, line: number, endLine: number): boolean => {
  for (let at = line; at <= endLine; at++) if (file.isAdded(at)) return true
  return false
}

/** Is the parse tree unreliable here? The node or its parent contains text that does not fit the grammar. */
const isDoubtful = (node: SyntaxNode): boolean => {
  if (node.hasError) return true
  const holder = node.parent
  if (holder !== null && holder.parent !== null && holder.hasError) return true
  for (let above = holder; above !== null; above = above.parent) if (above.type === "ERROR") return true
  return false
}

/** In source order, one for each place. */
export const distinctClaims = (claims: ReadonlyArray<Claim>): ReadonlyArray<Claim> => {
  const places = new Map<string, Claim>()
  for (const claim of claims) {
    const place = placeOf(claim)
    if (!places.has(place)) places.set(place, claim)
  }
  return [...places.values()].sort((a, b) => a.line - b.line || (a.endLine ?? a.line) - (b.endLine ?? b.line))
}

/** The record of a rule's claim. `text` is the head-side line of the claim. */
export const recordOf = (rule: Rule, claim: Claim, path: string, text = "", shownText = text) => {
  const title = claim.title ?? rule.title
  const own = claim.description === undefined ? title : `${title}. ${claim.description}`
  const code = shownText.trim()
  const isNamed = rule.id.startsWith("secret/") || code === "" || code.includes("`") || namesCode(own, code)
  const shown = code.length > longestCode ? `${code.slice(0, longestCode)}...` : code
  return ruleRecord(rule, {
    ...claim,
    related: (claim.related ?? []).map((place) => ({ ...place, path })),
    path,
    title,
    description: isNamed ? own : `${title}: \`${shown}\`${own.slice(title.length)}`,
    quote: text
  })
}

/** Does a text quote something of the line? */
const namesCode = (text: string, line: string): boolean =>
  [...text.matchAll(/`([^`]+)`/g)].some(([, quoted = ""]) => line.includes(quoted))

/** In characters. */
const longestCode = 120
