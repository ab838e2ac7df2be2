import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import type { Brief } from "../../../src/domain/brief/Brief.ts"
import { callSites } from "../../../src/services/agent/callSites.ts"
import { Redactor } from "../../../src/services/secret/Redactor.ts"
import { emptyBrief } from "../../support/briefs.ts"
import { changeOf, sourcesOf } from "../../support/change.ts"
import { it } from "../../support/effect.ts"

const texts = { "cart.py": ["def total(): pass\n", "def total(tax): pass\n"], "menu.py": [null, "total()\n"] } as const
const others = {
  "shop.py": "import cart\n\ndef pay():\n    return cart.total()\n",
  "key.py": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq7aHqQ3v1n\n-----END RSA PRIVATE KEY-----\n",
  "long.py": `total(${"x".repeat(400)})\n`
}

const near = (file: string, line: number, more: object = {}) => ({
  file,
  line,
  kind: "call" as const,
  name: null,
  certain: true,
  depth: 1,
  ...more
})

const brief = (...nearest: Brief["dependents"][number]["nearest"]): Brief => ({
  ...emptyBrief,
  dependents: [
    {
      name: "total",
      file: "cart.py",
      line: 1,
      callers: nearest.length,
      uses: 0,
      importers: 0,
      overriders: 0,
      subtypes: 0,
      possible: 0,
      files: nearest.length,
      touched: 0,
      nearest
    }
  ]
})

const told = (given: Brief, paths: ReadonlyArray<string> = ["cart.py"]) =>
  callSites(given, changeOf(texts), paths).pipe(
    Effect.provide(Layer.mergeAll(sourcesOf(texts, others), Redactor.layerOf({})))
  )

describe("the call sites that a reviewer is told", () => {
  it.effect("have the line of code and the definition around it, and are in files that did not change", () =>
    Effect.gen(function* () {
      const sites = yield* told(
        brief(near("menu.py", 1), near("shop.py", 4, { name: "pay" }), near("shop.py", 1, { kind: "import" }))
      )
      expect(sites).toEqual(["call of total at shop.py:4 in pay: return cart.total()"])
    })
  )

  it.effect("are those of the files of the reviewer", () =>
    Effect.gen(function* () {
      expect(yield* told(brief(near("shop.py", 4)), ["menu.py"])).toEqual([])
    })
  )

  it.effect("say that only the name matches, cut long lines, and need no text", () =>
    Effect.gen(function* () {
      const [doubtful, long, gone] = yield* told(
        brief(near("shop.py", 4, { certain: false }), near("long.py", 1), near("gone.py", 3))
      )
      expect(doubtful).toBe("call of total at shop.py:4, by name only: return cart.total()")
      expect(long).toHaveLength("call of total at long.py:1: ".length + 161)
      expect(gone).toBe("call of total at gone.py:3")
    })
  )

  it.effect("have no line of a private key, and at most six for a definition", () =>
    Effect.gen(function* () {
      expect((yield* told(brief(near("key.py", 2)))).join()).not.toContain("MIIEow")
      expect(yield* told(brief(...Array.from({ length: 9 }, () => near("shop.py", 4))))).toHaveLength(6)
    })
  )
})
