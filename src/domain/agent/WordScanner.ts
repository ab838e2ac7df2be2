/**
 * Scans the text of a model without tools for calls, outputs and reasoning, in any chunks.
 *
 * An element ends only at its own closing tag. Other tags inside an element or a JSON string are text, as are unknown
 * tags. An unclosed element is truncated.
 */
export type WordEvent =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Reasoning"; readonly text: string }
  | { readonly _tag: "ReasoningEnded"; readonly truncated: boolean }
  | { readonly _tag: "Opened"; readonly element: "action_call" | "output"; readonly attributes: WordAttributes }
  /** A piece of the body of the open element. */
  | { readonly _tag: "Body"; readonly text: string }
  | { readonly _tag: "Closed"; readonly body: string; readonly truncated: boolean }

export type WordAttributes = { readonly [name: string]: string }

type Tag = "response" | "think" | "thinking" | "reasoning" | "action_call" | "output"
const tags: ReadonlyArray<Tag> = ["response", "think", "thinking", "reasoning", "action_call", "output"]
/** Elements that may contain one of the same name. */
const nesting: ReadonlySet<Tag> = new Set<Tag>(["thinking", "action_call", "output"])
/** A longer tag is text. */
const longestTag = 2048

/** JSON in the body of a call. `undecided`: only white space so far; `fence`: the first line of a code fence; `raw`: not JSON. */
interface Json {
  readonly mode: "undecided" | "fence" | "json" | "raw"
  readonly depth: number
  readonly inString: boolean
  readonly escaped: boolean
}

interface Open {
  readonly tag: Exclude<Tag, "response">
  /** The number of open elements of the same name inside. */
  readonly depth: number
  readonly json: Json
  readonly body: string
}

export interface WordScanner {
  /** Text that may be the start of a tag. */
  readonly held: string
  readonly open: Open | null
}

export const emptyScanner: WordScanner = { held: "", open: null }

export const scanWords = (
  { held, open: opened }: WordScanner,
  chunk: string
): readonly [WordScanner, ReadonlyArray<WordEvent>] => {
  const text = held + chunk
  const seen: Array<WordEvent> = []
  let open = opened
  let at = 0
  while (at < text.length) {
    const { end, json } = open === null ? { end: nextTag(text, at), json: undecided } : stepOver(open.json, text, at)
    const tag = end === text.length ? null : tagAt(text, end)
    // The text before a possible tag, and a `<` that does not start one.
    const upTo = tag === null && end < text.length ? end + 1 : end
    if (upTo > at) seen.push(pieceOf(open, text.slice(at, upTo)))
    if (open !== null) open = { ...open, json: upTo > end ? notBlank(json) : json, body: bodyOf(open, text, at, upTo) }
    at = upTo
    if (tag === null) continue
    if (tag === "unfinished") break
    at = tag.end
    const whole = text.slice(end, tag.end)
    if (open === null) open = atTop(tag, whole, seen)
    else open = inside(open, tag, whole, seen)
  }
  return [{ held: text.slice(at), open }, seen]
}

export const endScan = ({ held, open }: WordScanner): ReadonlyArray<WordEvent> => {
  const seen: Array<WordEvent> = held === "" ? [] : [pieceOf(open, held)]
  if (open !== null) seen.push(closed({ ...open, body: bodyOf(open, held, 0, held.length) }, true))
  return seen
}

const undecided: Json = { mode: "undecided", depth: 0, inString: false, escaped: false }
const raw: Json = { ...undecided, mode: "raw" }

interface FoundTag {
  readonly name: Tag
  readonly kind: "opens" | "closes" | "empty"
  readonly attributes: string
  /** The index after the tag. */
  readonly end: number
}

/** A tag outside of elements. `response` is ignored; an unmatched closing tag is text. */
const atTop = (tag: FoundTag, whole: string, seen: Array<WordEvent>): Open | null => {
  if (tag.name === "response") return null
  if (tag.kind === "closes") {
    seen.push({ _tag: "Text", text: whole })
    return null
  }
  if (tag.name === "action_call" || tag.name === "output") {
    seen.push({ _tag: "Opened", element: tag.name, attributes: attributesOf(tag.attributes) })
  }
  const open: Open = { tag: tag.name, depth: 0, json: tag.name === "action_call" ? undecided : raw, body: "" }
  if (tag.kind !== "empty") return open
  seen.push(closed(open, false))
  return null
}

/** A tag inside an element, where only tags of the same name count. */
const inside = (open: Open, tag: FoundTag, whole: string, seen: Array<WordEvent>): Open | null => {
  const isOwn = tag.name === open.tag
  if (isOwn && tag.kind === "closes" && open.depth === 0) {
    seen.push(closed(open, false))
    return null
  }
  seen.push(pieceOf(open, whole))
  const more = !isOwn || !nesting.has(tag.name) || tag.kind === "empty" ? 0 : tag.kind === "opens" ? 1 : -1
  return { ...open, depth: open.depth + more, json: notBlank(open.json), body: bodyOf(open, whole, 0, whole.length) }
}

const closed = ({ body, tag }: Open, truncated: boolean): WordEvent =>
  tag === "action_call" || tag === "output"
    ? { _tag: "Closed", body, truncated }
    : { _tag: "ReasoningEnded", truncated }

const pieceOf = (open: Open | null, text: string): WordEvent => {
  if (open === null) return { _tag: "Text", text }
  return { _tag: open.tag === "action_call" || open.tag === "output" ? "Body" : "Reasoning", text }
}

/** The body of reasoning is not needed. */
const bodyOf = ({ body, tag }: Open, text: string, from: number, to: number): string =>
  tag === "action_call" || tag === "output" ? body + text.slice(from, to) : ""

const nextTag = (text: string, from: number): number => {
  const at = text.indexOf("<", from)
  return at === -1 ? text.length : at
}

const notBlank = (json: Json): Json => (json.mode === "undecided" || json.mode === "fence" ? raw : json)

/** Skips to the next `<` outside of a JSON string. */
const stepOver = (json: Json, text: string, from: number): { readonly end: number; readonly json: Json } => {
  if (json.mode === "raw") return { end: nextTag(text, from), json }
  let { depth, escaped, inString, mode } = json
  for (let at = from; at < text.length; at++) {
    const char = text[at] ?? ""
    if (inString) {
      if (escaped) escaped = false
      else if (char === "\\") escaped = true
      else if (char === '"') inString = false
      continue
    }
    if (char === "<") return { end: at, json: { mode, depth, inString, escaped } }
    if (mode === "json") {
      if (char === '"') inString = true
      else if (char === "{" || char === "[") depth++
      else if ((char === "}" || char === "]") && --depth === 0) return { end: nextTag(text, at), json: raw }
    } else if (char === "{" || char === "[") {
      mode = "json"
      depth = 1
    } else if (char === "`") mode = "fence"
    else if (!isBlank(char) && !(mode === "fence" && isLetter(char))) return { end: nextTag(text, at), json: raw }
  }
  return { end: text.length, json: { mode, depth, inString, escaped } }
}

const isBlank = (char: string): boolean => char === " " || char === "\n" || char === "\t" || char === "\r"
const isLetter = (char: string): boolean => /[A-Za-z0-9]/.test(char)

/** The tag at `start`, if any; `unfinished`: more text is needed to decide. */
const tagAt = (text: string, start: number): FoundTag | "unfinished" | null => {
  const closes = text[start + 1] === "/"
  const nameAt = start + (closes ? 2 : 1)
  const name = tags.find((tag) => text.startsWith(tag, nameAt) && !isNameChar(text[nameAt + tag.length]))
  if (name === undefined) {
    const rest = text.slice(nameAt, nameAt + 16)
    const mayGrow = nameAt + rest.length === text.length && tags.some((tag) => tag.startsWith(rest))
    return mayGrow ? "unfinished" : null
  }
  const from = nameAt + name.length
  const after = text[from]
  if (after !== undefined && after !== ">" && after !== "/" && !isBlank(after)) return null
  const close = tagEnd(text, from, start + longestTag)
  if (close === null) return text.length >= start + longestTag ? null : "unfinished"
  const isEmpty = text[close - 1] === "/"
  const attributes = text.slice(from, isEmpty ? close - 1 : close)
  return { name, kind: closes ? "closes" : isEmpty ? "empty" : "opens", attributes, end: close + 1 }
}

const isNameChar = (char: string | undefined): boolean => char !== undefined && /[\w.:-]/.test(char)

/** The index of the `>` of the tag, outside of quoted values; null if there is none before `limit`. */
const tagEnd = (text: string, from: number, limit: number): number | null => {
  let quote = ""
  let last = ""
  for (let at = from; at < text.length && at < limit; at++) {
    const char = text[at] ?? ""
    if (quote !== "") {
      if (char === quote) quote = ""
    } else if (char === ">") return at
    else if (last === "=" && (char === '"' || char === "'")) quote = char
    if (!isBlank(char)) last = char
  }
  return null
}

const attribute = /([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

const attributesOf = (text: string): WordAttributes =>
  Object.fromEntries([...text.matchAll(attribute)].map(([, name = "", a, b]) => [name, a ?? b ?? ""]))
