import { describe, expect } from "bun:test"
import { Effect, Schema } from "effect"
import { readFile } from "../../../../src/services/agent/actions/readFile.ts"
import type { ActionAnswer } from "../../../../src/services/agent/runtime/Action.ts"
import { answerBytes } from "../../../../src/services/agent/runtime/answerText.ts"
import type { ShownFile, ShownFiles } from "../../../../src/services/agent/runtime/ShownFiles.ts"
import { it } from "../../../support/effect.ts"

/** One file, with these lines. */
const only = (lines: ReadonlyArray<string>): ShownFiles => {
  const file: ShownFile = { _tag: "Lines", lines, raw: lines, numbers: null }
  return {
    file: () => Effect.succeed(file),
    passing: () => Effect.succeed([() => file]),
    paths: () => Effect.succeed(["a.txt"]),
    submodules: Effect.succeed([]),
    find: (_side, path) => Effect.succeed(path),
    findFolder: (_side, path) => Effect.succeed(path),
    words: (text) => text,
    path: (path) => path
  }
}

const Line = Schema.Array(
  Schema.Literals(["a", "\t", " ", "[1 more lines: ask again from 3]", "7\t", "é", "x".repeat(120)])
)

/** All pages, asked for as each one says. */
const paged = (lines: ReadonlyArray<string>, size: number | null) => {
  const action = readFile(only(lines))
  const found: Array<string> = []
  let from: number | null = 1
  for (let pages = 0; from !== null && pages < 2000; pages++) {
    const answer: ActionAnswer = Effect.runSync(
      action.act({ path: "a.txt", from, to: size === null ? null : from + size - 1 })
    )
    expect([answer.isError, answer.text]).toEqual([false, answer.text])
    expect(new TextEncoder().encode(answer.text).length).toBeLessThan(answerBytes + 200)
    const rest: ReadonlyArray<string> = answer.text.split("\n").slice(1)
    const next: string | undefined = /^\[\d+ more lines?: ask again from (\d+)\]$/.exec(rest.at(-1) ?? "")?.[1]
    for (const line of next === undefined ? rest : rest.slice(0, -1)) {
      const [, number, text] = /^(\d+)\t(.*)$/s.exec(line) ?? []
      expect(Number(number)).toBe(found.length + 1)
      found.push(text ?? "")
    }
    from = next === undefined ? null : Number(next)
  }
  return found
}

describe("read_file, page by page", () => {
  const Given = Schema.Tuple([
    Schema.Array(Line),
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })))
  ])

  it.prop(
    "returns the entire file, each line once and in order, whatever the size of the page",
    Given,
    ([lines, size]) => {
      const texts = lines.map((parts) => parts.join(""))
      if (texts.length > 0) expect(paged(texts, size)).toEqual(texts)
    }
  )

  it("returns a complete file over many pages", () => {
    const texts = Array.from({ length: 4321 }, (_, at) => `${at} ${"é".repeat(at % 900)}`)
    expect(paged(texts, null)).toEqual(texts)
  })
})
