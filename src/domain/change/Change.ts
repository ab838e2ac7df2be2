/** The change under review: its two sides, how they were selected, and the diff between them. */
import type { Diff } from "./Diff.ts"

/** What the user asked to review. `Default` applies when no flag selects a change. */
export type Selection =
  | { readonly _tag: "Default" }
  | { readonly _tag: "Base"; readonly base: string }
  | { readonly _tag: "Branch"; readonly branch: string; readonly base: string | null }
  | { readonly _tag: "Staged" }
  | { readonly _tag: "Commit"; readonly commit: string }
  /** Commits of `head` that are not in `base`, by their full names; a null base: all of them. */
  | {
      readonly _tag: "Range"
      readonly base: string | null
      readonly head: string
      readonly branch: string | null
      readonly description: string
    }
  /** A unified diff; `text` is the bytes of the file or of standard input. */
  | { readonly _tag: "Patch"; readonly origin: string; readonly text: Uint8Array }

/** One side of the change. */
export type Side =
  | { readonly _tag: "Commit"; readonly sha: string }
  /** Git's empty tree: the base of a root commit or of an unborn branch. */
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Index" }
  | { readonly _tag: "Worktree" }
  /** A patch without a repository: only the hunks are known. */
  | { readonly _tag: "Unknown" }

export type BaseSide = Extract<Side, { readonly _tag: "Commit" | "Empty" }>
export type HeadSide = Exclude<Side, { readonly _tag: "Unknown" }>

export interface CommitSummary {
  readonly sha: string
  readonly subject: string
  readonly body: string
}

export interface Change {
  /** "the last commit (a1b2c3d) on main", "branch x against main, and uncommitted edits". */
  readonly description: string
  /** The file or directory to which the change is limited; absent for the whole change. */
  readonly inside?: string
  readonly base: Side
  readonly head: Side
  /** The commit below the uncommitted edits; absent if the head is a commit, or there is none. */
  readonly edited?: string
  readonly branch: string | null
  /** The base of a branch, as the user wrote it; absent for a change that is not a branch. */
  readonly baseBranch?: string
  /** Oldest first; empty for uncommitted edits alone. */
  readonly commits: ReadonlyArray<CommitSummary>
  readonly diff: Diff
  /** The diff as git printed it. */
  readonly patch: Uint8Array
}

/** The side as in the JSON report: a full sha, `worktree`, `index`, `empty` or `unknown`. */
export const sideText = (side: Side): string => (side._tag === "Commit" ? side.sha : side._tag.toLowerCase())

/** The commit at the head, and whether there are uncommitted edits on it. */
export const headCommit = ({ edited, head }: Change): { readonly sha: string | null; readonly dirty: boolean } => ({
  sha: head._tag === "Commit" ? head.sha : (edited ?? null),
  dirty: head._tag === "Worktree" || head._tag === "Index"
})

/** Added and deleted lines of the whole change. */
export const lineCounts = (diff: Diff): { readonly added: number; readonly deleted: number } => {
  let added = 0
  let deleted = 0
  for (const file of diff.files)
    for (const hunk of file.hunks)
      for (const line of hunk.lines) {
        if (line.kind === "added") added++
        else if (line.kind === "deleted") deleted++
      }
  return { added, deleted }
}

/** The size of the change and its commit subjects. */
export const summarize = (change: Change): string => {
  const { added, deleted } = lineCounts(change.diff)
  const files = change.diff.files.length
  const size = `${change.description}: ${files} ${files === 1 ? "file" : "files"}, +${added} -${deleted} lines.`
  const subjects = change.commits.map((commit) => `- ${commit.subject}`)
  return subjects.length === 0 ? size : `${size}\nCommit messages:\n${subjects.join("\n")}`
}
