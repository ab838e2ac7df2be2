/** Where the quick redaction gives a text, it is the text of the whole redaction. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { knownSecrets, mayContainKnown, secretValues } from "../../../src/domain/secret/KnownSecrets.ts"
import { quickRedaction } from "../../../src/domain/secret/quickRedaction.ts"
import { plainRedaction, redactionOf } from "../../../src/domain/secret/Redaction.ts"
import { isSecretVariable, secretVariables } from "../../../src/domain/secret/secretVariable.ts"
import { tokenFormats } from "../../../src/domain/secret/tokenFormats.ts"
import { hostilePieces } from "../../support/hostileSecrets.ts"
import { sampleOf } from "../../support/sampleOf.ts"

const quick = (text: string): string | null => quickRedaction([text], [])?.(text) ?? null

/** In a text of its own, and between others: the texts are judged together. */
const agrees = (text: string): void => {
  const whole = plainRedaction.text(text)
  for (const around of [[text], ["src/a.ts", text, "main"]]) {
    const redacted = quickRedaction(around, [])?.(text) ?? null
    expect([text, redacted ?? whole]).toEqual([text, whole])
  }
}

/** Texts of the tests of the whole redaction, with and without secrets. */
const examples = [
  ...["domain/secret/Redaction.test.ts", "domain/secret/Secret.test.ts", "binary/redact.test.ts"].flatMap((file) => {
    const source = readFileSync(join(import.meta.dir, "../..", file), "utf8")
    const literals = source.match(/"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'/g) ?? []
    return [...source.split("\n"), ...literals.map((literal) => literal.slice(1, -1).replaceAll(/\\(.)/g, "$1"))]
  })
]

describe("the quick redaction", () => {
  test("agrees with the whole one on every line and literal of the tests of redaction", () => {
    expect(examples.length).toBeGreaterThan(1_500)
    for (const example of examples) agrees(example)
  })

  test("gives no token away, in a word, in quotes or alone", () => {
    for (const { pattern } of tokenFormats) {
      const token = sampleOf(pattern)
      for (const text of [token, `use ${token} now`, `f("${token}")`, `x${token}`, `a-${token}`]) agrees(text)
      expect([token, quick(token)]).toEqual([token, null])
    }
  })

  test("agrees on pieces of secrets, alone, joined and after names of users", () => {
    for (const piece of hostilePieces) {
      agrees(piece)
      agrees(`${piece}abcdef0123456789`)
      for (const user of [
        `/home/alice${piece}`,
        `${piece}/home/alice`,
        `/home/${piece}a`,
        `/home/alice/${piece}=x9y8z7`
      ])
        agrees(`${user} ${piece} x9y8z7`)
      for (const other of hostilePieces) agrees(`${piece}${other}hunter2 ${other}`)
    }
  })

  test("judges ordinary commands, outputs and paths itself, and hides users in paths", () => {
    for (const text of [
      "bun test test/binary",
      "bun test v1.4.5\n\n 18 pass\n 0 fail\nRan 18 tests across 2 files. [3.20s]\n",
      "Tests:       2 failed, 31 passed, 33 total\nTime:        1.2 s",
      "cd web && npx tsc --noEmit 2>&1 | tail -20",
      "git commit -m 'Fix the totals of the cart'",
      "src/cart.ts(12,5): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
      "FAILED tests/test_cart.py::test_total - AssertionError: assert 3 == 4",
      "7c0f1f0e-1111-4222-8333-944455556666",
      "toolu_01A09q90qw90lq917835lq9",
      "/code/shop/web/src/components/Cart.tsx",
      "Rename the function `sum` and update its callers"
    ])
      expect([text, quick(text)]).toEqual([text, text])
    expect(quick("/home/alice/shop/a.ts")).toBe("/home/[REDACTED_USER]/shop/a.ts")
    expect(quick("/Users/alice/shop and C:/Users/bob/x")).toBe(
      "/Users/[REDACTED_USER]/shop and C:/Users/[REDACTED_USER]/x"
    )
  })

  test("recognises the process's own secrets in all forms in which they are hidden", () => {
    const values = ["q8Zr-own-secret-value-17", 'p"ss wörd/+=&?x9', "a.b~c!d*e(f)g'h1", "Zm9vYmFyL2Jheg", "short123"]
    const redaction = redactionOf({ secrets: values, users: [] })
    const may = mayContainKnown(values)
    for (const value of values) {
      const forms = [
        value,
        JSON.stringify(value),
        encodeURIComponent(value),
        ...["", "a", "ab"].map((before) => Buffer.from(`${before}${value}zz`).toString("base64")),
        Buffer.from(value).toString("hex"),
        Buffer.from(value).toString("hex").toUpperCase()
      ]
      for (const form of forms) {
        for (const text of [form, form.slice(0, -2), form.slice(3), `x ${form} y`]) {
          if (redaction.text(text) !== text) expect([text, may(text) || quick(text) === null]).toEqual([text, true])
          if (knownSecrets(values).find(text).length > 0) expect([text, may(text)]).toEqual([text, true])
        }
      }
    }
    expect(may("bun test test/binary")).toBe(false)
  })
})

describe("the secrets of an environment", () => {
  test("are those of the names that are judged one by one", () => {
    const names =
      "HOME PATH PWD OLDPWD SSH_AUTH_SOCK GITHUB_TOKEN my_api_key TOKEN_URL XAUTHORITY GH_PAT COOKIE A".split(" ")
    expect(secretVariables(names).toSorted()).toEqual(names.filter(isSecretVariable).toSorted())
    expect(secretVariables([])).toEqual([])
  })

  test("have passwords in URLs of other variables", () => {
    const environment = { A: "x", URL: "postgres://me:q9w8e7r6@db/x", GH_PAT: "abc", EMPTY_TOKEN: "" }
    expect(secretValues(environment).toSorted()).toEqual(["abc", "q9w8e7r6"])
  })
})
