/** Which changed lines are only form. Rows are from 0; files by their path in the diff. */
import type { DiffFile } from "../../change/Diff.ts"
import type { FormalHunk, FormName } from "../Form.ts"
import type { Place } from "../Place.ts"
import { type Run, runsOf } from "./changedRuns.ts"
import type { Moved } from "./moves.ts"

interface Mark {
  readonly form: FormName
  /** The other end of a move. */
  readonly other: Place | null
  readonly differs: ReadonlyArray<Place>
}

const plain = (form: FormName): Mark => ({ form, other: null, differs: [] })

export class FormalRows {
  readonly #deleted = new Map<string, Map<number, Mark>>()
  readonly #added = new Map<string, Map<number, Mark>>()

  readonly #rowsOf = (side: Map<string, Map<number, Mark>>, path: string): Map<number, Mark> => {
    const known = side.get(path)
    if (known !== undefined) return known
    const fresh = new Map<number, Mark>()
    side.set(path, fresh)
    return fresh
  }

  addRun({ path }: DiffFile, { base, head }: Run, form: FormName): void {
    const mark = plain(form)
    const [deleted, added] = [this.#rowsOf(this.#deleted, path), this.#rowsOf(this.#added, path)]
    for (let row = base.start; row < base.end; row++) deleted.set(row, mark)
    for (let row = head.start; row < head.end; row++) added.set(row, mark)
  }

  addFile(file: DiffFile, form: FormName): void {
    for (const run of runsOf(file)) this.addRun(file, run, form)
  }

  addMove({ base, equal, head }: Moved, oldPath: string): void {
    const [deleted, added] = [this.#rowsOf(this.#deleted, base.file), this.#rowsOf(this.#added, head.file)]
    const [from, to] = [
      { file: oldPath, line: base.row + 1 },
      { file: head.file, line: head.row + 1 }
    ]
    const [same, still] = [new Set(equal?.map(([row]) => row)), new Set(equal?.map(([, row]) => row))]
    const differs: Array<Place> = []
    for (let row = head.row; row <= head.endRow; row++) {
      if (equal !== undefined && !still.has(row)) differs.push({ file: head.file, line: row + 1 })
    }
    const [left, arrived]: [Mark, Mark] = [
      { form: "moved", other: to, differs: [] },
      { form: "moved", other: from, differs }
    ]
    for (let row = base.row; row <= base.endRow; row++) if (equal === undefined || same.has(row)) deleted.set(row, left)
    for (let row = head.row; row <= head.endRow; row++)
      if (equal === undefined || still.has(row)) added.set(row, arrived)
  }

  /** Blank lines around code that moved away or arrived moved with it. */
  addBlankNeighbours(files: ReadonlyArray<DiffFile>): void {
    for (const file of files) {
      for (const { base, head, lines } of runsOf(file)) {
        for (const [kind, { start }, side] of [
          ["deleted", base, this.#deleted],
          ["added", head, this.#added]
        ] as const) {
          const rows = side.get(file.path)
          if (rows === undefined) continue
          const texts = lines.filter((line) => line.kind === kind).map(({ text }) => text)
          const spread = (order: ReadonlyArray<number>, step: number) => {
            for (const at of order) {
              const neighbour = rows.get(start + at + step)
              if (texts[at]?.trim() !== "" || rows.has(start + at) || neighbour?.form !== "moved") continue
              rows.set(start + at, neighbour)
            }
          }
          const order = [...texts.keys()]
          spread(order, -1)
          spread(order.toReversed(), 1)
        }
      }
    }
  }

  markOfDeleted(path: string, row: number): Mark | null {
    return this.#deleted.get(path)?.get(row) ?? null
  }

  markOfAdded(path: string, row: number): Mark | null {
    return this.#added.get(path)?.get(row) ?? null
  }

  hasDeleted(path: string, row: number): boolean {
    return this.markOfDeleted(path, row) !== null
  }

  hasAdded(path: string, row: number): boolean {
    return this.markOfAdded(path, row) !== null
  }

  /** Is any line of the run marked? */
  hasRun({ path }: DiffFile, { base, head }: Run): boolean {
    for (let row = base.start; row < base.end; row++) if (this.hasDeleted(path, row)) return true
    for (let row = head.start; row < head.end; row++) if (this.hasAdded(path, row)) return true
    return false
  }
}

/** Neighbouring lines of a run with the same mark, as hunks in the order of the diff. */
export const formalHunks = (files: ReadonlyArray<DiffFile>, rows: FormalRows): ReadonlyArray<FormalHunk> =>
  files.flatMap((file) =>
    runsOf(file).flatMap((run) => {
      const parts: Array<Part> = []
      for (let row = run.base.start; row < run.base.end; row++) {
        extend(parts, rows.markOfDeleted(file.path, row), row, "base")
      }
      const added: Array<Part> = []
      for (let row = run.head.start; row < run.head.end; row++) {
        extend(added, rows.markOfAdded(file.path, row), row, "head")
      }
      // One change of layout deletes and adds lines.
      const joined = [...parts]
      for (const part of added) {
        const match = joined.findIndex((each) => each.mark === part.mark && each.head === null)
        if (match < 0) joined.push(part)
        else joined[match] = { ...joined[match]!, head: part.head }
      }
      return joined.map((part) => hunkOf(file, run, part))
    })
  )

interface Span {
  readonly first: number
  readonly count: number
}

interface Part {
  readonly mark: Mark
  readonly base: Span | null
  readonly head: Span | null
}

const extend = (parts: Array<Part>, mark: Mark | null, row: number, side: "base" | "head"): void => {
  if (mark === null) return
  const last = parts.at(-1)
  const span = last?.[side] ?? null
  if (last?.mark === mark && span !== null && span.first + span.count === row) {
    parts[parts.length - 1] = { ...last, [side]: { ...span, count: span.count + 1 } }
  } else parts.push({ mark, base: null, head: null, [side]: { first: row, count: 1 } })
}

const hunkOf = ({ path }: DiffFile, run: Run, { base, head, mark }: Part): FormalHunk => {
  const isMove = mark.form === "moved"
  return {
    form: mark.form,
    file: path,
    line: head === null ? run.head.start : head.first + 1,
    added: head?.count ?? 0,
    base: base === null ? 0 : base.first + 1,
    deleted: base?.count ?? 0,
    from: isMove && head !== null ? mark.other : null,
    to: isMove && head === null ? mark.other : null,
    differs: mark.differs
  }
}
