/** Finds and opens a repository. Only reads, and runs nothing that the repository configures. */
import { Effect, FileSystem, Path } from "effect"
import { GitTooOld, NotARepository, pathMissing, RepositoryRefused, RevisionUnknown } from "./GitError.ts"
import { callFailed, type GitCalls, type GitPlace } from "./gitCall.ts"
import { settingArguments, settingsOf } from "./gitHardening.ts"
import { nulTexts } from "./gitOutput.ts"

/** An opened repository, valid for one run. */
export interface Repository extends GitPlace {
  readonly head: {
    /** Null for an unborn branch. */
    readonly sha: string | null
    /** Null for a detached HEAD. */
    readonly branch: string | null
  }
  readonly shallow: boolean
  /** The object name of the empty tree, in the hash function of this repository. */
  readonly emptyTree: string
  /** The configured URL of `origin`; null if there is none. */
  readonly remoteUrl: string | null
}

/** The error for a revision that names no commit, with a possible explanation. */
export const unknownRevision = (
  { head, shallow }: Repository,
  revision: string,
  nearest: string | null = null,
  commits: number | null = null,
  object?: "tree" | "blob"
): RevisionUnknown =>
  new RevisionUnknown({
    revision: revision.slice(0, 200),
    history: head.sha === null ? "none" : shallow ? "shallow" : "known",
    nearest,
    commits,
    ...(object === undefined ? {} : { object })
  })

/**
 * Opens the repository around a directory or file: a checkout, a linked worktree or a submodule; a bare repository only
 * by its own path.
 */
export const makeOpenRepository = Effect.fnUntraced(function* ({ run }: Pick<GitCalls, "run">) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path

  /** The nearest directory upwards that git would use as a repository. */
  const find = Effect.fnUntraced(function* (target: string) {
    const nothing = () => new NotARepository({ path: target, reason: pathMissing })
    const real = yield* fs.realPath(target).pipe(Effect.mapError(nothing))
    const info = yield* fs.stat(real).pipe(Effect.mapError(nothing))
    const start = info.type === "Directory" ? real : paths.dirname(real)
    const kindOf = (path: string) =>
      Effect.match(fs.stat(path), { onSuccess: (found) => found.type, onFailure: () => null })
    const has = (...parts: ReadonlyArray<string>) => Effect.map(kindOf(paths.join(...parts)), (kind) => kind !== null)
    const isGitEntry = Effect.fnUntraced(function* (entry: string) {
      const kind = yield* kindOf(entry)
      return kind === "File" || (kind === "Directory" && (yield* has(entry, "HEAD")))
    })
    for (let directory = start; ; ) {
      if (yield* isGitEntry(paths.join(directory, ".git"))) return { directory, bare: false }
      const parent = paths.dirname(directory)
      if (directory === start && paths.basename(directory) !== ".git") {
        const found = yield* Effect.all([has(start, "HEAD"), has(start, "objects"), has(start, "refs")])
        if (found.every((exists) => exists)) return { directory, bare: true }
      }
      if (parent === directory) {
        return yield* new NotARepository({ path: target, reason: "no .git here or in a parent directory" })
      }
      directory = parent
    }
  })

  return Effect.fn("Git.open")(function* (target: string) {
    const { directory, bare } = yield* find(target)
    const call = (args: ReadonlyArray<string>) => run({ directory, bare, filters: [], arguments: args })
    const [printed, keys, branch] = yield* Effect.all(
      // Not in one call, because `rev-parse --symbolic-full-name HEAD` fails if a branch or a tag is named HEAD.
      [call(aboutArguments), call(["config", ...settingArguments]), call(["symbolic-ref", "--quiet", "HEAD"])],
      { concurrency: 3 }
    )
    const about = aboutRepository(printed.stdout, printed.exitCode)
    if (about === null) {
      if (printed.stderr.includes("not a git repository")) {
        return yield* new NotARepository({ path: target, reason: firstLine(printed.stderr) })
      }
      return yield* callFailed(aboutArguments, printed)
    }
    const settings = settingsOf(nulTexts(keys.stdout))
    if (settings === null) {
      if (keys.exitCode > 1) return yield* callFailed(["config"], keys)
      return yield* new GitTooOld()
    }
    if (!about.bare && (!about.inside || about.prefix !== "")) return yield* new RepositoryRefused({ path: directory })
    if (branch.exitCode > 1) return yield* callFailed(["symbolic-ref"], branch)
    const repository: Repository = {
      root: about.bare ? null : directory,
      gitDir: about.gitDir,
      bare: about.bare,
      head: { sha: about.sha, branch: branchName(text(branch.stdout).trimEnd()) },
      shallow: about.shallow,
      emptyTree: emptyTrees[about.format],
      ...settings
    }
    return repository
  })
})

const emptyTrees = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
} as const

/** All facts about a repository except its branch. With an unborn HEAD, the last one is missing and the call fails. */
const aboutArguments = [
  "rev-parse",
  "--show-object-format",
  "--is-bare-repository",
  "--is-shallow-repository",
  "--is-inside-work-tree",
  "--show-prefix",
  "--absolute-git-dir",
  // Only an object name, so that a file named HEAD is not accepted.
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

/** Parses the output of git for `aboutArguments`; null if git failed. */
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
    // The name of a directory may contain newlines; the lines before and after it cannot.
    gitDir: lines.slice(5).join("\n"),
    sha
  }
}

const branchName = (ref: string): string | null =>
  ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const firstLine = (message: string): string => message.trim().split("\n", 1)[0]!.slice(0, 200)
