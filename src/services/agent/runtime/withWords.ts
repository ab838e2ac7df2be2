/**
 * Gives tools to a model without them: the prompt describes the tools, and calls are parsed from the model's text. The
 * events are those of any other model. Reasoning is not sent back.
 */
import { Effect, Random, Stream } from "effect"
import type { EndReason, ModelEvent, ModelMessage, ModelRequest } from "../../../domain/agent/ModelTurn.ts"
import { emptyScanner, endScan, scanWords, type WordEvent } from "../../../domain/agent/WordScanner.ts"
import { assistantText, choiceText, toolsText, userParts } from "../../../prompts/callingInWords.ts"
import type { Model } from "../Model.ts"

export const withWords = Effect.fnUntraced(function* (model: Model["Service"]) {
  const secret = yield* randomWord
  // Different from the secret, because the model sees the ids.
  const idPrefix = yield* randomWord
  let calls = 0
  const nextId = (): string => `call-${idPrefix}-${++calls}`

  const converse: Model["Service"]["converse"] = (request) =>
    Stream.suspend(() => {
      if (request.tools.length === 0) return model.converse(request)
      const reader = new WordReader(new Set(request.tools.map(({ name }) => name)), nextId)
      return model.converse(requestInWords(request, secret)).pipe(
        Stream.map((event) => reader.read(event)),
        Stream.flattenIterable
      )
    })

  const systemOf = (request: ModelRequest) =>
    request.tools.length === 0 ? request.system : requestInWords(request, secret).system
  return { ...model, tools: "native", systemOf, converse } satisfies Model["Service"]
})

/** An unpredictable word. */
const randomWord = Effect.map(Random.next, (chance) => Math.floor(chance * 2 ** 48).toString(36))

/** Turns the text of one turn into events. */
class WordReader {
  readonly #tools: ReadonlySet<string>
  readonly #nextId: () => string
  #scanner = emptyScanner
  /** The open call; null in an output, which is text. */
  #call: { readonly id: string; readonly name: string } | null = null
  #called = 0
  #wasCut = false

  constructor(tools: ReadonlySet<string>, nextId: () => string) {
    this.#tools = tools
    this.#nextId = nextId
  }

  read(event: ModelEvent): ReadonlyArray<ModelEvent> {
    if (event._tag === "Text") {
      const [scanner, seen] = scanWords(this.#scanner, event.text)
      this.#scanner = scanner
      return seen.flatMap((each) => this.#tell(each))
    }
    if (event._tag !== "Ended") return [event]
    const rest = endScan(this.#scanner).flatMap((each) => this.#tell(each))
    this.#scanner = emptyScanner
    return [...rest, { ...event, reason: this.#reasonOf(event.reason), verbatim: null }]
  }

  /** For a turn with calls in its text, the provider reports that the turn is done. */
  #reasonOf(reason: EndReason): EndReason {
    if (reason === "done" && this.#wasCut) return "length"
    return reason === "done" && this.#called > 0 ? "calls" : reason
  }

  #tell(seen: WordEvent): ReadonlyArray<ModelEvent> {
    switch (seen._tag) {
      case "Text":
        return [{ _tag: "Text", text: seen.text }]
      case "Reasoning":
        return [{ _tag: "Thinking", text: seen.text }]
      case "ReasoningEnded":
        this.#wasCut ||= seen.truncated
        return [{ _tag: "ThinkingEnded" }]
      case "Opened": {
        const name = seen.attributes.name ?? seen.attributes.type ?? ""
        const isCall = seen.element === "action_call" || this.#tools.has(name)
        this.#call = isCall ? { id: this.#nextId(), name } : null
        return this.#call === null ? [] : [{ _tag: "CallBegan", ...this.#call }]
      }
      case "Body":
        if (this.#call === null) return [{ _tag: "Text", text: seen.text }]
        return [{ _tag: "CallArguments", id: this.#call.id, text: seen.text }]
      case "Closed": {
        const { body, truncated } = seen
        const call = this.#call
        this.#wasCut ||= truncated
        if (call === null) return []
        this.#call = null
        this.#called++
        return [{ _tag: "CallEnded", ...call, arguments: body, truncated }]
      }
    }
  }
}

/** The request for a model without tools. */
const requestInWords = (request: ModelRequest, secret: string): ModelRequest => {
  const names = new Map<string, string>()
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role === "user") {
      return { role: "user", parts: userParts(message, secret, (id) => names.get(id) ?? "") }
    }
    for (const part of message.parts) if (part._tag === "Call") names.set(part.id, part.name)
    return { role: "model", parts: [{ _tag: "Text", text: assistantText(message) }], verbatim: null }
  })
  const choice = choiceText(request.choice)
  const last = messages.at(-1)
  if (choice !== null && last?.role === "user") {
    messages[messages.length - 1] = { ...last, parts: [...last.parts, { _tag: "Text", text: choice, lasting: false }] }
  }
  return {
    ...request,
    system: [...request.system.slice(0, 1), toolsText(request.tools, secret), ...request.system.slice(1)],
    tools: [],
    choice: "auto",
    messages
  }
}
