import { describe, expect } from "bun:test"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import type { Answer } from "../../src/domain/agent/Answer.ts"
import { AgentEvent } from "../../src/domain/run/AgentEvent.ts"
import { ask } from "../../src/programs/ask.ts"
import { BackendFailed, BackendRefused } from "../../src/services/agent/Backend.ts"
import { Respondent } from "../../src/services/agent/Respondent.ts"
import { it } from "../support/effect.ts"

const timestamp = "2026-01-01T00:00:00.000Z"
const said = (text: string) => AgentEvent.make({ _tag: "Text", timestamp, text })
const thought = (text: string) => AgentEvent.make({ _tag: "Thinking", timestamp, text })
const turnEnd = (stopReason: string) => AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", stopReason })
const result = AgentEvent.make({ _tag: "Result", timestamp, output: null })
const whole = Stream.make(said("One.\n"), said("Two."), turnEnd("completed"), result)

class DiskFull extends Data.TaggedError("DiskFull") {
  override readonly message = "disk full"
}

/** What became of a question that was answered with these events. */
const asked = Effect.fnUntraced(function* (
  events: Stream.Stream<AgentEvent, BackendFailed | BackendRefused>,
  onText: (text: string) => Effect.Effect<void, Error> = () => Effect.void
) {
  const kept: Array<Answer> = []
  const stages: Array<string> = []
  let shown = ""
  const exit = yield* Effect.exit(
    ask({
      pack: "code",
      question: "why?",
      onStage: (stage) => Effect.sync(() => void stages.push(stage)),
      onText: (text) => {
        shown += text
        return onText(text)
      },
      keep: (answer) => Effect.sync(() => void kept.push(answer))
    })
  ).pipe(
    Effect.provideService(Respondent, { name: "scripted", model: "s-1", room: null, execute: () => events }),
    Effect.provide(layerWebCrypto)
  )
  expect(kept).toHaveLength(1)
  return { answer: kept[0]!, exit, shown, stages }
})
const messageOf = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? String(exit.cause) : "")

describe("a question", () => {
  it.effect("is answered in stages, line by line", () =>
    Effect.gen(function* () {
      const { answer, exit, shown, stages } = yield* asked(
        Stream.concat(Stream.make(thought("Hm."), thought("Yes.")), whole)
      )
      expect(Exit.isSuccess(exit)).toBe(true)
      expect(stages).toEqual(["waiting", "thinking", "answering"])
      expect([shown, answer.text, answer.thinking, answer.status]).toEqual([
        "One.\nTwo.\n",
        "One.\nTwo.\n",
        "Hm.\n\nYes.",
        "complete"
      ])
      expect([answer.usd, answer.promptTokens, answer.model]).toEqual([0, null, "s-1"])
    })
  )

  it.effect("may be answered in several messages", () =>
    Effect.gen(function* () {
      const { shown } = yield* asked(Stream.concat(Stream.make(said("First."), turnEnd("completed")), whole))
      expect(shown).toBe("First.\n\nOne.\nTwo.\n")
    })
  )

  it.effect("that fails keeps the part, without the first half of a secret", () =>
    Effect.gen(function* () {
      const failed = new BackendFailed({ backend: "scripted", retryable: true, cause: "it broke" })
      const { answer, exit, shown } = yield* asked(
        Stream.concat(Stream.make(said("One.\nIt is a1B2c3D4e5F6")), Stream.fail(failed))
      )
      expect(messageOf(exit)).toContain("the answer is not complete: the scripted backend failed: it broke")
      expect(shown).toBe("One.\nIt is [REDACTED_CREDENTIAL]\n")
      expect(answer).toMatchObject({ status: "partial", text: shown })
      expect(answer.error).toContain("it broke")
    })
  )

  it.effect("that is answered with blank lines has no answer", () =>
    Effect.gen(function* () {
      const { answer, exit } = yield* asked(Stream.make(said(" \n\n"), turnEnd("completed"), result))
      expect(messageOf(exit)).toContain("no answer: scripted sent no text")
      expect(answer.status).toBe("failed")
    })
  )

  it.effect("that is refused before any text keeps the exit code of the backend", () =>
    Effect.gen(function* () {
      const refused = new BackendRefused({ backend: "scripted", reason: "no key", remedy: "set one" })
      const { answer, exit } = yield* asked(Stream.fail(refused))
      expect(messageOf(exit)).toContain(refused.message)
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBe(refused)
      expect(answer).toMatchObject({ status: "failed", text: "" })
    })
  )

  it.effect("with a defect is kept, and the defect stays one", () =>
    Effect.gen(function* () {
      const { answer, exit } = yield* asked(Stream.concat(Stream.make(said("One.\n")), Stream.die(new Error("bug"))))
      expect(Exit.hasDies(exit)).toBe(true)
      expect(answer).toMatchObject({ status: "partial", text: "One.\n", error: "bug" })
    })
  )

  it.effect("whose answer cannot be printed is partial", () =>
    Effect.gen(function* () {
      const { answer, exit } = yield* asked(Stream.concat(Stream.make(said("One.\nTwo.\nThree.\n")), whole), () =>
        Effect.fail(new DiskFull())
      )
      expect(messageOf(exit)).toContain("disk full")
      expect(answer).toMatchObject({ status: "partial", error: "disk full" })
    })
  )

  it.live("that is interrupted stops the backend and keeps the part", () =>
    Effect.gen(function* () {
      const isStopped = yield* Deferred.make<void>()
      const isShown = yield* Deferred.make<void>()
      const events = Stream.concat(Stream.make(said("One.\nTwo.\nThr")), Stream.never).pipe(
        Stream.ensuring(Deferred.succeed(isStopped, undefined))
      )
      const running = yield* Effect.forkChild(asked(events, () => Deferred.succeed(isShown, undefined)))
      yield* Deferred.await(isShown)
      yield* Fiber.interrupt(running)
      yield* Deferred.await(isStopped)
    })
  )
})
