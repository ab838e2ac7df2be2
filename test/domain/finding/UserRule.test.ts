import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import { grammars } from "../../../src/domain/change/Grammar.ts"
import {
  isInPaths,
  longestRuleFile,
  readUserRule,
  ruleFileProblemText,
  type UserRule
} from "../../../src/domain/finding/UserRule.ts"
import { usualEnding } from "../../../src/languages/fileKinds.ts"
import { grammarOf } from "../../../src/languages/languages.ts"

const files = { grammarOf, usualEnding }
const place = { area: "repo", file: ".daydream/rules/no-legacy.toml", name: "no-legacy.toml" } as const

const words = 'title = "The legacy client"\nwhy = "It goes in March."\nfix = "Use the new one."\n'

const read = (text: string): UserRule => Result.getOrThrow(readUserRule(text, place, files))
const problems = (text: string): ReadonlyArray<string> =>
  Result.match(readUserRule(text, place, files), {
    onSuccess: () => [],
    onFailure: (found) => found.map((problem) => ruleFileProblemText(problem).replace(`${place.file}:`, ""))
  })

describe("a rule file", () => {
  test("makes a line rule of a pattern and words, named after its file", () => {
    expect(read(`${words}line = '\\blegacy\\('\n[[bad]]\ntext = "legacy()"\n`)).toMatchObject({
      id: "repo/no-legacy",
      severity: "medium",
      inTests: true,
      reference: place.file,
      languages: [],
      pattern: { _tag: "Line", line: "\\blegacy\\(", unless: null },
      examples: [{ kind: "bad", number: 1, text: "legacy()", path: "example.txt" }]
    })
  })

  test("makes a syntax rule of a query, with patterns that its captures must and must not match", () => {
    const rule = read(
      `${words}languages = ["python"]\nquery = '(call function: (identifier) @name) @claim'\n[where]\nname = '^eval$'\n[unless]\nclaim = 'safe'\n`
    )
    expect(rule.pattern).toEqual({
      _tag: "Query",
      query: "(call function: (identifier) @name) @claim",
      where: new Map([["name", "^eval$"]]),
      unless: new Map([["claim", "safe"]])
    })
  })

  test("cannot take the id of a rule that dd ships, or of the user's", () => {
    expect(read(`${words}line = 'a'\nid = "repo/own"\n`).id).toBe("repo/own")
    expect(read(`${words}line = 'a'\nid = "own"\n`).id).toBe("repo/own")
    for (const id of ["py/bare-except", "user/own", "../x", "Own", "a--b", ""]) {
      expect(problems(`${words}line = 'a'\nid = "${id}"\n`).length).toBeGreaterThan(0)
    }
  })

  test("reports all problems at once, each with line, key and remedy", () => {
    expect(problems('title = "x"\nlangages = ["pyton"]\nlanguages = ["pyton"]\nseverity = "fatal"\n')).toEqual([
      '1 fix: missing; add fix = "..."',
      "1 line: a pattern is missing; add line = '...' or query = '''...'''",
      '1 why: missing; add why = "..."',
      '2 langages: there is no such key (did you mean "languages"?); known: id, languages, paths, in_tests, severity, title, why, fix, reference, line, query, where, unless, bad, good',
      `3 languages: "pyton" is no language of dd (did you mean "python"?); known: ${grammars.join(", ")}`,
      '4 severity: write one of "high", "medium", "low"'
    ])
  })

  test("names the line that is no TOML", () => {
    expect(problems('title = "x"\nline = "\\d"\n')[0]).toMatch(/^2: not TOML: .*line = 'a\\.b'$/)
  })

  test("has one pattern, and a query's tables only with a query", () => {
    expect(problems(`${words}line = 'a'\nquery = '(call) @claim'\n`)[0]).toContain("one rule has one pattern")
    expect(problems(`${words}line = 'a'\n[where]\nname = 'b'\n`)[0]).toContain("it belongs to a query")
    expect(problems(`${words}languages = ["go"]\nquery = '(call) @claim'\n[where]\nname = 'b'\n`)[0]).toContain(
      "the query captures no @name"
    )
    expect(problems(`${words}query = '(call) @claim'\n`)[0]).toContain("name it")
  })

  test("refuses examples that it would not look at", () => {
    expect(problems(`${words}line = 'a'\npaths = ["src/**/*.py"]\n[[bad]]\ntext = "a"\n`)[0]).toContain(
      "the rule does not look at example.txt"
    )
    expect(problems(`${words}line = 'a'\n[[good]]\ncode = "a"\n`).join()).toContain("needs text")
  })

  test("is refused unread when it is longer than anybody writes", () => {
    expect(problems(`${words}line = 'a'\n#${"x".repeat(longestRuleFile)}`)).toEqual([
      `1: a rule file may have ${longestRuleFile} characters; shorten its examples`
    ])
  })

  test("shows no control character of its words", () => {
    const rule = read('title = "red \\u001b[31mtext"\nwhy = "a\\nb"\nfix = "c"\nline = \'a\'\n')
    expect([rule.title, rule.why]).toEqual(["red text", "a b"])
  })

  test("takes hostile TOML for what it is, quickly", () => {
    const n = 15_000
    for (const text of [
      `a=${"[".repeat(n)}${"]".repeat(n)}`,
      `a${".a".repeat(n)}=1`,
      "[[bad]]\n".repeat(4_000),
      "[__proto__]\nx = 1\n"
    ]) {
      expect(problems(text).length).toBeGreaterThan(0)
    }
  })
})

describe("where a rule looks", () => {
  test("is under its paths", () => {
    expect(["src/a.py", "src/x/b.go", "a.py"].map(isInPaths(["src/**"]))).toEqual([true, true, false])
    expect(isInPaths([])("anything")).toBe(true)
  })
})
