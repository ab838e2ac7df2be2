import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import {
  type Assistant,
  assistants,
  hookedEvents,
  withHooks,
  withoutHooks
} from "../../../src/domain/dream/hookSettings.ts"

const command = (assistant: Assistant) => `/usr/bin/dd hook event --host ${assistant}`
const installed = (text: string | null, assistant: Assistant = "claude") =>
  Result.getOrThrow(withHooks(text, assistant, command(assistant)))
const removed = (text: string, assistant: Assistant = "claude") => Result.getOrThrow(withoutHooks(text, assistant))

const foreign = {
  model: "opus",
  hooks: {
    PreToolUse: [
      { matcher: "Bash", hooks: [{ type: "command", command: "/usr/bin/guard" }] },
      { matcher: "", hooks: [{ type: "command", command: "/opt/x hook event --host other", timeout: 5 }] },
      { hooks: [{ type: "command", command: "/usr/bin/add hook event --host claude" }] }
    ],
    Notification: [{ hooks: [{ type: "command", command: "beep" }] }]
  },
  permissions: { allow: ["Bash(ls:*)"] }
}

describe("dd's hooks in settings", () => {
  for (const assistant of Object.keys(assistants) as ReadonlyArray<Assistant>) {
    for (const [what, text] of [
      ["indented", `${JSON.stringify(foreign, null, 2)}\n`],
      ["with tabs", JSON.stringify(foreign, null, "\t")],
      ["in one line", JSON.stringify(foreign)]
    ] as const) {
      test(`${assistant}, ${what}: are added once, beside foreign ones, and removed to the same bytes`, () => {
        const once = installed(text, assistant)
        expect(installed(once, assistant)).toBe(once)
        expect(Result.getOrThrow(hookedEvents(once, assistant)).toSorted()).toEqual(
          Object.keys(assistants[assistant].events).toSorted()
        )
        const after = JSON.parse(once)
        expect(after.hooks.PreToolUse.slice(0, 3)).toEqual(foreign.hooks.PreToolUse)
        expect([after.model, after.permissions, after.hooks.Notification]).toEqual([
          foreign.model,
          foreign.permissions,
          foreign.hooks.Notification
        ])
        expect(removed(once, assistant)).toBe(text)
      })
    }
  }

  test("a file that had only these is no longer needed", () => {
    expect(removed(installed(null))).toBeNull()
    expect(removed(installed(""))).toBeNull()
  })

  test("another path of dd replaces the old one", () => {
    const moved = Result.getOrThrow(withHooks(installed(null), "claude", "/new/dd hook event --host claude"))
    expect(moved).not.toContain("/usr/bin/dd")
    expect(Result.getOrThrow(hookedEvents(moved, "claude"))).toHaveLength(11)
  })

  test("settings that are no settings are refused with the reason", () => {
    for (const [text, reason] of [
      ["{", "it is not valid JSON"],
      ["[]", "it is not a JSON object"],
      ['{"hooks": []}', 'its "hooks" is not an object'],
      ['{"hooks": {"Stop": {}}}', 'its "hooks.Stop" is not a list']
    ] as const) {
      const result = withHooks(text, "claude", command("claude"))
      expect(Result.isFailure(result) && result.failure).toBe(reason)
    }
  })
})
