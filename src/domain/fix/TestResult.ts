/** How the project's tests ended. Only the exit code decides between passed and failed. */
import type { EnvironmentalKind } from "./environmentalFault.ts"

export interface TestResult {
  /** `environment`: the tests could not do their work, because of something that no edit of the code can repair. */
  readonly outcome: "passed" | "failed" | "timed-out" | "not-run" | "environment"
  /** Null if the command did not end by itself. */
  readonly exitCode: number | null
  /** The names of failing tests, if the output of the runner contains them. */
  readonly failing: ReadonlyArray<string> | null
  /** What is missing, for the outcome `environment`. */
  readonly fault: EnvironmentalKind | null
  /** The end of the output: redacted, printable. */
  readonly output: string
  readonly durationMs: number
  /** For people; "" if the tests passed. */
  readonly reason: string
  /** What kept the tests from other files and from the network; for people: `bubblewrap`, `none: it is not installed`. */
  readonly sandbox: string
}
