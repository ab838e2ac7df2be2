import { describe, expect } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Fiber, Random } from "effect"
import * as Bun from "../../../../src/layers/system/subprocess/Bun.ts"
import { EndGrace, type ListenCommand, Subprocess } from "../../../../src/services/system/Subprocess.ts"
import { it } from "../../../support/effect.ts"
import { isRunning, scratch, systemPath } from "../../../support/process.ts"

const sh = (script: string, directory: string, more: Partial<ListenCommand> = {}): ListenCommand => ({
  program: "sh",
  arguments: ["-c", script],
  directory,
  environment: { PATH: systemPath },
  input: new Uint8Array(),
  onStderr: () => {},
  ...more
})

const decoder = new TextDecoder()

const heard = (script: string, directory: string, more: Partial<ListenCommand> = {}) =>
  Effect.gen(function* () {
    const { ended, next } = yield* Subprocess.use((process) => process.listen(sh(script, directory, more)))
    let out = ""
    for (let chunk = yield* next; chunk !== null; chunk = yield* next) out += decoder.decode(chunk)
    return { out, code: yield* ended }
  }).pipe(Effect.scoped, Effect.provide(Bun.layer))

const waitFor = (holds: () => boolean) =>
  Effect.promise(async () => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
  })

const pidIn = (path: string): number => Number(existsSync(path) ? readFileSync(path, "utf8").trim() : 0)

/** A program with a child, which has a child, each of which writes down who it is. */
const family = (trap: string) =>
  `${trap}; echo $$ > one; sh -c "${trap}; echo \\$\\$ > two; sh -c '${trap}; echo \\$\\$ > three; while :; do sleep 0.05; done' & wait; while :; do sleep 0.05; done" & while :; do sleep 0.05; done`

describe("a program that is listened to", () => {
  it.live("is read to its end, and returns its exit code", () =>
    Effect.gen(function* () {
      using place = scratch()
      const errors: Array<string> = []
      const { code, out } = yield* heard("cat; echo err >&2; exit 3", place.path, {
        input: new TextEncoder().encode("in\n".repeat(200_000)),
        onStderr: (chunk) => errors.push(decoder.decode(chunk))
      })
      expect([out.length, code, errors.join("")]).toEqual([600_000, 3, "err\n"])
    })
  )

  it.live("may leave its input unread", () =>
    Effect.gen(function* () {
      using place = scratch()
      const { code, out } = yield* heard("echo done", place.path, { input: new Uint8Array(3_000_000) })
      expect([out, code]).toEqual(["done\n", 0])
    })
  )

  it.live("waits while its output is not read, and does not fill dd's memory", () =>
    Effect.gen(function* () {
      using place = scratch()
      yield* Effect.gen(function* () {
        const { next } = yield* Subprocess.use((process) => process.listen(sh("yes; echo over > over", place.path)))
        for (let turn = 0; turn < 3; turn++) expect(yield* next).not.toBeNull()
        expect(existsSync(join(place.path, "over"))).toBe(false)
      }).pipe(Effect.scoped, Effect.provide(Bun.layer))
    })
  )

  it.live("leaves nothing behind when it ends by itself", () =>
    Effect.gen(function* () {
      using place = scratch()
      const script =
        "sh -c 'trap \"\" TERM; echo $$ > left; while :; do sleep 0.05; done' & while [ ! -s left ]; do sleep 0.01; done; echo said"
      const { code, out } = yield* heard(script, place.path)
      expect([out, code]).toEqual(["said\n", 0])
      yield* waitFor(() => !isRunning(pidIn(join(place.path, "left"))))
    })
  )

  for (const [how, trap] of [
    ["one that ends when asked", "true"],
    ["one that will not be asked", "trap : TERM"]
  ] as const) {
    it.live(`takes its children and theirs with it when interrupted: ${how}`, () =>
      Effect.gen(function* () {
        using place = scratch()
        const script = family(trap)
        const names = ["one", "two", "three"].map((name) => join(place.path, name))
        const fiber = yield* Effect.forkChild(Effect.provideService(heard(script, place.path), EndGrace, "50 millis"))
        yield* waitFor(() => names.every((name) => pidIn(name) > 0))
        const pids = names.map(pidIn)
        expect(pids.map(isRunning)).toEqual([true, true, true])
        yield* Fiber.interrupt(fiber)
        yield* waitFor(() => !pids.some(isRunning))
      })
    )
  }

  it.live("ends in whatever moment it is interrupted", () =>
    Effect.gen(function* () {
      for (let turn = 0; turn < 20; turn++) {
        using place = scratch()
        const fiber = yield* Effect.forkChild(heard("echo $$ > one; while :; do echo line; done", place.path))
        yield* Effect.sleep(yield* Random.nextIntBetween(0, 40))
        yield* Fiber.interrupt(fiber)
        const pid = pidIn(join(place.path, "one"))
        expect(pid === 0 || !isRunning(pid)).toBe(true)
      }
    })
  )
})
