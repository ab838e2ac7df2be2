/** Resolves Python's imports by paths alone. */

import {
  firstOf,
  folderOf,
  isThere,
  type PathIndex,
  type Repository,
  remembered
} from "../../domain/code/Repository.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { type Language, type MissingFile, type MissingFinder, missingAt } from "../Language.ts"
import { standardModules } from "./standardModules.ts"

const pythonModule = (at: string, repository: Repository): ReadonlyArray<string> =>
  firstOf([`${at}.py`, `${at}/__init__.py`, `${at}.pyi`, `${at}/__init__.pyi`], repository)

/** The files of names that are modules, and of the module itself for the other names. */
const pythonNames = (at: string, names: ReadonlyArray<string>, repository: Repository): ReadonlyArray<string> => {
  const prefix = at === "" || at.endsWith("/") ? at : `${at}/`
  const modules = names.map((name) => pythonModule(`${prefix}${name.replaceAll(".", "/")}`, repository))
  const own = modules.length === 0 || modules.some((found) => found.length === 0)
  const itself =
    at === "" || at.endsWith("/") ? firstOf([`${at}__init__.py`], repository) : pythonModule(at, repository)
  return [...modules.flat(), ...(own ? itself : [])]
}

export const resolvePython: Language["resolve"] = (from, { module, names }, repository) => {
  const dots = /^\.*/.exec(module)![0].length
  const path = module.slice(dots).replaceAll(".", "/")
  if (dots > 0) {
    // One dot is the package of the file; each further dot is one package up.
    const base = foldersAbove(from)[dots - 1]
    return base === undefined ? [] : pythonNames(`${base}${path}`, names, repository)
  }
  const [top = ""] = path.split("/", 1)
  // They are found before a module of the repository, unless that is next to the script that runs.
  if (standardModules.has(top)) return []
  for (const root of repository.ofPaths(rootsByFolder)(folderOf(from))) {
    // Most imports are of external packages.
    if (!repository.ofPaths(mayBeModule)(`${root}${top}`)) continue
    const found = pythonNames(`${root}${path}`, names, repository)
    if (found.length > 0) return found
  }
  return []
}

const rootsByFolder = ({ paths }: PathIndex) => remembered((folder: string) => pythonRoots(folder, paths))

/** Is there a Python module or a folder at this path without an ending? */
const mayBeModule = ({ byFolder, paths }: PathIndex) => {
  const folders = new Set([...byFolder.keys()].flatMap(foldersAbove))
  return (at: string): boolean => paths.has(`${at}.py`) || folders.has(`${at}/`) || paths.has(`${at}.pyi`)
}

/** The roots of absolute imports: the folder above the file's outermost package, the repository, and `src` layouts. */
const pythonRoots = (from: string, paths: ReadonlySet<string>): ReadonlyArray<string> => {
  const above = foldersAbove(from)
  const own = above.find((folder) => !paths.has(`${folder}__init__.py`)) ?? ""
  const outer = above.slice(above.indexOf(own))
  return [...new Set([own, ...outer.flatMap((folder) => [folder, `${folder}src/`, `${folder}lib/`])])]
}

export const missingPython: MissingFinder = (from, { module, name }, repository, folders) => {
  const dots = /^\.*/.exec(module)![0].length
  const segments = module
    .slice(dots)
    .split(".")
    .filter((segment) => segment !== "")
  if (dots === 0) return absoluteMissing(from, segments, repository, folders)
  const base = foldersAbove(from)[dots - 1]
  if (base === undefined) return null
  if (segments.length > 0) return firstMissing(base, segments, repository, folders)
  // `from . import a`, without an `__init__` that could export the name.
  if (name === null || repository.paths.has(`${base}__init__.py`) || isThere(`${base}${name}`, repository, folders)) {
    return null
  }
  return repository.paths.has(`${base}__init__.pyi`) ? null : missingAt(`${base}${name}`)
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
    if (!isThere(here, repository, folders)) return missingAt(here)
    // After a module that is a file, paths do not help.
    if (index < segments.length - 1 && !folders.has(`${here}/`)) return null
    at = `${here}/`
  }
  return null
}

/** Only below a package of this repository, if no other module has its name. */
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
  // Only files next to the package or in it refer to it for certain.
  if (!from.startsWith(root) && root !== "" && !/^(?:src|lib)\/$/.test(root)) return null
  const lost = firstMissing(`${root}${top}/`, rest, repository, folders)
  // A folder without an `__init__` may be shared by several distributions.
  return lost !== null && paths.has(`${folderOf(lost.at)}__init__.py`) ? lost : null
}

/** Is there a module of the same name at another root? */
const isThereAsModule = (top: string, root: string, { byName }: Repository): boolean =>
  (byName.get(`${top}.py`) ?? []).some((path) => folderOf(path) === root)
