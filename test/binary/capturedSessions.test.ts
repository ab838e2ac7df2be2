/** Sessions as assistants report them, replayed through the compiled binary, one process for each event. */
import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { tokenFormats } from "../../src/domain/secret/tokenFormats.ts"
import { dd } from "../support/binary.ts"
import { type CapturedSession, capturedSessions, type Expected } from "../support/capturedSessions.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { sampleOf } from "../support/sampleOf.ts"

const world = () => {
  const place = scratch()
  const { root } = initRepository(join(place.path, "shop"))
  const env = {
    PATH: systemPath,
    HOME: inside(place.path, "home"),
    DD_DREAM_WORKER: "0",
    DEPLOY_TOKEN: "q8Zr-own-secret-value-17"
  }
  const send = async (host: string, payload: unknown) => {
    const ended = await run([dd, "hook", "event", "--host", host], { env, stdin: JSON.stringify(payload) })
    expect(ended).toEqual({ status: 0, signal: null, stdout: "", stderr: "" })
  }
  const shown = async (session: string) =>
    JSON.parse((await run([dd, "session", "show", session, "--json"], { cwd: root, env })).stdout).session
  const spooled = () => {
    const spool = join(env.HOME, ".daydream", "spool")
    const names = readdirSync(spool, { recursive: true, encoding: "utf8" })
    return names.filter((name) => name.endsWith(".jsonl")).map((name) => readFileSync(join(spool, name), "utf8"))
  }
  return { root, send, shown, spooled, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

const marks: Readonly<Record<string, string>> = { ok: "", failed: "!", interrupted: "^", denied: "-", "in flight": "?" }

interface Shown {
  readonly outcome: string
  readonly turns: number
  readonly steps: ReadonlyArray<{ readonly action: string; readonly result: string }>
  readonly milestones: ReadonlyArray<{ readonly what: string }>
  readonly loops: ReadonlyArray<{ readonly kind: string }>
}

const inShort = ({ loops, milestones, outcome, steps, turns }: Shown): Expected => ({
  outcome,
  turns,
  steps: steps.map(({ action, result }) => `${action}${marks[result]}`).join(" "),
  ...(milestones.length === 0 ? {} : { milestones: milestones.map(({ what }) => what).join(", ") }),
  ...(loops.length === 0 ? {} : { loops: [...new Set(loops.map(({ kind }) => kind))].sort().join(", ") })
})

const hostOf = ({ title }: CapturedSession): string =>
  title.startsWith("Codex") ? "codex" : title.startsWith("Gemini") ? "gemini" : "claude"

describe("a session is shown as it was", () => {
  for (const [index, captured] of capturedSessions.entries()) {
    test(captured.title, async () => {
      using at = world()
      const session = `5e55${index}-1111-4222-8333-944455556666`
      for (const payload of captured.payloads(at.root, session)) await at.send(hostOf(captured), payload)
      expect(inShort(await at.shown(session))).toEqual(captured.expected)
    })
  }

  test("of which there are thirty and more", () => expect(capturedSessions.length).toBeGreaterThanOrEqual(30))
})

describe("no secret of a payload is in the spool", () => {
  const tokens = tokenFormats
    .slice(0, 32)
    .map(({ name, pattern }, at) => [`${name} (${at})`, sampleOf(pattern)] as const)
  const assigned = "xK9#mQ2$vL5w"
  /** A text that has the secret, and the secret. */
  const secrets: ReadonlyArray<readonly [string, string, string]> = [
    ...tokens.map(([name, token]) => [name, `use ${token} now`, token] as const),
    ["password in a URL", `git clone https://me:${assigned.replace("#", "")}@example.org/x`, assigned.replace("#", "")],
    ["variable", `export DB_PASSWORD='${assigned}'`, assigned],
    ["variable of the hook itself", "curl -d q8Zr-own-secret-value-17 x", "q8Zr-own-secret-value-17"],
    ["the same in base64", `echo ${Buffer.from("q8Zr-own-secret-value-17").toString("base64")}`, "OFpyLW93bi1zZWNyZXQ"],
    ["header", 'curl -H "Authorization: Bearer abc123def456ghi789jkl" x', "abc123def456ghi789jkl"],
    ["signed token", "token eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "SflKxwRJSMeKKF2QT4"],
    [
      "private key",
      "-----BEGIN PRIVATE KEY-----\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04fSeQ6tF1aY\n-----END PRIVATE KEY-----",
      "MHcCAQEEIIrYSSNQFaA2"
    ],
    ["option of curl", "curl -u me:hunter2secret8 https://example.org", "hunter2secret8"],
    ["setting in JSON", `{"client_secret": "${assigned}"}`, assigned],
    ["name of a user", "cat /home/alicesmith/notes.txt", "alicesmith"]
  ]

  test("in a prompt, a command, an output, an error, a path or the name of a tool", async () => {
    expect(secrets.length).toBeGreaterThanOrEqual(40)
    using at = world()
    for (const [index, [, text, secret]] of secrets.entries()) {
      const session_id = `secret-${index}`
      const common = { session_id, transcript_path: "/t.jsonl", cwd: at.root, permission_mode: "default" }
      const call = { tool_name: "Bash", tool_use_id: `t-${index}`, tool_input: { command: text } }
      const response = { stdout: `${text}\n`, stderr: text, interrupted: false, isImage: false }
      // Without its context, only a token is recognised in the name of a file.
      const file = join(at.root, index < tokens.length && !secret.includes("/") ? secret : "cart.ts")
      const payloads = [
        { hook_event_name: "UserPromptSubmit", prompt: `${"x".repeat(150)} ${text}` },
        { hook_event_name: "PostToolUse", ...call, tool_response: response },
        { hook_event_name: "PostToolUseFailure", ...call, error: `Exit code 1\n${text}` },
        { hook_event_name: "PreToolUse", ...call, tool_name: "Edit", tool_input: { file_path: file, new_string: text } }
      ]
      await Promise.all(payloads.map((payload) => at.send("claude", { ...common, ...payload })))
    }
    const spooled = at.spooled()
    expect(spooled.length).toBe(secrets.length)
    const all = spooled.join("\n")
    const leaked = secrets.filter(
      ([, text, secret]) => all.includes(text) || all.includes(JSON.stringify(secret).slice(1, -1))
    )
    expect(leaked.map(([name]) => name)).toEqual([])
  })
})
