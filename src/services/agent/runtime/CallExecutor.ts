/**
 * Executes the calls of a model. Every call has a result: unknown names, invalid arguments, unresolved references and
 * timeouts give an error with a hint for the model.
 *
 * A call waits for the calls it refers to before it takes a permit, so that waiting calls cannot take all permits. The
 * timeout covers only the work.
 */
import { Deferred, Effect, Option, Predicate, Result, Schema, Semaphore } from "effect"
import { referencesIn, resolveReferences } from "../../../domain/agent/callReference.ts"
import type { ModelEvent, ToolSpec } from "../../../domain/agent/ModelTurn.ts"
import { exactJson } from "../../../domain/text/json/modelJson.ts"
import { moreAction, resultPage } from "../../../domain/text/resultPage.ts"
import type { Action, ActionAnswer } from "./Action.ts"
import type { Output, Prepared } from "./AgentContext.ts"

export type WrittenCall = Omit<Extract<ModelEvent, { readonly _tag: "CallEnded" }>, "_tag">

export interface CallResult extends ActionAnswer {
  /** The tag of the error; null if there is none. */
  readonly failure: string | null
  /** The output that its handler accepted. */
  readonly submitted: { readonly name: string; readonly value: Schema.Json; readonly isTerminal: boolean } | null
}

/** For the calls of one turn. `earlier`: the results of the calls before this one, by number. */
export interface CallOptions {
  readonly prepared: Prepared
  readonly earlier: ReadonlyArray<Deferred.Deferred<CallResult>>
  /** Whether arguments may refer to results of earlier calls; only for models that call in words. */
  readonly references: boolean
  /** In the last step only outputs are accepted. */
  readonly isLast: boolean
}

export interface CallExecutor {
  /** Never fails. */
  readonly answer: (call: WrittenCall, scene: CallOptions) => Effect.Effect<CallResult>
}

/** For one result: in tokens, and as a share of the model's context. */
const mostResultTokens = 16_000
const mostResultShare = 0.1
const longestProblem = 2_000
/** Of results that are kept for paging, in characters. */
const mostKept = 4_000_000

/** The tools of a step, including the one that pages through long results. */
export const toolsOf = ({ actions, outputs }: Prepared): ReadonlyArray<ToolSpec> => [
  ...actions.map(specOf),
  ...(actions.length > 0 ? [specOf(readMore)] : []),
  ...outputs.map(({ name, description, input }) => ({ name, description, input }))
]

/** `redact` is applied to every result, because results leave the machine. `contextTokens`: of the model. */
export const makeCallExecutor = (redact: (text: string) => string, contextTokens: number): CallExecutor => {
  const resultTokens = Math.min(mostResultTokens, Math.ceil(contextTokens * mostResultShare))
  const permits = new Map<string, Semaphore.Semaphore>()
  const keptResults = new KeptResults(resultTokens)

  const permitsOf = ({ concurrency, name }: Action): Semaphore.Semaphore => {
    const known = permits.get(name) ?? Semaphore.makeUnsafe(Math.max(1, concurrency))
    permits.set(name, known)
    return known
  }

  const work = (action: Action, input: unknown, tries: number): Effect.Effect<CallResult> =>
    Effect.timeoutOption(action.act(input), action.timeout).pipe(
      Effect.flatMap(
        Option.match({
          onNone: () =>
            tries < action.retries
              ? work(action, input, tries + 1)
              : Effect.succeed(fault("ActionTimedOut", `${action.name} took too long and was stopped; ask for less`)),
          onSome: ({ isError, text }) => Effect.succeed(isError ? fault("ActionFailed", text) : answered(text))
        })
      )
    )

  const act = Effect.fnUntraced(function* (action: Action, input: Schema.Json) {
    const decoded = yield* Effect.result(Schema.decodeEffect(action.input)(input))
    if (Result.isFailure(decoded)) return invalidArguments(action.name, decoded.failure)
    return yield* permitsOf(action).withPermits(1)(work(action, decoded.success, 0))
  })

  const submit = Effect.fnUntraced(function* ({ name, isTerminal, ...output }: Output, input: Schema.Json) {
    const decoded = yield* Effect.result(Schema.decodeEffect(output.schema)(input))
    if (Result.isFailure(decoded)) return invalidArguments(name, decoded.failure)
    const { isError, text } = yield* output.handle(decoded.success)
    return isError ? fault("OutputRefused", text) : { ...answered(text), submitted: { name, value: input, isTerminal } }
  })

  const execute = Effect.fnUntraced(function* (call: WrittenCall, scene: CallOptions) {
    const { actions, outputs } = scene.prepared
    const output = outputs.find(({ name }) => name === call.name)
    const action = actions.find(({ name }) => name === call.name)
    const isMore = call.name === moreAction && actions.length > 0
    if (call.truncated) return fault("CallTruncated", "this call was cut off and not done; make it again")
    if (output === undefined && action === undefined && !isMore) return unknown(call.name, scene.prepared)
    if (output === undefined && scene.isLast) {
      return fault("NoStepLeft", `${call.name} was not done: this was the last turn`)
    }
    const written = parse(call.arguments)
    if (Option.isNone(written)) {
      return fault("ArgumentsUnparsable", `the arguments of ${call.name} are not JSON; make the call again`)
    }
    const input = scene.references ? yield* resolved(written.value, scene.earlier) : Result.succeed(written.value)
    if (Result.isFailure(input)) {
      const { reason, reference } = input.failure
      return fault("ReferenceUnresolved", `${reference} is not resolved: ${reason}`)
    }
    if (output !== undefined) return yield* submit(output, input.success)
    return action === undefined ? keptResults.page(input.success) : yield* act(action, input.success)
  })

  const answer = (call: WrittenCall, scene: CallOptions) =>
    Effect.map(execute(call, scene), (result): CallResult => {
      const text = redact(result.text)
      if (call.name === moreAction) return { ...result, text }
      const page = resultPage(call.id, text, 0, resultTokens)
      if (page !== text) keptResults.keep(call.id, text)
      return { ...result, text: page }
    })

  return { answer }
}

/** Long results for paging; the oldest are dropped first. */
class KeptResults {
  readonly #texts = new Map<string, string>()
  readonly #pageTokens: number
  #size = 0

  constructor(pageTokens: number) {
    this.#pageTokens = pageTokens
  }

  keep(callId: string, text: string): void {
    this.#texts.set(callId, text)
    this.#size += text.length
    for (const [oldest, { length }] of this.#texts) {
      if (this.#size <= mostKept || oldest === callId) break
      this.#texts.delete(oldest)
      this.#size -= length
    }
  }

  page(input: Schema.Json): CallResult {
    const decoded = Schema.decodeUnknownOption(More)(input)
    if (Option.isNone(decoded)) return fault("ArgumentsInvalid", `${moreAction} takes {"call": "...", "from": 1}`)
    const { call, from } = decoded.value
    const text = this.#texts.get(call)
    if (text === undefined) return fault("ActionFailed", `the result of ${call} is not kept; make that call again`)
    if (from >= text.length) return fault("ActionFailed", `that result has ${text.length} characters`)
    return answered(resultPage(call, text, from, this.#pageTokens))
  }
}

const More = Schema.Struct({
  call: Schema.String.annotate({ description: "The call whose result was cut, as its notice names it." }),
  from: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "The first character." })
})

const readMore: Pick<Action, "name" | "description" | "input"> = {
  name: moreAction,
  description: "The rest of a result that was cut: the last line of the result has the arguments.",
  input: More
}

const specs = new WeakMap<Schema.Top, ToolSpec["input"]>()

const specOf = ({ description, input, name }: Pick<Action, "name" | "description" | "input">): ToolSpec => {
  const known = specs.get(input) ?? jsonSchemaOf(input)
  specs.set(input, known)
  return { name, description, input: known }
}

const jsonSchemaOf = (input: Schema.Top): ToolSpec["input"] => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(input, { onExcessProperty: "error" })
  return Object.keys(definitions).length === 0 ? asJson(schema) : { ...asJson(schema), $defs: asJson(definitions) }
}

const asJson = (value: unknown): ToolSpec["input"] =>
  Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Json))(value)

const answered = (text: string): CallResult => ({ text, isError: false, failure: null, submitted: null })
const fault = (tag: string, text: string): CallResult => ({ text, isError: true, failure: tag, submitted: null })

const unknown = (name: string, prepared: Prepared): CallResult => {
  const names = toolsOf(prepared).map((tool) => tool.name)
  return fault(
    "ActionNotFound",
    `there is no ${name}; ${names.length === 0 ? "no tools are available" : `available: ${names.join(", ")}`}`
  )
}

const invalidArguments = (name: string, error: Schema.SchemaError): CallResult => {
  const problem = error.message.slice(0, longestProblem)
  return fault("ArgumentsInvalid", `the arguments of ${name} do not fit; correct them and call again:\n${problem}`)
}

/** Missing arguments are an empty object. */
const parse = (text: string): Option.Option<Schema.Json> => (text.trim() === "" ? Option.some({}) : exactJson(text))

const resolved = Effect.fnUntraced(function* (input: Schema.Json, earlier: CallOptions["earlier"]) {
  const references = referencesIn(input)
  if (Result.isFailure(references)) return Result.fail(references.failure)
  const outcomes = new Map<number, Schema.Json>()
  for (const { call } of references.success) {
    const waited = earlier[call]
    if (waited === undefined || outcomes.has(call)) continue
    const { isError, text } = yield* Deferred.await(waited)
    if (!isError) outcomes.set(call, dataOf(text))
  }
  return resolveReferences(input, outcomes)
})

/** A result that is JSON as its value, so that references can select a part; any other as text. */
const dataOf = (text: string): Schema.Json => {
  const value = Option.getOrElse(exactJson(text), () => text)
  return Predicate.isString(value) ? text : value
}
