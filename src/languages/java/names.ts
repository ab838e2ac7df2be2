/**
 * Resolves a name in a Java file to a file of the repository, by packages and paths: a public class is in the file of its
 * name. Null for names from outside of the repository, and if the result is not certain.
 */
import { folderOf, type Repository } from "../../domain/code/Repository.ts"
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import type { Language } from "../Language.ts"

export const resolveJava: Language["resolve"] = (_from, { module }, { byName, byFolder }) => {
  if (module.endsWith(".*")) {
    const suffix = `/${module.slice(0, -2).replaceAll(".", "/")}/`
    const folder = [...byFolder.keys()].find((candidate) => `/${candidate}`.endsWith(suffix))
    if (folder !== undefined) return (byFolder.get(folder) ?? []).filter((file) => file.endsWith(".java"))
  }
  const segments = module.split(".")
  // The path of a static import or an inner class continues after the file.
  for (let count = segments.length; count > Math.max(0, segments.length - 3); count--) {
    const path = segments.slice(0, count).join("/")
    const name = `${segments[count - 1]}`
    const named = [...(byName.get(`${name}.java`) ?? []), ...(byName.get(`${name}.kt`) ?? [])]
    const found = named.find((file) => `/${file}`.endsWith(`/${path}.java`) || `/${file}`.endsWith(`/${path}.kt`))
    if (found !== undefined) return [found]
  }
  return []
}

/** A type by its file and its path in it: `Outer.Inner`. */
export interface JavaType {
  readonly path: string
  readonly name: string
}

/** The words of a type without type arguments; null for arrays and primitive types. */
const wordsOf = (written: string): ReadonlyArray<string> | null => {
  const plain = written.replace(/<.*>/s, "").replace(/^(?:@[\w.]+(?:\([^)]*\))?)+/, "")
  return /^\w+(?:\.\w+)*$/.test(plain) ? plain.split(".") : null
}

/** In the order of the language: in the file, its imports, its package, its star imports. */
export const typeIn = (
  from: string,
  symbols: FileSymbols,
  written: string,
  repository: Repository
): JavaType | null => {
  const words = wordsOf(written)
  const [first, ...rest] = words ?? []
  if (words === null || first === undefined) return null
  const inner = (name: string) => [name, ...rest].join(".")
  const own = symbols.definitions.filter(({ kind, name }) => name === first && (kind === "class" || kind === "type"))
  const paths = new Set(own.map(({ container, name }) => (container === null ? name : `${container}.${name}`)))
  const [local] = paths
  if (local !== undefined) return paths.size === 1 ? { path: from, name: inner(local) } : null
  const imported = symbols.imports.find((each) => each.local === first && each.member !== true)
  if (imported !== undefined) {
    const found = qualified(from, [...imported.module.split("."), first], repository)
    return found === null ? null : { path: found.path, name: inner(found.name) }
  }
  for (const name of [symbols.package, ...symbols.stars.filter((star) => !star.startsWith("static "))]) {
    const path = fileOf(from, name, first, repository)
    if (path !== null) return { path, name: inner(first) }
  }
  return /^[a-z]/.test(first) && words.length > 2 ? qualified(from, words, repository) : null
}

/** `com.shop.Cart.Item`: packages in small letters, then types. */
const qualified = (from: string, words: ReadonlyArray<string>, repository: Repository): JavaType | null => {
  const at = words.findIndex((word) => /^[A-Z]/.test(word))
  const first = words[at]
  if (first === undefined) return null
  const path = fileOf(from, words.slice(0, at).join("."), first, repository)
  return path === null ? null : { path, name: words.slice(at).join(".") }
}

/** The file of the class; of several, the nearest to `from`. */
const fileOf = (from: string, name: string, type: string, { byName }: Repository): string | null => {
  const ending = `/${name === "" ? "" : `${name.replaceAll(".", "/")}/`}${type}.java`
  const found = (byName.get(`${type}.java`) ?? []).filter((path) => `/${path}`.endsWith(ending))
  if (found.length <= 1) return found[0] ?? null
  const nearness = found.map((path) => sharedFolders(path, from))
  const most = Math.max(...nearness)
  const nearest = found.filter((_, at) => nearness[at] === most)
  return nearest.length === 1 ? (nearest[0] ?? null) : null
}

const sharedFolders = (a: string, b: string): number => {
  const [x, y] = [folderOf(a).split("/"), folderOf(b).split("/")]
  let shared = 0
  while (shared < Math.min(x.length, y.length) && x[shared] === y[shared]) shared++
  return shared
}

/** The public class of a file. */
export const typeOfFile = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(/\.java$/, "")

/** `com.shop.Cart.Item`, by the file of its outermost type. */
export const qualifiedType = (from: string, written: string, repository: Repository): JavaType | null => {
  const dot = written.lastIndexOf(".")
  const [module, name] = [written.slice(0, Math.max(0, dot)), written.slice(dot + 1)]
  const imported = { module, name, local: name, line: 0, guarded: false }
  return typeIn(from, { ...noSymbols, imports: [imported] }, name, repository)
}

const noSymbols: FileSymbols = {
  definitions: [],
  types: [],
  imports: [],
  stars: [],
  exports: null,
  bound: new Set(),
  open: false,
  package: "",
  overloads: true
}

/** Is the package of a star import in the repository? */
export const isOfRepository = (star: string, { byFolder }: Repository): boolean => {
  const ending = `/${star.replaceAll(".", "/")}/`
  return star.startsWith("static ") || [...byFolder.keys()].some((folder) => `/${folder}`.endsWith(ending))
}
