/** What a night is asked to do. */
import type { ConsensusPolicy } from "../domain/night/report/council.ts"
import type { Summary } from "../domain/night/Summary.ts"
import type { LoopRequest } from "../services/night/nightLoop.ts"

export interface NightRequest {
  readonly run: string
  readonly pid: number
  readonly host: string
  readonly repoRoot: string
  readonly outputDir: string
  /** "" without one. */
  readonly goal: string
  /** As the user wrote it, and in milliseconds. */
  readonly requestedTimeout: string
  readonly timeout: number
  readonly keepAwake: boolean
  /** Of the council; empty: none is asked. */
  readonly runners: ReadonlyArray<string>
  readonly runnerSeconds: number
  readonly policy: ConsensusPolicy
  /** The budget is in milliseconds. */
  readonly longHaul: { readonly enabled: boolean; readonly budget: number }
  /** Without `warnOnly`, a night is strict as soon as there are enough labels to decide by. */
  readonly loop: Omit<LoopRequest["options"], "warnOnly"> & { readonly warnOnly: boolean | null }
  readonly isProtected: (rule: string) => boolean
  /** Of HEAD, each with a slash at the end; null: unknown. */
  readonly folders: ReadonlySet<string> | null
  /** The tests of files of HEAD. */
  readonly likelyTests: (files: ReadonlyArray<string>) => ReadonlyArray<string>
  /** The text of `AGENTS.md`; "" if there is none. */
  readonly agents: string
  readonly isSwitchedOff: (rule: string) => boolean
  readonly digest: (text: string) => string
  /** The report of the night before; null: none. */
  readonly previous: Summary | null
}
