/**
 * Runs a program to its end, with nothing of dd's own environment and no terminal.
 *
 * Interrupted, it ends the program: asked first, then without asking after a second. A port, for nothing in
 * `services` starts processes itself.
 */
import { Context, type Effect, Schema } from "effect"

/** The program could not be started; `missing` when there is no such program. */
export class NotStarted extends Schema.TaggedError<NotStarted>()("NotStarted", {
  program: Schema.String,
  missing: Schema.Boolean,
  cause: Schema.Defect()
}) {
  override get message() {
    return this.missing ? `there is no program called ${this.program}` : `${this.program} could not be started`
  }
}

export interface Command {
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  readonly directory: string
  /** All of it: PATH too, by which the program is found. */
  readonly environment: Readonly<Record<string, string>>
  /** Standard input; empty when absent. */
  readonly input?: Uint8Array
  /** Takes standard output as it comes; `false` ends the program. */
  readonly onOutput: (chunk: Uint8Array) => boolean
  /** Takes standard error as it comes. */
  readonly onComplaint: (chunk: Uint8Array) => void
}

export class Subprocess extends Context.Service<
  Subprocess,
  {
    /** The exit code; 128 and the signal's number for a program that a signal ended. Both streams are read to their ends. */
    readonly run: (command: Command) => Effect.Effect<number, NotStarted>
  }
>()("dd/services/Subprocess") {}
