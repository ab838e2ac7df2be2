/** Resolves imports of TypeScript and JavaScript, by paths, tsconfig.json and package.json. */
import {
  firstOf,
  folderOf,
  isThere,
  nameOf,
  objectOf,
  type Repository,
  remembered
} from "../../domain/code/Repository.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { joinPath } from "../../domain/text/joinPath.ts"
import { type Language, type MissingFile, type MissingFinder, missingAt } from "../Language.ts"

const endings = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".json"]

const scriptFile = (at: string, repository: Repository): ReadonlyArray<string> => {
  const { byFolder, paths } = repository
  if (paths.has(at)) return [at]
  // In TypeScript's ESM rules, the specifier is the output file: `./a.js` refers to `./a.ts`.
  const output = /^(.*)\.([cm]?)jsx?$/.exec(at)
  const sources = output === null ? [] : [`${output[1]}.${output[2]}ts`, `${output[1]}.tsx`, `${output[1]}.d.ts`]
  const found = firstOf(sources, repository)
  if (found.length > 0) return found
  for (const ending of endings) if (paths.has(`${at}${ending}`)) return [`${at}${ending}`]
  const folder = at === "" ? "" : `${at}/`
  if (!byFolder.has(folder)) return []
  const { main } = repository.json(`${folder}package.json`)
  const entry = typeof main === "string" ? joinPath(folder, main) : null
  const entries = entry === null ? [] : ["", ...endings].map((ending) => `${entry}${ending}`)
  return firstOf([...endings.map((ending) => `${folder}index${ending}`), ...entries], repository)
}

export const resolveScript: Language["resolve"] = (from, { module }, repository) => {
  if (/^\.\.?(?:\/|$)/.test(module)) {
    const at = joinPath(folderOf(from), module)
    return at === null ? [] : scriptFile(at, repository)
  }
  const mapped = aliasesFor(from, repository).flatMap((alias) => aliasTargets(alias, module))
  for (const at of mapped) {
    const found = scriptFile(at, repository)
    if (found.length > 0) return found
  }
  return workspacePackage(module, repository)
}

interface Alias {
  /** The folder that the targets of TypeScript's `paths` are relative to; `*` matches any text. */
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

/** The nearest tsconfig.json above the file and the files that it extends in the repository, nearest first. */
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
    const options = objectOf(config.compilerOptions)
    const folder = folderOf(path)
    const baseUrl = typeof options.baseUrl === "string" ? joinPath(folder, options.baseUrl) : null
    const paths = Object.fromEntries(
      Object.entries(objectOf(options.paths)).map(([pattern, targets]) => [pattern, strings(targets)])
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

/** TypeScript's path aliases for a file, nearest configuration first. */
const aliasesFor = (from: string, repository: Repository): ReadonlyArray<Alias> =>
  repository.once(aliasesByFolder)(folderOf(from))

const aliasesByFolder = ({ data, json }: Repository) =>
  remembered((folder: string) => tsconfigAliases(folder, data, json))

/** The package.json files that declare a package name. */
const packagesByName = ({ data, json }: Repository) => {
  const packages = [...data.keys()].filter((path) => nameOf(path) === "package.json")
  return remembered((name: string) =>
    // Search the text first: most packages are never imported and need not be parsed.
    packages.filter((path) => data.get(path)?.includes(`"${name}"`) === true && json(path).name === name)
  )
}

/** A package of this repository by its name, and a file in it by the rest of the specifier. */
const workspacePackage = (module: string, repository: Repository): ReadonlyArray<string> => {
  const [name, rest] = splitPackage(module)
  for (const path of repository.once(packagesByName)(name)) {
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

/** The name includes the scope: `@acme/ui/button` is `button` in `@acme/ui`. */
const splitPackage = (module: string): readonly [string, string] => {
  const segments = module.split("/")
  const count = module.startsWith("@") ? 2 : 1
  return [segments.slice(0, count).join("/"), segments.slice(count).join("/")]
}

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

/** Files that are not modules of the language, and are resolved by loaders, bundlers and generators. */
const assets =
  /\.(?:css|s[ac]ss|less|styl|svg|png|jpe?g|gif|webp|avif|ico|woff2?|[to]tf|eot|mp[34]|webm|wav|ogg|pdf|html?|mdx?|txt|ya?ml|toml|graphql|gql|wasm|node|glsl|vert|frag|wgsl|vue|svelte|astro|hbs|ejs|pug|njk|csv|xml|proto|raw|worker|json[5c]?|snap|hcl|sql|po|ftl|riv|lottie|bin|zip)$/i

export const missingScript: MissingFinder = (from, { module }, repository, folders) => {
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
  return isThere(at, repository, folders) || isThere(stem, repository, folders) ? null : missingAt(stem)
}

/** `@/cart`, if the nearest configuration maps `@/*` to existing folders without such a file. */
const aliasMissing = (
  from: string,
  module: string,
  repository: Repository,
  folders: ReadonlySet<string>
): MissingFile | null => {
  const [nearest] = aliasesFor(from, repository)
  if (nearest === undefined) return null
  for (const [pattern, targets] of Object.entries(nearest.paths)) {
    // `@scope/*` may also be packages of a registry.
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
