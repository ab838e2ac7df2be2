import { describe, expect } from "bun:test"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import * as Bun from "../../../../src/layers/system/subprocess/Bun.ts"
import {
  type Collecting,
  type Command,
  type Conversation,
  Subprocess
} from "../../../../src/services/system/Subprocess.ts"
import { it } from "../../../support/effect.ts"
import { scratch } from "../../../support/process.ts"

const sh = (script: string, more: Partial<Command> = {}): Command => ({
  program: "sh",
  arguments: ["-c", script],
  directory: tmpdir(),
  environment: { PATH: "/usr/bin:/bin" },
  onOutput: () => true,
  onStderr: () => {},
  ...more
})

const run = (command: Command) => Subprocess.use((process) => process.run(command)).pipe(Effect.provide(Bun.layer))

const collected = (script: string, more: Partial<Command> = {}) =>
  Effect.gen(function* () {
    const [out, err] = [[] as Uint8Array[], [] as Uint8Array[]]
    const code = yield* run(
      sh(script, { onOutput: (chunk) => out.push(chunk) > 0, onStderr: (chunk) => err.push(chunk), ...more })
    )
    return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }
  })

const waitFor = (holds: () => boolean) =>
  Effect.promise(async () => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
  })

/** How many of this process's open files are for a program to print into. */
const memoryFiles = (): number =>
  readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes("dd output")
    } catch {
      // The listing's own descriptor, closed by now.
      return false
    }
  }).length

/** Written whole, or none. */
const pidIn = (path: string): number => Number(/^(\d+)\n/.exec(existsSync(path) ? readFileSync(path, "utf8") : "")?.[1])

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** On virtual time: dd may be slow to hear of the interruption itself. */
const notTold = Effect.fnUntraced(function* <A, E>(
  running: (script: string, directory: string) => Effect.Effect<A, E>
) {
  using place = scratch()
  const pid = join(place.path, "pid")
  let isTold = false
  const telling = Effect.map(running("echo $$ > pid; kill -INT $$", place.path), () => {
    isTold = true
  })
  const fiber = yield* Effect.forkChild(telling)
  yield* waitFor(() => pidIn(pid) > 0 && !isAlive(pidIn(pid)))
  // Its end is known here by now, or some turns later.
  let turns = 0
  yield* waitFor(() => turns++ > 5)
  expect(isTold).toBe(false)
  yield* Fiber.interrupt(fiber)
  expect(isTold).toBe(false)
})

describe("Subprocess, by Bun", () => {
  it.effect("answers the exit code and both streams, to their ends", () =>
    Effect.gen(function* () {
      expect(yield* collected("echo out; echo err >&2; exit 3")).toEqual({ code: 3, out: "out\n", err: "err\n" })
      const much = yield* collected("head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2")
      expect([much.out.length, much.err.length]).toEqual([3_000_000, 300_000])
    })
  )

  it.effect("hands over input of any size, and an empty one when there is none", () =>
    Effect.gen(function* () {
      const input = new Uint8Array(2_000_000).fill(97)
      expect((yield* collected("cat", { input })).out.length).toBe(2_000_000)
      expect((yield* collected("cat")).out).toBe("")
      // Who does not read its input is no error.
      expect((yield* collected("exit 0", { input })).code).toBe(0)
    })
  )

  it.live("returns 128 plus the number of the signal that ended the program", () =>
    Effect.gen(function* () {
      expect((yield* collected("kill -TERM $$")).code).toBe(143)
    })
  )

  it.effect("reports nothing about the end of a program that was interrupted together with dd", () =>
    notTold((script, directory) => run(sh(script, { directory })))
  )

  it.effect("ends a program whose output is refused", () =>
    Effect.gen(function* () {
      expect(yield* run(sh("yes", { onOutput: () => false }))).toBeGreaterThan(128)
    })
  )

  it.effect("starts the program with the given environment and no other", () =>
    Effect.gen(function* () {
      process.env.DD_TEST_LEAK = "leaked"
      const { out } = yield* collected("env", { environment: { PATH: "/usr/bin:/bin", ONE: "1" } })
      delete process.env.DD_TEST_LEAK
      expect(out).toContain("ONE=1")
      expect(out).not.toContain("leaked")
    })
  )

  it.effect("distinguishes a missing program from one that could not be started", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(run({ ...sh(""), program: "no-such-program" }))
      expect([missing.missing, missing.message]).toEqual([true, "no-such-program is not installed"])
      const nowhere = yield* Effect.flip(run({ ...sh(""), directory: "/no/such/directory" }))
      expect([nowhere.missing, nowhere.message]).toEqual([false, "sh could not be started"])
    })
  )

  for (const [how, script] of [
    ["one that ends when asked", "echo $$ > pid; while :; do sleep 0.01; done"],
    ["one that will not be asked", "trap '' TERM; echo $$ > pid; while :; do sleep 0.01; done"]
  ] as const) {
    it.live(`leaves no program behind when interrupted: ${how}`, () =>
      Effect.gen(function* () {
        using place = scratch()
        const pid = join(place.path, "pid")
        const fiber = yield* Effect.forkChild(run(sh(script, { directory: place.path })))
        yield* waitFor(() => pidIn(pid) > 0)
        yield* Fiber.interrupt(fiber)
        expect(isAlive(pidIn(pid))).toBe(false)
      })
    )
  }
})

for (const [how, layer] of [
  ["in files in memory", Bun.layer],
  ["from pipes, where there are no such files", Bun.layerWith(() => null)]
] as const) {
  const collect = (script: string, more: Partial<Collecting> = {}) => {
    const { arguments: args, directory, environment, program } = sh(script)
    const start = { program, arguments: args, directory, environment, maxOutput: 1000, maxStderr: 1000, ...more }
    return Subprocess.use((process) => process.collect(start)).pipe(Effect.provide(layer))
  }
  const texts = (script: string, more: Partial<Collecting> = {}) =>
    Effect.map(collect(script, more), ({ stderr, exitCode, isCut, output }) => ({
      code: exitCode,
      out: Buffer.from(output).toString(),
      err: Buffer.from(stderr).toString(),
      isCut
    }))

  describe(`what a program prints, collected ${how}`, () => {
    it.effect("is both streams and the exit code", () =>
      Effect.gen(function* () {
        expect(yield* texts("echo out; echo err >&2; exit 3")).toEqual({
          code: 3,
          out: "out\n",
          err: "err\n",
          isCut: false
        })
        expect(yield* texts("exit 0")).toEqual({ code: 0, out: "", err: "", isCut: false })
      })
    )

    it.live("is known of a program that a signal ended", () =>
      Effect.gen(function* () {
        expect((yield* texts("echo out; kill -TERM $$")).code).toBe(143)
      })
    )

    it.effect("is not reported if an interruption ended the program and will reach dd", () =>
      notTold((script, directory) => collect(script, { directory }))
    )

    it.effect("is limited to the byte, and more is reported as cut", () =>
      Effect.gen(function* () {
        for (const maxOutput of [0, 1, 1000, 4096, 65_536, 3_000_000]) {
          const whole = yield* collect(`head -c ${maxOutput} /dev/zero`, { maxOutput })
          expect([whole.exitCode, whole.output.length, whole.isCut]).toEqual([0, maxOutput, false])
          const over = yield* collect(`head -c ${maxOutput + 1} /dev/zero`, { maxOutput })
          expect([over.output.length, over.isCut]).toEqual([maxOutput, true])
        }
        const endless = yield* collect("yes", { maxOutput: 100_000 })
        expect([endless.output.length, endless.isCut, endless.exitCode > 0]).toEqual([100_000, true, true])
      })
    )

    it.effect("does not depend on how much it complains", () =>
      Effect.gen(function* () {
        const much = yield* texts("head -c 300000 /dev/zero | tr '\\0' a >&2; echo out", { maxStderr: 50 })
        expect(much).toEqual({ code: 0, out: "out\n", err: "a".repeat(50), isCut: false })
      })
    )

    it.effect("comes of input of any size, and of none", () =>
      Effect.gen(function* () {
        const input = new Uint8Array(2_000_000).fill(97)
        const back = yield* collect("cat", { input, maxOutput: input.length })
        expect(back.output).toEqual(input)
        expect((yield* texts("cat")).out).toBe("")
        expect((yield* texts("exit 0", { input })).code).toBe(0)
      })
    )

    it.effect("distinguishes a missing program from one that could not be started", () =>
      Effect.gen(function* () {
        expect((yield* Effect.flip(collect("", { program: "no-such-program" }))).missing).toBe(true)
        expect((yield* Effect.flip(collect("", { directory: "/no/such/directory" }))).missing).toBe(false)
      })
    )

    it.live("ends with an interruption, the program with it, and leaves no file open", () =>
      Effect.gen(function* () {
        using place = scratch()
        const pid = join(place.path, "pid")
        const fiber = yield* Effect.forkChild(
          collect("echo $$ > pid; while :; do sleep 0.01; done", { directory: place.path })
        )
        yield* waitFor(() => pidIn(pid) > 0)
        expect(memoryFiles()).toBe(layer === Bun.layer ? 2 : 0)
        yield* Fiber.interrupt(fiber)
        expect(isAlive(pidIn(pid))).toBe(false)
        yield* Effect.flip(collect("", { program: "no-such-program" }))
        expect(memoryFiles()).toBe(0)
      })
    )
  })
}

/** Says each line back, ends at "end", and never answers "hush". */
const echo = 'echo $$ >&2; while read line; do [ "$line" = end ] && exit 1; [ "$line" = hush ] || echo "$line"; done'

const conversation = (script = echo) =>
  Effect.flatMap(Subprocess, (process) => process.converse(sh(script))).pipe(Effect.provide(Bun.layer))

const said = Effect.fnUntraced(function* (talk: Conversation, words: string, lines = 1) {
  let heard = ""
  const input = new TextEncoder().encode(words)
  const isAnswered = yield* talk.exchange(input, (chunk) => {
    heard += new TextDecoder().decode(chunk)
    return heard.split("\n").length > lines
  })
  return isAnswered ? heard : null
})

describe("a conversation with a program", () => {
  it.live("goes on, answer by answer, whatever their size", () =>
    Effect.gen(function* () {
      const talk = yield* conversation("cat")
      expect(yield* said(talk, "one\n")).toBe("one\n")
      const many = "a line\n".repeat(100_000)
      expect(yield* said(talk, many, 100_000)).toBe(many)
      expect(yield* said(talk, "three\n")).toBe("three\n")
    }).pipe(Effect.scoped)
  )

  it.live("ends when the program ends, and reports it on every call", () =>
    Effect.gen(function* () {
      const talk = yield* conversation()
      expect(yield* said(talk, "one\n")).toBe("one\n")
      expect(yield* said(talk, "end\n")).toBeNull()
      expect(yield* said(talk, "two\n")).toBeNull()
    }).pipe(Effect.scoped)
  )

  // A terminal's Ctrl-C ends the program too, before its end is known here.
  it.live("is over, and no more than that, where the program does not take its input any more", () =>
    Effect.gen(function* () {
      const talk = yield* conversation('read line; exec 0<&-; echo "$line"; sleep 0.2')
      expect(yield* said(talk, "one\n")).toBe("one\n")
      expect(yield* said(talk, "two\n")).toBeNull()
      expect(yield* said(talk, "three\n".repeat(100_000))).toBeNull()
    }).pipe(Effect.scoped)
  )

  it.live("ends the program with its scope, also in the middle of a question", () =>
    Effect.gen(function* () {
      using place = scratch()
      const pid = join(place.path, "pid")
      const asking = Effect.scoped(
        Effect.flatMap(conversation(`echo $$ > '${pid}'; ${echo}`), (talk) => said(talk, "hush\n"))
      )
      const fiber = yield* Effect.forkChild(asking)
      yield* waitFor(() => pidIn(pid) > 0)
      yield* Fiber.interrupt(fiber)
      expect(isAlive(pidIn(pid))).toBe(false)
    })
  )

  it.effect("does not begin without a program", () =>
    Effect.gen(function* () {
      const missing = Subprocess.use((process) => process.converse({ ...sh(""), program: "no-such-program" }))
      const refused = yield* Effect.flip(missing.pipe(Effect.provide(Bun.layer)))
      expect(refused.missing).toBe(true)
    }).pipe(Effect.scoped)
  )
})
