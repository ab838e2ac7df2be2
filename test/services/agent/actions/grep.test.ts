import { describe, expect } from "bun:test"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { RE2JS } from "re2js"
import type { Change } from "../../../../src/domain/change/Change.ts"
import * as Re2 from "../../../../src/layers/finding/patterns/Re2.ts"
import { makeGrep } from "../../../../src/services/agent/actions/grep.ts"
import type { ActionAnswer } from "../../../../src/services/agent/runtime/Action.ts"
import { answerBytes } from "../../../../src/services/agent/runtime/answerText.ts"
import { makeShownFiles } from "../../../../src/services/agent/runtime/ShownFiles.ts"
import { type Ask, asking, lastCommit } from "../../../support/acting.ts"
import { changeOf, sourcesOf } from "../../../support/changeOf.ts"
import { it } from "../../../support/effect.ts"
import { fileDirectory } from "../../../support/fileDirectory.ts"
import { initRepository, makeRepository } from "../../../support/repository.ts"
import { slowClock } from "../../../support/slowClock.ts"

const directory = fileDirectory()

const told = (ask: Ask, input: object) =>
  Effect.map(ask("grep", input), ({ isError, text }: ActionAnswer) => (isError ? `ERROR ${text}` : text))

/** `path:line` of every match on all pages. */
const everyMatch = (ask: Ask, input: object, max = 500) =>
  Effect.gen(function* () {
    const found: Array<string> = []
    let from: number | null = 1
    while (from !== null) {
      const answer: string = yield* told(ask, { ...input, max, from })
      expect(answer).not.toStartWith("ERROR")
      expect(answer.length).toBeLessThan(answerBytes + 1000)
      let path = ""
      for (const line of answer.split("\n").slice(1)) {
        const match = /^(\d+): /.exec(line)
        if (match !== null) found.push(`${path}:${match[1]}`)
        else if (!/^\d+- |^--$|^\[/.test(line)) path = line
      }
      from = Number(/ask again from (\d+)/.exec(answer)?.[1] ?? 0) || null
    }
    return found
  })

const words = [
  "total",
  "Total",
  "sum(x)",
  "a.b",
  "axb",
  "--flag",
  "naïve",
  "",
  "  ",
  "foo_bar",
  "x\ty",
  "K",
  "k",
  "\u212a",
  "s",
  "日本"
]

/** Always the same numbers. */
const draws = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}

const files: Readonly<Record<string, string>> = (() => {
  const draw = draws(7)
  const word = () => words[Math.floor(draw() * words.length)]!
  const line = () => Array.from({ length: Math.floor(draw() * 4) }, word).join(draw() < 0.5 ? " " : "")
  const text = () => Array.from({ length: 1 + Math.floor(draw() * 12) }, line).join(draw() < 0.2 ? "\r\n" : "\n")
  return Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`d${at % 5}/f${at}.${at % 3 === 0 ? "md" : "ts"}`, text()])
  )
})()

describe("grep", () => {
  it.live("finds what a naive search of every line finds, for any pattern and any size of page", () =>
    Effect.gen(function* () {
      const repository = initRepository(join(directory, "naive"))
      repository.commit("one", files)
      const names = Object.keys(files).toSorted()
      const linesOf = (path: string) => {
        const lines = files[path]!.split("\n").map((line) => line.replace(/\r$/, ""))
        return lines.at(-1) === "" ? lines.slice(0, -1) : lines
      }
      const patterns = [
        ...words.filter((word) => word !== ""),
        "total|axb",
        "a.b",
        "^total",
        "b$",
        "^$",
        "\\s+$",
        "\\bsum\\(",
        "[^a-z]b",
        "(foo|x)_?",
        "\\w{5}",
        "t.t.l",
        "o+",
        "(?:sum|total)\\(?",
        "."
      ]
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          let at = 0
          for (const pattern of patterns) {
            for (const literal of [false, true]) {
              for (const ignore_case of [false, true]) {
                const expression = `${ignore_case ? "(?i)" : ""}${literal ? RE2JS.quote(pattern) : pattern}`
                const naive = RE2JS.compile(expression)
                const expected = names.flatMap((path) =>
                  linesOf(path).flatMap((line, number) => (naive.test(line) ? [`${path}:${number + 1}`] : []))
                )
                const found = yield* everyMatch(
                  ask,
                  { pattern, literal, ignore_case, context: at % 3 },
                  1 + ((at * 37) % 200)
                )
                // The Kelvin sign and the long s are found where a file is read, and do not make git look for them.
                const isFolded = ignore_case && /[ks\u212a]/i.test(pattern)
                const shown = isFolded ? expected.filter((place) => found.includes(place)) : expected
                expect([pattern, literal, ignore_case, found]).toEqual([pattern, literal, ignore_case, shown])
                at++
              }
            }
          }
        })
      )
    })
  )

  it.live("searches in the given folder, file or name pattern, on either side", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "src/a.ts": "needle\n", "src/b.md": "needle\n", "test/a.ts": "old needle\n" })
      repository.commit("two", { "test/a.ts": "new needle\n" })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const found = (input: object) => everyMatch(ask, { pattern: "needle", ...input })
          expect(yield* found({})).toEqual(["src/a.ts:1", "src/b.md:1", "test/a.ts:1"])
          expect(yield* found({ path: "src" })).toEqual(["src/a.ts:1", "src/b.md:1"])
          expect(yield* found({ path: "src/b.md" })).toEqual(["src/b.md:1"])
          expect(yield* found({ path: "src/b.md", glob: "*.md" })).toEqual(["src/b.md:1"])
          expect(yield* found({ path: "src/b.md", glob: "*.ts" })).toEqual([])
          expect(yield* found({ glob: "*.ts" })).toEqual(["src/a.ts:1", "test/a.ts:1"])
          expect(yield* told(ask, { pattern: "old needle", side: "base" })).toContain("test/a.ts\n1: old needle")
          expect(yield* told(ask, { pattern: "old needle" })).toBe("no match in 3 files (head)")
          expect(yield* told(ask, { pattern: "needle", path: "sr" })).toStartWith("ERROR there is no file sr")
          expect(yield* told(ask, { pattern: "needle", files_only: true, max: 2 })).toBe(
            "3 files in 3 files (head)\nsrc/a.ts\t1\nsrc/b.md\t1\n[more: ask again from 3, or with a narrower path or glob]"
          )
        })
      )
    })
  )

  it.live("matches literal text, also text that begins with a dash", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "total\nsubtotal\ntotals\n--flag x\n--flags\nétotal\n(total)\n" })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const found = (pattern: string, more: object = {}) => everyMatch(ask, { pattern, word: true, ...more })
          expect(yield* found("total")).toEqual(["a.txt:1", "a.txt:7"])
          expect(yield* found("--flag", { literal: true })).toEqual(["a.txt:4"])
          expect(yield* found("TOTAL|--flags", { ignore_case: true })).toEqual(["a.txt:1", "a.txt:5", "a.txt:7"])
        })
      )
    })
  )

  it.live("shows lines around a match once, and the part of a long line that matters", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const text = Array.from({ length: 20 }, (_, at) =>
        at === 5 || at === 7 || at === 15 ? "match" : `line ${at + 1}`
      )
      repository.commit("one", {
        "a.txt": `${text.join("\n")}\n`,
        "long.js": `${"x".repeat(5000)}needle${"y".repeat(5000)}\n`,
        "line.js": `${"z".repeat(294)}needle\n`
      })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          expect(yield* told(ask, { pattern: "match", context: 2 })).toBe(
            [
              "3 matching lines in 3 files (head)",
              "a.txt",
              "4- line 4",
              "5- line 5",
              "6: match",
              "7- line 7",
              "8: match",
              "9- line 9",
              "10- line 10",
              "--",
              "14- line 14",
              "15- line 15",
              "16: match",
              "17- line 17",
              "18- line 18"
            ].join("\n")
          )
          const long = yield* told(ask, { pattern: "needle", path: "long.js" })
          expect(long).toContain(`x${"needle"}y`)
          expect(long).toContain("… [of 10006 characters]")
          expect(long.length).toBeLessThan(600)
          expect(yield* told(ask, { pattern: "needle", path: "line.js" })).toContain(`1: ${"z".repeat(294)}needle`)
        })
      )
    })
  )

  it.live("reports what is wrong with a pattern and how to ask instead", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "f(x\n" })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          for (const pattern of ["(?=x)", "(x", "a{1000}", "x**", "\\1", "[z-a]", "(?<!y)x"]) {
            expect(yield* told(ask, { pattern })).toMatch(/^ERROR pattern: .*literal/)
          }
          for (const pattern of ["a\nb", "a\0b"])
            expect(yield* told(ask, { pattern })).toContain("must not contain a line break")
          for (const pattern of ["", "x".repeat(1001)]) expect(yield* told(ask, { pattern })).toContain("arguments")
          expect(yield* told(ask, { pattern: "f(x", literal: true })).toContain("1: f(x")
          expect(yield* told(ask, { pattern: "x", max: 501 })).toContain("arguments")
          expect(yield* told(ask, { pattern: "f", from: 3 })).toBe("1 match in 1 file (head), none from 3")
        })
      )
    })
  )

  it.live("takes linear time for a pattern that is exponential in a backtracking engine", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": `${"x".repeat(50_000)}\n`.repeat(4) })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          for (const pattern of ["(x+x+)+y", "^(x|x)*$y", "(x|xx)+y"]) {
            expect(yield* told(ask, { pattern })).toBe("no match in 1 file (head)")
          }
        })
      )
    })
  )

  it.live("searches files whatever their attributes, and skips binary and unreadable ones", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", {
        ".gitattributes": "*.py binary -diff -text\n",
        "a.py": "needle\n",
        "b.bin": "needle\0needle\n",
        "c.txt": `${"x".repeat(16_000_001)}needle\n`
      })
      yield* asking(repository.root, lastCommit, (ask) =>
        Effect.gen(function* () {
          const answer = yield* told(ask, { pattern: "needle" })
          expect(answer).toBe("1 matching line in 4 files (head)\na.py\n1: needle\n[not searched: c.txt]")
        })
      )
    })
  )

  it.effect("stops in the middle of a file, and searches a line only so far", () => {
    const texts = { "a.txt": [null, `${`${"a".repeat(60_000)}\n`.repeat(20)}`], "b.txt": [null, "a\n"] } as const
    const asked = (change: Change) =>
      Effect.gen(function* () {
        const grep = yield* makeGrep(yield* makeShownFiles(change), change)
        return (yield* grep.act(yield* Schema.decodeUnknownEffect(grep.input)({ pattern: "a$" }))).text
      })
    const long = { "c.txt": [null, `${"a".repeat(500_001)}b\n`] } as const
    return Effect.gen(function* () {
      const text = yield* Effect.provide(asked(changeOf(texts)), [sourcesOf(texts), Re2.layer, slowClock(1000)])
      expect(text).toStartWith("at least 9 matching lines in 2 files (head)\n")
      expect(text).toContain("with 0 of 2 files searched")
      const cut = yield* Effect.provide(asked(changeOf(long)), [sourcesOf(long), Re2.layer])
      expect(cut).toEndWith("[of lines with more than 500000 characters, only so many were searched: c.txt]")
    })
  })

  it.effect("stops at the time limit, and reports how far it came", () => {
    const texts = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`f${at + 100}.txt`, ["a\n", "a\n"] as const])
    )
    const change = changeOf(texts)
    return Effect.gen(function* () {
      const grep = yield* makeGrep(yield* makeShownFiles(change), change)
      const input = yield* Schema.decodeUnknownEffect(grep.input)({ pattern: "a", files_only: true })
      const answer = yield* grep.act(input)
      expect(answer.text).toStartWith("at least 9 files in 200 files (head)\n")
      expect(answer.text).toContain("[stopped after 8 s with 9 of 200 files searched")
    }).pipe(Effect.provide([sourcesOf(texts), Re2.layer, slowClock(1000)]))
  })
})
