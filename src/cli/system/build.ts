/** What `scripts/compile.ts` knew when it built this program. Null when dd runs from its sources. */
declare const DD_BUILD: Build | undefined

export type Build = {
  /** Null if it was built without git. */
  readonly commit: string | null
  /** Of the commit, in ISO 8601: two builds of one commit are the same. */
  readonly time: string | null
  /** System, processor and C library, such as `linux-x64-musl`. */
  readonly target: string
  /** Where releases are published; null if the project has no such place. */
  readonly releases: string | null
}

export const build: Build | null = typeof DD_BUILD === "object" ? DD_BUILD : null
