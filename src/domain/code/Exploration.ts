/** What dd found around a change before any reviewer ran. */

export interface AffectedFile {
  readonly path: string
  readonly role: "modified" | "imported_by" | "imports" | "test" | "changes_with"
  readonly summary: string
}

export interface Dependency {
  readonly source: string
  readonly target: string
  readonly relationship: "imports" | "tests" | "changes_with"
}

export interface Convention {
  readonly name: string
  readonly description: string
  /** The file that states it. */
  readonly source: string
}

/** skip: at most 1 changed file; single: 2 or 3; parallel: 4 and more. */
export type Tier = "skip" | "single" | "parallel"

export interface Exploration {
  readonly tier: Tier
  readonly affectedFiles: ReadonlyArray<AffectedFile>
  readonly dependencies: ReadonlyArray<Dependency>
  readonly conventions: ReadonlyArray<Convention>
  /** What was not checked, and why (a limit, an unparsed file). */
  readonly omitted: ReadonlyArray<string>
}

export const nothingExplored: Exploration = {
  tier: "skip",
  affectedFiles: [],
  dependencies: [],
  conventions: [],
  omitted: []
}

export const tierOf = (changedFiles: number): Tier =>
  changedFiles <= 1 ? "skip" : changedFiles <= 3 ? "single" : "parallel"
