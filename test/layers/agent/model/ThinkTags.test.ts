import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { ModelEvent } from "../../../../src/domain/agent/ModelTurn.ts"
import { endTagged, noTags, takeTagged } from "../../../../src/layers/agent/model/ThinkTags.ts"
import { it } from "../../../support/effect.ts"

const parted = (pieces: ReadonlyArray<string>): ReadonlyArray<ModelEvent> => {
  let tags = noTags
  const parts: Array<ModelEvent> = []
  for (const piece of pieces) {
    const [next, said] = takeTagged(tags, piece)
    tags = next
    parts.push(...said)
  }
  const joined: Array<ModelEvent> = []
  for (const part of [...parts, ...endTagged(tags)]) {
    const last = joined.at(-1)
    if (last?._tag === "Text" && part._tag === "Text") joined.splice(-1, 1, text(last.text + part.text))
    else if (last?._tag === "Thinking" && part._tag === "Thinking")
      joined.splice(-1, 1, thinking(last.text + part.text))
    else joined.push(part)
  }
  return joined
}

const thinking = (text: string): ModelEvent => ({ _tag: "Thinking", text })
const ended: ModelEvent = { _tag: "ThinkingEnded" }
const text = (words: string): ModelEvent => ({ _tag: "Text", text: words })

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
