/**
 * What a change does to the definitions of its files: added, removed, renamed, moved, with another header, or with
 * another body. Pure.
 *
 * A definition whose tokens are equal on both sides is unchanged: white space and comments do not count. The members of
 * an added, removed or moved class are part of it. Each definition is compared with at most a few others, because a
 * generated file may have thousands.
 */
import type { Diff, DiffFile } from "../../change/Diff.ts"
import { qualifiedName } from "../../code/CodeQuery.ts"
import type { Definition, FileSymbols } from "../../code/Symbol.ts"
import { changedUses, likeness, successorIn } from "../../code/successors.ts"
import { compareText } from "../../text/compareText.ts"
import type { DefinitionChange, ValueChange } from "../Definitions.ts"
import { changedDefaults, type Header, headerKey, headerOf, headerText, type Syntax } from "./Header.ts"
import { tokensOf } from "./Token.ts"

/** A side of a file; null fields do not occur: a side that cannot be read is not compared. */
export interface FileVersion {
  readonly path: string
  readonly symbols: FileSymbols
  readonly lines: ReadonlyArray<string>
}

export interface ComparedFile {
  readonly file: DiffFile
  readonly syntax: Syntax
  /** Null for an added file. */
  readonly base: FileVersion | null
  /** Null for a deleted file. */
  readonly head: FileVersion | null
}

export interface Changes {
  readonly definitions: ReadonlyArray<DefinitionChange>
  readonly values: ReadonlyArray<ValueChange>
}

/** A definition or a field with its file. */
interface Item {
  readonly definition: Definition
  readonly kind: DefinitionChange["kind"]
  readonly version: FileVersion
  readonly of: ComparedFile
}

interface Pair {
  readonly base: Item
  readonly head: Item
}

/** A definition with this share of equal words may be the same one with another name. */
const renamedLikeness = 0.5
/** A definition with this share of equal words is the same one in another file. */
const movedLikeness = 0.6
/** Definitions of one name that are compared. */
const mostCompared = 20
/** A shorter definition may equal another one by chance. */
const leastShape = 40

export const definitionChanges = (files: ReadonlyArray<ComparedFile>, diff: Diff): Changes => {
  const paired = files.map((each) => pairsIn(each, diff))
  const moved = movesBetween(
    paired.flatMap(({ removed }) => removed),
    paired.flatMap(({ added }) => added)
  )
  const pairs = [...paired.flatMap(({ pairs }) => pairs), ...moved.pairs]
  const definitions = [
    ...moved.added.flatMap((item) => alone("added", item)),
    ...moved.removed.flatMap((item) => alone("removed", item))
  ]
  const values: Array<ValueChange> = []
  const compared = pairs.map((pair) => ({ pair, ...comparedPair(pair) }))
  for (const each of compared) {
    definitions.push(...each.definitions)
    values.push(...each.values)
  }
  const touched = new Set(
    [...definitions, ...values].flatMap(({ file, name }) => [`${file}\n${name}`, ...containersOf(file, name)])
  )
  const edited = compared.filter(
    ({ definitions, mayDiffer, values }) => mayDiffer && definitions.length + values.length === 0
  )
  // Members before the types around them.
  for (const { after, pair } of edited.toSorted((a, b) => depthOf(b.pair) - depthOf(a.pair))) {
    const { definition, version } = pair.head
    const name = qualifiedName(definition)
    if (touched.has(`${version.path}\n${name}`) || !hasOtherBody(pair)) continue
    for (const container of containersOf(version.path, name)) touched.add(container)
    definitions.push(changeOf("body", pair.head, after, null, null))
  }
  return { definitions: definitions.toSorted(byPlace), values: values.toSorted(byPlace) }
}

const depthOf = ({ head }: Pair): number => qualifiedName(head.definition).split(".").length

const byPlace = (
  a: { readonly file: string; readonly line: number; readonly name: string },
  b: { readonly file: string; readonly line: number; readonly name: string }
): number => compareText(a.file, b.file) || a.line - b.line || compareText(a.name, b.name)

/** The types around a definition: their body is not reported as well. */
const containersOf = (file: string, name: string): ReadonlyArray<string> => {
  const parts = name.split(".").slice(0, -1)
  return parts.map((_, at) => `${file}\n${parts.slice(0, at + 1).join(".")}`)
}

const itemsOf = (of: ComparedFile, version: FileVersion | null): ReadonlyArray<Item> => {
  if (version === null) return []
  const { definitions, types } = version.symbols
  const known = new Set(definitions.map((each) => qualifiedName(each)))
  const itemAt = (name: string, container: string | null, line: number, kind: Item["kind"]): Item => ({
    definition: {
      name,
      kind: kind === "field" ? "constant" : "method",
      container,
      signature: null,
      line,
      endLine: line,
      shape: ""
    },
    kind,
    version,
    of
  })
  const fields =
    of.syntax.family === "python"
      ? []
      : types.flatMap(({ fields, name: container }) =>
          [...fields].flatMap(([name, line]) =>
            line === 0 || !/^[\p{L}_$#]/u.test(name) || known.has(`${container}.${name}`)
              ? []
              : [itemAt(name, container, line, "field")]
          )
        )
  const methods =
    of.syntax.family === "go"
      ? definitions.flatMap((each) =>
          interfaceMethods(each, version.lines).map(({ line, name }) => itemAt(name, each.name, line, "method"))
        )
      : []
  const items = definitions.map(
    (definition): Item => ({
      definition,
      kind: definition.kind === "constant" && definition.container !== null ? "field" : definition.kind,
      version,
      of
    })
  )
  // With overloads, a class has a definition for each of its constructors.
  const own = items.filter(
    ({ definition, kind }, at) =>
      kind !== "class" ||
      items.findIndex((each) => each.kind === kind && isSameName(each.definition, definition)) === at
  )
  return [...(version.symbols.overloads === true ? own : items), ...fields, ...methods]
}

/** The methods of an interface of Go, which its symbols do not have. */
const interfaceMethods = ({ endLine, kind, line }: Definition, lines: ReadonlyArray<string>) => {
  if (kind !== "type" || !/\binterface\s*\{\s*$/.test(lines[line - 1] ?? "")) return []
  const inside = lines.slice(line, endLine - 1)
  const indent = /^\s*/.exec(inside.find((text) => /^\s*\p{L}/u.test(text)) ?? "")?.[0]
  return inside.flatMap((text, at) => {
    const [, space, name] = /^(\s*)([\p{L}_]\w*)\(/u.exec(text) ?? []
    return name === undefined || space !== indent ? [] : [{ name, line: line + 1 + at }]
  })
}

const isSameName = (a: Definition, b: Definition): boolean => a.name === b.name && a.container === b.container

/** The constructors of a class, in languages with overloads. */
const constructorsOf = ({ definition, version: { symbols } }: Item): ReadonlyArray<string> =>
  symbols.overloads !== true || definition.kind !== "class"
    ? []
    : symbols.definitions.flatMap((each) => {
        if (each.kind !== "class" || !isSameName(each, definition) || each.signature === null) return []
        const parameters = each.signature.parameters.map(({ name, type }) =>
          type === undefined ? name : `${type} ${name}`
        )
        return [`new ${each.name}(${parameters.join(", ")})`]
      })

interface Paired {
  readonly pairs: ReadonlyArray<Pair>
  readonly removed: ReadonlyArray<Item>
  readonly added: ReadonlyArray<Item>
}

/** Pairs the definitions of a file by name, then those that were renamed, then the members of renamed types. */
const pairsIn = (of: ComparedFile, diff: Diff): Paired => {
  const [bases, heads] = [itemsOf(of, of.base), itemsOf(of, of.head)]
  if (of.base === null || of.head === null) return { pairs: [], removed: bases, added: heads }
  const named = pairedBy(bases, heads, ({ definition }) => qualifiedName(definition))
  const renamed = renamedIn(of, of.base, of.head, named, diff)
  const rest = without(named, renamed)
  const owners = new Map(
    renamed.map(({ base, head }) => [qualifiedName(base.definition), qualifiedName(head.definition)])
  )
  const inside = pairedBy(rest.removed, rest.added, ({ definition: { container, name }, version }) => {
    const owner = version === of.base ? (owners.get(container ?? "") ?? container) : container
    return owner === null ? null : `${owner}.${name}`
  })
  return { ...inside, pairs: [...named.pairs, ...renamed, ...inside.pairs] }
}

const without = ({ added, removed }: Paired, pairs: ReadonlyArray<Pair>): Omit<Paired, "pairs"> => {
  const paired = new Set(pairs.flatMap(({ base, head }) => [base, head]))
  return {
    removed: removed.filter((item) => !paired.has(item)),
    added: added.filter((item) => !paired.has(item))
  }
}

/** Of several definitions of one key, the equal ones are paired first, then the others in their order. */
const pairedBy = (
  bases: ReadonlyArray<Item>,
  heads: ReadonlyArray<Item>,
  keyOf: (item: Item) => string | null
): Paired => {
  const grouped = Map.groupBy(heads, keyOf)
  const pairs: Array<Pair> = []
  const removed: Array<Item> = []
  const taken = new Set<Item>()
  for (const [key, olds] of Map.groupBy(bases, keyOf)) {
    const news = key === null ? [] : (grouped.get(key) ?? [])
    const left: Array<Item> = []
    for (const base of olds) {
      const same = news.find((head) => !taken.has(head) && isSameText(base, head))
      if (same === undefined) left.push(base)
      else {
        taken.add(same)
        pairs.push({ base, head: same })
      }
    }
    const free = news.filter((head) => !taken.has(head))
    for (const [at, base] of left.entries()) {
      const head = free[at]
      if (head === undefined) removed.push(base)
      else {
        taken.add(head)
        pairs.push({ base, head })
      }
    }
  }
  return { pairs, removed, added: heads.filter((head) => !taken.has(head)) }
}

const isSameText = (a: Item, b: Item): boolean =>
  a.definition.shape !== "" && a.definition.shape === b.definition.shape && a.definition.name === b.definition.name

const renamedIn = (
  { file }: ComparedFile,
  base: FileVersion,
  head: FileVersion,
  { added, removed }: Paired,
  diff: Diff
): ReadonlyArray<Pair> => {
  if (removed.length === 0 || added.length === 0) return []
  const isKind = (item: Item) => item.kind !== "field"
  const [lost, fresh] = [removed.filter(isKind), added.filter(isKind)]
  const groupOf = ({ definition: { container, kind } }: Item) => `${kind} ${container ?? ""}`
  const candidates = Map.groupBy(fresh, groupOf)
  const taken = new Set<Item>()
  const pairs: Array<Pair> = []
  const add = (item: Item, found: Item | undefined) => {
    if (found === undefined || taken.has(found) || taken.has(item)) return
    taken.add(found).add(item)
    pairs.push({ base: item, head: found })
  }
  for (const item of lost) {
    const same = (candidates.get(groupOf(item)) ?? []).filter((each) => hasSameShape(item, each))
    if (same.length === 1) add(item, same[0])
  }
  const names = new Set([...lost, ...fresh].map(({ definition }) => definition.name))
  const successor = successorIn(file, base, head, changedUses(diff, names))
  for (const item of lost.slice(0, mostCompared * 5)) {
    // A constant has too few words to be compared.
    const found = taken.has(item) || item.kind === "constant" ? null : successor(item.definition)
    if (found === null || likeness(item.definition, base.lines, found, head.lines) < renamedLikeness) continue
    add(
      item,
      fresh.find(({ definition }) => definition === found)
    )
  }
  return pairs
}

const hasSameShape = (a: Item, b: Item): boolean =>
  a.definition.shape !== "" && a.definition.shape === b.definition.shape

/** Definitions that another file has now: with the same name and much of the text, or with the same text. */
const movesBetween = (removed: ReadonlyArray<Item>, added: ReadonlyArray<Item>): Paired => {
  const isOuter = ({ definition: { container }, version }: Item): boolean =>
    container === null || !version.symbols.definitions.some((each) => qualifiedName(each) === container)
  const [lost, fresh] = [removed.filter(isOuter), added.filter(isOuter)]
  const keyOf = ({ definition, kind, of }: Item) => `${of.syntax.family} ${kind} ${qualifiedName(definition)}`
  const byName = Map.groupBy(fresh, keyOf)
  const byShape = Map.groupBy(fresh, ({ definition, kind }) => `${kind} ${definition.shape}`)
  const outer: Array<Pair> = []
  const taken = new Set<Item>()
  for (const base of lost) {
    const named = (byName.get(keyOf(base)) ?? []).filter((each) => !taken.has(each)).slice(0, mostCompared)
    const alike = named
      .map((head) => ({ head, rating: hasSameShape(base, head) ? 2 : ratingOf(base, head) }))
      .toSorted((a, b) => b.rating - a.rating)
    const [best] = alike
    const shape = base.definition.shape
    const same = Number.parseInt(shape, 10) >= leastShape ? (byShape.get(`${base.kind} ${shape}`) ?? []) : []
    const head =
      best !== undefined && best.rating >= movedLikeness ? best.head : same.length === 1 ? same[0] : undefined
    if (head === undefined || taken.has(head)) continue
    taken.add(head).add(base)
    outer.push({ base, head })
  }
  const rest = without({ pairs: [], removed, added }, outer)
  const owners = new Map(
    outer.map(({ base, head }) => [
      `${base.version.path} ${qualifiedName(base.definition)}`,
      `${head.version.path} ${qualifiedName(head.definition)}`
    ])
  )
  const bases = new Set(removed)
  const inside = pairedBy(rest.removed, rest.added, (item) => {
    const { definition, version } = item
    const own = `${version.path} ${definition.container ?? ""}`
    const owner = bases.has(item) ? owners.get(own) : own
    return definition.container === null || owner === undefined ? null : `${owner}.${definition.name}`
  })
  const folded = (items: ReadonlyArray<Item>, all: ReadonlyArray<Item>) => {
    const gone = new Set(all.map(({ definition, version }) => `${version.path} ${qualifiedName(definition)}`))
    return items.filter(({ definition, version }) => !gone.has(`${version.path} ${definition.container ?? "\n"}`))
  }
  return {
    pairs: [...outer, ...inside.pairs],
    removed: folded(inside.removed, rest.removed),
    added: folded(inside.added, rest.added)
  }
}

const ratingOf = (base: Item, head: Item): number =>
  likeness(base.definition, base.version.lines, head.definition, head.version.lines)

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
  const text = header === null ? null : `${headerText(header)}${value === null ? "" : ` = ${value}`}`
  const shown = hasNamesake(change, item) ? "signature" : change
  return [change === "added" ? changeOf(shown, item, header, null, text) : changeOf(shown, item, header, text, null)]
}

const linesOfFiles = new WeakMap<DiffFile, Record<"added" | "deleted", ReadonlySet<number>>>()

/** The lines of the head side that the change adds, and those of the base side that it deletes. */
const changedLines = (file: DiffFile): Record<"added" | "deleted", ReadonlySet<number>> => {
  const known = linesOfFiles.get(file)
  if (known !== undefined) return known
  const [added, deleted] = [new Set<number>(), new Set<number>()]
  for (const { kind, newLine, oldLine } of file.hunks.flatMap(({ lines }) => lines)) {
    if (kind === "added" && newLine !== null) added.add(newLine)
    if (kind === "deleted" && oldLine !== null) deleted.add(oldLine)
  }
  const found = { added, deleted }
  linesOfFiles.set(file, found)
  return found
}

interface Compared extends Changes {
  readonly mayDiffer: boolean
  readonly after: Header | null
}

const comparedPair = ({ base, head }: Pair): Compared => {
  const isMoved = base.of !== head.of
  const isRenamed = !isMoved && qualifiedName(base.definition) !== qualifiedName(head.definition)
  const mayDiffer = !hasSameShape(base, head) && sourceOf(base) !== sourceOf(head)
  const isSeenAlike = base.definition.visibility === head.definition.visibility && exportOf(base) === exportOf(head)
  // Annotations may be outside of the definition.
  const isAlike = !mayDiffer && isSeenAlike && aboveOf(base) === aboveOf(head)
  if (!isMoved && !isRenamed && isAlike) return { definitions: [], values: [], mayDiffer, after: null }
  const [before, after] = [headerIn(base), headerIn(head)]
  const definitions: Array<DefinitionChange> = []
  const add = (change: DefinitionChange["change"], from: string | null, to: string | null) =>
    definitions.push(changeOf(change, head, after, from, to))
  const isInside = base.definition.container !== null && isMoved
  if (isMoved && !isInside) add("moved", placeOf(base, before), placeOf(head, after))
  else if (base.definition.name !== head.definition.name)
    add("renamed", qualifiedName(base.definition), qualifiedName(head.definition))
  const values = before === null || after === null ? [] : valuesOf(head, before, after)
  if (before !== null && after !== null) {
    const renamed = {
      ...before,
      name: before.name.replace(qualifiedName(base.definition), qualifiedName(head.definition))
    }
    const types = base.kind === "type" && !hasFields(base) && !hasFields(head) ? valueTexts(before, after) : null
    if (types !== null)
      add("signature", `${headerText(before)} = ${types.before}`, `${headerText(after)} = ${types.after}`)
    else if (headerKey(renamed) !== headerKey(after))
      add("signature", headerText(before, after), headerText(after, before))
    // The header of a record has its constructor.
    const isRecord = before.parameters !== null || after.parameters !== null
    const [lost, gained] = isRecord ? [[], []] : differing(constructorsOf(base), constructorsOf(head))
    for (const [at, text] of lost.entries()) add("signature", text, gained[at] ?? null)
    for (const text of gained.slice(lost.length)) add("signature", null, text)
    if (before.isAsync !== after.isAsync) add("async", asyncText(before), asyncText(after))
  }
  const [seen, sees] = [visibilityOf(base, before), visibilityOf(head, after)]
  if (seen !== null && sees !== null && seen !== sees) add("visibility", seen, sees)
  return { definitions, values, mayDiffer, after }
}

/** What only the one or only the other has. */
const differing = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
  [a.filter((each) => !b.includes(each)), b.filter((each) => !a.includes(each))] as const

const hasFields = ({ definition, version }: Item): boolean =>
  version.symbols.types.some(({ fields, name }) => name === definition.name && fields.size > 0)

/** The values of an alias, if they differ and are short. */
const valueTexts = ({ value: before }: Header, { value: after }: Header) =>
  before === null ||
  after === null ||
  squeezed(before) === squeezed(after) ||
  before.length + after.length > mostOfValue * 3
    ? null
    : { before, after }

const placeOf = ({ definition, version }: Item, header: Header | null): string =>
  `${version.path}:${header?.line ?? definition.line}`

const sourceOf = ({ definition: { endLine, line }, version }: Item): string =>
  version.lines.slice(line - 1, endLine).join("\n")

/** The line above, or any text for the last line of an annotation that has several. */
const aboveOf = ({ definition: { line }, of: { file }, version }: Item): string => {
  const above = version.lines[line - 2]?.trim() ?? ""
  return /[)\]}]$/.test(above) && file.hunks.length > 0 ? `${line}` : above
}

const asyncText = ({ isAsync }: Header): string => (isAsync ? "async" : "not async")

const hasOtherBody = ({ base, head }: Pair): boolean => {
  const text = ({ definition: { endLine, line }, of, version }: Item) =>
    withoutDocumentation(tokensOf(version.lines.slice(line - 1, endLine), of.syntax.comments))
      .map(({ kind, text }) => (kind === "string" ? text.replaceAll("'", '"') : text))
      .join("\0")
      .replace(/,\0(?=[)\]}])/g, "")
  return text(base) !== text(head)
}

type Tokens = ReturnType<typeof tokensOf>

/** Without Python's documentation: a long string that is a statement of its own. */
const withoutDocumentation = (tokens: Tokens): Tokens =>
  tokens.filter(({ kind, line, text }, at) => {
    if (kind !== "string" || !/^(?:"""|''')/.test(text)) return true
    const next = tokens[at + 1]
    return !(tokens[at - 1]?.text === ":" && (next === undefined || next.line > line + text.split("\n").length - 1))
  })

/** The most characters of a value in a brief. */
const mostOfValue = 80

const valuesOf = (head: Item, before: Header, after: Header): ReadonlyArray<ValueChange> => {
  const at = { file: head.version.path, line: after.line }
  const name = qualifiedName(head.definition)
  const defaults = changedDefaults(before, after, head.of.syntax.family).map(
    ({ after: to, before: from, parameter }): ValueChange => ({
      change: "changed",
      kind: "default",
      name: `${name}(${parameter})`,
      ...at,
      before: shortened(from),
      after: shortened(to)
    })
  )
  if (!/^(?:constant|field)$/.test(head.kind) || before.value === after.value) return defaults
  if (before.value === null || after.value === null || !isLiteral(before.value) || !isLiteral(after.value))
    return defaults
  if (squeezed(before.value) === squeezed(after.value)) return defaults
  const value: ValueChange = {
    change: "changed",
    kind: "constant",
    name,
    ...at,
    before: shortened(before.value),
    after: shortened(after.value)
  }
  return [...defaults, value]
}

const squeezed = (text: string): string => text.replace(/\s+/g, "").replaceAll("'", '"')

const shortened = (text: string): string => (text.length > mostOfValue ? `${text.slice(0, mostOfValue - 1)}…` : text)

/** Numbers, strings, the words for truth and for nothing, units of time, and arithmetic with them. */
const isLiteral = (value: string): boolean =>
  value.length <= mostOfValue * 5 &&
  /^[\s\d.,_+\-*/%()[\]:|&<>]*$/.test(
    value
      .replace(/[fbru]{0,2}"(?:[^"\\]|\\.)*"|[fbru]{0,2}'(?:[^'\\]|\\.)*'/gi, "")
      .replace(/\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?[lufd]*\w{0,5})\b/gi, "")
      .replace(/\b(?:true|false|null|nil|none|undefined|as const|time\.\w+)\b/gi, "")
  )

/** `export` and the like; otherwise the words of the language. */
const visibilityOf = (item: Item, header: Header | null): string | null =>
  exportOf(item) ?? declaredVisibility(item, header)

const declaredVisibility = (item: Item, header: Header | null): string | null => {
  const {
    definition,
    kind,
    of: { syntax },
    version
  } = item
  if (syntax.family === "rust" && definition.container !== null) {
    // A method in a trait can be used like the trait.
    const trait = version.symbols.definitions.find(
      ({ endLine, line, name }) =>
        name === definition.container && line < definition.line && definition.endLine <= endLine
    )
    if (kind === "method" && trait?.visibility !== undefined) return trait.visibility
  }
  if (definition.visibility !== undefined) return definition.visibility
  if (syntax.family === "rust" && kind === "field" && header !== null && definition.shape === "")
    return header.modifiers.has("pub") ? "public" : "private"
  if (syntax.family === "elixir" && header !== null)
    return header.modifiers.has("defp") || header.modifiers.has("defmacrop") ? "private" : "public"
  return (
    ["public", "private", "protected", "internal", "fileprivate", "open"].find((word) => header?.modifiers.has(word)) ??
    null
  )
}

/** Of a top-level definition of a module with exports: whether, and by which other names. */
const exportOf = ({ definition: { container, name }, version: { symbols } }: Item): string | null => {
  if (container !== null || symbols.exports === null || symbols.open) return null
  const names = symbols.exports.flatMap((each) => (each.local === name && each.from === null ? [each.name] : []))
  if (names.length === 0) return "not exported"
  const isOnlyItself = names.every((each) => each === name)
  return isOnlyItself ? "exported" : `exported as ${[...new Set(names)].sort(compareText).join(", ")}`
}

const isPublic = (item: Item, header: Header | null): boolean => {
  const { definition, of, version } = item
  const path = qualifiedName(definition)
  const names = path.split(".")
  const { family } = of.syntax
  if (family === "go") return names.every((name) => /^\p{Lu}/u.test(name))
  if (family === "python" || family === "ruby") {
    if (names.some((name) => name.startsWith("_") && !/^__\w+__$/.test(name))) return false
  }
  if (names.some((name) => name.startsWith("#"))) return false
  const { exports, open } = version.symbols
  if (exports !== null && !(open && exports.length === 0)) {
    const top = names[0]
    if (!exports.some(({ local }) => local === top)) return false
  } else if (open && exports !== null && !isAssignedToExports(version, names[0] ?? "")) return false
  const visible = declaredVisibility(item, header)
  if (family === "c" && header?.modifiers.has("static") === true) return false
  if (visible === null && family === "csharp") return definition.container === null
  return visible === null || visible === "public" || visible === "protected" || visible === "open"
}

/** CommonJS: is the name in an assignment to `module.exports` or `exports`? */
const isAssignedToExports = ({ lines }: FileVersion, name: string): boolean => {
  const text = lines.join("\n")
  const whole = /(?<![\w$])module\.exports\s*=\s*(\{[^}]*\}|[^\n]*)/.exec(text)?.[1] ?? ""
  return new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`).test(whole) || text.includes(`exports.${name} =`)
}
