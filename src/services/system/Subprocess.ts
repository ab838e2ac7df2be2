/**
 * Runs a program to its end, or talks with it, with nothing of dd's own environment and no terminal.
 *
 * Interrupted, it ends the program: asked first, then without asking after a second; one that is listened to with
 * everything it has started. A port, for nothing in `services` starts processes itself.
 */
import { Context, type Duration, type Effect, Schema, type Scope } from "effect"

/** The program could not be started; `missing` when there is no such program. */
export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", {
  program: Schema.String,
  missing: Schema.Boolean,
  cause: Schema.Defect()
}) {
  override get message() {
    return this.missing ? `${this.program} is not installed` : `${this.program} could not be started`
  }
}

export interface Start {
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  readonly directory: string
  /** All of it: PATH too, by which the program is found. */
  readonly environment: Readonly<Record<string, string>>
  /** How much memory it may allocate, in bytes, where the system can bound that. */
  readonly maxMemory?: number
}

export interface Command extends Start {
  /** Standard input; empty when absent. */
  readonly input?: Uint8Array
  /** Takes standard output as it comes; `false` ends the program. */
  readonly onOutput: (chunk: Uint8Array) => boolean
  /** Takes standard error as it comes. */
  readonly onComplaint: (chunk: Uint8Array) => void
}

export interface Collecting extends Start {
  /** Standard input; empty when absent. */
  readonly input?: Uint8Array
  /** How much of standard output is kept, in bytes; a program that prints more is stopped, or cannot print it. */
  readonly maxOutput: number
  /** How much of standard error is kept, in bytes; the rest is lost. */
  readonly maxComplaint: number
}

export interface Collected {
  /** As of `run`. */
  readonly exitCode: number
  readonly output: Uint8Array
  readonly complaint: Uint8Array
  /** There would have been more output than is kept. */
  readonly isCut: boolean
}

export interface Conversation {
  /**
   * Says `input`, and listens until `heard` answers true; false when the program ended before. One exchange at a time:
   * after one that was interrupted nobody knows what the next answer belongs to.
   */
  readonly exchange: (input: Uint8Array, heard: (chunk: Uint8Array) => boolean) => Effect.Effect<boolean>
}

/** Between asking a group of programs to end and ending it. */
export const EndPatience = Context.Reference<Duration.Input>("dd/services/Subprocess/EndPatience", {
  defaultValue: () => "5 seconds"
})

export interface Listened extends Start {
  /** Standard input, whole; the program may leave it unread. */
  readonly input: Uint8Array
  /** Takes standard error as it comes. */
  readonly onComplaint: (chunk: Uint8Array) => void
}

export interface Listening {
  /** More of its standard output, null at the end of it. A program that says more than is heard waits. For one reader. */
  readonly next: Effect.Effect<Uint8Array | null>
  /** The exit code, as of `run`; whatever the program has started and left behind is ended by then. */
  readonly ended: Effect.Effect<number>
}

export class Subprocess extends Context.Service<
  Subprocess,
  {
    /** The exit code; 128 and the signal's number for a program that a signal ended. Both streams are read to their ends. */
    readonly run: (command: Command) => Effect.Effect<number, NotStarted>
    /** What a program has printed when it ends: cheaper than to listen. What it leaves running may not be waited for. */
    readonly collect: (command: Collecting) => Effect.Effect<Collected, NotStarted>
    /** A program that answers what it is asked until the scope closes; what it complains of is not kept. */
    readonly converse: (start: Start) => Effect.Effect<Conversation, NotStarted, Scope.Scope>
    /**
     * A program in a process group of its own, away from the terminal. With the scope the whole group ends: asked first,
     * and killed after `EndPatience`. Only what has left the group by itself escapes.
     */
    readonly listen: (command: Listened) => Effect.Effect<Listening, NotStarted, Scope.Scope>
  }
>()("dd/services/system/Subprocess") {}
