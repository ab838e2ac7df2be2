import wasm from "tree-sitter-php/tree-sitter-php.wasm" with { type: "file" }
import { lexicons } from "../../domain/code/Comment.ts"
import { endingIn, type Repository } from "../../domain/code/Repository.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { joinPath } from "../../domain/text/joinPath.ts"
import type { Language } from "../Language.ts"
import { phpImports, phpOccurrence, phpSymbols } from "./symbols.ts"

/** By composer.json where there is one (PSR-4), else the one file whose path ends like the class's name. */
const resolve: Language["resolve"] = (from, { module }, repository) => {
  if (/^\.|\//.test(module) || module.endsWith(".php")) {
    const beside = joinPath(foldersAbove(from)[0] ?? "", module)
    return [beside, module].filter((path) => path !== null && repository.paths.has(path)).slice(0, 1) as Array<string>
  }
  for (const { prefix, folder } of repository.once(psr4Of)) {
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

export const php: Language = {
  family: "php",
  wasm,
  endings: ["php"],
  grammarOf: null,
  comments: lexicons.php,
  stack: null,
  conventions: [],
  tests: { namesFor: () => [], styles: [] },
  sharesNames: "folder",
  importWord: null,
  statements: null,
  dataFile: { name: /^composer\.json$/, isWanted: ({ isVendored }) => !isVendored },
  resolve,
  missing: null,
  loaded: null,
  contracts: null,
  symbols: phpSymbols,
  imports: phpImports,
  modules: null,
  occurrence: phpOccurrence,
  cases: null,
  hierarchy: null
}
