/**
 * What a change does to the definitions of its files: added, removed, renamed, moved, with another header, or with
 * another body. Pure.
 *
 * A definition whose tokens are equal on both sides is unchanged: white space and comments do not count. The members of
 * an added, removed or moved class are part of it. Each definition is compared with at most a few others, because a
 * generated file may have thousands.
 */
import { changedLines } from "../../change/HunkIndex.ts"
import { qualifiedName } from "../../code/CodeQuery.ts"
import { compareText } from "../../text/compareText.ts"
import type { DefinitionChange, ValueChange } from "../Definitions.ts"
import type { Place } from "../Place.ts"
import { constructorsOf, containersOf, type FileVersion, type Item, itemsOf, type Pair } from "./definitionItems.ts"
import { hasSameShape, movesBetween, type Paired } from "./definitionPairs.ts"
import { exportOf, isPublic, visibilityOf } from "./definitionVisibility.ts"
import {
  changedDefaults,
  firstLineOf,
  type Header,
  headerKey,
  headerOf,
  headerText,
  mostAbove,
  writtenTexts
} from "./Header.ts"
import { mostOfValue } from "./shortenedValues.ts"
import { codeKey, keyOf, type Syntax, type Token, tokensOf } from "./Token.ts"

export interface Changes {
  readonly definitions: ReadonlyArray<DefinitionChange>
  readonly values: ReadonlyArray<ValueChange>
}

/** The definitions of all files as pairs, by file, and those that are only on one side. */
export const pairsOf = (paired: ReadonlyArray<Paired>) => {
  const { added, pairs, removed } = movesBetween(
    paired.flatMap(({ removed }) => removed),
    paired.flatMap(({ added }) => added)
  )
  return {
    pairs: Map.groupBy([...paired.flatMap(({ pairs }) => pairs), ...pairs], ({ head }) => head.version.path),
    alone: [...added.flatMap((item) => alone("added", item)), ...removed.flatMap((item) => alone("removed", item))]
  }
}

export const changesOf = (compared: ReadonlyArray<ComparedPair>, alone: ReadonlyArray<DefinitionChange>): Changes => {
  const definitions = [...alone]
  const values: Array<ValueChange> = []
  for (const each of compared) {
    definitions.push(...each.definitions)
    values.push(...each.values)
  }
  const listed = [...definitions.filter(isOfItself), ...values]
  const reported = new Set(listed.map(({ file, name }) => `${file}\n${name}`))
  const touched = new Set([...definitions, ...values].flatMap(({ file, name }) => containersOf(file, name)))
  const edited = compared.filter(({ mayBeEdited }) => mayBeEdited)
  // Members before the types around them.
  for (const { after, isEdited, pair } of edited.toSorted((a, b) => depthOf(b.pair) - depthOf(a.pair))) {
    const { definition, version } = pair.head
    const name = qualifiedName(definition)
    const key = `${version.path}\n${name}`
    if (reported.has(key) || !(touched.has(key) ? hasOtherBody(pair, ownTokens) : isEdited)) continue
    for (const container of containersOf(version.path, name)) touched.add(container)
    definitions.push(changeOf("body", pair.head, after, null, null))
  }
  return { definitions: definitions.toSorted(byPlace), values: values.toSorted(byPlace) }
}

/** A move and a new name tell nothing of the text. */
const isOfItself = ({ change }: DefinitionChange): boolean => change !== "moved" && change !== "renamed"

const depthOf = ({ head }: Pair): number => qualifiedName(head.definition).split(".").length

const byPlace = (
  a: { readonly file: string; readonly line: number; readonly name: string },
  b: { readonly file: string; readonly line: number; readonly name: string }
): number => compareText(a.file, b.file) || a.line - b.line || compareText(a.name, b.name)

const headerIn = ({ definition, of, version }: Item): Header | null => headerOf(definition, version.lines, of.syntax)

const changeOf = (
  change: DefinitionChange["change"],
  item: Item,
  header: Header | null,
  before: string | null,
  after: string | null
): DefinitionChange => ({
  change,
  kind: item.kind,
  name: qualifiedName(item.definition),
  file: item.version.path,
  line: header?.line ?? item.definition.line,
  before,
  after,
  public: isPublic(item, header)
})

/** An overload or an accessor that joins others of its name, or leaves them, changes the signature of the name. */
const hasNamesake = (change: "added" | "removed", { definition, of }: Item): boolean => {
  const other = change === "added" ? of.base : of.head
  return (
    other !== null &&
    (other.symbols.definitions.some(
      ({ container, name }) => name === definition.name && container === definition.container
    ) ||
      other.symbols.types.some(
        ({ fields, name }) => name === definition.container && (fields.get(definition.name) ?? 0) > 0
      ))
  )
}

/** Nothing if the line of the name did not change: the parser did not understand the other side. */
const alone = (change: "added" | "removed", item: Item): ReadonlyArray<DefinitionChange> => {
  const header = headerIn(item)
  const line = header?.line ?? item.definition.line
  if (!changedLines(item.of.file)[change === "added" ? "added" : "deleted"].has(line)) return []
  const value =
    header?.value != null && header.value.length <= mostOfValue && isLiteral(header.value) ? header.value : null
  const shown = hasNamesake(change, item) ? "signature" : change
  // The annotations of an accessor distinguish it from the others of its name.
  const other = header === null || shown === change ? null : { ...header, marks: [] }
  const text = header === null ? null : `${headerText(header, other)}${value === null ? "" : ` = ${value}`}`
  return [change === "added" ? changeOf(shown, item, header, null, text) : changeOf(shown, item, header, text, null)]
}

interface Compared extends Changes {
  readonly mayDiffer: boolean
  readonly after: Header | null
}

interface ComparedPair extends Compared {
  readonly pair: Pair
  /** Nothing else differs, so far as is known without the members. */
  readonly mayBeEdited: boolean
  readonly isEdited: boolean
}

export const comparedPair = (pair: Pair): ComparedPair => {
  const compared = headersCompared(pair)
  const { definitions, mayDiffer, values } = compared
  const mayBeEdited = mayDiffer && values.length === 0 && !definitions.some(isOfItself)
  return { pair, ...compared, mayBeEdited, isEdited: mayBeEdited && hasOtherBody(pair, tokensIn) }
}

const headersCompared = ({ base, head }: Pair): Compared => {
  const isMoved = base.of !== head.of
  const isRenamed = !isMoved && qualifiedName(base.definition) !== qualifiedName(head.definition)
  const mayDiffer =
    sourceOf(base) !== sourceOf(head) && !(hasSameShape(base, head) && spacedIn(base) === spacedIn(head))
  const isSeenAlike = base.definition.visibility === head.definition.visibility && exportOf(base) === exportOf(head)
  // Annotations may be outside of the definition.
  const isAlike = !mayDiffer && isSeenAlike && aboveOf(base) === aboveOf(head)
  if (!isMoved && !isRenamed && isAlike) return { definitions: [], values: [], mayDiffer, after: null }
  const [before, after] = [headerIn(base), headerIn(head)]
  const definitions: Array<DefinitionChange> = []
  const add = (change: DefinitionChange["change"], from: string | null, to: string | null) =>
    definitions.push(changeOf(change, head, after, from, to))
  const isInside = base.definition.container !== null && isMoved
  if (isMoved && !isInside) {
    const [from, to] = [placeOf(base, before), placeOf(head, after)]
    definitions.push({ ...changeOf("moved", head, after, placeText(from), placeText(to)), from })
  } else if (base.definition.name !== head.definition.name)
    add("renamed", qualifiedName(base.definition), qualifiedName(head.definition))
  const values = before === null || after === null ? [] : valuesOf(head, before, after)
  if (before !== null && after !== null) {
    const renamed = {
      ...before,
      name: before.name.replace(qualifiedName(base.definition), qualifiedName(head.definition))
    }
    const hasValue = base.kind === "type" && !hasFields(base) && !hasFields(head)
    const types = hasValue ? valueTexts(before, after, head.of.syntax) : null
    if (types !== null)
      add("signature", `${headerText(before)} = ${types.before}`, `${headerText(after)} = ${types.after}`)
    else if (headerKey(renamed, head.of.syntax) !== headerKey(after, head.of.syntax) && !hasClauses({ base, head })) {
      const [from, to] = base.kind === "type" ? [assignedText(before), assignedText(after)] : ["", ""]
      add("signature", headerText(before, after) + from, headerText(after, before) + to)
    }
    // The header of a record has its constructor.
    const isRecord = before.parameters !== null || after.parameters !== null
    const [lost, gained] = isRecord ? [[], []] : differing(constructorsOf(base), constructorsOf(head))
    for (const [at, text] of lost.entries()) add("signature", text, gained[at] ?? null)
    for (const text of gained.slice(lost.length)) add("signature", null, text)
    if (before.isAsync !== after.isAsync) add("async", asyncText(before), asyncText(after))
  }
  const [seen, sees] = [visibilityOf(base, before), visibilityOf(head, after)]
  if (seen !== null && sees !== null && seen !== sees) add("visibility", seen, sees)
  const isSilent = values.length === 0 && !definitions.some(isOfItself)
  if (mayDiffer && isSilent && base.definition.name === head.definition.name) {
    // What stands before the body is the header, whatever is read of it.
    const [from, to] = [writtenHeader(base), writtenHeader(head)]
    if (from !== null && to !== null && keyOf(from, head.of.syntax) !== keyOf(to, head.of.syntax))
      add("signature", ...writtenTexts(from, to))
  }
  return { definitions, values, mayDiffer: mayDiffer && !hasSameValue({ base, head }, before, after), after }
}

/** The tokens before the body; null if they are not known, or another definition is on the same line. */
const writtenHeader = ({ definition, of: { syntax }, version }: Item): ReadonlyArray<Token> | null => {
  const { body, endLine, line } = definition
  const isShared = version.symbols.definitions.some((each) => each !== definition && each.line === line)
  if (body === undefined || isShared || (body !== null && body.line < line)) return null
  const lines = version.lines.slice(line - 1, body?.line ?? endLine)
  if (body !== null) lines[lines.length - 1] = lines.at(-1)?.slice(0, body.column) ?? ""
  const tokens = tokensOf(lines, syntax)
  return tokens.slice(0, tokens.findLastIndex(({ text }) => !/^(?:=|:=|=>|:|;|,|\{)$/.test(text)) + 1)
}

/** Of a function of Elixir with several clauses, the patterns are part of the body. */
const hasClauses = (pair: Pair): boolean =>
  pair.head.of.syntax.family === "elixir" &&
  [pair.base, pair.head].some((item) => {
    const clause = new RegExp(`^\\s*def\\w* ${RegExp.escape(item.definition.name)}(?![\\w?!])`, "gm")
    return (sourceOf(item).match(clause)?.length ?? 0) > 1
  })

/** What only the one or only the other has. */
const differing = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  [a.filter((each) => !b.includes(each)), b.filter((each) => !a.includes(each))] as const

const hasFields = ({ definition, version }: Item): boolean =>
  version.symbols.types.some(({ fields, name }) => name === definition.name && fields.size > 0)

/** The values of an alias, if they differ and are short. */
const valueTexts = ({ value: before }: Header, { value: after }: Header, syntax: Syntax) =>
  before === null ||
  after === null ||
  codeKey([before], syntax) === codeKey([after], syntax) ||
  before.length + after.length > mostOfValue * 3
    ? null
    : { before, after }

/** A line may have other members, and other names with their values. */
const hasSameValue = ({ base, head }: Pair, before: Header | null, after: Header | null): boolean => {
  if (before === null || after === null) return head.definition.container !== null
  if (!/^(?:constant|field)$/.test(head.kind) || before.value !== after.value) return false
  return [base, head].every(({ definition: { container, endLine, line }, version }) =>
    before.value !== null
      ? line === endLine
      : version.symbols.definitions.some((each) => qualifiedName(each) === container && each.line === line)
  )
}

/** The value of an alias where only one side has one: `type Alias = User` and `type Alias User`. */
const assignedText = ({ after, value }: Header): string =>
  after !== "" || value === null || value.length > mostOfValue ? "" : ` = ${value}`

const placeOf = ({ definition, version }: Item, header: Header | null): Place => ({
  file: version.path,
  line: header?.line ?? definition.line
})

const placeText = ({ file, line }: Place): string => `${file}:${line}`

const sourceOf = ({ definition: { endLine, line }, version }: Item): string =>
  version.lines.slice(line - 1, endLine).join("\n")

/** The lines above that may have annotations. */
const aboveOf = ({ definition: { line }, version }: Item): string =>
  version.lines.slice(Math.max(0, line - 1 - mostAbove), line - 1).join("\n")

const asyncText = ({ isAsync }: Header): string => (isAsync ? "async" : "not async")

/** The strings with white space, which shapes do not have. */
const spacedIn = ({ definition: { endLine, line }, of: { syntax }, version }: Item): string =>
  tokensOf(version.lines.slice(line - 1, endLine), syntax)
    .flatMap(({ text }) => (/\s/.test(text) ? [text] : []))
    .join("\0")

const hasOtherBody = ({ base, head }: Pair, tokens: typeof tokensIn): boolean => {
  const [from, to] = [writtenHeader(base), writtenHeader(head)]
  const isKnown = from !== null && to !== null
  return bodyKey(base, tokens, isKnown ? from.length : 0) !== bodyKey(head, tokens, isKnown ? to.length : 0)
}

const bodyKey = (item: Item, tokens: typeof tokensIn, start: number): string => {
  const { definition, of } = item
  const unnamed = tokens(item)
    .slice(start)
    .map((token) => (token.text === definition.name ? { ...token, text: "" } : token))
  return keyOf(unnamed, of.syntax)
}

const tokensIn = ({ definition: { endLine, line }, of, version }: Item): ReadonlyArray<Token> =>
  withoutDocumentation(tokensOf(version.lines.slice(line - 1, endLine), of.syntax))

/** Without the members that are compared by themselves. */
const ownTokens = (item: Item): ReadonlyArray<Token> => {
  const { definition, of, version } = item
  // What is above a member of Elixir may be its type or its documentation.
  if (of.syntax.family === "elixir") return []
  const members =
    membersOf.get(version) ?? Map.groupBy(itemsOf(of, version), ({ definition: { container } }) => container)
  membersOf.set(version, members)
  const lines = new Set(
    (members.get(qualifiedName(definition)) ?? []).flatMap(({ definition }) => {
      const first = firstLineOf(definition, version.lines, of.syntax)
      return Array.from({ length: definition.endLine - first + 1 }, (_, at) => first + at)
    })
  )
  return tokensIn(item).filter(({ line }) => !lines.has(definition.line + line))
}

/** By the name of their type. */
const membersOf = new WeakMap<FileVersion, ReadonlyMap<string | null, ReadonlyArray<Item>>>()

/** Without Python's documentation: a long string that is a statement of its own. */
const withoutDocumentation = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> =>
  tokens.filter(({ kind, line, text }, at) => {
    if (kind !== "string" || !/^(?:"""|''')/.test(text)) return true
    const next = tokens[at + 1]
    const hasPrefix = /^[ru]$/i.test(tokens[at - 1]?.text ?? "")
    return !(
      tokens[hasPrefix ? at - 2 : at - 1]?.text === ":" &&
      (next === undefined || next.line > line + text.split("\n").length - 1)
    )
  })

const valuesOf = (head: Item, before: Header, after: Header): ReadonlyArray<ValueChange> => {
  const at = { file: head.version.path, line: after.line }
  const name = qualifiedName(head.definition)
  const { syntax } = head.of
  const defaults = changedDefaults(before, after, syntax).map(
    ({ after: to, before: from, parameter }): ValueChange => ({
      change: "changed",
      kind: "default",
      name: `${name}(${parameter})`,
      ...at,
      before: from,
      after: to
    })
  )
  if (!/^(?:constant|field)$/.test(head.kind) || before.value === after.value) return defaults
  if (before.value === null || after.value === null || !isLiteral(before.value) || !isLiteral(after.value))
    return defaults
  if (codeKey([before.value], syntax) === codeKey([after.value], syntax)) return defaults
  const value: ValueChange = {
    change: "changed",
    kind: "constant",
    name,
    ...at,
    before: before.value,
    after: after.value
  }
  return [...defaults, value]
}

/** Numbers, strings, the words for truth and for nothing, units of time, and arithmetic with them. */
const isLiteral = (value: string): boolean =>
  value.length <= mostOfValue * 5 &&
  /^[\s\d.,_+\-*/%()[\]:|&<>]*$/.test(
    value
      .replace(/[fbru]{0,2}"(?:[^"\\]|\\.)*"|[fbru]{0,2}'(?:[^'\\]|\\.)*'/gi, "")
      .replace(/\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?[lufd]*\w{0,5})\b/gi, "")
      .replace(/\b(?:true|false|null|nil|none|undefined|as const|time\.\w+)\b/gi, "")
  )
