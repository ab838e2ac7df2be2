/**
 * Imports that folders resolve: what C includes, and the packages and namespaces of Kotlin, C# and PHP.
 *
 * Pure. Where a build file would know better than the folders, several candidates answer nothing.
 */
import { foldersAbove } from "../text/foldersAbove.ts"
import { joinPath } from "../text/joinPath.ts"
import type { Import, Repository } from "./ImportResolution.ts"

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** Files whose path ends in this one; the nearest to `from` first, by the folders they share. */
const endingIn = (path: string, from: string, { byName }: Repository): ReadonlyArray<string> => {
  const found = (byName.get(nameOf(path)) ?? []).filter((file) => `/${file}`.endsWith(`/${path}`))
  const shared = (file: string) => foldersAbove(from).findIndex((folder) => file.startsWith(folder))
  return found
    .map((file) => ({ file, at: shared(file) }))
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => file)
}

/** `#include "a/b.h"` is looked for beside the file; then, as `<a/b.h>`, in the folders that hold headers. */
export const includedFiles = (from: string, { module }: Import, repository: Repository): ReadonlyArray<string> => {
  const isAngled = module.startsWith("<")
  const path = isAngled ? module.slice(1, -1).trim() : module
  const above = foldersAbove(from)
  const places = above.flatMap((folder) => [`${folder}include/`, `${folder}src/`, folder])
  const candidates = [...(isAngled ? [] : above.slice(0, 1)), ...places].flatMap(
    (folder) => joinPath(folder, path) ?? []
  )
  const found = candidates.find((candidate) => repository.paths.has(candidate))
  if (found !== undefined) return [found]
  // A name alone may be anybody's, the system's above all.
  const others = isAngled && !path.includes("/") ? [] : endingIn(path.replace(/^(?:\.\.?\/)+/, ""), from, repository)
  return others.slice(0, 1)
}

/** The file named like the class, or all files of the package for what lies in any of them. */
export const kotlinFiles = (from: string, { module }: Import, repository: Repository): ReadonlyArray<string> => {
  const segments = module.replace(/\.\*$/, "").split(".")
  const isAll = module.endsWith(".*")
  for (let count = segments.length; !isAll && count > Math.max(1, segments.length - 2); count--) {
    const path = segments.slice(0, count).join("/")
    const [found] = [`${path}.kt`, `${path}.java`].flatMap((each) => endingIn(each, from, repository))
    if (found !== undefined) return [found]
  }
  const folder = (isAll ? segments : segments.slice(0, -1)).join("/")
  return folder === "" ? [] : filesIn(`/${folder}/`, /\.kts?$|\.java$/, repository)
}

/** Files of the folders whose path ends so; source sets of one package lie side by side. */
const filesIn = (ending: string, wanted: RegExp, { byFolder }: Repository): ReadonlyArray<string> =>
  [...byFolder].flatMap(([folder, files]) =>
    `/${folder}`.endsWith(ending) ? files.filter((file) => wanted.test(file)) : []
  )

/** A namespace is a folder by the usual layout: `Acme.Shop.Carts` in `src/Acme.Shop/Carts/`; or it is a class's file. */
export const csharpFiles = (from: string, { module }: Import, repository: Repository): ReadonlyArray<string> => {
  const name = bare(module)
  if (!/^\w+(?:\.\w+)*$/.test(name)) return []
  const stem = name.slice(name.lastIndexOf(".") + 1)
  const asFile = (repository.byName.get(`${stem}.cs`) ?? []).filter((file) => dotted(file).endsWith(`.${name}.cs`))
  if (asFile.length === 1) return asFile
  const folders = [...repository.byFolder].filter(([folder]) => dotted(folder).endsWith(`.${name}.`))
  const nearest = Math.min(...folders.map(([folder]) => distance(from, folder)))
  return folders
    .filter(([folder]) => distance(from, folder) === nearest)
    .flatMap(([, files]) => files.filter((file) => file.endsWith(".cs")))
}

const bare = (module: string): string => module.replace(/^global::/, "").replace(/<[\s\S]*$/, "")
const dotted = (path: string): string => `.${path.replaceAll("/", ".")}`

/** How many folders up from `from` the two meet. */
const distance = (from: string, folder: string): number =>
  foldersAbove(from).findIndex((above) => folder.startsWith(above))

/** By composer.json where there is one (PSR-4), else the one file whose path ends like the class's name. */
export const phpFiles = (from: string, { module }: Import, repository: Repository): ReadonlyArray<string> => {
  if (/^\.|\//.test(module) || module.endsWith(".php")) {
    const beside = joinPath(foldersAbove(from)[0] ?? "", module)
    return [beside, module].filter((path) => path !== null && repository.paths.has(path)).slice(0, 1) as Array<string>
  }
  for (const { prefix, folder } of psr4Of(repository)) {
    if (!module.startsWith(prefix)) continue
    const path = `${folder}${module.slice(prefix.length).replaceAll("\\", "/")}.php`
    if (repository.paths.has(path)) return [path]
  }
  const segments = module.split("\\")
  // The first part is the vendor's or the application's, which no folder need be called.
  for (let drop = 0; drop < segments.length - 1; drop++) {
    const found = endingIn(`${segments.slice(drop).join("/")}.php`, from, repository)
    if (found.length > 0) return found.length === 1 ? found : []
  }
  return []
}

interface Psr4 {
  readonly prefix: string
  readonly folder: string
}

/** Longest prefixes first, as Composer has it. */
const psr4Of = ({ byName, json }: Repository): ReadonlyArray<Psr4> =>
  (byName.get("composer.json") ?? [])
    .flatMap((path) => {
      const manifest = json(path)
      const base = path.slice(0, path.lastIndexOf("/") + 1)
      return [manifest.autoload, manifest["autoload-dev"]].flatMap((autoload) => mappings(autoload, base))
    })
    .sort((a, b) => b.prefix.length - a.prefix.length)

const mappings = (autoload: unknown, base: string): ReadonlyArray<Psr4> => {
  const psr4 = typeof autoload === "object" && autoload !== null && "psr-4" in autoload ? autoload["psr-4"] : null
  if (typeof psr4 !== "object" || psr4 === null) return []
  return Object.entries(psr4).flatMap(([prefix, folders]) =>
    [folders].flat().flatMap((folder: unknown) => {
      const at = typeof folder === "string" ? joinPath(base, folder) : null
      return at === null ? [] : [{ prefix, folder: at === "" ? "" : `${at}/` }]
    })
  )
}
