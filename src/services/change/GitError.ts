/** The errors of git calls. Each message includes the cause and a remedy. */
import { Schema } from "effect"
import { didYouMean } from "../../domain/text/Suggestion.ts"

export class GitMissing extends Schema.TaggedError<GitMissing>()("GitMissing", { cause: Schema.Defect() }) {
  override get message() {
    return "git could not be started; install git and make sure that it is on PATH"
  }
}

/** A git version that would ignore the settings of `gitHardening`. */
export class GitTooOld extends Schema.TaggedError<GitTooOld>()("GitTooOld", {}) {
  override get message() {
    return "this git is too old; install git 2.31 or newer"
  }
}

/** The reason of a repository that cannot be opened because its path is wrong. */
export const pathMissing = "the path does not exist"

export class NotARepository extends Schema.TaggedError<NotARepository>()("NotARepository", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    if (this.reason === pathMissing) return `${this.path} does not exist; check the path`
    return `${this.path} is not in a git repository (${this.reason}); run dd in a repository, or review a patch with --diff-file`
  }
}

export class RepositoryRefused extends Schema.TaggedError<RepositoryRefused>()("RepositoryRefused", {
  path: Schema.String
}) {
  override get message() {
    return `the repository at ${this.path} has its files in another directory (core.worktree), which dd does not read: review that directory, or unset core.worktree`
  }
}

export class RevisionUnknown extends Schema.TaggedError<RevisionUnknown>()("RevisionUnknown", {
  revision: Schema.String,
  /** A possible explanation: the checked-out branch has no commit, or the clone is shallow. */
  history: Schema.Literals(["known", "none", "shallow"]),
  /** The branch or tag with the most similar name. */
  nearest: Schema.NullOr(Schema.String),
  /** Of `HEAD~50`: how many commits HEAD has in a line; null if that is not why the commit is unknown. */
  commits: Schema.NullOr(Schema.Int),
  /** What the revision names. */
  object: Schema.optionalKey(Schema.Literals(["tree", "blob"])),
  /** Was a branch asked for? */
  isBranch: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    if (this.revision === "") return "the name of a commit is empty; write a branch, a tag or a commit, such as main"
    const [, from, to] = rangePattern.exec(this.revision) ?? []
    if (from !== undefined)
      return `"${this.revision}" is a range, not a commit; use --base ${from || "HEAD"} --branch ${to || "HEAD"}`
    if (this.object !== undefined)
      return `"${this.revision}" is a ${this.object === "tree" ? "folder (a tree)" : "file (a blob)"}, not a commit`
    const unknown = `unknown ${this.isBranch === true ? "branch" : "commit"} "${this.revision}"${didYouMean(this.nearest)}`
    if (this.history === "none")
      return `${unknown}, and the checked-out branch has none yet; \`dd review\` alone reviews all files, with --staged the staged ones`
    if (this.history === "shallow")
      return `${unknown}; this clone is shallow: run \`git fetch --unshallow\`, or fetch that commit`
    const [, start] = ancestorPattern.exec(this.revision) ?? []
    if (start !== undefined && this.commits !== null) {
      const [some, last] =
        this.commits === 1 ? ["1 commit", start] : [`${this.commits} commits`, `${start}~${this.commits - 1}`]
      return `${unknown}: ${start} has ${some}, so the first one is ${last}`
    }
    return `${unknown}; see \`git branch --all\`, or fetch it first`
  }
}

/** `HEAD~50`: a start, and how far back. */
export const ancestorPattern = /^([^~^@:{}]+)~(\d+)$/

/** Two ends, either of which may be empty; no commit has such a name. */
const rangePattern = /^((?!-).*?)\.{2,3}(.*)$/s

export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  /** Only the verb, because arguments may contain something private. */
  command: Schema.String,
  exitCode: Schema.Int,
  /** At most 500 characters. */
  stderr: Schema.String
}) {
  override get message() {
    return `git ${this.command} ended with ${this.exitCode}: ${this.stderr === "" ? "no error output" : this.stderr}`
  }
}

/** The clone is partial or damaged. dd fetches nothing. */
export class ObjectMissing extends Schema.TaggedError<ObjectMissing>()("ObjectMissing", { command: Schema.String }) {
  override get message() {
    return "this clone lacks objects that the change needs (a partial or a damaged clone); fetch them with `git fetch --refetch`, or review another commit"
  }
}

export class GitTimedOut extends Schema.TaggedError<GitTimedOut>()("GitTimedOut", {
  command: Schema.String,
  seconds: Schema.Finite
}) {
  override get message() {
    const remedy = /^(?:diff|log|cat-file)$/.test(this.command)
      ? "review a smaller change (one commit with --commit, or a nearer base with --base), or set DD_GIT_TIMEOUT to more seconds"
      : "set DD_GIT_TIMEOUT to more seconds, or try again when this machine is less busy"
    return `git ${this.command} took longer than ${this.seconds} s; ${remedy}`
  }
}

export class GitOutputTooLarge extends Schema.TaggedError<GitOutputTooLarge>()("GitOutputTooLarge", {
  command: Schema.String,
  maxBytes: Schema.Int
}) {
  override get message() {
    return `git ${this.command} printed more than ${this.maxBytes} bytes; review a smaller change: one commit with --commit, or a nearer base with --base`
  }
}

/** An object in the repository expands to far more than its size on disk. */
export class GitMemoryExceeded extends Schema.TaggedError<GitMemoryExceeded>()("GitMemoryExceeded", {
  command: Schema.String
}) {
  override get message() {
    return `git ${this.command} needed more memory than dd allows: an object expands to far more than its size on disk; review a smaller change: one commit with --commit, or a nearer base with --base`
  }
}

/** Git opens the file and would wait for a process that writes to it. */
export class GitWouldWait extends Schema.TaggedError<GitWouldWait>()("GitWouldWait", {
  /** From the root of the working tree. */
  path: Schema.String
}) {
  override get message() {
    return `${this.path} is a FIFO, which git would wait for; remove it`
  }
}

/** The errors of any call. */
export type GitCallError =
  | GitMissing
  | GitFailed
  | ObjectMissing
  | GitTimedOut
  | GitOutputTooLarge
  | GitMemoryExceeded
  | GitWouldWait
