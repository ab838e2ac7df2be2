/** A context to talk in, an input to send and a runtime over a scripted model, so that a test says only what it is about. */
import { Effect, Layer, Schema } from "effect"
import type { AgentRef, RefOf } from "../../src/domain/agent/AgentRef.ts"
import type { ModelRequest } from "../../src/domain/agent/ModelTurn.ts"
import * as InProcess from "../../src/layers/agent/memory/InProcess.ts"
import type { Action, ActionAnswer } from "../../src/services/agent/runtime/Action.ts"
import type {
  AgentContext,
  AgentSession,
  Input,
  Output,
  Prepared
} from "../../src/services/agent/runtime/AgentContext.ts"
import { AgentRuntime } from "../../src/services/agent/runtime/AgentRuntime.ts"
import { type Script, type ScriptedModelOptions, scriptedModel } from "./scriptedModel.ts"

const Args = Schema.Struct({ id: Schema.String })

/** A context of chats, one an id. */
export const chat = (
  over: Partial<Omit<AgentSession, "prepare">> & Partial<Prepared> = {}
): AgentContext<typeof Args.Type> => {
  const {
    actions = [],
    answer = null,
    effort = null,
    maxTokens = 1000,
    model = "",
    nonce = null,
    outputs = [],
    system = ["Be kind."],
    ...session
  } = over
  const prepared: Prepared = { actions, answer, effort, maxTokens, model, nonce, outputs, system }
  return {
    type: "chat",
    args: Args,
    key: ({ id }) => id,
    open: () =>
      Effect.succeed({ maxSteps: 20, budgetTokens: 10_000_000, prepare: Effect.succeed(prepared), ...session })
  }
}

export const question: Input<string> = {
  type: "question",
  schema: Schema.String,
  words: (text) => [{ text, lasting: true }]
}

/** Asks in the chat `a`. */
export const ask = (context: AgentContext<typeof Args.Type>, text: string, id = "a") =>
  AgentRuntime.use((runtime) => runtime.send(context, { id }, question, text))

const Echo = Schema.Struct({ say: Schema.String })

/** Answers what it is told. */
export const echo = (
  over: Partial<Omit<Action, "input" | "act">> & { readonly act?: (say: string) => Effect.Effect<ActionAnswer> } = {}
): Action => {
  const { act = (say: string) => Effect.succeed({ text: say, isError: false }), ...rest } = over
  return {
    name: "echo",
    description: "Says it again.",
    input: Echo,
    changesThings: false,
    timeout: "10 seconds",
    concurrency: 8,
    retries: 0,
    ...rest,
    act: (input) => act(Schema.decodeUnknownSync(Echo)(input).say)
  }
}

/** Takes a number as the answer, and ends the run. */
export const submit = (over: Partial<Output> = {}): Output => ({
  name: "submit",
  description: "Hands in the answer.",
  input: { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] },
  schema: Schema.Struct({ answer: Schema.Finite }),
  handle: () => Effect.succeed({ text: "taken", isError: false }),
  isTerminal: true,
  changesThings: false,
  ...over
})

/** The runtime, over a model that says what it is told, and a log for as long as the test lives. */
export const runtimeSaying = (script: Script, requests?: Array<ModelRequest>, options?: ScriptedModelOptions) =>
  AgentRuntime.layer.pipe(Layer.provideMerge(InProcess.layer), Layer.provide(scriptedModel(script, requests, options)))

/** The refs of one kind. */
export const only = <Tag extends AgentRef["_tag"]>(
  chain: ReadonlyArray<AgentRef>,
  tag: Tag
): ReadonlyArray<RefOf<Tag>> => chain.filter((ref): ref is RefOf<Tag> => ref._tag === tag)

/** All text a model was told in the last message of a request. */
export const toldLast = (request: ModelRequest | undefined): string =>
  (request?.messages.at(-1)?.parts ?? [])
    .map((part) => (part._tag === "Text" ? part.text : part._tag === "Result" ? part.output : ""))
    .join("\n")
