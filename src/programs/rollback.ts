/**
 * Makes a new generation of the corpus with the content of a kept one, under the lock: nothing is lost, and it can be undone. What it
 * takes back stays away until later labels carry it.
 */
import { Clock, Effect, Runtime, Schema } from "effect"
import { emptyGeneration, Generation } from "../domain/night/Generation.ts"
import { rolledBackBetween } from "../domain/night/rolledBack.ts"
import { Corpus, type Holder } from "../services/night/Corpus.ts"

export class GenerationNotKept extends Schema.TaggedError<GenerationNotKept>()("GenerationNotKept", {
  number: Schema.Int,
  /** Newest first. */
  kept: Schema.Array(Schema.Int)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    const kept = this.kept.length === 0 ? "none is" : `${this.kept.join(", ")} ${this.kept.length === 1 ? "is" : "are"}`
    return `generation ${this.number} is not kept: ${kept}, and 0 forgets what was learned`
  }
}

/** Gives the generation that counts now. `number`: 0 is the empty corpus. */
export const rollback = Effect.fn("rollback")(function* (number: number, by: Pick<Holder, "host" | "pid">) {
  const corpus = yield* Corpus
  const run = `rollback-${number}`
  yield* corpus.own({ ...by, run, outputDir: "" })
  const kept = yield* corpus.generations
  const old = number === 0 ? emptyGeneration(corpus.project) : kept.find((each) => each.number === number)
  if (old === undefined) return yield* new GenerationNotKept({ number, kept: kept.map((each) => each.number) })
  const base = yield* corpus.currentNumber
  const at = yield* Clock.currentTimeMillis
  const rolledBack = rolledBackBetween(old, kept[0] ?? old, at)
  const next = Generation.make({
    ...old,
    rolledBack,
    number: base + 1,
    base,
    at,
    run,
    iteration: 0
  })
  yield* corpus.commit(next)
  return next
}, Effect.scoped)
