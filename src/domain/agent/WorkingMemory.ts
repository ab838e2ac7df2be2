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
  readonly told: UserMessage
  readonly said: ReadonlyArray<AssistantMessage>
  readonly tokens: number
  /** The run it belongs to. */
  readonly run: number
}

interface Waiting {
  /** The ref's. */
  readonly id: string
  readonly words: TextBlocks
}

/** The share of the room that is used after dropping: dropping at every step would defeat the provider's cache. */
const refill = 0.6
/** Summaries of dropped runs. */
const mostEpisodes = 8

export class WorkingMemory {
  #turns: Array<Turn> = []
  #tokens = 0
  /** Inputs and events that were not sent yet. */
  #waiting: Array<Waiting> = []
  /** Sent in a step that has not ended. */
  #shown: { readonly words: ReadonlyArray<Waiting>; readonly told: UserMessage } | null = null
  /** Calls of the last turn, whose results are in the next message. */
  #owed: ReadonlyArray<{ readonly id: string; readonly name: string }> = []
  #results = new Map<string, RefOf<"Result">>()
  #run = 0
  #isSettled = true
  readonly #episodes: Array<{ readonly run: number; readonly episode: Episode }> = []
  #left = 0
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
        if (ref.told) this.#waiting.push({ id: ref.id, words: [{ text: ref.text, lasting: true }] })
        break
      case "Result":
        this.#results.set(ref.callId, ref)
        break
      case "Step":
        this.#show()
        break
      case "Turn":
        this.#hear(ref)
        break
      case "RunEnded":
        this.#settle(ref)
    }
  }

  /** Is there anything to send? */
  get waits(): boolean {
    return this.hasWords || (this.#owed.length > 0 && !this.#isSettled)
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
    return [...this.#owed.map(({ id }) => id), ...this.#asking().map(({ id }) => id)]
  }

  get messages(): ReadonlyArray<ModelMessage> {
    const past = this.#turns.flatMap<ModelMessage>(({ said, told }) => [told, ...said])
    return this.#shown === null ? past : [...past, this.#shown.told]
  }

  /** Estimate for `messages` with all that is pending. */
  get tokens(): number {
    return this.#tokens + tokensOf(this.#asks())
  }

  /** Drops the oldest turns if `tokens` is more than `room`. False: it does not fit. */
  fit(room: number): boolean {
    if (this.tokens <= room) return true
    const goal = room * refill
    let leaving = 0
    let rest = this.tokens
    // The last turn stays, because the next message has the results of its calls.
    while (rest > goal && leaving < this.#turns.length - 1) {
      rest -= this.#turns[leaving]?.tokens ?? 0
      leaving++
    }
    if (leaving > 0) this.#leaveOut(leaving)
    return this.tokens <= room
  }

  #asking(): ReadonlyArray<Waiting> {
    return [...(this.#shown?.words ?? []), ...this.#waiting]
  }

  /** Results in the order of the calls, then text. */
  #asks(): UserMessage {
    const results = this.#owed.map(({ id, name }) => {
      const result = this.#results.get(id)
      const output = result?.output ?? `${name} did not end: the run was stopped before it did`
      return { _tag: "Result" as const, callId: id, output, isError: result?.isError ?? true }
    })
    const texts = this.#asking().flatMap(({ words }) => words.map((each) => ({ _tag: "Text" as const, ...each })))
    return { role: "user", parts: [...results, ...texts] }
  }

  #show(): void {
    const told = this.#asks()
    this.#shown = { words: this.#asking(), told }
    this.#waiting = []
  }

  #hear({ parts, verbatim }: RefOf<"Turn">): void {
    const said: AssistantMessage = { role: "model", parts, verbatim }
    const size = tokensOf(said)
    const last = this.#turns.at(-1)
    if (this.#shown !== null) {
      const { told } = this.#shown
      this.#push({ told, said: [said], tokens: tokensOf(told) + size, run: this.#run })
    } else if (last !== undefined) {
      this.#turns.pop()
      this.#tokens -= last.tokens
      this.#push({ ...last, said: [...last.said, said], tokens: last.tokens + size })
    }
    this.#shown = null
    this.#isSettled = false
    this.#owed = parts.filter((part) => part._tag === "Call")
    const owed = new Set(this.#owed.map(({ id }) => id))
    this.#results = new Map([...this.#results].filter(([id]) => owed.has(id)))
  }

  #push(turn: Turn): void {
    this.#turns.push(turn)
    this.#tokens += turn.tokens
  }

  /** The inputs of a failed run are dropped: their senders got the failure. */
  #settle({ episode, stopReason }: RefOf<"RunEnded">): void {
    this.#isSettled = true
    this.#episodes.push({ run: this.#run, episode })
    if (this.#episodes.length > 2 * mostEpisodes) this.#episodes.splice(0, mostEpisodes)
    const goesOn = stopReason === "done" || stopReason === "step limit" || stopReason === "budget"
    if (!goesOn) this.#waiting = []
    this.#shown = null
  }

  /** Drops the first `count` turns and the results for them. The inputs of the current run stay. */
  #leaveOut(count: number): void {
    const kept = this.#turns.slice(count)
    const first = kept[0]
    if (first === undefined) return
    this.#left += count
    const inputs = [...this.#turns.slice(0, count), first]
      .filter(({ run }) => run === this.#run || run === first.run)
      .flatMap(({ told }) => told.parts.filter((part) => part._tag === "Text"))
      .filter((part) => part !== this.#notice)
    this.#notice = { _tag: "Text", text: this.#wordsOfNotice(first.run), lasting: true }
    const told: UserMessage = { role: "user", parts: [...inputs, this.#notice] }
    const tokens = tokensOf(told) + first.said.reduce((sum, said) => sum + tokensOf(said), 0)
    this.#turns = [{ ...first, told, tokens }, ...kept.slice(1)]
    this.#tokens = this.#turns.reduce((sum, turn) => sum + turn.tokens, 0)
  }

  #wordsOfNotice(before: number): string {
    const gone = this.#episodes.filter(({ run }) => run < before).slice(-mostEpisodes)
    const told = gone.map(({ episode }) => `\n\n${episodeText(episode)}`).join("")
    return `[dd: ${this.#left} earlier turns were left out for room. Look again for what you need of them.]${told}`
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
