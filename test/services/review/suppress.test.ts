import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { baselineFileName, baselineText } from "../../../src/domain/finding/Baseline.ts"
import { type Finding, ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import type { MergedItem } from "../../../src/domain/finding/MergedItem.ts"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import { Learned, nothingLearned } from "../../../src/services/finding/Learned.ts"
import { RuleSet, shippedRules } from "../../../src/services/finding/RuleSet.ts"
import { suppress, unusedSuppressions } from "../../../src/services/review/suppress.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/changeOf.ts"
import { it } from "../../support/effect.ts"
import { finding } from "../../support/finding.ts"
import { suppression } from "../../support/generations.ts"

const apply = (texts: Texts, ...findings: ReadonlyArray<Finding>) =>
  suppress(findings, changeOf(texts)).pipe(Effect.provide([sourcesOf(texts), RuleSet.layer]))

const itemOf = (rule: string, file: string, line: number): MergedItem => ({
  id: 1,
  record: ReviewRecord.make({
    id: 1,
    rule,
    description: "d",
    file,
    line,
    severity: "low",
    confidence: "HIGH",
    rationale: "",
    evidence: `${file}:${line}`
  }),
  stacks: ["python"],
  lens: "per-stack",
  merged: []
})

describe("suppress", () => {
  it.effect("sets aside what a comment names, and shows by what and why", () =>
    Effect.gen(function* () {
      const text = "# dd-ignore-next-line py/eval: trusted\neval(x)\n"
      const { kept, suppressed, notes } = yield* apply(
        { "a.py": [text, `${text}eval(y)\n`] },
        finding(),
        finding({ line: 3, endLine: 3 }),
        finding({ rule: "py/other" })
      )
      expect(kept.map(({ rule, line }) => [rule, line])).toEqual([
        ["py/eval", 3],
        ["py/other", 2]
      ])
      expect(suppressed).toEqual([
        { finding: finding(), by: "a.py:1", place: { file: "a.py", line: 1 }, reason: "trusted", addedByChange: false }
      ])
      expect(notes).toEqual([])
    })
  )

  it.effect("notes a suppression that the change itself adds", () =>
    Effect.gen(function* () {
      const { suppressed, notes } = yield* apply(
        { "a.py": ["x = 1\n", "x = 1\neval(x)  # dd-ignore py/*: hush\n"] },
        finding()
      )
      expect(suppressed[0]!.addedByChange).toBe(true)
      expect(notes).toEqual(["a.py:2: this change itself suppresses py/eval (hush)"])
    })
  )

  it.effect("reads .daydreamignore as it was before the change", () =>
    Effect.gen(function* () {
      const { kept, suppressed, notes } = yield* apply(
        { ".daydreamignore": ["b.py # generated\n", "b.py\na.py\n"], "a.py": [null, "\neval(x)\n"] },
        finding(),
        finding({ file: "b.py" })
      )
      expect(kept.map(({ file }) => file)).toEqual(["a.py"])
      expect(suppressed.map(({ by, reason }) => [by, reason])).toEqual([[".daydreamignore:1", "generated"]])
      expect(notes).toEqual(["This change edits .daydreamignore; its version before the change was used."])
    })
  )

  it.effect("names the line of a .daydreamignore it cannot read", () =>
    Effect.gen(function* () {
      const broken = "ok/\na b c\n"
      const error = yield* Effect.flip(apply({ ".daydreamignore": [broken, broken] }, finding()))
      expect(error.message).toStartWith(".daydreamignore:2 (base): write a rule")
      const fixed = yield* apply({ ".daydreamignore": [broken, "ok/\n"] }, finding())
      expect(fixed.notes[0]).toStartWith(".daydreamignore:2 (base) was not used: write a rule")
    })
  )

  it.effect("reports when a change excuses its own findings in the baseline", () =>
    Effect.gen(function* () {
      const known = finding({ new: false })
      const other = finding({ new: false, fingerprint: "dd1:0000000000000002" })
      const texts: Texts = {
        [baselineFileName]: [
          baselineText([other], plainRedaction.text),
          baselineText([known, other], plainRedaction.text)
        ]
      }
      expect((yield* apply(texts, known, other)).notes).toEqual([
        "1 finding counts as known only because this change adds to .daydream-baseline.json"
      ])
      expect((yield* apply(texts, other)).notes).toEqual([])
    })
  )

  it.effect("takes no .daydreamignore from a patch without a repository", () =>
    Effect.gen(function* () {
      const texts: Texts = { ".daydreamignore": ["a.py\n", null] }
      const change = { ...changeOf(texts), base: { _tag: "Unknown" } as const }
      const { kept } = yield* suppress([finding()], change).pipe(Effect.provide([sourcesOf(texts), RuleSet.layer]))
      expect(kept).toHaveLength(1)
    })
  )

  it.effect("reports a comment that is written like a suppression and suppresses nothing", () =>
    Effect.gen(function* () {
      const { kept, notes } = yield* apply({ "a.py": [null, "# dd-ignore-next-line eval\neval(x)\n"] }, finding())
      expect(kept).toHaveLength(1)
      expect(notes[0]).toStartWith("a.py:1: this dd-ignore comment does nothing")
    })
  )

  it.effect("names the misspelled rule of an old comment while its finding is still there", () =>
    Effect.gen(function* () {
      const after = "eval(x)  # dd-ignore py/bare-exept: typo\neval(y)  # dd-ignore py/eval, pi/*: ok\n"
      const old = `# dd-ignore-next-line another/tool: theirs\nx = 1\n${after}`
      const untouched = yield* apply({ "a.py": [old, `${old}\neval(z)\n`] }, finding({ line: 6 }))
      expect(untouched.notes).toEqual([])
      const stillThere = yield* apply({ "a.py": [old, `${old}\neval(z)\n`] }, finding({ line: 3 }))
      expect(stillThere.notes).toEqual([
        'a.py:3: dd-ignore comment: py/bare-exept: there is no such rule (did you mean "py/bare-except"?)'
      ])
    })
  )

  it.effect("names a misspelled rule in .daydreamignore, and none that another user or an extension may have", () =>
    Effect.gen(function* () {
      const ignored = "py/bare-exept # a\npy/bare-except b.py\nuser/theirs\next/mine\nmodel/review\npyt/* c.py\na.py\n"
      expect((yield* apply({ ".daydreamignore": [ignored, ignored] })).notes).toEqual([
        '.daydreamignore:1: py/bare-exept: there is no such rule (did you mean "py/bare-except"?)',
        '.daydreamignore:6: pyt/*: there is no such area (did you mean "py/*"?)'
      ])
    })
  )

  const unused = (
    texts: Texts,
    items: ReadonlyArray<MergedItem> = [],
    { reason = "", rules = RuleSet.layer }: { readonly reason?: string; readonly rules?: Layer.Layer<RuleSet> } = {}
  ) =>
    Effect.gen(function* () {
      const coverage = Object.keys(texts).map((path) => ({ path, status: "reviewed" as const, reason }))
      const found = yield* unusedSuppressions(items, changeOf(texts), coverage)
      return [...found.records.map(({ description, file, line }) => `${file}:${line}: ${description}`), ...found.notes]
    }).pipe(Effect.provide([sourcesOf(texts), rules]))

  it.effect("finds a new comment that suppresses nothing, and the rule that was probably meant", () =>
    Effect.gen(function* () {
      const text = "x = 1  # dd-ignore py/bare-except: no\ny = 2  # dd-ignore py/bare-exept: typo\n"
      expect(yield* unused({ "a.py": [null, text] })).toEqual([
        "a.py:1: `dd-ignore` comment suppresses nothing: py/bare-except reports nothing on line 1 of a.py.",
        'a.py:2: `dd-ignore` comment suppresses nothing: py/bare-exept: there is no such rule (did you mean "py/bare-except"?).'
      ])
    })
  )

  it.effect("suggests to remove a comment that suppresses nothing, but not one with an unknown or a needed rule", () =>
    Effect.gen(function* () {
      const suggestionsOf = Effect.fnUntraced(function* (text: string, items: ReadonlyArray<MergedItem> = []) {
        const texts: Texts = { "a.py": [null, text] }
        const coverage = [{ path: "a.py", status: "reviewed" as const, reason: "" }]
        const { records } = yield* unusedSuppressions(items, changeOf(texts), coverage).pipe(
          Effect.provide([sourcesOf(texts), RuleSet.layer])
        )
        return records.map(({ suggestion }) => suggestion)
      })
      expect(yield* suggestionsOf("x = 1  # dd-ignore py/bare-except: no\n")).toEqual(["x = 1"])
      expect(yield* suggestionsOf("# dd-ignore-next-line py/bare-except\none = call(1)\n")).toEqual([""])
      expect(yield* suggestionsOf("x = 1  # dd-ignore py/bare-exept: typo\n")).toEqual([undefined])
      const both = "x = 1  # dd-ignore py/bare-except, py/is-literal: no\n"
      expect(yield* suggestionsOf(both)).toEqual(["x = 1", "x = 1"])
      expect(yield* suggestionsOf(both, [itemOf("py/is-literal", "a.py", 1)])).toEqual([undefined])
    })
  )

  it.effect("names the unknown rule of a new comment above any line", () =>
    Effect.gen(function* () {
      const old = "try:\n    return open(path)\nexcept:\n    return None\n"
      const comment = "# dd-ignore-next-line py/bare-excpet: caller retries\n"
      const said =
        '`dd-ignore` comment suppresses nothing: py/bare-excpet: there is no such rule (did you mean "py/bare-except"?).'
      expect(yield* unused({ "a.py": [old, old.replace("except:", `${comment}except:`)] })).toEqual([`a.py:3: ${said}`])
      for (const short of ["y = 1", "x: 1", "a = b", "}"]) {
        expect(yield* unused({ "a.py": [null, `${comment}${short}\n`] })).toEqual([`a.py:1: ${said}`])
      }
    })
  )

  it.effect("notes an old comment above a new line, without a finding", () =>
    Effect.gen(function* () {
      const old = "# dd-ignore-next-line py/bare-except: once needed\n"
      expect(yield* unused({ "a.py": [`${old}one = call(1)\n`, `${old}two = call(2)\n`] })).toEqual([
        "a.py:1: this dd-ignore comment suppresses nothing: py/bare-except reports nothing on line 2 of a.py"
      ])
    })
  )

  it.effect("ignores a comment that is needed, that only moved, or whose rule was not applied", () =>
    Effect.gen(function* () {
      const needed = itemOf("py/bare-except", "a.py", 1)
      expect(yield* unused({ "a.py": [null, "x = 1  # dd-ignore py/bare-except: no\n"] }, [needed])).toEqual([])
      for (const pattern of ["xref/call-no-longer-fits", "model/review", "dd1:0000000000000001", "user/mine"]) {
        expect(yield* unused({ "a.py": [null, `x = 1  # dd-ignore ${pattern}: yes\n`] })).toEqual([])
      }
      const line = "x = call(1)  # dd-ignore py/bare-except: no\n"
      expect(yield* unused({ "a.py": [`${line}y = 1\n`, `y = 1\n${line}`] })).toEqual([])
    })
  )

  it.effect("does not report a comment where no rule can have claimed the line, or the file was reviewed in part", () =>
    Effect.gen(function* () {
      const text = "x = 1  # dd-ignore py/bare-except: no\n"
      expect(
        yield* unused({ "a.py": ["x = 1\ny = 2\n", `# dd-ignore-next-line py/bare-except\nx = 1\ny = 2\n`] })
      ).toEqual([])
      expect(yield* unused({ "a.py": [null, text] }, [], { reason: "line rules only" })).toEqual([])
      const others = RuleSet.layerOf(shippedRules.filter(({ id }) => id !== "py/bare-except"))
      expect(yield* unused({ "a.py": [null, text] }, [], { rules: others })).toEqual([])
      expect(yield* unused({ "a.py": [null, text] }, [itemOf("py/bare-except", "a.py", 2)])).toHaveLength(1)
    })
  )

  it.effect("takes the rule of an extension's finding for a rule", () =>
    Effect.gen(function* () {
      const texts: Texts = { "a.py": [null, "x\ny  # dd-ignore ext/mine: seen\n"] }
      const { notes } = yield* apply(texts, finding({ rule: "ext/mine" }))
      expect(notes).toEqual(["a.py:2: this change itself suppresses ext/mine (seen)"])
    })
  )

  it.effect("keeps every finding, in order, when nothing is suppressed", () =>
    Effect.gen(function* () {
      const all = [finding(), finding({ file: "gone.py" })]
      expect((yield* apply({}, ...all)).kept).toEqual(all)
      expect((yield* apply({})).kept).toEqual([])
    })
  )
})

describe("what dd learned from labels", () => {
  const learning = (...suppressions: ReadonlyArray<ReturnType<typeof suppression>>) =>
    Layer.succeed(Learned, Effect.succeed({ ...nothingLearned, generation: 3, suppressions }))
  const rule = "py/eval"
  const file = "src/generated/a.py"
  const texts = { [file]: [null, "eval(x)\n"] } satisfies Texts
  const at = (fields: Partial<Finding> = {}) => finding({ rule, file, line: 1, endLine: 1, ...fields })
  const applied = (learned: ReturnType<typeof learning>, ...findings: ReadonlyArray<Finding>) =>
    apply(texts, ...findings).pipe(Effect.provide(learned))

  it.effect("hides a finding that people rejected before, with the counts and how to see why", () =>
    Effect.gen(function* () {
      const elsewhere = at({ file: "src/a.py" })
      const other = at({ rule: "py/other" })
      const found = yield* applied(learning(suppression({ rule })), at(), elsewhere, other)
      expect(found.kept).toEqual([elsewhere, other])
      expect(found.suppressed).toEqual([
        {
          finding: at(),
          by: "learned sup-0123456789abcdef",
          place: null,
          learned: "sup-0123456789abcdef",
          reason: "people rejected 7 of 7 findings of this rule in src/generated/; dd dream why sup-0123456789abcdef",
          addedByChange: false
        }
      ])
      expect(found.notes).toEqual(["1 finding is hidden by what dd learned from labels; --no-learned shows all"])
    })
  )

  it.effect("hides nothing once it has expired, and never a secret or the claim of a model", () =>
    Effect.gen(function* () {
      const secret = at({ rule: "secret/provider-token" })
      const claim = at({ rule: "model/review", source: "model" })
      const all = [
        suppression({ rule, expires: 0 }),
        suppression({ rule: secret.rule, folder: "" }),
        suppression({ rule: claim.rule, folder: "" })
      ]
      const found = yield* applied(learning(...all), at(), secret, claim)
      expect([found.kept, found.suppressed, found.notes]).toEqual([[at(), secret, claim], [], []])
    })
  )

  it.effect("comes after what the user wrote: the comment is named", () =>
    Effect.gen(function* () {
      const commented = { [file]: ["", "eval(x)  # dd-ignore py/eval: trusted\n"] } satisfies Texts
      const { suppressed } = yield* apply(commented, at()).pipe(Effect.provide(learning(suppression({ rule }))))
      expect(suppressed).toMatchObject([{ by: `${file}:1`, reason: "trusted" }])
    })
  )
})
