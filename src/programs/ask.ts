/**
 * `dd ask`: sends a context pack with a question, and passes on the answer as it arrives.
 *
 * However it ends, the answer so far is kept. An answer that is not complete is a failure.
 */
import { Cause, Effect, Exit, Runtime, Schema, Stream } from "effect"
import { type Answer, withNewline } from "../domain/agent/Answer.ts"
import type { AgentEvent } from "../domain/run/AgentEvent.ts"
import { oneLine } from "../domain/text/Printable.ts"
import { AgentDeadline } from "../services/agent/Agent.ts"
import { makeAgentCosts } from "../services/agent/AgentCosts.ts"
import { CallAnswer, stopOf } from "../services/agent/agentReply.ts"
import { askPromptFor } from "../services/agent/askPromptFor.ts"
import type { BackendError } from "../services/agent/Backend.ts"
import { withoutFirstHalf } from "../services/agent/RedactedEvents.ts"
import { Respondent } from "../services/agent/Respondent.ts"
import { Redactor } from "../services/secret/Redactor.ts"
import { cleanText, safeText } from "../services/secret/safeText.ts"
import { monotonicMillis } from "../services/system/monotonicMillis.ts"

/** There is no answer, or only a part of one. */
export class NotAnswered extends Schema.TaggedError<NotAnswered>()("NotAnswered", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 4
  override get message() {
    return this.reason
  }
}

type Stage = "waiting" | "thinking" | "answering"

export interface AskRequest<E, F, R> {
  readonly pack: string
  readonly question: string
  /** Called when a stage begins. */
  readonly onStage: (stage: Stage) => Effect.Effect<void>
  /** Called with whole lines, and with the rest at the end. */
  readonly onText: (text: string) => Effect.Effect<void, E, R>
  /** Called once, also after a failure or an interruption. */
  readonly keep: (answer: Answer) => Effect.Effect<void, F, R>
}

export const ask = Effect.fn("ask")(function* <E extends Error, F, R>({
  keep,
  onStage,
  onText,
  pack,
  question
}: AskRequest<E, F, R>) {
  const respondent = yield* Respondent
  const seconds = yield* AgentDeadline
  const redactor = yield* Redactor
  const costs = yield* makeAgentCosts
  const call = new CallAnswer(respondent.name)
  const arriving = safeText(redactor)
  const thoughts: Array<string> = []
  let text = ""
  let endsTurn = false
  let stage: Stage | null = null
  const started = yield* monotonicMillis

  const begin = (next: Stage) => {
    if (stage === next) return Effect.void
    stage = next
    return onStage(next)
  }

  const show = (piece: string) => {
    text += piece
    return piece === "" ? Effect.void : onText(piece)
  }

  const take = Effect.fnUntraced(function* (given: AgentEvent) {
    const event = yield* costs.priced(call, given, respondent.model)
    call.take(event)
    switch (event._tag) {
      case "Thinking":
        if (event.text !== "") thoughts.push(event.text)
        return yield* begin("thinking")
      case "TurnEnd":
        endsTurn = call.text !== ""
        return
      case "Text": {
        // A coding CLI may write several messages.
        const gap = endsTurn ? "\n\n" : ""
        endsTurn = false
        yield* begin("answering")
        return yield* show(arriving.push(gap + event.text))
      }
    }
  })

  const answered = Effect.gen(function* () {
    yield* begin("waiting")
    const prompt = yield* askPromptFor(pack, question)
    const timedOut = () =>
      Effect.fail(new NotAnswered({ reason: `the answer did not end within ${seconds} s (the setting timeout)` }))
    const streamed = yield* Stream.runForEach(respondent.execute(prompt), take).pipe(
      Effect.timeoutOrElse({ duration: seconds * 1000, orElse: timedOut }),
      Effect.andThen(Effect.suspend(() => endOf(respondent.name, call))),
      Effect.result
    )
    const rest = arriving.end()
    const isWhole = streamed._tag === "Success"
    yield* show(withNewline(text + (isWhole ? rest : withoutFirstHalf(rest))).slice(text.length))
    if (!isWhole) return yield* Effect.fail(failureOf(streamed.failure, text.trim() !== ""))
  })

  const safeLine = (words: string) => redactor.words(oneLine(redactor.words(words)))

  const answerFor = Effect.fnUntraced(function* (exit: Exit.Exit<unknown, unknown>) {
    text += withoutFirstHalf(arriving.end())
    const isComplete = Exit.isSuccess(exit)
    const { source: costSource, ...cost } = call.cost
    const answer: Answer = {
      ...cost,
      costSource,
      status: isComplete ? "complete" : text.trim() === "" ? "failed" : "partial",
      error: isComplete ? null : safeLine(reasonOf(exit.cause)),
      text,
      thinking: redactor.text(cleanText(thoughts.join("\n\n"), redactor)),
      backend: respondent.name,
      model: safeLine(call.model || respondent.model),
      durationMs: Math.round((yield* monotonicMillis) - started)
    }
    return answer
  })

  yield* Effect.onExit(answered, (exit) => Effect.flatMap(answerFor(exit), keep))
})

const endOf = (name: string, call: CallAnswer) => {
  const stop = stopOf(call.stopReason)
  if (stop === "refused") return new NotAnswered({ reason: `${name} refused to answer (${call.stopReason})` })
  if (stop === "cut off") return new NotAnswered({ reason: `it reached its maximum length (${call.stopReason})` })
  return call.text.trim() === "" ? new NotAnswered({ reason: `${name} sent no text` }) : Effect.void
}

/** A backend that refuses keeps its exit code; everything else leaves the question without an answer. */
const failureOf = <E extends Error>(error: E | BackendError | NotAnswered, hasText: boolean) => {
  const isOfAnswer =
    "_tag" in error && ["NotAnswered", "BackendFailed", "BackendUnavailable"].includes(String(error._tag))
  if (!isOfAnswer) return error
  return new NotAnswered({ reason: `${hasText ? "the answer is not complete" : "no answer"}: ${error.message}` })
}

const reasonOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "interrupted"
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}
