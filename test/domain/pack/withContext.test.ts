/** A diff with more context: the function on both sides, each line once, and nothing that the part does not have. */
import { describe, expect, test } from "bun:test"
import type { DiffFile, DiffLine, Hunk } from "../../../src/domain/change/Diff.ts"
import { untouchedFile } from "../../../src/domain/change/Diff.ts"
import { type DiffWidths, widestOf } from "../../../src/domain/pack/DiffWidths.ts"
import { withContext } from "../../../src/domain/pack/withContext.ts"

type Kind = DiffLine["kind"]

/** All lines of a file with their kinds, numbered on both sides. */
const sequenceOf = (kinds: ReadonlyArray<Kind>): ReadonlyArray<DiffLine> => {
  let [old, now] = [0, 0]
  return kinds.map((kind, at) => ({
    kind,
    oldLine: kind === "added" ? null : ++old,
    newLine: kind === "deleted" ? null : ++now,
    text: `${kind} ${at}`,
    raw: null,
    noNewline: false
  }))
}

/** The hunks that git would print with `context` lines around each change. */
const hunksOf = (lines: ReadonlyArray<DiffLine>, context: number): ReadonlyArray<Hunk> => {
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some(({ kind }) => kind !== "context")
  )
  const hunks: Array<Hunk> = []
  let [old, now] = [0, 0]
  lines.forEach((line, at) => {
    if (isShown[at] && !isShown[at - 1]) {
      hunks.push({ oldStart: old + 1, oldCount: 0, newStart: now + 1, newCount: 0, section: `from ${at}`, lines: [] })
    }
    old += Number(line.oldLine !== null)
    now += Number(line.newLine !== null)
    const last = hunks.at(-1)
    if (isShown[at] && last !== undefined) {
      hunks[hunks.length - 1] = {
        ...last,
        oldCount: last.oldCount + Number(line.oldLine !== null),
        newCount: last.newCount + Number(line.newLine !== null),
        lines: [...last.lines, line]
      }
    }
  })
  // A side without lines names the line before.
  return hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldCount === 0 ? hunk.oldStart - 1 : hunk.oldStart,
    newStart: hunk.newCount === 0 ? hunk.newStart - 1 : hunk.newStart
  }))
}

const fileOf = (hunks: ReadonlyArray<Hunk>): DiffFile => ({ ...untouchedFile("a.ts"), hunks })
const headOf = (lines: ReadonlyArray<DiffLine>) =>
  lines.filter(({ newLine }) => newLine !== null).map(({ text }) => text)
const linesOf = (file: DiffFile | null) => file?.hunks.flatMap(({ lines }) => lines) ?? []

/** The same numbers in every run. */
const numbers = (seed: number) => {
  let state = seed * 7_919 + 1
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const choices: ReadonlyArray<Kind> = ["context", "context", "context", "context", "added", "deleted"]

/** A hundred made-up files. */
const eachFile = (check: (lines: ReadonlyArray<DiffLine>, next: (below: number) => number) => void) => {
  for (let seed = 0; seed < 100; seed++) {
    const next = numbers(seed)
    check(sequenceOf(Array.from({ length: 1 + next(60) }, () => choices[next(choices.length)]!)), next)
  }
}

describe("withContext", () => {
  test("of every line is the whole file on both sides, in one hunk", () => {
    eachFile((lines, next) => {
      const whole = fileOf(hunksOf(lines, next(4)))
      const wide = withContext(whole, whole, headOf(lines), [{ first: 1, last: 1_000 }])
      const shown = linesOf(wide)
      expect(shown.map(({ kind, newLine, oldLine }) => ({ kind, newLine, oldLine }))).toEqual(
        lines.map(({ kind, newLine, oldLine }) => ({ kind, newLine, oldLine }))
      )
      expect(wide?.hunks.length).toBeLessThanOrEqual(1)
    })
  })

  test("keeps every line of the part, adds only unchanged lines that were asked for, and nothing of other parts", () => {
    eachFile((lines, next) => {
      const [first, length, chosen] = [next(60), next(20), next(2)]
      const whole = fileOf(hunksOf(lines, 2))
      const part = fileOf(whole.hunks.filter((_, at) => at % 2 === chosen))
      const wide = withContext(whole, part, headOf(lines), [{ first, last: first + length }])
      const own = new Set(linesOf(part))
      const shown = linesOf(wide)
      expect(shown.filter((line) => own.has(line))).toEqual(linesOf(part) as Array<DiffLine>)
      for (const line of shown.filter((each) => !own.has(each))) {
        expect(line.kind).toBe("context")
        expect(line.newLine).toBeGreaterThanOrEqual(Math.max(1, first))
        expect(line.newLine).toBeLessThanOrEqual(first + length)
        expect(lines.some((each) => each.newLine === line.newLine && each.oldLine === line.oldLine)).toBe(true)
      }
    })
  })

  test("counts the lines of each hunk, and starts it with its first lines", () => {
    eachFile((lines, next) => {
      const [first, length] = [next(60), next(20)]
      const whole = fileOf(hunksOf(lines, 1))
      const wide = withContext(whole, whole, headOf(lines), [{ first, last: first + length }])
      for (const hunk of wide?.hunks ?? []) {
        const [old, now] = [
          hunk.lines.flatMap((line) => line.oldLine ?? []),
          hunk.lines.flatMap((line) => line.newLine ?? [])
        ]
        expect([hunk.oldCount, hunk.newCount]).toEqual([old.length, now.length])
        if (old.length > 0) expect(hunk.oldStart).toBe(old[0]!)
        if (now.length > 0) expect(hunk.newStart).toBe(now[0]!)
        expect(now).toEqual(now.map((_, at) => now[0]! + at))
        expect(old).toEqual(old.map((_, at) => old[0]! + at))
      }
    })
  })

  test("is null if the text is not the one of the diff", () => {
    const lines = sequenceOf(["context", "added", "context"])
    const whole = fileOf(hunksOf(lines, 3))
    expect(withContext(whole, whole, ["other", "text"], [{ first: 1, last: 3 }])).toBeNull()
  })
})

describe("widestOf", () => {
  const sized = (path: string, size: number): DiffFile => ({ ...untouchedFile(path), oldOid: String(size) })
  const tokens = ({ oldOid }: DiffFile) => Number(oldOid)
  /** A token for each line. `sizes`: of the parts in each level, one after the other. */
  const widths = (path: string, narrow: number, ...sizes: ReadonlyArray<ReadonlyArray<number>>): DiffWidths => {
    let line = 1
    const part = (size: number) => {
      line += size
      return [{ first: line - size, last: line - 1 }]
    }
    return {
      narrow: sized(path, narrow),
      around: sizes.map((level) => level.map(part)),
      showing: (ranges) => sized(path, narrow + ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0))
    }
  }

  test("shows the definitions of all files before very long ones, and these before the whole of one", () => {
    const files = [widths("a.ts", 10, [10], [], [5]), widths("b.ts", 10, [10], [50], [30])]
    expect(widestOf(files, 22, () => 0, tokens).map(tokens)).toEqual([20, 20])
    expect(widestOf(files, 25, () => 0, tokens).map(tokens)).toEqual([25, 20])
    expect(widestOf(files, 74, () => 0, tokens).map(tokens)).toEqual([20, 70])
  })

  test("shows the short definitions of a file whose long one does not fit", () => {
    expect(widestOf([widths("a.ts", 10, [90, 3, 4])], 20, () => 0, tokens).map(tokens)).toEqual([17])
  })

  test("never exceeds the room, and keeps the order of the files", () => {
    for (let seed = 0; seed < 100; seed++) {
      const next = numbers(seed)
      const sizes = Array.from({ length: next(12) }, () => [next(50), next(50), next(50), next(4)] as const)
      const room = next(200)
      const files = sizes.map(([a, b, c], at) => widths(`${at}`, a, [b, c], [], [c]))
      const chosen = widestOf(files, room, ({ path }) => sizes[Number(path)]![3], tokens)
      const added = chosen.reduce((sum, file, at) => sum + tokens(file) - tokens(files[at]!.narrow), 0)
      expect(added).toBeLessThanOrEqual(room)
      expect(chosen.map(({ path }) => path)).toEqual(files.map(({ narrow }) => narrow.path))
    }
  })
})
