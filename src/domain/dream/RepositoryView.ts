/** What the tasks know of a repository besides its sessions; read once for a pass. */
export interface RepositoryView {
  readonly root: string
  readonly branch: string | null
  readonly head: string | null
  /** Tracked files, in order of their names; the same array for each view of one commit. */
  readonly files: ReadonlyArray<string>
  /** Subjects of the latest commits, newest first; at most 200. */
  readonly subjects: ReadonlyArray<string>
  /** Files of the latest commits, newest first; commits of more than 25 files are left out. */
  readonly commits: ReadonlyArray<ReadonlyArray<string>>
  /** Commands that the project defines: scripts of `package.json`, targets of a `Makefile` and the like. */
  readonly commands: ReadonlySet<string>
  /** The text of a file at most 64 KB long; null if it is missing, longer or binary. */
  readonly text: (path: string) => string | null
}
