/** Transcripts that assistants keep, read as the events that their hooks would have left. */
import { describe, expect, test } from "bun:test"
import { hookEvent } from "../../../../src/domain/dream/hookPayload.ts"
import { claudeTranscript } from "../../../../src/domain/dream/transcripts/claudeTranscript.ts"
import { codexRollout } from "../../../../src/domain/dream/transcripts/codexRollout.ts"
import { cutLines, type PastSession, withEdges } from "../../../../src/domain/dream/transcripts/transcript.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { ClaudeLines, CodexLines } from "../../../support/transcripts.ts"

const long = Date.UTC(2027, 0, 1)
const none: ReadonlyMap<string, string> = new Map()

const edged = (past: PastSession | null, now = long): PastSession | null =>
  past === null ? null : { ...past, events: withEdges(past.session, past.events, now) }

const namesOf = (past: PastSession | null) =>
  past?.events.map(({ payload }) =>
    [payload.agent_id, payload.hook_event_name, payload.tool_use_id ?? payload.prompt].filter(Boolean).join(" ")
  )

const claude = (lines: ClaudeLines, now = long) => edged(claudeTranscript(lines.text, none), now)

describe("a transcript of Claude Code", () => {
  const session = () => {
    const lines = new ClaudeLines("s1", "/code/shop")
    lines.line({ type: "file-history-snapshot", snapshot: {} }, false)
    lines.prompt("Fix the totals")
    lines.call("t1", "Bash", { command: "bun test" })
    lines.result("t1", "Exit code 1\nTypeError: x", "Error: Exit code 1", true)
    return lines
  }

  test("has prompts, calls and their results with exact times, and an end when nothing followed", () => {
    const lines = session()
    lines.call("t2", "Read", { file_path: "/code/shop/a.ts" })
    lines.result("t2", "1\tx", { type: "text", file: { filePath: "/code/shop/a.ts" } })
    lines.stop()
    const past = claude(lines)
    expect(namesOf(past)).toEqual([
      "SessionStart",
      "UserPromptSubmit Fix the totals",
      "PreToolUse t1",
      "PostToolUseFailure t1",
      "PreToolUse t2",
      "PostToolUse t2",
      "Stop",
      "SessionEnd"
    ])
    expect(past).toMatchObject({ session: "s1", cwd: "/code/shop", unreadable: 0 })
    expect(past?.events[1]).toMatchObject({ at: Date.UTC(2026, 10, 20, 10, 0, 2), branch: "main" })
    expect(past?.events[3]?.payload).toMatchObject({ error: "Exit code 1\nTypeError: x", tool_name: "Bash" })
    expect(namesOf(claude(lines, Date.UTC(2026, 10, 20, 10, 5)))?.at(-1)).toBe("Stop")
  })

  test("leaves out what was rewound, and keeps the results of parallel calls", () => {
    const lines = session()
    const kept = lines.last
    lines.prompt("Something else")
    lines.call("gone", "Bash", { command: "rm x" })
    lines.rewind(kept)
    lines.prompt("Go on")
    const first = lines.call("p1", "Read", { file_path: "a" })
    const second = lines.call("p2", "Read", { file_path: "b" })
    lines.rewind(first)
    lines.result("p1", "a", {})
    lines.rewind(second)
    lines.result("p2", "b", {})
    lines.stop()
    const names = namesOf(claude(lines))
    expect(names?.slice(4)).toEqual([
      "UserPromptSubmit Go on",
      "PreToolUse p1",
      "PreToolUse p2",
      "PostToolUse p1",
      "PostToolUse p2",
      "Stop",
      "SessionEnd"
    ])
  })

  test("has the same keys in the copies of a fork, and others in what it adds", () => {
    const lines = session()
    lines.stop()
    const fork = lines.fork("s2")
    lines.prompt("Go on")
    fork.prompt("Go on")
    const [before, after] = [lines, fork].map(({ text }) => claudeTranscript(text, none)?.events.map(({ key }) => key))
    expect(after?.slice(0, 4)).toEqual(before?.slice(0, 4))
    expect(before).not.toContain(after?.[4])
  })

  test("goes on before a line that is damaged, but not before one that begins the conversation", () => {
    const lines = session()
    lines.call("t2", "Read", { file_path: "a" })
    lines.result("t2", "a", {})
    const damaged = lines.text.split("\n").map((line, at) => (at === 3 ? line.slice(0, 40) : line))
    expect(namesOf(claudeTranscript(damaged.join("\n"), none))).toEqual([
      "UserPromptSubmit Fix the totals",
      "PreToolUse t1",
      "PreToolUse t2",
      "PostToolUse t2"
    ])
    lines.rewind(null)
    lines.prompt("All over again")
    expect(namesOf(claudeTranscript(lines.text, none))).toEqual(["UserPromptSubmit All over again"])
  })

  test("tells a refused call and an interrupted one from a failure, and a missing result from both", () => {
    const lines = new ClaudeLines("s1", "/code/shop")
    lines.prompt("Go")
    lines.call("no", "Bash", { command: "rm -rf x" })
    lines.result("no", "The user doesn't want to proceed with this tool use. The tool use was rejected.", "", true)
    const refused = [
      "Permission to use Bash with command rm -rf x has been denied.",
      "Claude requested permissions to use Bash, but you haven't granted it yet.",
      "Claude requested permissions to write to /code/shop/a.ts, but you haven't granted it yet.",
      "This command requires approval",
      "This Bash command contains multiple operations. The following part requires approval: rm -rf x"
    ]
    for (const [at, text] of refused.entries()) {
      lines.call(`no${at}`, "Bash", { command: "rm -rf x" })
      lines.result(`no${at}`, text, "", true)
    }
    lines.call("int", "Bash", { command: "sleep 99" })
    lines.result("int", "[Request interrupted by user for tool use]", "", true)
    lines.call("open", "Bash", { command: "sleep 99" })
    const past = claude(lines)
    expect(namesOf(past)?.slice(2)).toEqual([
      "PreToolUse no",
      "PermissionDenied no",
      ...refused.flatMap((_, at) => [`PreToolUse no${at}`, `PermissionDenied no${at}`]),
      "PreToolUse int",
      "PostToolUseFailure int",
      "PreToolUse open"
    ])
    expect(past?.events.at(-2)?.payload.is_interrupt).toBe(true)
  })

  test("leaves out a call that was rejected before it ran, as hooks do", () => {
    const lines = new ClaudeLines("s1", "/code/shop")
    const rejected = (id: string, why: string) => {
      lines.call(id, "Edit", { file_path: "/code/shop/a.ts" })
      lines.result(id, `<tool_use_error>${why}</tool_use_error>`, `Error: ${why}`, true)
    }
    lines.prompt("Go")
    rejected("t1", "InputValidationError: Edit failed due to the following issue: old_string is missing")
    rejected("t2", "File has not been read yet. Read it first before writing to it.")
    lines.call("t3", "Bash", { command: "grep -c tool_use_error a.log" })
    lines.result("t3", "Exit code 2\ngrep: a.log: No such file or directory", "Error", true)
    expect(namesOf(claude(lines))?.slice(1)).toEqual(["UserPromptSubmit Go", "PreToolUse t3", "PostToolUseFailure t3"])
  })

  test("has the calls of subagents, in files of their own or as a side chain", () => {
    const lines = session()
    lines.line({ ...lines.lines.at(-2), uuid: "side", isSidechain: true, message: call("s9") }, false)
    lines.stop()
    const agent = new ClaudeLines("s1", "/code/shop", "a")
    agent.prompt("Explore")
    agent.call("x1", "Grep", { pattern: "total" })
    agent.result("x1", "a.ts", {})
    agent.stop()
    const names = namesOf(claudeTranscript(lines.text, new Map([["7f", agent.text]])))
    expect(names).toContain("sidechain PreToolUse s9")
    expect(names?.filter((name) => name.startsWith("7f"))).toEqual([
      "7f PreToolUse x1",
      "7f PostToolUse x1",
      "7f SubagentStop"
    ])
    expect(names).not.toContain("UserPromptSubmit Explore")
  })

  test("keeps the notice that a background command ended", () => {
    const lines = session()
    const notice = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
    lines.prompt(notice)
    expect(namesOf(claudeTranscript(lines.text, none))).toContain(`UserPromptSubmit ${notice}`)
  })

  const call = (id: string) => ({ content: [{ type: "tool_use", id, name: "Read", input: {} }] })

  test("skips unknown lines, words of the program and a line that is still being written", () => {
    const lines = session()
    lines.line({ type: "queue-operation", operation: "enqueue" }, false)
    lines.line({ type: "something-new", uuid: 7, message: [] }, false)
    lines.line({ type: "user", isMeta: true, message: { role: "user", content: "Caveat: x" } })
    const opened = "<ide_opened_file>The user opened the file /x/a.ts in the IDE.</ide_opened_file>"
    const blocks = [opened, "Fix the cart"].map((text) => ({ type: "text", text }))
    lines.line({ type: "user", message: { role: "user", content: blocks } })
    lines.prompt("<command-name>/clear</command-name>")
    lines.line({ type: "assistant", timestamp: "yesterday", message: call("lost") })
    const past = claudeTranscript(`${lines.text}{"type":"assist`, none)
    expect(past?.unreadable).toBe(2)
    expect(namesOf(past)?.filter((name) => name.startsWith("UserPromptSubmit"))).toEqual([
      "UserPromptSubmit Fix the totals",
      "UserPromptSubmit Fix the cart"
    ])
    expect(claudeTranscript("", none)).toBeNull()
    expect(claudeTranscript('{"type":"summary","summary":"x","leafUuid":"y"}', none)).toBeNull()
  })
})

test("a line that is too long is cut wherever pieces end, and the lines behind it are whole", () => {
  const text = "ab\nabcdefgh\n\nabcd\nabcde"
  for (let size = 1; size <= text.length; size++) {
    let [cut, length] = ["", 0]
    for (let at = 0; at < text.length; at += size) {
      const piece = cutLines(text.slice(at, at + size), length, 4)
      cut += piece.text
      length = piece.lineLength
    }
    expect(cut).toBe("ab\nabcd\n\nabcd\nabcd")
  }
})

describe("a rollout of Codex", () => {
  test("has exit codes from the ends of commands, patches, and each prompt once", () => {
    const lines = new CodexLines("c1", "/code/shop")
    lines.prompt("Fix the totals")
    lines.command("k1", "cargo test", 101, "error[E0308]: mismatched types")
    lines.patch("k2", "src/a.rs")
    lines.command("k3", "cargo test", 0, "test result: ok")
    lines.complete()
    const past = edged(codexRollout(lines.text))
    expect(namesOf(past)).toEqual([
      "SessionStart",
      "UserPromptSubmit Fix the totals",
      "PreToolUse k1",
      "PostToolUse k1",
      "PreToolUse k2",
      "PostToolUse k2",
      "PreToolUse k3",
      "PostToolUse k3",
      "Stop",
      "SessionEnd"
    ])
    expect(past?.events[3]?.payload.tool_response).toEqual({ output: "error[E0308]: mismatched types", exit_code: 101 })
    expect(past?.events[4]?.payload.tool_input).toMatchObject({
      input: expect.stringContaining("Update File: src/a.rs")
    })
    expect(past?.events[1]?.branch).toBe("main")
  })

  test("has the same keys in the copies of a fork, and others in what it adds", () => {
    for (const turns of [true, false]) {
      const turn = (lines: CodexLines, id: string) => {
        if (turns) lines.line("event_msg", { type: "task_started", turn_id: id })
        lines.prompt(`Go on with ${turns ? "it" : id}`)
        lines.complete()
      }
      const lines = new CodexLines("c1", "/code/shop")
      turn(lines, "first")
      lines.command("k1", "ls", 0, "a")
      lines.complete()
      const fork = lines.fork("c2", 900)
      turn(lines, "here")
      turn(fork, "there")
      const [before, after] = [lines, fork].map(({ text }) => codexRollout(text))
      expect(after).toMatchObject({ session: "c2" })
      const keysOf = (past: PastSession | null | undefined) => past?.events.map(({ key }) => key) ?? []
      expect(keysOf(after).slice(0, 5)).toEqual(keysOf(before).slice(0, 5))
      expect(keysOf(after)).toHaveLength(7)
      expect(keysOf(before)).not.toContain(keysOf(after)[5])
      expect(keysOf(before)).not.toContain(keysOf(after)[6])
    }
  })

  test("has the same keys of calls in a fork without a copy of the meta line, if their ids are random", () => {
    const calls = (id: string) => {
      const lines = new CodexLines("c1", "/code/shop")
      lines.command(id, "ls", 0, "a")
      const fork = lines.fork("c2", 900)
      fork.lines.splice(1, 1)
      const [before, after] = [lines, fork].map(({ text }) => codexRollout(text)?.events.map(({ key }) => key))
      expect(after).toHaveLength(2)
      return { before, after }
    }
    const random = calls("call_9hQ2bGv0iTzX4cR7mWk1pLsY")
    expect(random.after).toEqual(random.before)
    // A model on the own machine may count its calls.
    const counted = calls("call_1")
    expect(counted.after).not.toEqual(counted.before)
  })

  /** What dd makes of the calls: result, action, what ran or was edited, the error. */
  const stepsOf = (lines: CodexLines) => {
    const past = codexRollout(lines.text)
    const moment = { project: "p", root: "/code/shop", main: null, branch: null, head: () => null }
    const texts = {
      redact: (text: string) => text,
      digest: (text: string) => new Bun.SHA256().update(text).digest("hex")
    }
    const events = past?.events.flatMap(
      ({ at, key, payload }) =>
        hookEvent("codex", { session_id: "c1", cwd: "/code/shop", ...payload }, { ...moment, ...texts, id: key, at }) ??
        []
    )
    return viewOfSession(events ?? [])?.steps.map(({ action, command, error, files, result }) =>
      [result, action, command ?? files.join(" "), error?.trigger ?? error?.masked].filter(Boolean).join(" | ")
    )
  }
  const shell = (code: number, output: string) => `Exit code: ${code}\nWall time: 2 seconds\nOutput:\n${output}`
  const chunk = (told: string, output: string) =>
    `Chunk ID: ab12cd\nWall time: 1.2 seconds\n${told}\nOriginal token count: 20\nOutput:\n${output}`
  const exited = (code: number, output: string) => chunk(`Process exited with code ${code}`, output)

  test("has the error of a failed command and its code, not the head that Codex puts before it", () => {
    const lines = new CodexLines("c1", "/code/shop")
    lines.call("k1", "exec_command", { cmd: "npx tsc --noEmit" }, exited(2, "src/f1.ts(3,4): error TS2345: x"))
    lines.call("k2", "shell", { command: ["bash", "-lc", "cargo build"] }, shell(101, "error[E0308]: mismatched types"))
    lines.call("k3", "exec_command", { cmd: "make" }, exited(2, "Total output lines: 900\n\nno rule to make it"))
    lines.call("k4", "exec_command", { cmd: "npx tsc --noEmit" }, exited(0, ""))
    const json = JSON.stringify({ output: "a.ts(1,1): error TS1005: x", metadata: { exit_code: 1 } })
    lines.call("k5", "shell", { command: ["npx", "tsc"] }, json)
    lines.call("k6", "exec_command", { cmd: "cargo test" }, [
      { type: "input_text", text: exited(1, "error[E0425]: x") }
    ])
    expect(stepsOf(lines)).toEqual([
      "failed | run | npx tsc --noEmit | error:typescript:TS2345",
      "failed | run | cargo build | error:rust:E0308",
      "failed | run | make | no rule to make it",
      "ok | run | npx tsc --noEmit",
      "failed | run | npx tsc | error:typescript:TS1005",
      "failed | run | cargo test | error:rust:E0425"
    ])
  })

  test("has the commands of all its shells", () => {
    const lines = new CodexLines("c1", "/code/shop")
    const output = shell(1, "src/f1.ts(3,4): error TS2345: x")
    lines.call("k1", "shell_command", { command: "npm run lint", workdir: "/code/shop" }, output)
    lines.call("k2", "container.exec", { command: ["bash", "-lc", "npm run lint"] }, output)
    lines.call("k3", "local_shell", { command: ["npm", "run", "lint"] }, output)
    const action = { type: "exec", command: ["bash", "-lc", "npm run lint"], timeout_ms: 1000 }
    lines.line("response_item", { type: "local_shell_call", call_id: "k4", status: "completed", action })
    lines.line("response_item", { type: "function_call_output", call_id: "k4", output })
    expect(stepsOf(lines)).toEqual(Array(4).fill("failed | run | npm run lint | error:typescript:TS2345"))
  })

  test("tells what was refused or stopped, and what could not begin, from what ran", () => {
    const lines = new CodexLines("c1", "/code/shop")
    const rejected = 'CreateProcess { message: "Rejected(\\"rejected by user\\")" }'
    const patch = "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch"
    lines.call("k1", "exec_command", { cmd: "rm -rf x" }, "exec command rejected by user")
    lines.call("k2", "exec_command", { cmd: "rm -rf y" }, `exec_command failed for \`rm -rf y\`: ${rejected}`)
    lines.call("k3", "shell_command", { command: "rm -rf z" }, "`rm -rf z` rejected: blocked by policy")
    lines.call("k4", "apply_patch", patch, "patch rejected by user")
    lines.command("k5", "rm -rf v", -1, "exec command rejected by user")
    lines.call("k6", "exec_command", { cmd: "npm test" }, "aborted by user after 3.2s")
    lines.call("k7", "shell_command", { command: "npm test" }, "Wall time: 3.2 seconds\naborted by user")
    lines.call("k8", "shell", { command: ["npm", "test"] }, "execution error: Io(Custom { kind: NotFound })")
    lines.call("k9", "exec_command", { cmd: "cat notes" }, exited(0, "exec command rejected by user"))
    expect(stepsOf(lines)).toEqual([
      "denied | run | rm -rf x",
      "denied | run | rm -rf y",
      "denied | run | rm -rf z",
      "denied | edit | a.ts",
      "denied | run | rm -rf v",
      "interrupted | run | npm test",
      "interrupted | run | npm test",
      "failed | run | npm test | execution error: Io(Custom { kind: NotFound })",
      "ok | run | cat notes"
    ])
  })

  test("has one call for a command that takes long, with the result of its end", () => {
    const lines = new CodexLines("c1", "/code/shop")
    const runs = (session: number, output: string) => chunk(`Process running with session ID ${session}`, output)
    lines.prompt("Run the tests")
    lines.call("k1", "exec_command", { cmd: "npm test", yield_time_ms: 1000 }, runs(7, "TypeError: x is undefined\n"))
    lines.call("k2", "exec_command", { cmd: "npm run dev" }, runs(9, "ready"))
    lines.call("k3", "write_stdin", { session_id: 7, chars: "" }, runs(7, "> 3 of 4\n"))
    lines.call("k4", "write_stdin", { session_id: 7, chars: "" }, exited(1, "Tests: 1 failed, 3 passed"))
    lines.call("k5", "exec_command", { cmd: "npm test" }, runs(8, "> test\n"))
    lines.call("k6", "write_stdin", { session_id: 8, chars: "y\n" }, exited(0, "Tests: 4 passed"))
    lines.call("k7", "exec_command", { cmd: "npm run watch" }, runs(10, ""))
    lines.call("k8", "write_stdin", { session_id: 10, chars: "\u0003" }, exited(130, ""))
    lines.call("k9", "write_stdin", { session_id: 99, chars: "" }, "write_stdin failed: Unknown process id 99")
    lines.complete()
    expect(stepsOf(lines)).toEqual([
      "failed | run | npm test | error:javascript:TypeError",
      "ok | run | npm run dev",
      "ok | run | npm test",
      "interrupted | run | npm run watch",
      "ok | other"
    ])
    expect(namesOf(codexRollout(lines.text))?.filter((name) => name.endsWith("k1"))).toEqual([
      "PreToolUse k1",
      "PostToolUse k1"
    ])
  })

  test("has a patch that a shell applies as an edit of the files in it", () => {
    const lines = new CodexLines("c1", "/code/shop")
    const patch = (file: string) => `*** Begin Patch\n*** Update File: ${file}\n@@\n-1\n+2\n*** End Patch`
    const here = (file: string) => `apply_patch <<'EOF'\n${patch(file)}\nEOF\n`
    const done = exited(0, "Success. Updated the following files:\nM src/f1.ts\n")
    lines.call("k1", "exec_command", { cmd: here("src/f1.ts") }, done)
    lines.call("k2", "shell", { command: ["bash", "-lc", `cd web && ${here("a.ts")}`] }, done)
    lines.call("k3", "shell_command", { command: here("b.ts"), workdir: "/code/shop/web" }, done)
    lines.call("k4", "shell", { command: ["apply_patch", patch("/code/shop/c.ts")] }, done)
    lines.call("k5", "exec_command", { cmd: here("d.ts"), workdir: "/code/other" }, done)
    lines.call("k6", "exec_command", { cmd: here("e.ts") }, exited(1, "Failed to find expected lines in e.ts"))
    lines.call("k7", "exec_command", { cmd: `${here("f.ts")}npm test` }, exited(0, "4 passed"))
    lines.call("k8", "exec_command", { cmd: `cat <<'EOF' > p.txt\n${patch("g.ts")}\nEOF` }, exited(0, ""))
    expect(stepsOf(lines)?.map((step) => step.replaceAll(/\n[\s\S]*/g, ""))).toEqual([
      "ok | edit | src/f1.ts",
      "ok | edit | web/a.ts",
      "ok | edit | web/b.ts",
      "ok | edit | c.ts",
      "ok | edit",
      "failed | edit | e.ts | Failed to find expected lines in <path>",
      "ok | run | apply_patch <<'EOF'",
      "ok | run | cat <<'EOF' > p.txt"
    ])
  })

  test("is none without a session", () => {
    expect(codexRollout("[]\n{}\n")).toBeNull()
  })
})
