/**
 * dd's hooks in the settings of an assistant, as text: adding and removing them leaves every other character as it is: numbers, the
 * order of keys, blanks and comments. Pure.
 */
import { Result } from "effect"
import { type JsonPlace, type JsonPlaces, jsonPlaces, memberOf } from "../text/json/jsonPlaces.ts"
import { matchEnd } from "../text/matchAt.ts"
import type { Host } from "./SessionEvent.ts"

export type Assistant = Exclude<Host, "dd">

interface HookOptions {
  /** The assistant goes on without waiting. */
  readonly async?: true
  /** In the unit of the assistant. */
  readonly timeout?: number
}

interface AssistantHooks {
  readonly name: string
  /** Below the home directory or the root of a repository. */
  readonly folder: string
  /** In the environment, the folder of the user's own settings; null: there is no such variable. */
  readonly variable: string | null
  readonly file: string
  readonly events: Readonly<Record<string, HookOptions>>
}

const later: HookOptions = { async: true }

export const assistants: Readonly<Record<Assistant, AssistantHooks>> = {
  claude: {
    name: "Claude Code",
    folder: ".claude",
    variable: "CLAUDE_CONFIG_DIR",
    file: "settings.json",
    events: {
      SessionStart: {},
      UserPromptSubmit: later,
      PreToolUse: later,
      PostToolUse: later,
      PostToolUseFailure: later,
      PermissionDenied: later,
      SubagentStop: later,
      Stop: later,
      StopFailure: later,
      PreCompact: later,
      // The last one: the assistant ends without waiting for hooks that run beside it.
      SessionEnd: { timeout: 5 }
    }
  },
  codex: {
    name: "Codex",
    folder: ".codex",
    variable: "CODEX_HOME",
    file: "hooks.json",
    events: {
      SessionStart: {},
      UserPromptSubmit: {},
      PreToolUse: {},
      PostToolUse: {},
      SubagentStop: {},
      Stop: {},
      StopFailure: {},
      PreCompact: {}
    }
  },
  gemini: {
    name: "Gemini CLI",
    folder: ".gemini",
    variable: null,
    file: "settings.json",
    events: {
      SessionStart: { timeout: 5_000 },
      BeforeAgent: { timeout: 5_000 },
      BeforeTool: { timeout: 5_000 },
      AfterTool: { timeout: 5_000 },
      AfterAgent: { timeout: 5_000 },
      PreCompress: { timeout: 5_000 },
      SessionEnd: { timeout: 5_000 }
    }
  }
}

/** The settings with one hook of dd for each event; fails with the reason if the text is not such settings. `null`: no file. */
export const withHooks = (text: string | null, assistant: Assistant, command: string): Result.Result<string, string> =>
  Result.map(settingsIn(text), (settings) => {
    const entries = Object.entries(assistants[assistant].events).map(
      ([event, options]) => [event, { hooks: [{ type: "command", command, ...options }] }] as const
    )
    if (text === null || settings === null) {
      const hooks = Object.fromEntries(entries.map(([event, entry]) => [event, [entry]]))
      return `${text?.startsWith("\uFEFF") === true ? "\uFEFF" : ""}${JSON.stringify({ hooks }, null, 2)}\n`
    }
    const present = hooksIn(settings.root).filter((hook) => hook.command === command)
    const isThere = entries.every(([event]) => present.some((hook) => hook.event === event))
    // Of another path of dd, only the hooks go, so that the new ones take their places.
    return isThere ? text : withEntries(withoutOurs(text, assistant, settings), entries)
  })

/**
 * The settings without hooks of dd; null if nothing is left. An object or a list that becomes empty stays only if it was there
 * before; without the text `before`, dd takes it for its own.
 */
export const withoutHooks = (
  text: string,
  assistant: Assistant,
  before: string | null = null
): Result.Result<string | null, string> =>
  Result.map(Result.all([settingsIn(text), settingsIn(before)]), ([, known]) => {
    const left = withoutOurs(text, assistant, known)
    return left === "" ? before : left
  })

/** The events for which dd has a hook. */
export const hookedEvents = (text: string, assistant: Assistant): Result.Result<ReadonlyArray<string>, string> =>
  Result.map(settingsIn(text), (settings) => {
    const hooks = settings === null ? [] : hooksIn(settings.root)
    return [...new Set(hooks.filter((hook) => isOurs(hook, assistant)).map(({ event }) => event))]
  })

/** Null for a text without a value. */
const settingsIn = (text: string | null): Result.Result<JsonPlaces | null, string> => {
  if (text === null || text.trim() === "") return Result.succeed(null)
  const parsed = Result.try(() => jsonPlaces(text))
  if (Result.isFailure(parsed)) return Result.fail("it is not valid JSON")
  const { root } = parsed.success
  if (root.kind !== "object") return Result.fail("it is not a JSON object")
  const hooks = memberOf(root, "hooks")
  if (hooks !== undefined && hooks.kind !== "object") return Result.fail('its "hooks" is not an object')
  const wrong = hooks?.members.find(({ kind }) => kind !== "list")
  return wrong === undefined ? Result.succeed(parsed.success) : Result.fail(`its "hooks.${wrong.key}" is not a list`)
}

interface Hook {
  readonly event: string
  readonly command: unknown
  /** It and what it is in. */
  readonly path: readonly [
    settings: JsonPlace,
    hooks: JsonPlace,
    event: JsonPlace,
    entry: JsonPlace,
    list: JsonPlace,
    hook: JsonPlace
  ]
}

const hooksIn = (settings: JsonPlace): ReadonlyArray<Hook> => {
  const hooks = memberOf(settings, "hooks")
  if (hooks === undefined) return []
  return hooks.members.flatMap((event) =>
    event.members.flatMap((entry): ReadonlyArray<Hook> => {
      const list = memberOf(entry, "hooks")
      if (list === undefined) return []
      return list.members.map((hook) => ({
        event: event.key ?? "",
        command: memberOf(hook, "command")?.value,
        path: [settings, hooks, event, entry, list, hook]
      }))
    })
  )
}

/** The whole command is a call of dd: what a user wrote around one is the user's. */
const isOurs = ({ command }: Hook, assistant: Assistant): boolean =>
  typeof command === "string" &&
  command.endsWith(` hook event --host ${assistant}`) &&
  /^(?:'(?:[^']|'\\'')*'|"[^"]*"|[^\s;&|]+) hook event --host \w+$/.test(command) &&
  /(?:^|[\\/"'\s])(?:dd|daydream)[^\\/"'\s]*["']? hook event --host \w+$/.test(command)

/** `before`: the settings without dd's hooks. Returns "" if nothing is left. */
const withoutOurs = (text: string, assistant: Assistant, before: JsonPlaces | null): string => {
  for (let left = text; left !== ""; ) {
    const places = jsonPlaces(left)
    const own = hooksIn(places.root).find((hook) => isOurs(hook, assistant))
    if (own === undefined) return left
    const [settings, hooks, event, entry, list] = own.path
    // An entry without hooks is of no use.
    const edits = removal(places, list.members.length > 1 ? own.path : [settings, hooks, event, entry], before)
    const without = edited(left, edits)
    // The blanks before may end a line comment: then what follows would be part of it.
    left = without === "" || isJson(without) ? without : edited(left, edits.map(withLineBreak))
  }
  return ""
}

const isJson = (text: string): boolean => Result.isSuccess(Result.try(() => jsonPlaces(text)))

const withLineBreak = (edit: Edit): Edit => ({ ...edit, text: `\n${edit.text}` })

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The edits do not overlap. */
const edited = (text: string, edits: ReadonlyArray<Edit>): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((left, edit) => left.slice(0, edit.start) + edit.text + left.slice(edit.end), text)

/** Removes the last place of the path, and what becomes empty by it. */
const removal = (
  places: JsonPlaces,
  path: ReadonlyArray<JsonPlace>,
  before: JsonPlaces | null
): ReadonlyArray<Edit> => {
  const { text } = places
  const around = path.slice(0, -1)
  const [place, container] = [path.at(-1) ?? places.root, around.at(-1)]
  if (container === undefined) {
    const isAll = isBlank(text.slice(0, place.start) + text.slice(place.end))
    return [isAll ? { start: 0, end: text.length, text: "" } : { ...place, text: "{}" }]
  }
  const [start, end] = [container.start + 1, container.end - 1]
  const isAlone =
    container.members.length === 1 &&
    isBlank((text.slice(start, place.from) + text.slice(place.end, end)).replace(",", ""))
  if (!isAlone) return withoutMember(places, container, place)
  const old = around
    .slice(1)
    .reduce((known: JsonPlace | undefined, { key }) => memberOf(known, key ?? ""), before?.root)
  if (old === undefined) return removal(places, around, before)
  const inner = before?.text.slice(old.start + 1, old.end - 1) ?? ""
  return [{ start, end, text: isBlank(inner) ? inner : "" }]
}

const isBlank = (text: string): boolean => text.trim() === ""

/** With one comma, and the blanks before it. */
const withoutMember = ({ bare, text }: JsonPlaces, container: JsonPlace, place: JsonPlace): ReadonlyArray<Edit> => {
  const next = matchEnd(nextComma, bare, place.end) - 1
  const comma = next > 0 ? next : bare.lastIndexOf(",", place.from)
  const own = { start: place.from - blanksBefore(text, place).length, end: place.end, text: "" }
  return comma > container.start ? [own, { start: comma, end: comma + 1, text: "" }] : [own]
}

const nextComma = /\s*,/y

/** Its indentation with the end of the line before, or the blanks between it and what is on the same line. */
const blanksBefore = (text: string, { from }: JsonPlace): string => {
  const blanks = /\s*$/.exec(text.slice(0, from))?.[0] ?? ""
  return /\r?\n[^\n]*$/.exec(blanks)?.[0] ?? blanks
}

type Row = readonly [key: string | null, value: unknown]

const withEntries = (text: string, entries: ReadonlyArray<readonly [event: string, entry: unknown]>): string => {
  const places = jsonPlaces(text)
  const hooks = memberOf(places.root, "hooks")
  const lists: Array<Row> = []
  const edits: Array<Edit> = []
  for (const [event, entry] of entries) {
    const list = memberOf(hooks, event)
    if (list === undefined) lists.push([event, [entry]])
    else edits.push(addition(places, list, [[null, entry]]))
  }
  if (hooks === undefined) edits.push(addition(places, places.root, [["hooks", Object.fromEntries(lists)]]))
  else if (lists.length > 0) edits.push(addition(places, hooks, lists))
  return edited(text, edits)
}

/** Adds the rows at the end of an object or a list, in lines if what is there is in lines. */
const addition = ({ bare, text }: JsonPlaces, container: JsonPlace, rows: ReadonlyArray<Row>): Edit => {
  const unit = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  "
  const written = (blanks: string) => {
    const isInLines = blanks.includes("\n")
    const row = ([key, value]: Row) => {
      const name = key === null ? "" : `${JSON.stringify(key)}:${isInLines ? " " : ""}`
      return name + JSON.stringify(value, null, isInLines ? unit : 0).replaceAll("\n", blanks)
    }
    return blanks + rows.map(row).join(`,${blanks}`)
  }
  const last = container.members.at(-1)
  if (last !== undefined) {
    const comma = matchEnd(nextComma, bare, last.end)
    const blanks = blanksBefore(text, last)
    const start = Math.max(last.end, comma)
    // A comment on its line stays with it.
    const end = blanks.includes("\n") ? Math.max(start, matchEnd(comments, text, start)) : start
    const between = text.slice(start, end)
    return { start, end, text: comma < 0 ? `,${between}${written(blanks)}` : `${between}${written(blanks)},` }
  }
  const start = container.start + 1
  const inner = text.slice(start, container.end - 1)
  const lineEnd = /\r?\n/.exec(text.trim())?.[0]
  if (lineEnd === undefined) return { start, end: start, text: written("") }
  const indent = /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", start) + 1))?.[0] ?? ""
  const lines = written(lineEnd + indent + unit)
  if (isBlank(inner)) return { start, end: start + inner.length, text: lines + lineEnd + indent }
  const end = start + inner.trimEnd().length
  return { start: end, end, text: lines }
}

const comments = /(?:[ \t]*(?:\/\*[^\n]*?\*\/|\/\/[^\r\n]*))+/y
