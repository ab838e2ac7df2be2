import { describe, expect, test } from "bun:test"
import { errorSignature, filesNamedIn } from "../../../src/domain/dream/errorSignature.ts"
import { toolOutputs } from "./toolOutputs.ts"

const masked = (message: string, family: string | null = null) => errorSignature(message, family)?.masked

describe("the same error has one signature", () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    [
      "Exit code 2\nsrc/a.ts(12,5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
      "src/deep/b.ts(1,99): error TS2345: Argument of type 'Foo' is not assignable to parameter of type 'Bar'."
    ],
    [
      "Error: ENOENT: no such file or directory, open '/home/a/x.json'",
      "Error: ENOENT: no such file or directory, open '/tmp/1/y.json'"
    ],
    ["\u001b[31mTimeoutError: waited 30000ms\u001b[0m", "TimeoutError: waited 5s"],
    ["KeyError: 'user_id'", "KeyError: 'name'"]
  ]
  for (const [one, other] of same) test(one.slice(0, 50), () => expect(masked(one)).toBe(masked(other)!))

  test("at another time", () => {
    const times = [
      "2026-11-24T10:00:00Z",
      "2026-12-01T23:59:59.123Z",
      "2026-11-24T10:00:00+01:00",
      "2026-11-24 10:00:00,123",
      "2026-11-24 10:00:00 +0100",
      "2026/11/24 10:00:00",
      "Nov 24 10:00:00",
      "Dec  5 23:01:02",
      "24/Nov/2026:10:00:00 +0000",
      "Tue, 24 Nov 2026 10:00:00 GMT",
      "Tue Nov 24 10:00:00 2026"
    ]
    for (const time of times)
      expect(masked(`${time} ERROR request failed: timeout`)).toBe("<n> ERROR request failed: timeout")
  })

  test("other codes and words are other errors", () => {
    expect(masked("a.ts(1,1): error TS2345: x")).not.toBe(masked("a.ts(1,1): error TS2322: x"))
    expect(masked("KeyError: 'a'")).not.toBe(masked("ValueError: 'a'"))
  })
})

describe("a trigger names the code", () => {
  const cases: ReadonlyArray<readonly [string, string | null, string | null]> = [
    ["src/a.ts(12,5): error TS2345: no", "tsc", "error:typescript:TS2345"],
    ["error[E0308]: mismatched types", "cargo build", "error:rust:E0308"],
    ["Error: ENOENT: no such file", "node a.js", "error:system:ENOENT"],
    [
      'Traceback (most recent call last):\n  File "a.py", line 3\nTypeError: bad',
      "python a.py",
      "error:python:TypeError"
    ],
    ["TypeError: x is not a function", "node a.js", "error:javascript:TypeError"],
    ["NameError: name 'foo' is not defined in a.py line 3", "npm test", "error:python:NameError"],
    ["E   TypeError: 'int' object is not callable", "make test", "error:python:TypeError"],
    ["NoMethodError: undefined method `a' for nil", "rspec", "error:ruby:NoMethodError"],
    ["./a.rb:3:in `b': x (NameError)", "make", "error:ruby:NameError"],
    ["ReferenceError: x is not defined", "make", "error:javascript:ReferenceError"],
    ["TypeError: x is not a function", "npm test", "error:javascript:TypeError"],
    ["CartError: no total", "make", "error:CartError"],
    ["a.py:1:1: F401 error: unused import", "ruff check", "error:ruff:F401"],
    ["make: *** [all] Error 2", "make", null]
  ]
  for (const [message, family, trigger] of cases) {
    test(`${trigger}`, () => expect(errorSignature(message, family)?.trigger ?? null).toBe(trigger))
  }

  test("a message without words has no signature", () => {
    expect(errorSignature("", null)).toBeNull()
    expect(errorSignature("Exit code 1\n\n", null)).toBeNull()
  })
})

describe("the cause is the error, not a heading, a summary, a passing test or a line of code", () => {
  for (const { family, masked, output, tool, trigger } of toolOutputs) {
    test(tool, () => expect(errorSignature(output, family)).toEqual({ masked, trigger }))
  }

  test("a summary is better than nothing", () => {
    expect(masked("Exit code 2\nmake: *** [all] Error 2")).toBe("make: *** [all] Error <n>")
    expect(masked("> shop@1.0.0 test\n\nTests: 1 failed, 2 passed")).toBe("Tests: <n> failed, <n> passed")
  })
})

describe("files that an error names", () => {
  test("are relative to the root, each once, without those of dependencies and other projects", () => {
    const message =
      "src/a/cart.ts(3,4): error TS2345\n at /repo/src/b.ts:3:4 /usr/lib/x.py ./c.test.ts node_modules/z/y.js\n\u001b[31mpackage.json\u001b[0m ../up.ts src/b.ts"
    expect(filesNamedIn(message, "/repo")).toEqual(["src/a/cart.ts", "src/b.ts", "c.test.ts", "package.json"])
  })

  test("are at most five", () => {
    expect(filesNamedIn("a.ts b.ts c.ts d.ts e.ts f.ts", "/repo")).toHaveLength(5)
  })
})
