/**
 * Decodes the output of `codex exec --json`: the events of a thread.
 *
 * Items begin, grow and are completed under an id; an end without an id belongs to the oldest open item of its type,
 * preferably one with the same content. An `error` alone is no failure, because codex also reports connections that it
 * retries; a failed turn is. Sources: codex-rs/exec/src/exec_events.rs of the CLI; its documentation
 * ("Non-interactive mode").
 */

import { Option, Schema } from "effect"
import { unknownUsage } from "../../../../domain/agent/Usage.ts"
import { fieldsOf } from "../../../../domain/system/fieldsOf.ts"
import { quoted } from "../../../../domain/system/shellQuote.ts"
import { shellCommands } from "../../../../domain/system/shellWords.ts"
import { MaybeAny, MaybeNumber, MaybeText, nullish } from "../../nullish.ts"
import { CliDecoder, type CliOutcome, contentOf, countOf, failed, jsonOf, replyIn, textOf } from "./CliDecoder.ts"

const Item = Schema.Struct({
  // The name of the type in older versions.
  ...fieldsOf(MaybeText, ["id", "type", "item_type", "text", "status", "server", "tool"]),
  ...fieldsOf(MaybeAny, ["content", "command", "aggregated_output", "changes", "arguments", "result", "error"]),
  exit_code: MaybeNumber
})
type Item = typeof Item.Type

const decodeItem = Schema.decodeUnknownOption(Schema.Struct({ item: Item }))
const Completed = Schema.Struct({
  usage: nullish(
    Schema.Struct(
      fieldsOf(MaybeAny, [
        "input_tokens",
        "cached_input_tokens",
        "cache_write_input_tokens",
        "output_tokens",
        "reasoning_output_tokens"
      ])
    )
  ),
  ...fieldsOf(MaybeAny, ["result", "output"])
})
const decodeCompleted = Schema.decodeUnknownOption(Completed)
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
/** The format of older versions. */
const decodeChangesByPath = Schema.decodeUnknownOption(
  Schema.Record(Schema.String, Schema.Struct({ type: Schema.Unknown }))
)

/** Kinds of lines and of items without content of the agent's work. */
const ignored: ReadonlySet<string> = new Set(["thread.started", "turn.started", "item.plan.delta"])
const ignoredItems: ReadonlySet<string> = new Set(["todo_list", "plan", "error", "web_search", "collab_tool_call"])

interface OpenItem {
  readonly id: string
  readonly content: string
}

export class CodexDecoder extends CliDecoder {
  /** Items that began without an id, by their type, oldest first. */
  readonly #nameless = new Map<string, Array<OpenItem>>()
  #named = 0
  #unmatched = 0
  /** Text of items that are not complete, by id. */
  readonly #growing = new Map<string, string>()
  #last = ""
  #fault: string | null = null
  readonly #model: string | null

  /** `model`: the requested one; codex reports none. */
  constructor(model: string | null) {
    super()
    this.#model = model
  }

  override get outcome(): CliOutcome {
    return this.result._tag === "Unfinished" && this.#fault !== null ? failed(this.#fault, "") : this.result
  }

  protected override read(kind: string, line: unknown) {
    switch (kind) {
      case "item.started":
        return this.decode(decodeItem, line, ({ item }) => this.#beginItem(item))
      case "item.updated":
        return this.decode(decodeItem, line, ({ item }) => this.#updateItem(item))
      case "item.completed":
        return this.decode(decodeItem, line, ({ item }) => this.#endItem(item))
      case "turn.completed":
        return this.decode(decodeCompleted, line, (completed) => this.#completeTurn(completed))
      case "turn.failed":
        return this.#failTurn(line)
      case "error":
        this.#fault = Option.getOrNull(messageOf(line))?.message ?? this.#fault
        return
      default:
        if (!ignored.has(kind)) this.countUnknown(kind)
    }
  }

  #beginItem(item: Item) {
    const call = callOf(item)
    if (call !== null) this.beginCall(this.#idOf(item), call.name, call.input)
    else if (!isProse(item)) this.#countUnknownItem(item)
  }

  /** The id of an item, or a temporary one until it is completed. */
  #idOf(item: Item): string {
    if (item.id) return item.id
    const id = `codex-${++this.#named}`
    const open = this.#nameless.get(typeOf(item)) ?? []
    open.push({ id, content: contentKey(item) })
    this.#nameless.set(typeOf(item), open)
    return id
  }

  /** The id under which a completed item began. */
  #begunIdOf(item: Item): string {
    if (item.id) return item.id
    const open = this.#nameless.get(typeOf(item)) ?? []
    const same = open.findIndex(({ content }) => content === contentKey(item))
    return open.splice(Math.max(0, same), 1)[0]?.id ?? `codex-unmatched-${++this.#unmatched}`
  }

  /** Newer versions repeat the complete text each time, older ones print the added part. */
  #updateItem(item: Item) {
    if (!isProse(item) || !item.id) return
    const text = proseOf(item)
    const before = this.#growing.get(item.id) ?? ""
    this.#growing.set(item.id, text.startsWith(before) ? text : before + text)
  }

  #endItem(item: Item) {
    if (isProse(item)) return this.#endProse(item)
    if (typeOf(item) === "file_change") return this.#takeChanges(item)
    const call = callOf(item)
    if (call === null) return this.#countUnknownItem(item)
    const { isError, output } = resultOf(item)
    this.#takeCall(this.#begunIdOf(item), call, output, isError)
  }

  #endProse(item: Item) {
    const id = item.id ?? ""
    const text = proseOf(item) || (this.#growing.get(id) ?? "")
    this.#growing.delete(id)
    if (typeOf(item) !== "reasoning") {
      this.#last = text
      this.emit({ _tag: "Text", text })
      this.endTurn(id, null)
    } else if (text !== "") this.emit({ _tag: "Thinking", text })
  }

  /** An end without a beginning gets one. */
  #takeCall(id: string, { input, name }: Call, output: string, isError: boolean) {
    this.beginCall(id, name, input)
    this.endCall(id, output, isError)
  }

  /** A patch is reported when it is applied or refused, as one call for each of its files. */
  #takeChanges(item: Item) {
    const changes = changesOf(item)
    if (changes === null) return this.countUnreadable()
    const isError = item.status === "failed" || item.status === "declined"
    const first = item.id ? item.id : `codex-${++this.#named}`
    for (const [i, { kind, path }] of changes.entries()) {
      const call = { name: "patch", input: { file: path, action: jsonOf(kind) } }
      const output = `${typeof kind === "string" ? kind : "change"} ${path}: ${item.status ?? "completed"}`
      this.#takeCall(i === 0 ? first : `${first}-${i + 1}`, call, output, isError)
    }
  }

  #countUnknownItem(item: Item) {
    const type = typeOf(item)
    if (!ignoredItems.has(type)) this.countUnknown(`item ${type}`)
  }

  #completeTurn({ output, result, usage }: typeof Completed.Type) {
    this.result = { _tag: "Answered", output: replyIn(this.#last) ?? structuredIn(result) ?? structuredIn(output) }
    if (usage === undefined || usage === null) return
    const used = {
      ...unknownUsage,
      promptTokens: countOf(usage.input_tokens),
      completionTokens: countOf(usage.output_tokens),
      cachedTokens: countOf(usage.cached_input_tokens),
      cacheWrittenTokens: countOf(usage.cache_write_input_tokens),
      reasoningTokens: countOf(usage.reasoning_output_tokens)
    }
    this.measure(used, { messageId: "", model: this.#model })
  }

  #failTurn(line: unknown) {
    const error = Option.getOrNull(faultOf(line))?.error
    const reason = typeof error === "string" ? error : error?.message
    this.result = failed(reason ?? this.#fault ?? "", "codex reported a failed turn without a reason")
  }
}

interface Call {
  readonly name: string
  readonly input: Schema.Json
}

const typeOf = ({ item_type, type }: Item): string => type ?? item_type ?? "unknown"

const isProse = (item: Item): boolean => ["agent_message", "assistant_message", "reasoning"].includes(typeOf(item))

/** The text of the item, or of its blocks. */
const proseOf = ({ content, text }: Item): string => {
  if (typeof text === "string") return text
  if (typeof content === "string") return content
  return Option.getOrElse(decodeParts(content), () => [])
    .map((part) => (part.type === undefined || ["text", "output_text"].includes(part.type) ? (part.text ?? "") : ""))
    .join("")
}

const changesOf = ({ changes }: Item) => {
  const byPath = Option.map(decodeChangesByPath(changes), (files) =>
    Object.entries(files).map(([path, { type: kind }]) => ({ path, kind }))
  )
  return Option.getOrNull(Option.orElse(decodeChanges(changes), () => byPath))
}

/** The tool call of an item; null if it is none. */
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
  Array.isArray(command) ? command.map(String).map(quoted).join(" ") : typeof command === "string" ? command : ""

/** `bash -lc 'rg open'` is `rg open`. */
export const withoutShell = (command: string): string => {
  const [
    {
      words: [shell = "", option = "", inner, ...others]
    } = { words: [] },
    ...more
  ] = shellCommands(command)
  const isWrapped =
    /^(?:.*\/)?(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option) && others.length + more.length === 0
  return isWrapped && inner !== undefined ? inner : command
}

const contentKey = (item: Item): string => {
  const call = callOf(item)
  return call === null ? "" : JSON.stringify(call)
}

const resultOf = (item: Item): { readonly output: string; readonly isError: boolean } => {
  if (typeOf(item) === "mcp_tool_call") {
    const failure = Option.getOrNull(messageOf(item.error))
    return {
      output: failure?.message ?? textOf(contentOf(item.result)),
      isError: failure !== null || item.status === "failed"
    }
  }
  const output = textOf(item.aggregated_output)
  if (item.status === "declined") return { output: output === "" ? "the command was declined" : output, isError: true }
  return { output, isError: item.status === "failed" || (typeof item.exit_code === "number" && item.exit_code !== 0) }
}

const structuredIn = (value: unknown): Schema.Json | null =>
  typeof value === "string" ? replyIn(value) : value === undefined ? null : jsonOf(value)
