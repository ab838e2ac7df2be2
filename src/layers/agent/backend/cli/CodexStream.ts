/**
 * What `codex exec --json` prints: a thread's events.
 *
 * Items begin, grow and are completed under an id; where there is none, an end belongs to the oldest open item of its
 * type, one with the same content first. An `error` alone is no failure: codex says so of connections it makes again;
 * a turn that failed is one. Sources: reference §4.3; codex-rs/exec/src/exec_events.rs of the CLI; its documentation
 * ("Non-interactive mode").
 */
import { Option, Schema } from "effect"
import { isTransientFault } from "../../../../domain/agent/transientFault.ts"
import { AgentEvent } from "../../../../domain/run/AgentEvent.ts"
import {
  Calls,
  type CliEnd,
  type CliOutcome,
  type CliStream,
  countOf,
  jsonOf,
  Misread,
  readLine,
  replyIn,
  wordsOf
} from "./CliStream.ts"

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Item = Schema.Struct({
  id: maybe(Schema.String),
  type: maybe(Schema.String),
  /** What older versions call the type. */
  item_type: maybe(Schema.String),
  text: maybe(Schema.String),
  content: Schema.optionalKey(Schema.Unknown),
  command: Schema.optionalKey(Schema.Unknown),
  aggregated_output: Schema.optionalKey(Schema.Unknown),
  exit_code: maybe(Schema.Finite),
  status: maybe(Schema.String),
  changes: Schema.optionalKey(Schema.Unknown),
  server: maybe(Schema.String),
  tool: maybe(Schema.String),
  arguments: Schema.optionalKey(Schema.Unknown),
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown),
  query: Schema.optionalKey(Schema.Unknown),
  message: Schema.optionalKey(Schema.Unknown)
})
type Item = typeof Item.Type

const decodeItem = Schema.decodeUnknownOption(Schema.Struct({ item: Item }))
const decodeCompleted = Schema.decodeUnknownOption(
  Schema.Struct({
    usage: maybe(
      Schema.Struct({
        input_tokens: Schema.optionalKey(Schema.Unknown),
        cached_input_tokens: Schema.optionalKey(Schema.Unknown),
        cache_write_input_tokens: Schema.optionalKey(Schema.Unknown),
        output_tokens: Schema.optionalKey(Schema.Unknown),
        reasoning_output_tokens: Schema.optionalKey(Schema.Unknown)
      })
    ),
    result: Schema.optionalKey(Schema.Unknown),
    output: Schema.optionalKey(Schema.Unknown)
  })
)
const messageOf = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.String }))
const faultOf = Schema.decodeUnknownOption(
  Schema.Struct({ error: Schema.Union([Schema.String, Schema.Struct({ message: Schema.String })]) })
)
const decodeParts = Schema.decodeUnknownOption(
  Schema.Array(Schema.Struct({ type: Schema.optionalKey(Schema.String), text: Schema.optionalKey(Schema.String) }))
)
const decodeChanges = Schema.decodeUnknownOption(
  Schema.Array(Schema.Struct({ path: Schema.String, kind: Schema.optionalKey(Schema.Unknown) }))
)
/** What older versions print. */
const decodeChangesByPath = Schema.decodeUnknownOption(
  Schema.Record(Schema.String, Schema.Struct({ type: Schema.Unknown }))
)
const contentOf = Schema.decodeUnknownOption(Schema.Struct({ content: Schema.Unknown }))

/** Kinds of lines and of items that say nothing of the agent's work. */
const housekeeping: ReadonlySet<string> = new Set(["turn.started", "item.plan.delta"])
const quietItems: ReadonlySet<string> = new Set(["todo_list", "plan", "error", "web_search", "collab_tool_call"])

interface OpenItem {
  readonly id: string
  readonly content: string
}

export class CodexStream implements CliStream {
  readonly #misread = new Misread()
  readonly #calls = new Calls()
  /** Items that began without an id, by their type, oldest first. */
  readonly #nameless = new Map<string, Array<OpenItem>>()
  #named = 0
  #unmatched = 0
  /** Text of items that are not complete, by id. */
  readonly #growing = new Map<string, string>()
  #last = ""
  #fault: string | null = null
  #outcome: CliOutcome = { _tag: "Unfinished" }
  readonly #model: string | null

  /** `model`: the one that was asked for; codex names none. */
  constructor(model: string | null) {
    this.#model = model
  }

  take(text: string, at: string): ReadonlyArray<AgentEvent> {
    const line = readLine(text)
    if (line._tag === "Noise") return []
    if (line._tag === "Unreadable") return this.#unreadable()
    switch (line.kind) {
      case "item.started":
        return this.#ofItem(line.value, (item) => this.#started(item, at))
      case "item.updated":
        return this.#ofItem(line.value, (item) => this.#updated(item))
      case "item.completed":
        return this.#ofItem(line.value, (item) => this.#completed(item, at))
      case "turn.completed":
        return this.#turnCompleted(line.value, at)
      case "turn.failed":
        return this.#turnFailed(line.value)
      case "error":
        this.#fault = Option.match(messageOf(line.value), {
          onNone: () => this.#fault,
          onSome: ({ message }) => message
        })
        return []
      case "thread.started":
        return []
      default:
        if (!housekeeping.has(line.kind)) this.#misread.unknownKind(line.kind)
        return []
    }
  }

  get outcome(): CliOutcome {
    return this.#outcome._tag === "Unfinished" && this.#fault !== null
      ? { _tag: "Failed", reason: this.#fault, retryable: isTransientFault(this.#fault) }
      : this.#outcome
  }

  end(): CliEnd {
    const { unknown, unreadable } = this.#misread
    return { events: [], unreadable, unknown }
  }

  #unreadable(): ReadonlyArray<AgentEvent> {
    this.#misread.unreadable++
    return []
  }

  #ofItem(value: object, tell: (item: Item) => ReadonlyArray<AgentEvent>): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeItem(value))
    return line === null ? this.#unreadable() : tell(line.item)
  }

  #started(item: Item, at: string): ReadonlyArray<AgentEvent> {
    const call = callOf(item)
    if (call === null) {
      if (!isProse(item)) this.#unknownItem(item)
      return []
    }
    return this.#begin(this.#nameOf(item), call, at)
  }

  #begin(id: string, { input, name }: Call, at: string): ReadonlyArray<AgentEvent> {
    if (!this.#calls.begin(id)) return []
    return [AgentEvent.make({ _tag: "ToolStart", timestamp: at, id, name, input })]
  }

  /** An item's own id, or one for it until it is completed. */
  #nameOf(item: Item): string {
    if (item.id) return item.id
    const id = `codex-${++this.#named}`
    const open = this.#nameless.get(typeOf(item)) ?? []
    open.push({ id, content: contentKey(item) })
    this.#nameless.set(typeOf(item), open)
    return id
  }

  /** The id under which a completed item began; null when it did not. */
  #beganAs(item: Item): string | null {
    if (item.id) return item.id
    const open = this.#nameless.get(typeOf(item)) ?? []
    const same = open.findIndex(({ content }) => content === contentKey(item))
    return open.splice(Math.max(0, same), 1)[0]?.id ?? null
  }

  /** Newer versions tell the whole text each time, older ones what was added. */
  #updated(item: Item): ReadonlyArray<AgentEvent> {
    if (!isProse(item) || !item.id) return []
    const text = textOf(item)
    const before = this.#growing.get(item.id) ?? ""
    this.#growing.set(item.id, text.startsWith(before) ? text : before + text)
    return []
  }

  #completed(item: Item, at: string): ReadonlyArray<AgentEvent> {
    if (isProse(item)) {
      const id = item.id ?? ""
      const text = textOf(item) || (this.#growing.get(id) ?? "")
      this.#growing.delete(id)
      if (typeOf(item) === "reasoning") {
        return text === "" ? [] : [AgentEvent.make({ _tag: "Thinking", timestamp: at, text })]
      }
      this.#last = text
      return [
        AgentEvent.make({ _tag: "Text", timestamp: at, text }),
        AgentEvent.make({ _tag: "TurnEnd", timestamp: at, messageId: id })
      ]
    }
    if (typeOf(item) === "file_change") return this.#changed(item, at)
    const call = callOf(item)
    if (call === null) {
      this.#unknownItem(item)
      return []
    }
    const id = this.#beganAs(item) ?? `codex-unmatched-${++this.#unmatched}`
    // An end without a beginning is told with one.
    const begun = this.#begin(id, call, at)
    return this.#calls.answer(id)
      ? [...begun, AgentEvent.make({ _tag: "ToolResult", timestamp: at, id, ...answerOf(item) })]
      : begun
  }

  /** A patch is told once it is applied or refused, one call for each of its files. */
  #changed(item: Item, at: string): ReadonlyArray<AgentEvent> {
    const changes = changesOf(item)
    if (changes === null) return this.#unreadable()
    const isError = item.status === "failed" || item.status === "declined"
    const own = item.id ? item.id : `codex-${++this.#named}`
    return changes.flatMap(({ kind, path }, i) => {
      const id = i === 0 ? own : `${own}-${i + 1}`
      const input = { file: path, action: jsonOf(kind) }
      const begun = this.#begin(id, { name: "patch", input }, at)
      const output = `${typeof kind === "string" ? kind : "change"} ${path}: ${item.status ?? "completed"}`
      return this.#calls.answer(id)
        ? [...begun, AgentEvent.make({ _tag: "ToolResult", timestamp: at, id, output, isError })]
        : begun
    })
  }

  #unknownItem(item: Item): void {
    const type = typeOf(item)
    if (!quietItems.has(type)) this.#misread.unknownKind(`item ${type}`)
  }

  #turnCompleted(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeCompleted(value))
    if (line === null) return this.#unreadable()
    this.#outcome = {
      _tag: "Answered",
      output: replyIn(this.#last) ?? structuredIn(line.result) ?? structuredIn(line.output)
    }
    const { usage } = line
    if (usage === undefined || usage === null) return []
    const written = countOf(usage.cache_write_input_tokens)
    return [
      AgentEvent.make({
        _tag: "Metrics",
        timestamp: at,
        messageId: "",
        promptTokens: countOf(usage.input_tokens),
        completionTokens: countOf(usage.output_tokens),
        cachedTokens: countOf(usage.cached_input_tokens),
        ...(written === null ? {} : { cacheWrittenTokens: written }),
        reasoningTokens: countOf(usage.reasoning_output_tokens),
        costUsd: null,
        model: this.#model
      })
    ]
  }

  #turnFailed(value: object): ReadonlyArray<AgentEvent> {
    const told = Option.getOrNull(faultOf(value))
    const words = told === null ? null : typeof told.error === "string" ? told.error : told.error.message
    const reason = words ?? this.#fault ?? "codex says that its turn failed, and not why"
    this.#outcome = { _tag: "Failed", reason, retryable: isTransientFault(reason) }
    return []
  }
}

interface Call {
  readonly name: string
  readonly input: Schema.Json
}

const typeOf = ({ item_type, type }: Item): string => type ?? item_type ?? "unknown"

const isProse = (item: Item): boolean => ["agent_message", "assistant_message", "reasoning"].includes(typeOf(item))

/** Its text, or its blocks' of text. */
const textOf = ({ content, text }: Item): string => {
  if (typeof text === "string") return text
  if (typeof content === "string") return content
  return Option.getOrElse(decodeParts(content), () => [])
    .map((part) => (part.type === undefined || ["text", "output_text"].includes(part.type) ? (part.text ?? "") : ""))
    .join("")
}

/** Null when they cannot be read. */
const changesOf = ({ changes }: Item) => {
  const byPath = Option.map(decodeChangesByPath(changes), (files) =>
    Object.entries(files).map(([path, { type: kind }]) => ({ path, kind }))
  )
  return Option.getOrNull(Option.orElse(decodeChanges(changes), () => byPath))
}

/** The call of a tool that an item is; null for one that is none. */
const callOf = (item: Item): Call | null => {
  switch (typeOf(item)) {
    case "command_execution":
      return { name: "shell", input: { command: withoutShell(commandOf(item)) } }
    case "mcp_tool_call":
      return { name: item.tool || "mcp", input: jsonOf(item.arguments ?? {}) }
    default:
      return null
  }
}

const commandOf = ({ command }: Item): string =>
  Array.isArray(command) ? command.map(String).join(" ") : typeof command === "string" ? command : ""

/** `bash -lc 'rg open'` is `rg open`. */
export const withoutShell = (command: string): string => {
  const wrapped = /^(?:\/[\w./-]*\/)?(?:ba|z|da)?sh -l?c (?<inner>[\s\S]+)$/.exec(command.trim())
  const inner = wrapped?.groups?.inner
  if (inner === undefined) return command
  const quote = inner[0]
  const isQuoted = inner.length > 1 && (quote === "'" || quote === '"') && inner.endsWith(quote)
  if (!isQuoted) return inner
  const bare = inner.slice(1, -1)
  return quote === "'" ? bare.replaceAll(`'\\''`, "'").replaceAll(`'"'"'`, "'") : bare.replaceAll(/\\(["\\$`])/g, "$1")
}

const contentKey = (item: Item): string => {
  const call = callOf(item)
  return call === null ? "" : JSON.stringify(call)
}

const answerOf = (item: Item): { readonly output: string; readonly isError: boolean } => {
  if (typeOf(item) === "mcp_tool_call") {
    const failure = Option.getOrNull(messageOf(item.error))
    const content = Option.match(contentOf(item.result), {
      onNone: () => item.result,
      onSome: ({ content }) => content
    })
    return { output: failure?.message ?? wordsOf(content), isError: failure !== null || item.status === "failed" }
  }
  const output = wordsOf(item.aggregated_output)
  if (item.status === "declined") return { output: output === "" ? "the command was declined" : output, isError: true }
  return { output, isError: item.status === "failed" || (typeof item.exit_code === "number" && item.exit_code !== 0) }
}

const structuredIn = (value: unknown): Schema.Json | null =>
  typeof value === "string" ? replyIn(value) : value === undefined ? null : jsonOf(value)
