/**
 * Runs a program to its end, or exchanges data with it, without dd's own environment and without a terminal.
 *
 * An interruption ends the program: by a signal it can handle, and after a second by SIGKILL; with `listen`, the whole
 * process group. A port, because nothing in `services` starts processes itself.
 */
import { Context, type Duration, type Effect, Schema, type Scope } from "effect"

/** The program could not be started; `missing`: there is no such program. */
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
  /** The complete environment, including the PATH by which the program is found. */
  readonly environment: Readonly<Record<string, string>>
  /** The memory it may allocate, in bytes, if the system can limit that. */
  readonly maxMemory?: number
}

export interface Command extends Start {
  /** Standard input; absent: empty. */
  readonly input?: Uint8Array
  /** Receives standard output; `false` ends the program. */
  readonly onOutput: (chunk: Uint8Array) => boolean
  /** Receives standard error. */
  readonly onStderr: (chunk: Uint8Array) => void
}

export interface Collecting extends Start {
  /** Standard input; absent: empty. */
  readonly input?: Uint8Array
  /** How much of standard output is kept, in bytes; a program that prints more is stopped, or cannot print it. */
  readonly maxOutput: number
  /** How much of standard error is kept, in bytes; the rest is dropped. */
  readonly maxStderr: number
  /** Sees standard output as it arrives. */
  readonly onOutput?: (chunk: Uint8Array) => void
}

export interface Collected {
  /** As for `run`. */
  readonly exitCode: number
  readonly output: Uint8Array
  readonly stderr: Uint8Array
  /** There was more output than is kept. */
  readonly isCut: boolean
}

export interface Conversation {
  /**
   * Writes `input`, and reads until `take` returns true; false if the program ended before. One exchange at a time:
   * after an interrupted one, answers can no longer be assigned.
   */
  readonly exchange: (input: Uint8Array, take: (chunk: Uint8Array) => boolean) => Effect.Effect<boolean>
}

/** The time between asking a group of programs to end and killing it. */
export const EndGrace = Context.Reference<Duration.Input>("dd/services/Subprocess/EndGrace", {
  defaultValue: () => "5 seconds"
})

export interface ListenCommand extends Start {
  /** Standard input; the program may leave it unread. */
  readonly input: Uint8Array
  /** Receives standard error. */
  readonly onStderr: (chunk: Uint8Array) => void
}

export interface ListenedProgram {
  /**
   * More of its standard output, null at the end. A program that prints faster than it is read waits. For one reader.
   */
  readonly next: Effect.Effect<Uint8Array | null>
  /** The exit code, as for `run`; by then, everything that the program started has been ended. */
  readonly ended: Effect.Effect<number>
}

export class Subprocess extends Context.Service<
  Subprocess,
  {
    /**
     * The exit code; 128 plus the signal's number for a program ended by a signal. Both streams are read to their ends.
     */
    readonly run: (command: Command) => Effect.Effect<number, NotStarted>
    /**
     * The output of a program when it ends: cheaper than `listen`. May not wait for processes that it leaves running.
     */
    readonly collect: (command: Collecting) => Effect.Effect<Collected, NotStarted>
    /** A program that answers requests until the scope closes; its standard error is not kept. */
    readonly converse: (start: Start) => Effect.Effect<Conversation, NotStarted, Scope.Scope>
    /**
     * A program in a separate process group without a terminal. The group ends with the scope: it is asked first, and
     * killed after `EndGrace`. Only processes that left the group are not ended.
     */
    readonly listen: (command: ListenCommand) => Effect.Effect<ListenedProgram, NotStarted, Scope.Scope>
  }
>()("dd/services/system/Subprocess") {}
