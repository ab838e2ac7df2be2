/**
 * Places the changed files of one language in their repository: the lost definitions, and the files that may use them.
 *
 * The number of files is bounded, the nearest to the change first. A definition that moved to another file of the same
 * Go package is not lost.
 */
import { Context, Effect, Layer } from "effect"
import { basePaths } from "../../domain/change/basePaths.ts"
import type { Diff, DiffFile } from "../../domain/change/Diff.ts"
import { isVendoredPath } from "../../domain/change/PathKind.ts"
import type { ChangedFile, Scene } from "../../domain/code/ContractScene.ts"
import type { ContractChange } from "../../domain/code/contractChanges.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { folderOf, type Repository, repositoryOf } from "../../domain/code/Repository.ts"
import { type FileSymbols, wordPlaces } from "../../domain/code/Symbol.ts"
import { dataFiles, importWord } from "../../languages/imports.ts"
import type { Family } from "../../languages/Language.ts"
import { endingsOf } from "../../languages/languages.ts"
import { readTexts } from "../change/readTexts.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

/** The number of files with a changed word that are searched, the nearest to the change first. */
export const filesSearched = 400
const dataFilesRead = 400
/** The number of files that only contain the word of a changed member: the type of an object may still lead there. */
const membersSearched = 60

/** Changed files of one language, in a repository with these head-side paths. */
export interface Setting {
  readonly family: Family
  readonly changed: ReadonlyArray<ChangedFile>
  /** Old paths without a file on the head side. */
  readonly gone: ReadonlyMap<string, DiffFile>
  /** The whole change, with files of all languages. */
  readonly diff: Diff
  readonly paths: ReadonlyArray<string>
}

export interface SceneWithUsers {
  readonly scene: Scene
  /** How many files mention a changed definition; the scene has the nearest of them. */
  readonly users: number
}

export class ContractScenes extends Context.Service<
  ContractScenes,
  {
    /** Null if the change removes and alters no definition. */
    readonly around: (setting: Setting) => Effect.Effect<SceneWithUsers | null>
  }
>()("dd/services/code/ContractScenes") {
  static readonly layer = Layer.effect(
    ContractScenes,
    Effect.gen(function* () {
      const sources = yield* Sources
      const index = yield* SymbolIndex

      /**
       * Go: another file of the package may define a name that one file loses. Nothing is certain if such a file cannot
       * be read.
       */
      const settle = Effect.fnUntraced(function* (changed: ChangedFile, repository: Repository) {
        const { base, changes, path } = changed
        if (!path.endsWith(".go") || changes.length === 0) return changed
        const others: Array<FileSymbols> = []
        for (const other of repository.byFolder.get(folderOf(path)) ?? []) {
          if (other === path || !other.endsWith(".go")) continue
          const source = yield* sources.head(other)
          if (source._tag !== "Text" || !changes.some(({ name }) => wordPlaces(source.text, name).length > 0)) continue
          const symbols = yield* index.symbols(other)
          if (symbols === null || symbols.open) return { ...changed, changes: [] }
          if (symbols.package === base.package) others.push(symbols)
        }
        const isDefined = ({ name, container }: ContractChange) =>
          others.some((each) => each.definitions.some((other) => other.name === name && other.container === container))
        return { ...changed, changes: changes.filter((each) => !isDefined(each)) }
      })

      /** Files that name a changed definition or its class; of those with only a member's word, the first few. */
      const likelyUsers = Effect.fnUntraced(function* (
        candidates: ReadonlyArray<string>,
        changed: ReadonlyArray<ChangedFile>,
        gone: ReadonlyMap<string, DiffFile>
      ) {
        const members = changed.flatMap(({ changes }) => changes.filter(isMember))
        if (members.length === 0 || candidates.length <= membersSearched) return candidates
        const owners = members.map(({ container }) => container?.split(".").at(-1) ?? "")
        const words = new Set([...wordsFor(changed, [...gone.keys()], false), ...owners])
        const own = new Set(changed.map(({ path }) => path))
        let left = membersSearched
        return yield* Effect.filter(candidates, (path) =>
          Effect.map(sources.head(path), (source) => {
            const isNamed =
              source._tag === "Text" && [...words].some((word) => wordPlaces(source.text, word).length > 0)
            return own.has(path) || isNamed || left-- > 0
          })
        )
      })

      const around = Effect.fn("ContractScenes.around")(function* ({ changed, diff, family, gone, paths }: Setting) {
        const words = wordsFor(changed, [...gone.keys()])
        if (words.length === 0 && changed.every(({ changes }) => changes.length === 0)) return null
        const present = new Set(paths)
        const own = changed.map(({ path }) => path).filter((path) => present.has(path))
        const mentioning = new Set([...own, ...(yield* sources.mentioning(words, endingsOf(family)))])
        const users = nearestFirst(
          [...own, ...gone.keys()],
          [...mentioning].filter((path) => present.has(path) && !isVendoredPath(path))
        )
        const nearest = users.slice(0, filesSearched)
        const packages = new Set(family === "go" ? own.map(folderOf) : [])
        yield* sources.preload([...nearest, ...paths.filter((path) => packages.has(folderOf(path)))])
        const candidates = yield* likelyUsers(nearest, changed, gone)
        const dataPaths = dataFiles([...own, ...gone.keys(), ...candidates], paths).slice(0, dataFilesRead)
        const data = yield* readTexts(sources, dataPaths)
        const head = repositoryOf(paths, data)
        const settled = yield* Effect.forEach(changed, (each) => settle(each, head))
        const lost = settled.flatMap(({ changes }) => changes.filter(isMember))
        const scene: Scene = {
          head,
          base: repositoryOf(basePaths(paths, diff), data),
          changed: settled,
          byPath: new Map(settled.map((each) => [each.path, each])),
          gone,
          names: new Set(settled.flatMap(exportedNames)),
          members: new Set(lost.map(({ name }) => name)),
          containers: new Set(
            lost.flatMap(({ container }) => (container === null ? [] : [container, ...exportedAs(container, changed)]))
          ),
          mentioning: candidates,
          isComplete: candidates.length === users.length
        }
        return { scene, users: users.length }
      })

      return ContractScenes.of({ around })
    })
  )
}

const isMember = ({ container }: ContractChange): boolean => container !== null

/** The names by which other files know the changed definitions; in a module with exports, only the exported ones. */
const exportedNames = ({ base, changes, head }: ChangedFile): ReadonlyArray<string> => {
  const names = new Set(changes.flatMap(({ name, container }) => (container === null ? [name] : [])))
  if (base.exports === null) return [...names]
  const exports = [...base.exports, ...(head?.exports ?? [])]
  return exports.flatMap(({ local, name }) => (names.has(name) || (local !== null && names.has(local)) ? [name] : []))
}

/** Other names under which the changed files export a definition. */
const exportedAs = (local: string, changed: ReadonlyArray<ChangedFile>): ReadonlyArray<string> =>
  changed.flatMap(({ head }) => head?.exports?.flatMap((each) => (each.local === local ? [each.name] : [])) ?? [])

/** The words of which a file must contain one to be searched. */
const wordsFor = (
  changed: ReadonlyArray<ChangedFile>,
  gone: ReadonlyArray<string>,
  withMembers = true
): ReadonlyArray<string> => {
  const words = changed.flatMap((each) => {
    const offered = exportedNames(each)
    return [
      ...offered.filter((name) => name !== "default"),
      ...(withMembers ? each.changes.filter(isMember).map(({ name }) => name) : []),
      // An import of a default may choose any name, but it has to name the file.
      ...(offered.includes("default") ? [importWord(each.path) ?? ""] : [])
    ]
  })
  return [...new Set([...words, ...gone.map((path) => importWord(path) ?? "")])].filter((word) => word !== "")
}
