/**
 * Before a backend's first answer, turns a failure that no retry can change (a wrong key, an unknown model, an
 * unreachable service, a CLI that is not logged in) into `BackendRefused`, with a remedy.
 */
import { Effect, Stream } from "effect"
import type { Task } from "../../../domain/agent/Task.ts"
import type { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import {
  type Backend,
  type BackendError,
  BackendRefused,
  type NoModel,
  type Repair
} from "../../../services/agent/Backend.ts"
import { ModelError } from "../../../services/agent/Model.ts"

/** What the user can do, for the HTTP status of the refusal; null if there was no response. */
export type Remedy = (status: number | null) => string

export const withRefusal = (backend: Backend["Service"], remedy: Remedy): Backend["Service"] => {
  const refusals = refusalsOf(backend.name, remedy)
  const check = backend.check?.pipe(Effect.mapError((error) => refusals.of(error, false)))
  return {
    ...backend,
    execute: (task: Task, repair?: Repair) =>
      refusals.within(repair === undefined ? backend.execute(task) : backend.execute(task, repair)),
    ...(check === undefined ? {} : { check })
  }
}

/** For the answers of one backend. */
export const refusalsOf = (name: string, remedy: Remedy) => {
  let hasResult = false
  const refusalIn = (error: BackendError, hasOutput: boolean): BackendError => {
    if (hasResult || hasOutput || !isRefusal(error)) return error
    const status = "cause" in error && error.cause instanceof ModelError ? error.cause.status : null
    return new BackendRefused({ backend: name, reason: reasonOf(error), remedy: remedy(status) })
  }
  const within = <E extends BackendError | NoModel>(events: Stream.Stream<AgentEvent, E>) => {
    let hasOutput = false
    const observe = (event: AgentEvent) =>
      Effect.sync(() => {
        hasResult ||= event._tag === "Result"
        hasOutput ||= event._tag === "Text" || event._tag === "Thinking" || event._tag === "ToolStart"
      })
    return events.pipe(
      Stream.tap(observe),
      Stream.mapError((error): E | BackendError => (error._tag === "NoModel" ? error : refusalIn(error, hasOutput)))
    )
  }
  return { of: refusalIn, within }
}

/** dd's own clients report the kind of a failure. For a CLI that ends before any output, only its message is known. */
const isRefusal = (error: BackendError): boolean => {
  if (error._tag !== "BackendFailed") return true
  if (error.retryable) return false
  return error.cause instanceof ModelError
    ? ["not-allowed", "unreachable"].includes(error.cause.kind)
    : typeof error.cause === "string"
}

const reasonOf = (error: BackendError): string => {
  const { cause } = error
  if (typeof cause === "string") return cause
  return cause instanceof Error ? cause.message : error.message
}
