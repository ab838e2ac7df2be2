/** Changes of layout in text without a syntax tree. */
import type { DiffLine } from "../../change/Diff.ts"
import type { Run } from "./changedRuns.ts"

/** In these formats a blank line and white space at the end of a line have no meaning. */
const freeForm = /\.(?:css|scss|less|proto|jsonc?|json5|ini|sql)$/i

export const isBlankChange = (path: string, { lines }: Run): boolean =>
  freeForm.test(path) && textOf(lines, "deleted") === textOf(lines, "added")

/** Trailing white space and blank lines aside. */
const textOf = (lines: ReadonlyArray<DiffLine>, kind: DiffLine["kind"]): string =>
  lines
    .filter((line) => line.kind === kind && line.text.trim() !== "")
    .map(({ text }) => text.trimEnd())
    .join("\n")

/** Only the indentation of lines, and blank lines, are different. */
export const hasSameLines = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): boolean => {
  const [old, now] = [before, after].map((lines) => lines.map((line) => line.trim()).filter((line) => line !== ""))
  return old?.join("\n") === now?.join("\n")
}

const jsonToken = /"(?:[^"\\]|\\.)*"|[^\s"{}[\],:]+|["{}[\],:]/g

/** JSON with the same tokens. */
export const sameData = (path: string, { lines }: Run): boolean => {
  if (!/\.json$/i.test(path)) return false
  const tokensOf = (kind: DiffLine["kind"]) =>
    lines.filter((line) => line.kind === kind).flatMap(({ text }) => text.match(jsonToken) ?? [])
  const [before, after] = [tokensOf("deleted"), tokensOf("added")]
  return before.length === after.length && before.every((token, at) => token === after[at])
}

/** Control characters, and characters that change the direction of a text or have no width. */
const hidden =
  /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/

export const hasHiddenCharacters = ({ lines }: Run): boolean =>
  lines.some(({ raw, text }) => raw !== null || hidden.test(text))
