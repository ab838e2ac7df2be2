import { describe, expect, test } from "bun:test"
import { Result, Schema } from "effect"
import {
  type Assistant,
  assistants,
  hookedEvents,
  withHooks,
  withoutHooks
} from "../../../src/domain/dream/hookSettings.ts"
import { it } from "../../support/effect.ts"

const command = (assistant: Assistant) => `/usr/bin/dd hook event --host ${assistant}`
const installed = (text: string | null, assistant: Assistant = "claude") =>
  Result.getOrThrow(withHooks(text, assistant, command(assistant)))
const removed = (text: string, assistant: Assistant = "claude", before: string | null = null) =>
  Result.getOrThrow(withoutHooks(text, assistant, before))
const events = (text: string) => Result.getOrThrow(hookedEvents(text, "claude"))

/** Settings with comments and blanks in many places, chosen by the number. */
const settingsOf = (number: number): string => {
  let state = number
  const choose = <A>(...among: ReadonlyArray<A>): A => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return among[(state >>> 16) % among.length]!
  }
  const end = choose("\n", "\r\n")
  const blank = () =>
    choose("", "", " ", `${end}  `, `${end}\t`, `${end}${end}    `, ` // c, {"${end}`, " /* ] */ ", `/*${end}*/`)
  const list = (items: ReadonlyArray<() => string>, open: string, close: string) => {
    const kept = items.filter(() => choose(true, false))
    const last = kept.length > 0 ? choose("", "", ",") : ""
    return `${open}${kept.map((item) => `${blank()}${item()}${blank()}`).join(",")}${last}${blank()}${close}`
  }
  const entry = () =>
    choose('{"hooks":[{"type":"command","command":"beep"}]}', '{"matcher":"a","hooks":[ ]}', "{}", "null")
  const named = (key: string, value: () => string) => () => `"${key}"${blank()}:${blank()}${value()}`
  const entries = () => list([entry, entry], "[", "]")
  const hooks = () => list([named("Stop", entries), named("Other", entries), named("SessionEnd", entries)], "{", "}")
  const figure = () => choose("12345678901234567890", "1.0", "-0", "1e400")
  const word = () => choose('"// no comment"', '"a \\" } ,]"', '"\\u00e4"', "true")
  const members = [named("big", figure), named("hooks", hooks), named("word", word), named("hooks", hooks)]
  return `${choose("", "", "\uFEFF")}${blank()}${list(members, "{", "}")}${blank()}`
}

const foreign = {
  model: "opus",
  hooks: {
    PreToolUse: [
      { matcher: "Bash", hooks: [{ type: "command", command: "/usr/bin/guard" }] },
      { matcher: "", hooks: [{ type: "command", command: "/opt/x hook event --host other", timeout: 5 }] },
      { hooks: [{ type: "command", command: "/usr/bin/add hook event --host claude" }] },
      { hooks: [{ type: "command", command: "notify-send done; dd hook event --host claude" }] },
      { hooks: [{ type: "command", command: "echo dd hook event --host claude" }] }
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
        expect(after.hooks.PreToolUse.slice(0, 5)).toEqual(foreign.hooks.PreToolUse)
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

  it.prop("are removed to the same text, whatever its blanks, comments and numbers are", Schema.Int, (number) => {
    const text = settingsOf(number)
    const once = installed(text)
    expect(installed(once)).toBe(once)
    expect(events(once)).toHaveLength(11)
    expect(removed(once, "claude", text)).toBe(text)
    const moved = Result.getOrThrow(withHooks(once, "claude", "/new/dd hook event --host claude"))
    expect(moved).not.toContain("/usr/bin/dd")
    expect(removed(moved, "claude", text)).toBe(text)
  })

  test("what the user writes meanwhile stays, and so does everything around it", () => {
    const before = [
      "\uFEFF{",
      "\t// my model",
      '\t"model":  "opus", // the large one',
      '\t"big": [12345678901234567890, 1.0, 1e3],',
      '\t"hooks": {',
      '\t\t"Stop": [], // nothing yet',
      "\t},",
      "}",
      ""
    ].join("\r\n")
    const edit = (text: string) =>
      text
        .replace("\t// my model", '\t/* changed */\r\n\r\n\t"env": { "A": "1" },')
        .replace("1.0, 1e3]", "2.0]")
        .replace(" // nothing yet", " // still nothing")
        .replace(/\t\},\r\n\}\r\n$/, '\t},\r\n\t"theme" : "dark",\r\n}\r\n')
    const during = edit(installed(before))
    expect(events(during)).toHaveLength(11)
    expect(removed(during, "claude", before)).toBe(edit(before))
  })

  test("a line comment that the user writes before dd's hooks keeps its line", () => {
    for (const before of ["{}", '{"b":2}', '{"hooks":{"Stop":[]},"b":2}']) {
      for (const comment of ["// mine\n", '"new":7, // mine\n']) {
        const during = installed(before).replace('"hooks"', `${comment}"hooks"`)
        const left = removed(during, "claude", before) ?? ""
        expect(left).toContain("// mine\n")
        expect(Result.isSuccess(hookedEvents(left, "claude"))).toBe(true)
        expect(events(left)).toEqual([])
      }
    }
  })

  test("a comment behind the last setting stays behind it", () => {
    const once = installed('{\n  "a": 1 // one\n}\n')
    expect(once).toStartWith('{\n  "a": 1, // one\n  "hooks": {\n    "SessionStart": [\n')
    expect(removed(once)).toBe('{\n  "a": 1 // one\n}\n')
  })

  test("a hook of the user in the same entry, and a comment where dd's hooks were, stay", () => {
    const mine = '{ "type": "command", "command": "/usr/bin/mine" }'
    const ours = `{ "type": "command", "command": "${command("claude")}" }`
    const stop = (list: string) => `{\n  "hooks": {\n    "Stop": [\n      { "hooks": [${list}] }\n    ]\n  }\n}\n`
    expect(removed(stop(`${ours}, ${mine}`))).toBe(stop(` ${mine}`))
    expect(removed(stop(`${mine}, ${ours}, ${ours}`))).toBe(stop(mine))
    expect(removed(`{"a":1,"hooks":{"Stop":[/* mine */{"hooks":[${ours}]}]}}`)).toBe(
      '{"a":1,"hooks":{"Stop":[/* mine */]}}'
    )
  })

  test("an object or a list that was empty before stays, also when the user changes something else", () => {
    for (const before of ["{}", "{ }", '{"hooks":{}}', '{\n  "hooks": {"Stop": [ ]}\n}\n']) {
      expect(removed(installed(before), "claude", before)).toBe(before)
      const edit = (text: string) => text.replace(/\}(\s*)$/, `${/^\{\s*\}$/.test(text) ? "" : ","}"a":1}$1`)
      expect(JSON.parse(removed(edit(installed(before)), "claude", before) ?? "")).toEqual(JSON.parse(edit(before)))
    }
    expect(removed(installed(" \n"), "claude", " \n")).toBe(" \n")
    expect(removed(installed("\uFEFF"), "claude", "\uFEFF")).toBe("\uFEFF")
  })

  test("settings that are no settings are refused with the reason", () => {
    for (const [text, reason] of [
      ["{", "it is not valid JSON"],
      ['{"a": 1 "b": 2}', "it is not valid JSON"],
      ['{"a": [,]}', "it is not valid JSON"],
      ["{} /* no end", "it is not valid JSON"],
      ["// only a comment", "it is not valid JSON"],
      ["[".repeat(200_000), "it is not valid JSON"],
      ["[]", "it is not a JSON object"],
      ['{"hooks": []}', 'its "hooks" is not an object'],
      ['{"hooks": {"Stop": {}}}', 'its "hooks.Stop" is not a list']
    ] as const) {
      const result = withHooks(text, "claude", command("claude"))
      expect(Result.isFailure(result) && result.failure).toBe(reason)
    }
  })
})
