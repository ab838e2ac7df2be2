/**
 * Sessions as their assistants report them to hooks: the shapes that Claude Code, Codex and Gemini CLI document and that were
 * captured. A failing command of Claude Code is only a `PostToolUseFailure`, a successful one has
 * no exit code, no payload of Claude Code or Codex has a time.
 */
import { join } from "node:path"

type Fields = Readonly<Record<string, unknown>>
type Payloads = ReadonlyArray<Fields>

/** What `dd session show --json` says of a session, in short. */
export interface Expected {
  readonly outcome: string
  readonly turns: number
  /** `run!` failed, `run^` was interrupted, `run?` is in flight, `run-` was denied. */
  readonly steps: string
  readonly milestones?: string
  readonly loops?: string
}

export interface CapturedSession {
  readonly title: string
  readonly payloads: (root: string, session: string) => Payloads
  readonly expected: Expected
}

class Claude {
  private readonly common: Fields
  private readonly root: string
  private calls = 0

  constructor(root: string, session_id: string, more: Fields = {}) {
    this.root = root
    this.common = {
      session_id,
      transcript_path: `/h/.claude/projects/-shop/${session_id}.jsonl`,
      cwd: root,
      permission_mode: "default",
      ...more
    }
  }

  event(hook_event_name: string, fields: Fields = {}): Fields {
    return { ...this.common, hook_event_name, ...fields }
  }
  start = (source = "startup") => this.event("SessionStart", { source, model: "claude-opus" })
  prompt = (prompt: string) => this.event("UserPromptSubmit", { prompt, prompt_id: `p${prompt.length}` })
  stop = (fields: Fields = {}) =>
    this.event("Stop", {
      stop_hook_active: false,
      last_assistant_message: "Done.",
      background_tasks: [],
      session_crons: [],
      ...fields
    })
  end = (reason = "prompt_input_exit") => this.event("SessionEnd", { reason })

  private call(tool_name: string, tool_input: Fields, fields: Fields = {}): Fields {
    const tool_use_id = `toolu_${String(this.common.session_id).slice(0, 8)}${++this.calls}`
    return { tool_name, tool_input, tool_use_id, effort: { level: "high" }, ...fields }
  }
  private both(call: Fields, name: string, result: Fields): Payloads {
    return [this.event("PreToolUse", call), this.event(name, { ...call, ...result, duration_ms: 40 })]
  }
  run = (command: string, stdout = "", agent: Fields = {}): Payloads =>
    this.both(this.call("Bash", { command, description: "Run it" }, agent), "PostToolUse", {
      tool_response: { stdout, stderr: "", interrupted: false, isImage: false }
    })
  fails = (command: string, error: string, is_interrupt = false): Payloads =>
    this.both(this.call("Bash", { command, timeout: 120_000 }), "PostToolUseFailure", { error, is_interrupt })
  begins = (command: string): Payloads => [this.event("PreToolUse", this.call("Bash", { command }))]
  denied(command: string): Payloads {
    const call = this.call("Bash", { command })
    return [this.event("PreToolUse", call), this.event("PermissionDenied", { ...call, reason: "no" })]
  }
  read(file: string, agent: Fields = {}): Payloads {
    const filePath = join(this.root, file)
    const tool_response = { type: "text", file: { filePath, content: "x", numLines: 1, startLine: 1, totalLines: 1 } }
    return this.both(this.call("Read", { file_path: filePath }, agent), "PostToolUse", { tool_response })
  }
  edit(file: string, from: string, to: string): Payloads {
    const filePath = join(this.root, file)
    const given = { file_path: filePath, old_string: from, new_string: to, replace_all: false }
    const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${from}`, `+${to}`] }]
    const response = { filePath, oldString: from, newString: to, originalFile: from, structuredPatch: patch }
    return this.both(this.call("Edit", given), "PostToolUse", {
      tool_response: { ...response, userModified: false, replaceAll: false }
    })
  }
  write(file: string): Payloads {
    const filePath = join(this.root, file)
    const response = { type: "create", filePath, content: "x", structuredPatch: [], originalFile: null }
    return this.both(this.call("Write", { file_path: filePath, content: "x" }), "PostToolUse", {
      tool_response: response
    })
  }
  grep = (pattern: string): Payloads =>
    this.both(this.call("Grep", { pattern, output_mode: "files_with_matches" }), "PostToolUse", {
      tool_response: { mode: "files_with_matches", filenames: ["cart.ts"], numFiles: 1 }
    })
  other = (tool: string, input: Fields, tool_response: unknown): Payloads =>
    this.both(this.call(tool, input), "PostToolUse", { tool_response })
}

const claude = (
  title: string,
  expected: Expected,
  body: (at: Claude, root: string) => ReadonlyArray<Fields | Payloads>
): CapturedSession => ({
  title: `Claude Code: ${title}`,
  expected,
  payloads: (root, session) => body(new Claude(root, session), root).flat()
})

class Codex {
  private readonly common: Fields
  private calls = 0

  constructor(root: string, session_id: string) {
    this.common = { session_id, transcript_path: null, cwd: root, model: "gpt", permission_mode: "default" }
  }
  event = (hook_event_name: string, fields: Fields = {}): Fields => ({
    ...this.common,
    turn_id: "turn-1",
    hook_event_name,
    ...fields
  })
  start = () => this.event("SessionStart", { source: "startup" })
  prompt = (prompt: string) => this.event("UserPromptSubmit", { prompt })
  stop = () => this.event("Stop", { stop_hook_active: false, last_assistant_message: null })
  private call(tool_name: string, tool_input: Fields, tool_response: unknown): Payloads {
    const call = { tool_name, tool_input, tool_use_id: `call_${++this.calls}` }
    return [this.event("PreToolUse", call), this.event("PostToolUse", { ...call, tool_response })]
  }
  run = (command: string, exit_code: number, output: string): Payloads =>
    this.call("shell", { command: ["bash", "-lc", command], workdir: "." }, { output, exit_code })
  patch = (...files: ReadonlyArray<string>): Payloads => {
    const parts = files.map((file) => `*** Update File: ${file}\n@@\n-a\n+b`)
    return this.call("apply_patch", { input: `*** Begin Patch\n${parts.join("\n")}\n*** End Patch` }, "Success")
  }
}

const codex = (title: string, expected: Expected, body: (at: Codex) => ReadonlyArray<Fields | Payloads>) => ({
  title: `Codex: ${title}`,
  expected,
  payloads: (root: string, session: string) => body(new Codex(root, session)).flat()
})

class Gemini {
  private readonly common: Fields
  private seconds = 0

  constructor(root: string, session_id: string) {
    this.common = { session_id, transcript_path: `/h/.gemini/tmp/${session_id}.json`, cwd: root }
  }
  event = (hook_event_name: string, fields: Fields = {}): Fields => ({
    ...this.common,
    timestamp: `2026-11-20T10:00:${String(this.seconds++ % 60).padStart(2, "0")}Z`,
    hook_event_name,
    ...fields
  })
  start = () => this.event("SessionStart", { source: "startup" })
  prompt = (prompt: string) => this.event("BeforeAgent", { prompt })
  stop = () => this.event("AfterAgent", { prompt_response: "Done.", stop_hook_active: false })
  end = (reason: string) => this.event("SessionEnd", { reason })
  call(tool_name: string, tool_input: Fields, llmContent: string, error?: string): Payloads {
    const call = { tool_name, tool_input }
    const response = { llmContent, returnDisplay: llmContent, ...(error === undefined ? {} : { error }) }
    return [this.event("BeforeTool", call), this.event("AfterTool", { ...call, tool_response: response })]
  }
}

const gemini = (
  title: string,
  expected: Expected,
  body: (at: Gemini, root: string) => ReadonlyArray<Fields | Payloads>
) => ({
  title: `Gemini CLI: ${title}`,
  expected,
  payloads: (root: string, session: string) => body(new Gemini(root, session), root).flat()
})

const goal = "Fix the totals of the cart"
const green = "bun test v1.4.5\n\n 4 pass\n 0 fail\nRan 4 tests across 1 file. [10.00ms]\n"
const red = "Exit code 1\nTypeError: total is not a function\n    at cart.ts:12:3\n 3 pass\n 1 fail"
const mistyped = "Exit code 2\ncart.ts(12,5): error TS2345: Argument of type 'string' is not assignable to 'number'."

export const capturedSessions: ReadonlyArray<CapturedSession> = [
  claude("a question", { outcome: "clean", turns: 1, steps: "read" }, (at) => [
    ...[at.start(), at.prompt("What does the cart do?"), at.read("cart.ts"), at.stop(), at.end()]
  ]),
  claude(
    "a failing test is repaired",
    { outcome: "clean", turns: 1, steps: "read edit run! edit run", milestones: "test" },
    (at) => [
      ...[at.start(), at.prompt(goal), at.read("cart.ts"), at.edit("cart.ts", "a", "b"), at.fails("bun test", red)],
      ...[at.edit("cart.ts", "b", "c"), at.run("bun test", green), at.stop(), at.end()]
    ]
  ),
  claude(
    "a type error is repaired",
    { outcome: "clean", turns: 1, steps: "edit run! edit run", milestones: "check" },
    (at) => [
      ...[at.start(), at.prompt(goal), at.edit("cart.ts", "a", "b"), at.fails("bunx tsc --noEmit", mistyped)],
      ...[at.edit("cart.ts", "b", "c"), at.run("bunx tsc --noEmit"), at.stop(), at.end()]
    ]
  ),
  claude("a failure that stays", { outcome: "clean", turns: 1, steps: "edit run!" }, (at) => [
    ...[
      at.start(),
      at.prompt(goal),
      at.edit("cart.ts", "a", "b"),
      at.fails("bun test", red),
      at.stop(),
      at.end("other")
    ]
  ]),
  claude("a person interrupts", { outcome: "interrupted", turns: 1, steps: "run^" }, (at) => [
    ...[at.start(), at.prompt(goal), at.fails("sleep 600", "Request interrupted by user", true), at.end()]
  ]),
  claude("a call is denied", { outcome: "clean", turns: 1, steps: "run- run" }, (at) => [
    ...[at.start(), at.prompt(goal), at.denied("rm -rf build"), at.run("ls"), at.stop(), at.end()]
  ]),
  claude("still open", { outcome: "open", turns: 1, steps: "read" }, (at) => [
    ...[at.start(), at.prompt(goal), at.read("cart.ts")]
  ]),
  claude("a call in flight", { outcome: "open", turns: 1, steps: "run?" }, (at) => [
    ...[at.start(), at.prompt(goal), at.begins("npm run build")]
  ]),
  claude("killed in a call", { outcome: "interrupted", turns: 1, steps: "run?" }, (at) => [
    ...[at.start(), at.prompt(goal), at.begins("npm run build"), at.end("other")]
  ]),
  claude("claude -p", { outcome: "clean", turns: 1, steps: "run" }, (at) => [
    ...[at.start(), at.prompt(goal), at.run("ls"), at.stop(), at.end("other")]
  ]),
  claude("ended without a stop", { outcome: "interrupted", turns: 1, steps: "run" }, (at) => [
    ...[at.start(), at.prompt(goal), at.run("ls"), at.end("other")]
  ]),
  claude("an error of the provider", { outcome: "failed", turns: 1, steps: "run" }, (at) => [
    ...[
      at.start(),
      at.prompt(goal),
      at.run("ls"),
      at.event("StopFailure", { error: "overloaded_error" }),
      at.end("other")
    ]
  ]),
  claude("a compaction", { outcome: "clean", turns: 2, steps: "read read" }, (at) => [
    ...[at.start(), at.prompt(goal), at.read("cart.ts")],
    at.event("PreCompact", { trigger: "auto", custom_instructions: "" }),
    ...[at.start("compact"), at.prompt("Go on"), at.read("cart.ts"), at.stop(), at.end()]
  ]),
  claude("resumed after its end", { outcome: "clean", turns: 2, steps: "read edit" }, (at) => [
    ...[at.start(), at.prompt(goal), at.read("cart.ts"), at.stop(), at.end()],
    ...[at.start("resume"), at.prompt("And now"), at.edit("cart.ts", "a", "b"), at.stop(), at.end()]
  ]),
  claude("cleared", { outcome: "clean", turns: 1, steps: "" }, (at) => [at.start(), at.prompt(goal), at.end("clear")]),
  claude("a subagent", { outcome: "clean", turns: 1, steps: "read search other" }, (at) => {
    const agent = { agent_id: "a7f3", agent_type: "Explore" }
    return [
      ...[at.start(), at.prompt(goal), at.event("SubagentStart", agent), at.read("cart.ts", agent), at.grep("total")],
      at.event("SubagentStop", { ...agent, agent_transcript_path: "/h/a.jsonl", last_assistant_message: "Found" }),
      at.other("Agent", { prompt: "Find it", subagent_type: "Explore" }, { status: "completed", agentId: "a7f3" }),
      ...[at.stop(), at.end()]
    ]
  }),
  claude("parallel calls end in another order", { outcome: "clean", turns: 1, steps: "read run!" }, (at) => {
    const [first, firstEnd] = at.read("cart.ts")
    const [second, secondEnd] = at.fails("bun test", red)
    return [at.start(), at.prompt(goal), first!, second!, secondEnd!, firstEnd!, at.stop(), at.end()]
  }),
  claude("a background task goes on", { outcome: "open", turns: 1, steps: "run" }, (at) => {
    const task = { id: "b1", type: "shell", status: "running", description: "Serve", command: "bun dev" }
    return [at.start(), at.prompt(goal), at.run("bun dev &"), at.stop({ background_tasks: [task] })]
  }),
  claude("a failure behind a pipe", { outcome: "clean", turns: 1, steps: "edit run!" }, (at) => [
    ...[at.start(), at.prompt(goal), at.edit("cart.ts", "a", "b")],
    ...[at.run("bun test 2>&1 | tail -5", " 3 pass\n 1 fail\n"), at.stop(), at.end()]
  ]),
  claude("a success behind a pipe", { outcome: "clean", turns: 1, steps: "edit run", milestones: "test" }, (at) => [
    ...[at.start(), at.prompt(goal), at.edit("cart.ts", "a", "b")],
    ...[at.run("bun test 2>&1 | tail -5", green), at.stop(), at.end()]
  ]),
  claude(
    "the same call again and again",
    {
      outcome: "clean",
      turns: 1,
      steps: "run! run! run! run!",
      loops: "retry, same call, same command fails, same output"
    },
    (at) => [
      ...[at.start(), at.prompt(goal), at.fails("make deploy", "Exit code 2\nmake: *** No rule")],
      ...[
        at.fails("make deploy", "Exit code 2\nmake: *** No rule"),
        at.fails("make deploy", "Exit code 2\nmake: *** No rule")
      ],
      ...[at.fails("make deploy", "Exit code 2\nmake: *** No rule"), at.stop(), at.end()]
    ]
  ),
  claude(
    "reads without end",
    { outcome: "clean", turns: 1, steps: "read read read read read read read", loops: "read spiral" },
    (at) => [
      ...[at.start(), at.prompt(goal), ...["a", "b", "c", "d", "e", "f", "g"].map((name) => at.read(`${name}.ts`))],
      ...[at.stop(), at.end()]
    ]
  ),
  claude("a commit", { outcome: "clean", turns: 1, steps: "edit run run", milestones: "test, commit" }, (at) => [
    ...[at.start(), at.prompt(goal), at.edit("cart.ts", "a", "b"), at.run("bun test", green)],
    ...[at.run('git commit -m "cart: fix the totals"', "[main 1a2b3c4] cart"), at.stop(), at.end()]
  ]),
  claude("tools of a server", { outcome: "clean", turns: 1, steps: "other" }, (at) => [
    ...[at.start(), at.prompt(goal), at.other("mcp__db__query", { sql: "select 1" }, [{ type: "text", text: "1" }])],
    ...[at.stop(), at.end()]
  ]),
  claude("a new file", { outcome: "clean", turns: 1, steps: "search edit" }, (at) => [
    ...[at.start(), at.prompt(goal), at.grep("total"), at.write("src/total.ts"), at.stop(), at.end()]
  ]),
  claude("a notice that a task ended is no prompt", { outcome: "clean", turns: 1, steps: "run" }, (at) => [
    ...[at.start(), at.prompt(goal), at.stop(), at.prompt("<task-notification>b1 completed</task-notification>")],
    ...[at.run("ls"), at.stop(), at.end()]
  ]),
  claude("events that are not recorded", { outcome: "clean", turns: 1, steps: "" }, (at) => [
    ...[at.start(), at.event("Notification", { message: "waiting" }), at.event("CwdChanged", { cwd: "/" })],
    ...[at.prompt(goal), at.event("PostToolBatch", { tool_calls: [] }), at.stop(), at.end()]
  ]),
  codex(
    "a failing build is repaired",
    { outcome: "open", turns: 1, steps: "run! edit run", milestones: "build" },
    (at) => [
      ...[
        at.start(),
        at.prompt(goal),
        at.run("cargo build", 101, "error[E0308]: mismatched types"),
        at.patch("src/cart.rs")
      ],
      ...[at.run("cargo build", 0, "Finished"), at.stop()]
    ]
  ),
  codex("a patch of several files", { outcome: "open", turns: 1, steps: "edit" }, (at) => [
    ...[at.start(), at.prompt(goal), at.patch("src/a.rs", "src/b.rs", "src/c.rs"), at.stop()]
  ]),
  codex("a subagent and a compaction", { outcome: "open", turns: 1, steps: "run" }, (at) => [
    ...[at.start(), at.prompt(goal), at.event("PreCompact", { trigger: "auto" }), at.run("ls", 0, "a")],
    ...[at.event("SubagentStop", { agent_id: "x" }), at.stop()]
  ]),
  gemini(
    "a failing command",
    { outcome: "clean", turns: 1, steps: "read edit run! run", milestones: "test" },
    (at, root) => [
      ...[at.start(), at.prompt(goal), at.call("read_file", { absolute_path: join(root, "cart.ts") }, "x")],
      at.call("replace", { file_path: join(root, "cart.ts"), old_string: "a", new_string: "b" }, "replaced"),
      at.call("run_shell_command", { command: "npm test" }, "1 failed", "exit code 1"),
      ...[at.call("run_shell_command", { command: "npm test -- --run" }, "4 passed"), at.stop(), at.end("exit")]
    ]
  ),
  gemini("cleared after a compression", { outcome: "clean", turns: 1, steps: "search" }, (at) => [
    ...[at.start(), at.prompt(goal), at.call("list_directory", { path: "." }, "cart.ts")],
    ...[at.event("PreCompress", { trigger: "auto" }), at.stop(), at.end("clear")]
  ])
]
