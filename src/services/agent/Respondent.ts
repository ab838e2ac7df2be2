/**
 * Answers a question in prose: a model behind an API, or a coding CLI. It gets no tools.
 *
 * A port: `layers/agent/backend/ModelRespondent.ts` and `layers/agent/backend/cli/CliBackend.ts`. A stream ends with one
 * `Result` or fails with a `BackendError`; interrupting it stops the work. `Thinking` without text: thinking has begun.
 */
import { Context, type Stream } from "effect"
import type { ModelRoom } from "../../domain/pack/ModelRoom.ts"
import type { AgentEvent } from "../../domain/run/AgentEvent.ts"
import type { BackendError } from "./Backend.ts"

export interface Question {
  readonly system: ReadonlyArray<string>
  /** Messages of the user, in order. */
  readonly user: ReadonlyArray<string>
}

export class Respondent extends Context.Service<
  Respondent,
  {
    /** Of the backend. */
    readonly name: string
    /** "" for the default of a coding CLI. */
    readonly model: string
    /** Null if unknown. */
    readonly room: ModelRoom | null
    readonly execute: (question: Question) => Stream.Stream<AgentEvent, BackendError>
  }
>()("dd/services/agent/Respondent") {}
