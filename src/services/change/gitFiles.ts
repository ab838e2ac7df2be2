/** The files of a commit and of the index, and their objects. */
import { Cache, Effect } from "effect"
import { callFailed, callIn, type GitCalls } from "./gitCall.ts"
import type { makeGitObjects } from "./gitObjects.ts"
import { type Blob, BlobReader, indexEntries, rawParents, treeEntries } from "./gitOutput.ts"
import type { Repository } from "./openRepository.ts"

export type GitFiles = Effect.Success<ReturnType<typeof makeGitFiles>>

export const makeGitFiles = Effect.fnUntraced(function* (
  { ask, stream }: Pick<GitCalls, "ask" | "stream">,
  objects: Effect.Success<ReturnType<typeof makeGitObjects>>
) {
  const trees = yield* Cache.make({
    capacity: 16,
    lookup: Effect.fn("Git.lsTree")(function* ([repository, sha]: readonly [Repository, string]) {
      const args = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", sha]
      // A tree of nested trees can list any number of files.
      const { stdout } = yield* ask(repository, args, { maxBytes: mostListed })
      return treeEntries(stdout)
    })
  })

  const stored = yield* Cache.make({
    capacity: 4,
    lookup: Effect.fnUntraced(function* (repository: Repository) {
      const args = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"]
      const { stdout } = yield* ask(repository, args, { maxBytes: mostListed })
      return new Set(new TextDecoder().decode(stdout).split("\n"))
    })
  })

  /** Those of these objects that this clone lacks. In a partial clone, git ends at the first one that it is asked for. */
  const missing = (repository: Repository, oids: ReadonlyArray<string>) =>
    Effect.map(Cache.get(stored, repository), (all) => oids.filter((oid) => !all.has(oid)))

  /** All files of a commit's tree; git runs once for each commit. */
  const lsTree = (repository: Repository, sha: string) => Cache.get(trees, [repository, sha] as const)

  /** All files of the index, including those that a sparse checkout leaves out. */
  const lsFiles = Effect.fn("Git.lsFiles")(function* (repository: Repository) {
    const { stdout } = yield* ask(repository, ["ls-files", "-z", "--stage", "-t"])
    return indexEntries(stdout)
  })

  /** The files of the index whose merge conflicts are not resolved. */
  const unmerged = Effect.fn("Git.unmerged")(function* (repository: Repository) {
    const { stdout } = yield* ask(repository, ["ls-files", "-z", "--stage", "-t", "--unmerged"])
    return indexEntries(stdout)
  })

  /** Reads objects by name in one process, each no larger than `maxBytes`; `keep` limits what is kept of each. */
  const readBlobs = Effect.fn("Git.readBlobs")(function* (
    repository: Repository,
    oids: ReadonlyArray<string>,
    maxBytes: number,
    keep?: number
  ) {
    const wanted = [...new Set(oids)].filter((oid) => objectName.test(oid))
    const reader = new BlobReader(maxBytes, keep)
    yield* objects.read(callIn(repository, ["cat-file", "--batch"]), wanted, reader)
    const blobs = new Map<string, Blob>(reader.blobs)
    let left = wanted.filter((oid) => !blobs.has(oid))
    for (let attempt = 1; left.length > 0; attempt++) {
      // A separate process reports why it fails.
      const rest = new BlobReader(maxBytes, keep)
      const args = ["cat-file", "--batch", "--buffer"]
      const answer = yield* stream({ ...callIn(repository, args), input: linesOf(left) }, (chunk) => rest.push(chunk))
      for (const [oid, blob] of rest.blobs) blobs.set(oid, blob)
      if (answer.exitCode === 0) return blobs
      const failed = callFailed(args, answer)
      if (failed._tag === "ObjectMissing" && attempt === 1) {
        for (const oid of yield* missing(repository, left)) blobs.set(oid, { _tag: "Missing" })
        left = left.filter((oid) => !blobs.has(oid))
        continue
      }
      if (failed._tag !== "GitMemoryExceeded" || attempt === mostAttempts) return yield* failed
      // Git has printed the size of the object it failed on, unless unpacking it requires a larger object.
      const first = left[0]!
      if (!left.some((oid) => blobs.has(oid))) blobs.set(first, { _tag: "TooDeep" })
      left = left.filter((oid) => !blobs.has(oid))
    }
    return blobs
  })

  /**
   * Objects by name in the format of `cat-file --batch`, one after another, from a separate process; null if together
   * they are larger than `maxBytes`.
   */
  const joinedBlobs = Effect.fn("Git.joinedBlobs")(
    (repository: Repository, oids: ReadonlyArray<string>, maxBytes: number) =>
      ask(repository, ["cat-file", "--batch", "--buffer"], { input: linesOf(oids), maxBytes }).pipe(
        Effect.map(({ stdout }) => stdout),
        Effect.catchTag("GitOutputTooLarge", () => Effect.succeed(null))
      )
  )

  /** The parents that a commit names, including those that a shallow clone does not have. */
  const parents = Effect.fn("Git.parents")(function* (repository: Repository, sha: string) {
    const commit = (yield* readBlobs(repository, [sha], 1 << 20)).get(sha)
    return commit?._tag === "Found" ? rawParents(commit.bytes) : []
  })

  return { lsTree, lsFiles, unmerged, missing, readBlobs, joinedBlobs, parents }
})

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

const linesOf = (lines: ReadonlyArray<string>): Uint8Array => new TextEncoder().encode(`${lines.join("\n")}\n`)

/** How often a batch is retried without the blob that git cannot unpack. */
const mostAttempts = 20

/** In bytes: a million files with long names. */
const mostListed = 1 << 27
