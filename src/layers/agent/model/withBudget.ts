/**
 * Prevents a model from starting a turn that could exceed the run's limit.
 *
 * The price of a turn is that of its request, estimated high, and of its answer. At least an answer of usual length is
 * reserved, and the request limits the answer, with its thinking, to what was reserved. What an earlier request began with is
 * expected to come from the provider's cache; if it does not, the turn costs more than was reserved, and nothing is expected from
 * there any more.
 */
import { Effect, Stream } from "effect"
import type { ModelEvent, ModelRequest, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import { priceOf } from "../../../domain/agent/Prices.ts"
import type { Budget } from "../../../services/agent/Budget.ts"
import { type Model, overBudget } from "../../../services/agent/Model.ts"
import type { PriceList } from "../../../services/agent/PriceList.ts"

/** Tokens of an answer with its thinking. */
const usualAnswer = 4_000
/** The least part of it that an answer is worth asking for, when no more can be paid. */
const shortAnswer = 0.5

export const withBudget = (
  model: Model["Service"],
  budget: Budget,
  list: PriceList,
  usual = usualAnswer
): Model["Service"] => {
  if (budget.limit === null) return model
  const beginnings = new SentBeginnings(model.cachesPrefixes === true)
  /** The agent's answer after its next turn finds most of the request in the cache. */
  const mustAnswer = (next: ModelRequest) =>
    Effect.map(list.read, ({ prices }) => {
      const name = next.model === "" ? model.model : next.model
      const { promptTokens, ...request } = beginnings.expected(next, name)
      const completionTokens = Math.min(usual, next.maxTokens)
      const turn = priceOf(prices, name, { promptTokens, ...request, completionTokens })
      const answer = priceOf(prices, name, { promptTokens, cachedTokens: promptTokens, completionTokens })
      return turn !== null && answer !== null && !budget.leavesAnswers(turn, answer)
    })
  const converse = (request: ModelRequest) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { prices } = yield* list.read
        const name = request.model === "" ? model.model : request.model
        const sent = beginnings.expected(request, name)
        const priceWith = (completionTokens: number) => priceOf(prices, name, { ...sent, completionTokens })
        const atLeast = (tokens: number) => Math.min(Math.max(tokens, request.leastTokens ?? 0), request.maxTokens)
        const shortest = atLeast(usual * shortAnswer)
        const [least, middle, most] = [shortest, atLeast(usual), request.maxTokens].map(priceWith)
        const { allowed, held } = yield* budget
          .reserve(least == null || middle == null || most == null ? null : { least, usual: middle, most })
          .pipe(Effect.mapError(({ message }) => overBudget(model, name, message)))
        const turn = new TurnUsage(request.maxTokens)
        // Also if it was cut off, because the turn still costs money.
        yield* Effect.addFinalizer(() => {
          // A gateway may have its own name for the model.
          const cost = (usage: ModelUsage) =>
            usage.costUsd ?? priceOf(prices, turn.model ?? name, usage) ?? priceOf(prices, name, usage) ?? 0
          const reported = turn.reported === null ? 0 : Math.max(0, cost(turn.reported))
          beginnings.reported(sent, turn.reported)
          // Many providers send the usage last: without it, the turn counts as what was held for it.
          const atWorst = turn.atLeast === null ? (turn.began ? held : 0) : cost(turn.atLeast)
          return budget.spend(reported, Math.max(0, atWorst - reported))
        })
        const [low, high] = [least ?? 0, most ?? 0]
        // The price of an answer is in proportion to its length.
        const share = high > low ? Math.min(1, (allowed - low) / (high - low)) : 1
        const maxTokens = shortest + Math.floor((request.maxTokens - shortest) * share)
        return model.converse({ ...request, maxTokens }).pipe(
          Stream.tap((event) =>
            Effect.sync(() => {
              // The provider has read the request when the first piece of its answer arrives.
              if (event._tag !== "Began") beginnings.sent(request, name)
              turn.take(event)
            })
          )
        )
      })
    )
  return { ...model, converse, mustAnswer }
}

/** How much of a request the provider's cache has, by what this run has sent. */
class SentBeginnings {
  readonly #sent = new Set<bigint>()
  readonly #counted = new WeakSet<ModelRequest>()
  #isTrusted: boolean

  constructor(isCached: boolean) {
    this.#isTrusted = isCached
  }

  sent(request: ModelRequest, model: string): void {
    if (!this.#isTrusted || this.#counted.has(request)) return
    this.#counted.add(request)
    for (const { isMarked, key } of beginningsOf(request, model)) if (isMarked) this.#sent.add(key)
  }

  /** The input of a request, without its answer. */
  expected(request: ModelRequest, model: string): RequestUsage {
    const beginnings = beginningsOf(request, model)
    const known = this.#isTrusted ? (beginnings.findLast(({ key }) => this.#sent.has(key))?.bytes ?? 0) : 0
    const promptTokens = Math.ceil((beginnings.at(-1)?.bytes ?? 0) / bytesOfToken)
    const cachedTokens = Math.min(promptTokens, Math.ceil(known / bytesOfToken))
    return { promptTokens, cachedTokens, cacheWrittenTokens: promptTokens - cachedTokens }
  }

  /** A beginning that is long enough for every provider's cache, and was not served from it. */
  reported({ cachedTokens }: RequestUsage, usage: ModelUsage | null): void {
    if (cachedTokens >= surelyCached && usage !== null && usage.promptTokens > 0 && usage.cachedTokens === 0)
      this.#isTrusted = false
  }
}

/** Tokens. */
const surelyCached = 8_192

interface RequestUsage {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly cacheWrittenTokens: number
}

interface Beginning {
  readonly key: bigint
  readonly bytes: number
  /** Whether a request writes it to the cache: it ends with what other agents send too, or with a message. */
  readonly isMarked: boolean
}

/** The beginnings of a request that end with one of its parts. A cache is not shared between efforts. */
const beginningsOf = ({ effort, messages, system, tools }: ModelRequest, model: string): ReadonlyArray<Beginning> => {
  let key = Bun.hash.wyhash(JSON.stringify([model, effort]))
  let bytes = 0
  const parts = messages.flatMap(({ parts, role }) =>
    parts.map((part, at) => ({
      text: JSON.stringify([role, part]),
      isMarked: at === parts.length - 1 || (isLasting(part) && !isLasting(parts[at + 1]))
    }))
  )
  return [{ text: JSON.stringify([system, tools]), isMarked: true }, ...parts].map(({ isMarked, text }) => {
    key = Bun.hash.wyhash(text, key)
    bytes += Buffer.byteLength(text)
    return { key, bytes, isMarked }
  })
}

const isLasting = (part: ModelRequest["messages"][number]["parts"][number] | undefined): boolean =>
  part?._tag === "Text" && "lasting" in part && part.lasting

/** What is known about a running turn. */
class TurnUsage {
  began = false
  model: string | null = null
  reported: ModelUsage | null = null
  #ended = false
  #bytes = 0
  readonly #longest: number

  /** `longest`: of the answer, in tokens. */
  constructor(longest: number) {
    this.#longest = longest
  }

  take(event: ModelEvent): void {
    this.began = true
    if (event._tag === "Began" && event.model !== "") this.model = event.model
    if (event._tag === "Used") this.reported = event.usage
    if (event._tag === "Ended") this.#ended = true
    if ("text" in event) this.#bytes += Buffer.byteLength(event.text)
  }

  /** For a turn that was cut off, the received text counts if it is more than the provider had reported. */
  get atLeast(): ModelUsage | null {
    const { reported } = this
    if (reported === null || this.#ended) return reported
    const heard = Math.min(this.#longest, Math.ceil(this.#bytes / bytesOfToken))
    return { ...reported, completionTokens: Math.max(reported.completionTokens, heard) }
  }
}

/** No tokenizer makes more than one token of three bytes of text and code, on average. */
const bytesOfToken = 3
