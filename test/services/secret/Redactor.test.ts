import { describe, expect } from "bun:test"
import { Effect, Stream } from "effect"
import { Redactor, redactionFailed, redactorFrom, redactorOf } from "../../../src/services/secret/Redactor.ts"
import { it } from "../../support/effect.ts"

const hidden = "[REDACTED_CREDENTIAL]"

describe("Redactor", () => {
  it.effect("recognises the secrets and the user of its environment", () =>
    Effect.gen(function* () {
      const { text } = yield* Redactor
      expect(text("deploying with zW4-kq9-Lmp0Xv to /home/carol/site, postgres://db.acme.io, /run/user/5/agent")).toBe(
        "deploying with [REDACTED_ENV_VAR] to /home/[REDACTED_USER]/site, postgres://db.acme.io, /run/user/5/agent"
      )
      expect(text("hunter2!pass")).toBe("[REDACTED_ENV_VAR]")
    }).pipe(
      Effect.provide(
        Redactor.layerOf({
          HOME: "/home/carol",
          DEPLOY_TOKEN: "zW4-kq9-Lmp0Xv",
          DATABASE_URL: "postgres://app:hunter2!pass@db.acme.io/x",
          SSH_AUTH_SOCK: "/run/user/5/agent",
          EMPTY_SECRET: ""
        })
      )
    )
  )

  const { value, lines, text } = redactorOf({})

  it("hides in every string of a value, by its key as well, and in keys", () => {
    expect(
      value<unknown>({
        password: "hunter2",
        tokens: { access_token: ["a1b2c3d4", "e5f6g7h8"], count: 2 },
        note: "password: hunter2",
        file: "src/a.ts",
        "https://me:hunter2@a.io": [true, null]
      })
    ).toEqual({
      password: hidden,
      tokens: { access_token: [hidden, hidden], count: 2 },
      note: `password: ${hidden}`,
      file: "src/a.ts",
      "https://[REDACTED_USER]:[REDACTED_API_KEY]@a.io": [true, null]
    })
  })

  it("hides what is nested too deep, and keeps the rest", () => {
    let nested: unknown = "token=abc"
    for (let depth = 0; depth < 20_000; depth++) nested = [nested]
    const redacted = JSON.stringify(value<unknown>({ path: "src/a.ts", nested }))
    expect(redacted).toContain('"path":"src/a.ts"')
    expect(redacted).toContain(redactionFailed)
    expect(redacted).not.toContain("abc")
  })

  it("keeps the lines of a file counted", () => {
    expect(lines(["a", "password: hunter2", ""])).toEqual(["a", `password: ${hidden}`, ""])
    expect(lines([])).toEqual([])
  })

  it("prints the user's own home as ~, and hides it like any other home in what is stored", () => {
    const { text, words } = redactorOf({ HOME: "/home/carol/" })
    expect(words("/home/carol/a, /home/carol, /home/carola/b, x/home/carol/c: token=abc")).toBe(
      `~/a, ~, /home/[REDACTED_USER]/b, x/home/carol/c: token=${hidden}`
    )
    expect(text("/home/carol/a")).toBe("/home/[REDACTED_USER]/a")
    expect(redactorOf({ HOME: "/root" }).words("/root/a")).toBe("/root/a")
  })

  it("is done after one time", () => {
    const once = value({ password: "hunter2", a: ["token=abc"] })
    expect(value(once)).toEqual(once)
  })

  it("accepts text that is not well-formed", () => {
    expect(text("a\ud800 token=abc\u0000\udfff")).toContain(hidden)
  })

  it.effect("hides what a stream cuts in two", () =>
    Effect.gen(function* () {
      const redactor = yield* Redactor
      const pieces = Stream.make("a pass", 'word = "two', ' words" b\nc', " token=", "abc")
      const out = yield* Stream.runCollect(redactor.stream(pieces))
      expect([...out].join("")).toBe(`a password = "${hidden}" b\nc token=${hidden}`)
    })
  )

  describe("that fails inside", () => {
    const broken = redactorFrom(() => ({
      text: () => {
        throw new Error("no")
      },
      masks: () => {
        throw new Error("no")
      },
      hide: () => {
        throw new Error("no")
      }
    }))

    it("reports it, and never shows what it was given", () => {
      expect(broken.text("secret")).toBe(redactionFailed)
      expect(broken.lines(["secret", "b"])).toEqual([redactionFailed, redactionFailed])
      expect(broken.value<unknown>({ a: ["secret"] })).toEqual({ [redactionFailed]: [redactionFailed] })
      expect(redactorFrom(() => redactionsNotMade()).text("secret")).toBe(redactionFailed)
    })

    it.effect("reports it once in a stream, and then nothing more", () =>
      Effect.gen(function* () {
        const out = yield* Stream.runCollect(broken.stream(Stream.make("secret\n", "secret\n\n", "secret\n")))
        expect([...out].join("")).toBe(redactionFailed)
      })
    )
  })
})

const redactionsNotMade = (): never => {
  throw new Error("not made")
}
