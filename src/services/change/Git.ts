/**
 * The one door to git. Reads only; runs nothing the repository says (`gitHardening`), asks nothing, fetches nothing.
 *
 * Every call has a deadline and a bound on its output, and fails with a typed error. Calls may run at once.
 */
import { Context, Effect, FileSystem, Layer, Option, Path } from "effect"
import type { Side } from "../../domain/change/Change.ts"
import type { WordPlace } from "../../domain/change/WordPlace.ts"
import { concatBytes } from "../../domain/text/concatBytes.ts"
import { hasOddBytes } from "../../domain/text/quotePath.ts"
import {
  type GitCallError,
  GitTooOld,
  GitWouldWait,
  NotARepository,
  type ObjectMissing,
  RepositoryRefused,
  RevisionUnknown
} from "./GitError.ts"
import { callFailed, GitMaxOutput, makeGitCall, objectMissing } from "./gitCall.ts"
import { diffArguments, settingArguments, settingsOf } from "./gitHardening.ts"
import { type BlamedLine, blamedLines, type HistoryCommit, historyCommits, historyFormat } from "./gitHistory.ts"
import { makeGitObjects } from "./gitObjects.ts"
import {
  type Blob,
  BlobReader,
  type Commit,
  commitFormat,
  commitsOf,
  type IndexEntry,
  indexEntries,
  nulTexts,
  type RawChange,
  type Ref,
  rawChangesOf,
  rawParents,
  refFormat,
  refsOf,
  type Status,
  statusOf,
  type TreeEntry,
  touchedFormat,
  touchedOf,
  treeEntries
} from "./gitOutput.ts"
import { expressionsOf, literalArguments, wordArguments, wordPlacesIn } from "./gitSearch.ts"
import { maxBytes as maxTextBytes } from "./Sources.ts"

/** An opened repository: how it was found, and what its calls must override. Valid for one run. */
export interface Repository {
  /** The working tree, links resolved; null when bare. */
  readonly root: string | null
  readonly gitDir: string
  readonly bare: boolean
  readonly head: {
    /** Null when unborn. */
    readonly sha: string | null
    /** Null when detached. */
    readonly branch: string | null
  }
  readonly shallow: boolean
  /** Object name of git's empty tree, in this repository's hash. */
  readonly emptyTree: string
  /** Names of the filters its configuration knows. */
  readonly filters: ReadonlyArray<string>
  /** Where `origin` is, as the configuration says; null when nowhere. */
  readonly remoteUrl: string | null
}

export type BaseSide = Extract<Side, { readonly _tag: "Commit" | "Empty" }>
export type HeadSide = Extract<Side, { readonly _tag: "Commit" | "Empty" | "Index" | "Worktree" }>

/** Lines of a file, from 1, both included. */
export interface LineRange {
  readonly path: string
  readonly first: number
  readonly last: number
}

/** A name that no commit has, and what may explain it. */
export const unknownRevision = (repository: Repository, revision: string): RevisionUnknown =>
  new RevisionUnknown({
    revision,
    history: repository.head.sha === null ? "none" : repository.shallow ? "shallow" : "known"
  })

export class Git extends Context.Service<
  Git,
  {
    /** The repository around a directory or file: a checkout, a linked worktree, a submodule; or exactly a bare one. */
    readonly open: (
      target: string
    ) => Effect.Effect<Repository, GitCallError | GitTooOld | NotARepository | RepositoryRefused>
    /** The roots of all working trees of the repository, the main one first, also of deleted ones. */
    readonly worktrees: (repository: Repository) => Effect.Effect<ReadonlyArray<string>, GitCallError>
    /** Full name of the commit a revision means. */
    readonly resolve: (
      repository: Repository,
      revision: string
    ) => Effect.Effect<string, GitCallError | RevisionUnknown>
    /** The commit itself. */
    readonly commit: (repository: Repository, revision: string) => Effect.Effect<Commit, GitCallError | RevisionUnknown>
    /** Null when the two share no history that is here. */
    readonly mergeBase: (repository: Repository, a: string, b: string) => Effect.Effect<string | null, GitCallError>
    /**
     * The diff as git prints it; untracked files are not in it. With `asText`, of these paths alone, and as text
     * whatever their attributes say.
     */
    readonly diff: (
      repository: Repository,
      sides: { readonly base: BaseSide; readonly head: HeadSide },
      paths?: { readonly asText: ReadonlyArray<string> } | { readonly without: ReadonlyArray<string> }
    ) => Effect.Effect<Uint8Array, GitCallError>
    /** The files that differ between the sides, none of them opened. */
    readonly changed: (
      repository: Repository,
      sides: { readonly base: BaseSide; readonly head: HeadSide }
    ) => Effect.Effect<ReadonlyArray<RawChange>, GitCallError>
    /** Commits reachable from `to` and not from `from`, oldest first; of more than `limit`, the newest. */
    readonly log: (
      repository: Repository,
      range: { readonly from: string | null; readonly to: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Commit>, GitCallError>
    /** The files each of the newest commits from `from` on touched, merges left out, newest first. */
    readonly touched: (
      repository: Repository,
      from: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, GitCallError>
    /** The parents a commit names, also those a shallow clone does not have. */
    readonly parents: (repository: Repository, sha: string) => Effect.Effect<ReadonlyArray<string>, GitCallError>
    /** The refs with these full names that exist; a name that ends in `/` means all refs below it. */
    readonly refs: (
      repository: Repository,
      names: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Ref>, GitCallError>
    /** Every file of a commit's tree; asked of git once. */
    readonly lsTree: (repository: Repository, sha: string) => Effect.Effect<ReadonlyArray<TreeEntry>, GitCallError>
    /** Every file of the index, those a sparse checkout leaves out included. */
    readonly lsFiles: (repository: Repository) => Effect.Effect<ReadonlyArray<IndexEntry>, GitCallError>
    /** Uncommitted edits, submodules' own ones aside. */
    readonly status: (repository: Repository) => Effect.Effect<Status, GitCallError>
    /** Objects by name, in one process, each no larger than `maxBytes`; of each the first `keep` bytes, if given. */
    readonly readBlobs: (
      repository: Repository,
      oids: ReadonlyArray<string>,
      maxBytes: number,
      keep?: number
    ) => Effect.Effect<ReadonlyMap<string, Blob>, GitCallError>
    /**
     * Objects by name as `cat-file --batch` prints them, one behind the other, from a process that nobody else waits for;
     * null when together they are larger than `maxBytes`.
     */
    readonly joinedBlobs: (
      repository: Repository,
      oids: ReadonlyArray<string>,
      maxBytes: number
    ) => Effect.Effect<Uint8Array | null, GitCallError>
    /**
     * The files of a side in which one of these words stands, as a word of its own, among those whose paths end so; binary
     * ones too, for what is binary is not for the repository's attributes to say. Of the working tree, untracked files
     * that are not ignored too. A file that is too large to be searched counts as one of them.
     */
    readonly mentioning: (
      repository: Repository,
      side: HeadSide,
      words: ReadonlyArray<string>,
      endings: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, GitCallError>
    /**
     * The files of a side in which one of these character strings stands on a line, binary ones among them. Of the
     * working tree, untracked files that are not ignored too. A file that is too large to be searched counts as one of
     * them. Case folds for ASCII alone.
     */
    readonly containing: (
      repository: Repository,
      side: HeadSide,
      literals: ReadonlyArray<string>,
      options: {
        readonly ignoreCase: boolean
        /** A folder or a file to look in; null: everywhere. */
        readonly under: string | null
      }
    ) => Effect.Effect<ReadonlyArray<string>, GitCallError>
    /** Commits from `from` on, newest first, with all the files each touched; with a path, those that touched it. */
    readonly history: (
      repository: Repository,
      asked: {
        readonly from: string
        readonly path: string | null
        readonly skip: number
        readonly limit: number
      }
    ) => Effect.Effect<ReadonlyArray<HistoryCommit>, GitCallError>
    /** Commits that changed these lines, as they are at `from`, newest first; their files are not told. */
    readonly lineHistory: (
      repository: Repository,
      asked: LineRange & { readonly from: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<HistoryCommit>, GitCallError>
    /** Which commit each line is from: of a file at a commit, or of a text that stands in its place and is not committed. */
    readonly blame: (
      repository: Repository,
      asked: LineRange & ({ readonly from: string } | { readonly text: string })
    ) => Effect.Effect<ReadonlyArray<BlamedLine>, GitCallError>
    /** Where in such files each of the words stands, as git lists them: by path, then by line. */
    readonly places: (
      repository: Repository,
      side: HeadSide,
      words: ReadonlyArray<string>,
      endings: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<WordPlace>, GitCallError>
    /** Why searches and listings that succeeded can be incomplete. */
    readonly incomplete: Effect.Effect<ReadonlyArray<ObjectMissing | GitWouldWait>>
  }
>()("dd/services/change/Git") {
  static readonly layer = Layer.effect(
    Git,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const { converse, run, stream } = yield* makeGitCall
      const objects = yield* makeGitObjects(converse)
      const incomplete: Array<ObjectMissing | GitWouldWait> = []

      /** Runs git in an opened repository; another status than the accepted ones is a failure. */
      const ask = Effect.fnUntraced(function* (
        repository: Repository,
        args: ReadonlyArray<string>,
        more: {
          readonly accept?: ReadonlyArray<number>
          readonly input?: Uint8Array
          readonly maxBytes?: number
        } = {}
      ) {
        const answer = yield* run({
          ...callIn(repository, args),
          ...(more.input === undefined ? {} : { input: more.input }),
          ...(more.maxBytes === undefined ? {} : { maxBytes: more.maxBytes })
        })
        if (answer.exitCode === 0 || more.accept?.includes(answer.exitCode) === true) return answer
        return yield* callFailed(args, answer)
      })

      /** Git reads this file in the root of the working tree. Null where it does not have to wait for it. */
      const waitFor = Effect.fnUntraced(function* ({ root }: Repository, path: string) {
        if (root === null) return null
        const found = yield* Effect.option(fs.lstat(paths.join(root, path)))
        return Option.isSome(found) && found.value.type === "FIFO" ? new GitWouldWait({ path }) : null
      })

      /** Without the attributes git compares nothing. */
      const attributesReadable = Effect.fnUntraced(function* (repository: Repository) {
        const wait = yield* waitFor(repository, ".gitattributes")
        if (wait !== null) return yield* wait
      })

      /** Where git cannot tell what is ignored, untracked files are not listed. */
      const listsUntracked = Effect.fnUntraced(function* (repository: Repository) {
        const wait = yield* waitFor(repository, ".gitignore")
        if (wait !== null) incomplete.push(wait)
        return wait === null
      })

      /** The nearest directory upwards that git would take for a repository's, before git is asked. */
      const find = Effect.fnUntraced(function* (target: string) {
        const nothing = () => new NotARepository({ path: target, reason: "there is nothing at this path" })
        const real = yield* fs.realPath(target).pipe(Effect.mapError(nothing))
        const info = yield* fs.stat(real).pipe(Effect.mapError(nothing))
        const start = info.type === "Directory" ? real : paths.dirname(real)
        // What cannot be looked at is not there for git either.
        const kindOf = (path: string) =>
          Effect.match(fs.stat(path), { onSuccess: (found) => found.type, onFailure: () => null })
        const has = (...parts: ReadonlyArray<string>) =>
          Effect.map(kindOf(paths.join(...parts)), (kind) => kind !== null)
        const isGitEntry = Effect.fnUntraced(function* (entry: string) {
          const kind = yield* kindOf(entry)
          return kind === "File" || (kind === "Directory" && (yield* has(entry, "HEAD")))
        })
        for (let directory = start; ; ) {
          if (yield* isGitEntry(paths.join(directory, ".git"))) return { directory, bare: false }
          const parent = paths.dirname(directory)
          if (directory === start && paths.basename(directory) !== ".git") {
            const looks = yield* Effect.all([has(start, "HEAD"), has(start, "objects"), has(start, "refs")])
            if (looks.every((found) => found)) return { directory, bare: true }
          }
          if (parent === directory) {
            return yield* new NotARepository({ path: target, reason: "neither it nor a directory above it has a .git" })
          }
          directory = parent
        }
      })

      const open = Effect.fn("Git.open")(function* (target: string) {
        const { directory, bare } = yield* find(target)
        const call = (args: ReadonlyArray<string>) => run({ directory, bare, filters: [], arguments: args })
        const [about, keys, branch] = yield* Effect.all(
          // Not in one call: `rev-parse --symbolic-full-name HEAD` fails when a branch or a tag is named HEAD.
          [call(aboutArguments), call(["config", ...settingArguments]), call(["symbolic-ref", "--quiet", "HEAD"])],
          { concurrency: 3 }
        )
        const said = aboutRepository(about.stdout, about.exitCode)
        if (said === null) {
          if (about.stderr.includes("not a git repository")) {
            return yield* new NotARepository({ path: target, reason: firstLine(about.stderr) })
          }
          return yield* callFailed(aboutArguments, about)
        }
        const settings = settingsOf(nulTexts(keys.stdout))
        if (settings === null) {
          if (keys.exitCode > 1) return yield* callFailed(["config"], keys)
          return yield* new GitTooOld()
        }
        if (!said.bare && (!said.inside || said.prefix !== "")) return yield* new RepositoryRefused({ path: directory })
        if (branch.exitCode > 1) return yield* callFailed(["symbolic-ref"], branch)
        const repository: Repository = {
          root: said.bare ? null : directory,
          gitDir: said.gitDir,
          bare: said.bare,
          head: { sha: said.sha, branch: branchName(text(branch.stdout).trimEnd()) },
          shallow: said.shallow,
          emptyTree: emptyTrees[said.format],
          ...settings
        }
        return repository
      })

      const worktrees = Effect.fn("Git.worktrees")(function* (repository: Repository) {
        const { stdout } = yield* ask(repository, ["worktree", "list", "--porcelain"])
        return text(stdout)
          .split("\n")
          .flatMap((line) => (line.startsWith("worktree ") ? [line.slice("worktree ".length)] : []))
      })

      const resolve = Effect.fn("Git.resolve")(function* (repository: Repository, revision: string) {
        const unknown = unknownRevision(repository, revision.slice(0, 200))
        // Git would take the first for an option and stop reading at the second.
        if (revision === "" || revision.startsWith("-") || revision.includes("\0")) return yield* unknown
        if (revision === "HEAD" && repository.head.sha !== null) return repository.head.sha
        const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`]
        const { exitCode, stdout } = yield* ask(repository, args, { accept: [1, 128] })
        if (exitCode !== 0) return yield* unknown
        return text(stdout).trim()
      })

      const commit = Effect.fn("Git.commit")(function* (repository: Repository, revision: string) {
        if (isPlainRevision(revision)) {
          const { exitCode, stdout } = yield* run(callIn(repository, commitsArguments(`${revision}^{commit}`, 1)))
          const [found] = exitCode === 0 ? commitsOf(stdout) : []
          if (found !== undefined) return found
        }
        // In two calls, of which the first knows what is wrong with the revision.
        const sha = yield* resolve(repository, revision)
        const [found] = yield* log(repository, { from: null, to: sha, limit: 1 })
        return found ?? (yield* unknownRevision(repository, revision.slice(0, 200)))
      })

      const mergeBase = Effect.fn("Git.mergeBase")(function* (repository: Repository, a: string, b: string) {
        const { stdout } = yield* ask(repository, ["merge-base", "--end-of-options", a, b], { accept: [1] })
        return text(stdout).trim() || null
      })

      const diff = Effect.fn("Git.diff")(function* (
        repository: Repository,
        sides: { readonly base: BaseSide; readonly head: HeadSide },
        paths: { readonly asText: ReadonlyArray<string> } | { readonly without: ReadonlyArray<string> } = {
          without: []
        }
      ) {
        yield* attributesReadable(repository)
        const { base, head } = sides
        const revisions =
          head._tag === "Commit" || head._tag === "Empty"
            ? [treeish(repository, base), treeish(repository, head)]
            : [treeish(repository, base)]
        const args = [
          "diff",
          ...diffArguments,
          ...(head._tag === "Index" ? ["--cached"] : []),
          ...("asText" in paths ? ["--text"] : []),
          "--end-of-options",
          ...revisions,
          "--",
          ...("asText" in paths
            ? paths.asText.map((path) => pathspec(path))
            : paths.without.map((path) => pathspec(path, "exclude,")))
        ]
        return (yield* ask(repository, args, { maxBytes: Math.min(mostPrinted, yield* GitMaxOutput) })).stdout
      })

      const changed = Effect.fn("Git.changed")(function* (
        repository: Repository,
        { base, head }: { readonly base: BaseSide; readonly head: HeadSide }
      ) {
        const isStored = head._tag === "Commit" || head._tag === "Empty"
        const { stdout } = yield* ask(repository, [
          ...(isStored ? ["diff-tree", "-r"] : ["diff-index", ...(head._tag === "Index" ? ["--cached"] : [])]),
          "-z",
          "--no-renames",
          "--ignore-submodules=dirty",
          "--end-of-options",
          treeish(repository, base),
          ...(isStored ? [treeish(repository, head)] : []),
          "--"
        ])
        return rawChangesOf(stdout)
      })

      const log = Effect.fn("Git.log")(function* (
        repository: Repository,
        range: { readonly from: string | null; readonly to: string; readonly limit: number }
      ) {
        const revisions = range.from === null ? range.to : `${range.from}..${range.to}`
        const { stdout } = yield* ask(repository, commitsArguments(revisions, range.limit))
        // Not git's --reverse: it would make the limit harder to read, not the output.
        return commitsOf(stdout).toReversed()
      })

      const touched = Effect.fn("Git.touched")(function* (repository: Repository, from: string, limit: number) {
        const { stdout } = yield* ask(repository, [
          "log",
          "-z",
          touchedFormat,
          "--name-only",
          "--no-merges",
          "--no-renames",
          "--no-color",
          "--no-notes",
          "--no-show-signature",
          "--no-ext-diff",
          "--no-textconv",
          "--ignore-submodules=dirty",
          `--max-count=${limit}`,
          "--end-of-options",
          from,
          "--"
        ])
        return touchedOf(stdout)
      })

      const refs = Effect.fn("Git.refs")(function* (repository: Repository, names: ReadonlyArray<string>) {
        const { stdout } = yield* ask(repository, ["for-each-ref", refFormat, ...names])
        return refsOf(stdout).filter((ref) =>
          names.some((name) => (name.endsWith("/") ? ref.name.startsWith(name) : ref.name === name))
        )
      })

      const readTree = Effect.fn("Git.lsTree")(function* (repository: Repository, sha: string) {
        const args = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", sha]
        // A tree of nested trees can list any number of files.
        const { stdout } = yield* ask(repository, args, { maxBytes: mostListed })
        return treeEntries(stdout)
      })

      /** A tree has one name for ever. */
      const trees = new Map<string, ReturnType<typeof readTree>>()
      const lsTree = (repository: Repository, sha: string) =>
        Effect.suspend(() => {
          const name = `${repository.gitDir}\0${sha}`
          const known = trees.get(name)
          if (known !== undefined) return known
          return Effect.flatMap(Effect.cached(readTree(repository, sha)), (read) => {
            trees.set(name, read)
            return read
          })
        })

      const lsFiles = Effect.fn("Git.lsFiles")(function* (repository: Repository) {
        const { stdout } = yield* ask(repository, ["ls-files", "-z", "--stage", "-t"])
        return indexEntries(stdout)
      })

      const status = Effect.fn("Git.status")(function* (repository: Repository) {
        yield* attributesReadable(repository)
        const { stdout } = yield* ask(repository, [
          "status",
          "--porcelain=v1",
          "-z",
          `--untracked-files=${(yield* listsUntracked(repository)) ? "all" : "no"}`,
          "--no-renames",
          "--ignore-submodules=dirty"
        ])
        return statusOf(stdout)
      })

      const readBlobs = Effect.fn("Git.readBlobs")(function* (
        repository: Repository,
        oids: ReadonlyArray<string>,
        maxBytes: number,
        keep?: number
      ) {
        const wanted = [...new Set(oids)].filter((oid) => objectName.test(oid))
        const reader = () => new BlobReader(maxBytes, keep)
        const known = yield* objects.read(callIn(repository, ["cat-file", "--batch"]), wanted, reader())
        const blobs = new Map(known)
        let left = wanted.filter((oid) => !blobs.has(oid))
        for (let attempt = 1; left.length > 0; attempt++) {
          // A process of its own reports why it fails.
          const rest = reader()
          const args = ["cat-file", "--batch", "--buffer"]
          const input = new TextEncoder().encode(`${left.join("\n")}\n`)
          const answer = yield* stream({ ...callIn(repository, args), input }, (chunk) => rest.push(chunk))
          for (const [oid, blob] of rest.blobs) blobs.set(oid, blob)
          if (answer.exitCode === 0) return blobs
          const failed = callFailed(args, answer)
          if (failed._tag !== "GitMemoryExceeded" || attempt === mostAttempts) return yield* failed
          // Git printed the size of the object it failed on, unless it needs a larger object to unpack it.
          const first = left[0]!
          if (!left.some((oid) => blobs.has(oid))) blobs.set(first, { _tag: "TooDeep" })
          left = left.filter((oid) => !blobs.has(oid))
        }
        return blobs
      })

      const joinedBlobs = Effect.fn("Git.joinedBlobs")(
        (repository: Repository, oids: ReadonlyArray<string>, maxBytes: number) =>
          ask(repository, ["cat-file", "--batch", "--buffer"], {
            input: new TextEncoder().encode(`${oids.join("\n")}\n`),
            maxBytes
          }).pipe(
            Effect.map(({ stdout }) => stdout),
            Effect.catchTag("GitOutputTooLarge", () => Effect.succeed(null))
          )
      )

      const parents = Effect.fn("Git.parents")(function* (repository: Repository, sha: string) {
        const commit = (yield* readBlobs(repository, [sha], 1 << 20)).get(sha)
        return commit?._tag === "Found" ? rawParents(commit.bytes) : []
      })

      /** What nobody ignores and git does not track, of these pathspecs. */
      const untracked = Effect.fnUntraced(function* (repository: Repository, pathspecs: ReadonlyArray<string>) {
        if (!(yield* listsUntracked(repository))) return []
        const args = ["ls-files", "-z", "--others", "--exclude-standard", "--", ...pathspecs]
        const { stdout } = yield* ask(repository, args)
        // A directory is a repository of its own.
        return nulTexts(stdout).filter((path) => !path.endsWith("/"))
      })

      /**
       * What `git grep` prints of a side, whatever of it is found. Asked for untracked files, it leaves out tracked ones
       * that are ignored: in the working tree it is asked for both, one after the other.
       */
      const grep = Effect.fnUntraced(function* (
        repository: Repository,
        side: Exclude<HeadSide, { readonly _tag: "Empty" }>,
        options: ReadonlyArray<string>,
        patterns: ReadonlyArray<string>,
        pathspecs: ReadonlyArray<string>
      ) {
        const input = new TextEncoder().encode(`${patterns.join("\n")}\n`)
        const search = (where: ReadonlyArray<string>, pathspecs: ReadonlyArray<string>) =>
          Effect.map(
            ask(repository, ["grep", ...options, ...where, "--", ...pathspecs], { input, accept: [1] }),
            ({ exitCode, stderr, stdout }) => {
              // When objects are missing, git searches the others and exits as if it had searched all.
              const missing = objectMissing("grep", stderr)
              if (missing !== null) incomplete.push(missing)
              return exitCode === 1 ? new Uint8Array() : stdout
            }
          )
        const tooLarge: Array<string> = []
        /** Git unpacks every file it searches. Files that are too large are left out of a second search. */
        const found = (where: ReadonlyArray<string>, pathspecs: ReadonlyArray<string>) =>
          Effect.catchTag(search(where, pathspecs), "GitMemoryExceeded", (failed) =>
            Effect.gen(function* () {
              const large = yield* largeFiles(repository, side)
              if (large.length === 0 || large.length > pathsNamed) return yield* failed
              tooLarge.push(...large)
              return yield* search(where, [...pathspecs, ...large.map((path) => pathspec(path, "exclude,"))])
            })
          )
        if (side._tag === "Commit") return { listed: yield* found([side.sha], pathspecs), tooLarge }
        if (side._tag === "Index") return { listed: yield* found(["--cached"], pathspecs), tooLarge }
        const [tracked, others] = yield* Effect.all([found([], pathspecs), untracked(repository, pathspecs)], {
          concurrency: 2
        })
        const rest: Array<Uint8Array> = []
        for (let from = 0; from < others.length; from += pathsNamed) {
          const some = others.slice(from, from + pathsNamed).map((path) => pathspec(path))
          rest.push(yield* search(["--untracked", "--exclude-standard"], some))
        }
        return { listed: concatBytes([tracked, ...rest]), tooLarge }
      })

      /** The files of a side that no reviewer reads. */
      const largeFiles = Effect.fnUntraced(function* (
        repository: Repository,
        side: Exclude<HeadSide, { readonly _tag: "Empty" }>
      ) {
        const files = side._tag === "Commit" ? yield* lsTree(repository, side.sha) : yield* lsFiles(repository)
        const { root } = repository
        if (side._tag !== "Worktree" || root === null) {
          const oids = files.map(({ oid }) => oid)
          const blobs = yield* readBlobs(repository, oids, maxTextBytes, 0)
          return files.flatMap(({ oid, path }) => (isReadable(blobs.get(oid)) ? [] : [path]))
        }
        const onDisk = yield* Effect.forEach(
          files,
          ({ path }) =>
            Effect.match(fs.lstat(paths.join(root, path)), {
              onSuccess: ({ size }) => Number(size),
              onFailure: () => 0
            }),
          { concurrency: 16 }
        )
        return files.flatMap(({ path }, at) => (onDisk[at]! > maxTextBytes ? [path] : []))
      })

      /** What `git grep` lists of the words in files with these endings. */
      const grepWords = Effect.fnUntraced(function* (
        repository: Repository,
        side: HeadSide,
        words: ReadonlyArray<string>,
        endings: ReadonlyArray<string>,
        listing: ReadonlyArray<string>
      ) {
        // An empty line would be found in every file, and a line break would be two words.
        const wanted = [...new Set(words)].filter((word) => word !== "" && !/[\n\0]/.test(word))
        if (wanted.length === 0 || endings.length === 0 || side._tag === "Empty") return nothingFound
        return yield* grep(
          repository,
          side,
          [...listing, ...wordArguments],
          expressionsOf(wanted),
          endings.map((ending) => `:(top)*${ending}`)
        )
      })

      const mentioning = Effect.fn("Git.mentioning")(function* (
        repository: Repository,
        side: HeadSide,
        words: ReadonlyArray<string>,
        endings: ReadonlyArray<string>
      ) {
        const found = yield* grepWords(repository, side, words, endings, ["--files-with-matches"])
        return [...pathsIn(found, side), ...found.tooLarge.filter((path) => endings.some((end) => path.endsWith(end)))]
      })

      const places = Effect.fn("Git.places")(function* (
        repository: Repository,
        side: HeadSide,
        words: ReadonlyArray<string>,
        endings: ReadonlyArray<string>
      ) {
        const found = yield* grepWords(repository, side, words, endings, ["--line-number", "--only-matching"])
        return wordPlacesIn(text(found.listed), prefixOf(side).length)
      })

      const containing = Effect.fn("Git.containing")(function* (
        repository: Repository,
        side: HeadSide,
        literals: ReadonlyArray<string>,
        { ignoreCase, under }: { readonly ignoreCase: boolean; readonly under: string | null }
      ) {
        const wanted = [...new Set(literals)].filter((literal) => literal !== "" && !/[\n\0]/.test(literal))
        if (wanted.length === 0 || side._tag === "Empty") return []
        const found = yield* grep(
          repository,
          side,
          literalArguments(ignoreCase),
          wanted,
          under === null ? [] : [pathspec(under)]
        )
        return [
          ...pathsIn(found, side),
          ...found.tooLarge.filter((path) => under === null || path === under || path.startsWith(`${under}/`))
        ]
      })

      const history = Effect.fn("Git.history")(function* (
        repository: Repository,
        asked: { readonly from: string; readonly path: string | null; readonly skip: number; readonly limit: number }
      ) {
        const { stdout } = yield* ask(repository, [
          "log",
          "-z",
          historyFormat,
          "--raw",
          "--no-abbrev",
          "--find-renames",
          ...(asked.path === null ? [] : ["--full-diff"]),
          ...logArguments,
          `--skip=${asked.skip}`,
          `--max-count=${asked.limit}`,
          "--end-of-options",
          asked.from,
          "--",
          ...(asked.path === null ? [] : [pathspec(asked.path)])
        ])
        return historyCommits(stdout)
      })

      const lineHistory = Effect.fn("Git.lineHistory")(function* (
        repository: Repository,
        asked: LineRange & { readonly from: string; readonly limit: number }
      ) {
        const { stdout } = yield* ask(repository, [
          "log",
          "-z",
          historyFormat,
          "--no-patch",
          `-L${asked.first},${asked.last}:${asked.path}`,
          ...logArguments,
          `--max-count=${asked.limit}`,
          "--end-of-options",
          asked.from
        ])
        return historyCommits(stdout)
      })

      const blame = Effect.fn("Git.blame")(function* (
        repository: Repository,
        asked: LineRange & ({ readonly from: string } | { readonly text: string })
      ) {
        const isCommit = "from" in asked
        const { stdout } = yield* ask(
          repository,
          [
            "blame",
            "--porcelain",
            "--no-progress",
            "--no-textconv",
            "--ignore-revs-file=",
            `-L${asked.first},${asked.last}`,
            // Not the file on the disk: git would follow a link in a folder's place.
            ...(isCommit ? [asked.from] : ["--contents", "-"]),
            "--",
            asked.path
          ],
          isCommit ? {} : { input: new TextEncoder().encode(asked.text) }
        )
        return blamedLines(stdout)
      })

      return Git.of({
        open,
        worktrees,
        resolve,
        commit,
        mergeBase,
        diff,
        changed,
        log,
        touched,
        parents,
        refs,
        lsTree,
        lsFiles,
        status,
        readBlobs,
        joinedBlobs,
        mentioning,
        places,
        containing,
        history,
        lineHistory,
        blame,
        incomplete: Effect.sync(() => incomplete)
      })
    })
  )
}

const callIn = ({ bare, filters, gitDir, root }: Repository, args: ReadonlyArray<string>) => ({
  directory: root ?? gitDir,
  bare,
  filters,
  arguments: args
})

const treeish = (repository: Repository, side: BaseSide): string =>
  side._tag === "Commit" ? side.sha : repository.emptyTree

const logArguments: ReadonlyArray<string> = [
  "--no-color",
  "--no-decorate",
  "--no-notes",
  "--no-mailmap",
  "--no-show-signature",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty"
]

/** Newest first. */
const commitsArguments = (revisions: string, limit: number): ReadonlyArray<string> => [
  "log",
  "-z",
  commitFormat,
  "--no-color",
  "--no-decorate",
  "--no-notes",
  "--no-show-signature",
  "--no-ext-diff",
  "--no-textconv",
  "--no-patch",
  `--max-count=${limit}`,
  "--end-of-options",
  revisions,
  "--"
]

/** Names one commit or none: no range, no option, no search. */
const isPlainRevision = (revision: string): boolean => /^\w[\w./@{}~^+-]*$/.test(revision) && !revision.includes("..")

/** What stands before the paths of a side in what `git grep` prints. */
const prefixOf = (side: HeadSide): string => (side._tag === "Commit" ? `${side.sha}:` : "")

/** Can git unpack it, and is it small enough to be reviewed? A missing blob counts, because git does not search it. */
export const isReadable = (blob: Blob | undefined): boolean => blob?._tag !== "TooLarge" && blob?._tag !== "TooDeep"

/** What `git grep` printed, and the files that were left out of the search. */
interface Searched {
  readonly listed: Uint8Array
  readonly tooLarge: ReadonlyArray<string>
}

const nothingFound: Searched = { listed: new Uint8Array(), tooLarge: [] }

const pathsIn = ({ listed }: Searched, side: HeadSide): ReadonlyArray<string> =>
  nulTexts(listed).map((path) => path.slice(prefixOf(side).length))

/** How often a batch of blobs is tried again without the one that git cannot unpack. */
const mostAttempts = 20

/** In bytes; much more than a reviewer sees of a change. */
const mostPrinted = 1 << 28

/** In bytes: a million files with long names. */
const mostListed = 1 << 27

/** Paths that one call is given: a command line is too short for all. */
const pathsNamed = 500

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

const emptyTrees = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
} as const

/** All facts about a repository except its branch. With an unborn HEAD the last one is missing and the call fails. */
const aboutArguments = [
  "rev-parse",
  "--show-object-format",
  "--is-bare-repository",
  "--is-shallow-repository",
  "--is-inside-work-tree",
  "--show-prefix",
  "--absolute-git-dir",
  // Only an object name: a file named HEAD is not one.
  "--verify",
  "--quiet",
  "HEAD"
]

interface About {
  readonly format: keyof typeof emptyTrees
  readonly bare: boolean
  readonly shallow: boolean
  readonly inside: boolean
  readonly prefix: string
  readonly gitDir: string
  readonly sha: string | null
}

/** What `aboutArguments` answered; null when it did not. */
const aboutRepository = (stdout: Uint8Array, exitCode: number): About | null => {
  const lines = text(stdout).split("\n")
  lines.pop()
  const [format, bare, shallow, inside, prefix = ""] = lines
  if ((format !== "sha1" && format !== "sha256") || lines.length < 6) return null
  const sha = exitCode === 0 ? (lines.pop() ?? null) : null
  return {
    format,
    bare: bare === "true",
    shallow: shallow === "true",
    inside: inside === "true",
    prefix,
    // A directory's name may hold a newline; what stands on both sides of it may not.
    gitDir: lines.slice(5).join("\n"),
    sha
  }
}

const branchName = (ref: string): string | null =>
  ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null

/** Exactly this path from the root; a byte that no argument can carry stands for any one byte. */
const pathspec = (path: string, magic: "" | "exclude," = ""): string => {
  const parts = hasOddBytes(path) ? path.split(/\\x[89a-f][0-9a-f]/) : [path]
  return `:(${magic}top,glob)${parts.map((part) => part.replace(/[\\*?[]/g, "\\$&")).join("?")}`
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const firstLine = (message: string): string => message.trim().split("\n", 1)[0]!.slice(0, 200)
