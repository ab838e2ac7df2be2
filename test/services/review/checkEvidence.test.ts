import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import type { Change } from "../../../src/domain/change/Change.ts"
import { type Exploration, nothingExplored } from "../../../src/domain/code/Exploration.ts"
import { type Lens, ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import type { MergedItem } from "../../../src/domain/finding/MergedItem.ts"
import { visiblePath } from "../../../src/domain/text/Printable.ts"
import { Sources, type SourceText } from "../../../src/services/change/Sources.ts"
import { checkEvidence } from "../../../src/services/review/checkEvidence.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/changeOf.ts"
import { it } from "../../support/effect.ts"
import { oddPaths } from "../../support/oddPaths.ts"

type Fields = Partial<ConstructorParameters<typeof ReviewRecord>[0]> & { readonly lens?: Lens }

const item = ({ lens = "per-stack", ...fields }: Fields = {}): MergedItem => ({
  id: 1,
  record: ReviewRecord.make({
    id: 1,
    description: "d",
    file: "a.py",
    line: 2,
    confidence: "HIGH",
    severity: "high",
    rationale: "",
    evidence: "a.py:2",
    ...fields
  }),
  stacks: ["python"],
  lens,
  merged: []
})

const texts: Texts = {
  "a.py": ["import os\n", "import os\nprint(x)\n"],
  "gone.py": ["def f():\n    pass\n", null],
  "far.py": ["import a\n", "import a\n"],
  "b/new.py": [null, "one\ntwo\nthree\nfour\nfive\n"]
}

const check = (
  items: ReadonlyArray<MergedItem>,
  {
    change = changeOf(texts),
    exploration = nothingExplored,
    other = {}
  }: {
    readonly change?: Change
    readonly exploration?: Exploration
    readonly other?: Readonly<Record<string, SourceText>>
  } = {}
) => checkEvidence(items, change, exploration).pipe(Effect.provide(sourcesOf(texts, other)))

const reasonOf = (fields: Fields, options?: Parameters<typeof check>[1]) =>
  check([item(fields)], options).pipe(Effect.map(({ dropped }) => dropped[0]?.reason ?? null))

describe("checkEvidence", () => {
  it.effect("names the places that the evidence of a model cites, each once", () =>
    Effect.gen(function* () {
      const evidence = "a.py:2 calls far.py:1 (far.py:1), not far.py:99"
      const [own] = (yield* check([item({ evidence })])).kept
      expect(own?.record.related).toEqual([
        { file: "far.py", line: 1, column: null, endColumn: null, message: "cited as evidence" }
      ])
      const [ofRule] = (yield* check([item({ evidence, rule: "py/x" })])).kept
      expect(ofRule?.record.related).toBeUndefined()
    })
  )

  it.effect("has the columns of a quote that is one part of a line", () =>
    Effect.gen(function* () {
      const { kept } = yield* check([
        item({ line: 2, quote: "(x)" }),
        item({ line: 2, quote: "print(x)" }),
        item({ line: 1, quote: "o" }),
        item({ line: 1, endLine: 2, quote: "os" }),
        item({ line: 1, quote: " os " })
      ])
      expect(kept.map(({ record }) => [record.line, record.column, record.endColumn])).toEqual([
        [2, 6, 9],
        [2, undefined, undefined],
        [1, undefined, undefined],
        [1, undefined, undefined],
        [1, 8, 10]
      ])
    })
  )

  it.effect("keeps the columns of a claim only at its own lines", () =>
    Effect.gen(function* () {
      const columns = { rule: "py/x", line: 1, column: 7, endColumn: 9 }
      const { kept } = yield* check([
        item({ ...columns, quote: "import os" }),
        item({ ...columns, quote: "print(x)" }),
        item({ ...columns, endLine: 9, quote: "import os" })
      ])
      expect(kept.map(({ record }) => [record.line, record.column, record.endColumn])).toEqual([
        [1, 7, 9],
        [2, undefined, undefined],
        [1, undefined, undefined]
      ])
    })
  )

  it.effect("keeps what can be verified and has a reason for everything else", () =>
    Effect.gen(function* () {
      const { kept, dropped } = yield* check([
        item(),
        item({ file: "ghost.py", evidence: "ghost.py:2" }),
        item({ line: 40, evidence: "a.py:40" }),
        item({ confidence: "LOW" })
      ])
      expect(kept).toEqual([item()])
      expect(dropped.map((drop) => [drop.stack, drop.reason])).toEqual([
        ["python", "ghost.py does not exist in the reviewed version"],
        ["python", "line 40 is past the end of a.py (2 lines)"],
        ["python", "the reviewer's own confidence is low"]
      ])
    })
  )

  it.effect("takes a path as models write it for the one file of the change that can be meant", () =>
    Effect.gen(function* () {
      for (const file of ["new.py", "a/b/new.py", "b/b/new.py"]) {
        const { kept } = yield* check([item({ file, line: 2, evidence: `${file}:2` })])
        expect(kept[0]?.record).toMatchObject({ file: "b/new.py", evidence: "b/new.py:2" })
      }
      expect(yield* reasonOf({ file: "new.py", rule: "py/x", evidence: "new.py:2" })).toContain("does not exist")
      expect(yield* reasonOf({ file: "ew.py", evidence: "ew.py:2" })).toContain("does not exist")
      // It is there itself, and not part of the change.
      const other = { "new.py": { _tag: "Text", text: "x\n", lines: ["x", "y"] } } as const
      expect(yield* reasonOf({ file: "new.py", evidence: "new.py:2" }, { other })).toContain("neither in the diff")
    })
  )

  it.effect("places a claim about deleted code where the code was", () =>
    Effect.gen(function* () {
      const shrunk = { "a.py": ["import os\nlock.acquire()\nwork()\n", "import os\nwork()\n"] } as const
      const { kept } = yield* checkEvidence(
        [item({ quote: "lock.acquire()", line: 1 })],
        changeOf(shrunk),
        nothingExplored
      ).pipe(Effect.provide(sourcesOf(shrunk)))
      expect(kept[0]?.record.line).toBe(2)
    })
  )

  it.effect("moves a claim to its quote, and a rule's within three lines only", () =>
    Effect.gen(function* () {
      const near = item({ file: "b/new.py", line: 2, quote: "five", evidence: "b/new.py:2" })
      const { kept } = yield* check([near])
      expect(kept[0]!.record).toMatchObject({ line: 5, evidence: "b/new.py:5" })
      const far = { file: "b/new.py", line: 1, quote: "five", evidence: "b/new.py:1" }
      expect(yield* reasonOf({ ...far, rule: "py/x" })).toBe("the quoted text is not there")
      expect((yield* check([item(far)])).kept[0]!.record.line).toBe(5)
      expect(yield* reasonOf({ ...far, quote: "nowhere" })).toBe("the quoted text is not there")
    })
  )

  it.effect("reads only paths that the change and its repository have", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const record = (...paths: ReadonlyArray<string>) => Effect.sync(() => asked.push(...paths)).pipe(Effect.asVoid)
      const spied = Layer.effect(
        Sources,
        Sources.use((own) =>
          Effect.succeed({
            ...own,
            head: (path) => Effect.andThen(record(path), own.head(path)),
            base: (path) => Effect.andThen(record(path), own.base(path)),
            preload: (paths) => record(...paths)
          } satisfies Sources["Service"])
        )
      ).pipe(Layer.provide(sourcesOf(texts)))
      const outside = ["/etc/passwd", "../a.py", "C:\\b.py", "a\0.py", ""]
      const items = outside.map((file) => item({ file, evidence: `${file}:2, ../../x.py:1, /y.py:2` }))
      const { kept } = yield* checkEvidence(items, changeOf(texts), nothingExplored).pipe(Effect.provide(spied))
      expect({ kept, asked }).toEqual({ kept: [], asked: [] })
    })
  )

  it.effect("checks a claim about a deleted file against the deleted text", () =>
    Effect.gen(function* () {
      const gone = (line: number) => ({ file: "gone.py", line, evidence: `gone.py:${line}` })
      expect(yield* reasonOf(gone(2))).toBeNull()
      expect(yield* reasonOf(gone(3))).toBe("line 3 is past the end of gone.py (2 lines)")
    })
  )

  it.effect("reports where a renamed file went", () =>
    Effect.gen(function* () {
      const change = changeOf(texts)
      const [first, ...rest] = change.diff.files
      const files = [{ ...first!, status: "renamed" as const, oldPath: "old.py" }, ...rest]
      const reason = yield* reasonOf(
        { file: "old.py", evidence: "old.py:1" },
        { change: { ...change, diff: { files } } }
      )
      expect(reason).toBe("old.py is gone: the change renames it to a.py")
    })
  )

  it.effect("drops a claim about a file the change does not reach", () =>
    Effect.gen(function* () {
      const far = { file: "far.py", line: 1, evidence: "far.py:1" }
      expect(yield* reasonOf(far)).toBe("far.py is neither in the diff nor reached from it")
      const importer = { path: "far.py", role: "imported_by" as const, summary: "" }
      expect(yield* reasonOf(far, { exploration: { ...nothingExplored, affectedFiles: [importer] } })).toBeNull()
      expect(yield* reasonOf({ ...far, evidence: "far.py:1 uses a.py:2" })).toBeNull()
    })
  )

  it.effect("drops a real place whose evidence is made up", () =>
    Effect.gen(function* () {
      expect(yield* reasonOf({ evidence: "lib/ghost.py:99 shows it" })).toBe(
        "its evidence cites lib/ghost.py:99, which does not exist"
      )
      expect(yield* reasonOf({ evidence: "server.internal:8080 answers" })).toBeNull()
    })
  )

  it.effect("checks a bare patch against its hunks only", () =>
    Effect.gen(function* () {
      const change = changeOf({ "p.py": ["one\n", "one\ntwo\n"] }, { head: { _tag: "Unknown" } })
      const at = (fields: Fields) => reasonOf({ file: "p.py", evidence: "p.py:2", ...fields }, { change })
      expect(yield* at({})).toBeNull()
      expect(yield* at({ quote: "two" })).toBeNull()
      expect(yield* at({ line: 9 })).toBe("line 9 of p.py is not in the diff, and there is no file to look into")
      expect(yield* at({ file: "a.py" })).toBe("a.py does not exist in the reviewed version")
    })
  )

  it.effect("keeps a whole-file claim about a binary file, and drops claims about its lines", () =>
    Effect.gen(function* () {
      const other = { "a.py": { _tag: "Binary", bytes: 9 } } as const
      expect(yield* reasonOf({ line: 0, evidence: "a.py:0" }, { other })).toBeNull()
      expect(yield* reasonOf({}, { other })).toBe("a.py is a binary file: it has no line 2")
    })
  )

  it.effect("checks a claim about a file that it cannot read completely against the diff", () =>
    Effect.gen(function* () {
      const other = { "a.py": { _tag: "TooLarge", bytes: 9_000_000 } } as const
      expect(yield* reasonOf({}, { other })).toBeNull()
      expect(yield* reasonOf({ line: 77 }, { other })).toContain("is not in the diff")
    })
  )
})

describe("a path that reads like prose", () => {
  for (const name of oddPaths) {
    it.effect(`keeps ${JSON.stringify(name)}`, () =>
      Effect.gen(function* () {
        const own: Texts = { [name]: [null, "one\ntwo\n"] }
        const claim = item({ file: name, line: 2, evidence: `${name}:2`, quote: "two" })
        const shown = item({ file: visiblePath(name), line: 2, evidence: `see ${visiblePath(name)}:2`, quote: "two" })
        const ofRule = item({ rule: "py/x", file: name, line: 2, evidence: `${name}:2`, quote: "two" })
        const stray = item({ file: name, line: 2, evidence: `${name}:99`, quote: "two" })
        const { kept, dropped } = yield* checkEvidence([claim, shown, ofRule, stray], changeOf(own), nothingExplored)
        expect([kept.map(({ record }) => record.file), dropped.length]).toEqual([[name, name, name], 1])
      }).pipe(Effect.provide(sourcesOf({ [name]: [null, "one\ntwo\n"] })))
    )
  }
})
