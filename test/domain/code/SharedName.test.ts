import { describe, expect, test } from "bun:test"
import {
  areAlike,
  driftOf,
  type MentionPlace,
  type Rename,
  type Role,
  renamesIn
} from "../../../src/domain/code/SharedName.ts"
import { diffFile } from "../../support/change.ts"

const words = (text: string) => (text.match(/[A-Z]+_[A-Z_]+/g) ?? []).map((name) => ({ name, role: "uses" as const }))
const renames = (before: string, after: string) =>
  renamesIn(diffFile("a.py", before, after).hunks, words).map(({ after, before, line }) => `${before} ${after} ${line}`)

describe("an evident rename", () => {
  test("is one name for one like it in one line", () =>
    expect(renames('x = read("MAIL_KEY")\n', 'x = read("MAIL_API_KEY")\n')).toEqual(["MAIL_KEY MAIL_API_KEY 1"]))
  test("is not a line that loses two names", () =>
    expect(renames("MAIL_KEY MAIL_HOST\n", "MAIL_API_KEY\n")).toEqual([]))
  test("is not a name that stays beside the new one", () =>
    expect(renames("MAIL_KEY\n", "MAIL_API_KEY or MAIL_KEY\n")).toEqual([]))
  test("is not another name in its place", () => expect(renames("MAIL_KEY\n", "QUEUE_URL\n")).toEqual([]))
  test("is not a block that grew", () => expect(renames("MAIL_KEY\n", "MAIL_API_KEY\nMAIL_OTHER\n")).toEqual([]))
  test("is not in a generated line", () =>
    expect(renames(`MAIL_KEY${" ".repeat(2000)}\n`, `MAIL_API_KEY${" ".repeat(2000)}\n`)).toEqual([]))
})

test("names are alike when they share half of the words of the shorter", () => {
  expect(areAlike("HTTP_PORT", "APP_HTTP_PORT")).toBe(true)
  expect(areAlike("retryLimit", "retry_max")).toBe(true)
  expect(areAlike("/api/orders/recent", "/api/orders/latest")).toBe(true)
  expect(areAlike("DB_HOST_NAME", "DB_PORT_NO")).toBe(false)
  expect(areAlike("", "")).toBe(false)
})

describe("what is left of a name", () => {
  const rename: Rename = { role: "uses", before: "OLD", after: "NEW", line: 1 }
  const at = (name: string, role: Role, path: string): MentionPlace => ({ name, role, path, line: 1 })
  const left = (places: ReadonlyArray<MentionPlace>, renames: ReadonlyArray<Rename> = [rename], of = rename) =>
    driftOf(of, renames, places, "uses")?.left.map(({ path }) => path) ?? null

  test("is where the other side still has it", () =>
    expect(left([at("OLD", "defines", "b.yml"), at("OLD", "defines", "a.yml")])).toEqual(["a.yml", "b.yml"]))
  test("is nothing while the renamed side still has it too", () =>
    expect(left([at("OLD", "defines", "a.yml"), at("OLD", "uses", "b.py")])).toBeNull())
  test("is nothing where a file contains both", () =>
    expect(left([at("OLD", "defines", "a.yml"), at("NEW", "defines", "a.yml")])).toBeNull())
  test("is nothing when the other side has had the new name already", () =>
    expect(left([at("OLD", "defines", "a.yml"), at("NEW", "defines", "b.yml")])).toBeNull())
  test("is what was forgotten when the change renamed the other side elsewhere", () =>
    expect(
      left([at("OLD", "defines", "a.yml"), at("NEW", "defines", "b.yml")], [rename, { ...rename, role: "defines" }])
    ).toEqual(["a.yml"]))
  test("is nothing when the name became several", () =>
    expect(left([at("OLD", "defines", "a.yml")], [rename, { ...rename, after: "OTHER" }])).toBeNull())
  test("lists documents last, and only if the renamed side is the documented one", () => {
    expect(left([at("OLD", "documents", "a.md"), at("OLD", "defines", "z.yml")])).toEqual(["z.yml", "a.md"])
    const given: Rename = { ...rename, role: "defines" }
    expect(left([at("OLD", "documents", "a.md")], [given], given)).toBeNull()
  })
})
