/** The contract of every backend, over a scripted model that is native, is told in words, or has no tools; and repairs. */

import { describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { Effect, Fiber, Layer, type Schema, Stream } from "effect"
import type { ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import type { Task, TaskTag } from "../../../../src/domain/agent/Task.ts"
import { costOfCall, countUsage, noCallUsage } from "../../../../src/domain/agent/Usage.ts"
import type { AgentEvent } from "../../../../src/domain/run/AgentEvent.ts"
import * as ModelBackend from "../../../../src/layers/agent/backend/Model.ts"
import * as InProcess from "../../../../src/layers/agent/memory/InProcess.ts"
import { Backend, BackendFailed, BackendUnavailable } from "../../../../src/services/agent/Backend.ts"
import { PromptBuilder } from "../../../../src/services/agent/PromptBuilder.ts"
import { ReviewActions } from "../../../../src/services/agent/ReviewActions.ts"
import { AgentRuntime } from "../../../../src/services/agent/runtime/AgentRuntime.ts"
import { Redactor } from "../../../../src/services/secret/Redactor.ts"
import { lastCommit, withActions } from "../../../support/acting.ts"
import { echo, toldLast } from "../../../support/agentWorld.ts"
import { type Block, backendContract, blocked } from "../../../support/backendContract.ts"
import { everyTask, fixTask } from "../../../support/builders.ts"
import { it } from "../../../support/effect.ts"
import { makeRepository, type TestRepository } from "../../../support/repository.ts"
import {
  modelError,
  type Script,
  type ScriptedModelOptions,
  type ScriptedSaying,
  scriptedModel,
  unpaired
} from "../../../support/scriptedModel.ts"

/** A prompt that names its task, and after it what was wrong. */
const promptBuilder = Layer.succeed(
  PromptBuilder,
  PromptBuilder.of({
    followUpFor: () => Effect.succeed(null),
    promptFor: (task, repair) =>
      Effect.succeed({
        task: task._tag,
        system: ["You review code."],
        user: [
          { text: `task: ${task._tag}`, plain: `task: ${task._tag}, without tools`, lasting: true },
          ...(repair === null ? [] : [{ text: `mend: ${repair.fault}`, lasting: false }])
        ],
        submit: { name: "submit_reply", description: "Hands in the reply.", reply: { type: "object" } },
        otherSubmits: [{ name: "submit_other", description: "Of another task.", reply: { type: "object" } }],
        tools: "read-only",
        nonce: "bcdfghjkmn",
        shown: []
      })
  })
)

const backend = (script: Script, requests: Array<ModelRequest> = [], options: ScriptedModelOptions = {}) => {
  const actions = Layer.succeed(
    ReviewActions,
    ReviewActions.of({ readOnly: [echo()], write: () => Effect.succeed([echo()]) })
  )
  const model = scriptedModel(script, requests, options)
  return ModelBackend.layer("scripted").pipe(
    Layer.provide([AgentRuntime.layer, promptBuilder, actions]),
    Layer.provide([model, InProcess.layer, Redactor.layerOf({})])
  )
}

const samples: { readonly [Tag in TaskTag]: Schema.Json } = {
  Intent: { intent: "Opens a file." },
  Alternatives: { issues: [] },
  StackReview: { review: "All is well.", issues: [] },
  ParseReview: { issues: [] },
  Arbitrate: { findings: [] },
  Merge: { notes: [] },
  Verify: {
    verdicts: [{ issue_id: 1, evidence: "src/a.py:2", unverified_assumptions: [], verdict: "consistent" }]
  },
  Fix: { outcomes: [{ issue_id: 1, note: "Closed it.", status: "fixed" }] }
}

const tagIn = (request: ModelRequest): TaskTag => {
  const told = JSON.stringify(request.messages[0])
  for (const { _tag } of everyTask) if (told.includes(`task: ${_tag}`)) return _tag
  throw new Error("nobody asked for a task")
}

/** Looks twice at once, then hands in the reply. */
const reviewing: Script = (request) => {
  const sample = samples[tagIn(request)]
  if (request.tools.length === 0 && request.answer !== null) return { text: JSON.stringify(sample) }
  const isFirst = request.messages.length === 1
  return isFirst
    ? {
        thinking: "Let me see.",
        calls: [
          { name: "echo", input: { say: "a" } },
          { name: "echo", input: { say: "b" } }
        ]
      }
    : { calls: [{ name: "submit_reply", input: sample }] }
}

const never =
  (block: Block): Script =>
  () =>
    blocked(block)

for (const tools of ["native", "words"] as const) {
  backendContract(`model, ${tools}`, {
    tasks: everyTask,
    answering: backend(reviewing, [], { tools }),
    blocking: (block) => backend(never(block), [], { tools }),
    usingTools: backend(reviewing, [], { tools })
  })
}

backendContract("model without tools", {
  tasks: everyTask.filter(({ _tag }) => _tag !== "Fix"),
  answering: backend(reviewing, [], { tools: "none" }),
  blocking: (block) => backend(never(block), [], { tools: "none" })
})

const first = everyTask[0]
if (first === undefined) throw new Error("there is no task")

const heard = (task: Task, repair?: { readonly answer: string; readonly fault: string }) =>
  Backend.use((asked) => Stream.runCollect(asked.execute(task, repair)))

const outputOf = (events: ReadonlyArray<AgentEvent>) => {
  const last = events.at(-1)
  return last?._tag === "Result" ? last.output : undefined
}

const turns =
  (...said: ReadonlyArray<ScriptedSaying>): Script =>
  (_, nth) =>
    said[nth - 1] ?? { text: "no more" }

describe("a model backend", () => {
  const good = samples[first._tag]

  it.live("refuses the answer of another task, and names the right tool", () => {
    const requests: Array<ModelRequest> = []
    const script = turns(
      { calls: [{ name: "submit_other", input: {} }] },
      { calls: [{ name: "submit_reply", input: good }] }
    )
    return Effect.gen(function* () {
      expect(outputOf(yield* heard(first))).toEqual(good)
      expect(requests[0]?.tools.map(({ name }) => name)).toEqual(["echo", "read_more", "submit_other", "submit_reply"])
      expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("This task is answered with submit_reply.")
    }).pipe(Effect.provide(backend(script, requests)))
  })

  it.live("has a reply that does not fit repaired within the run", () => {
    const requests: Array<ModelRequest> = []
    const script = turns(
      { calls: [{ name: "submit_reply", input: { nothing: "of this" } }] },
      { calls: [{ name: "submit_reply", input: good }] }
    )
    return Effect.gen(function* () {
      const events = yield* heard(first)
      expect(outputOf(events)).toEqual(good)
      expect(toldLast(requests[1])).toContain("do not fit")
      expect(requests.flatMap(({ messages }) => unpaired(messages))).toEqual([])
    }).pipe(Effect.provide(backend(script, requests)))
  })

  it.live("returns a reply that never fits to the caller, instead of paying for more repairs", () => {
    const requests: Array<ModelRequest> = []
    const answers = [{ nothing: "of this" }, { intent: 0 }, { intent: "" }]
    const script: Script = (_, nth) => ({ calls: [{ name: "submit_reply", input: answers[nth - 1] ?? null }] })
    return Effect.gen(function* () {
      expect(outputOf(yield* heard(first))).toEqual({ intent: "" })
      expect(requests).toHaveLength(3)
    }).pipe(Effect.provide(backend(script, requests)))
  })

  it.live("fails if the same fault is in a reply three times, and does not request it once more", () => {
    const requests: Array<ModelRequest> = []
    const script: Script = (_, nth) => ({ calls: [{ name: "submit_reply", input: { nothing: nth } }] })
    return Effect.gen(function* () {
      const error = yield* Effect.flip(heard(first))
      expect(error).toMatchObject({ _tag: "BackendFailed", retryable: false })
      expect(error.message).toContain("made the same failing call three times")
      expect(requests).toHaveLength(3)
    }).pipe(Effect.provide(backend(script, requests)))
  })

  it.live("requests a repair in the context of the answer, with only its faults", () => {
    const requests: Array<ModelRequest> = []
    const script = turns({ text: "not JSON" }, { calls: [{ name: "submit_reply", input: good }] })
    return Effect.gen(function* () {
      expect(outputOf(yield* heard(first))).toBeNull()
      expect(outputOf(yield* heard(first, { answer: "not JSON", fault: "it is prose" }))).toEqual(good)
      expect(requests[1]?.messages).toHaveLength(3)
      expect(toldLast(requests[1])).toBe("mend: it is prose")
    }).pipe(Effect.provide(backend(script, requests)))
  })

  it.live("requests a new answer if the context of the first is gone", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      yield* heard(first, { answer: "not JSON", fault: "it is prose" })
      expect(requests[0]?.messages).toHaveLength(1)
      expect(toldLast(requests[0])).toBe(`task: ${first._tag}\nmend: it is prose`)
    }).pipe(Effect.provide(backend(turns({ calls: [{ name: "submit_reply", input: good }] }), requests)))
  })

  it.live("calls a model without tools once, for an answer in the shape of the reply", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      expect(outputOf(yield* heard(first))).toEqual(good)
      expect(requests).toHaveLength(1)
      expect(requests[0]).toMatchObject({ tools: [], answer: { type: "object" } })
      expect(toldLast(requests[0])).toBe(`task: ${first._tag}, without tools`)
    }).pipe(Effect.provide(backend(reviewing, requests, { tools: "none" })))
  })

  it.live("emits text in pieces, complete thoughts, the usage of each turn, and one result", () =>
    Effect.gen(function* () {
      const events = yield* heard(first)
      expect(events.filter(({ _tag }) => _tag === "Text").length).toBeGreaterThan(1)
      expect(events.filter(({ _tag }) => _tag === "Thinking")).toMatchObject([{ text: "I think of it" }])
      expect(events.filter(({ _tag }) => _tag === "Metrics")).toMatchObject([
        { messageId: "", promptTokens: null, completionTokens: null, costUsd: null },
        {
          messageId: "msg-1",
          promptTokens: 100,
          completionTokens: 20,
          cachedTokens: 10,
          costUsd: null,
          model: "scripted-1"
        }
      ])
      expect(events.map(({ _tag }) => _tag).slice(-3)).toEqual(["Metrics", "TurnEnd", "Result"])
    }).pipe(Effect.provide(backend(turns({ thinking: "I think of it", text: "It opens a file and never closes it." }))))
  )

  it.live("repeats a turn that failed, and counts its usage", () => {
    const script: Script = (_, nth) =>
      nth === 1
        ? { text: "so f", error: modelError("overloaded", { retryAfterMillis: 1 }) }
        : { calls: [{ name: "submit_reply", input: good }] }
    return Effect.gen(function* () {
      const events = yield* heard(first)
      expect(outputOf(events)).toEqual(good)
      expect(events.filter(({ _tag }) => _tag === "TurnEnd")).toMatchObject([
        { stopReason: "failed" },
        { stopReason: "calls" }
      ])
    }).pipe(Effect.provide(backend(script)))
  })

  for (const [kind, cost] of [
    ["cut-off", { usd: null, source: "unknown" }],
    ["stalled", { usd: null, source: "unknown" }],
    ["malformed", { usd: null, source: "unknown" }],
    ["too-much", { usd: null, source: "unknown" }],
    ["not-allowed", { usd: 0, source: "none" }],
    ["unreachable", { usd: 0, source: "none" }]
  ] as const) {
    it.live(
      `reports that a turn that failed as ${kind} before its first word cost ${cost.usd ?? "an unknown amount"}`,
      () => {
        const error = modelError(kind, { retryAfterMillis: 600_000 })
        return Effect.gen(function* () {
          const told: Array<AgentEvent> = []
          const asked = yield* Backend
          yield* Effect.flip(Stream.runForEach(asked.execute(first), (event) => Effect.sync(() => told.push(event))))
          expect(costOfCall(told.reduce(countUsage, noCallUsage))).toEqual(cost)
        }).pipe(Effect.provide(backend(() => ({ error, silent: true }))))
      }
    )
  }

  it.live("fails with the reason where the model may not be called", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(heard(first))
      const error = yield* Effect.flip(exit)
      expect(error).toBeInstanceOf(BackendFailed)
      expect(error.message).toContain("refused access: the key is wrong")
    }).pipe(Effect.provide(backend(turns({ error: modelError("not-allowed", { detail: "the key is wrong" }) }))))
  )

  it.live("reports once that the model cannot be reached, and why", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(heard(first))
      expect(error).toBeInstanceOf(BackendUnavailable)
      expect(error.message).toBe("the scripted backend could not be reached: ECONNREFUSED")
    }).pipe(
      Effect.provide(
        backend(() => ({ error: modelError("unreachable", { detail: "ECONNREFUSED", retryAfterMillis: 600_000 }) }))
      )
    )
  )

  it.live("limits the answer of a small model so that the prompt fits", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      yield* heard(first)
      expect(requests[0]?.maxTokens).toBe(2_000)
    }).pipe(Effect.provide(backend(reviewing, requests, { contextTokens: 8_000 })))
  })

  it.live("asks a model without tools again if its answer was cut off", () => {
    const requests: Array<ModelRequest> = []
    return Effect.gen(function* () {
      const events = yield* heard(first)
      expect(outputOf(events)).toEqual(good)
      expect(events.filter(({ _tag }) => _tag === "TurnEnd")).toMatchObject([{ stopReason: "length" }, {}])
      expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([16_000, 32_000])
    }).pipe(
      Effect.provide(
        backend(turns({ text: '{"int', reason: "length" }, { text: JSON.stringify(good) }), requests, {
          tools: "none",
          outputTokens: 32_000,
          contextTokens: 64_000
        })
      )
    )
  })

  for (const [said, words] of [
    [{ thinking: "hm", reason: "length" }, "was cut off at 20 tokens, also when asked again"],
    [{ text: "long", reason: "length" }, "was cut off at 20 tokens, also when asked again"],
    [{}, "answered without text or calls, also when asked again"]
  ] satisfies ReadonlyArray<readonly [ScriptedSaying, string]>) {
    for (const tools of ["none", "native"] as const) {
      it.live(`reports a model with ${JSON.stringify(said)}, ${tools}: ${words}`, () =>
        Effect.gen(function* () {
          expect((yield* Effect.flip(heard(first))).message).toContain(words)
        }).pipe(Effect.provide(backend(() => said, [], { tools })))
      )
    }
  }

  it.live("fails when the steps are used up without an answer, whatever text came before", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(heard(first))
      expect(error.message).toContain("no answer after 40 turns (step limit)")
    }).pipe(
      Effect.provide(
        backend((_, nth) => ({ text: "Let me see.", calls: [{ name: "echo", input: { say: `${nth}` } }] }))
      )
    )
  )
})

describe("a model that fixes", () => {
  const before = {
    "src/a.py": "import os\nf = open(p)\n",
    "src/b.py": "x = 1\n",
    ".github/workflows/ci.yml": "on: push\n"
  }

  /** A repository, a copy of it as the working tree of the fix, and the real tools. */
  const fixing = <A, E>(
    script: Script,
    tools: "native" | "words" | "none",
    use: (
      tree: TestRepository,
      requests: ReadonlyArray<ModelRequest>,
      reviewed: TestRepository
    ) => Effect.Effect<A, E, Backend>
  ) =>
    Effect.gen(function* () {
      const [reviewed, tree] = [yield* makeRepository, yield* makeRepository]
      reviewed.commit("one", before)
      tree.commit("one", before)
      yield* withActions(reviewed.root, lastCommit, (actions) => {
        const requests: Array<ModelRequest> = []
        const layer = ModelBackend.layer("scripted").pipe(
          Layer.provide([AgentRuntime.layer, promptBuilder, Layer.succeed(ReviewActions, actions)]),
          Layer.provide([scriptedModel(script, requests, { tools }), InProcess.layer, Redactor.layerOf({})])
        )
        return Effect.provide(use(tree, requests, reviewed), layer)
      })
      expect(reviewed.git("status", "--porcelain")).toBe("")
    })

  const edit = { name: "edit_file", input: { path: "src/a.py", old: "f = open(p)", new: "with open(p) as f: ..." } }
  const done = { calls: [{ name: "submit_reply", input: samples.Fix }] }
  const task = (tree: TestRepository) => fixTask({ root: tree.root, allow: [] })

  for (const tools of ["native", "words"] as const) {
    it.live(`edits the tree and reads what it wrote, and cannot write elsewhere: ${tools}`, () =>
      fixing(
        turns(
          { calls: [edit] },
          {
            calls: [
              { name: "read_file", input: { path: "src/a.py" } },
              { name: "grep", input: { pattern: "with open", literal: true } },
              { name: "edit_file", input: { path: "src/b.py", old: "1", new: "2" } },
              { name: "edit_file", input: { path: ".github/workflows/ci.yml", old: "push", new: "x" } },
              { name: "create_file", input: { path: "../outside.py", content: "" } },
              { name: "create_file", input: { path: ".git/hooks/pre-commit", content: "" } }
            ]
          },
          done
        ),
        tools,
        (tree, requests) =>
          Effect.gen(function* () {
            expect(outputOf(yield* heard(task(tree)))).toEqual(samples.Fix)
            const told = toldLast(requests[2])
            expect(told).toContain("2\twith open(p) as f: ...")
            expect(told).toContain("2: with open(p) as f: ...")
            for (const refusal of [
              "src/b.py may not be written: this task may change only src/a.py",
              ".github/workflows/ci.yml may not be written",
              "a path may not lead out of the repository",
              "git's own files are not shown"
            ]) {
              expect(told).toContain(refusal)
            }
            expect(tree.git("status", "--porcelain")).toBe("M src/a.py")
            expect(readFileSync(tree.path("src/a.py"), "utf8")).toBe("import os\nwith open(p) as f: ...\n")
          })
      )
    )
  }

  it.live("refuses a guarded file even if it is the file of the task, unless it is allowed", () => {
    const path = ".github/workflows/ci.yml"
    const script = turns(
      { calls: [{ name: "edit_file", input: { path, old: "push", new: "pull_request" } }] },
      done,
      { calls: [{ name: "edit_file", input: { path, old: "push", new: "pull_request" } }] },
      done
    )
    return fixing(script, "native", (tree) =>
      Effect.gen(function* () {
        yield* heard(fixTask({ root: tree.root, allow: [] }, { path }))
        expect(tree.git("status", "--porcelain")).toBe("")
        yield* heard(fixTask({ root: tree.root, allow: ["ci"] }, { path }))
        expect(tree.git("status", "--porcelain")).toBe(`M ${path}`)
      })
    )
  })

  it.live("leaves whole files and nothing else if it is interrupted at any moment", () => {
    const long = "x = 1\n".repeat(50_000)
    const script: Script = (_, nth) =>
      nth === 1
        ? { calls: [{ name: "edit_file", input: { path: "src/a.py", old: "f = open(p)", new: long } }] }
        : Effect.never
    return Effect.gen(function* () {
      for (let millis = 0; millis < 60; millis += 10) {
        yield* fixing(script, "native", (tree) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(heard(task(tree)))
            yield* Effect.sleep(millis)
            yield* Fiber.interrupt(fiber)
            const text = readFileSync(tree.path("src/a.py"), "utf8")
            expect([before["src/a.py"], `import os\n${long}\n`]).toContain(text)
            expect(tree.git("ls-files", "--others")).toBe("")
          })
        )
      }
    })
  })

  it.live("is not asked if it has no tools", () =>
    fixing(turns(done), "none", (tree, requests) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(heard(task(tree)))
        expect(error.message).toContain("the model has no tools, so it cannot change files")
        expect(requests).toEqual([])
      })
    )
  )
})
