/**
 * Parts a model's words into what it thinks (`<think>…</think>`) and what it says, in whatever pieces they come.
 *
 * Only at the beginning of an answer is a tag a tag: later it is text somebody wrote about. Some templates open the
 * thinking themselves, so that an answer begins inside it and only the closing tag is heard: then what came before it
 * was said as text, for nobody could know. Pure; the same parts come of the same text, however it was cut.
 */

export interface ThinkTags {
  /** `before`: nothing but white space yet. `between`: the thinking is over, and nothing is said yet. */
  readonly at: "before" | "thinking" | "between" | "after"
  /** What may be the beginning of a tag. */
  readonly pending: string
}

export interface TaggedPart {
  readonly kind: "Thinking" | "Text" | "ThinkingEnded"
  readonly text: string
}

export const noTags: ThinkTags = { at: "before", pending: "" }

const opening = /^\s*<(think|thinking|thought)>\n?/
const closing = /<\/(?:think|thinking|thought)>/

export const takeTagged = (tags: ThinkTags, more: string): readonly [ThinkTags, ReadonlyArray<TaggedPart>] => {
  const text = tags.pending + more
  if (text === "") return [tags, []]
  switch (tags.at) {
    case "before": {
      const open = opening.exec(text)
      // A line break may follow the tag, and is not thought.
      if (open !== null && open[0].length === text.length && !text.endsWith("\n"))
        return [{ at: "before", pending: text }, []]
      if (open !== null) return then({ at: "thinking", pending: "" }, [], text.slice(open[0].length))
      if (mayOpen(text)) return [{ at: "before", pending: text }, []]
      return [{ at: "after", pending: "" }, [{ kind: "Text", text }]]
    }
    case "thinking": {
      const close = closing.exec(text)
      if (close !== null) {
        const thought = text.slice(0, close.index).replace(/\n$/, "")
        const parts: ReadonlyArray<TaggedPart> = [...thinking(thought), { kind: "ThinkingEnded", text: "" }]
        const rest = text.slice(close.index + close[0].length)
        return then({ at: "between", pending: "" }, parts, rest)
      }
      const keep = tail(text)
      return [{ at: "thinking", pending: text.slice(text.length - keep) }, thinking(text.slice(0, text.length - keep))]
    }
    case "between": {
      const words = text.trimStart()
      return words === "" ? [tags, []] : [{ at: "after", pending: "" }, [{ kind: "Text", text: words }]]
    }
    case "after":
      return [tags, [{ kind: "Text", text }]]
  }
}

/** Nothing more will come: what was held back is what it looks like. */
export const endTagged = (tags: ThinkTags): ReadonlyArray<TaggedPart> => {
  if (tags.at === "thinking") return [...thinking(tags.pending), { kind: "ThinkingEnded", text: "" }]
  if (opening.test(tags.pending)) return [{ kind: "ThinkingEnded", text: "" }]
  return tags.pending.trim() === "" ? [] : [{ kind: "Text", text: tags.pending }]
}

const then = (
  tags: ThinkTags,
  parts: ReadonlyArray<TaggedPart>,
  rest: string
): readonly [ThinkTags, ReadonlyArray<TaggedPart>] => {
  const [next, more] = takeTagged(tags, rest)
  return [next, [...parts, ...more]]
}

const thinking = (text: string): ReadonlyArray<TaggedPart> => (text === "" ? [] : [{ kind: "Thinking", text }])

const names = ["<think>", "<thinking>", "<thought>"]

/** White space, or white space and the beginning of an opening tag (with the line break that may follow one). */
const mayOpen = (text: string): boolean => {
  const begun = text.trimStart()
  return begun === "" || names.some((name) => name.startsWith(begun))
}

const endings = ["\n</think>", "\n</thinking>", "\n</thought>"]

/** How much of the end may be the beginning of a closing tag, with the line break before it. */
const tail = (text: string): number => {
  for (let length = Math.min(text.length, 11); length > 0; length--) {
    const end = text.slice(text.length - length)
    if (endings.some((tag) => tag.startsWith(end) || tag.slice(1).startsWith(end))) return length
  }
  return 0
}
