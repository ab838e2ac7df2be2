/**
 * Checks everything in the repository that uses a definition which the change removes or alters.
 *
 * Reports only what resolves (`UseFinder`). Deterministic and bounded in files; what a bound cut off is in `omitted`.
 */

import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Diff, DiffFile } from "../../domain/change/Diff.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import { isGeneratedPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { overLimit } from "../../domain/change/remote/whyUnread.ts"
import type { Reader } from "../../domain/code/brokenUses.ts"
import type { ChangedFile, Scene } from "../../domain/code/ContractScene.ts"
import { type ContractChange, contractChanges } from "../../domain/code/contractChanges.ts"
import { folderOf, repositoryOf } from "../../domain/code/Repository.ts"
import { type Definition, type FileSymbols, wordPlaces } from "../../domain/code/Symbol.ts"
import { changedUses, likeness, type Successor, successorIn } from "../../domain/code/successors.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { resolveImport } from "../../languages/imports.ts"
import type { Family } from "../../languages/Language.ts"
import { endingsOf, families, familyOf, isJudged } from "../../languages/languages.ts"
import { type Broken, contractRecords } from "../../rules/structure/contractRecords.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { ContractScenes } from "../code/ContractScenes.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { UseFinder } from "../code/UseFinder.ts"
import { RuleSet } from "./RuleSet.ts"
import { firstOf, headLines } from "./structureCheck.ts"

/** A change of more files moves entire trees; definitions are compared in this many. */
const filesCompared = 300

export const contractCheck = Effect.fn("contractCheck")(function* (change: Change) {
  const sources = yield* Sources
  const { rules } = yield* RuleSet
  const contractRules = rules.filter((rule) => rule._tag === "Contract")
  const headPaths = yield* sources.headPaths
  const own = change.diff.files.filter(isOwnCode)
  const { kept: compared, omitted } = firstOf(own, filesCompared, "definitions in", "changed files")
  if (headPaths.length === 0 || contractRules.length === 0 || own.length === 0) return nothingReviewed
  const changed = (yield* forEachFile("symbols", compared, compare)).flat()
  const gone = goneFiles(compared, headPaths, change)
  const parts = yield* Effect.forEach(
    families.filter((family) => changed.some(({ path }) => familyOf(path) === family)),
    (family) => {
      const ofFamily = new Map([...gone].filter(([path]) => familyOf(path) === family))
      const inFamily = changed.filter(({ path }) => familyOf(path) === family)
      return reviewFamily(family, inFamily, ofFamily, change, headPaths)
    },
    { concurrency: families.length }
  )
  const found = parts.flatMap((part) => part.broken)
  const broken = yield* located(found, changed, compared, change.diff)
  const paths = broken.flatMap(({ path, file }) => [path, file.path])
  return {
    records: contractRecords(contractRules, broken, change.diff, yield* headLines(sources, paths)),
    rulesApplied: contractRules.map(({ id }) => id).sort(compareText),
    omitted: [...omitted, ...parts.flatMap((part) => part.omitted)]
  }
})

const compare = Effect.fnUntraced(function* (file: DiffFile) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  // A new file has removed nothing.
  if (file.oldPath === null) return []
  // The head side first, because the base side is parsed incrementally from it.
  const head = file.newPath === null ? null : yield* index.symbols(file.newPath)
  const base = yield* index.symbolsBefore(file)
  if (base === null) return []
  const passesOn = /(?:^|\/)__init__\.pyi?$/.test(file.path)
  // The other files of a Go package remain, and may use what this one defined.
  const leavesPackage = file.oldPath !== null && file.path.endsWith(".go") && leavesFolder(file)
  const rest = leavesPackage ? { ...base, definitions: [], types: [], imports: [] } : head
  const before = rest === null ? base : yield* withLostStars(file.path, base, rest)
  const changes = rest === null ? [] : contractChanges(before, rest, passesOn)
  const family = familyOf(file.path)
  // Announces the search for its uses.
  if (changes.length > 0 && family !== null) yield* sources.soon(endingsOf(family))
  const changed: ChangedFile = {
    file,
    path: (leavesPackage ? file.oldPath : null) ?? file.path,
    base: before,
    head,
    changes
  }
  return [changed]
})

/** The base side with the names that an `export *` exported which the change removes. */
const withLostStars = Effect.fnUntraced(function* (path: string, base: FileSymbols, head: FileSymbols) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const lost = base.exports === null ? [] : base.stars.filter((module) => !head.stars.includes(module))
  if (lost.length === 0) return base
  const repository = repositoryOf(yield* sources.headPaths, new Map())
  const exported = yield* Effect.forEach(lost, (module) => {
    const [target] = resolveImport(path, { module, names: [] }, repository)
    if (target === undefined) return Effect.succeed([])
    return Effect.map(index.symbols(target), (symbols) =>
      (symbols?.exports ?? []).flatMap(({ name }) =>
        name === "default" ? [] : [{ name, local: null, from: { module, name }, line: 1 }]
      )
    )
  })
  return { ...base, exports: [...(base.exports ?? []), ...exported.flat()] }
})

/** New files that mention one of these names. */
const addedFiles = Effect.fnUntraced(function* (names: ReadonlySet<string>, files: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const found: Array<Target> = []
  for (const { newPath, oldPath } of files) {
    const source = oldPath !== null || newPath === null ? null : yield* sources.head(newPath)
    if (source?._tag !== "Text" || newPath === null) continue
    if (![...names].some((name) => wordPlaces(source.text, name).length > 0)) continue
    found.push({ path: newPath, base: null, head: yield* index.symbols(newPath) })
  }
  return found
})

const linesOf = Effect.fnUntraced(function* (which: "base" | "head", path: string) {
  const sources = yield* Sources
  const source = yield* sources[which](path)
  return source._tag === "Text" ? source.lines : []
})

/** A lost definition with its new file or its new name, if evident. */
const locate = Effect.fnUntraced(function* (
  contract: Lost,
  path: string,
  lines: ReadonlyArray<string>,
  targets: ReadonlyArray<Target>,
  successorOf: Successor
) {
  const { definition, name } = contract
  const places: Array<string> = []
  for (const target of definition.container === null ? targets : []) {
    const isNamed = (each: Definition) => each.name === name && each.container === null
    const now = target.head?.definitions.find((each) => isNamed(each) && each.kind === definition.kind)
    if (target.path === path || familyOf(target.path) !== familyOf(path)) continue
    if (now === undefined || target.base?.definitions.some(isNamed) === true) continue
    const isSame = now.shape === definition.shape
    if (isSame || likeness(definition, lines, now, yield* linesOf("head", target.path)) >= alikeWhenMoved)
      places.push(target.path)
  }
  const [movedTo] = places
  if (movedTo !== undefined) return places.length === 1 ? { ...contract, movedTo } : contract
  return { ...contract, became: successorOf(definition) }
})

/** Locates the lost definitions that are still used. */
const located = Effect.fnUntraced(function* (
  broken: ReadonlyArray<Broken>,
  known: ReadonlyArray<ChangedFile>,
  files: ReadonlyArray<DiffFile>,
  diff: Diff
) {
  const lost = new Set(broken.flatMap(({ contract }) => (isLost(contract) ? [contract] : [])))
  if (lost.size === 0) return broken
  const names = new Set([...lost].map(({ name }) => name))
  const targets: ReadonlyArray<Target> = [...known, ...(yield* addedFiles(names, files))]
  const found = new Map<ContractChange | null, ContractChange>()
  const now = known.flatMap(({ head }) => head?.definitions.map(({ name }) => name) ?? [])
  const uses = changedUses(diff, [...names, ...now])
  for (const { base, changes, file, head, path } of known) {
    const own = changes.filter(isLost).filter((contract) => lost.has(contract))
    if (own.length === 0) continue
    const before = { symbols: base, lines: yield* linesOf("base", file.oldPath ?? path) }
    const lines = yield* linesOf("head", file.newPath ?? path)
    const successorOf = head === null ? () => null : successorIn(file, before, { symbols: head, lines }, uses)
    for (const contract of own) {
      found.set(contract, yield* locate(contract, path, before.lines, targets, successorOf))
    }
  }
  return broken.map((each) => ({ ...each, contract: found.get(each.contract) ?? each.contract }))
})

/** Python and JavaScript: code adds the member to its class: `setattr(Cart, ...)`, `Cart.prototype.total = ...`. */
const isAddedAtRunTime = Effect.fnUntraced(function* (
  { _tag, container: owner, name: member }: ContractChange,
  { path }: DiffFile,
  { mentioning }: Scene
) {
  if (_tag !== "Gone" || owner === null || !/\.(?:py|[cm]?[jt]sx?)$/.test(path)) return false
  const sources = yield* Sources
  const [container, name] = [owner, member].map(RegExp.escape)
  const added = new RegExp(
    `\\b${container}(?:\\.prototype)?\\.${name}\\s*=(?!=)|\\b(?:setattr|assign|definePropert(?:y|ies))\\(\\s*${container}\\b`
  )
  const texts = yield* Effect.forEach(new Set([path, ...mentioning]), sources.head)
  return texts.some((source) => source._tag === "Text" && added.test(source.text))
})

/** The uses that the changed files of one language broke. */
const reviewFamily = Effect.fnUntraced(function* (
  family: Family,
  changed: ReadonlyArray<ChangedFile>,
  gone: ReadonlyMap<string, DiffFile>,
  change: Change,
  paths: ReadonlyArray<string>
) {
  const scenes = yield* ContractScenes
  const finder = yield* UseFinder
  const built = yield* scenes.around({ family, changed, gone, diff: change.diff, paths })
  if (built === null) return { broken: [], omitted: [] }
  const { scene, users } = built
  const broken: Array<Broken> = []
  const findBroken = Effect.fnUntraced(function* (path: string) {
    const found = yield* finder.brokenIn(path, scene, readerOf(path, change))
    const lines = found.length === 0 ? [] : yield* linesOf("head", path)
    broken.push(...found.filter(({ line }) => !isExpected(lines, line)).map((place) => ({ ...place, path })))
  })
  yield* forEachFile("users", scene.mentioning, findBroken)
  const added = new Set<ContractChange>()
  for (const { contract, file } of new Map(broken.map((each) => [each.contract, each])).values()) {
    if (contract !== null && (yield* isAddedAtRunTime(contract, file, scene))) added.add(contract)
  }
  const cut = users - scene.mentioning.length
  const sources = yield* Sources
  const tooLarge = yield* Effect.forEach(scene.mentioning, (path) =>
    Effect.map(sources.head(path), (source) =>
      source._tag === "TooLarge" ? [`uses in ${path} (too large, ${overLimit(source.bytes)})`] : []
    )
  )
  const farthest =
    cut === 0 ? [] : [`uses in ${cut} of ${users} ${family} files that mention what changed, the farthest ones`]
  const omitted = [...tooLarge.flat().slice(0, largeNamed), ...farthest]
  return { broken: broken.filter(({ contract }) => contract === null || !added.has(contract)), omitted }
})

/** Does a comment say that a type error is expected in this line? */
const isExpected = (lines: ReadonlyArray<string>, line: number): boolean =>
  /@ts-(?:expect-error|ignore)\b/.test(lines[line - 2] ?? "") ||
  /#\s*(?:type|pyright):\s*ignore\b/.test(lines[line - 1] ?? "")

/** A file that may now contain a definition that another file lost. */
interface Target {
  readonly path: string
  readonly base: FileSymbols | null
  readonly head: FileSymbols | null
}

const largeNamed = 3

/** Deleted, or moved to another folder. */
const leavesFolder = ({ newPath, oldPath }: DiffFile): boolean =>
  newPath === null || folderOf(newPath) !== folderOf(oldPath ?? newPath)

const isOwnCode = (file: DiffFile): boolean =>
  !file.binary && isJudged(file.path) && !isVendoredPath(file.path) && !isGeneratedPath(file.path)

type Lost = Extract<ContractChange, { readonly _tag: "Gone" }> & { readonly definition: Definition }

/** Removed, and not known to exist under another name. */
const isLost = (contract: ContractChange | null): contract is Lost =>
  contract?._tag === "Gone" && !contract.kept && contract.became === null && contract.definition !== null

/** The minimum similarity of a definition that moved to another file under the same name. */
const alikeWhenMoved = 0.5

/** Old paths without a file on the head side, except paths that git ignores after the change. */
const goneFiles = (
  files: ReadonlyArray<DiffFile>,
  paths: ReadonlyArray<string>,
  change: Change
): ReadonlyMap<string, DiffFile> => {
  const present = new Set(paths)
  return new Map(
    files.flatMap((file) => {
      const { oldPath } = file
      return oldPath === null || present.has(oldPath) || isIgnoredNow(oldPath, change) ? [] : [[oldPath, file]]
    })
  )
}

/** The change adds the path to `.gitignore`: a build generates the file. */
const isIgnoredNow = (path: string, { diff }: Change): boolean => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const folders = path.split("/").slice(0, -1)
  return diff.files
    .filter((file) => file.path.endsWith(".gitignore"))
    .flatMap(addedLines)
    .some(({ text }) => text.includes(name) || folders.some((folder) => text.split("/").includes(folder)))
}

const readerOf = (path: string, { diff }: Change): Reader => {
  const file = filesOfDiff(diff).at(path)
  const added = new Set(file === undefined ? [] : addedLines(file).map(({ line }) => line))
  return {
    isAdded: (line) => added.has(line),
    dropsMatter: familyOf(path) === "python" || familyOf(path) === "rust",
    awaitsFail: familyOf(path) === "python",
    strict: !/\.[cm]?jsx?$/.test(path)
  }
}
