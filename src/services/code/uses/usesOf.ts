/**
 * The places that use definitions, with one search of the head side for all their names.
 *
 * A place is what the tree of its file says, so a local of the name is none. It is certain if the imports of the file lead to
 * the definition, or its package shares names; of a method, only a call on the object itself or on the type is. A method
 * counts as possible in a file that can name the type, and on objects that are declared beside the type. An exact answer
 * about one definition is that of `CodeQueries`. Bounded, never fails.
 */
import { Effect } from "effect"
import { isMachineWritten } from "../../../domain/change/PathKind.ts"
import { eachAlone, type WordPlace } from "../../../domain/change/WordPlace.ts"
import { nearestFirst } from "../../../domain/code/nearestFirst.ts"
import { folderOf, type Repository, repositoryOf, withPaths } from "../../../domain/code/Repository.ts"
import type { ImportedName } from "../../../domain/code/Symbol.ts"
import type { WordUse } from "../../../domain/code/WordUse.ts"
import { dataFiles, endingsBeside, resolveImport, sharesNames } from "../../../languages/imports.ts"
import { familyOf } from "../../../languages/languages.ts"
import type { WordUses } from "../../../languages/wordUses.ts"
import { forEachFile } from "../../change/progress/FileCounts.ts"
import { readTexts } from "../../change/readTexts.ts"
import { Sources } from "../../change/Sources.ts"
import { importNaming, linkOf, NameResolver } from "../NameResolver.ts"
import { SymbolIndex } from "../SymbolIndex.ts"

/** A word in more files is not the name of one definition. */
const filesWithWord = 400
/** Files that name the type of a method; the nearest are read for objects of it. */
const filesWithType = 30
/** Files that are read for all targets; the nearest are. */
const filesParsed = 600
const dataFilesRead = 120

/** A definition whose users are looked for by its name on the head side. */
export interface Target {
  readonly name: string
  readonly container: string | null
  readonly path: string
  readonly line: number
  readonly endLine: number
  /** `Cart.total` */
  readonly shown: string
  /** No other type of its file has a method of this name. */
  readonly isAlone: boolean
}

export interface Use extends WordUse {
  readonly path: string
  readonly certain: boolean
}

/** What is searched: the repository, and the files that have one of the words. */
interface Search {
  readonly repository: Repository
  readonly all: boolean
  /** The places of a name of a target, of its type, or of what the file calls it. */
  readonly usesIn: (path: string, word: string) => ReadonlyArray<WordUse>
  /** Of a file with the name of a target: those of the file, or one of a function by its line. */
  readonly importsOf: (path: string, inner?: WordUse["inner"]) => ReadonlyArray<ImportedName>
}

/** The users of each target; `all`: also those that another definition of the name may have. */
export const usesOf = Effect.fn("code.usesOf")(function* (
  targets: ReadonlyArray<Target>,
  paths: ReadonlyArray<string>,
  all = false
) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const words = targets.flatMap((target) => [target.name, ownerOf(target) ?? target.name])
  const endings = [...new Set(targets.flatMap(({ path }) => endingsBeside(path)))]
  const found = (yield* sources.places(eachAlone(words), endings)).filter(({ path }) => !isMachineWritten(path))
  const byWord = Map.groupBy(found, ({ word }) => word)
  const omitted: Array<string> = []
  const mentioning = targets.map((target) => {
    const files = filesOf(byWord.get(target.name) ?? [], target)
    if (files.length <= filesWithWord) return files
    omitted.push(`users of ${target.shown}: ${files.length} files have this word`)
    return []
  })
  const naming = targets.map((target) =>
    nearestFirst([target.path], filesOf(byWord.get(ownerOf(target) ?? "") ?? [], target)).slice(0, filesWithType)
  )
  const using = [...new Set(mentioning.flat())]
  const having = [...new Set([...using, ...naming.flat()])]
  const homes = new Set(targets.map(({ path }) => path))
  const readable = nearestFirst([...homes], having).slice(0, filesParsed)
  if (readable.length < having.length)
    omitted.push(`users in ${having.length - readable.length} of ${having.length} files, the farthest ones`)
  yield* sources.preload(readable)
  const gone = targets.map(({ path }) => path).filter((path) => !paths.includes(path))
  const data = dataFiles([...using, ...gone], paths).slice(0, dataFilesRead)
  const repository = withPaths(repositoryOf(paths, yield* readTexts(sources, data)), gone)
  const wordsOf = Map.groupBy(found, ({ path }) => path)
  const parsed = new Map<string, WordUses>()
  const read = Effect.fnUntraced(function* (path: string) {
    const uses = yield* index.wordUses(path, [...new Set((wordsOf.get(path) ?? []).map(({ word }) => word))])
    if (uses !== null) parsed.set(path, uses)
  })
  yield* forEachFile("users", readable, read)
  const search: Search = {
    repository,
    all,
    usesIn: (path, word) => parsed.get(path)?.uses.get(word) ?? [],
    importsOf: (path, at) =>
      (parsed.get(path)?.imports ?? []).filter(({ inner, line }) =>
        typeof at === "number" ? line === at : inner === undefined
      )
  }
  const uses = yield* forEachFile("users", targets, (target, at) =>
    target.container === null
      ? usesOfName(target, mentioning[at] ?? [], search)
      : usesOfMember(target, mentioning[at] ?? [], naming[at] ?? [], search)
  )
  return { uses, omitted }
})

/** In the target's languages. */
const filesOf = (places: ReadonlyArray<WordPlace>, { path: home }: Target): ReadonlyArray<string> =>
  [...new Set(places.map(({ path }) => path))].filter((path) => familyOf(path) === familyOf(home))

const ownerOf = ({ container }: Target): string | null => container?.split(".").at(-1) ?? null

/** Uses of a definition at the top of a file, also under another name. */
const usesOfName = Effect.fnUntraced(function* (target: Target, files: ReadonlyArray<string>, search: Search) {
  const isDefault = yield* isDefaultOf(target)
  const found: Array<Use> = []
  for (const path of files) {
    const leads = resolverIn(path, target, search)
    const renamed = search
      .importsOf(path)
      .filter(
        (each) =>
          /^[\w$]+$/.test(each.local) &&
          (each.name === target.name || (isDefault && isWhole(path, each, target, search.repository)))
      )
    const aliases = new Set(renamed.map(({ local }) => local).filter((local) => local !== target.name))
    const wholes = new Set(
      renamed.flatMap(({ local, name }) => (name === null && local !== target.name ? [local] : []))
    )
    for (const name of [target.name, ...aliases]) {
      for (const use of search.usesIn(path, name)) {
        // Of a module, `cart.total` is not a use of what calling the module calls.
        const isMember = use.kind === "use" && wholes.has(name)
        if (isMember || isOwn(target, path, use.line)) continue
        // A package shares its names, and an import may give one of them another meaning.
        const isImported = use.receiver === null && importNaming(name, search.importsOf(path)) !== null
        const isClear = use.inner !== "unclear" && !isDefinedBeside(path, use, target, search)
        const isCertain =
          isClear && (!isImported || path === target.path || (yield* leads(name, target.name, use.inner)))
        if (yield* isOfTarget(use, path, name, target, leads, search)) found.push({ ...use, path, certain: isCertain })
        // A macro may declare a module of Rust, so that no path leads there.
        else if (search.all && use.isPath && modulesOf(target).includes(use.receiver?.split(".").at(-1) ?? ""))
          found.push({ ...use, path, certain: false })
      }
    }
  }
  return found
})

/** Without its object, the name may be that of a member of a type in the file. */
const isDefinedBeside = (path: string, { receiver }: WordUse, { name, path: home }: Target, { usesIn }: Search) =>
  receiver === null &&
  path !== home &&
  !namesByImport.has(familyOf(path)) &&
  usesIn(path, name).some(({ kind }) => kind === "definition")

/** Families whose imports decide what a name means, also beside a member of the name. */
const namesByImport: ReadonlySet<string | null> = new Set(["python", "script", "go", "rust"])

/** Is it what an import of its whole module binds? */
const isDefaultOf = Effect.fnUntraced(function* ({ name, path }: Target) {
  if (familyOf(path) !== "script") return false
  const index = yield* SymbolIndex
  const source = yield* (yield* Sources).head(path)
  const symbols = yield* index.symbols(path)
  const exported = symbols?.exports?.some((each) => each.name === "default" && each.local === name)
  const assigned = new RegExp(
    `^(?:exports\\s*=\\s*)?module\\.exports\\s*=\\s*(?:function\\s+)?${RegExp.escape(name)}(?![\\w$.])`,
    "m"
  )
  return exported === true || (source._tag === "Text" && assigned.test(source.text))
})

const isWhole = (path: string, imported: ImportedName, target: Target, repository: Repository): boolean => {
  if (imported.name !== null && imported.name !== "default") return false
  const link = linkFor(target, path, imported, repository)
  return link._tag !== "Nowhere" && link.path === target.path
}

/** Where an import leads. A file `cart.d.ts` has the types of `cart.js`. */
const linkFor = (
  { path: home }: Target,
  path: string,
  imported: Pick<ImportedName, "module" | "name">,
  repository: Repository
) => {
  const link = linkOf(path, imported, repository)
  const isTyped =
    link._tag !== "Nowhere" && /\.[cm]?js$/.test(home) && link.path === home.replace(/\.([cm]?)js$/, ".d.$1ts")
  return isTyped ? { ...link, path: home } : link
}

/** What a file and its folder are called before the names that they define: `cart::total`. */
const modulesOf = ({ path }: Target): ReadonlyArray<string> =>
  path
    .replace(/(?:\/(?:mod|lib))?\.\w+$/, "")
    .split("/")
    .slice(-2)

const isOwn = ({ endLine, line: first, path: home }: Target, path: string, line: number): boolean =>
  path === home && first <= line && line <= endLine

/** Uses of a method of a type. `naming`: the nearest files with the name of the type. */
const usesOfMember = Effect.fnUntraced(function* (
  target: Target,
  files: ReadonlyArray<string>,
  naming: ReadonlyArray<string>,
  search: Search
) {
  const owner = ownerOf(target) ?? ""
  const isObject = objectsOf(owner, naming, search)
  const index = yield* SymbolIndex
  const named = naming.flatMap((path) => search.usesIn(path, owner).map((use) => ({ ...use, path })))
  const headers = named.filter(({ kind }) => kind === "parent")
  const children = new Set(headers.flatMap(({ declares }) => declares ?? []))
  const isOther = (type: string | null | undefined): boolean =>
    type != null && !type.endsWith("()") && type !== owner && !children.has(type)
  const home = yield* index.symbols(target.path)
  // An object of a type of another library may have a method of the same name.
  const isDefined =
    home === null ||
    // Extensions of Swift have entries of their own.
    (familyOf(target.path) !== "swift" && home.definitions.some(({ name }) => name === owner)) ||
    named.some(({ kind }) => kind === "definition")
  const sought = { ...target, isAlone: target.isAlone && isDefined }
  const parts = yield* Effect.forEach(files, (path) => membersIn(path, sought, isObject, isOther, search))
  const found = parts.flatMap(({ uses }) => uses)
  const others = parts.filter((part) => part.others > 0).length
  const isDefinedElsewhere = parts.some(({ definitions }) => definitions > 0)
  const isDistinct =
    target.isAlone && !isDefinedElsewhere && others < parts.filter(({ uses }) => uses.length > 0).length
  if (isDistinct || search.all) return found
  // A name that other types have, too: only objects that are named after the type, or declared as one.
  return found.filter(
    (use) => use.certain || use.kind === "definition" || isNamedAfter(use.receiver, owner) || isObject(use.path, use)
  )
})

/** Whether the object of a use is declared as one of the type, in its file; a member or a function perhaps in another one. */
const objectsOf = (owner: string, naming: ReadonlyArray<string>, { usesIn }: Search) => {
  const namesIn = (path: string) => new Set(usesIn(path, owner).flatMap(({ declares }) => declares ?? []))
  const declaredIn = new Map(naming.map((path) => [path, namesIn(path)] as const))
  const everywhere = new Set([...declaredIn.values()].flatMap((names) => [...names]))
  return (path: string, { object, receiver }: WordUse): boolean => {
    if (receiver === null) return false
    if (!/^\w+$/.test(receiver)) return everywhere.has(lastOf(receiver))
    return (
      declaredIn.get(path)?.has(receiver) === true ||
      (object?.endsWith("()") === true && everywhere.has(lastOf(object)))
    )
  }
}

const lastOf = (receiver: string | null): string => receiver?.replace("()", "").split(".").at(-1) ?? ""

/** `session` and `self._session` for `ClientSession`. */
const isNamedAfter = (receiver: string | null, owner: string): boolean => {
  const last = lastOf(receiver).replaceAll("_", "").toLowerCase()
  return last.length > 2 && owner.replaceAll("_", "").toLowerCase().endsWith(last)
}

/** Languages whose imports may bring the members of a type or module. */
const takesMembers: ReadonlySet<string | null> = new Set(["csharp", "elixir"])

/** Languages in which a method may be called without its object. */
const withoutObject: ReadonlySet<string | null> = new Set(["java", "kotlin", "csharp", "swift", "ruby", "c"])

const membersIn = Effect.fnUntraced(function* (
  path: string,
  target: Target,
  isObject: ReturnType<typeof objectsOf>,
  isOther: (type: string | null | undefined) => boolean,
  search: Search
) {
  const { isAlone, name, path: home } = target
  const owner = ownerOf(target) ?? ""
  const found = { uses: [] as Use[], others: 0, definitions: 0 }
  const naming = search.usesIn(path, owner)
  const sees = yield* seesType(path, target, naming, resolverIn(path, target, search), search)
  const parents = naming.filter(({ kind }) => kind === "parent").map(({ line }) => line)
  for (const use of search.usesIn(path, name)) {
    const { inner, kind, line, object, receiver, self } = use
    if (isOwn(target, path, line)) continue
    if (kind === "definition") {
      if (path === home) continue
      if (sees && (yield* isInChild(path, line, parents))) found.uses.push({ ...use, path, certain: true })
      else found.definitions++
    } else if (receiver === null) {
      const isCall = kind === "call" && withoutObject.has(familyOf(path))
      const isImported = takesMembers.has(familyOf(path)) && naming.some((each) => each.kind === "import")
      if (path === home) {
        if (isCall && isAlone) found.uses.push({ ...use, path, certain: true })
      } else if (kind === "call" && sees && !isDefinedBeside(path, use, target, search)) {
        const isTaken = search
          .usesIn(path, name)
          .some((each) => each.kind === "import" && naming.some((type) => type.line === each.line))
        const certain = isCall && (isTaken || (yield* isInChild(path, line, parents)))
        if (certain || isImported) found.uses.push({ ...use, path, certain })
      }
    } else if (inner === "local" && familyOf(path) === "elixir") {
      // The fields of a map; a function has the name of its module before it.
      found.others++
    } else if (isOther(self) || isOther(object)) {
      found.others++
    } else if (sees || isObject(path, use)) {
      const isSelf = path === home && isAlone && self === owner
      found.uses.push({ ...use, path, certain: isSelf || (sees && receiver === owner && inner === undefined) })
    } else found.others++
  }
  return found
})

/** Is a line in a type with one of these lines in its header? A method of Rust or Go is outside of its type. */
const isInChild = Effect.fnUntraced(function* (path: string, line: number, parents: ReadonlyArray<number>) {
  if (parents.length === 0) return false
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(path)
  const around = symbols?.definitions.filter(
    ({ endLine, kind, line: first }) => /^(?:class|type)$/.test(kind) && first <= line && line <= endLine
  )
  const from = Math.max(0, ...(around ?? []).map((each) => each.line))
  return parents.some((parent) => from <= parent && parent <= line)
})

/** Ways in which one file writes the name of a type. */
const mostPaths = 8

type Leads = ReturnType<typeof resolverIn>

/** May a file have objects of the target's type, because it can name it? */
const seesType = Effect.fnUntraced(function* (
  path: string,
  { container, path: home }: Target,
  naming: ReadonlyArray<WordUse>,
  leads: Leads,
  { importsOf }: Search
) {
  if (path === home) return true
  if (naming.length === 0 || container === null) return false
  // An alias of Elixir may have the name.
  const aliased = familyOf(path) === "elixir" ? importNaming(container, importsOf(path)) : null
  if (aliased !== null && !`.${container}`.endsWith(`.${aliased.module}`)) return false
  if (sharesNames(home, path)) return true
  const [outer = "", ...inner] = container.split(".")
  const type = inner.at(-1) ?? outer
  const written = new Set(naming.map(({ receiver }) => (receiver === null ? type : `${receiver}.${type}`)))
  for (const each of [...written].slice(0, mostPaths)) if (yield* leads(each, outer)) return true
  return false
})

/** Does a use mean the target, which is at the top of its file? */
const isOfTarget = Effect.fnUntraced(function* (
  { inner, isPath, kind, receiver }: WordUse,
  path: string,
  written: string,
  { name, path: home }: Target,
  leads: Leads,
  search: Search
) {
  if (kind === "definition" || receiver === "" || inner === "local") return false
  if (receiver !== null && !isPath && namesByPath.has(familyOf(path))) return false
  // Of a type.
  if (receiver !== null && familyOf(path) === "rust" && /(?:^|\.)[A-Z]\w*$/.test(receiver)) return false
  if (path === home) return receiver === null
  if (receiver === null && sharesNames(home, path)) return true
  // An import may give the name another one; one of Kotlin has the path of the name.
  if (kind === "import" && (receiver === null || familyOf(path) === "kotlin"))
    return yield* leads(localOf(path, name, written, search), name, inner)
  return yield* leads(receiver === null ? written : `${receiver}.${written}`, name, inner)
})

/** Families in which a dot follows an object, and never a module. */
const namesByPath: ReadonlySet<string | null> = new Set(["c", "rust", "php", "ruby"])

/** What a file calls the name that it imports; "" if it only exports it again. */
const localOf = (path: string, name: string, written: string, { importsOf }: Search): string => {
  const locals = importsOf(path).flatMap((each) => (each.name === name ? [each.local] : []))
  return locals.includes(written) ? written : (locals[0] ?? written)
}

/** Whether a path of names in a file leads to the top-level name of the target's file. */
const resolverIn = (path: string, target: Target, { importsOf, repository }: Search) => {
  const known = new Map<string, boolean>()
  return Effect.fnUntraced(function* (written: string, name: string, inner?: WordUse["inner"]) {
    const key = `${written} ${inner}`
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const answer = yield* leadsTo(path, written, name, target, importsOf(path, inner), repository)
    known.set(key, answer)
    return answer
  })
}

/** The imports that may bring a name which none of them binds. */
const bringing: Readonly<Record<string, (imported: ImportedName, written: string) => boolean>> = {
  kotlin: ({ name }) => name === null,
  rust: ({ module, name }, written) => written.includes(".") || name === "*" || module.endsWith(`::${written}`)
}

const leadsTo = Effect.fnUntraced(function* (
  path: string,
  written: string,
  name: string,
  target: Target,
  imports: ReadonlyArray<ImportedName>,
  repository: Repository
) {
  const resolver = yield* NameResolver
  const exported = written === "" ? imports.find((each) => each.name === name) : undefined
  const imported = exported ?? importNaming(written, imports)
  if (familyOf(path) === "rust" && endsInModule(written, imports, target, name, repository)) return true
  // An import of Go does not name its package.
  const [, packageName] = (imported === null && path.endsWith(".go") && /^([^.]+)\.[^.]+$/.exec(written)) || []
  if (packageName !== undefined) {
    return (yield* resolver.packageNamed(path, packageName, repository)) === folderOf(target.path)
  }
  const mayBring = bringing[familyOf(path) ?? ""]
  const whole = mayBring === undefined ? imports : imports.filter((each) => mayBring(each, written))
  if (imported === null && path.endsWith(".go"))
    return imports.some((each) => {
      const link = each.local === "." ? linkOf(path, each, repository) : null
      return link?._tag === "Module" && folderOf(link.path) === folderOf(target.path)
    })
  if (imported === null) return leadsByFile(path, target, whole, repository)
  // A package of Kotlin has its names in any of its files.
  if (familyOf(path) === "kotlin" && leadsByFile(path, target, [imported], repository)) return true
  const link = linkFor(target, path, imported, repository)
  if (link._tag === "Nowhere") return false
  const member = written.slice(imported.local.length + 1)
  if (link._tag === "Module") {
    if (link.path === target.path) return true
    const isPackage = path.endsWith(".go") && folderOf(link.path) === folderOf(target.path)
    if (isPackage || member === "") return isPackage
    const dot = member.lastIndexOf(".")
    if (dot >= 0) {
      // `import shop`, and then `shop.cart.total`.
      const inner = { module: `${imported.module}.${member.slice(0, dot)}`, name: null }
      const submodule = familyOf(path) === "python" && imported.name === null ? linkOf(path, inner, repository) : link
      return submodule._tag === "Module" && submodule.path === target.path && member.slice(dot + 1) === name
    }
  }
  const wanted = link._tag === "Module" ? member : link.name
  if (link.path === target.path) return wanted === name || wanted === "default"
  const found = yield* resolver.provided(link.path, wanted, repository)
  const place = found._tag === "Defined" ? found : found._tag === "Present" ? found.overload : undefined
  return place?.path === target.path && place.definition.name === name
})

/** Rust: the last two names of a path, `pay::total`, are those of a function in the only module of this name. */
const endsInModule = (
  written: string,
  imports: ReadonlyArray<ImportedName>,
  { path: home }: Target,
  name: string,
  { byName }: Repository
): boolean => {
  const module = /([^/]+?)(?:\/mod)?\.rs$/.exec(home)?.[1]
  const isOnly = (byName.get(`${module}.rs`)?.length ?? 0) + folderModules(module, byName).length === 1
  const imported = imports.map((each) => each.module.split("::")).filter((names) => names.at(-1) === written)
  return isOnly && [written.split("."), ...imported].some((names) => names.at(-2) === module && names.at(-1) === name)
}

const folderModules = (module: string | undefined, byName: Repository["byName"]): ReadonlyArray<string> =>
  (byName.get("mod.rs") ?? []).filter((path) => path.endsWith(`/${module}/mod.rs`))

/** Languages whose imports name files or packages and not names: one of the imports leads to the file. */
const leadsByFile = (
  path: string,
  target: Target,
  imports: ReadonlyArray<ImportedName>,
  repository: Repository
): boolean => {
  const family = familyOf(path)
  if (family === "python" || family === "script" || family === "go") return false
  return imports.some(({ module, name }) =>
    resolveImport(path, { module, names: name === null ? [] : [name] }, repository).includes(target.path)
  )
}
