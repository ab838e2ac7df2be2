/** Payloads in the shapes that the assistants document and write. */
import { describe, expect, test } from "bun:test"
import { hookEvent, hostOf, type Moment } from "../../../src/domain/dream/hookPayload.ts"
import type { Host, SessionEvent } from "../../../src/domain/dream/SessionEvent.ts"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"

const moment: Moment = {
  id: "e1",
  at: 5,
  project: "shop-1",
  root: "/code/shop",
  main: "/code/shop",
  branch: "main",
  head: () => "a".repeat(40),
  redact: plainRedaction.text,
  digest: (text) => new Bun.CryptoHasher("sha256").update(text).digest("hex")
}

const common = {
  session_id: "7c0f1f0e-1111-4222-8333-944455556666",
  transcript_path: "/home/a/.claude/projects/-work-shop/7c.jsonl",
  cwd: "/code/shop/web",
  permission_mode: "default"
}

const event = (name: string, more: object = {}, host: Host = "claude") =>
  hookEvent(host, { ...common, hook_event_name: name, ...more }, moment)

const bash = (command: string) => ({
  tool_name: "Bash",
  tool_input: { command, description: "Run" },
  tool_use_id: "t1"
})

describe("Claude Code", () => {
  test("sessions: start, prompt, stop, compaction, end", () => {
    expect(event("SessionStart", { source: "startup", model: "m" })).toMatchObject({
      kind: "session_start",
      reason: "startup",
      host: "claude",
      project: "shop-1",
      branch: "main",
      head: "a".repeat(40)
    })
    expect(event("UserPromptSubmit", { prompt: "Fix the dates", prompt_id: "p" })).toMatchObject({
      kind: "prompt",
      text: { bytes: 13, start: "Fix the dates" }
    })
    expect(
      event("Stop", { stop_hook_active: false, last_assistant_message: "Done", background_tasks: [{}, {}] })
    ).toMatchObject({
      kind: "stop",
      background: 2
    })
    expect(event("StopFailure", { error: "overloaded" })?.kind).toBe("stop_fail")
    expect(event("SubagentStop", { agent_id: "a1", agent_type: "Explore" })).toMatchObject({
      kind: "subagent_stop",
      agent: "a1"
    })
    expect(event("PreCompact", { trigger: "auto", custom_instructions: "" })).toMatchObject({
      kind: "compact",
      reason: "auto"
    })
    expect(event("SessionEnd", { reason: "prompt_input_exit" })).toMatchObject({
      kind: "session_end",
      reason: "prompt_input_exit"
    })
  })

  test("the repository of a user is recorded with its real path, and a secret in a path is hidden", () => {
    const at = (root: string) => hookEvent("claude", { ...common, hook_event_name: "Stop" }, { ...moment, root })?.root
    for (const root of ["/home/alice", "/home/alice/shop", "/Users/alice/shop", "C:/Users/alice/shop"]) {
      expect(plainRedaction.text(root)).not.toBe(root)
      expect(at(root)).toBe(root)
    }
    const token = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    expect(at(`/home/alice/${token}`)).not.toContain(token)
  })

  test("a command that succeeds has no exit code; its output is not kept, only its beginning", () => {
    const stdout = `${" 18 pass\n".repeat(100)}`
    const done = event("PostToolUse", {
      ...bash("bun test"),
      tool_response: { stdout, stderr: "", interrupted: false, isImage: false },
      duration_ms: 1200
    })
    expect(done).toMatchObject({ kind: "tool_ok", action: "run", command: "bun test", call: "t1", ms: 1200 })
    expect(done?.text?.start.length).toBe(200)
    expect(done?.exit).toBeUndefined()
  })

  test("a failing command arrives as a failure of its own, with its exit code in the first line", () => {
    expect(
      event("PostToolUseFailure", {
        ...bash("tsc"),
        error: "Exit code 2\nsrc/a.ts(1,1): error TS2345: no",
        is_interrupt: false
      })
    ).toMatchObject({ kind: "tool_fail", exit: 2, error: "Exit code 2\nsrc/a.ts(1,1): error TS2345: no" })
    expect(event("PostToolUseFailure", { ...bash("sleep 9"), error: "x", is_interrupt: true })?.interrupted).toBe(true)
  })

  test("a check behind a pipe is judged by its output", () => {
    const piped = (stdout: string) =>
      event("PostToolUse", { ...bash("npm test | tail -3"), tool_response: { stdout, stderr: "" } })?.verdict
    expect([piped("2 failed, 1 passed"), piped("3 passed"), piped("")]).toEqual(["failed", "passed", "unknown"])
    const types = { ...bash("npx tsc | head"), tool_response: { stdout: "", stderr: "", interrupted: false } }
    expect(event("PostToolUse", types)?.verdict).toBe("passed")
  })

  test("a failure whose exit code is not that of the check is judged by its output, too", () => {
    const failed = (command: string, error: string) => event("PostToolUseFailure", { ...bash(command), error })?.verdict
    expect(failed("npm test | grep -c FAIL", "Exit code 1\n0")).toBe("unknown")
    expect(failed("! npm test", "Exit code 1\nTests: 3 passed, 3 total")).toBe("passed")
    expect(failed("npm test | grep Tests && false", "Exit code 1\nTests: 1 failed, 2 passed")).toBe("failed")
    expect(failed("npm test", "Exit code 1\n3 passed")).toBeUndefined()
  })

  describe("a command that had not ended", () => {
    const done = { stdout: "", stderr: "", interrupted: false, isImage: false }
    const verdict = (tool_response: unknown, more: object = {}, command = "npm test") => {
      const call = bash(command)
      return event("PostToolUse", { ...call, tool_input: { ...call.tool_input, ...more }, tool_response })?.verdict
    }

    test("has no known result: in the background, interrupted, or stopped by its timeout", () => {
      const late = "Command timed out after 2m 0s"
      const unknown = [
        verdict({ ...done, backgroundTaskId: "b1" }, { run_in_background: true }),
        verdict("Command running in background with ID: b1.", { run_in_background: true }),
        // Sent to the background while it ran.
        verdict({ ...done, backgroundTaskId: "b1" }),
        verdict({ ...done, stdout: "12 passed", interrupted: true }),
        verdict({ ...done, stderr: late }),
        verdict({ ...done, stdout: "12 passed", stderr: late }),
        verdict(`12 passed\n${late}`),
        verdict({ ...done, interrupted: true }, {}, "node a.js"),
        verdict(done, {}, "npm test &"),
        verdict(done, {}, "npm test && echo ok || true")
      ]
      expect(unknown).toEqual(Array(unknown.length).fill("unknown"))
      expect([verdict(done), verdict(done, {}, "npm test -- --help || true")]).toEqual([undefined, undefined])
    })

    test("is stopped by Gemini CLI with a sentence", () => {
      const stopped =
        "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output. "
      const call = { tool_name: "run_shell_command", tool_input: { command: "npm test" } }
      const tool_response = { llmContent: `${stopped}Below is the output before it was cancelled:\n12 passed` }
      expect(event("AfterTool", { ...call, tool_response }, "gemini")).toMatchObject({ verdict: "unknown" })
    })

    test("names its task, which a later call asks for", () => {
      const started = { ...done, backgroundTaskId: "b1" }
      expect(event("PostToolUse", { ...bash("npm test"), tool_response: started })?.task).toBe("b1")
      const asked = (tool_name: string, tool_input: object, tool_response: unknown) => {
        const call = { tool_name, tool_input, tool_use_id: "t2" }
        const { error, kind, task, verdict } = event("PostToolUse", { ...call, tool_response })!
        return { error, kind, task, verdict }
      }
      const output = (fields: object) =>
        asked(
          "BashOutput",
          { bash_id: "b1" },
          { shellId: "b1", command: "npm test", stdout: "", stderr: "", ...fields }
        )
      const task = (fields: object) =>
        asked(
          "TaskOutput",
          { task_id: "b1", block: true },
          {
            retrieval_status: "success",
            task: { task_id: "b1", task_type: "local_bash", output: "TypeError: x", ...fields }
          }
        )
      const text = (head: string) =>
        asked("BashOutput", { bash_id: "b1" }, `${head}\n\n<stdout>\nTypeError: x\n</stdout>`)
      const told = { error: undefined, kind: "tool_ok" as const, task: "b1", verdict: undefined }
      const passed = { ...told, verdict: "passed" as const }
      const failed = { ...told, error: "TypeError: x", verdict: "failed" as const }
      expect(output({ status: "completed", exitCode: 0 })).toEqual(passed)
      expect(output({ status: "failed", exitCode: 1, stdout: "TypeError: x" })).toEqual(failed)
      expect(output({ status: "running", exitCode: null })).toEqual(told)
      expect(output({ status: "killed", exitCode: 137 })).toEqual(told)
      expect(task({ status: "failed", exitCode: 1 })).toEqual(failed)
      expect(task({ status: "completed", exitCode: 0 })).toEqual(passed)
      expect(text("<status>failed</status>\n\n<exit_code>1</exit_code>")).toEqual(failed)
      expect(text("<status>running</status>")).toEqual(told)
    })

    test("is told of by a notice, which is no prompt of a person", () => {
      const noticed = (summary: string) => {
        const prompt = `<task-notification>\n<task-id>b1</task-id>\n<status>x</status>\n<summary>${summary}</summary>\n</task-notification>`
        const { kind, task, text, verdict } = event("UserPromptSubmit", { prompt })!
        return { kind, task, text, verdict }
      }
      const ended = { kind: "task_end" as const, task: "b1", text: undefined }
      expect(noticed('Background command "Run tests" completed (exit code 0)')).toEqual({ ...ended, verdict: "passed" })
      expect(noticed('Background command "Run tests" failed with exit code 1')).toEqual({ ...ended, verdict: "failed" })
      const other = { ...ended, task: undefined, verdict: undefined }
      expect(noticed('Background command "Run tests" was stopped')).toEqual(other)
      expect(noticed('Agent "exit code 0" completed')).toEqual(other)
    })
  })

  test("files are relative to the repository, those outside are left out, and what was read is not copied", () => {
    const read = (file_path: string) =>
      event("PostToolUse", {
        tool_name: "Read",
        tool_input: { file_path },
        tool_use_id: "t2",
        tool_response: { type: "text", file: { filePath: file_path, content: "const key = 1", startLine: 1 } }
      })
    expect(read("/code/shop/web/a.ts")).toMatchObject({ action: "read", files: ["web/a.ts"] })
    expect(read("/code/shop/web/a.ts")?.text).toBeUndefined()
    expect(read("/etc/passwd")?.files).toBeUndefined()
    expect(
      event("PreToolUse", {
        tool_name: "Edit",
        tool_input: { file_path: "/code/shop/a.ts", old_string: "a", new_string: "b" },
        tool_use_id: "t3"
      })
    ).toMatchObject({ kind: "tool_pre", action: "edit", files: ["a.ts"] })
    expect(event("PreToolUse", { tool_name: "mcp__db__query", tool_input: {}, tool_use_id: "t4" })?.action).toBe(
      "other"
    )
  })

  test("equal calls have equal arguments", () => {
    const [one, other] = [event("PreToolUse", bash("ls")), event("PreToolUse", bash("pwd"))]
    expect(one?.args).toBe(event("PreToolUse", bash("ls"))!.args!)
    expect(one?.args).not.toBe(other?.args)
  })
})

describe("Codex", () => {
  const codex = { ...common, transcript_path: null, turn_id: "u1", model: "gpt" }

  test("is told by its turns, and reports failures in results", () => {
    expect(hostOf({ ...codex, hook_event_name: "PostToolUse" })).toBe("codex")
    const result = (exit_code: number) =>
      hookEvent(
        "codex",
        {
          ...codex,
          hook_event_name: "PostToolUse",
          tool_name: "shell",
          tool_use_id: "c1",
          tool_input: { command: ["bash", "-lc", "cargo test"] },
          tool_response: { output: "error[E0308]: no", exit_code }
        },
        moment
      )
    expect(result(101)).toMatchObject({ kind: "tool_fail", exit: 101, error: "error[E0308]: no", action: "run" })
    expect(result(0)?.kind).toBe("tool_ok")
  })

  test("a result that is a text fails by the exit code it names, and without one by what it says", () => {
    const result = (tool_response: unknown, command = "npm test") => {
      const call = { tool_name: "Bash", tool_use_id: "c1", tool_input: { command } }
      const { error, exit, kind, verdict }: Partial<SessionEvent> = hookEvent(
        "codex",
        { ...codex, hook_event_name: "PostToolUse", ...call, tool_response },
        moment
      )!
      return { exit, kind, verdict, ...(error === undefined ? {} : { error }) }
    }
    const told = { exit: undefined, kind: "tool_ok" as const }
    const failed = { exit: 1, kind: "tool_fail" as const, verdict: undefined, error: "TypeError: boom" }
    const passed = { ...told, verdict: undefined }
    expect(result("Exit code: 1\nWall time: 0.3 seconds\nOutput:\nTypeError: boom")).toEqual(failed)
    expect(result("Exit code: 0\nWall time: 0.3 seconds\nOutput:\n")).toEqual(passed)
    const chunk = (code: number) =>
      `Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code ${code}\nOutput:\nTypeError: boom`
    expect([result(chunk(1)), result(chunk(0))]).toEqual([failed, passed])
    const json = JSON.stringify({ output: "TypeError: boom", metadata: { exit_code: 1, duration_seconds: 0.1 } })
    expect(result(json)).toEqual(failed)
    expect(result("TypeError: boom\n")).toEqual({ ...told, verdict: "unknown" })
    expect(result("x\nExit code: 1\n")).toEqual({ ...told, verdict: "unknown" })
    expect(result("Tests: 2 failed, 10 passed")).toEqual({ ...told, verdict: "failed" })
    expect(result(" 18 pass\n 0 fail")).toEqual({ ...told, verdict: "passed" })
    expect(result("", "git commit -qm x")).toEqual({ ...told, verdict: "unknown" })
    expect(result("[main 1a2b3c4] x\n 1 file changed", "git commit -m x")).toEqual({ ...told, verdict: "passed" })
    expect(result("a.ts\n", "ls")).toEqual({ ...told, verdict: undefined })
  })

  test("a patch names its files", () => {
    const input =
      "*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Add File: src/b.rs\n*** Add File:  lead.rs \r\n*** End Patch"
    expect(
      hookEvent(
        "codex",
        { ...codex, hook_event_name: "PreToolUse", tool_name: "apply_patch", tool_use_id: "c2", tool_input: { input } },
        moment
      )
    ).toMatchObject({ action: "edit", files: ["src/a.rs", "src/b.rs", " lead.rs "] })
  })
})

describe("Gemini CLI", () => {
  const gemini = { ...common, timestamp: "2026-11-23T10:00:00Z" }

  test("has its own names, and pairs calls by their arguments", () => {
    expect(hostOf({ ...gemini, hook_event_name: "BeforeTool" })).toBe("gemini")
    const call = { tool_name: "run_shell_command", tool_input: { command: "npm test" } }
    const before = hookEvent("gemini", { ...gemini, hook_event_name: "BeforeTool", ...call }, moment)
    const after = hookEvent(
      "gemini",
      {
        ...gemini,
        hook_event_name: "AfterTool",
        ...call,
        tool_response: { llmContent: "1 failed", returnDisplay: "", error: "exit 1" }
      },
      moment
    )
    expect(before?.call).toBe(after!.call!)
    expect([before?.kind, after?.kind]).toEqual(["tool_pre", "tool_fail"])
    expect(
      hookEvent("gemini", { ...gemini, hook_event_name: "BeforeAgent", prompt: "Hello there" }, moment)?.kind
    ).toBe("prompt")
    expect(hookEvent("gemini", { ...gemini, hook_event_name: "BeforeModel" }, moment)).toBeNull()
  })
})

test("Gemini CLI names the exit code behind the output", () => {
  const result = (code: number) =>
    hookEvent(
      "gemini",
      {
        ...common,
        hook_event_name: "AfterTool",
        tool_name: "run_shell_command",
        tool_input: { command: "npm test" },
        tool_response: {
          llmContent: `Command: npm test\nOutput: Exit Code: 0\nError: (none)\nExit Code: ${code}\nSignal: 0`
        }
      },
      moment
    )
  expect(result(1)).toMatchObject({ kind: "tool_fail", exit: 1 })
  expect(result(0)).toMatchObject({ kind: "tool_ok" })
  expect(result(0)).not.toHaveProperty("verdict")
})

describe("the result of a command of Gemini CLI", () => {
  const older = (out: string, exit: string, signal = "(none)") =>
    `Command: npx tsc\nDirectory: (root)\nStdout: ${out}\nStderr: (empty)\nError: (none)\nExit Code: ${exit}\nSignal: ${signal}\nBackground PIDs: (none)\nProcess Group PGID: 12`
  const result = (llmContent: unknown) => {
    const call = { tool_name: "run_shell_command", tool_input: { command: "npx tsc" } }
    const told = { hook_event_name: "AfterTool", ...call, tool_response: { llmContent } }
    const { error, exit, kind, text, verdict } = hookEvent("gemini", { ...common, ...told }, moment)!
    return { kind, ...(exit === undefined ? {} : { exit }), told: error ?? text?.start, verdict }
  }
  const problem = "a.ts(1,2): error TS2345: no\nError: 1"
  const failed = { kind: "tool_fail" as const, exit: 2, told: problem, verdict: undefined }
  const passed = { kind: "tool_ok" as const, told: undefined, verdict: undefined }

  test("is a success if it names no other exit code, and has the output alone", () => {
    expect(result("Output: (empty)\nProcess Group PGID: 12")).toEqual(passed)
    expect(result("Output: built\nError: in a test that passes\n1 file\nProcess Group PGID: 12")).toEqual({
      ...passed,
      told: "built\nError: in a test that passes\n1 file"
    })
    expect(result(`Output: ${problem}\nExit Code: 2\nProcess Group PGID: 12`)).toEqual(failed)
    expect(result([{ text: `Output: ${problem}\nExit Code: 2\nProcess Group PGID: 12` }])).toEqual(failed)
    expect([result(older("(empty)", "0")), result(older(problem, "2"))]).toEqual([passed, failed])
  })

  test("is a failure if a signal ended it or it did not start, and unknown in another shape", () => {
    expect(result(older("half", "(none)", "SIGKILL"))).toEqual({ kind: "tool_fail", told: "half", verdict: undefined })
    expect(result("Output: (empty)\nError: spawn bash ENOENT\nProcess Group PGID: 12")).toMatchObject({
      kind: "tool_fail"
    })
    for (const text of ["The types have no errors.", "Command moved to background (PID: 12). Output hidden."]) {
      expect(result(text)).toEqual({ ...passed, told: text, verdict: "unknown" })
    }
  })
})

describe("any payload", () => {
  test("without a session or of an unknown event is not recorded", () => {
    expect(event("Notification")).toBeNull()
    expect(hookEvent("claude", { hook_event_name: "Stop" }, moment)).toBeNull()
    expect(hookEvent("claude", {}, moment)).toBeNull()
  })

  test("with fields of another type, or hostile text, makes an event or none", () => {
    for (const odd of [null, 7, [], {}, "\u0000\u202e\ud800`$(x)`", "x".repeat(100_000), { a: { b: [1] } }]) {
      for (const name of ["PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SessionEnd"]) {
        const made = event(name, {
          tool_name: odd,
          tool_input: odd,
          tool_response: odd,
          error: odd,
          prompt: odd,
          reason: odd,
          tool_use_id: odd
        })
        expect(JSON.stringify(made).length).toBeLessThan(20_000)
      }
    }
  })

  test("is cut before the end of what was redacted, where a secret may be in part", () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"MIIEowIBAAKCAQEA7bq1".repeat(80)}\n-----END PRIVATE KEY-----\n`
    const token = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    // The text is cut in the middle of the token, which the short markers of the keys bring to the front.
    const text = `${key.repeat(13)}${"x ".repeat(20_000)}`.slice(0, 22_000 - 6) + token.repeat(50)
    const made = [event("PreToolUse", bash(text)), event("PostToolUseFailure", { ...bash("make"), error: text })]
    expect(JSON.stringify(made)).not.toContain("ghp_")
  })

  test("is redacted before it is cut", () => {
    const token = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    const command = `${"x".repeat(1_990)} ${token}`
    const made = JSON.stringify([
      event("PostToolUseFailure", { ...bash(command), error: `${"y".repeat(1_985)} ${token}` }),
      event("UserPromptSubmit", { prompt: `${"z".repeat(190)} ${token}` })
    ])
    expect(made).not.toContain(token.slice(0, 8))
  })
})
