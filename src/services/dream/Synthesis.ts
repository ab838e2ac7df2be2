/**
 * Lets a model summarise artifacts in clearer words, and tell which of them mean the same. Only if the user configured a model.
 *
 * At most one request for each pass, within a limit of cost for it and for the day. What fails changes no artifact and is a
 * fault of the pass. An answer is paid for, so the same artifacts are not asked about again, whatever it was; a request without
 * an answer is made again when the project is seen next. Summaries are no evidence.
 */
import { Clock, Context, Effect, Exit, Layer, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { type Digest, dayOf } from "../../domain/dream/artifacts/ArtifactBase.ts"
import { checkedAnswer } from "../../domain/dream/artifacts/acceptedSummaries.ts"
import { artifactsToAsk, bodyOf } from "../../domain/dream/artifacts/synthesis.ts"
import type { PassFault } from "../../domain/dream/WorkerStatus.ts"
import { salvage } from "../../domain/text/json/modelJson.ts"
import { synthesisPrompt } from "../../prompts/synthesisPrompt.ts"
import { makeAgentCosts } from "../agent/AgentCosts.ts"
import { CallAnswer, stopOf } from "../agent/agentReply.ts"
import { fenceNonce } from "../agent/fenceNonce.ts"
import { PriceList } from "../agent/PriceList.ts"
import type { Question } from "../agent/Respondent.ts"
import { Redactor } from "../secret/Redactor.ts"
import { type DreamProject, DreamStore } from "./DreamStore.ts"
import { reasonOf } from "./reasonOf.ts"
import { SynthesisModel } from "./SynthesisModel.ts"

export interface Synthesised {
  readonly notes: ReadonlyArray<string>
  readonly faults: ReadonlyArray<PassFault>
}

/** Without a layer, it does nothing. */
export const Synthesis = Context.Reference<{
  /** Asks about the artifacts of one of these projects, or of those of earlier calls that had to wait. Never fails. */
  readonly next: (projects: ReadonlyArray<DreamProject>) => Effect.Effect<Synthesised>
}>("dd/services/dream/Synthesis", { defaultValue: () => ({ next: () => Effect.succeed({ notes: [], faults: [] }) }) })

/** Of the request with its answer. The lock of the worker is not touched meanwhile, and counts as silent after 90 seconds. */
const longest = "60 seconds"
/** In characters. */
const longestAnswer = 50_000

class AnswerUnusable extends Schema.TaggedError<AnswerUnusable>()("AnswerUnusable", { reason: Schema.String }) {
  override get message() {
    return `the answer of the model cannot be used: ${this.reason}`
  }
}

class NoAnswerInTime extends Schema.TaggedError<NoAnswerInTime>()("NoAnswerInTime", {}) {
  override get message() {
    return `the model did not answer within ${longest}`
  }
}

const make = Effect.fnUntraced(function* (digest: Digest) {
  const store = yield* DreamStore
  const model = yield* SynthesisModel
  const redactor = yield* Redactor
  const random = yield* SecureRandom
  const waiting = new Map<string, DreamProject>()

  /** The cost of a call that was cut off, or whose price is not known, counts as the limit. */
  const answerWithin = Effect.fnUntraced(function* (usd: number, day: number, question: Question) {
    // Counted before the request, so that a killed worker has counted it.
    yield* model.spend(day, usd)
    let cost: number | null = 0
    const asked = Effect.gen(function* () {
      const { prices, respondent } = yield* model.open(usd)
      const costs = yield* Effect.provideService(makeAgentCosts, PriceList, prices)
      const call = new CallAnswer(respondent.name)
      let length = 0
      const streamed = Stream.runForEach(respondent.execute(question), (event) =>
        Effect.gen(function* () {
          call.take(yield* costs.priced(call, event, respondent.model))
          cost = call.cost.usd
          if (event._tag === "Text") length += event.text.length
          if (length > longestAnswer) return yield* new AnswerUnusable({ reason: "it is too long" })
        })
      )
      const unusable = yield* streamed.pipe(
        Effect.as(null),
        Effect.catchTag("AnswerUnusable", (error) => Effect.succeed(error.reason))
      )
      const stop = stopOf(call.stopReason)
      const reason = unusable ?? (stop === null ? null : stop === "refused" ? "it is a refusal" : "it is cut off")
      return { text: call.text, model: call.model || respondent.model, reason, costUsd: call.cost.usd }
    })
    return yield* Effect.scoped(asked).pipe(
      Effect.timeoutOrElse({ duration: longest, orElse: () => Effect.fail(new NoAnswerInTime()) }),
      Effect.onExit(() => (cost === null ? Effect.void : model.spend(day, cost - usd)))
    )
  })

  const synthesise = Effect.fn("Synthesis.synthesise")(function* (project: DreamProject) {
    const settings = yield* model.settings
    if (settings === null) return null
    const { artifacts, base } = yield* store.read(project)
    const asked = artifactsToAsk(artifacts, base, digest)
    if (asked.length === 0) return null
    const day = dayOf(yield* Clock.currentTimeMillis)
    const usd = Math.min(settings.maxCost, settings.maxCostDay - (yield* model.spentOn(day)))
    if (usd <= 0) return [`no summaries until tomorrow: $${settings.maxCostDay} for a day (UTC) are spent`]
    const nonce = yield* Effect.provideService(fenceNonce, SecureRandom, random)
    const shown = asked.map((artifact) => redactor.value({ id: artifact.id, ...bodyOf(artifact) }))
    const question = synthesisPrompt(shown, nonce)
    const { costUsd, model: name, reason, text } = yield* answerWithin(usd, day, question)
    const found = reason === null ? salvage(text) : { _tag: "Nothing" as const }
    const isSecret = (words: string) => redactor.text(words) !== words
    const checked = found._tag === "Found" ? checkedAnswer(found.value, asked, isSecret) : null
    const summaries = checked?.accepted ?? []
    const answer = { asked, summaries, model: redactor.text(name).slice(0, 100), costUsd }
    yield* store.summarise(project, answer)
    if (checked === null) return yield* new AnswerUnusable({ reason: reason ?? "it has another form than asked" })
    const refused = checked.refused.map((why) => redactor.text(`a summary of ${answer.model} was refused: ${why}`))
    return [...new Set(refused)]
  })

  /** Of the first project with something to ask. */
  const next = Effect.fnUntraced(function* (projects: ReadonlyArray<DreamProject>) {
    for (const project of projects) waiting.set(project.key, project)
    for (const project of [...waiting.values()]) {
      waiting.delete(project.key)
      const exit = yield* Effect.exit(synthesise(project))
      if (Exit.isFailure(exit)) {
        const fault = { project: project.key, session: "", task: "synthesis", reason: reasonOf(exit.cause) }
        return { notes: [], faults: [fault] }
      }
      if (exit.value === null) continue
      // There may be more than one request can have.
      waiting.set(project.key, project)
      return { notes: exit.value.map((note) => `${project.key}: ${note}`), faults: [] }
    }
    return { notes: [], faults: [] }
  })

  return { next }
})

export const layer = (digest: Digest) => Layer.effect(Synthesis, make(digest))
