/**
 * From the words of an import statement to the files of the repository that they mean.
 *
 * Pure: the paths of the head side and the texts of a few data files (go.mod, tsconfig.json, package.json,
 * Cargo.toml) decide. Only paths that exist are answered; what lives outside the repository answers nothing.
 */
import { Result } from "effect"
import { type Grammar, grammarOf } from "../change/Grammar.ts"
import { foldersAbove } from "../text/foldersAbove.ts"
import { joinPath } from "../text/joinPath.ts"
import { csharpFiles, includedFiles, kotlinFiles, phpFiles } from "./folderImports.ts"

export interface Import {
  /** As the statement names it: `.a.b`, `./x`, `example.com/m/pkg`, `crate::a`, `Shop.Cart`. */
  readonly module: string
  /** Python's `from module import names`. */
  readonly names: ReadonlyArray<string>
}

export interface Repository {
  readonly paths: ReadonlySet<string>
  /** Paths by file name, and by folder (with its slash). */
  readonly byName: ReadonlyMap<string, ReadonlyArray<string>>
  readonly byFolder: ReadonlyMap<string, ReadonlyArray<string>>
  /** Where the absolute imports of a folder's Python files begin. */
  readonly pythonRoots: (folder: string) => ReadonlyArray<string>
  /** Is there a Python module or a folder at this path, which has no ending? */
  readonly mayBePython: (at: string) => boolean
  /** Texts of data files, by path. */
  readonly data: ReadonlyMap<string, string>
  /** A data file as an object; empty when it is absent or is none. This and the following are computed once each. */
  readonly json: (path: string) => Readonly<Record<string, unknown>>
  /** The package.json files that declare this package name. */
  readonly packagesNamed: (name: string) => ReadonlyArray<string>
  /** TypeScript's path aliases for the files of a folder, nearest configuration first. */
  readonly aliasesIn: (folder: string) => ReadonlyArray<Alias>
  /** Folders of crates' sources, by the name the language has for the crate. */
  readonly crates: () => ReadonlyMap<string, string>
  readonly goModules: () => ReadonlyArray<GoModule>
}

interface GoModule {
  readonly name: string
  /** With its slash. */
  readonly folder: string
}

/** Computes each key's answer once. */
const remembered = <A>(compute: (key: string) => A): ((key: string) => A) => {
  const answers = new Map<string, A>()
  return (key) => {
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = compute(key)
    answers.set(key, answer)
    return answer
  }
}

const once = <A>(compute: () => A): (() => A) => {
  const answer = remembered(compute)
  return () => answer("")
}

export const repositoryOf = (paths: ReadonlyArray<string>, data: ReadonlyMap<string, string>): Repository => {
  const index = indexOf(paths)
  const json = remembered((path) => record(parseJsonc(data.get(path) ?? "")))
  const packages = [...data.keys()].filter((path) => nameOf(path) === "package.json")
  return {
    ...index,
    data,
    json,
    packagesNamed: remembered((name) =>
      // The text is asked first: most packages are never named, so they need not be parsed.
      packages.filter((path) => data.get(path)?.includes(`"${name}"`) === true && json(path).name === name)
    ),
    aliasesIn: remembered((folder) => tsconfigAliases(folder, data, json)),
    crates: once(() => cratesIn(index, data)),
    goModules: once(() => goModulesIn(index, data))
  }
}

/** The same repository with more paths in it. */
export const withPaths = (repository: Repository, more: ReadonlyArray<string>): Repository =>
  more.length === 0 ? repository : { ...repository, ...indexOf([...repository.paths, ...more]) }

type PathIndex = Pick<Repository, "paths" | "byName" | "byFolder" | "pythonRoots" | "mayBePython">

/** One list of paths is asked about from several sides, and looking at each of ten thousand paths takes its time. */
const indices = new WeakMap<ReadonlyArray<string>, PathIndex>()

const indexOf = (paths: ReadonlyArray<string>): PathIndex => {
  const known = indices.get(paths)
  if (known !== undefined) return known
  const byName = new Map<string, Array<string>>()
  const byFolder = new Map<string, Array<string>>()
  const add = (map: Map<string, Array<string>>, key: string, path: string) => {
    const known = map.get(key)
    if (known === undefined) map.set(key, [path])
    else known.push(path)
  }
  for (const path of paths) {
    add(byName, nameOf(path), path)
    add(byFolder, folderOf(path), path)
  }
  const present = new Set(paths)
  const folders = once(() => new Set([...byFolder.keys()].flatMap(foldersAbove)))
  const index: PathIndex = {
    paths: present,
    byName,
    byFolder,
    pythonRoots: remembered((folder) => pythonRoots(folder, present)),
    mayBePython: remembered((at) => present.has(`${at}.py`) || folders().has(`${at}/`) || present.has(`${at}.pyi`))
  }
  indices.set(paths, index)
  return index
}

/** The files an import means, best first; empty when it leaves the repository. */
export const resolveImport = (from: string, wanted: Import, repository: Repository): ReadonlyArray<string> => {
  const grammar = grammarOf(from)
  const found = grammar === null ? [] : (resolvers[grammar]?.(from, wanted, repository) ?? [])
  return [...new Set(found)].filter((path) => path !== from)
}

type Resolver = (from: string, wanted: Import, repository: Repository) => ReadonlyArray<string>

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
/** The folder of a path, with its slash; "" for the repository itself. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)
const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1)

const firstOf = (candidates: ReadonlyArray<string>, { paths }: Repository): ReadonlyArray<string> => {
  const found = candidates.find((candidate) => paths.has(candidate))
  return found === undefined ? [] : [found]
}

// Python

const pythonModule = (at: string, repository: Repository): ReadonlyArray<string> =>
  firstOf([`${at}.py`, `${at}/__init__.py`, `${at}.pyi`, `${at}/__init__.pyi`], repository)

/** The names that are modules of their own, and the module itself for those that are not. */
const pythonNames = (at: string, names: ReadonlyArray<string>, repository: Repository): ReadonlyArray<string> => {
  const prefix = at === "" || at.endsWith("/") ? at : `${at}/`
  const modules = names.map((name) => pythonModule(`${prefix}${name.replaceAll(".", "/")}`, repository))
  const own = modules.length === 0 || modules.some((found) => found.length === 0)
  const itself =
    at === "" || at.endsWith("/") ? firstOf([`${at}__init__.py`], repository) : pythonModule(at, repository)
  return [...modules.flat(), ...(own ? itself : [])]
}

const python: Resolver = (from, { module, names }, repository) => {
  const dots = /^\.*/.exec(module)![0].length
  const path = module.slice(dots).replaceAll(".", "/")
  if (dots > 0) {
    // One dot is the package the file lies in; each further dot is one package up.
    const base = foldersAbove(from)[dots - 1]
    return base === undefined ? [] : pythonNames(`${base}${path}`, names, repository)
  }
  const [top = ""] = path.split("/", 1)
  for (const root of repository.pythonRoots(folderOf(from))) {
    // Most modules are of other packages.
    if (!repository.mayBePython(`${root}${top}`)) continue
    const found = pythonNames(`${root}${path}`, names, repository)
    if (found.length > 0) return found
  }
  return []
}

/** Where absolute imports begin: the folder above the file's outermost package, the repository, and `src` layouts. */
const pythonRoots = (from: string, paths: ReadonlySet<string>): ReadonlyArray<string> => {
  const above = foldersAbove(from)
  const own = above.find((folder) => !paths.has(`${folder}__init__.py`)) ?? ""
  const outer = above.slice(above.indexOf(own))
  return [...new Set([own, ...outer.flatMap((folder) => [folder, `${folder}src/`, `${folder}lib/`])])]
}

// TypeScript and JavaScript

const endings = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json"]

const scriptFile = (at: string, repository: Repository): ReadonlyArray<string> => {
  const { byFolder, paths } = repository
  if (paths.has(at)) return [at]
  // With TypeScript's ESM rules the specifier names the output: `./a.js` is written for `./a.ts`.
  const output = /^(.*)\.([cm]?)jsx?$/.exec(at)
  const sources = output === null ? [] : [`${output[1]}.${output[2]}ts`, `${output[1]}.tsx`, `${output[1]}.d.ts`]
  const found = firstOf(sources, repository)
  if (found.length > 0) return found
  for (const ending of endings) if (paths.has(`${at}${ending}`)) return [`${at}${ending}`]
  const folder = at === "" ? "" : `${at}/`
  return byFolder.has(folder)
    ? firstOf(
        endings.map((ending) => `${folder}index${ending}`),
        repository
      )
    : []
}

const script: Resolver = (from, { module }, repository) => {
  if (/^\.\.?(?:\/|$)/.test(module)) {
    const at = joinPath(folderOf(from), module)
    return at === null ? [] : scriptFile(at, repository)
  }
  const mapped = repository.aliasesIn(folderOf(from)).flatMap((alias) => aliasTargets(alias, module))
  for (const at of mapped) {
    const found = scriptFile(at, repository)
    if (found.length > 0) return found
  }
  return workspacePackage(module, repository)
}

export interface Alias {
  /** The folder that targets are relative to, and what TypeScript calls `paths`; `*` stands for any text. */
  readonly base: string
  readonly paths: Readonly<Record<string, ReadonlyArray<string>>>
  readonly hasBaseUrl: boolean
}

const aliasTargets = ({ base, paths, hasBaseUrl }: Alias, module: string): ReadonlyArray<string> => {
  const targets: Array<string> = []
  for (const [pattern, replacements] of Object.entries(paths)) {
    const star = pattern.indexOf("*")
    const prefix = star < 0 ? pattern : pattern.slice(0, star)
    const suffix = star < 0 ? "" : pattern.slice(star + 1)
    const fits =
      star < 0
        ? module === pattern
        : module.length >= prefix.length + suffix.length && module.startsWith(prefix) && module.endsWith(suffix)
    if (!fits) continue
    const rest = module.slice(prefix.length, module.length - suffix.length)
    targets.push(...replacements.map((target) => (star < 0 ? target : target.replace("*", () => rest))))
  }
  if (hasBaseUrl) targets.push(module)
  return targets.flatMap((target) => joinPath(base, target) ?? [])
}

/** The nearest tsconfig.json above the file and what it extends inside the repository, nearest first. */
const tsconfigAliases = (
  from: string,
  data: ReadonlyMap<string, string>,
  json: Repository["json"]
): ReadonlyArray<Alias> => {
  const aliases: Array<Alias> = []
  let path = foldersAbove(from)
    .flatMap((folder) => [`${folder}tsconfig.json`, `${folder}jsconfig.json`])
    .find((candidate) => data.has(candidate))
  for (let depth = 0; path !== undefined && depth < 4; depth++) {
    const config = json(path)
    const options = record(config.compilerOptions)
    const folder = folderOf(path)
    const baseUrl = typeof options.baseUrl === "string" ? joinPath(folder, options.baseUrl) : null
    const paths = Object.fromEntries(
      Object.entries(record(options.paths)).map(([pattern, targets]) => [pattern, strings(targets)])
    )
    aliases.push({ base: baseUrl ?? folder, paths, hasBaseUrl: baseUrl !== null })
    path = extendedConfig(folder, config.extends, data)
  }
  return aliases
}

const extendedConfig = (folder: string, extended: unknown, data: ReadonlyMap<string, string>): string | undefined => {
  if (typeof extended !== "string" || !extended.startsWith(".")) return undefined
  const at = joinPath(folder, extended)
  return [at, `${at}.json`].find((candidate) => candidate !== null && data.has(candidate)) ?? undefined
}

/** A package of this repository by its name, and a file inside it by the rest of the specifier. */
const workspacePackage = (module: string, repository: Repository): ReadonlyArray<string> => {
  const [name, rest] = splitPackage(module)
  for (const path of repository.packagesNamed(name)) {
    const folder = folderOf(path)
    const manifest = repository.json(path)
    const entries =
      rest === ""
        ? [manifest.source, manifest.types, manifest.module, manifest.main, "src/index", "index", "lib/index"]
        : [rest, `src/${rest}`, `src/${rest}/index`]
    for (const entry of entries) {
      if (typeof entry !== "string") continue
      for (const candidate of [entry, entry.replace(/^(?:\.\/)?(?:dist|build|lib|out)\//, "src/")]) {
        const at = joinPath(folder, candidate)
        const found = at === null ? [] : scriptFile(at, repository)
        if (found.length > 0) return found
      }
    }
  }
  return []
}

/** Scope and name belong together: `@acme/ui/button` is `button` in `@acme/ui`. */
export const splitPackage = (module: string): readonly [string, string] => {
  const segments = module.split("/")
  const count = module.startsWith("@") ? 2 : 1
  return [segments.slice(0, count).join("/"), segments.slice(count).join("/")]
}

/** JSON with comments and trailing commas; null when it is not even that. */
export const parseJsonc = (text: string): unknown => {
  const strict = Result.try((): unknown => JSON.parse(text))
  return Result.isSuccess(strict) ? strict.success : parseLoosely(text)
}

const parseLoosely = (text: string): unknown => {
  const tokens: Array<string> = []
  let comma = false
  for (let i = text.startsWith("\ufeff") ? 1 : 0; i < text.length; i++) {
    const char = text[i]!
    const start = i
    if (char === "/" && text[i + 1] === "/") {
      const end = text.indexOf("\n", i)
      i = end < 0 ? text.length : end
      continue
    }
    if (char === "/" && text[i + 1] === "*") {
      const end = text.indexOf("*/", i + 2)
      i = end < 0 ? text.length : end + 1
      continue
    }
    if (char === "," || /\s/.test(char)) {
      comma ||= char === ","
      continue
    }
    // A comma counts only when something other than a closing bracket follows it.
    if (comma && char !== "}" && char !== "]") tokens.push(",")
    comma = false
    if (char === '"') {
      i++
      while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1
    }
    tokens.push(text.slice(start, i + 1))
  }
  return Result.getOrNull(Result.try((): unknown => JSON.parse(tokens.join(""))))
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

// Go

const goModulesIn = ({ byName }: PathIndex, data: ReadonlyMap<string, string>): ReadonlyArray<GoModule> =>
  (byName.get("go.mod") ?? []).flatMap((path) => {
    const name = /^module\s+"?([^\s"]+)/m.exec(data.get(path) ?? "")?.[1]
    return name === undefined ? [] : [{ name, folder: folderOf(path) }]
  })

const go: Resolver = (_from, { module }, { byFolder, goModules }) => {
  for (const { folder, name } of goModules()) {
    if (module !== name && !module.startsWith(`${name}/`)) continue
    const inside = module.slice(name.length + 1)
    const files = (byFolder.get(`${folder}${inside === "" ? "" : `${inside}/`}`) ?? []).filter(
      (file) => file.endsWith(".go") && !file.endsWith("_test.go")
    )
    if (files.length > 0) return files
  }
  return []
}

// Rust

const rust: Resolver = (from, { module }, repository) => {
  const segments = module.split("::").filter((segment) => segment !== "")
  const own = moduleFolder(from)
  const [first, ...rest] = segments
  if (first === "crate") {
    const root = crateRoot(from, repository)
    return root === null ? [] : rustItem(root, rest, repository)
  }
  if (first === "self") return rustItem(own, rest, repository)
  if (first === "super") {
    const levels = segments.findIndex((segment) => segment !== "super")
    const up = levels < 0 ? segments.length : levels
    let folder = own
    for (let i = 0; i < up; i++) folder = parentOf(folder)
    return rustItem(folder, segments.slice(up), repository)
  }
  // A sibling module needs no prefix; otherwise the first segment names a crate, here or elsewhere.
  const sibling = first === undefined ? [] : firstOf([`${own}${first}.rs`, `${own}${first}/mod.rs`], repository)
  if (sibling.length > 0) return rustItem(own, segments, repository)
  const other = first === undefined ? undefined : repository.crates().get(first)
  return other === undefined ? [] : rustItem(other, rest, repository)
}

/** The folder in which a file's own modules lie: beside it where the file is the root of a crate or of a module. */
export const moduleFolder = (path: string): string =>
  /(?:^|\/)(?:(?:mod|lib|main|build)|(?:tests|examples|benches|src\/bin)\/\w+)\.rs$/.test(path)
    ? folderOf(path)
    : `${path.slice(0, -".rs".length)}/`

/** The file of the longest prefix of the path that is a module: what follows is an item in it. */
const rustItem = (folder: string, segments: ReadonlyArray<string>, repository: Repository): ReadonlyArray<string> => {
  for (let count = segments.length; count > 0; count--) {
    const at = `${folder}${segments.slice(0, count).join("/")}`
    const found = firstOf([`${at}.rs`, `${at}/mod.rs`], repository)
    if (found.length > 0) return found
  }
  return firstOf([`${folder}mod.rs`, `${folder}lib.rs`, `${folder}main.rs`, `${folder.slice(0, -1)}.rs`], repository)
}

const crateRoot = (from: string, { paths }: Repository): string | null => {
  const folder = foldersAbove(from).find((above) => paths.has(`${above}Cargo.toml`))
  if (folder === undefined) return null
  const inside = from.slice(folder.length)
  // Tests, examples and benches are crates of their own.
  const apart = /^(?:tests|examples|benches)\//.exec(inside)?.[0]
  return `${folder}${apart ?? "src/"}`
}

/** Cargo writes a dash where the language needs an underscore. */
const cratesIn = ({ byName }: PathIndex, data: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const crates = new Map<string, string>()
  for (const path of byName.get("Cargo.toml") ?? []) {
    const name = /^\s*name\s*=\s*"([^"]+)"/m.exec(data.get(path) ?? "")?.[1]?.replaceAll("-", "_")
    if (name !== undefined && !crates.has(name)) crates.set(name, `${folderOf(path)}src/`)
  }
  return crates
}

// Elixir

const underscored = (name: string): string =>
  name
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()

/** `ShopWeb.CartController` lies in `lib/shop_web/`, at its own path or, as Phoenix has it, one folder deeper. */
const elixir: Resolver = (_from, { module }, { byName }) => {
  const segments = module.split(".").map(underscored)
  // A module inside another's file has no file of its own; the top module alone says too little.
  for (let count = segments.length; count > 0 && (count > 1 || segments.length === 1); count--) {
    const path = segments.slice(0, count).join("/")
    const [top, last] = [segments[0]!, segments[count - 1]!]
    const named = [...(byName.get(`${last}.ex`) ?? []), ...(byName.get(`${last}.exs`) ?? [])]
    const exact = named.find((file) => file.endsWith(`/${path}.ex`) || file.endsWith(`/${path}.exs`))
    if (exact !== undefined) return [exact]
    const near = named.filter((file) => count > 1 && file.includes(`/${top}/`))
    if (near.length === 1) return near
  }
  return []
}

// Java

const java: Resolver = (_from, { module }, { byName, byFolder }) => {
  if (module.endsWith(".*")) {
    const suffix = `/${module.slice(0, -2).replaceAll(".", "/")}/`
    const folder = [...byFolder.keys()].find((candidate) => `/${candidate}`.endsWith(suffix))
    if (folder !== undefined) return (byFolder.get(folder) ?? []).filter((file) => file.endsWith(".java"))
  }
  const segments = module.split(".")
  // A static import and an inner class name more than the file.
  for (let count = segments.length; count > Math.max(0, segments.length - 3); count--) {
    const path = segments.slice(0, count).join("/")
    const name = `${segments[count - 1]}`
    const named = [...(byName.get(`${name}.java`) ?? []), ...(byName.get(`${name}.kt`) ?? [])]
    const found = named.find((file) => `/${file}`.endsWith(`/${path}.java`) || `/${file}`.endsWith(`/${path}.kt`))
    if (found !== undefined) return [found]
  }
  return []
}

// Ruby

const ruby: Resolver = (from, { module }, repository) => {
  const withEnding = (at: string) => (at.endsWith(".rb") ? at : `${at}.rb`)
  if (module.startsWith(".")) {
    const at = joinPath(folderOf(from), module)
    return at === null ? [] : firstOf([withEnding(at)], repository)
  }
  return firstOf(
    foldersAbove(from).flatMap((folder) => [
      `${folder}lib/${withEnding(module)}`,
      `${folder}app/${withEnding(module)}`
    ]),
    repository
  )
}

const resolvers: Readonly<Partial<Record<Grammar, Resolver>>> = {
  python,
  typescript: script,
  tsx: script,
  javascript: script,
  go,
  rust,
  elixir,
  java,
  ruby,
  kotlin: kotlinFiles,
  c: includedFiles,
  cpp: includedFiles,
  csharp: csharpFiles,
  php: phpFiles
}
