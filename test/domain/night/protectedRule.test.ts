import { describe, expect, test } from "bun:test"
import { isProtectedRule } from "../../../src/domain/night/protectedRule.ts"
import { catalogue } from "../../../src/rules/catalogue.ts"

const isProtected = (id: string): boolean => isProtectedRule(id, catalogue.find((rule) => rule.id === id)?.reference)

describe("rules that are never suppressed", () => {
  test("report secrets, attacks on reviewers and weaknesses of security", () => {
    const security = `secret/provider-token injection/instruction ci/script-injection text/bidi-control files/secret-file py/sql-injection
      ts/html-injection go/tls-verification-off elixir/unsafe-binary-to-term java/weak-cipher ruby/input-evaluated`
    for (const id of security.split(/\s+/)) expect([id, isProtected(id)]).toEqual([id, true])
  })

  test("are those of models and those that dd does not know", () => {
    expect(isProtected("model/review")).toBe(true)
    expect(isProtected("team/own-rule")).toBe(true)
    expect(isProtectedRule("team/own-rule", "https://example.com/rules")).toBe(false)
    expect(isProtectedRule("team/own-rule", "https://cwe.mitre.org/data/definitions/89.html")).toBe(true)
  })

  test("are not those of other defects", () => {
    const others =
      "py/mutable-default debug/noise-print code/same-branches drift/route go/error-swallowed files/build-product"
    for (const id of others.split(" ")) expect([id, isProtected(id)]).toEqual([id, false])
  })
})
