import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { endTagged, noTags, type TaggedPart, takeTagged } from "../../../../src/layers/agent/model/ThinkTags.ts"
import { it } from "../../../support/effect.ts"

const parted = (pieces: ReadonlyArray<string>): ReadonlyArray<TaggedPart> => {
  let tags = noTags
  const parts: Array<TaggedPart> = []
  for (const piece of pieces) {
    const [next, said] = takeTagged(tags, piece)
    tags = next
    parts.push(...said)
  }
  const joined: Array<TaggedPart> = []
  for (const part of [...parts, ...endTagged(tags)]) {
    const last = joined.at(-1)
    if (last?.kind === part.kind && part.kind !== "ThinkingEnded") {
      joined[joined.length - 1] = { kind: part.kind, text: last.text + part.text }
    } else joined.push(part)
  }
  return joined
}

const thinking = (text: string): TaggedPart => ({ kind: "Thinking", text })
const ended: TaggedPart = { kind: "ThinkingEnded", text: "" }
const text = (words: string): TaggedPart => ({ kind: "Text", text: words })

describe("think tags", () => {
  for (const [whole, parts] of [
    ["<think>\nhm\n</think>\n\nYes.", [thinking("hm"), ended, text("Yes.")]],
    ["  \n<thinking>hm</thinking>Yes.", [thinking("hm"), ended, text("Yes.")]],
    ["<think></think>Yes.", [ended, text("Yes.")]],
    ["<think>a < b, <b> and </thin none</think>Yes.", [thinking("a < b, <b> and </thin none"), ended, text("Yes.")]],
    ["Yes, <think>no</think>.", [text("Yes, <think>no</think>.")]],
    ["<thin ice", [text("<thin ice")]],
    ["<think>cut off", [thinking("cut off"), ended]],
    ["<think>cut off\n</thi", [thinking("cut off\n</thi"), ended]],
    ["<think>", [ended]],
    ["<think>a</think> <think>b</think>", [thinking("a"), ended, text("<think>b</think>")]],
    ["", []]
  ] as const) {
    test(`part ${JSON.stringify(whole)}, wherever it is cut`, () => {
      expect(parted([whole])).toEqual([...parts])
      expect(parted([...whole])).toEqual([...parts])
      for (let at = 0; at <= whole.length; at++)
        expect(parted([whole.slice(0, at), whole.slice(at)])).toEqual([...parts])
    })
  }

  const bits = Schema.Array(
    Schema.Literals(["<think>", "</think>", "<", "\n", "th", "ink>", " ", "a", "</", "/thinking>"])
  )
  it.prop("depend on the text alone, not on its pieces", bits, (pieces) => {
    expect(parted(pieces)).toEqual(parted([pieces.join("")]))
  })
})
