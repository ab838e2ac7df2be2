/**
 * The calls of a text with their literal arguments, read from tokens: `app.get("/x", show)`, `environ["X"]`,
 * `@Get("/x")`, `#[arg(long)]`, `cli.StringFlag{Name: "x"}`, `get "/x", to: "x"`. Linear in the text, in any language.
 */
import { closes, opens, type Token, textOf } from "./Token.ts"

export interface Call {
  /** `app.get`, whatever separates the names; `.get` after another call; with `()` after a call without arguments. */
  readonly path: string
  /** The bracket of its arguments; a space for a call without brackets, "" for a name that is only mentioned. */
  readonly bracket: "(" | "[" | "{" | " " | ""
  /** What is before the path: `@` and `#` for annotations, `[` for attributes of C#. */
  readonly mark: string
  /** Plain strings, also those of a list, and symbols of Ruby with their colon. */
  readonly strings: ReadonlyArray<string>
  /** Those of the first argument that has one. */
  readonly leading: ReadonlyArray<string>
  /** Strings by the name of the argument or of the property of an object; of `method`, also the names of methods. */
  readonly named: ReadonlyMap<string, ReadonlyArray<string>>
  /** `default=10`, for each argument that is a default or lists the choices. */
  readonly defaults: ReadonlyArray<string>
  /** The argument before the last one; empty if there are fewer than three. */
  readonly beforeLast: string
  /** The first names of the other arguments, and single words. */
  readonly words: ReadonlyArray<string>
  /** The number of arguments. */
  readonly count: number
  /** From 0. */
  readonly line: number
  /** The index after the last token. */
  readonly end: number
}

export const callsIn = (tokens: ReadonlyArray<Token>): ReadonlyArray<Call> => {
  const ends = groupEnds(tokens)
  const found: Array<Call> = []
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]!.kind !== "word") continue
    const { last, path } = pathAt(tokens, at)
    const start = argumentsStart(tokens, last + 1)
    const open = tokens[start]
    const before = tokens[at - 1]?.text ?? ""
    const outer = tokens[at - 2]?.text ?? ""
    const mark = before === "@" ? "@" : before === "[" ? (outer === "#" ? "#" : isAttribute(outer) ? "[" : "") : ""
    const call = { path: separators.has(before) ? `.${path}` : path, mark, line: tokens[at]!.line }
    const isGroup = open?.kind === "mark" && opens(open.text) && (open.text === "(" || !open.spaced)
    if (isGroup && ends[start] !== undefined) {
      const end = ends[start]
      const bracket = open.text as "(" | "[" | "{"
      found.push({ ...call, bracket, end: end + 1, ...argumentsIn(tokens, ends, start + 1, end) })
    } else if (isBareArgument(tokens, start, last)) {
      const end = lineEnd(tokens, ends, start)
      found.push({ ...call, bracket: " ", end, ...argumentsIn(tokens, ends, start, end) })
    } else found.push({ ...call, bracket: "", end: last + 1, ...noArguments })
    at = last
  }
  return found
}

type Arguments = Pick<Call, "strings" | "leading" | "named" | "defaults" | "beforeLast" | "words" | "count">

const noArguments: Arguments = {
  strings: [],
  leading: [],
  named: new Map(),
  defaults: [],
  beforeLast: "",
  words: [],
  count: 0
}

/** Before a list there is an operator, or a bracket. */
const isAttribute = (before: string): boolean => before === "" || /^[{};\]]$/.test(before)

const separators = new Set([".", "::", "->"])

/** The index of the closing bracket for each opening one. */
const groupEnds = (tokens: ReadonlyArray<Token>): ReadonlyArray<number | undefined> => {
  const ends = new Array<number | undefined>(tokens.length)
  const open: Array<number> = []
  for (const [at, { kind, text }] of tokens.entries()) {
    if (kind !== "mark") continue
    if (opens(text)) open.push(at)
    const start = closes(text) ? open.pop() : undefined
    if (start !== undefined) ends[start] = at
  }
  return ends
}

/** The most characters of a path; a longer one is cut. */
const mostOfPath = 200

/** The names from this word on, and the index of the last token. */
const pathAt = (tokens: ReadonlyArray<Token>, start: number): { readonly path: string; readonly last: number } => {
  let path = tokens[start]!.text
  let last = start
  for (;;) {
    const isCalled = tokens[last + 1]?.text === "(" && tokens[last + 2]?.text === ")"
    const dot = tokens[last + 1]?.text === "?" ? last + 2 : isCalled ? last + 3 : last + 1
    const next = tokens[dot + 1]
    if (!separators.has(tokens[dot]?.text ?? "") || next?.kind !== "word") return { path, last }
    if (path.length < mostOfPath) path += `${isCalled ? "()" : ""}.${next.text}`
    last = dot + 1
  }
}

/** The most tokens of type arguments. */
const mostTypeTokens = 40

/** After `!` and type arguments. */
const argumentsStart = (tokens: ReadonlyArray<Token>, start: number): number => {
  if (tokens[start]?.text === "!") return start + 1
  if (tokens[start]?.text !== "<" || tokens[start].spaced) return start
  let depth = 0
  for (let at = start; at < Math.min(tokens.length, start + mostTypeTokens); at++) {
    const { text } = tokens[at]!
    if (text === "<") depth++
    if (text === ">") depth--
    if (depth === 0) return at + 1
  }
  return start
}

/** An argument without brackets, as in Ruby and Elixir. */
const isBareArgument = (tokens: ReadonlyArray<Token>, start: number, last: number): boolean => {
  const [token, next] = [tokens[start], tokens[start + 1]]
  if (token === undefined || token.line !== tokens[last]?.line || !token.spaced) return false
  return token.kind === "string" || (token.text === ":" && next?.kind === "word" && !next.spaced)
}

const lineEnd = (tokens: ReadonlyArray<Token>, ends: ReadonlyArray<number | undefined>, start: number): number => {
  let at = start
  while (at < tokens.length && tokens[at]!.line === tokens[start]!.line && !closes(tokens[at]!.text)) {
    at = (ends[at] ?? at) + 1
  }
  return at
}

/** The most tokens of an argument in which strings are looked for. */
const mostOfArgument = 40

const argumentsIn = (
  tokens: ReadonlyArray<Token>,
  ends: ReadonlyArray<number | undefined>,
  start: number,
  end: number
): Arguments => {
  const strings: Array<string> = []
  const named = new Map<string, ReadonlyArray<string>>()
  const words: Array<string> = []
  let leading = 0
  const defaults: Array<string> = []
  const spans: Array<readonly [from: number, to: number]> = []
  const stringsIn = (from: number, to: number): ReadonlyArray<string> =>
    tokens
      .slice(from, Math.min(to, from + mostOfArgument))
      .flatMap((token) => (token.kind === "string" ? [plain(token)] : []))
  const valuesOf = (name: string, from: number, to: number): ReadonlyArray<string> => [
    ...stringsIn(from, to),
    ...(hasMethods.test(name) ? methodsIn(tokens.slice(from, Math.min(to, from + mostOfArgument))) : [])
  ]
  const shortText = (from: number, to: number): string =>
    textOf(tokens.slice(from, Math.min(to, from + mostOfArgument)))
  const add = (from: number, to: number, isOuter: boolean) => {
    if (from >= to) return
    if (isOuter) spans.push([from, to])
    const [first, second] = [tokens[from]!, tokens[from + 1]]
    const name = /^(?:=|:|=>)$/.test(second?.text ?? "") && to > from + 2 ? plain(first) : null
    if (name !== null) named.set(name, valuesOf(name, from + 2, to))
    if (name !== null && isDefault.test(name)) defaults.push(`${name}=${shortText(from + 2, to)}`)
    // Ruby: `get "/x" => "y"`.
    if (name !== null && isOuter && first.kind === "string") strings.push(name)
    if (name !== null) return
    if (!isOuter) return
    if (first.kind === "string" && to === from + 1) strings.push(plain(first))
    else if (second?.kind === "string" && !second.spaced && to === from + 2) strings.push(plain(second))
    else if (first.text === ":" && second?.kind === "word") strings.push(`:${second.text}`)
    else if (first.text === "{" || first.text === "[") {
      if (second?.kind === "string" && tokens[from + 2]?.text !== ":") strings.push(...stringsIn(from, to))
      else each(from + 1, Math.min(ends[from] ?? to, to), false)
    } else if (first.kind === "word") words.push(pathAt(tokens, from).path)
  }
  const addOuter = (from: number, to: number, isOuter: boolean) => {
    add(from, to, isOuter)
    if (isOuter && leading === 0) leading = strings.length
  }
  const each = (from: number, to: number, isOuter: boolean) => {
    let first = from
    for (let at = from; at < to; at++) {
      const { text } = tokens[at]!
      if (text === ",") {
        addOuter(first, at, isOuter)
        first = at + 1
      } else at = ends[at] ?? at
    }
    addOuter(first, to, isOuter)
  }
  each(start, end, true)
  const before = spans.length < 3 ? undefined : spans.at(-2)
  return {
    strings,
    leading: strings.slice(0, leading),
    named,
    defaults,
    beforeLast: before === undefined ? "" : shortText(...before),
    words,
    count: spans.length
  }
}

const isDefault = /^(?:default\w*|Value|choices)$/
const hasMethods = /^(?:methods?|via)$/
const methodName = /^(?:get|post|put|patch|delete|head|options)$/i

/** `[RequestMethod.GET]`, `[:get, :post]` */
const methodsIn = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
  tokens.flatMap(({ kind, text }) => (kind === "word" && methodName.test(text) ? [text] : []))

/** Without quotes. */
const plain = ({ kind, text }: Token): string =>
  kind === "string" ? text.replace(/^(["'`]+)([\s\S]*)\1$/, "$2") : text
