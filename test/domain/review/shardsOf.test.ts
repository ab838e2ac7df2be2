import { describe, expect, test } from "bun:test"
import type { Tie } from "../../../src/domain/brief/sizeOf.ts"
import type { DiffFile, Hunk } from "../../../src/domain/change/Diff.ts"
import { untouchedFile } from "../../../src/domain/change/Diff.ts"
import { type ShardFile, shardsOf } from "../../../src/domain/review/shardsOf.ts"

const hunk = (at: number): Hunk => ({ oldStart: at, oldCount: 1, newStart: at, newCount: 1, section: "", lines: [] })

const fileOf = (path: string, tokens: ReadonlyArray<number>, stack = "python"): ShardFile => ({
  file: { ...untouchedFile(path), hunks: tokens.map((_, at) => hunk(1 + at * 10)) },
  tokens,
  stack
})

const tie = (one: string, other: string, weight: number): Tie => ({ files: [one, other], weight })
const paths = (shards: ReturnType<typeof shardsOf>) => shards.map(({ files }) => files)
const hunksOf = (files: ReadonlyArray<DiffFile>) =>
  files.flatMap(({ hunks, path }) => hunks.map(({ newStart }) => `${path}:${newStart}`)).sort()

/** The same numbers in every run. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
}

describe("shards", () => {
  test("keep the closest files together and fill the room", () => {
    const files = ["a.py", "b.py", "c.py", "d.py"].map((path) => fileOf(path, [50]))
    expect(paths(shardsOf(files, [tie("a.py", "d.py", 5), tie("b.py", "c.py", 2)], 100))).toEqual([
      ["a.py", "d.py"],
      ["b.py", "c.py"]
    ])
  })

  test("put a test with its subject before files of the same folder, and languages together that use each other", () => {
    const files = [
      fileOf("src/a.tsx", [40], "react"),
      fileOf("src/b.tsx", [40], "react"),
      fileOf("lib/a.ts", [40], "typescript"),
      fileOf("test/b.test.ts", [40], "typescript")
    ]
    const ties = [tie("src/a.tsx", "lib/a.ts", 2), tie("src/b.tsx", "test/b.test.ts", 5)]
    const shards = shardsOf(files, ties, 80)
    expect(paths(shards)).toEqual([
      ["lib/a.ts", "src/a.tsx"],
      ["src/b.tsx", "test/b.test.ts"]
    ])
    expect(shards[0]?.shard?.profiles.toSorted()).toEqual(["react", "typescript"])
  })

  test("divide a file that is too large by its hunks, neighbours together; a hunk is never divided", () => {
    const shards = shardsOf([fileOf("a.py", [60, 30, 60, 200])], [], 100)
    expect(shards.map(({ name }) => name)).toEqual(["python-1", "python-2", "python-3"])
    expect(shards.map(({ shard }) => hunksOf(shard!.parts))).toEqual([["a.py:1", "a.py:11"], ["a.py:21"], ["a.py:31"]])
  })

  test("a name is numbered only if it is needed; files of no language come last", () => {
    const files = [fileOf("a.md", [90], "generic"), fileOf("b.go", [90], "go"), fileOf("c.py", [90])]
    expect(shardsOf(files, [], 100).map(({ name }) => name)).toEqual(["go", "python", "generic"])
  })

  test("files that are only named cost nothing and belong to one shard", () => {
    const files = [fileOf("a/x.py", [90]), fileOf("b/y.py", [90]), fileOf("b/y.lock", [], "generic")]
    expect(paths(shardsOf(files, [], 100))).toEqual([["a/x.py"], ["b/y.lock", "b/y.py"]])
  })
})

test("laws: every hunk is in one shard, each fits or is one hunk, no two fit into one, the order has no effect", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = numbers(seed)
    const room = 100
    const files = Array.from({ length: 1 + next(30) }, (_, at) =>
      fileOf(
        `d${next(4)}/f${at}.x`,
        Array.from({ length: next(6) }, () => 1 + next(70)),
        ["python", "go", "generic"][next(3)]
      )
    )
    const any = () => files[next(files.length)]!.file.path
    const ties = Array.from({ length: next(40) }, () => tie(any(), any(), 1 + next(9))).filter(
      ({ files: [one, other] }) => one !== other
    )
    const shards = shardsOf(files, ties, room)
    const parts = shards.flatMap(({ shard }) => shard!.parts)
    expect(hunksOf(parts)).toEqual(hunksOf(files.map(({ file }) => file)))
    expect(new Set(shards.flatMap(({ files }) => files)).size).toBe(files.length)
    expect(new Set(shards.map(({ name }) => name)).size).toBe(shards.length)
    const sizes = shards.map(({ shard }) =>
      shard!.parts.reduce((sum, { hunks, path }) => {
        const { file, tokens } = files.find((each) => each.file.path === path)!
        return sum + hunks.reduce((own, each) => own + tokens[file.hunks.indexOf(each)]!, 0)
      }, 0)
    )
    for (const [at, size] of sizes.entries()) expect(size <= room || shards[at]!.shard!.parts.length === 1).toBe(true)
    const [least = 0, second = room + 1] = sizes.toSorted((a, b) => a - b)
    if (sizes.length > 1) expect(least + second).toBeGreaterThan(room)
    expect(paths(shardsOf(files.toReversed(), ties.toReversed(), room))).toEqual(paths(shards))
  }
})
