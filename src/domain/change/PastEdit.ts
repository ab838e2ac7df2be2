/** The lines that an earlier commit added and deleted, as keys: they are only compared with other lines. */
import { Hash } from "effect"
import type { Diff } from "./Diff.ts"

export interface PastEdit {
  /** After the commit; before it if the commit deleted the file. */
  readonly path: string
  /** Without repetitions, and without lines that the commit moved. */
  readonly added: ReadonlyArray<number>
  readonly deleted: ReadonlyArray<number>
}

const comment = /^(?:\/\/|#|\*|\/\*|<!--|--|;|"""|''')/
const declaresUse = /^(?:import|from|use|using|require|package|module|include|export \*)\b/
const longest = 400

/** Equal for lines that differ only in white space. Null for a line that occurs in any code: a brace, an import. */
export const lineKey = (text: string): number | null => {
  if (text.length > longest) return null
  const normal = text.trim().replace(/\s+/g, " ")
  if (comment.test(normal) || declaresUse.test(normal) || (normal.match(/\w/g) ?? []).length < 6) return null
  return Hash.string(normal) + normal.length * 2 ** 32
}

export const pastEdits = ({ files }: Diff): ReadonlyArray<PastEdit> => {
  const edits = files.map(({ hunks, path }) => {
    const edit = { path, added: new Set<number>(), deleted: new Set<number>() }
    for (const { lines } of hunks) {
      for (const { kind, text } of lines) {
        const key = kind === "context" ? null : lineKey(text)
        if (key !== null) (kind === "added" ? edit.added : edit.deleted).add(key)
      }
    }
    return edit
  })
  const added = new Set(edits.flatMap((edit) => [...edit.added]))
  const deleted = new Set(edits.flatMap((edit) => [...edit.deleted]))
  return edits.map((edit) => ({
    path: edit.path,
    added: [...edit.added].filter((key) => !deleted.has(key)),
    deleted: [...edit.deleted].filter((key) => !added.has(key))
  }))
}
