/**
 * Finds added imports that do not resolve: no such file, or a name that its file does not have.
 *
 * Imports that a build, a generator or a loader may satisfy are not reported. The contract check reports what the
 * change itself removes. Never fails; bounded by the change.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { ignoredByGit } from "../../domain/change/ignoredByGit.ts"
import { isGeneratedPath, isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import { folderOf, foldersOf, isThere, type Repository } from "../../domain/code/Repository.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import type { MissingFile } from "../../languages/Language.ts"
import { familyOf, isJudged, languageOf } from "../../languages/languages.ts"
import { segmentsOf } from "../../languages/rust/paths.ts"
import type { StructureClaim } from "../../rules/structure/structureRecords.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { type Link, linkOf, NameResolver } from "../code/NameResolver.ts"
import { RustPaths } from "../code/RustPaths.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import type { Setting } from "../code/TypeFinder.ts"
import { isOwnFile, structureCheck } from "./structureCheck.ts"

/** Changed files whose imports are followed. */
const filesChecked = 300

interface Scene extends Setting {
  /** The folders of the head side. */
  readonly folders: ReadonlySet<string>
  /** Whether Python code customizes the import system, so that a module may come from anywhere. */
  readonly hasImportHooks: Effect.Effect<boolean>
}

export const importCheck = structureCheck({
  name: "importCheck",
  misfits: ["missing-file", "missing-name"],
  isChecked: (file) => mayHaveImports(file),
  most: filesChecked,
  what: "new imports in",
  find: Effect.fnUntraced(function* (files, setting) {
    const sources = yield* Sources
    const hooks = sources.mentioning(["meta_path", "path_hooks"], [".py"])
    const scene: Scene = {
      ...setting,
      folders: foldersOf(setting.sides.head.paths),
      hasImportHooks: yield* Effect.cached(Effect.map(hooks, (paths) => paths.length > 0))
    }
    const claims = yield* forEachFile("imports", files, (file) => claimsIn(file, scene))
    return { claims: claims.flat(), omitted: [] }
  })
})

/** Files that configure what a project builds, or how its tools build it. */
const isMade = Effect.fnUntraced(function* ({ at, stem }: MissingFile) {
  const sources = yield* Sources
  if (/[^\w-]/.test(stem) || made.test(at)) return true
  return (yield* sources.mentioning([stem], recipes)).length > 0
})

const ignoreFiles = Effect.fnUntraced(function* (paths: ReadonlySet<string>, at: string) {
  const sources = yield* Sources
  const wanted = foldersAbove(at)
    .map((folder) => `${folder}.gitignore`)
    .filter((path) => paths.has(path))
  const texts = yield* Effect.forEach(wanted, (path) =>
    Effect.map(sources.head(path), (source) => [path, source._tag === "Text" ? source.text : ""] as const)
  )
  return new Map(texts)
})

const isIgnored = Effect.fnUntraced(function* ({ at }: MissingFile, { paths }: Repository) {
  const files = yield* ignoreFiles(paths, at)
  return ["", "/x", ...endings].some((ending) => ignoredByGit(`${at}${ending}`, files))
})

/** Whether the file provided the name before this change; then the change removed it. */
const wasProvided = Effect.fnUntraced(function* (path: string, name: string, change: Change) {
  const index = yield* SymbolIndex
  const file = change.diff.files.find((each) => each.path === path)
  const before = file === undefined || file.oldPath === null ? null : yield* index.symbolsBefore(file)
  if (before === null) return false
  return (
    before.exports?.some((each) => each.name === name) === true ||
    before.definitions.some((each) => each.name === name && each.container === null) ||
    before.imports.some((each) => each.local === name) ||
    before.bound.has(name)
  )
})

/** Rust: whether a macro of this name is defined anywhere. */
const isMacro = Effect.fnUntraced(function* (name: string) {
  const sources = yield* Sources
  const definition = new RegExp(`\\bmacro_rules!\\s*${RegExp.escape(name)}\\b`)
  const texts = yield* Effect.forEach(yield* sources.mentioning([name], [".rs"]), sources.head)
  return texts.some((source) => source._tag === "Text" && definition.test(source.text))
})

/**
 * The files that should have the name, found by the rules of the language; null unless each was read and lacks it.
 */
const filesWithout = Effect.fnUntraced(function* (
  path: string,
  imported: ImportedName,
  link: Extract<Link, { _tag: "Name" }>,
  repository: Repository
) {
  const index = yield* SymbolIndex
  const resolver = yield* NameResolver
  const rustPaths = yield* RustPaths
  switch (familyOf(path)) {
    case "rust": {
      const within = imported.within === undefined ? [] : imported.within.split(" ")
      const { imports } = yield* index.uses(path, [])
      const written = [...segmentsOf(imported.module), link.name]
      const target = yield* rustPaths.resolveAt(
        { path, within, imports, inner: imported.inner && imported.line },
        written,
        repository
      )
      // A missing first segment may be an external crate; a macro belongs to the crate, wherever it is defined.
      const isThisName = target._tag === "Absent" && target.places.every(({ name }) => name === link.name)
      if (!isThisName || (yield* isMacro(link.name))) return null
      return target.places.map((place) => place.path)
    }
    case "java": {
      // Classes may be nested in classes and in their parents.
      const symbols = yield* index.symbols(link.path)
      const isSeen =
        symbols !== null && !symbols.open && symbols.types.every(({ parents = [] }) => parents.length === 0)
      const has = symbols?.definitions.some(({ name }) => name === link.name) === true
      const isField = symbols?.types.some(({ fields }) => fields.has(link.name)) === true
      return isSeen && !has && !isField ? [link.path] : null
    }
    default: {
      const found = yield* resolver.provided(link.path, link.name, repository)
      return found._tag === "Absent" ? found.searched : null
    }
  }
})

/** An existing file without such a name. */
const missingName = Effect.fnUntraced(function* (
  path: string,
  imported: ImportedName,
  { change, folders, sides }: Scene
) {
  // Every module has `__doc__` and similar names.
  if (imported.name === null || /^(?:\*|__\w+__)$/.test(imported.name)) return null
  const link = linkOf(path, imported, sides.head)
  if (link._tag !== "Name" || !isJudged(link.path) || isVendoredPath(link.path)) return null
  if (isGeneratedPath(link.path) || link.path.endsWith(".d.ts")) return null
  const searched = yield* filesWithout(path, imported, link, sides.head)
  if (searched === null) return null
  if (/(?:^|\/)__init__\.pyi?$/.test(link.path)) {
    const module = { at: `${folderOf(link.path)}${link.name}`, stem: link.name }
    if (isThere(module.at, sides.head, folders) || (yield* isMade(module))) return null
    if (yield* isIgnored(module, sides.head)) return null
  }
  for (const each of searched) if (yield* wasProvided(each, link.name, change)) return null
  return { name: link.name, path: searched[0] ?? link.path }
})

const claimsIn = Effect.fnUntraced(function* (file: DiffFile, scene: Scene) {
  const { folders, hasImportHooks, sides } = scene
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const path = file.path
  const added = new Set(addedLines(file).map(({ line }) => line))
  const isMoved = file.oldPath !== null && file.oldPath !== path
  const source = yield* sources.head(path)
  if (source._tag !== "Text" || bundled.test(source.text)) return []
  const stated = (yield* index.uses(path, [])).imports.filter(
    ({ guarded, line, module }) => !guarded && (added.has(line) || (isMoved && module.startsWith(".")))
  )
  const claims: Array<StructureClaim> = []
  for (const imported of stated) {
    const { line, module } = imported
    const isNew = added.has(line)
    if (familyOf(path) === "python" && !module.startsWith(".") && (yield* hasImportHooks)) continue
    const lost = languageOf(path)?.missing?.(path, imported, sides.head, folders) ?? null
    if (lost !== null) {
      if (linkOf(path, imported, sides.base)._tag !== "Nowhere" || isKnown(sides.base, lost)) continue
      if ((yield* isMade(lost)) || (yield* isIgnored(lost, sides.head))) continue
      claims.push({
        misfit: "missing-file",
        title: `\`${module}\` does not resolve to a file`,
        detail: `${isNew ? "" : "The file that imports it was moved. "}There is no file at ${lost.at} with any ending.`,
        path,
        line,
        words: [module],
        label: "no such file",
        places: []
      })
      continue
    }
    const missing = isNew ? yield* missingName(path, imported, scene) : null
    if (missing !== null) {
      claims.push({
        misfit: "missing-name",
        title: `\`${missing.name}\` is not in ${missing.path}`,
        detail: "",
        path,
        line,
        words: [missing.name],
        places: [{ path: missing.path, line: 1, message: `has no \`${missing.name}\`` }]
      })
    }
  }
  return once(claims)
})

/** A bundle of many modules, which import each other by names that are not paths. */
const bundled = /\b__webpack_require__\b|\},\s*\{\s*"\.{1,2}\/[^"\n]+":\s*\d+/

const endings = [".py", ".ts", ".tsx", ".js", ".jsx", ".go", ".d.ts", "/index.ts", "/index.js"]

/** Names that tools give to generated files. */
const made =
  /(?:^|[/_.-])(?:_?version|generated?|gen|codegen|auto|autogen|build|dist|out|output|compiled|bundle|pb2?|proto|grpc|mocks?|stubs?|bindings?|pkg|wasm|native|locales?|translations?|snapshots?|manifest)(?:[/_.-]|$)/i

/** Files that configure what is built, generated or left out, by the endings of their names. */
const recipes: ReadonlyArray<string> = [
  ..."toml cfg ini yml yaml mk cmake in am ac gradle kts bazel bzl nix sh proto graphql gql xml json5 jsonc pyx pxd pyi"
    .split(" ")
    .map((ending) => `.${ending}`),
  ..."package.json tsconfig.json .gitignore .npmignore Makefile makefile GNUmakefile Dockerfile BUILD Justfile justfile Rakefile setup.py conftest.py noxfile.py hatch_build.py build.rs config.ts config.js config.mjs config.cjs codegen.ts codegen.js gen.go generate.go tools.go".split(
    " "
  )
]

/** Not code that contains other code and is not loaded from its own path. */
const mayHaveImports = (file: DiffFile): boolean =>
  isOwnFile(file) &&
  isJudged(file.path) &&
  (!isTestPath(file.path) || isTestFile(file.path)) &&
  !/(?:^|\/)(?:[\w-]*templates?|scaffold\w*|skeletons?|boilerplates?|generators?|blueprints?|stubs?|fixtures?|__fixtures__|testdata|__testfixtures__|snippets?|docs?|examples?)\//i.test(
    file.path
  )

const isKnown = ({ paths }: Repository, { at }: MissingFile): boolean =>
  endings.some((ending) => paths.has(`${at}${ending}`)) || paths.has(`${at}/__init__.py`)

/** A statement that imports several names from one missing file is one finding. */
const once = (claims: ReadonlyArray<StructureClaim>): ReadonlyArray<StructureClaim> =>
  claims.filter(
    (claim, at) => claims.findIndex((each) => each.title === claim.title && each.path === claim.path) === at
  )
