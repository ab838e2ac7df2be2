/** The definitions and fields of both sides of a file. Pure. */
import type { DiffFile } from "../../change/Diff.ts"
import { firstTestLine, marksRustTest } from "../../change/TestFile.ts"
import { qualifiedName } from "../../code/CodeQuery.ts"
import { type Definition, type FileSymbols, wordPlaces } from "../../code/Symbol.ts"
import type { DefinitionChange } from "../Definitions.ts"
import type { Syntax } from "./Token.ts"

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

/** A definition or a field with its file. */
export interface Item {
  readonly definition: Definition
  readonly kind: DefinitionChange["kind"]
  readonly version: FileVersion
  readonly of: ComparedFile
}

export interface Pair {
  readonly base: Item
  readonly head: Item
}

/** The types around a definition: their body is not reported as well. */
export const containersOf = (file: string, name: string): ReadonlyArray<string> => {
  const parts = name.split(".").slice(0, -1)
  return parts.map((_, at) => `${file}\n${parts.slice(0, at + 1).join(".")}`)
}

export const itemsOf = (of: ComparedFile, version: FileVersion | null): ReadonlyArray<Item> => {
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
              : [itemAt(name, container, lineWith(name, line, version.lines), "field")]
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
  const all = [...(version.symbols.overloads === true ? own : items), ...fields, ...methods]
  if (of.syntax.family !== "rust") return all
  const first = firstTestLine(version.path, version.lines)
  const last = version.lines.indexOf("}", first) + 1 || Number.POSITIVE_INFINITY
  return all.filter(({ definition: { line } }) => (line < first || line > last) && !isMarkedTest(line, version.lines))
}

/** A field may begin with lines of annotations. */
const lineWith = (name: string, line: number, lines: ReadonlyArray<string>): number => {
  const from = lines.slice(line - 1, line - 1 + mostAttributes)
  return (
    line +
    Math.max(
      0,
      from.findIndex((text) => wordPlaces(text, name).length > 0)
    )
  )
}

/** The most attributes above a definition that are read. */
const mostAttributes = 30

/** A test of Rust outside of a test module, or a definition that only tests have. */
const isMarkedTest = (line: number, lines: ReadonlyArray<string>): boolean => {
  for (let at = line - 2; at > line - 2 - mostAttributes && /^\s*#\[/.test(lines[at] ?? ""); at--) {
    if (marksRustTest(lines[at]!)) return true
  }
  return false
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

export const isSameName = (a: Definition, b: Definition): boolean => a.name === b.name && a.container === b.container

/** The constructors of a class, in languages with overloads. */
export const constructorsOf = ({ definition, version: { symbols } }: Item): ReadonlyArray<string> =>
  symbols.overloads !== true || definition.kind !== "class"
    ? []
    : symbols.definitions.flatMap((each) => {
        if (each.kind !== "class" || !isSameName(each, definition) || each.signature === null) return []
        const parameters = each.signature.parameters.map(({ name, type }) =>
          type === undefined ? name : `${type} ${name}`
        )
        return [`new ${each.name}(${parameters.join(", ")})`]
      })
