import { describe, expect } from "bun:test"
import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { Effect } from "effect"
import { ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import type { MergedItem } from "../../../src/domain/finding/MergedItem.ts"
import { fingerprintedFindings } from "../../../src/services/review/fingerprintedFindings.ts"
import { changeOf, sourcesOf } from "../../support/changeOf.ts"
import { it } from "../../support/effect.ts"

type Fields = Partial<ConstructorParameters<typeof ReviewRecord>[0]>

const item = (fields: Fields = {}, rest: Partial<MergedItem> = {}): MergedItem => ({
  id: 1,
  record: ReviewRecord.make({
    id: 1,
    rule: "py/mutable-default",
    description: "A list as a default is shared.",
    file: "a.py",
    line: 3,
    confidence: "HIGH",
    severity: "medium",
    rationale: "",
    evidence: "a.py:3",
    ...fields
  }),
  stacks: ["python"],
  lens: "per-stack",
  merged: [],
  ...rest
})

const text = "import os\n\ndef f(a=[]):\n    return a\n"

const findingsIn = (items: ReadonlyArray<MergedItem>, head: string | null = text, unknown = false) => {
  const texts = { "a.py": ["import os\n", head] as const }
  const change = changeOf(texts, unknown ? { head: { _tag: "Unknown" } } : {})
  return fingerprintedFindings(items, change).pipe(
    Effect.provide([NodeCrypto.layerDigest, sourcesOf(unknown ? {} : texts)])
  )
}

const fingerprints = (items: ReadonlyArray<MergedItem>, head?: string) =>
  findingsIn(items, head).pipe(Effect.map((found) => found.map((finding) => finding.fingerprint)))

describe("fingerprintedFindings", () => {
  it.effect("keeps the empty suggestion of a rule, which deletes the lines, and drops that of a model", () =>
    Effect.gen(function* () {
      const { rule: _, ...ofModel } = item({ suggestion: " \n" }).record
      const found = yield* findingsIn([item({ suggestion: "" }), { ...item(), record: ReviewRecord.make(ofModel) }])
      expect(new Set(found.map(({ source, suggestion }) => `${source} ${suggestion}`))).toEqual(
        new Set(["static ", "model null"])
      )
    })
  )

  it.effect("returns the same fingerprint on every machine", () =>
    Effect.gen(function* () {
      expect(yield* fingerprints([item()])).toEqual(["dd1:4e5b0caee98aed74"])
    })
  )

  it.effect("keeps it when the code moves and when the message is reworded", () =>
    Effect.gen(function* () {
      const [before] = yield* fingerprints([item()])
      const moved = "import os\nimport re\n\nX = 1\n\n\nclass C:\n\n    def f(a=[]):\n        return a\n"
      const reworded = item({ line: 9, evidence: "a.py:9", description: "Shared default.", title: "Default is shared" })
      expect(yield* fingerprints([reworded], moved)).toEqual([before!])
    })
  )

  it.effect("keeps it when the lines around it are edited", () =>
    Effect.gen(function* () {
      const [before] = yield* fingerprints([item()])
      const edited = text.replace("return a", "return list(a)")
      expect(edited).not.toBe(text)
      expect(yield* fingerprints([item()], edited)).toEqual([before!])
    })
  )

  it.effect("changes it with the rule, the file and the code", () =>
    Effect.gen(function* () {
      const [before] = yield* fingerprints([item()])
      expect(yield* fingerprints([item({ rule: "py/other" })])).not.toEqual([before!])
      expect(yield* fingerprints([item({ file: "b.py" })])).not.toEqual([before!])
      expect(yield* fingerprints([item()], text.replace("a=[]", "a=[1]"))).not.toEqual([before!])
    })
  )

  it.effect("distinguishes equal code, whichever of it is reported", () =>
    Effect.gen(function* () {
      const twice = `${text}\n${text}`
      const [first, second] = yield* fingerprints([item(), item({ line: 8 })], twice)
      expect(first).not.toBe(second)
      expect(yield* fingerprints([item({ line: 8 })], twice)).toEqual([second!])
      expect(new Set(yield* fingerprints([item(), item()], text)).size).toBe(2)
    })
  )

  it.effect("does not identify a model's finding by its text or by its number of stacks", () =>
    Effect.gen(function* () {
      const { rule: _, ...words } = item().record
      const said = (description: string, lens: "per-stack" | "cross-stack"): MergedItem => ({
        ...item(),
        lens,
        record: ReviewRecord.make({ ...words, description })
      })
      expect(yield* fingerprints([said("one way", "per-stack")])).toEqual(
        yield* fingerprints([said("another", "cross-stack")])
      )
    })
  )

  it.effect("fingerprints a bare patch as it does the repository", () =>
    Effect.gen(function* () {
      const [finding] = yield* findingsIn([item()], text, true)
      expect([finding!.fingerprint]).toEqual(yield* fingerprints([item()]))
    })
  )

  it.effect("numbers complete findings from 1, best first", () =>
    Effect.gen(function* () {
      const found = yield* findingsIn([
        item({ severity: "low" }),
        item({ severity: "high", line: 4, endLine: 2, rule: "py/b" }, { stacks: ["alternatives", "go", "python"] })
      ])
      expect(
        found.map(({ id, severity, line, endLine, stack, source, new: isNew }) => [
          id,
          severity,
          line,
          endLine,
          stack,
          source,
          isNew
        ])
      ).toEqual([
        [1, "high", 4, 4, "go+python", "static", true],
        [2, "low", 3, 3, "python", "static", true]
      ])
    })
  )

  it.effect("reports nothing for no input", () =>
    Effect.gen(function* () {
      expect(yield* findingsIn([])).toEqual([])
    })
  )
})
