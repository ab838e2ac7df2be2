/** Writes transcripts in the shapes that Claude Code and Codex keep. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

type Fields = Readonly<Record<string, unknown>>

const isoTime = (seconds: number): string => new Date(Date.UTC(2026, 10, 20, 10, 0, seconds)).toISOString()

/** The lines of a session of Claude Code, one second apart. */
export class ClaudeLines {
  readonly lines: Array<Fields> = []
  private parent: string | null = null
  private count = 0

  private readonly session: string
  private readonly cwd: string
  private readonly prefix: string

  constructor(session: string, cwd: string, prefix = session) {
    this.session = session
    this.cwd = cwd
    this.prefix = prefix
  }

  /** The id of the last line, to which a rewind goes back. */
  get last(): string | null {
    return this.parent
  }

  rewind(to: string | null): void {
    this.parent = to
  }

  /** A line of any kind; `message` lines are linked. */
  line(fields: Fields, isLinked = true): string {
    const uuid = `${this.prefix}-${++this.count}`
    this.lines.push({
      ...(isLinked ? { parentUuid: this.parent, isSidechain: false, userType: "external" } : {}),
      cwd: this.cwd,
      sessionId: this.session,
      version: "2.1.261",
      gitBranch: "main",
      uuid,
      timestamp: isoTime(this.count),
      ...fields
    })
    if (isLinked) this.parent = uuid
    return uuid
  }

  /** A session that begins with copies of these lines, as `--fork-session` and `/branch` do. */
  fork(session: string): ClaudeLines {
    const forked = new ClaudeLines(session, this.cwd)
    forked.lines.push(...this.lines.map((line) => ({ ...line, sessionId: session })))
    forked.parent = this.parent
    forked.count = this.count
    return forked
  }

  prompt(text: string): string {
    return this.line({ type: "user", message: { role: "user", content: text } })
  }

  call(id: string, name: string, input: Fields): string {
    const content = [{ type: "tool_use", id, name, input }]
    const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
    return this.line({
      type: "assistant",
      requestId: `req_${id}`,
      message: {
        id: `msg_${id}`,
        type: "message",
        role: "assistant",
        model: "m",
        content,
        stop_reason: "tool_use",
        usage
      }
    })
  }

  result(id: string, content: string, toolUseResult: unknown, isError = false): string {
    const block = { type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }
    return this.line({ type: "user", message: { role: "user", content: [block] }, toolUseResult })
  }

  stop(text = "Done."): string {
    const content = [{ type: "text", text }]
    return this.line({
      type: "assistant",
      message: {
        id: `msg_end_${this.count}`,
        type: "message",
        role: "assistant",
        model: "m",
        content,
        stop_reason: "end_turn"
      }
    })
  }

  get text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join("")
  }
}

/** The lines of a rollout of Codex, one second apart. */
export class CodexLines {
  readonly lines: Array<Fields> = []
  private readonly cwd: string

  constructor(session: string, cwd: string) {
    this.cwd = cwd
    const git = { commit_hash: "a".repeat(40), branch: "main", repository_url: "https://example.com/shop.git" }
    this.line("session_meta", { id: session, timestamp: isoTime(0), cwd, originator: "codex_cli_rs", git })
    this.line("turn_context", { cwd, approval_policy: "on-request", model: "gpt" })
  }

  /** A session that begins with copies of these lines behind a meta line of its own, all with the time of the fork. */
  fork(session: string, seconds: number): CodexLines {
    const [meta] = new CodexLines(session, this.cwd).lines
    const forked = new CodexLines(session, this.cwd)
    forked.lines.splice(0)
    for (const line of [meta!, ...this.lines]) forked.lines.push({ ...line, timestamp: isoTime(seconds) })
    return forked
  }

  line(type: string, payload: Fields): void {
    this.lines.push({ timestamp: isoTime(this.lines.length), type, payload })
  }

  prompt(message: string): void {
    this.line("response_item", { type: "message", role: "user", content: [{ type: "input_text", text: message }] })
    this.line("event_msg", { type: "user_message", message, kind: "plain" })
  }

  command(call_id: string, command: string, exit_code: number, output: string): void {
    const args = JSON.stringify({ command: ["bash", "-lc", command] })
    this.line("response_item", { type: "function_call", name: "shell", arguments: args, call_id })
    this.line("event_msg", {
      type: "exec_command_end",
      call_id,
      stdout: output,
      stderr: "",
      aggregated_output: output,
      exit_code,
      duration: { secs: 1, nanos: 0 }
    })
    const metadata = { exit_code, duration_seconds: 1 }
    this.line("response_item", { type: "function_call_output", call_id, output: JSON.stringify({ output, metadata }) })
  }

  /** As newer versions write it: without the end of the command. `input` of a text: of a tool that takes no JSON. */
  call(call_id: string, name: string, input: Fields | string, output: unknown): void {
    const kind = typeof input === "string" ? "custom_tool_call" : "function_call"
    const given = typeof input === "string" ? { input } : { arguments: JSON.stringify(input) }
    this.line("response_item", { type: kind, name, call_id, ...given })
    this.line("response_item", { type: `${kind}_output`, call_id, output })
  }

  patch(call_id: string, file: string): void {
    const input = `*** Begin Patch\n*** Update File: ${file}\n@@\n-a\n+b\n*** End Patch`
    this.line("response_item", { type: "custom_tool_call", status: "completed", call_id, name: "apply_patch", input })
    this.line("response_item", {
      type: "custom_tool_call_output",
      call_id,
      output: '{"output":"Success","metadata":{"exit_code":0}}'
    })
  }

  complete(): void {
    this.line("event_msg", { type: "task_complete", last_agent_message: "Done." })
  }

  get text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join("")
  }
}

export const writeTranscript = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Where Claude Code keeps the transcript of a session below its folder. */
export const claudePath = (home: string, cwd: string, session: string): string =>
  join(home, ".claude", "projects", cwd.replaceAll(/[^A-Za-z0-9]/g, "-"), `${session}.jsonl`)

export const codexPath = (home: string, session: string): string =>
  join(home, ".codex", "sessions", "2026", "11", "20", `rollout-2026-11-20T10-00-00-${session}.jsonl`)
