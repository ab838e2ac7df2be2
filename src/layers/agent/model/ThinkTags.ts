/**
 * Separates the thinking in a model's text (`<think>…</think>`) from the rest, for text in any pieces.
 *
 * A tag counts only at the beginning of an answer: later it is part of the text. Some templates open the thinking
 * themselves, so that only the closing tag is in the answer: the thinking before it was then emitted as text, because
 * nothing marked it. Pure; the same text gives the same events for any division into pieces.
 */
import type { ModelEvent } from "../../../domain/agent/ModelTurn.ts"

export interface ThinkTags {
  /** `before`: only white space so far. `between`: the thinking has ended, and no text has followed. */
  readonly at: "before" | "thinking" | "between" | "after"
  /** What may be the beginning of a tag. */
  readonly pending: string
}

export const noTags: ThinkTags = { at: "before", pending: "" }

const opening = /^\s*<(think|thinking|thought)>\n?/
const closing = /<\/(?:think|thinking|thought)>/

export const takeTagged = (tags: ThinkTags, more: string): readonly [ThinkTags, ReadonlyArray<ModelEvent>] => {
  const text = tags.pending + more
  if (text === "") return [tags, []]
  switch (tags.at) {
    case "before": {
      const open = opening.exec(text)
      // A line break may follow the tag, and is not part of the thinking.
      if (open !== null && open[0].length === text.length && !text.endsWith("\n"))
        return [{ at: "before", pending: text }, []]
      if (open !== null) return takeRest({ at: "thinking", pending: "" }, [], text.slice(open[0].length))
      if (mayOpen(text)) return [{ at: "before", pending: text }, []]
      return [{ at: "after", pending: "" }, [{ _tag: "Text", text }]]
    }
    case "thinking": {
      const close = closing.exec(text)
      if (close !== null) {
        const thought = text.slice(0, close.index).replace(/\n$/, "")
        const parts: ReadonlyArray<ModelEvent> = [...thinking(thought), { _tag: "ThinkingEnded" }]
        const rest = text.slice(close.index + close[0].length)
        return takeRest({ at: "between", pending: "" }, parts, rest)
      }
      const keep = tail(text)
      return [{ at: "thinking", pending: text.slice(text.length - keep) }, thinking(text.slice(0, text.length - keep))]
    }
    case "between": {
      const words = text.trimStart()
      return words === "" ? [tags, []] : [{ at: "after", pending: "" }, [{ _tag: "Text", text: words }]]
    }
    case "after":
      return [tags, [{ _tag: "Text", text }]]
  }
}

/** Decides about the pending text at the end of the answer. */
export const endTagged = (tags: ThinkTags): ReadonlyArray<ModelEvent> => {
  if (tags.at === "thinking") return [...thinking(tags.pending), { _tag: "ThinkingEnded" }]
  if (opening.test(tags.pending)) return [{ _tag: "ThinkingEnded" }]
  return tags.pending.trim() === "" ? [] : [{ _tag: "Text", text: tags.pending }]
}

const takeRest = (
  tags: ThinkTags,
  parts: ReadonlyArray<ModelEvent>,
  rest: string
): readonly [ThinkTags, ReadonlyArray<ModelEvent>] => {
  const [next, more] = takeTagged(tags, rest)
  return [next, [...parts, ...more]]
}

const thinking = (text: string): ReadonlyArray<ModelEvent> => (text === "" ? [] : [{ _tag: "Thinking", text }])

const names = ["<think>", "<thinking>", "<thought>"]

/** White space, or white space and the beginning of an opening tag (with an optional line break after it). */
const mayOpen = (text: string): boolean => {
  const begun = text.trimStart()
  return begun === "" || names.some((name) => name.startsWith(begun))
}

const endings = ["\n</think>", "\n</thinking>", "\n</thought>"]

/** The length of the end that may be the beginning of a closing tag, with the line break before it. */
const tail = (text: string): number => {
  for (let length = Math.min(text.length, 11); length > 0; length--) {
    const end = text.slice(text.length - length)
    if (endings.some((tag) => tag.startsWith(end) || tag.slice(1).startsWith(end))) return length
  }
  return 0
}
