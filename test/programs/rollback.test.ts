import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { rollback } from "../../src/programs/rollback.ts"
import { Corpus } from "../../src/services/night/Corpus.ts"
import { holder } from "../support/corpusContract.ts"
import { it } from "../support/effect.ts"
import { generationAfter, suppression } from "../support/generations.ts"
import { MemoryCorpus } from "../support/MemoryCorpus.ts"

const by = { pid: 9, host: "here" }

/** Three generations; only the second has a suppression. */
const learned = () => {
  const memory = new MemoryCorpus()
  const one = generationAfter(memory.current)
  const two = generationAfter(one, { suppressions: [suppression()] })
  memory.generations = [generationAfter(two), two, one]
  return memory
}

describe("dd dream rollback", () => {
  it.effect("makes a new generation with the content of an old one, and can be undone", () =>
    Effect.gen(function* () {
      const memory = learned()
      const next = yield* rollback(2, by).pipe(Effect.provide(memory.layer))
      expect(memory.current).toEqual(next)
      expect(next).toMatchObject({ number: 4, base: 3, run: "rollback-2", iteration: 0, suppressions: [suppression()] })
      expect(memory.generations.map(({ number }) => number)).toEqual([4, 3, 2, 1])
      yield* rollback(3, by).pipe(Effect.provide(memory.layer))
      expect(memory.current).toMatchObject({ number: 5, suppressions: [] })
    })
  )

  it.effect("remembers what it took back and what it brought back, also in a second rollback", () =>
    Effect.gen(function* () {
      const memory = learned()
      const taken = [{ kind: "suppression", rule: "py/mutable-default", folder: "src/generated/", at: 0 }]
      const kept = taken.map((each) => ({ ...each, isKept: true }))
      for (const [to, rolledBack] of [
        [2, kept],
        [1, taken],
        [0, taken],
        [2, kept]
      ] as const) {
        yield* rollback(to, by).pipe(Effect.provide(memory.layer))
        expect(memory.current.rolledBack).toEqual(rolledBack as never)
      }
    })
  )

  it.effect("forgets what was learned with 0", () =>
    Effect.gen(function* () {
      const memory = learned()
      yield* rollback(2, by).pipe(Effect.provide(memory.layer))
      yield* rollback(0, by).pipe(Effect.provide(memory.layer))
      expect(memory.current).toMatchObject({ number: 5, base: 4, suppressions: [], project: memory.project })
    })
  )

  it.effect("changes nothing for a generation that is not kept, and not while a night runs", () =>
    Effect.gen(function* () {
      const memory = learned()
      const unknown = yield* Effect.flip(rollback(9, by).pipe(Effect.provide(memory.layer)))
      expect(unknown.message).toBe("generation 9 is not kept: 3, 2, 1 are, and 0 forgets what was learned")
      const busy = yield* Effect.gen(function* () {
        yield* (yield* Corpus).own(holder("night-1"))
        return yield* Effect.flip(rollback(1, by).pipe(Effect.provide(memory.layer)))
      }).pipe(Effect.provide(memory.layer), Effect.scoped)
      expect(busy._tag).toBe("CorpusBusy")
      expect(memory.current.number).toBe(3)
    })
  )
})
