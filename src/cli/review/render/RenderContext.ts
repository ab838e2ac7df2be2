/** What a renderer needs besides the result. */
import type { BriefExtent } from "../../../domain/brief/briefLines.ts"

/** The texts of a rule (`domain/finding/Rule.ts`). */
export interface RuleWords {
  readonly title: string
  readonly why: string
  readonly fix: string
  /** A CWE number or an address in the language's documentation. */
  readonly reference: string
}

/** Shows paths relative to the current directory. */
export interface Here {
  readonly path: (path: string) => string
  /** The description of a change; the path that it is limited to is rewritten. */
  readonly description: (text: string) => string
  /** Rewrites the places (`path:line`) in a text. */
  readonly prose: (text: string) => string
}

export interface RenderContext {
  readonly version: string
  readonly rule: (id: string) => RuleWords | undefined
  /** Columns of the page, infinite if lines do not break; at least 40 are used. */
  readonly width: number
  readonly colour: boolean
  /** What is printed is shown on a terminal, which control characters have an effect on. */
  readonly isTerminal?: boolean
  /** Show every finding and every file, not only the first ones. */
  readonly all: boolean
  /** How much of the brief is shown; null: nothing. Absent: short. */
  readonly brief?: BriefExtent | null
  /** Findings in the text report without `all`; high findings are always shown. */
  readonly shown: number
  /** Absent: paths are relative to the root of the repository. */
  readonly here?: Here | null
  /** The address of the reviewed files on a forge, before their path; null: unknown, or not committed. */
  readonly files: string | null
  /** Of a Markdown page that a service limits. Absent: no limit. */
  readonly mostCharacters?: number
  readonly exitCode: number
  /** The last line of the text report: why the command ends with this exit code. Null: the result needs no reason. */
  readonly exitReason: string | null
}

/** The reference, if it is an address that may be linked. */
export const documentation = (words: RuleWords | undefined): string | undefined =>
  words !== undefined && /^https:\/\/[^\s"'<>\\]+$/.test(words.reference) ? words.reference : undefined
