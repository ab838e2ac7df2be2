import { describe, expect } from "bun:test"
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import type { AgentRef } from "../../../../src/domain/agent/AgentRef.ts"
import * as File from "../../../../src/layers/agent/memory/File.ts"
import { MemoryLog } from "../../../../src/services/agent/runtime/MemoryLog.ts"
import { Redactor } from "../../../../src/services/secret/Redactor.ts"
import { it } from "../../../support/effect.ts"
import { fileDirectory } from "../../../support/fileDirectory.ts"
import { memoryLogContract } from "../../../support/memoryLogContract.ts"
import { input, result, run, turn } from "../../../support/refs.ts"

const root = fileDirectory()
const place = () => join(mkdtempSync(join(root, "place-")), "agents")
const at = (directory: string) => File.layer(directory).pipe(Layer.provide(Redactor.layerOf({})))

memoryLogContract("a directory", at(place()))

describe("refs in a directory", () => {
  it.live("are read by another process, in files for their owner alone, inside of the folder whatever the id", () => {
    const directory = place()
    return Effect.gen(function* () {
      const ref = run()
      yield* MemoryLog.use((log) => log.append("../../escape", [ref])).pipe(Effect.provide(at(directory)))
      const names = readdirSync(directory)
      expect(names).toHaveLength(1)
      expect(statSync(join(directory, names[0] ?? "")).mode & 0o777).toBe(0o600)
      expect(statSync(directory).mode & 0o777).toBe(0o700)
      expect(
        yield* MemoryLog.use((log) => log.read("../../escape")).pipe(Effect.provide(Layer.fresh(at(directory))))
      ).toEqual([ref])
    })
  })

  it.live("are read up to what a kill left half, and appended to after it", () => {
    const directory = place()
    return Effect.gen(function* () {
      const log = yield* MemoryLog
      const [a, b, c] = [run(), input("one"), input("two")]
      yield* log.append("x", [a, b])
      const file = join(directory, readdirSync(directory)[0] ?? "")
      appendFileSync(file, '{"_tag":"Input","id":"half')
      expect(yield* log.read("x")).toEqual([a, b])
      const again = Layer.fresh(at(directory))
      const read = yield* Effect.gen(function* () {
        const other = yield* MemoryLog
        yield* other.append("x", [c])
        return yield* other.read("x")
      }).pipe(Effect.provide(again))
      expect(read).toEqual([a, b, c])
    }).pipe(Effect.provide(at(directory)))
  })

  it.live("are copied once from an earlier run, and the earlier log stays as it was", () => {
    const [earlier, directory] = [place(), place()]
    const about: AgentRef = { _tag: "Context", id: "c", at: "t", context: "x", type: "task", key: "x", args: {} }
    const [begun, one, two] = [run(), input("one"), input("two")]
    const resuming = File.layer(directory, earlier).pipe(Layer.provide(Redactor.layerOf({})))
    return Effect.gen(function* () {
      yield* MemoryLog.use((log) => log.append("x", [about, begun, one])).pipe(Effect.provide(at(earlier)))
      const file = join(earlier, readdirSync(earlier)[0] ?? "")
      appendFileSync(file, '{"_tag":"Turn","id":"half')
      const before = readFileSync(file, "utf8")
      yield* MemoryLog.use((log) => log.append("x", [two])).pipe(Effect.provide(resuming))
      const log = yield* Effect.provide(MemoryLog, resuming)
      expect(yield* log.read("y")).toEqual([])
      expect(yield* log.read("x")).toEqual([about, begun, one, two])
      expect(readFileSync(file, "utf8")).toBe(before)
      expect(readdirSync(directory)).toHaveLength(1)
    })
  })

  it.live("contain no secret, and no form of a turn that its provider would refuse", () => {
    const directory = place()
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`
    return Effect.gen(function* () {
      const log = yield* MemoryLog
      const signed = { thinking: "plain", signature: "abc" }
      yield* log.append("x", [
        input(`the token is ${secret}`),
        { ...turn(`I saw ${secret}`), verbatim: { text: `I saw ${secret}` } },
        { ...turn("clean"), verbatim: signed },
        { ...result("c", "no such tool"), name: secret, fault: `there is no ${secret}` }
      ])
      const text = readFileSync(join(directory, readdirSync(directory)[0] ?? ""), "utf8")
      expect(text).not.toContain(secret)
      expect((yield* log.read("x")).map((ref) => (ref._tag === "Turn" ? ref.verbatim : "-"))).toEqual([
        "-",
        null,
        signed,
        "-"
      ])
    }).pipe(Effect.provide(at(directory)))
  })

  it.effect("that cannot be written are reported once, and fail nothing", () => {
    const file = join(mkdtempSync(join(root, "place-")), "file")
    writeFileSync(file, "")
    return Effect.gen(function* () {
      const log = yield* MemoryLog
      yield* log.append("x", [run()])
      yield* log.append("x", [run()])
      expect(yield* log.read("x")).toEqual([])
      const said = (yield* TestConsole.logLines).filter((line) =>
        String(line).includes("the memory of agents is not saved")
      )
      expect(said).toHaveLength(1)
    }).pipe(Effect.provide(at(join(file, "below"))))
  })
})
