/**
 * Does an import name a file that is not there? Pure: paths and data files of one side decide.
 *
 * Null as soon as anything else than a missing file could explain it: another ending, another distribution's package,
 * an alias that may lead out of the repository. What a build makes is for the caller to rule out, by `stem`.
 */

import { familyOf } from "../change/Grammar.ts"
import { foldersAbove } from "../text/foldersAbove.ts"
import { joinPath } from "../text/joinPath.ts"
import { folderOf, type Repository } from "./ImportResolution.ts"
import type { ImportedName } from "./Symbol.ts"

export interface MissingFile {
  /** Where it was looked for, without an ending. */
  readonly at: string
  /** The word somebody who makes the file at build time would have to write. */
  readonly stem: string
}

type Wanted = Pick<ImportedName, "module" | "name">

export const missingFile = (
  from: string,
  wanted: Wanted,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  switch (familyOf(from)) {
    case "python":
      return pythonMissing(from, wanted, repository, folders)
    case "script":
      return scriptMissing(from, wanted, repository, folders)
    case "go":
      return goMissing(from, wanted, repository, folders)
    default:
      return null
  }
}

/** Every folder that holds something, however deep, with its slash. */
export const foldersOf = (paths: ReadonlySet<string>): ReadonlySet<string> => {
  const folders = new Set<string>()
  for (const path of paths) {
    for (const folder of foldersAbove(path)) {
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

const missing = (at: string): MissingFile => ({ at, stem: at.slice(at.lastIndexOf("/") + 1) })

/** A file of that name with any ending, or a folder. */
export const isThere = (at: string, { byFolder }: Repository, folders: ReadonlySet<string>): boolean => {
  const folder = folderOf(at)
  const name = at.slice(folder.length)
  if (name === "") return folders.has(folder)
  return (
    folders.has(`${at}/`) ||
    (byFolder.get(folder) ?? []).some((path) => path === at || path.slice(folder.length).startsWith(`${name}.`))
  )
}

// Python

const pythonMissing = (
  from: string,
  { module, name }: Wanted,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  const dots = /^\.*/.exec(module)![0].length
  const segments = module
    .slice(dots)
    .split(".")
    .filter((segment) => segment !== "")
  if (dots === 0) return absoluteMissing(from, segments, repository, folders)
  const base = foldersAbove(from)[dots - 1]
  if (base === undefined) return null
  if (segments.length > 0) return firstMissing(base, segments, repository, folders)
  // `from . import a`, where no `__init__` could offer it as a name.
  if (name === null || repository.paths.has(`${base}__init__.py`) || isThere(`${base}${name}`, repository, folders)) {
    return null
  }
  return repository.paths.has(`${base}__init__.pyi`) ? null : missing(`${base}${name}`)
}

const firstMissing = (
  base: string,
  segments: ReadonlyArray<string>,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  let at = base
  for (const [index, segment] of segments.entries()) {
    const here = `${at}${segment}`
    if (!isThere(here, repository, folders)) return missing(here)
    // Beyond a module of one file there is nothing that a path could tell.
    if (index < segments.length - 1 && !folders.has(`${here}/`)) return null
    at = `${here}/`
  }
  return null
}

/** Only below a package of this repository that is the one of its name. */
const absoluteMissing = (
  from: string,
  [top, ...rest]: ReadonlyArray<string>,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  if (top === undefined || rest.length === 0) return null
  const { byName, paths } = repository
  const tops = (byName.get("__init__.py") ?? []).flatMap((path) => {
    const folder = folderOf(path)
    const above = folder.slice(0, -`${top}/`.length)
    const isTop = folder === `${above}${top}/` && (above === "" || above.endsWith("/"))
    return isTop && !paths.has(`${above}__init__.py`) ? [above] : []
  })
  const [root] = tops
  if (tops.length !== 1 || root === undefined || isThereAsModule(top, root, repository)) return null
  // Whoever lies beside the package, or in it, means it.
  if (!from.startsWith(root) && root !== "" && !/^(?:src|lib)\/$/.test(root)) return null
  const lost = firstMissing(`${root}${top}/`, rest, repository, folders)
  // Without an `__init__` of its own a folder may be shared among distributions.
  return lost !== null && paths.has(`${folderOf(lost.at)}__init__.py`) ? lost : null
}

/** A module of the same name at another place where imports may begin. */
const isThereAsModule = (top: string, root: string, { byName }: Repository): boolean =>
  (byName.get(`${top}.py`) ?? []).some((path) => folderOf(path) === root)

// TypeScript and JavaScript

/** Files that are no modules of the language, and that loaders, bundlers and generators know more about. */
const assets =
  /\.(?:css|s[ac]ss|less|styl|svg|png|jpe?g|gif|webp|avif|ico|woff2?|[to]tf|eot|mp[34]|webm|wav|ogg|pdf|html?|mdx?|txt|ya?ml|toml|graphql|gql|wasm|node|glsl|vert|frag|wgsl|vue|svelte|astro|hbs|ejs|pug|njk|csv|xml|proto|raw|worker|json[5c]?|snap|hcl|sql|po|ftl|riv|lottie|bin|zip)$/i

const scriptMissing = (
  from: string,
  { module }: Wanted,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  // Loaders, virtual modules and generated types: `./a?raw`, `./$types`, `./+types/root`.
  if (/[?!$+#]|^\.{1,2}\/?$/.test(module) || assets.test(module)) return null
  if (/^\.{1,2}\//.test(module)) {
    const at = joinPath(folderOf(from), module)
    return at === null || at === "" || module.endsWith("/") ? null : scriptMissingAt(at, repository, folders)
  }
  return aliasMissing(from, module, repository, folders)
}

const scriptMissingAt = (at: string, repository: Repository, folders: ReadonlySet<string>): MissingFile | null => {
  const stem = at.replace(/\.[cm]?[jt]sx?$/, "")
  return isThere(at, repository, folders) || isThere(stem, repository, folders) ? null : missing(stem)
}

/** `@/cart` where the nearest configuration maps `@/*` into folders that are there, and to no such file. */
const aliasMissing = (
  from: string,
  module: string,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  const [nearest] = repository.aliasesIn(folderOf(from))
  if (nearest === undefined) return null
  for (const [pattern, targets] of Object.entries(nearest.paths)) {
    // `@scope/*` may be packages of a registry as well.
    if (!/^(?:@|~|src|app|@[\w-]+)\/\*$/.test(pattern) || !module.startsWith(pattern.slice(0, -1))) continue
    if (/^@[\w-]+\/\*$/.test(pattern) && isNamedPackage(module, repository)) return null
    const rest = module.slice(pattern.length - 1)
    const ats = targets.map((target) => (target.endsWith("/*") ? joinPath(nearest.base, target.slice(0, -1)) : null))
    const lost = ats.map((base) =>
      base === null || !folders.has(`${base}/`) ? null : scriptMissingAt(`${base}/${rest}`, repository, folders)
    )
    const [first] = lost
    return first != null && lost.every((each) => each !== null) ? first : null
  }
  return null
}

const isNamedPackage = (module: string, { data }: Repository): boolean => {
  const name = module.split("/").slice(0, 2).join("/")
  return [...data].some(([path, text]) => path.endsWith("package.json") && text.includes(`"${name}"`))
}

// Go

const goMissing = (
  from: string,
  { module }: Wanted,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  const { byName, data } = repository
  const above = foldersAbove(from)
  const owns = (byName.get("go.mod") ?? []).filter((path) => above.includes(folderOf(path)))
  const own = owns.sort((a, b) => b.length - a.length)[0]
  const text = own === undefined ? "" : (data.get(own) ?? "")
  const name = /^module\s+"?([^\s"]+)/m.exec(text)?.[1]
  if (own === undefined || name === undefined || !module.startsWith(`${name}/`)) return null
  // A module of its own below this one, kept elsewhere or here.
  const isOther = [...data].some(([path, each]) => {
    const other = path.endsWith("go.mod") ? /^module\s+"?([^\s"]+)/m.exec(each)?.[1] : undefined
    return other !== undefined && other !== name && (module === other || module.startsWith(`${other}/`))
  })
  const required = text
    .split("\n")
    .map(
      (line) =>
        line
          .trim()
          .replace(/^(?:require|replace)\s+/, "")
          .split(/\s/)[0] ?? ""
    )
    .some((other) => other !== "" && other.startsWith(`${name}/`) && `${module}/`.startsWith(`${other}/`))
  const at = `${folderOf(own)}${module.slice(name.length + 1)}`
  if (isOther || required || folders.has(`${at}/`) || folders.has(`${folderOf(own)}vendor/${module}/`)) return null
  return missing(at)
}
