import { expect } from "bun:test"
import { Effect, Layer, Queue, Stdio, Stream } from "effect"
import type { ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import { commandLine } from "../../../../src/layers/agent/input/CommandLine.ts"
import { AgentRuntime } from "../../../../src/services/agent/runtime/AgentRuntime.ts"
import { chat, runtimeSaying, toldLast } from "../../../support/agentWorld.ts"
import { it } from "../../../support/effect.ts"
import { saying } from "../../../support/scriptedModel.ts"

const bytes = (...pieces: ReadonlyArray<string>) =>
  Stream.fromIterable(pieces.map((piece) => new TextEncoder().encode(piece)))

it.effect("sends every line that comes in, whole and in order, blank ones aside", () => {
  const requests: Array<ModelRequest> = []
  const stdio = Stdio.layerTest({ stdin: bytes("what is ", "this?\n\n  \nand th", "at\n") })
  return Effect.gen(function* () {
    const runtime = yield* AgentRuntime
    const watched = yield* runtime.watch(chat(), { id: "a" }, { everything: true })
    yield* runtime.subscribe(yield* commandLine(chat(), { id: "a" }))
    yield* Stream.fromQueue(watched).pipe(
      Stream.takeUntil((seen) => seen._tag === "Ref" && seen.ref._tag === "RunEnded"),
      Stream.runDrain
    )
    expect(requests.map(toldLast).join("\n")).toBe("what is this?\nand that")
    expect(yield* Queue.size(watched)).toBe(0)
  }).pipe(Effect.provide(Layer.merge(runtimeSaying(saying({ text: "ok" }), requests), stdio)))
})
