/** What running the project's tests on small changes of the code under review has shown. */
import type { Mutant } from "./Mutant.ts"

/** `reached`: not tried yet. `unreached`: no test that ran executes it. `killed`: a test noticed it. */
export type Fate = "unreached" | "reached" | "killed" | "survived"

export interface Tried extends Mutant {
  readonly id: number
  readonly path: string
  readonly fate: Fate
  /** The test files that execute it. */
  readonly tests: ReadonlyArray<string>
}

export interface ProofWish {
  /** In seconds. */
  readonly budget: number
}

export interface Proof {
  readonly mutants: ReadonlyArray<Tried>
  /** The test files that ran. */
  readonly tests: ReadonlyArray<string>
  readonly runners: ReadonlyArray<string>
  /** Why something was not run, each a sentence without a full stop. */
  readonly notRun: ReadonlyArray<string>
  /** What kept the tests from other files and from the network. */
  readonly sandbox: string
}

/** Null: there was nothing to run. */
export const nothingProven = (reason: string | null): Proof => ({
  mutants: [],
  tests: [],
  runners: [],
  notRun: reason === null ? [] : [reason],
  sandbox: ""
})
