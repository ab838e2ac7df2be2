/** The content of a prompt besides dd's own words: collected by `PromptBuilder`, redacted and bounded, not yet fenced. */
import type { Change } from "../domain/change/Change.ts"
import type { Block } from "../domain/pack/Block.ts"
import type { DiffExcerpt } from "./diffText.ts"

/** Notes for contributors (AGENTS.md and others), or a skill of the project. */
export interface Guidance {
  readonly path: string
  readonly text: string
  /** Characters of the file that are not in `text`. */
  readonly left: number
}

/** The review profile of a stack: dd's own, or the user's. */
export interface Profile {
  readonly stack: string
  readonly text: string
  /** `dd`, or the user's file. */
  readonly origin: string
  /** Characters of the file that are not in `text`. */
  readonly left: number
}

export interface CodeExcerpt {
  readonly path: string
  readonly firstLine: number
  readonly lines: ReadonlyArray<string>
}

export interface Material {
  /** The word in this run's fences. */
  readonly nonce: string
  /** What the user asks of the review; "" for nothing. */
  readonly instructions: string
  /** Null for tasks without a change. */
  readonly change: Pick<Change, "description" | "commits"> | null
  /** The nearest to the changed files first. */
  readonly guidance: ReadonlyArray<Guidance>
  /** Paths of guidance that did not fit. */
  readonly guidanceLeft: ReadonlyArray<string>
  readonly profiles: ReadonlyArray<Profile>
  /** The project's notes for reviewers of this stack. */
  readonly teamNotes: ReadonlyArray<Guidance>
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: string }>
  readonly diff: DiffExcerpt | null
  /** Is `diff` that of the whole change, the same for all agents of a run? */
  readonly isShared: boolean
  /** The current code at the places of this task. */
  readonly ownCode: ReadonlyArray<Block>
  /** Code of files that did not change, the closest to the change first: the same for all agents of a run. */
  readonly relatedCode: ReadonlyArray<Block>
  /** Paths of related files that did not fit. */
  readonly relatedLeft: ReadonlyArray<string>
  /** Findings of static rules, one line each. */
  readonly ruleFindings: ReadonlyArray<string>
  /** Findings in these files that were rejected before, one line each. */
  readonly dismissed: ReadonlyArray<string>
  /** The rejected finding on the line of a claim, by the claim's number. */
  readonly dismissedClaims: ReadonlyMap<number, string>
  /** Uses, tests and imports of what changed, one line each. */
  readonly surroundings: ReadonlyArray<string>
  /** Sentences about what could not be read. */
  readonly missing: ReadonlyArray<string>
  /** The code around each claim, by its number. */
  readonly code: ReadonlyMap<number, CodeExcerpt>
}

export const emptyMaterial: Omit<Material, "nonce"> = {
  instructions: "",
  change: null,
  guidance: [],
  guidanceLeft: [],
  profiles: [],
  teamNotes: [],
  files: [],
  diff: null,
  isShared: false,
  ownCode: [],
  relatedCode: [],
  relatedLeft: [],
  ruleFindings: [],
  dismissed: [],
  dismissedClaims: new Map(),
  surroundings: [],
  missing: [],
  code: new Map()
}
