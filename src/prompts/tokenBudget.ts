/** Cuts texts to a number of tokens. */
import { tokenEstimate } from "../domain/text/tokenEstimate.ts"
import type { Guidance } from "./Material.ts"

/** The first tokens, up to the end of a line; `left` counts characters. */
export const cutToTokens = (text: string, tokens: number): { readonly text: string; readonly left: number } => {
  if (tokenEstimate(text) <= tokens) return { text, left: 0 }
  let room = tokens
  let end = 0
  for (const line of text.split("\n")) {
    room -= tokenEstimate(line) + 1
    if (room < 0) break
    end += line.length + 1
  }
  // A first line that is too long is cut.
  if (end === 0) end = Math.min(text.length, tokens * 3)
  return { text: text.slice(0, end).trimEnd(), left: text.length - end }
}

/** The first notes that fit, each cut to `each` tokens; `left` names the others. */
export const notesWithin = (
  notes: ReadonlyArray<{ readonly path: string; readonly text: string }>,
  tokens: number,
  each: number
): { readonly notes: ReadonlyArray<Guidance>; readonly left: ReadonlyArray<string> } => {
  const shown: Array<Guidance> = []
  const left: Array<string> = []
  let room = tokens
  for (const { path, text } of notes) {
    const own = Math.min(each, room)
    if (own < leastNote && tokenEstimate(text) > own) {
      left.push(path)
      continue
    }
    const cut = cutToTokens(text, own)
    shown.push({ path, ...cut })
    room -= tokenEstimate(cut.text)
  }
  return { notes: shown, left }
}

/** The minimum number of tokens of a cut note. */
const leastNote = 100
