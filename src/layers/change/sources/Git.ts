/**
 * Texts of both sides from a repository: blobs by object name, the index, or the working tree as the disk has it.
 *
 * Blobs are read many at a time, in one process, and only once. A side that cannot be read gives the reason for each path
 * and never fails the run.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { Change, Side } from "../../../domain/change/Change.ts"
import { filesOfDiff } from "../../../domain/change/filesOfDiff.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import { hasImportWords } from "../../../languages/imports.ts"
import { endingsOf, familyOf } from "../../../languages/languages.ts"
import { Git } from "../../../services/change/Git.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import { makeReadFailures } from "../../../services/change/ReadFailures.ts"
import { Sources } from "../../../services/change/Sources.ts"
import { makeHistory } from "./history.ts"
import * as Patch from "./Patch.ts"
import { type Entry, isDirectory, makeSideFiles, type SideFiles } from "./sideFiles.ts"
import { makePassingTexts, makeSideTexts } from "./sideTexts.ts"
import { make as makeWordSearch } from "./wordSearch.ts"

/** For a change whose head is unknown, the repository cannot be used: this is `Patch.layer`. */
export const layer = (repository: Repository, change: Change) =>
  change.head._tag === "Unknown" ? Patch.layer(change) : fromRepository(repository, change)

/** Are the files that may use the change read before they are asked for? A pack asks for no uses. */
export const ReadsAhead = Context.Reference<boolean>("dd/layers/change/sources/Git/ReadsAhead", {
  defaultValue: () => true
})

const fromRepository = (repository: Repository, change: Change) =>
  Layer.effect(
    Sources,
    Effect.gen(function* () {
      const git = yield* Git
      const failures = makeReadFailures()
      const sides = yield* makeSideFiles(git, repository, change, failures)
      const search = yield* makeWordSearch(repository, change.head, sides.files.head.listing, failures)
      // A review begins with a search for the uses of the changed files.
      const families = new Set(
        change.diff.files.flatMap(({ path }) => (hasImportWords(path) ? familyOf(path) : null) ?? [])
      )
      if (families.size > 0 && (yield* ReadsAhead)) yield* search.soon([...families].flatMap(endingsOf))
      const texts = yield* makeSideTexts(sides, failures, search.bytes)
      const base = (path: string) => texts.text("base", path)

      return Sources.of({
        head: (path) => texts.text("head", path),
        base,
        preload: Effect.fn("Sources.preload")((head, base = []) => texts.load(base, head)),
        blobOf: (which, path) => blobOf(sides, which, path),
        history: yield* makeHistory(git, repository, change),
        baseFolder: Effect.fn("Sources.baseFolder")((folder) =>
          Effect.map(sides.files.base.listing, (entries) => filesIn(folder, entries, sides.files.base.known)).pipe(
            failures.survive(`the files in ${folder} before the change`, [])
          )
        ),
        headPaths: yield* Effect.cached(Effect.map(sides.listed, (entries) => headPathsOf(entries, change))),
        submodules: Effect.map(sides.listed, (entries) =>
          [...entries].flatMap(([path, entry]) => (isDirectory(entry) ? [path] : [])).sort(compareText)
        ),
        containing: Effect.fn("Sources.containing")((which, literals, options) => {
          const side = change[which]
          // Before a patch that the working tree has applied there is nothing git could search.
          if (side._tag === "Unknown" || literals.length === 0) return Effect.succeed(null)
          return filesContaining(git, sides, side, literals, options).pipe(
            Effect.catch((error) =>
              Effect.as(Effect.logWarning(`git could not search for a text: ${error.message}`), null)
            )
          )
        }),
        passing: yield* makePassingTexts(sides, failures, base),
        mentioning: Effect.fn("Sources.mentioning")((words, endings) =>
          search.mentioning(words, endings).pipe(
            Effect.map((paths) => [...paths].sort(compareText)),
            failures.survive("uses in other files", [])
          )
        ),
        soon: search.soon,
        places: Effect.fn("Sources.places")((groups, endings) =>
          search.places(groups, endings).pipe(
            Effect.map((found) => [...found].sort((a, b) => compareText(a.path, b.path) || a.line - b.line)),
            failures.survive("other places with the same names", [])
          )
        ),
        incomplete: (unchecked, reason) => Effect.sync(() => failures.add(unchecked, reason)),
        failures: Effect.flatMap(git.incomplete, (missing) => {
          for (const error of missing) failures.add("files that git does not track", error)
          return failures.all
        })
      })
    })
  )

const blobOf = Effect.fnUntraced(function* (
  { change, files, locate }: SideFiles,
  which: "base" | "head",
  path: string
) {
  const { side } = files[which]
  // In a working tree, the files that differ from the index are those of the diff.
  const { at, from } = filesOfDiff(change.diff)
  const isOnDisk = side._tag === "Worktree" && (at(path) !== undefined || from(path) !== undefined)
  if (isOnDisk || side._tag === "Unknown") return null
  const located = yield* Effect.option(locate(which, [path]))
  const entry = Option.getOrUndefined(located)?.[0]?.entry
  return entry == null || !/^100/.test(entry.mode) ? null : entry.oid
})

const headPathsOf = (entries: ReadonlyMap<string, Entry>, change: Change): ReadonlyArray<string> => {
  const paths = new Set<string>()
  for (const [path, entry] of entries) if (!isDirectory(entry)) paths.add(path)
  if (change.head._tag === "Worktree") {
    // Files that are not in the index yet, and files that are no longer on the disk.
    for (const file of change.diff.files) {
      if (file.newPath === null) paths.delete(file.path)
      else if (file.newMode !== "160000") paths.add(file.newPath)
    }
  }
  return [...paths].sort(compareText)
}

/** The files directly in a folder. The listing may be that of the head; `known` are the entries of the diff. */
const filesIn = (
  folder: string,
  listing: ReadonlyMap<string, Entry>,
  known: ReadonlyMap<string, Entry | null>
): ReadonlyArray<string> =>
  [...new Map<string, Entry | null>([...listing, ...known])]
    .flatMap(([path, entry]) => (isDirectlyIn(folder, path) && entry !== null && !isDirectory(entry) ? [path] : []))
    .sort(compareText)

const isDirectlyIn = (folder: string, path: string): boolean =>
  path.startsWith(`${folder}/`) && !path.includes("/", folder.length + 1)

const filesContaining = Effect.fnUntraced(function* (
  git: Git["Service"],
  { files, repository }: SideFiles,
  side: Exclude<Side, { readonly _tag: "Unknown" }>,
  literals: ReadonlyArray<string>,
  options: { readonly ignoreCase: boolean; readonly under: string | null }
) {
  const found = new Set(yield* git.containing(repository, side, literals, options))
  if (side._tag === "Worktree") {
    // Git does not search the files that a sparse checkout leaves out.
    const left = [...(yield* files.head.listing)].filter(([, entry]) => entry.skipWorktree)
    const indexed = left.length === 0 ? [] : yield* git.containing(repository, { _tag: "Index" }, literals, options)
    const sparse = new Set(left.map(([path]) => path))
    for (const path of indexed) if (sparse.has(path)) found.add(path)
  }
  return [...found].sort(compareText)
})
