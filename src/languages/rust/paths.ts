/** Resolves Rust's paths to files, by file paths and Cargo.toml. */
import { firstOf, folderOf, type Repository } from "../../domain/code/Repository.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import type { Language } from "../Language.ts"
import { textOf } from "../tree.ts"

export const resolveRust: Language["resolve"] = (from, { module }, repository) => {
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
  const other = first === undefined ? undefined : repository.once(crates).get(first)
  return other === undefined ? [] : rustItem(other, rest, repository)
}

const parentOf = (folder: string): string => folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1)

/** The folder of a file's own modules: its own folder if the file is the root of a crate or of a module. */
const moduleFolder = (path: string): string =>
  /(?:^|\/)(?:(?:mod|lib|main|build)|(?:tests|examples|benches|src\/bin)\/\w+)\.rs$/.test(path)
    ? folderOf(path)
    : `${path.slice(0, -".rs".length)}/`

/** The file of the longest prefix of the path that is a module: the rest is an item in it. */
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

/** Source folders by the name of the crate in code, which has underscores in place of Cargo's dashes. */
export const crates = ({ byName, data }: Repository): ReadonlyMap<string, string> => {
  const folders = new Map<string, string>()
  for (const path of byName.get("Cargo.toml") ?? []) {
    const name = /^\s*name\s*=\s*"([^"]+)"/m.exec(data.get(path) ?? "")?.[1]?.replaceAll("-", "_")
    if (name !== undefined && !folders.has(name)) folders.set(name, `${folderOf(path)}src/`)
  }
  return folders
}

/** An empty first segment means that the path starts with another crate. */
export const segmentsOf = (module: string): ReadonlyArray<string> =>
  module === "" ? [] : module === "::" ? [""] : module.split("::")

/** `src/bin/x.rs`, `tests/x.rs` and similar files are roots of crates, like `lib.rs` and `main.rs`. */
export const isCrateRoot = (path: string): boolean =>
  /(?:^|\/)(?:(?:lib|main|build)\.rs|(?:tests|examples|benches|src\/bin)\/\w+\.rs)$/.test(path)

/** May another file have this one as a module? */
export const mayHaveParent = (path: string): boolean => !/(?:^|\/)(?:lib|main|build)\.rs$/.test(path)

/** The name of the module of a file. */
export const moduleName = (path: string): string => {
  const segments = path.slice(0, -".rs".length).split("/")
  return (segments.at(-1) === "mod" ? segments.at(-2) : segments.at(-1)) ?? ""
}

/** Files that may have this one as a module; `tests/all.rs` may be a crate with its modules in the same folder. */
export const parentCandidates = (path: string, { byFolder }: Repository): ReadonlyArray<string> => {
  const own = folderOf(path)
  const folder = path.endsWith("/mod.rs") ? folderOf(own.slice(0, -1)) : own
  const files = ["mod.rs", "lib.rs", "main.rs"].map((name) => `${folder}${name}`)
  const isModuleOfRoot = /(?:^|\/)(?:tests|examples|benches|src\/bin)\/\w+\/mod\.rs$/.test(path)
  const near = isCrateRoot(path) || isModuleOfRoot ? (byFolder.get(folder) ?? []) : []
  const beside = near.filter((file) => file.endsWith(".rs"))
  return [...files, `${folder.slice(0, -1)}.rs`, ...beside].filter((candidate) => candidate !== path)
}

/** The file of `mod name;`; null if there is none. */
export const childFile = (path: string, name: string, { paths }: Repository): string | null => {
  const at = `${moduleFolder(path)}${name}`
  return [`${at}.rs`, `${at}/mod.rs`].find((candidate) => paths.has(candidate)) ?? null
}

/** Expands `a::{b, c::{self, d as e}}` to `a::b`, `a::c`, `a::c::d`. */
export const expandUse = (tree: string): ReadonlyArray<string> => {
  const text = tree.replace(/\/\/.*$/gm, "").trim()
  const open = text.indexOf("{")
  if (open < 0) {
    const path = text
      .replace(/\s+as\s+\w+$/, "")
      .replace(/\s/g, "")
      .replace(/(?:^|::)(?:self|\*)$/, (all) => (all === "self" ? "self" : ""))
    return path === "" ? [] : [path]
  }
  const prefix = text.slice(0, open).replace(/\s/g, "")
  const inner = text.slice(open + 1, text.lastIndexOf("}"))
  return splitOutside(inner).flatMap((part) => {
    if (part.trim() === "self") return prefix.endsWith("::") ? [prefix.slice(0, -2)] : []
    return expandUse(prefix + part.trim())
  })
}

/** Splits at commas outside of braces. */
const splitOutside = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const char = text[i]
    if (char === "{") depth++
    else if (char === "}") depth--
    else if (i === text.length || (char === "," && depth === 0)) {
      if (text.slice(start, i).trim() !== "") parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return parts
}

/** The modules in a `use` or a `mod`, as complete paths. */
export const usedModules = (item: SyntaxNode): ReadonlyArray<string> => {
  if (item.type === "use_declaration") return expandUse(textOf(item, "argument"))
  // A module with a body is in this file.
  return item.childForFieldName("body") === null ? [`self::${item.childForFieldName("name")?.text}`] : []
}
