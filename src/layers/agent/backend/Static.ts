/**
 * The embedded reviewer: answers every task by rules and by looking, without a model or a network.
 *
 * The same change gets the same answer. What it cannot know it does not say: it has no alternatives to
 * offer, no verdict on a model's claim, and adds no words to a merge.
 */
import { DateTime, Effect, Layer, Schema, Stream } from "effect"
import { asked, type Reply, replies, type Task } from "../../../domain/agent/Task.ts"
import { summarize } from "../../../domain/change/Change.ts"
import { parseReport, renderStackReport } from "../../../domain/finding/report.ts"
import { AgentEvent, promptedOf } from "../../../domain/run/AgentEvent.ts"
import { Backend } from "../../../services/agent/Backend.ts"
import { type StackFacts, StaticReviews } from "../../../services/agent/StaticReviews.ts"

/** `fanout`: how many stacks are read at once. */
export const layer = (fanout: number) =>
  Layer.effect(
    Backend,
    Effect.gen(function* () {
      const reviews = yield* StaticReviews

      const reviewStack = ({ change, stack }: Extract<Task, { _tag: "StackReview" }>) =>
        Effect.map(reviews.review(change, stack), (facts) => stackReply(stack.name, facts))

      const answer = (task: Task): Effect.Effect<Reply<Task["_tag"]>> => {
        switch (task._tag) {
          case "Intent":
            return Effect.succeed({ intent: summarize(task.change) })
          case "Alternatives":
            return Effect.succeed({ issues: [] })
          case "StackReview":
            return reviewStack(task)
          case "ParseReview":
            return Effect.succeed({ issues: parseReport(task.review) })
          case "Arbitrate":
            return Effect.succeed({ findings: [] })
          case "Merge":
            return Effect.succeed({ notes: [] })
        }
      }

      const execute = (task: Task) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const reply = yield* answer(task)
            // A static reply is built by dd itself: one that does not fit its own schema is a bug.
            const output = yield* Effect.orDie(encode(task, reply))
            const timestamp = DateTime.formatIso(yield* DateTime.now)
            return Stream.make(
              promptedOf("static", timestamp, { system: [], user: [asked(task)] }),
              AgentEvent.make({ _tag: "Text", timestamp, text: wordsOf(reply) }),
              AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "" }),
              AgentEvent.make({ _tag: "Result", timestamp, output })
            )
          })
        )

      return Backend.of({ name: "static", model: "", source: "static", fanout, execute })
    })
  )

const stackReply = (stack: string, { records, coverage, omitted, rulesApplied }: StackFacts): Reply<"StackReview"> => ({
  review: renderStackReport(stack, records),
  issues: records,
  coverage,
  rules: rulesApplied,
  omitted
})

const encode = (task: Task, reply: Reply<Task["_tag"]>) => {
  const schema: Schema.Codec<typeof reply, unknown> = replies[task._tag]
  return Effect.flatMap(Schema.encodeUnknownEffect(schema)(reply), Schema.decodeUnknownEffect(Schema.Json))
}

/** The part of a reply a reader would have been told. */
const wordsOf = (reply: Reply<Task["_tag"]>): string =>
  "review" in reply ? reply.review : "intent" in reply ? reply.intent : ""
