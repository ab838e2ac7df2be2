/**
 * Reads what the tasks of the Dream engine know of a repository.
 *
 * A repository is hostile: it is read through git with the flags of `Git`, and files that git does not track only as plain
 * files below the root. Never fails: a repository that is missing, bare, empty or damaged gives a view without what could
 * not be read, and notes that tell why. What a commit has is read once for each commit.
 */
import { Cache, Context, Duration, Effect, Exit, FileSystem, Layer, Path } from "effect"
import type { RepositoryView } from "../../domain/dream/RepositoryView.ts"
import { commandFiles, definedCommands } from "../../domain/dream/repository/definedCommands.ts"
import { sampledFiles } from "../../domain/dream/repository/sampledFiles.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { utf8Text } from "../../domain/text/quotePath.ts"
import { Git } from "../change/Git.ts"
import type { GitCallError } from "../change/GitError.ts"
import type { Blob } from "../change/gitOutput.ts"
import type { Repository } from "../change/openRepository.ts"
import { readWorktreeFile } from "../system/worktreeFile.ts"

export interface ReadRepository {
  readonly view: RepositoryView
  /** Why the view lacks something; empty if it is complete. */
  readonly notes: ReadonlyArray<string>
}

export class RepositoryViews extends Context.Service<
  RepositoryViews,
  {
    /** `touched`: files of a session, whose texts are read too; those that git does not track, from the disk. */
    readonly of: (root: string, touched: ReadonlyArray<string>) => Effect.Effect<ReadRepository>
  }
>()("dd/services/dream/RepositoryViews") {
  static readonly layer = Layer.effect(
    RepositoryViews,
    Effect.gen(function* () {
      const git = yield* Git
      const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }

      /** The texts of these files at a commit; absent: missing, longer than 64 KB or binary. */
      const textsOf = Effect.fnUntraced(function* (
        repository: Repository,
        oids: ReadonlyMap<string, string>,
        paths: ReadonlyArray<string>
      ) {
        const wanted = paths.flatMap((path) => oids.get(path) ?? [])
        const blobs = wanted.length === 0 ? noBlobs : yield* git.readBlobs(repository, wanted, largestText)
        return new Map(
          paths.flatMap((path) => {
            const blob = blobs.get(oids.get(path) ?? "")
            const text = blob?._tag === "Found" ? plainText(blob.bytes) : null
            return text === null ? [] : [[path, text] as const]
          })
        )
      })

      const commits = yield* Cache.makeWith(
        Effect.fnUntraced(function* ([repository, sha]: readonly [Repository, string]) {
          const entries = (yield* git.lsTree(repository, sha)).filter(({ mode }) => mode.startsWith("100"))
          const oids = new Map(entries.map(({ oid, path }) => [path, oid]))
          const files = [...oids.keys()].toSorted(compareText)
          const texts = yield* textsOf(repository, oids, [...sampledFiles(files), ...commandFiles(files)])
          const { history, notes } = yield* Effect.match(git.history(repository, { ...historyOptions, from: sha }), {
            onSuccess: (history) => ({ history, notes: [] }),
            onFailure: ({ message }) => ({ history: [], notes: [`its history: ${message}`] })
          })
          return {
            files,
            oids,
            texts,
            subjects: history.map(({ subject }) => subject.slice(0, longestSubject)),
            commits: history.flatMap(({ files: touched }) =>
              touched.length === 0 || touched.length > largestCommit ? [] : [touched.map(({ path }) => path)]
            ),
            commands: definedCommands(files, (path) => texts.get(path) ?? null),
            notes
          }
        }),
        { capacity: 8, timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero) }
      )

      const untracked = (root: string, paths: ReadonlyArray<string>) =>
        Effect.forEach(
          paths.slice(0, mostTouched),
          (path) =>
            Effect.map(readWorktreeFile(platform, root, path, largestText), (file) => {
              const text = file._tag === "File" ? plainText(file.bytes) : null
              return text === null ? [] : [[path, text] as const]
            }),
          { concurrency: 8 }
        )

      const read = Effect.fnUntraced(function* (root: string, touched: ReadonlyArray<string>) {
        const repository = yield* git.open(root)
        const { branch, sha } = repository.head
        const place = { root: repository.root ?? root, branch, head: sha }
        if (sha === null) return { view: { ...noFiles, ...place }, notes: ["the repository has no commit"] }
        const known = yield* Cache.get(commits, [repository, sha] as const)
        const more = touched.filter((path) => !known.texts.has(path))
        const tracked = yield* textsOf(
          repository,
          known.oids,
          more.filter((path) => known.oids.has(path)).slice(0, mostTouched)
        )
        const loose = more.filter((path) => !known.oids.has(path))
        const onDisk = repository.root === null ? [] : yield* untracked(repository.root, loose)
        const own = new Map([...tracked, ...onDisk.flat()])
        const { commands, commits: changed, files, notes, subjects } = known
        const text = (path: string) => known.texts.get(path) ?? own.get(path) ?? null
        return { view: { ...place, files, subjects, commits: changed, commands, text }, notes }
      })

      return RepositoryViews.of({
        of: Effect.fn("RepositoryViews.of")((root, touched) =>
          read(root, touched).pipe(
            Effect.catch((error: GitCallError | Effect.Error<ReturnType<typeof git.open>>) =>
              Effect.succeed({ view: { ...noFiles, root, branch: null, head: null }, notes: [error.message] })
            )
          )
        )
      })
    })
  )
}

/** In bytes. */
const largestText = 64 * 1024
const longestSubject = 300
/** A larger commit (a move, a formatter) says nothing of which files belong together. */
const largestCommit = 25
const mostTouched = 200

const historyOptions = { limit: 200, skip: 0, path: null, renames: "same" } as const

const noFiles = { files: [], subjects: [], commits: [], commands: new Set<string>(), text: () => null }

const noBlobs: ReadonlyMap<string, Blob> = new Map()

const plainText = (bytes: Uint8Array): string | null => {
  const text = utf8Text(bytes)
  return text === null || text.includes("\0") ? null : text
}
