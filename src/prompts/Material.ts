/**
 * What a prompt is made of besides its own words: plain data, gathered by `Briefing`, redacted, and bounded.
 *
 * Texts of others are as they are: whoever renders them sets the fence around.
 */
import type { Change } from "../domain/change/Change.ts"
import type { DiffExcerpt } from "./diffText.ts"

/** A file of notes for those who work on the project: AGENTS.md and its kin, or a skill the project brings. */
export interface Guidance {
  readonly path: string
  readonly text: string
  /** Characters of the file that are not in `text`. */
  readonly left: number
}

/** What a reviewer of one stack has to know: dd's own, or one the user put in its place. */
export interface Profile {
  readonly stack: string
  readonly text: string
  /** `dd`, or the user's file it comes from. */
  readonly origin: string
  /** Characters of the file that are not in `text`. */
  readonly left: number
}

/** Lines of a file around a place, numbered by the first. */
export interface CodeExcerpt {
  readonly path: string
  readonly firstLine: number
  readonly lines: ReadonlyArray<string>
}

export interface Material {
  /** The word in this run's fences. */
  readonly nonce: string
  /** Absent where the task has no change of its own to look at. */
  readonly change: Pick<Change, "description" | "commits"> | null
  /** Nearest to the changed files first. */
  readonly guidance: ReadonlyArray<Guidance>
  /** Paths of guidance that found no room. */
  readonly guidanceLeft: ReadonlyArray<string>
  readonly profile: Profile | null
  /** The project's own notes for reviewers of this stack. */
  readonly teamNotes: ReadonlyArray<Guidance>
  /** The files the task is about, with their sizes. */
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: string }>
  readonly diff: DiffExcerpt | null
  /** Findings of static rules on these files, a line each. */
  readonly ruleFindings: ReadonlyArray<string>
  /** Who uses what changed, what tests it, what it imports: a line each. */
  readonly surroundings: ReadonlyArray<string>
  /** What could not be had, in sentences. */
  readonly missing: ReadonlyArray<string>
  /** By number of claim: the code it speaks of. */
  readonly code: ReadonlyMap<number, CodeExcerpt>
}

export const emptyMaterial: Omit<Material, "nonce"> = {
  change: null,
  guidance: [],
  guidanceLeft: [],
  profile: null,
  teamNotes: [],
  files: [],
  diff: null,
  ruleFindings: [],
  surroundings: [],
  missing: [],
  code: new Map()
}
