import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { mostClaims } from "../../../src/domain/finding/Claims.ts"
import type { ChangeRule, LineRule, Rule, SyntaxRule } from "../../../src/domain/finding/Rule.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { NotParsed, SyntaxParser } from "../../../src/services/code/SyntaxParser.ts"
import { RuleSet, shippedRules } from "../../../src/services/finding/RuleSet.ts"
import { StaticReviewer } from "../../../src/services/finding/StaticReviewer.ts"
import { changeOf, diffFile, sourcesOf, type Texts } from "../../support/change.ts"
import { it } from "../../support/effect.ts"
import { shipped } from "../../support/rules.ts"

const words = {
  stack: "generic",
  severity: "medium",
  confidence: "HIGH",
  title: "A claim",
  why: "It matters.",
  fix: "Mend it.",
  reference: "CWE-1",
  inTests: false
} as const

const lineRule = (id: string, check: LineRule["check"]): LineRule => ({
  ...words,
  _tag: "Line",
  id,
  check
})

const bad = lineRule("t/bad", (text) => text.includes("bad"))

const calls: SyntaxRule = {
  ...words,
  _tag: "Syntax",
  id: "t/call",
  grammars: ["python"],
  keywords: ["evil"],
  pattern: { _tag: "Nodes", types: ["call"] },
  check: (node) => node.text.startsWith("evil(")
}

const evil = { _tag: "Query", query: '(call function: (identifier) @name (#eq? @name "evil")) @claim' } as const

const reviewing = (rules: ReadonlyArray<Rule>, texts: Texts, parser: Layer.Layer<SyntaxParser> = TreeSitter.layer) =>
  Effect.provide(
    StaticReviewer.layer.pipe(Layer.provide(Layer.mergeAll(RuleSet.layerOf(rules), sourcesOf(texts), parser)))
  )

const review = (rules: ReadonlyArray<Rule>, texts: Texts, parser?: Layer.Layer<SyntaxParser>) =>
  StaticReviewer.pipe(
    Effect.flatMap((reviewer) => reviewer.review(changeOf(texts), Object.keys(texts))),
    reviewing(rules, texts, parser)
  )

const unreachable = Layer.succeed(SyntaxParser, {
  parse: (grammar) => Effect.fail(new NotParsed({ grammar, reason: "took too long" }))
})

describe("StaticReviewer", () => {
  it.live("names the rules it applied, so that a text file is not said to be checked by all of them", () =>
    Effect.gen(function* () {
      const { rulesApplied } = yield* review(shippedRules, { "README.md": ["", "# Title\n"] })
      expect(rulesApplied).toContain("secret/url-password")
      expect(rulesApplied.some((id) => id.startsWith("go/"))).toBe(false)
    })
  )

  it.effect("claims added lines and leaves old ones alone", () =>
    Effect.gen(function* () {
      const { records } = yield* review([bad], { "a.txt": ["bad old\nfine\n", "bad old\nfine\nbad new\n"] })
      expect(records.map(({ line, quote }) => [line, quote])).toEqual([[3, "bad new"]])
    })
  )

  it.effect("claims a syntax match only where one of its lines was added", () =>
    Effect.gen(function* () {
      const { records } = yield* review([calls], { "a.py": ["evil(1)\n", "evil(1)\nevil(\n  2\n)\n"] })
      expect(records.map(({ line, endLine }) => [line, endLine])).toEqual([[2, 4]])
    })
  )

  it.effect("has the columns of a node in UTF-16 units, also behind text that is not ASCII", () =>
    Effect.gen(function* () {
      const columnsIn = (code: string) =>
        Effect.map(review([calls], { "a.py": [null, code] }), ({ records }) =>
          records.map(({ column, endColumn, endLine, line }) => [line, column, endLine, endColumn])
        )
      expect(yield* columnsIn("evil(1)\n")).toEqual([[1, 1, 1, 8]])
      const text = 'x = "é漢🙂", evil("🙂") # y'
      expect(yield* columnsIn(`${text}\n`)).toEqual([[1, 13, 1, 23]])
      expect(yield* columnsIn("x = evil(\n  '🙂'\n) + 1\n")).toEqual([[1, 5, 3, 2]])
      expect(yield* columnsIn(`y = 1\r\n${text}\r\n`)).toEqual([[2, 13, 2, 23]])
    })
  )

  it.effect("has the columns of a token, and none of a password, whose length they would tell", () =>
    Effect.gen(function* () {
      const token = `ghp_${"aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"}`
      const code = `DB_PASSWORD = "v9#Tq2!mZr4x"\ntoken = "${token}"\nurl = "amqps://worker:9sHq21dJ6y@mq.acme.io/jobs"\n`
      const { records } = yield* review(shipped("secret/*"), { "a.py": [null, code] })
      expect(records.map(({ column, endColumn, line }) => [line, column, endColumn])).toEqual([
        [1, undefined, undefined],
        [2, 10, 10 + token.length],
        [3, undefined, undefined]
      ])
    })
  )

  it.effect("ends the columns with the line where a rule claims only the first line of a node", () =>
    Effect.gen(function* () {
      const first: SyntaxRule = { ...calls, check: (node) => ({ line: node.startPosition.row + 1 }) }
      const { records } = yield* review([first], { "a.py": [null, "x = evil(  \n  2\n)\n"] })
      expect(records).toMatchObject([{ line: 1, endLine: 1, column: 5, endColumn: 10 }])
      const below: SyntaxRule = { ...calls, check: () => ({ line: 2 }) }
      const other = yield* review([below], { "a.py": [null, "x = evil(\n  2\n)\n"] })
      expect(other.records[0]?.column).toBeUndefined()
    })
  )

  it.effect("lets a rule name a better place, but only for a match the change touched, and only on an added line", () =>
    Effect.gen(function* () {
      const elsewhere: SyntaxRule = { ...calls, check: () => ({ line: 2 }) }
      const old = yield* review([elsewhere], { "a.py": ["evil(1)\n", "evil(1)\nx = 1\n"] })
      expect(old.records).toEqual([])
      const touched = yield* review([elsewhere], { "a.py": ["x = 1\n", "evil(1)\nx = 1\n"] })
      expect(touched.records).toEqual([])
      const added = yield* review([elsewhere], { "a.py": [null, "evil(1)\nx = 1\n"] })
      expect(added.records.map(({ line }) => line)).toEqual([2])
    })
  )

  it.effect("does not count a file as reviewed if dd has no rules for its language", () =>
    Effect.gen(function* () {
      const secrets = shipped("secret/*")
      const texts = { "a.scala": [null, "val x = 1\n"], "a.kt": [null, "val x = 1\n"], "a.md": [null, "x\n"] } as const
      const { coverage } = yield* review(secrets, texts)
      expect(coverage.map(({ path, reason, status }) => [path, status, reason])).toEqual([
        [
          "a.scala",
          "skipped",
          "no rules for Scala; searched only for secrets, conflict markers, hidden characters and prompt injection"
        ],
        [
          "a.kt",
          "skipped",
          "no rules for Kotlin; searched only for secrets, conflict markers, hidden characters and prompt injection"
        ],
        ["a.md", "reviewed", ""]
      ])
      const own = yield* review([...secrets, bad], texts)
      expect(own.coverage.map(({ status }) => status)).toEqual(["reviewed", "reviewed", "reviewed"])
    })
  )

  it.effect("names the test data in which it reports only secrets", () =>
    Effect.gen(function* () {
      const texts = { "b.txt": [null, "bad\n"], "tests/fixtures/a.txt": [null, "bad\n"] } as const
      const { coverage, records } = yield* review([{ ...bad, inTests: true }], texts)
      expect(records.map(({ file }) => file)).toEqual(["b.txt"])
      expect(coverage.map(({ path, reason, status }) => [path, status, reason])).toEqual([
        ["b.txt", "reviewed", ""],
        ["tests/fixtures/a.txt", "reviewed", "test data: only secrets are reported"]
      ])
    })
  )

  it.effect("reports the claim, its place, its reason and its evidence", () =>
    Effect.gen(function* () {
      const { records } = yield* review([bad], { "dir/a.txt": [null, "  bad  \n"] })
      expect(records[0]).toMatchObject({
        id: 1,
        rule: "t/bad",
        title: "A claim",
        description: "A claim: `bad`",
        rationale: "It matters. Mend it.",
        file: "dir/a.txt",
        line: 1,
        endLine: 1,
        evidence: "dir/a.txt:1",
        quote: "bad",
        severity: "medium",
        confidence: "HIGH"
      })
    })
  )

  it.effect("orders claims by path, line and rule, and numbers them, whatever order rules and files come in", () =>
    Effect.gen(function* () {
      const other = lineRule("t/also", (text) => text.includes("bad"))
      const texts = { "b.txt": [null, "bad\nbad\n"], "a.txt": [null, "bad\n"] } as const
      const { records } = yield* review([bad, other], texts)
      expect(records.map(({ id, file, line, rule }) => `${id} ${file}:${line} ${rule}`)).toEqual([
        "1 a.txt:1 t/also",
        "2 a.txt:1 t/bad",
        "3 b.txt:1 t/also",
        "4 b.txt:1 t/bad",
        "5 b.txt:2 t/also",
        "6 b.txt:2 t/bad"
      ])
    })
  )

  it.effect("reports every claim of a rule in a file, and says so where a file has more than a person writes", () =>
    Effect.gen(function* () {
      const many = yield* review([bad], { "a.txt": [null, "bad\n".repeat(mostClaims - 1)] })
      expect(many.records).toHaveLength(mostClaims - 1)
      expect(many.coverage).toEqual([{ path: "a.txt", status: "reviewed", reason: "" }])
      const exact = yield* review([bad], { "a.txt": [null, "bad\n".repeat(mostClaims)] })
      expect(exact).toMatchObject({ coverage: many.coverage, problems: [] })
      const { coverage, problems, records } = yield* review([bad], { "a.txt": [null, "bad\n".repeat(mostClaims + 5)] })
      expect(records).toHaveLength(mostClaims)
      expect(problems.map(({ unchecked }) => unchecked)).toEqual(["findings of t/bad after the first 1000 in a file"])
      const reason = `at most ${mostClaims} findings are listed of t/bad`
      expect(coverage).toEqual([{ path: "a.txt", status: "reviewed", reason }])
    })
  )

  it.effect("leaves tests alone unless a rule is for tests too", () =>
    Effect.gen(function* () {
      const everywhere: LineRule = { ...bad, id: "t/everywhere", inTests: true }
      const { records } = yield* review([bad, everywhere], { "tests/a.txt": [null, "bad\n"] })
      expect(records.map(({ rule }) => rule)).toEqual(["t/everywhere"])
    })
  )

  it.effect("calls a file unread when the diff does not show all of it, and too large only what is", () =>
    Effect.gen(function* () {
      const texts = { "a.txt": [null, "bad\n"], "b.txt": [null, "bad\n"], "c.txt": [null, "bad\n"] } as const
      const change = changeOf(texts)
      const [a, b, c] = change.diff.files
      const files = [
        { ...a!, unread: "its name is not UTF-8", binary: true, hunks: [] },
        { ...b!, unread: "only a part is shown" },
        { ...c!, binary: true, hunks: [], tooLarge: 3_000_000 }
      ]
      const { coverage, records } = yield* StaticReviewer.pipe(
        Effect.flatMap((reviewer) => reviewer.review({ ...change, diff: { files } }, Object.keys(texts))),
        reviewing([bad], texts)
      )
      expect(coverage.map(({ status, reason }) => `${status}: ${reason}`)).toEqual([
        "unread: its name is not UTF-8",
        "unread: only a part is shown",
        "skipped: too large: 3.0 MB, the limit is 2 MB"
      ])
      expect(records.map(({ file }) => file)).toEqual(["b.txt"])
    })
  )

  it.effect("skips what is generated or minified, unless it is the change that makes it so", () =>
    Effect.gen(function* () {
      const mark = "// @generated\n"
      const long = `${"x".repeat(5000)}\n`
      const { coverage, records } = yield* review([bad], {
        "a-new.js": [null, `${mark}bad\n`],
        "b-same.js": [`${mark}fine\n`, `${mark}bad\n`],
        "c-hides.js": ["fine\n", `${mark}bad\n`],
        "d-edited.js": [`${mark}fine\n`, "bad\n"],
        "e-new.js": [null, `${long}bad\n`],
        "f-same.js": [long, `${long}bad\n`],
        "g-hides.js": ["fine\n", `${long}bad\n`]
      })
      expect(coverage.map(({ path, status }) => `${path} ${status}`)).toEqual([
        "a-new.js skipped",
        "b-same.js skipped",
        "c-hides.js reviewed",
        "d-edited.js reviewed",
        "e-new.js skipped",
        "f-same.js skipped",
        "g-hides.js reviewed"
      ])
      expect(records.map(({ file }) => file)).toEqual(["c-hides.js", "d-edited.js", "g-hides.js"])
    })
  )

  it.live("stops a rule that does not end on a file, reports it, and keeps the findings of the others", () =>
    Effect.gen(function* () {
      const endless: SyntaxRule = {
        ...calls,
        id: "t/endless",
        check: (node) => {
          while (node.parent !== undefined);
          return true
        }
      }
      const found = yield* review([endless, calls, bad], {
        "a.py": [null, "evil(1) # bad\n"],
        "b.py": [null, "good()\n"]
      })
      expect(found.records.map(({ rule }) => rule)).toEqual(["t/bad", "t/call"])
      expect(found.problems.map(({ message }) => message)).toEqual([
        "the rule t/endless was stopped on a.py and was left out there: its syntax tree was not read to the end: took too long"
      ])
      expect(found.coverage).toEqual([
        { path: "a.py", status: "reviewed", reason: "not checked by t/endless" },
        { path: "b.py", status: "reviewed", reason: "" }
      ])
    })
  )

  it.effect("survives a rule that throws, names it once, and keeps what the others found", () =>
    Effect.gen(function* () {
      const broken = lineRule("t/broken", () => {
        throw new Error("slip")
      })
      const texts = { "a.txt": [null, "bad\n"], "b.txt": [null, "bad\n"] } as const
      const { records, problems } = yield* review([broken, bad], texts)
      expect(records.map(({ rule }) => rule)).toEqual(["t/bad", "t/bad"])
      expect(problems.map(({ rule, file }) => [rule, file])).toEqual([["t/broken", "a.txt"]])
    })
  )

  it.effect("survives a rule that answers nonsense", () =>
    Effect.gen(function* () {
      const broken = lineRule("t/broken", () => ({ line: Number.NaN }))
      const { records, problems } = yield* review([broken, bad], { "a.txt": [null, "bad\n"] })
      expect(records.map(({ rule }) => rule)).toEqual(["t/bad"])
      expect(problems.map(({ rule }) => rule)).toEqual(["t/broken"])
    })
  )

  it.effect("leaves out a rule whose query does not fit the grammar, and runs the others", () =>
    Effect.gen(function* () {
      const misfit: SyntaxRule = {
        ...calls,
        id: "t/misfit",
        pattern: { _tag: "Query", query: "(no_such_node) @claim", owner: "dd" }
      }
      const { records, problems } = yield* review([misfit, calls], { "a.py": [null, "evil(1)\n"] })
      expect(records.map(({ rule }) => rule)).toEqual(["t/call"])
      expect(problems.map(({ rule }) => rule)).toEqual(["t/misfit"])
    })
  )

  it.effect("does not claim what the parser only guessed", () =>
    Effect.gen(function* () {
      const texts = { "a.py": [null, "def f(:\n    x = = evil(1)\n\nok = 1\n"] } as const
      const { records, coverage } = yield* review([calls], texts)
      expect(records).toEqual([])
      expect(coverage[0]).toMatchObject({ path: "a.py", status: "reviewed" })
      expect(coverage[0]?.reason).toContain("could not be parsed")
    })
  )

  it.effect("keeps the claims of line rules, and reports a file that cannot be parsed in time", () =>
    Effect.gen(function* () {
      const { records, coverage } = yield* review([bad, calls], { "a.py": [null, "evil(1) # bad\n"] }, unreachable)
      expect(records.map(({ rule }) => rule)).toEqual(["t/bad"])
      expect(coverage).toMatchObject([{ status: "unread", reason: expect.stringContaining("took too long") }])
    })
  )

  it.effect("reviews the lines of a bare patch, and reports that no more is known", () =>
    Effect.gen(function* () {
      const change = changeOf({ "a.py": [null, "evil(1) # bad\n"] })
      const reviewer = yield* StaticReviewer
      const { records, coverage } = yield* reviewer.review(change, ["a.py"])
      expect(records.map(({ rule, quote }) => [rule, quote])).toEqual([["t/bad", "evil(1) # bad"]])
      expect(coverage[0]?.status).toBe("reviewed")
      expect(coverage[0]?.reason).not.toBe("")
    }).pipe(reviewing([bad, calls], {}))
  )

  it.effect("covers every requested file, with the reason for one that it did not read", () =>
    Effect.gen(function* () {
      const texts: Texts = {
        "a.py": [null, "x = 1\n"],
        "gone.py": ["bad\n", null],
        "node_modules/a.js": [null, "bad\n"],
        "app.min.js": [null, "bad\n"],
        "gen.go": [null, "// Code generated by x. DO NOT EDIT.\nbad\n"],
        "bundle.js": [null, `bad${"x".repeat(30_000)}\n`],
        "big.txt": [null, { _tag: "TooLarge", bytes: 9_000_000 }],
        "pic.bin": [null, { _tag: "Binary", bytes: 10 }],
        link: [null, { _tag: "Link", target: "/etc/passwd" }],
        "lost.py": [null, { _tag: "Unreadable", reason: "the object is missing" }]
      }
      const { records, coverage } = yield* review([bad], texts)
      expect(records).toEqual([])
      expect(coverage.map(({ path, status }) => `${path} ${status}`)).toEqual([
        "a.py reviewed",
        "gone.py skipped",
        "node_modules/a.js skipped",
        "app.min.js skipped",
        "gen.go skipped",
        "bundle.js skipped",
        "big.txt skipped",
        "pic.bin skipped",
        "link skipped",
        "lost.py unread"
      ])
      for (const { status, reason } of coverage) if (status !== "reviewed") expect(reason).not.toBe("")
    })
  )

  it.effect("covers the requested files and no others", () =>
    Effect.gen(function* () {
      const reviewer = yield* StaticReviewer
      const change = changeOf({ "a.txt": [null, "bad\n"], "b.txt": [null, "bad\n"] })
      const { records, coverage } = yield* reviewer.review(change, ["b.txt", "not/in/the/change.txt"])
      expect(records.map(({ file }) => file)).toEqual(["b.txt"])
      expect(coverage.map(({ path }) => path)).toEqual(["b.txt"])
    }).pipe(reviewing([bad], { "a.txt": [null, "bad\n"], "b.txt": [null, "bad\n"] }))
  )

  it.effect("does not look into a submodule or behind a link", () =>
    Effect.gen(function* () {
      const reviewer = yield* StaticReviewer
      const files = [
        { ...diffFile("sub", null, "bad\n"), newMode: "160000" },
        { ...diffFile("ln", null, "bad\n"), newMode: "120000" },
        { ...diffFile("pic", null, ""), binary: true }
      ]
      const change = { ...changeOf({}), diff: { files } }
      const { records, coverage } = yield* reviewer.review(change, ["sub", "ln", "pic"])
      expect(records).toEqual([])
      expect(coverage.map(({ status }) => status)).toEqual(["skipped", "skipped", "skipped"])
    }).pipe(reviewing([bad], {}))
  )

  it.effect("passes line rules the text without its CR", () =>
    Effect.gen(function* () {
      const ending = lineRule("t/ending", (text) => text.endsWith("\r"))
      const { records } = yield* review([ending], { "a.txt": [null, "one\r\ntwo\r\n"] })
      expect(records).toEqual([])
    })
  )

  it.effect("reports how many lines were too long to be read", () =>
    Effect.gen(function* () {
      const text = `${"x".repeat(6_000)}\n${`${"y".repeat(80)}\n`.repeat(200)}`
      const { coverage } = yield* review([bad], { "a.txt": [null, text] })
      expect(coverage[0]?.reason).toContain("1 added line")
    })
  )

  it.effect("runs rules on the whole change once, apart from the files", () =>
    Effect.gen(function* () {
      const texts: Texts = { "a.py": ["x\n", "y\n"], "b.py": [null, "z\n"] }
      const whole: ChangeRule = {
        ...words,
        _tag: "Change",
        id: "t/whole",
        check: ({ files, headPaths }) =>
          files.map((file) => ({
            path: file.path,
            line: 1,
            description: `Was ${file.base?.join() ?? "absent"}, is ${file.head?.join()}, one of ${headPaths.size}.`
          }))
      }
      const both = yield* StaticReviewer.pipe(
        Effect.flatMap((reviewer) =>
          Effect.all([reviewer.reviewChange(changeOf(texts)), reviewer.review(changeOf(texts), Object.keys(texts))])
        ),
        reviewing([whole], texts)
      )
      expect(both[0].records.map(({ description, quote }) => [description, quote])).toEqual([
        ["A claim: `y`. Was x, is y, one of 2.", "y"],
        ["A claim: `z`. Was absent, is z, one of 2.", "z"]
      ])
      expect(both[0].coverage).toEqual([])
      expect(both[1].records).toEqual([])
    })
  )

  it.effect("answers the empty change", () =>
    Effect.gen(function* () {
      expect(yield* review([bad, calls], {})).toEqual({ records: [], coverage: [], rulesApplied: [], problems: [] })
    })
  )
  it.effect("asks a user's query apart from dd's own, and only in files it looks at", () =>
    Effect.gen(function* () {
      const own: SyntaxRule = {
        ...calls,
        id: "user/call",
        pattern: { ...evil, owner: "user" },
        keywords: [],
        appliesToPath: (path) => path === "a.py"
      }
      const { records, problems } = yield* review([calls, own], {
        "a.py": [null, "evil(1)\n"],
        "b.py": [null, "evil(1)\n"]
      })
      expect(records.map(({ file, rule }) => [file, rule])).toEqual([
        ["a.py", "t/call"],
        ["a.py", "user/call"],
        ["b.py", "t/call"]
      ])
      expect(problems).toEqual([])
    })
  )

  it.effect("leaves a user's query that fits no grammar out, and names it; dd's own rules go on", () =>
    Effect.gen(function* () {
      const own: SyntaxRule = {
        ...calls,
        id: "repo/wrong",
        pattern: { _tag: "Query", query: "(no_such_node) @claim", owner: "repo" },
        keywords: []
      }
      const { records, problems } = yield* review([calls, own], { "a.py": [null, "evil(1)\n"] })
      expect(records.map(({ rule }) => rule)).toEqual(["t/call"])
      expect(problems.map(({ message }) => message)).toEqual([
        "the rule repo/wrong failed on a.py and was left out there: query does not fit the python grammar"
      ])
    })
  )

  describe("tokens of known services", () => {
    const token = ["lin_a", "pi_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8wX7yZ6"].join("")
    const rules = shipped("secret/*")

    it.live("are claimed on added lines, once, and not where the line was only moved", () =>
      Effect.gen(function* () {
        const old = `const a = "${token}"`
        const { records } = yield* review(rules, {
          "a.ts": [`${old}\nf()\n`, `f()\n${old}\nconst b = "${token.replace("9a", "9b")}"\n`]
        })
        expect(records.map(({ line, rule, title }) => [line, rule, title])).toEqual([
          [3, "secret/provider-token", "Hard-coded Linear API key"]
        ])
        expect(records.filter(({ description }) => description.includes("pi_"))).toEqual([])
      })
    )

    it.live("are one finding on a line, which names each other token as another one, at its columns", () =>
      Effect.gen(function* () {
        const line = `const all = ["${token}", "${token.replace("9a", "9b")}"]`
        const { records } = yield* review(rules, { "a.ts": [null, `${line}\n`] })
        const second = line.lastIndexOf("lin_a") + 1
        const columns = { column: second, endColumn: second + token.length }
        expect(records.map(({ line, related }) => ({ line, related }))).toMatchObject([
          { line: 1, related: [{ line: 1, ...columns, message: "another one: Linear API key" }] }
        ])
      })
    )

    it.live("are claimed by their format, and silent in tests and lock files", () =>
      Effect.gen(function* () {
        const twice = `api_key = "q8Zr2LmX0vB7nT4kW9sH1dJ6"; other = "${token}"\n`
        const { records } = yield* review(rules, {
          "a.py": [null, twice],
          "tests/test_a.py": [null, `x = "${token}"\n`],
          "bun.lock": [null, `"${token}"\n`]
        })
        expect(records.map(({ file, rule }) => [file, rule])).toEqual([
          ["a.py", "secret/hardcoded-credential"],
          ["a.py", "secret/provider-token"]
        ])
      })
    )

    it.live("are searched for on every added line, and all of them are reported", () =>
      Effect.gen(function* () {
        const lines = Array.from({ length: 403 }, (_, at) => `const a${at} = "${token}"\n`)
        const { coverage, records } = yield* review(rules, { "a.ts": [null, lines.join("")] })
        expect(coverage).toMatchObject([{ path: "a.ts", status: "skipped" }])
        expect(coverage[0]?.reason).toStartWith("no rules for TypeScript are enabled; searched only for secrets")
        expect(records.map(({ line }) => line)).toEqual(Array.from({ length: 403 }, (_, at) => at + 1))
      })
    )
  })
})
