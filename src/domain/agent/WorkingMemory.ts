/**
 * What a context remembers, as the messages its model is sent: a fold of its refs, the same while they happen and when
 * they are read back.
 *
 * Every call of the last turn has a result in the next message, one that never came included. What the model was not
 * shown waits; what is too much is left out in whole turns, never a part of one, and said to be.
 */

import { tokensAtMost } from "../text/tokensAtMost.ts"
import type { AgentRef, Episode, RefOf, TextBlocks } from "./AgentRef.ts"
import { episodeText } from "./episodeOf.ts"
import type { AssistantMessage, ModelMessage, UserMessage } from "./ModelTurn.ts"

/** What was told, and what the model said to it: twice where it paused. */
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

/** After leaving out, this share of the room is filled: a history that is cut at every step is cached never. */
const refill = 0.6
/** Episodes of runs that were left out. */
const mostEpisodes = 8

export class WorkingMemory {
  #turns: Array<Turn> = []
  #tokens = 0
  /** Inputs and events that no model was shown. */
  #waiting: Array<Waiting> = []
  /** Shown in a step that has not ended. */
  #shown: { readonly words: ReadonlyArray<Waiting>; readonly told: UserMessage } | null = null
  /** Calls of the last turn, which the next message answers. */
  #owed: ReadonlyArray<{ readonly id: string; readonly name: string }> = []
  #results = new Map<string, RefOf<"Result">>()
  #run = 0
  #isSettled = true
  readonly #episodes: Array<{ readonly run: number; readonly episode: Episode }> = []
  #left = 0
  /** Says what was left out, at the end of the first message. */
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

  /** Is there something the model was not shown? */
  get waits(): boolean {
    return this.hasWords || (this.#owed.length > 0 && !this.#isSettled)
  }

  /** Inputs and events, results aside. */
  get hasWords(): boolean {
    return this.#waiting.length > 0 || this.#shown !== null
  }

  /** Was it not shown to the model even once? */
  isWaiting(id: string): boolean {
    return this.#waiting.some((waiting) => waiting.id === id)
  }

  /** Ids of what the next step shows: inputs, events, and calls by their own ids. */
  get pending(): ReadonlyArray<string> {
    return [...this.#owed.map(({ id }) => id), ...this.#asking().map(({ id }) => id)]
  }

  /** What a step sends: everything that was said, and what is shown now. */
  get messages(): ReadonlyArray<ModelMessage> {
    const past = this.#turns.flatMap<ModelMessage>(({ said, told }) => [told, ...said])
    return this.#shown === null ? past : [...past, this.#shown.told]
  }

  /** About how much `messages` will be once all that waits is shown. */
  get tokens(): number {
    return this.#tokens + tokensOf(this.#asks())
  }

  /** Leaves out the oldest turns where all of it is more than `room`. False: there is nothing more to leave out. */
  fit(room: number): boolean {
    if (this.tokens <= room) return true
    const goal = room * refill
    let leaving = 0
    let rest = this.tokens
    // The last turn stays: what waits answers its calls.
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

  /** Results first and in the order of the calls, then words. */
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

  /** Who sent what a run did not answer was told so, and may send it again: what it failed at, or was shown in vain. */
  #settle({ episode, stopReason }: RefOf<"RunEnded">): void {
    this.#isSettled = true
    this.#episodes.push({ run: this.#run, episode })
    if (this.#episodes.length > 2 * mostEpisodes) this.#episodes.splice(0, mostEpisodes)
    const goesOn = stopReason === "done" || stopReason === "step limit" || stopReason === "budget"
    if (!goesOn) this.#waiting = []
    this.#shown = null
  }

  /**
   * The first `count` turns go, with the results that answer them in the turn behind. What was asked in the present run
   * stays, before the rest.
   */
  #leaveOut(count: number): void {
    const kept = this.#turns.slice(count)
    const first = kept[0]
    if (first === undefined) return
    this.#left += count
    const asked = [...this.#turns.slice(0, count), first]
      .filter(({ run }) => run === this.#run || run === first.run)
      .flatMap(({ told }) => told.parts.filter((part) => part._tag === "Text"))
      .filter((part) => part !== this.#notice)
    this.#notice = { _tag: "Text", text: this.#wordsOfNotice(first.run), lasting: true }
    const told: UserMessage = { role: "user", parts: [...asked, this.#notice] }
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
  // A turn that goes back as its provider wrote it says all of it again in there, thinking included.
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
