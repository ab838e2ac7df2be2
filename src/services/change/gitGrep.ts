/**
 * `git grep` over one side of a change.
 *
 * Binary files are also searched, because a repository's attributes can declare any file binary. In the working tree,
 * untracked files that are not ignored are included. A file that cannot be searched, because it is too large or a partial
 * clone lacks it, counts as a match.
 */
import { Array as Arr, Effect, FileSystem, Path } from "effect"
import type { HeadSide } from "../../domain/change/Change.ts"
import type { Lack } from "../../domain/change/Degraded.ts"
import { hasEnding, isVendoredPath } from "../../domain/change/PathKind.ts"
import { concatBytes } from "../../domain/text/concatBytes.ts"
import { type GitCalls, objectMissing } from "./gitCall.ts"
import type { makeGitDiffs } from "./gitDiffs.ts"
import type { GitFiles } from "./gitFiles.ts"
import { type IndexEntry, isReadable, nulTexts } from "./gitOutput.ts"
import {
  excluding,
  expressionsOf,
  literalArguments,
  notVendored,
  pathspec,
  wordArguments,
  wordPlacesIn
} from "./gitSearch.ts"
import type { Repository } from "./openRepository.ts"
import { maxBytes } from "./Sources.ts"

type SearchedSide = Exclude<HeadSide, { readonly _tag: "Empty" }>

/** The output of `git grep`, and the files that were left out of the search. */
interface Found {
  readonly listed: Uint8Array
  readonly notSearched: ReadonlyArray<string>
  /** Because they are too large, or because the clone lacks them. */
  readonly lack: Lack
}

interface Search {
  readonly options: ReadonlyArray<string>
  readonly patterns: ReadonlyArray<string>
  readonly pathspecs: ReadonlyArray<string>
  /** Do the pathspecs match the path? */
  readonly covers: (path: string) => boolean
}

export const makeGitGrep = Effect.fnUntraced(function* (
  { ask }: Pick<GitCalls, "ask">,
  { lsFiles, lsTree, missing, readBlobs }: Pick<GitFiles, "lsFiles" | "lsTree" | "missing" | "readBlobs">,
  { untracked }: Pick<ReturnType<typeof makeGitDiffs>, "untracked">
) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path

  const searchOnce = Effect.fnUntraced(function* (
    repository: Repository,
    where: ReadonlyArray<string>,
    { options, pathspecs, patterns }: Search
  ) {
    const input = new TextEncoder().encode(`${patterns.join("\n")}\n`)
    const args = ["grep", ...options, ...where, "--", ...pathspecs]
    const { exitCode, stderr, stdout } = yield* ask(repository, args, { input, accept: [1] })
    // In a damaged clone, git searches the other objects and exits as if it had searched all.
    const lost = objectMissing("grep", stderr)
    if (lost !== null) return yield* lost
    return exitCode === 1 ? new Uint8Array() : stdout
  })

  /** Git unpacks every file it searches. Files that it cannot unpack are left out of a second search. */
  const searchTracked = Effect.fnUntraced(function* (repository: Repository, side: SearchedSide, search: Search) {
    const where = side._tag === "Commit" ? [side.sha] : side._tag === "Index" ? ["--cached"] : []
    return yield* searchOnce(repository, where, search).pipe(
      Effect.map((listed): Found => ({ ...nothingFound, listed })),
      Effect.catchTag(["GitMemoryExceeded", "ObjectMissing"], (failed) =>
        Effect.gen(function* () {
          const lack = failed._tag === "ObjectMissing" ? "here" : "limit"
          const files = (yield* filesOf(repository, side)).filter(({ path }) => search.covers(path))
          const left = new Set(
            yield* lack === "here" ? missingFiles(repository, files) : largeFiles(repository, side, files)
          )
          if (left.size === 0) return yield* failed
          const notSearched = files.flatMap(({ path }) => (left.has(path) ? [path] : []))
          const others = files.flatMap(({ path }) => (left.has(path) ? [] : [path]))
          const found =
            notSearched.length > pathsAtOnce
              ? yield* searchEach(repository, where, search, others)
              : [
                  yield* searchOnce(repository, where, {
                    ...search,
                    pathspecs: [...search.pathspecs, ...notSearched.map(excluding)]
                  })
                ]
          const all: Found = { listed: concatBytes(found), notSearched, lack }
          return all
        })
      )
    )
  })

  /** Only these files, as many at a time as a command line can name. */
  const searchEach = (
    repository: Repository,
    where: ReadonlyArray<string>,
    search: Search,
    files: ReadonlyArray<string>
  ) =>
    Effect.forEach(Arr.chunksOf(files, pathsAtOnce), (some) =>
      searchOnce(repository, where, { ...search, pathspecs: some.map(pathspec) })
    )

  const searchUntracked = Effect.fnUntraced(function* (repository: Repository, search: Search) {
    const others = yield* untracked(repository, search.pathspecs)
    return yield* searchEach(repository, ["--untracked", "--exclude-standard"], search, others)
  })

  /** With untracked files, git leaves out tracked files that are ignored, so the working tree takes two searches. */
  const grep = Effect.fnUntraced(function* (repository: Repository, side: SearchedSide, search: Search) {
    if (side._tag !== "Worktree") return yield* searchTracked(repository, side, search)
    const [tracked, others] = yield* Effect.all(
      [searchTracked(repository, side, search), searchUntracked(repository, search)],
      { concurrency: 2 }
    )
    const found: Found = { ...tracked, listed: concatBytes([tracked.listed, ...others]) }
    return found
  })

  const filesOf = Effect.fnUntraced(function* (repository: Repository, side: SearchedSide) {
    return side._tag === "Commit" ? yield* lsTree(repository, side.sha) : yield* lsFiles(repository)
  })

  type Files = ReadonlyArray<Pick<IndexEntry, "mode" | "oid" | "path">>

  const missingFiles = Effect.fnUntraced(function* (repository: Repository, files: Files) {
    const stored = files.filter(({ mode }) => mode !== "160000")
    const lost = new Set(
      yield* missing(
        repository,
        stored.map(({ oid }) => oid)
      )
    )
    return stored.flatMap(({ oid, path }) => (lost.has(oid) ? [path] : []))
  })

  /** Those that are too large for a review. */
  const largeFiles = Effect.fnUntraced(function* (repository: Repository, side: SearchedSide, files: Files) {
    const { root } = repository
    if (side._tag !== "Worktree" || root === null) {
      const oids = files.map(({ oid }) => oid)
      const blobs = yield* readBlobs(repository, oids, maxBytes, 0)
      return files.flatMap(({ oid, path }) => (isReadable(blobs.get(oid)) ? [] : [path]))
    }
    const isLarge = (path: string) =>
      Effect.match(fs.lstat(paths.join(root, path)), {
        onSuccess: ({ size }) => Number(size) > maxBytes,
        onFailure: () => false
      })
    const large = yield* Effect.filter(files, ({ path }) => isLarge(path), { concurrency: 16 })
    return large.map(({ path }) => path)
  })

  const grepWords = Effect.fnUntraced(function* (
    repository: Repository,
    side: HeadSide,
    words: ReadonlyArray<string>,
    endings: ReadonlyArray<string>,
    listing: ReadonlyArray<string>
  ) {
    const wanted = searchable(words)
    if (wanted.length === 0 || endings.length === 0 || side._tag === "Empty") return nothingFound
    return yield* grep(repository, side, {
      options: [...listing, ...wordArguments],
      patterns: expressionsOf(wanted),
      pathspecs: [...endings.map((ending) => `:(top,icase)*${ending}`), ...notVendored],
      covers: (path) => !isVendoredPath(path) && hasEnding(path, endings)
    })
  })

  /** The files with these endings, except vendored ones, in which one of the words occurs as a whole word. */
  const mentioning = Effect.fn("Git.mentioning")(function* (
    repository: Repository,
    side: HeadSide,
    words: ReadonlyArray<string>,
    endings: ReadonlyArray<string>
  ) {
    const found = yield* grepWords(repository, side, words, endings, ["--files-with-matches"])
    return [...pathsIn(found, side), ...found.notSearched]
  })

  /** The places of each word in such files, as git lists them: by path, then by line. */
  const places = Effect.fn("Git.places")(function* (
    repository: Repository,
    side: HeadSide,
    words: ReadonlyArray<string>,
    endings: ReadonlyArray<string>
  ) {
    const found = yield* grepWords(repository, side, words, endings, ["--line-number", "--only-matching"])
    const places = wordPlacesIn(new TextDecoder().decode(found.listed), prefixOf(side).length)
    // Whether files that the clone lacks have the words is unknown.
    return { places, missing: found.lack === "here" ? found.notSearched : [] }
  })

  /**
   * The files in which one of these strings occurs on a line. `under`: a folder or a file to search in; null for all.
   * Only ASCII is compared without case.
   */
  const containing = Effect.fn("Git.containing")(function* (
    repository: Repository,
    side: HeadSide,
    literals: ReadonlyArray<string>,
    { ignoreCase, under }: { readonly ignoreCase: boolean; readonly under: string | null }
  ) {
    const patterns = searchable(literals)
    if (patterns.length === 0 || side._tag === "Empty") return []
    const found = yield* grep(repository, side, {
      options: literalArguments(ignoreCase),
      patterns,
      pathspecs: under === null ? [] : [pathspec(under)],
      covers: (path) => under === null || path === under || path.startsWith(`${under}/`)
    })
    return [...pathsIn(found, side), ...found.notSearched]
  })

  return { mentioning, places, containing }
})

/** An empty pattern would match every line, and a line break would split a pattern. */
const searchable = (patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(patterns)].filter((pattern) => pattern !== "" && !/[\n\0]/.test(pattern))

/** The prefix of each path in the output of `git grep`. */
const prefixOf = (side: HeadSide): string => (side._tag === "Commit" ? `${side.sha}:` : "")

const nothingFound: Found = { listed: new Uint8Array(), notSearched: [], lack: "limit" }

const pathsIn = ({ listed }: Found, side: HeadSide): ReadonlyArray<string> =>
  nulTexts(listed).map((path) => path.slice(prefixOf(side).length))

/** Limits the length of a command line. */
const pathsAtOnce = 500
