/**
 * The messages of a context for its model: a fold of its refs, the same live and from the log.
 *
 * Every call of the last turn has a result in the next message, even if it was interrupted. If the messages are too long,
 * the oldest turns are dropped as a whole, with a notice.
 */
import { tokensAtMost } from "../text/tokensAtMost.ts"
import type { AgentRef, Episode, RefOf, TextBlocks } from "./AgentRef.ts"
import { episodeText } from "./episodeOf.ts"
import type { AssistantMessage, ModelMessage, UserMessage } from "./ModelTurn.ts"

/** A user message and the answer of the model; several answers if it paused. */
interface Turn {
  readonly user: UserMessage
  readonly answers: ReadonlyArray<AssistantMessage>
  readonly tokens: number
  /** The run of the turn. */
  readonly run: number
}

interface Waiting {
  /** The id of the ref. */
  readonly id: string
  readonly words: TextBlocks
}

/** The share of the limit that is used after dropping: dropping at every step would defeat the provider's cache. */
const refill = 0.6
/** Summaries of dropped runs. */
const mostEpisodes = 8

export class WorkingMemory {
  #turns: Array<Turn> = []
  #tokens = 0
  /** Inputs and events not sent yet. */
  #waiting: Array<Waiting> = []
  /** Sent in a step without an answer so far. */
  #shown: { readonly words: ReadonlyArray<Waiting>; readonly user: UserMessage } | null = null
  /** Calls of the last turn, whose results are in the next message. */
  #openCalls: ReadonlyArray<{ readonly id: string; readonly name: string }> = []
  #results = new Map<string, RefOf<"Result">>()
  #run = 0
  #isSettled = true
  readonly #episodes: Array<{ readonly run: number; readonly episode: Episode }> = []
  #dropped = 0
  /** The notice about dropped turns, at the end of the first message. */
  #notice: UserMessage["parts"][number] | null = null

  take(ref: AgentRef): void {
    switch (ref._tag) {
      case "Run":
        this.#run++
        break
      case "Input":
        this.#waiting.push({ id: ref.id, words: ref.words })
        break
      case "Event":
        if (ref.isSent) this.#waiting.push({ id: ref.id, words: [{ text: ref.text, lasting: true }] })
        break
      case "Result":
        this.#results.set(ref.callId, ref)
        break
      case "Step":
        this.#send()
        break
      case "Turn":
        this.#addTurn(ref)
        break
      case "RunEnded":
        this.#settle(ref)
    }
  }

  /** Is there anything to send? */
  get hasPending(): boolean {
    return this.hasWords || (this.#openCalls.length > 0 && !this.#isSettled)
  }

  /** Are there inputs or events to send? */
  get hasWords(): boolean {
    return this.#waiting.length > 0 || this.#shown !== null
  }

  /** Was the input never sent? */
  isWaiting(id: string): boolean {
    return this.#waiting.some((waiting) => waiting.id === id)
  }

  /** Ids of the inputs, events and calls in the next message. */
  get pending(): ReadonlyArray<string> {
    return [...this.#openCalls.map(({ id }) => id), ...this.#pendingWords().map(({ id }) => id)]
  }

  get messages(): ReadonlyArray<ModelMessage> {
    const past = this.#turns.flatMap<ModelMessage>(({ answers, user }) => [user, ...answers])
    return this.#shown === null ? past : [...past, this.#shown.user]
  }

  /** An estimate for `messages` and everything pending. */
  get tokens(): number {
    return this.#tokens + tokensOf(this.#nextMessage())
  }

  /** The same with further words. */
  tokensWith(words: TextBlocks): number {
    return this.tokens + tokensOf({ role: "user", parts: words.map((each) => ({ _tag: "Text", ...each })) })
  }

  get hasDropped(): boolean {
    return this.#dropped > 0
  }

  /** Drops the oldest turns if `tokens` exceeds `room`. Returns whether the rest fits. */
  fit(room: number): boolean {
    if (this.tokens <= room) return true
    const goal = room * refill
    let oldest = 0
    let rest = this.tokens
    // The last turn is kept, because the next message contains the results of its calls.
    while (rest > goal && oldest < this.#turns.length - 1) {
      rest -= this.#turns[oldest]?.tokens ?? 0
      oldest++
    }
    if (oldest > 0) this.#dropTurns(oldest)
    return this.tokens <= room
  }

  #pendingWords(): ReadonlyArray<Waiting> {
    return [...(this.#shown?.words ?? []), ...this.#waiting]
  }

  /** Results in the order of the calls, then text. */
  #nextMessage(): UserMessage {
    const results = this.#openCalls.map(({ id, name }) => {
      const result = this.#results.get(id)
      const output = result?.output ?? `${name} did not end: the run was stopped before it did`
      return { _tag: "Result" as const, callId: id, output, isError: result?.isError ?? true }
    })
    const texts = this.#pendingWords().flatMap(({ words }) => words.map((each) => ({ _tag: "Text" as const, ...each })))
    return { role: "user", parts: [...results, ...texts] }
  }

  #send(): void {
    const user = this.#nextMessage()
    this.#shown = { words: this.#pendingWords(), user }
    this.#waiting = []
  }

  #addTurn({ parts, verbatim }: RefOf<"Turn">): void {
    const answer: AssistantMessage = { role: "model", parts, verbatim }
    const size = tokensOf(answer)
    const last = this.#turns.at(-1)
    if (this.#shown !== null) {
      const { user } = this.#shown
      this.#push({ user, answers: [answer], tokens: tokensOf(user) + size, run: this.#run })
    } else if (last !== undefined) {
      this.#turns.pop()
      this.#tokens -= last.tokens
      this.#push({ ...last, answers: [...last.answers, answer], tokens: last.tokens + size })
    }
    this.#shown = null
    this.#isSettled = false
    this.#openCalls = parts.filter((part) => part._tag === "Call")
    const openCalls = new Set(this.#openCalls.map(({ id }) => id))
    this.#results = new Map([...this.#results].filter(([id]) => openCalls.has(id)))
  }

  #push(turn: Turn): void {
    this.#turns.push(turn)
    this.#tokens += turn.tokens
  }

  /** Drops the inputs of a failed run: their senders got the failure. */
  #settle({ episode, stopReason }: RefOf<"RunEnded">): void {
    this.#isSettled = true
    this.#episodes.push({ run: this.#run, episode })
    if (this.#episodes.length > 2 * mostEpisodes) this.#episodes.splice(0, mostEpisodes)
    const isFailed = ["aborted", "failed", "model error", "refused"].includes(stopReason)
    if (isFailed) this.#waiting = []
    this.#shown = null
  }

  /** Drops the first `count` turns and their results, but not the inputs of the current run. */
  #dropTurns(count: number): void {
    const kept = this.#turns.slice(count)
    const first = kept[0]
    if (first === undefined) return
    this.#dropped += count
    const inputs = [...this.#turns.slice(0, count), first]
      .filter(({ run }) => run === this.#run || run === first.run)
      .flatMap(({ user }) => user.parts.filter((part) => part._tag === "Text"))
      .filter((part) => part !== this.#notice)
    this.#notice = { _tag: "Text", text: this.#wordsOfNotice(first.run), lasting: true }
    const user: UserMessage = { role: "user", parts: [...inputs, this.#notice] }
    const tokens = tokensOf(user) + first.answers.reduce((sum, answer) => sum + tokensOf(answer), 0)
    this.#turns = [{ ...first, user, tokens }, ...kept.slice(1)]
    this.#tokens = this.#turns.reduce((sum, turn) => sum + turn.tokens, 0)
  }

  #wordsOfNotice(before: number): string {
    const dropped = this.#episodes.filter(({ run }) => run < before).slice(-mostEpisodes)
    const summaries = dropped.map(({ episode }) => `\n\n${episodeText(episode)}`).join("")
    return `[dd: ${this.#dropped} earlier turns were left out for room. Look again for what you need of them.]${summaries}`
  }
}

const tokensOf = (message: ModelMessage): number => {
  const own = message.parts.reduce((sum, part) => sum + tokensAtMost(textOf(part)) + partOverhead, partOverhead)
  // The verbatim form is sent instead of the parts, and includes the thinking.
  return message.role === "model" && message.verbatim !== null
    ? Math.max(own, tokensAtMost(JSON.stringify(message.verbatim)))
    : own
}

const partOverhead = 8

const textOf = (part: ModelMessage["parts"][number]): string => {
  switch (part._tag) {
    case "Text":
      return part.text
    case "Result":
      return part.output
    case "Call":
      return `${part.name}${JSON.stringify(part.input)}`
  }
}
