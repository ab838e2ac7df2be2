import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import {
  type EditedTogether,
  pairsOfSession,
  relatedFiles
} from "../../../../src/domain/dream/tasks/fileRelationships.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { edit, eventsOf, prompt, read } from "../../../support/sessionEvents.ts"

type Steps = Parameters<typeof eventsOf>[0]

const together = (...steps: ReadonlyArray<Steps | Steps[number]>): EditedTogether => {
  const parts = pairsOfSession(viewOfSession(eventsOf(steps.flat()))?.steps ?? [])
  let next = parts.next()
  while (!next.done) next = parts.next()
  return next.value
}
const reads = (count: number) => Array.from({ length: count }, (_, at) => read(`r${at}.ts`)).flat()
const many = (count: number) => Array.from({ length: count }, (_, at) => edit(`m${at}.ts`)).flat()

describe("pairs of a session", () => {
  test("files edited in one turn are a pair, once for each turn", () => {
    const found = together(prompt(), edit("b"), edit("a"), edit("b"), prompt(), edit("a"), reads(20), edit("b"))
    expect(found).toEqual({ pairs: [{ files: ["a", "b"], together: 2 }], edits: { a: 2, b: 2 } })
  })

  test("across turns, only edits of the next eight steps are", () => {
    expect(together(prompt(), edit("a"), prompt(), reads(7), edit("b")).pairs).toHaveLength(1)
    expect(together(prompt(), edit("a"), prompt(), reads(8), edit("b")).pairs).toHaveLength(0)
  })

  test("in a turn that edits many files, only edits near each other are", () => {
    const { edits, pairs } = together(prompt(), many(40))
    expect(pairs).toHaveLength(100)
    expect(pairs).not.toContainEqual({ files: ["m0.ts", "m39.ts"], together: 1 })
    expect(Object.keys(edits)).toHaveLength(40)
  })

  test("a file that was edited alone is counted, one that was only read is not", () => {
    expect(together(prompt(), edit("a"), read("b"))).toEqual({ pairs: [], edits: { a: 1 } })
  })
})

describe("related files", () => {
  const session = (turns: number, a = 0, b = 0): EditedTogether => ({
    pairs: turns === 0 ? [] : [{ files: ["a", "b"], together: turns }],
    edits: { a: turns + a, b: turns + b }
  })

  test("three turns in two sessions make a relation, fewer do not", () => {
    expect(relatedFiles([session(2), session(1)], [])).toEqual([
      { files: ["a", "b"], turns: 3, sessions: 2, commits: 0, share: 1 }
    ])
    expect(relatedFiles([session(1), session(1)], [])).toEqual([])
    expect(relatedFiles([session(3)], [])).toEqual([])
  })

  test("files that are mostly edited without each other are not related", () => {
    expect(relatedFiles([session(2), session(2, 4, 1)], [])).toEqual([])
    expect(relatedFiles([session(2), session(2), session(0, 5, 0)], [])).toEqual([])
  })

  test("three commits make a relation, and commits of many files do not", () => {
    const commit = ["a", "b"]
    expect(relatedFiles([], [commit, commit, commit])).toMatchObject([{ commits: 3, share: 1 }])
    expect(relatedFiles([], [commit, commit])).toEqual([])
    expect(relatedFiles([], [commit, commit, commit, ["a"], ["a"], ["b"], ["b"]])).toEqual([])
    const large = [...commit, ...Array.from({ length: 24 }, (_, at) => `x${at}`)]
    expect(relatedFiles([], [large, large, large])).toEqual([])
  })

  const file = Schema.Literals(["a", "b", "c", "d", "e"])
  it.prop(
    "at most 100 pairs, each above its thresholds, the same in whatever order sessions come",
    Schema.Array(Schema.Array(Schema.Array(file))),
    (sessions) => {
      const found = sessions.map((turns) => together(...turns.map((files) => [prompt(), ...files.flatMap(edit)])))
      const related = relatedFiles(found, [])
      expect(related.length).toBeLessThanOrEqual(100)
      for (const { files, sessions: seen, share, turns } of related) {
        expect([turns >= 3, seen >= 2, share >= 0.5 && share <= 1, files[0] < files[1]]).toEqual([
          true,
          true,
          true,
          true
        ])
      }
      expect(relatedFiles(found.toReversed(), [])).toEqual(related)
    }
  )
})
