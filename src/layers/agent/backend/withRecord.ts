/**
 * Writes the records of a coding CLI like those of agents in the runtime: one context for each task with its input, turns,
 * output and end. With `ResumedRun`, an answer of that run is taken instead of starting the CLI; a CLI that had not
 * answered begins anew. Agents that fix are not recorded here, because their answer is in their files.
 */
import { DateTime, Effect, Random, Stream } from "effect"
import type { AgentRef } from "../../../domain/agent/AgentRef.ts"
import { earlierAgent, earlierEvents } from "../../../domain/agent/earlierAgent.ts"
import { RefsOfEvents } from "../../../domain/agent/RefsOfEvents.ts"
import { shownEvents } from "../../../domain/agent/SeenCollector.ts"
import type { Task } from "../../../domain/agent/Task.ts"
import { AgentEvent } from "../../../domain/run/AgentEvent.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
import type { Backend, Repair } from "../../../services/agent/Backend.ts"
import { PromptBuilder } from "../../../services/agent/PromptBuilder.ts"
import { ResumedRun } from "../../../services/agent/ResumedRun.ts"
import { MemoryLog } from "../../../services/agent/runtime/MemoryLog.ts"
import { Redactor } from "../../../services/secret/Redactor.ts"
import { type AgentArgs, contextId, contextType, makeAgentArgs } from "./agentIdentity.ts"

export const withRecord = Effect.fnUntraced(function* (backend: Backend["Service"], effort: Effort | null) {
  const log = yield* MemoryLog
  const resumed = yield* ResumedRun
  const { promptFor } = yield* PromptBuilder
  const redactor = yield* Redactor
  const argsOf = makeAgentArgs(backend.name, backend.model)
  const own = Math.floor((yield* Random.next) * 2 ** 40).toString(36)
  let made = 0
  const nextId = () => `${own}-${++made}`

  /** The answer of an earlier run, and the context of the next one. */
  const place = Effect.fnUntraced(function* (next: () => AgentArgs, submit: string) {
    let args = next()
    while (resumed?.contexts.has(contextId(args)) === true) {
      const refs = yield* log.read(contextId(args))
      const agent = earlierAgent(refs, submit)
      if (agent._tag === "Answered") return { args, refs, output: agent.output }
      args = next()
    }
    return { args, refs: null, output: null }
  })

  /** The log redacts all but results, which agents of the runtime get redacted. A coding CLI reads files itself. */
  const shown = (ref: AgentRef): AgentRef =>
    ref._tag === "Result" ? { ...ref, output: redactor.text(ref.output) } : ref

  const run = (task: Task, repair: Repair | undefined) =>
    repair === undefined ? backend.execute(task) : backend.execute(task, repair)

  const recorded = (task: Task, repair: Repair | undefined) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const prompt = yield* promptFor(task, repair ?? null)
        const { args, output, refs } = yield* place(() => argsOf(task, prompt, effort), prompt.submit.name)
        const context = contextId(args)
        const timestamp = DateTime.formatIso(yield* DateTime.now)
        if (refs !== null) {
          resumed?.answered.add(context)
          return Stream.fromIterable([
            ...shownEvents(task, prompt.shown, timestamp),
            ...earlierEvents(backend.name, prompt.system, refs),
            AgentEvent.make({ _tag: "Result", timestamp, output })
          ])
        }
        const about = { context, type: contextType, key: args.task, args }
        const fold = new RefsOfEvents(prompt.submit.name, nextId)
        const append = (noted: ReadonlyArray<AgentRef>) =>
          noted.length === 0 ? Effect.void : log.append(context, noted.map(shown))
        yield* append(fold.begin(about, prompt.user, timestamp))
        return run(task, repair).pipe(
          Stream.tap((event) => append(fold.take(event))),
          Stream.tapError(({ message }) =>
            Effect.flatMap(DateTime.now, (now) => append(fold.fail(DateTime.formatIso(now), message)))
          )
        )
      })
    )

  return {
    ...backend,
    execute: (task: Task, repair?: Repair) => (task._tag === "Fix" ? run(task, repair) : recorded(task, repair))
  } satisfies Backend["Service"]
})
