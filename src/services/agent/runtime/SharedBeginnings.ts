/**
 * Agents that begin with the same text pay for it once, also if they start together: one request sends it, and the others wait
 * until the provider's cache has it, which is when the first piece of the answer or the usage of the prompt arrives.
 *
 * If that request ends before, another one takes its place. No request waits longer than `mostWait`, and none for a
 * beginning that was sent before.
 */
import { Deferred, type Duration, Effect, Exit, type Scope } from "effect"
import type { ModelEvent, ModelRequest } from "../../../domain/agent/ModelTurn.ts"

/** A model that thinks in silence has read its prompt by then. */
const mostWait: Duration.Input = "10 seconds"

interface Beginning {
  isCached: boolean
  /** Done when the request that sends it has a first piece of its answer, or has ended. */
  first: Deferred.Deferred<void> | null
}

export class SharedBeginnings {
  readonly #all = new Map<string, Beginning>()

  /** Waits until the request may be sent. Its scope is that of the request; the result receives the events of the answer. */
  wait(request: ModelRequest): Effect.Effect<(event: ModelEvent) => void, never, Scope.Scope> {
    const key = keyOf(request)
    const beginning = this.#all.get(key) ?? { isCached: false, first: null }
    this.#all.set(key, beginning)
    if (beginning.isCached) return Effect.succeed(() => {})
    const own = Deferred.makeUnsafe<void>()
    // Before it can become the first one, which it may also be when its time is over.
    return Effect.addFinalizer(() => Effect.sync(() => end(beginning, own))).pipe(
      Effect.andThen(Effect.timeoutOption(turnOf(beginning, own), mostWait)),
      Effect.as((event) => {
        // Some providers begin their stream before they have read the prompt; its usage is known after that.
        if (beginning.isCached || event._tag === "Began") return
        beginning.isCached = true
        end(beginning, beginning.first)
      })
    )
  }
}

/** Waits until the beginning is cached, or until no other request is sending it: then this one is the first. */
const turnOf = Effect.fnUntraced(function* (beginning: Beginning, own: Deferred.Deferred<void>) {
  while (!beginning.isCached && beginning.first !== null) yield* Deferred.await(beginning.first)
  if (!beginning.isCached) beginning.first = own
})

const end = (beginning: Beginning, first: Deferred.Deferred<void> | null): void => {
  if (first === null || beginning.first !== first) return
  beginning.first = null
  Deferred.doneUnsafe(first, Exit.void)
}

/** The part of a request that other agents may have, too. A cache is not shared between efforts. */
const keyOf = ({ effort, messages, model, system, tools }: ModelRequest): string => {
  const parts = messages[0]?.role === "user" ? messages[0].parts : []
  const other = parts.findIndex((part) => part._tag !== "Text" || !part.lasting)
  return JSON.stringify([model, effort, tools, system, other === -1 ? parts : parts.slice(0, other)])
}
