/**
 * dd's hooks in the settings of an assistant, as text: adding and removing them leaves everything else as it is. Shapes: reference
 * warden §5b and §5d. Pure.
 */
import { Result } from "effect"
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
  readonly file: string
  readonly events: Readonly<Record<string, HookOptions>>
}

const later: HookOptions = { async: true }

export const assistants: Readonly<Record<Assistant, AssistantHooks>> = {
  claude: {
    name: "Claude Code",
    file: ".claude/settings.json",
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
    file: ".codex/hooks.json",
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
    file: ".gemini/settings.json",
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

type Fields = Readonly<Record<string, unknown>>

/** The settings with one hook of dd for each event; fails with the reason if the text is not such settings. `null`: no file. */
export const withHooks = (text: string | null, assistant: Assistant, command: string): Result.Result<string, string> =>
  Result.map(settingsIn(text), (settings) => {
    const given = fieldsOf(settings.hooks)
    const isThere = Object.keys(assistants[assistant].events).every((event) =>
      [given[event] ?? []]
        .flat()
        .some((entry) => hooksOf(entry).some((hook) => isFields(hook) && hook.command === command))
    )
    if (text !== null && isThere) return text
    const hooks = fieldsOf(withoutOurs(settings, assistant).hooks)
    const added = Object.entries(assistants[assistant].events).map(([event, options]) => {
      const others = Array.isArray(hooks[event]) ? hooks[event] : []
      return [event, [...others, { hooks: [{ type: "command", command, ...options }] }]] as const
    })
    return formatted(text, { ...settings, hooks: { ...hooks, ...Object.fromEntries(added) } })
  })

/** The settings without hooks of dd; null if nothing is left of a file that had only these. */
export const withoutHooks = (text: string, assistant: Assistant): Result.Result<string | null, string> =>
  Result.map(settingsIn(text), (settings) => {
    const rest = withoutOurs(settings, assistant)
    return Object.keys(rest).length === 0 ? null : formatted(text, rest)
  })

/** The events for which dd has a hook. */
export const hookedEvents = (text: string, assistant: Assistant): Result.Result<ReadonlyArray<string>, string> =>
  Result.map(settingsIn(text), ({ hooks }) =>
    Object.entries(fieldsOf(hooks)).flatMap(([event, entries]) =>
      Array.isArray(entries) && entries.some((entry) => hooksOf(entry).some((hook) => isOurs(hook, assistant)))
        ? [event]
        : []
    )
  )

const settingsIn = (text: string | null): Result.Result<Fields, string> => {
  if (text === null || text.trim() === "") return Result.succeed({})
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed)) return Result.fail("it is not valid JSON")
  const settings = parsed.success
  if (!isFields(settings)) return Result.fail("it is not a JSON object")
  const { hooks } = settings
  if (hooks !== undefined && !isFields(hooks)) return Result.fail('its "hooks" is not an object')
  const wrong = Object.entries(fieldsOf(hooks)).find(([, entries]) => !Array.isArray(entries))
  return wrong === undefined ? Result.succeed(settings) : Result.fail(`its "hooks.${wrong[0]}" is not a list`)
}

/** Removes what becomes empty by it, and nothing that was empty before. */
const withoutOurs = (settings: Fields, assistant: Assistant): Fields => {
  if (!isFields(settings.hooks)) return settings
  const kept = Object.entries(settings.hooks).flatMap(([event, entries]) => {
    if (!Array.isArray(entries)) return [[event, entries] as const]
    const rest = entries.flatMap((entry) => {
      const own = hooksOf(entry)
      const others = own.filter((hook) => !isOurs(hook, assistant))
      if (others.length === own.length) return [entry]
      return others.length === 0 ? [] : [{ ...entry, hooks: others }]
    })
    return rest.length === 0 && entries.length > 0 ? [] : [[event, rest] as const]
  })
  const { hooks, ...others } = settings
  return kept.length === 0 && Object.keys(hooks).length > 0 ? others : { ...settings, hooks: Object.fromEntries(kept) }
}

const hooksOf = (entry: unknown): ReadonlyArray<unknown> =>
  isFields(entry) && Array.isArray(entry.hooks) ? entry.hooks : []

const isOurs = (hook: unknown, assistant: Assistant): boolean =>
  isFields(hook) &&
  typeof hook.command === "string" &&
  hook.command.endsWith(` hook event --host ${assistant}`) &&
  /(?:^|[\\/"'\s])(?:dd|daydream)[^\\/"'\s]*["']? hook event --host \w+$/.test(hook.command)

/** Indented as before. */
const formatted = (text: string | null, settings: Fields): string => {
  const indent = /^[ \t]+/m.exec(text ?? "")?.[0] ?? "  "
  const isOneLine = text !== null && text.trim() !== "" && !text.trim().includes("\n")
  const end = text === null || /\n\s*$/.test(text) ? "\n" : ""
  return `${JSON.stringify(settings, null, isOneLine ? 0 : indent)}${end}`
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
