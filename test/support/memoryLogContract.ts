/** What every log of refs promises. `kept` are layers over the same place: what one wrote, another reads. */
import { describe, expect } from "bun:test"
import { Effect, type Layer } from "effect"
import { MemoryLog } from "../../src/services/agent/runtime/MemoryLog.ts"
import { it } from "./effect.ts"
import { ended, input, result, run, step, turn } from "./refs.ts"

export const memoryLogContract = (name: string, kept: Layer.Layer<MemoryLog>): void =>
  describe(`${name} keeps the contract of logs of refs`, () => {
    it.live("returns what was appended, in order, context by context", () =>
      Effect.gen(function* () {
        const log = yield* MemoryLog
        const refs = [run(), input("héllo\n\u0000 </x>"), step(), turn("hi", "c1"), result("c1", "a\nb"), ended()]
        yield* log.append("chat:a/../b", refs.slice(0, 2))
        yield* log.append("other", refs.slice(0, 1))
        yield* log.append("chat:a/../b", refs.slice(2))
        expect(yield* log.read("chat:a/../b")).toEqual(refs)
        expect(yield* log.read("other")).toEqual(refs.slice(0, 1))
      }).pipe(Effect.provide(kept))
    )

    it.live("returns nothing for an unknown context", () =>
      Effect.gen(function* () {
        expect(yield* MemoryLog.use((log) => log.read("nobody"))).toEqual([])
      }).pipe(Effect.provide(kept))
    )
  })
