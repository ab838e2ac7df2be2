/**
 * Turns the payload that an assistant gives to a hook into a session event. The payloads are
 * those of Claude Code, Codex and Gemini CLI. Unknown events give null and unknown fields are ignored; nothing here throws for any JSON.
 *
 * Texts are redacted before they are cut, so that no secret is kept in part. What most events need uses no method with a callback:
 * the first use of one takes 30 µs of the few milliseconds that a hook takes.
 */

import { quoted } from "../system/shellQuote.ts"
import { shellCommands } from "../system/shellWords.ts"
import { isNotice, isUnfinished, noticedEnd, taskEnd, taskOf } from "./backgroundTask.ts"
import { type CodexResult, codexResult } from "./codexResult.ts"
import { geminiResult } from "./geminiResult.ts"
import { outputVerdict } from "./outputVerdict.ts"
import type { EventKind, Excerpt, Host, SessionEvent, ToolAction } from "./SessionEvent.ts"

/** What the process knows and the payload does not say. */
export interface Moment {
  /** Of the event, different for each. */
  readonly id: string
  readonly at: number
  readonly project: string
  readonly root: string
  /** The root of the main working tree; null outside of a repository. */
  readonly main: string | null
  readonly branch: string | null
  /** The commit that is checked out. */
  readonly head: () => string | null
  readonly redact: (text: string) => string
  /** The SHA-256 of a text in hexadecimal digits. */
  readonly digest: (text: string) => string
}

type Payload = Readonly<Record<string, unknown>>

/** The host that writes such payloads; `claude` if it cannot be told. */
export const hostOf = (payload: Payload): Host => {
  const name = textOf(payload, "hook_event_name")
  if (geminiOnly.has(name)) return "gemini"
  if ("turn_id" in payload || textOf(payload, "transcript_path").includes("/.codex/")) return "codex"
  return "timestamp" in payload ? "gemini" : "claude"
}

/** The working directory of the session; "" if the payload does not name it. */
export const folderOf = (payload: Payload): string => textOf(payload, "cwd")

/** Null for an event that is not recorded. */
export const hookEvent = (host: Host, payload: Payload, moment: Moment): SessionEvent | null => {
  const session = textOf(payload, "session_id")
  const kind = kindOf(host, payload)
  if (session === "" || kind === null) return null
  const { at, branch, head, id, main, project, redact, root } = moment
  const isCall = kind === "tool_pre" || kind === "tool_ok" || kind === "tool_fail" || kind === "denied"
  const isEdge = kind === "session_start" || kind === "session_end"
  const commit = isEdge ? head() : null
  const reason = textOf(payload, "source") || textOf(payload, "reason") || textOf(payload, "trigger")
  const agent = textOf(payload, "agent_id")
  const prompt = kind === "prompt" ? textOf(payload, "prompt") : ""
  const end = kind === "task_end" ? noticedEnd(textOf(payload, "prompt")) : null
  const tasks = payload.background_tasks
  return {
    v: 1,
    id,
    host,
    session: kept(session, 200, moment),
    ...(agent === "" ? {} : { agent: kept(agent, 200, moment) }),
    project,
    root: keptPlace(root, redact),
    ...(main === null || main === root ? {} : { main: keptPlace(main, redact) }),
    cwd: kept(folderOf(payload), longestPath, moment),
    ...(branch === null ? {} : { branch: kept(branch, 200, moment) }),
    ...(commit === null ? {} : { head: commit }),
    at,
    kind,
    ...(reason === "" || isCall ? {} : { reason: kept(reason, 100, moment) }),
    ...(isCall ? callOf(host, kind, payload, moment) : {}),
    ...(prompt === "" ? {} : { text: excerpt(prompt, 200, moment) }),
    ...(end === null ? {} : { task: kept(end.task, 200, moment), verdict: verdictOfExit(end.exit) }),
    ...(kind === "stop" && Array.isArray(tasks) && tasks.length > 0 ? { background: tasks.length } : {})
  }
}

const kinds: Readonly<Record<string, EventKind>> = {
  SessionStart: "session_start",
  UserPromptSubmit: "prompt",
  BeforeAgent: "prompt",
  PreToolUse: "tool_pre",
  BeforeTool: "tool_pre",
  PostToolUse: "tool_ok",
  AfterTool: "tool_ok",
  PostToolUseFailure: "tool_fail",
  PermissionDenied: "denied",
  Stop: "stop",
  AfterAgent: "stop",
  StopFailure: "stop_fail",
  SubagentStop: "subagent_stop",
  PreCompact: "compact",
  PreCompress: "compact",
  SessionEnd: "session_end"
}
const geminiOnly = new Set(["BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "PreCompress"])

/** Codex and Gemini report a failure in the result of the call, Codex a refusal too, Claude Code as an event of its own. */
const kindOf = (host: Host, payload: Payload): EventKind | null => {
  const kind = kinds[textOf(payload, "hook_event_name")] ?? null
  if (kind === "prompt" && isNotice(textOf(payload, "prompt"))) return "task_end"
  if (kind !== "tool_ok") return kind
  const { exit, stopped } = resultOf(host, payload)
  if (stopped !== undefined) return stopped === "denied" ? "denied" : "tool_fail"
  const error = isFields(payload.tool_response) ? payload.tool_response.error : undefined
  return (exit !== undefined && exit !== 0) || (error !== undefined && error !== null && error !== false)
    ? "tool_fail"
    : kind
}

const actions: Readonly<Record<string, ToolAction>> = {
  Read: "read",
  NotebookRead: "read",
  read_file: "read",
  read_many_files: "read",
  Glob: "search",
  Grep: "search",
  LS: "search",
  glob: "search",
  search_file_content: "search",
  grep_search: "search",
  list_directory: "search",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  apply_patch: "edit",
  replace: "edit",
  write_file: "edit",
  Bash: "run",
  shell: "run",

  shell_command: "run",
  "container.exec": "run",
  local_shell: "run",
  exec_command: "run",
  run_shell_command: "run",
  list_files: "search",
  grep: "search",
  symbols: "search",
  diff: "search",
  history: "search",
  edit_file: "edit",
  create_file: "edit",
  delete_file: "edit"
}

/** A folder in which dd looks for the repository later: with the name of its user, and without other things to hide. */
const keptPlace = (path: string, redact: (text: string) => string): string => {
  const names = path.split("/")
  const redacted = redact(path).split("/")
  const hidesOnlyUsers =
    redacted.length === names.length && redacted.every((name, at) => name === names[at] || name === "[REDACTED_USER]")
  return hidesOnlyUsers ? path : redacted.join("/")
}

const longestPath = 300
const mostFiles = 30

type Call = Pick<
  SessionEvent,
  | "action"
  | "args"
  | "call"
  | "command"
  | "error"
  | "exit"
  | "files"
  | "interrupted"
  | "ms"
  | "task"
  | "text"
  | "timeout"
  | "tool"
  | "verdict"
>

const callOf = (host: Host, kind: EventKind, payload: Payload, moment: Moment): Call => {
  const { digest, root } = moment
  const tool = textOf(payload, "tool_name")
  const given = payload.tool_input
  const input = isFields(given) ? given : {}
  const program = actions[tool] === "run" ? commandOf(input) : ""
  const patched = tool === "apply_patch" ? patchOf(input) : patchIn(program, textOf(input, "workdir"))
  const action = patched.length > 0 ? "edit" : (actions[tool] ?? "other")
  const args = digest(`${tool}\n${jsonOf(given ?? null)}`).slice(0, 16)
  const command = action === "run" ? program : ""
  const files = filesOf(action, input, patched, root)
  const ms = payload.duration_ms
  const timeout = input.timeout
  const begun = {
    // Gemini has no id of a call: its result is that of the last equal call.
    call: kept(textOf(payload, "tool_use_id"), 200, moment) || args,
    tool: kept(tool, 100, moment),
    action,
    args,
    ...(command === "" ? {} : { command: kept(command, 2_000, moment) }),
    ...(files.length === 0 ? {} : { files: files.map((file) => kept(file, longestPath, moment)) }),
    ...(typeof timeout === "number" ? { timeout } : {})
  }
  if (kind === "tool_pre" || kind === "denied") return begun
  const { exit: told, output, running, stopped } = resultOf(host, payload)
  const exit = kind === "tool_fail" ? (told ?? failedExit(output)) : undefined
  const isExitKnown = reportsFailures(host) || told !== undefined
  const response = payload.tool_response
  const hasResult = kind === "tool_ok"
  const task = hasResult ? taskOf(input, response) : ""
  const end = task !== "" && action !== "run" ? taskEnd(response) : undefined
  const ofCommand = () =>
    running !== undefined || isUnfinished(input, response, output)
      ? "unknown"
      : outputVerdict(command, output, isExitKnown)
  const isOfExit = kind === "tool_fail" && stopped === undefined && payload.is_interrupt !== true
  const ofCall =
    command === "" ? undefined : hasResult ? ofCommand() : isOfExit ? outputVerdict(command, output) : undefined
  const verdict = end === undefined ? ofCall : verdictOfExit(end.exit)
  const error = kind === "tool_fail" ? output : verdict === "failed" ? end?.output : undefined
  return {
    ...begun,
    ...(typeof ms === "number" ? { ms } : {}),
    // Files that were read or written are not copied to the spool.
    ...(output === "" || action !== "run" ? {} : { text: excerpt(output, 200, moment) }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(task === "" ? {} : { task: kept(task, 200, moment) }),
    ...(exit === undefined ? {} : { exit }),
    ...(error === undefined ? {} : { error: kept(error, 2_000, moment) }),
    ...(payload.is_interrupt === true || stopped === "interrupted" ? { interrupted: true as const } : {})
  }
}

const verdictOfExit = (exit: number): "failed" | "passed" => (exit === 0 ? "passed" : "failed")

const shells = ["bash", "sh", "zsh", "dash"]

const commandOf = (input: Payload): string => {
  const command = input.command ?? input.cmd
  if (Array.isArray(command)) {
    const [shell = "", option = "", script] = command.map(String)
    // `["bash", "-lc", "cargo test"]`
    const isScript = script !== undefined && shells.includes(shell.slice(shell.lastIndexOf("/") + 1))
    return isScript && option.startsWith("-") && option.endsWith("c")
      ? script
      : command.map(String).map(quoted).join(" ")
  }
  return typeof command === "string" ? command : ""
}

const patchOf = (input: Payload): ReadonlyArray<string> =>
  patchedFiles(textOf(input, "input") || textOf(input, "patch") || commandOf(input))

/** The files of a command that only applies a patch: Codex edits files with it. */
const patchIn = (command: string, workdir: string): ReadonlyArray<string> => {
  if (!command.includes("*** Begin Patch")) return []
  const commands = shellCommands(command).filter(({ words }) => words.length > 0)
  const entered = commands.length > 1 && commands[0]?.words[0] === "cd" ? commands[0] : null
  const [applied, ...others] = entered === null ? commands : commands.slice(1)
  const isOnly = others.length === 0 && /^apply_?patch$/.test(applied?.words[0] ?? "")
  const patch = applied?.words[1] ?? applied?.input ?? ""
  if (!isOnly || !/^\s*\*\*\* Begin Patch\n[\s\S]*\n\*\*\* End Patch\s*$/.test(patch)) return []
  const folder = entered?.words[1] ?? workdir
  return patchedFiles(patch).map((file) => (folder === "" || isAbsolute(file) ? file : `${folder}/${file}`))
}

const patchedFiles = (patch: string): ReadonlyArray<string> =>
  [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm)].map(([, path = ""]) => path)

const isAbsolute = (path: string): boolean => /^(?:\/|[A-Za-z]:)/.test(path)

/** Relative to the root; files outside of it are left out. */
const filesOf = (
  action: ToolAction,
  input: Payload,
  patched: ReadonlyArray<string>,
  root: string
): ReadonlyArray<string> => {
  // In a search it may be a folder.
  const path = action === "read" || action === "edit" ? textOf(input, "path") : ""
  const files: Array<string> = []
  const named = [textOf(input, "file_path"), textOf(input, "absolute_path"), textOf(input, "notebook_path"), path]
  for (const each of [...named, ...patched]) {
    if (each.startsWith(`${root}/`)) files.push(each.slice(root.length + 1))
    else if (each !== "" && !isAbsolute(each) && !each.startsWith("..")) files.push(each.replace(/^(?:\.\/)+/, ""))
  }
  return files.slice(0, mostFiles)
}

const outputOf = (payload: Payload): string => {
  const error = payload.error
  if (typeof error === "string") return error
  const response = payload.tool_response
  if (typeof response === "string") return response
  if (!isFields(response)) return ""
  const texts: Array<string> = []
  let isOutput = false
  for (const key of ["stdout", "stderr", "output", "aggregated_output", "llmContent", "error"]) {
    const text = wordsIn(response[key])
    if (text !== "") texts.push(text)
    isOutput ||= typeof response[key] === "string"
  }
  return isOutput || texts.length > 0 ? texts.join("\n") : jsonOf(response)
}

/** A text, or the texts of a list of parts. */
const wordsIn = (value: unknown): string => {
  if (typeof value === "string") return value
  const texts: Array<string> = []
  if (Array.isArray(value)) for (const part of value) if (isFields(part)) texts.push(textOf(part, "text"))
  return texts.join("\n")
}

/** "" for a value that is nested too deep. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return ""
  }
}

/** Do failures arrive as events of their own, so that a result is a success? */
const reportsFailures = (host: Host): boolean => host === "claude" || host === "dd"

/** The output of a call, and the exit code in its result. Codex may give what the model is told of the command; Gemini CLI does. */
const resultOf = (host: Host, payload: Payload): CodexResult => {
  const text = outputOf(payload)
  const read = host === "codex" ? codexResult(text) : { output: text }
  const response = payload.tool_response
  const fields = isFields(response) ? response : {}
  const told = fields.exit_code ?? (isFields(fields.metadata) ? fields.metadata.exit_code : undefined)
  // Codex gives -1 to what did not run.
  if (typeof told === "number") return told === -1 ? { ...read, exit: told } : { output: read.output, exit: told }
  if (host !== "gemini" || actions[textOf(payload, "tool_name")] !== "run") return read
  return geminiResult(text) ?? read
}

const exitCode = "Exit code "

const failedExit = (output: string): number | undefined => {
  const written = output.startsWith(exitCode) ? Number.parseInt(output.slice(exitCode.length), 10) : Number.NaN
  return Number.isNaN(written) ? undefined : written
}

const excerpt = (text: string, most: number, moment: Moment): Excerpt => {
  const bytes = new TextEncoder().encode(text).length
  const shown = redactedStart(text, most, moment)
  return { hash: moment.digest(`${bytes}\n${shown}`).slice(0, 16), bytes, start: cutSafely(text, shown, most) }
}

const kept = (text: string, most: number, moment: Moment): string =>
  cutSafely(text, redactedStart(text, most, moment), most)

/** Without the end of a `redactedStart` where a secret may be cut off: what was hidden before it made it come nearer. */
const cutSafely = (text: string, redacted: string, most: number): string =>
  cut(
    redacted,
    text.length <= most + longestSecret ? most : Math.min(most, Math.max(0, redacted.length - longestToken))
  )

/** The text without what is far behind `most` characters: no secret is so long that its start is among them. */
const redactedStart = (text: string, most: number, { redact }: Moment): string =>
  redact(cut(text, most + longestSecret))

/** In characters: a private key has at most as many. */
const longestSecret = 20_000
/** The same, of secrets that are hidden only when they are whole. */
const longestToken = 2_000

/** Never cuts a character of two units. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

const isFields = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (fields: Payload, key: string): string => {
  const value = fields[key]
  return typeof value === "string" ? value : ""
}
