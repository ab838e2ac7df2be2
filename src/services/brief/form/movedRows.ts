/** Finds moved definitions: what each name means on both sides. */
import { Effect } from "effect"
import type { CodeSide } from "../../../domain/brief/form/CodeSide.ts"
import type { FormalRows } from "../../../domain/brief/form/formalRows.ts"
import { type MoveSide, movesBetween } from "../../../domain/brief/form/moves.ts"
import { qualifiedName } from "../../../domain/code/CodeQuery.ts"
import { folderOf, type Repository, remembered, repositoryOf } from "../../../domain/code/Repository.ts"
import type { Definition, FileSymbols, ImportedName } from "../../../domain/code/Symbol.ts"
import { languageOf } from "../../../languages/languages.ts"
import type { Layout } from "../../../languages/layout.ts"
import { Sources } from "../../change/Sources.ts"
import { linkOf } from "../../code/NameResolver.ts"
import { SymbolIndex } from "../../code/SymbolIndex.ts"
import type { FileCode } from "./fileCode.ts"

/** Marks the definitions that are moved, also between files. */
export const markMoves = Effect.fnUntraced(function* (codes: ReadonlyArray<FileCode>, rows: FormalRows) {
  const index = yield* SymbolIndex
  const sources = yield* Sources
  const isFrom = ({ base, file }: FileCode) => base.groups.length > 0 && file.oldPath !== null
  const isTo = ({ file, head }: FileCode) => head.groups.length > 0 && file.newPath !== null
  if (!codes.some(isFrom) || !codes.some(isTo)) return
  const paths = yield* sources.headPaths
  const old = codes.flatMap(({ file }) => file.oldPath ?? []).filter((path) => !paths.includes(path))
  const repository = repositoryOf([...paths, ...old], new Map())
  const [bases, heads]: [Array<MoveSide>, Array<MoveSide>] = [[], []]
  for (const code of codes) {
    const { base, file, head, layout } = code
    if (isFrom(code)) {
      const symbols = yield* index.symbolsBefore(file)
      const at = { key: file.path, path: file.oldPath ?? file.path, repository }
      bases.push(moveSide(at, base, layout, symbols, (row) => !rows.hasDeleted(file.path, row)))
    }
    if (isTo(code)) {
      const symbols = yield* index.symbols(file.newPath ?? file.path)
      const at = { key: file.path, path: file.newPath ?? file.path, repository }
      heads.push(moveSide(at, head, layout, symbols, (row) => !rows.hasAdded(file.path, row)))
    }
  }
  const oldPaths = new Map(codes.map(({ file }) => [file.path, file.oldPath ?? file.path]))
  for (const moved of movesBetween(bases, heads)) rows.addMove(moved, oldPaths.get(moved.base.file) ?? moved.base.file)
})

interface MovePlace {
  /** The path in the diff. */
  readonly key: string
  readonly path: string
  readonly repository: Repository
}

/** Statements that are no definition, although a definition may end with them. */
const otherTypes = /^(?:expression_statement|if|try|with|for|while|match|switch|unless|begin|case|rescue)/

const moveSide = (
  { key, path, repository }: MovePlace,
  code: CodeSide,
  layout: Layout,
  symbols: FileSymbols | null,
  isFree: (row: number) => boolean
): MoveSide => {
  const definitions = symbols?.definitions ?? []
  const byEnd = Map.groupBy(definitions, ({ endLine }) => endLine)
  const names = Map.groupBy(definitions, qualifiedName)
  const mentions = mentionsIn(code.lines, definitions)
  const defined = new Set([...definitions.map(({ name }) => name), ...(symbols?.bound ?? [])])
  return {
    file: key,
    folder: folderOf(path),
    code,
    anyOrder: layout.anyOrder,
    reopened: layout.reopened,
    namesInStrings: layout.namesInStrings,
    defines: (name) => defined.has(name),
    isFree,
    bindingOf: remembered(bindingIn(path, symbols, repository)),
    mentionsAbove: (name, row) => mentions(name).filter((each) => each < row).length,
    bindingsAbove: (name, row) =>
      mentions(name).filter((each) => each < row && binds(code.lines[each] ?? "", name)).length,
    definitionOf: ({ endRow, row, type }) => {
      if (otherTypes.test(type)) return null
      const found = (byEnd.get(endRow + 1) ?? []).filter(({ kind, line }) => kind !== "constant" && line > row)
      const outer = found.toSorted((a, b) => a.line - b.line)[0]
      return outer === undefined ? null : qualifiedName(outer)
    },
    isAmbiguous: (name) => symbols?.overloads !== true && (names.get(name)?.length ?? 0) > 1
  }
}

/** What a name means at the top of a file, as a text that is equal in all files in which it means the same. */
const bindingIn = (path: string, symbols: FileSymbols | null, repository: Repository) => {
  if (symbols === null) return () => path
  const named = symbols.imports.map((each) => [each.local || lastPart(each.module), each] as const)
  const likely = symbols.imports.flatMap((each) =>
    each.local === "" ? packageNames(each.module).map((local) => [local, each] as const) : []
  )
  const imports = new Map([...likely, ...named])
  const own = new Set(symbols.definitions.flatMap(({ container, name }) => (container === null ? [name] : [])))
  const language = languageOf(path)
  const around = [
    ...symbols.stars,
    ...symbols.imports.flatMap(({ local, module }) => (local === "" && language?.family !== "go" ? [module] : []))
  ].sort()
  const shared = language?.sharesNames === "folder" || language?.sharesNames === "package"
  const home = shared ? folderOf(path) : path
  return (name: string): string | null => {
    const imported = imports.get(name)
    if (imported !== undefined) return meaningOf(path, imported, repository)
    if (own.has(name) || symbols.bound.has(name)) return `${home}:${symbols.package}#${name}`
    if (language?.contracts?.builtins.has(name) === true) return null
    if (shared) return `${home}:${symbols.package}#${name}${around.length === 0 ? "" : ` ${around.join()}`}`
    return around.length === 0 ? null : around.join()
  }
}

const lastPart = (module: string): string => module.slice(module.lastIndexOf("/") + 1)

/** The names that an import of Go may have that are not its last part: `yaml` of `gopkg.in/yaml.v3`, `caddy` of `caddy/v2`. */
const packageNames = (module: string): ReadonlyArray<string> => {
  const last = lastPart(module)
  return (/^v\d+$/.test(last) ? lastPart(module.slice(0, -last.length - 1)) : last).split(/[.-]/)
}

const meaningOf = (path: string, imported: ImportedName, repository: Repository): string => {
  const { module, name } = imported
  const link = linkOf(path, imported, repository)
  if (languageOf(path)?.family !== "go" && link._tag !== "Nowhere") {
    return link._tag === "Module" ? `${link.path}:` : `${link.path}:#${link.name}`
  }
  return module.startsWith(".") ? `${folderOf(path)} ${module} ${name}` : `${module} ${name}`
}

/** Lines with a name that are not in the body of a function. */
const mentionsIn = (lines: ReadonlyArray<string>, definitions: ReadonlyArray<Definition>) => {
  let rows: Map<string, Array<number>> | null = null
  const read = (): Map<string, Array<number>> => {
    const bodies = new Set<number>()
    for (const { endLine, kind, line } of definitions) {
      if (kind !== "function" && kind !== "method") continue
      let first = line
      while (first < endLine && !/[:{]\s*(?:#.*|\/\/.*)?$/.test(lines[first - 1] ?? "")) first++
      for (let row = first; row < endLine; row++) bodies.add(row)
    }
    const found = new Map<string, Array<number>>()
    for (const [row, line] of lines.entries()) {
      if (bodies.has(row)) continue
      for (const word of new Set(line.replace(/(?:#|\/\/|^\s*\*).*/, "").match(/[\p{L}\p{N}_]+/gu))) {
        const known = found.get(word)
        if (known === undefined) found.set(word, [row])
        else known.push(row)
      }
    }
    return found
  }
  return (name: string): ReadonlyArray<number> => {
    rows ??= read()
    return rows.get(name) ?? []
  }
}

/** Does the line give the name a meaning? */
const binds = (line: string, name: string): boolean =>
  new RegExp(
    `\\b(?:class|def|import|function|const|let|var|enum|type|interface|namespace)\\b[^=(]*\\b${RegExp.escape(name)}\\b|^\\s*${RegExp.escape(name)}\\s*(?::[^=]*)?\\W?=`
  ).test(line)
