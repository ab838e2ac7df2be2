/** What every implementation of the corpus does. Each runs it in its own test. */
import { describe, expect } from "bun:test"
import { Effect, type Layer, type Scope } from "effect"
import type { Generation } from "../../src/domain/night/Generation.ts"
import { Corpus, type Holder, keptGenerations } from "../../src/services/night/Corpus.ts"
import { it } from "./effect.ts"
import { generationAfter, suppression } from "./generations.ts"

export const holder = (run: string): Holder => ({ run, pid: 7, host: "here", outputDir: `/reports/${run}` })

/** `makeWorld`: an empty corpus; each use of its layer is a process of its own. */
export const corpusContract = (name: string, makeWorld: Effect.Effect<Layer.Layer<Corpus>, never, Scope.Scope>) => {
  const promise = <E>(title: string, body: (process: Process) => Effect.Effect<unknown, E, Scope.Scope>) =>
    it.live(title, () =>
      Effect.flatMap(makeWorld, (layer) => body((work) => Corpus.use(work).pipe(Effect.provide(layer), Effect.scoped)))
    )

  describe(`the corpus ${name}`, () => {
    promise("is empty before the first night", (process) =>
      Effect.gen(function* () {
        const [current, number, kept, note] = yield* process((corpus) =>
          Effect.all([corpus.current, corpus.currentNumber, corpus.generations, corpus.note("refused.json")])
        )
        expect([current.number, current.suppressions, number, kept, note]).toEqual([0, [], 0, [], null])
      })
    )

    promise("gives what was committed to every later process", (process) =>
      Effect.gen(function* () {
        const next = yield* process((corpus) =>
          Effect.gen(function* () {
            yield* corpus.own(holder("night-1"))
            const made = generationAfter(yield* corpus.current, { suppressions: [suppression()] })
            yield* corpus.commit(made)
            yield* corpus.setNote("refused.json", "[1]")
            return made
          })
        )
        const [current, note] = yield* process((corpus) => Effect.all([corpus.current, corpus.note("refused.json")]))
        expect(current).toEqual(next)
        expect(note).toBe("[1]")
      })
    )

    promise("changes nothing if another generation counts than the one a run started from", (process) =>
      Effect.gen(function* () {
        const start = yield* process((corpus) => corpus.current)
        const first = yield* process(committing(generationAfter(start)))
        const stale = yield* Effect.flip(process(committing(generationAfter(start, { run: "stale" }))))
        expect(stale).toMatchObject({ _tag: "CorpusMoved", base: 0, current: 1 })
        expect(yield* process((corpus) => corpus.current)).toEqual(first)
      })
    )

    promise("takes no generation whose number is not the next one, and none of another repository", (process) =>
      Effect.gen(function* () {
        const start = yield* process((corpus) => corpus.current)
        for (const wrong of [{ number: 3 }, { project: "other-1" }]) {
          const error = yield* Effect.flip(process(committing(generationAfter(start, wrong))))
          expect(error._tag).toBe("NightFileUnusable")
        }
        expect((yield* process((corpus) => corpus.current)).number).toBe(0)
      })
    )

    promise("writes nothing for a run that does not hold the lock", (process) =>
      Effect.gen(function* () {
        const errors = yield* process((corpus) =>
          Effect.gen(function* () {
            const next = generationAfter(yield* corpus.current)
            return [yield* Effect.flip(corpus.commit(next)), yield* Effect.flip(corpus.setNote("refused.json", "[]"))]
          })
        )
        expect(errors.map(({ _tag }) => _tag)).toEqual(["NightFileUnusable", "NightFileUnusable"])
        expect(yield* process((corpus) => corpus.note("refused.json"))).toBe(null)
      })
    )

    promise("has one owner at a time, is readable meanwhile, and is free when the owner ends", (process) =>
      Effect.gen(function* () {
        yield* process((corpus) =>
          Effect.gen(function* () {
            yield* corpus.own(holder("night-1"))
            const busy = yield* Effect.flip(process((other) => other.own(holder("night-2"))))
            expect(busy).toMatchObject({ _tag: "CorpusBusy", holder: "run night-1, process 7 on here" })
            expect((yield* process((other) => other.current)).number).toBe(0)
            yield* corpus.commit(generationAfter(yield* corpus.current))
          })
        )
        expect(yield* process((corpus) => corpus.own(holder("night-2")))).toBe(null)
      })
    )

    promise("keeps the newest generations, newest first", (process) =>
      Effect.gen(function* () {
        let last: Generation = yield* process((corpus) => corpus.current)
        for (let n = 0; n < keptGenerations + 3; n++) last = yield* process(committing(generationAfter(last)))
        const kept = yield* process((corpus) => corpus.generations)
        expect(kept.map(({ number }) => number)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4])
      })
    )
  })
}

type Process = <A, E>(work: (corpus: Corpus["Service"]) => Effect.Effect<A, E, Scope.Scope>) => Effect.Effect<A, E>

const committing = (next: Generation) => (corpus: Corpus["Service"]) =>
  Effect.as(Effect.andThen(corpus.own(holder(next.run)), corpus.commit(next)), next)
