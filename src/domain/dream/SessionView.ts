/**
 * A session as its events tell it: a pure fold of `SessionEvent`s (`viewOfSession`), never stored and never changed by hand.
 *
 * Turns count prompts from 1 (0 before the first), steps count calls of tools from 1.
 */
import type { Host, InjectedContext, ToolAction } from "./SessionEvent.ts"

/** How well the session goes. */
export type HealthPhase = "Warmup" | "Productive" | "Exploring" | "Struggling" | "Late"
/** What the assistant is doing. */
export type ActivityPhase = "Orientation" | "Exploring" | "Building" | "Verifying" | "Wrapping"

/** `failed`: the last turn ended with an error of the provider. */
export type SessionOutcome = "open" | "clean" | "interrupted" | "failed"

/** `unknown`: a check that ended, of which neither the exit code nor the output tells the result. */
export type CallResult = "ok" | "unknown" | "failed" | "denied" | "in flight" | "interrupted"

/** One call of a tool. */
export interface SessionStep {
  readonly step: number
  readonly turn: number
  readonly at: number
  readonly endedAt: number | null
  readonly tool: string
  readonly action: ToolAction
  readonly result: CallResult
  /** The normalised beginning of a command, by which runs of the same check are compared: `bun test`, `tsc`. */
  readonly family: string | null
  readonly command: string | null
  /** Where a command runs, relative to the root; "" for the root itself and for other calls. */
  readonly folder: string
  /** What a command was given: files, names of tests. Empty: everything, or another call. */
  readonly scope: ReadonlyArray<string>
  /** The role of a command; null for other calls. */
  readonly purpose: CommandPurpose | null
  readonly files: ReadonlyArray<string>
  /** Hash of the arguments. */
  readonly args: string | null
  /** Hash of the output, if the host reports it. */
  readonly output: string | null
  /** Of a failed call. */
  readonly error: ErrorSignature | null
  /** Files of the project that the error names; at most five. */
  readonly named: ReadonlyArray<string>
  readonly agent: string | null
}

export type CommandPurpose = "build" | "test" | "check" | "format" | "install" | "commit" | "push" | "deploy" | "other"

/** An error with what varies masked, so that the same error has the same signature in every session. */
export interface ErrorSignature {
  /** The line that names the error, masked; its identity. */
  readonly masked: string
  /** `error:typescript:TS2345`; null for errors without a code. */
  readonly trigger: string | null
}

export interface PhaseChange<Phase extends string> {
  readonly phase: Phase
  readonly turn: number
  readonly step: number
  readonly at: number
  readonly reason: string
}

/** The figures after a step. */
export interface SessionSample {
  readonly turn: number
  readonly step: number
  readonly at: number
  readonly trust: number
  readonly focus: number
  /** Edits since the last build or test that succeeded. */
  readonly debt: number
  /** Errors that no later success has resolved. */
  readonly errors: number
  readonly health: HealthPhase
  readonly activity: ActivityPhase
}

export type LoopKind =
  | "read spiral"
  | "alternation"
  | "cycle"
  | "low entropy"
  | "stuck"
  | "low novelty"
  | "retry"
  | "similar commands"
  | "same call"
  | "same command fails"
  | "likely failure"
  | "same output"

/** From the step at which a detector fired to the first one at which it no longer holds. */
export interface SessionLoop {
  readonly kind: LoopKind
  /** What is repeated. */
  readonly key: string
  readonly firstStep: number
  readonly openedAt: number
  /** Null: still open at the end. */
  readonly closedAt: number | null
}

export interface Milestone {
  readonly step: number
  readonly turn: number
  readonly what: "build" | "test" | "check" | "commit" | "deploy"
}

export interface Denial {
  readonly step: number
  readonly turn: number
  readonly tool: string
  readonly family: string | null
}

export interface Injection extends InjectedContext {
  /** The step after which it was given, and its time. */
  readonly step: number
  readonly turn: number
  readonly at: number
}

export interface SessionView {
  readonly session: string
  readonly host: Host
  readonly project: string
  readonly root: string
  /** The root of the main working tree, if that is another one. */
  readonly main?: string
  readonly branch: string | null
  /** The commit at the start and at the last event that named one. */
  readonly head: string | null
  readonly startedAt: number
  readonly lastAt: number
  /** The time of the end that the host reported. */
  readonly endedAt: number | null
  readonly outcome: SessionOutcome
  readonly turns: number
  /** The number of events folded: with the version of a task, it identifies an analysis. */
  readonly events: number
  readonly steps: ReadonlyArray<SessionStep>
  readonly health: ReadonlyArray<PhaseChange<HealthPhase>>
  readonly activity: ReadonlyArray<PhaseChange<ActivityPhase>>
  /** One for each step, in order; one for step 0. */
  readonly samples: ReadonlyArray<SessionSample>
  readonly milestones: ReadonlyArray<Milestone>
  readonly denials: ReadonlyArray<Denial>
  readonly loops: ReadonlyArray<SessionLoop>
  readonly injections: ReadonlyArray<Injection>
  /** The first line of the first prompts, redacted and shortened; "" if unknown. */
  readonly goal: string
  /** Subjects of commits that the session made. */
  readonly commits: ReadonlyArray<string>
}
