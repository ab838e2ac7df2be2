/**
 * The header of a definition as its file has it: modifiers, name, parameters, result, parents.
 *
 * Read from tokens, so that default values and types are those of the source, in every language with a grammar. White
 * space, comments and trailing commas do not count.
 */

import { qualifiedName } from "../../code/CodeQuery.ts"
import type { Definition } from "../../code/Symbol.ts"
import { closes, codeKey, opens, type Syntax, type Token, textOf, tokensOf } from "./Token.ts"

export interface HeaderParameter {
  /** Without its default value. */
  readonly declared: string
  readonly default: string | null
}

export interface Header {
  /** The line of the name, from 1. */
  readonly line: number
  /** Words before the name, such as `export` and `private`, and `restricted` for Rust's `pub(…)`. */
  readonly modifiers: ReadonlySet<string>
  /** Annotations, and the modifiers that matter to users other than visibility: `@property`, `static`. */
  readonly marks: ReadonlyArray<string>
  /** In languages that write it first: the type of the result or of the value. */
  readonly type: string
  /** The name with its container and its type parameters. */
  readonly name: string
  /** Null without a list of parameters. */
  readonly parameters: ReadonlyArray<HeaderParameter> | null
  /** What follows: the result, parents, constraints. */
  readonly after: string
  readonly isAsync: boolean
  /** The value of a constant, a field or a type; null if there is none, or it does not end. */
  readonly value: string | null
  /** A field that its type's constructor need not be given. */
  readonly hasDefault: boolean
  /** A method that ends without a body, where this means that others must define it. */
  readonly isDeclaredOnly: boolean
}

/** Lines in which a header is looked for; in the first few it is found nearly always. */
const fewLines = 8
const mostLines = 80
const mostCharacters = 8_000

/** `lines`: of the whole file. Null if the name is not found. */
export const headerOf = (definition: Definition, lines: ReadonlyArray<string>, syntax: Syntax): Header | null =>
  definition.endLine - definition.line < fewLines
    ? headerIn(definition, lines, syntax, mostLines)
    : (headerIn(definition, lines, syntax, fewLines) ?? headerIn(definition, lines, syntax, mostLines))

/** Null if it does not end in the first lines, unless these are all. */
const headerIn = (
  definition: Definition,
  lines: ReadonlyArray<string>,
  syntax: Syntax,
  most: number
): Header | null => {
  const tokens = tokensOf(linesFor(definition, lines, most), syntax)
  const at = nameAt(tokens, definition, syntax.family)
  const name = tokens[at]
  if (name === undefined) return null
  const start = statementStart(tokens, at)
  const written = tokens.slice(start, at)
  // What is above a member on the line of its type belongs to the type.
  const above = start > 0 ? [] : annotationsAbove(definition, lines, syntax)
  const before = withoutGroups(withoutAnnotations(written))
  const words = before.flatMap(({ kind, text }) => (kind === "word" ? [text] : []))
  const isRestricted = written.some(({ text }, index) => text === "pub" && written[index + 1]?.text === "(")
  const isNamedValue = definition.kind === "constant" && (words.includes("define") || tokens[at - 1]?.text === "@")
  const nameEnd = at + Math.max(1, operatorLength(tokens, at, definition.name))
  const open = openingOf(tokens, nameEnd, definition, syntax.family)
  const between = tokens.slice(nameEnd, open ?? nameEnd)
  const typeParameters = between.findIndex(({ text }) => text === "<" || text === "[")
  const close = open === null ? nameEnd : groupEnd(tokens, open)
  const end = isNamedValue ? close : headerEnd(tokens, close, open !== null, definition.kind, syntax.family)
  const assigned = tokens[end]?.text
  const isAssigned = assigned === "=" || assigned === ":="
  // `A = 1, B = 2` of an enumeration; elsewhere a comma may make a tuple.
  const isMember = definition.container !== null || tokens.at(-1)?.text === ","
  const endsAtComma = isMember && !/^(?:python|ruby)$/.test(syntax.family)
  if (most === fewLines && (open === null || end >= tokens.length || isAssigned)) return null
  return {
    line: definition.line + name.line,
    modifiers: new Set(isRestricted ? [...words, "restricted"] : words),
    marks: marksOf(definition, above, written, words, syntax.family),
    type: isNamedValue
      ? ""
      : typeFirst.has(syntax.family) || (syntax.family === "php" && definition.kind === "constant")
        ? textOf(
            before.filter(({ text }) => !modifierWords.has(text) && !(syntax.family === "php" && text === "const"))
          )
        : "",
    name: qualifiedName(definition) + textOf(typeParameters < 0 ? [] : between.slice(typeParameters)),
    parameters: open === null ? null : withoutSelf(parametersOf(tokens, open, close), definition, syntax),
    after: textOf(tokens.slice(close, end)),
    isAsync: [...words, ...between.map(({ text }) => text)].some((word) => word === "async" || word === "suspend"),
    value:
      (endsAtComma ? null : valueInList(tokens, at)) ??
      (isAssigned || isNamedValue ? valueText(tokens.slice(isAssigned ? end + 1 : end), endsAtComma) : null),
    hasDefault: isAssigned && definition.container !== null && /^(?:python|swift)$/.test(syntax.family),
    isDeclaredOnly: open !== null && assigned === ";" && /^(?:rust|java|csharp|php)$/.test(syntax.family)
  }
}

/** Modifiers that matter to users, in any language and in one; visibility is compared separately. */
const usedWords = new Set("static final abstract sealed virtual override readonly unsafe".split(" "))
const usedWordsOf: Partial<Record<string, ReadonlySet<string>>> = {
  script: new Set(["get", "set"]),
  rust: new Set(["const"]),
  kotlin: new Set(["open", "var", "val", "data"]),
  swift: new Set(["mutating", "var", "let"])
}
/** Annotations for the compiler and for linters only. */
const unusedAnnotation = /^(?:@Suppress\w*|#\[(?:allow|warn|deny|expect|inline|doc|rustfmt|cold|track_caller)\b)/
/** The most characters of an annotation. */
const mostOfAnnotation = 60

const marksOf = (
  { kind }: Definition,
  above: ReadonlyArray<Token>,
  written: ReadonlyArray<Token>,
  words: ReadonlyArray<string>,
  family: string
): ReadonlyArray<string> => {
  const outside = annotationsIn(above, family)
  // What follows another token belongs to that.
  const annotations = [
    ...annotationsIn(above.slice(outside.rest), family).texts,
    ...annotationsIn(written, family).texts
  ]
  const isReceiver = family === "go" && kind === "method"
  return [
    ...annotations.filter((text) => !unusedAnnotation.test(text)),
    ...(isReceiver ? [written.some(({ text }) => text === "*") ? "pointer receiver" : "value receiver"] : []),
    ...words.filter((word) => usedWords.has(word) || usedWordsOf[family]?.has(word) === true)
  ]
}

/** In the languages of which dd reads annotations: the marks that begin one. */
const annotationMarks: Partial<Record<string, string>> = {
  python: "@",
  script: "@",
  java: "@",
  kotlin: "@",
  swift: "@",
  rust: "#",
  php: "#",
  csharp: "["
}

/** The most lines with annotations above a definition. */
export const mostAbove = 30

/** The annotations on the lines above the definition, which the syntax tree has outside of it. */
const annotationsAbove = (definition: Definition, lines: ReadonlyArray<string>, syntax: Syntax): ReadonlyArray<Token> =>
  tokensOf(lines.slice(firstLineOf(definition, lines, syntax) - 1, definition.line - 1), syntax)

/** With the annotations above, from 1. */
export const firstLineOf = ({ line }: Definition, lines: ReadonlyArray<string>, syntax: Syntax): number => {
  const mark = annotationMarks[syntax.family]
  let first = line - 1
  let depth = 0
  for (let at = line - 2; mark !== undefined && at >= 0 && at > line - 2 - mostAbove; at--) {
    const tokens = tokensOf([lines[at]?.slice(0, mostCharacters) ?? ""], syntax)
    for (const { kind, text } of tokens) {
      if (kind === "mark") depth += closes(text) ? 1 : opens(text) ? -1 : 0
    }
    if (depth > 0 || tokens.length === 0) continue
    if (tokens[0]?.text !== mark) break
    first = at
  }
  return first + 1
}

/** The text of each annotation (`@name(…)`, `#[name(…)]`, `[Name(…)]`), and the index after the last other token. */
const annotationsIn = (tokens: ReadonlyArray<Token>, family: string) => {
  const mark = annotationMarks[family]
  const texts: Array<string> = []
  let rest = 0
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]!.text !== mark || mark === undefined) {
      rest = at + 1
      continue
    }
    const end = mark === "@" ? annotationEnd(tokens, at) : groupEnd(tokens, mark === "#" ? at + 1 : at)
    // `int[]` is a type.
    if (mark !== "[" || end > at + 2) texts.push(textOf(tokens.slice(at, end)))
    at = end - 1
  }
  return { texts, rest }
}

/** The index after `@name.name(…)`; what follows a blank may be a type: `@escaping (Int) -> Void`. */
const annotationEnd = (tokens: ReadonlyArray<Token>, start: number): number => {
  let at = start + 1
  while (tokens[at + 1]?.text === ".") at += 2
  return tokens[at + 1]?.text === "(" && tokens[at + 1]?.spaced === false ? groupEnd(tokens, at + 1) : at + 1
}

const typeFirst = new Set(["java", "csharp", "c"])

const modifierWords = new Set(
  `public private protected internal static final abstract async sealed virtual override partial readonly default
  synchronized native strictfp transient volatile extern inline const constexpr explicit class interface enum record
  struct new unsafe required var case`.split(/\s+/)
)

const linesFor = ({ endLine, line }: Definition, lines: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let left = mostCharacters
  for (const text of lines.slice(line - 1, Math.min(endLine, line - 1 + most))) {
    found.push(text.slice(0, left))
    left -= text.length
    if (left <= 0) break
  }
  return found
}

/** The first token with the name that is neither in brackets nor an annotation. */
const nameAt = (tokens: ReadonlyArray<Token>, { container, kind, name }: Definition, family: string): number => {
  const wanted = /[\p{L}\p{N}_$]+/u.exec(name)?.[0]
  if (wanted === undefined) return tokens.findIndex((_, at) => operatorLength(tokens, at, name) > 0)
  let depth = 0
  for (const [at, token] of tokens.entries()) {
    const { text } = token
    if (token.kind === "mark" && opens(text)) depth++
    if (token.kind === "mark" && closes(text)) depth--
    const isName = token.kind === "word" && (text === wanted || (family === "php" && text === `$${wanted}`))
    if (depth <= 0 && isName && (tokens[at - 1]?.text !== "@" || kind === "constant")) return at
  }
  const quoted = tokens.findIndex(({ kind, text }) => kind === "string" && text.includes(wanted))
  if (quoted >= 0 || container === null) return quoted
  const member = memberAt(tokens, wanted)
  if (member >= 0 || kind !== "constant") return member
  // A property that a constructor declares.
  return tokens.findIndex(({ text }, at) => text === wanted && /^(?:\?:?|:)$/.test(tokens[at + 1]?.text ?? ""))
}

/** The number of tokens of a name such as `~=`; 0 if it is not here. */
const operatorLength = (tokens: ReadonlyArray<Token>, at: number, name: string): number => {
  let length = 0
  for (let text = ""; text.length < name.length; length++) {
    text += tokens[at + length]?.text ?? name
    if (!name.startsWith(text)) return 0
  }
  return length
}

/** A member on the line of its type: `type Point = { x: number }`, `class Cart { int total() { … } }`. */
const memberAt = (tokens: ReadonlyArray<Token>, wanted: string): number => {
  for (let at = tokens.findIndex(({ text }) => text === "{") + 1; at > 0 && at < tokens.length; at++) {
    const { kind, text } = tokens[at]!
    const before = tokens[at - 1]!.text
    if (kind === "word" && text === wanted && !/^(?:[.=:]|=>|->|return|new)$/.test(before)) return at
    if (opens(text)) at = groupEnd(tokens, at) - 1
    else if (closes(text)) return -1
  }
  return -1
}

/** 0, or the start of the member with this index: `type Point = { x: number; readonly y: number }`. */
const statementStart = (tokens: ReadonlyArray<Token>, at: number): number => {
  const before = tokens.slice(0, at)
  const depth = before.reduce((sum, { text }) => sum + (text === "{" ? 1 : text === "}" ? -1 : 0), 0)
  if (depth <= 0) return 0
  const angles = before.findLastIndex(({ text }) => text === ">")
  return before.findLastIndex(({ text }, index) => /^[{};]$/.test(text) || (text === "," && index > angles)) + 1
}

/** The index after the bracket that closes the one at `start`; `start + 1` if no bracket is there. */
const groupEnd = (tokens: ReadonlyArray<Token>, start: number): number => {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!
    if (kind === "mark" && opens(text)) depth++
    if (kind === "mark" && closes(text)) depth--
    if (depth <= 0) return at + 1
  }
  return tokens.length
}

/** The same for type parameters in `<` and `>`; null if they do not end. */
const angleEnd = (tokens: ReadonlyArray<Token>, start: number): number | null => {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    const { text } = tokens[at]!
    if (text === "<") depth++
    if (text === ">") depth--
    if (text === ";") return null
    if (depth === 0) return at + 1
    if (opens(text)) at = groupEnd(tokens, at) - 1
  }
  return null
}

/** Without `@name(…)`. */
const withoutAnnotations = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]!.text !== "@") {
      found.push(tokens[at]!)
      continue
    }
    at = annotationEnd(tokens, at) - 1
  }
  return found
}

/** Without attributes in brackets and Go's receiver; `int[]` is a type. */
const withoutGroups = (tokens: ReadonlyArray<Token>): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  for (let at = 0; at < tokens.length; at++) {
    const { text } = tokens[at]!
    const end = opens(text) ? groupEnd(tokens, at) : at + 1
    if (text === "[" ? end === at + 2 : text !== "#" && !opens(text)) found.push(...tokens.slice(at, end))
    at = end - 1
  }
  return found
}

/**
 * The opening bracket of the parameters, or a parameter without brackets (`item => …`); null if there are none. The
 * function may follow an equals sign: `total = async <T>(items: T) =>`.
 */
const openingOf = (
  tokens: ReadonlyArray<Token>,
  start: number,
  { container, kind }: Definition,
  family: string
): number | null => {
  if (kind === "constant") {
    // A method, or the case of an enumeration with types.
    const isMethod = family === "swift" || (family === "script" && container !== null)
    const at = tokens[start]?.text === "?" ? start + 1 : start
    const open = tokens[at]?.text === "<" ? angleEnd(tokens, at) : at
    // What a constant of an enumeration has in brackets is its value.
    return isMethod && open !== null && tokens[open]?.text === "(" ? open : null
  }
  const isCallable = kind === "function" || kind === "method"
  let isAssigned = false
  for (let at = start; at < tokens.length; at++) {
    const { line, text } = tokens[at]!
    if (text === "(") return at
    if (text === "<") {
      const end = angleEnd(tokens, at)
      if (end === null) return null
      at = end - 1
    } else if (text === "[") at = groupEnd(tokens, at) - 1
    else if (!isCallable || text === "{" || text === "do" || text === ";" || (text === ":" && !isAssigned)) return null
    else if (text === "=") isAssigned = true
    else if (tokens[at + 1]?.text === "=>") return at
    else if (!isAssigned && line > tokens[start - 1]!.line) return null
  }
  return null
}

/** Words and marks at the beginning of a line that continues a header. */
const continuing = new Set(": -> where throws extends implements with permits noexcept = | & {".split(" "))
/** Words and marks at the end of such a line. */
const continued = new Set(": -> , | & extends implements where throws with = (".split(" "))
/** After these, braces contain a type. */
const typeBefore = new Set([":", "|", "&", "=>", "<", ",", "extends", "keyof", "readonly"])

/** Languages without lists in a header. */
const commaEnds = new Set(["ruby", "elixir"])

const headerEnd = (
  tokens: ReadonlyArray<Token>,
  start: number,
  hasParameters: boolean,
  kind: Definition["kind"],
  family: string
): number => {
  const isCallable = kind === "function" || kind === "method"
  const isValue = kind === "constant"
  const isVariant = isValue && family === "rust"
  const colonEnds = (family === "python" && !isValue) || (family === "c" && hasParameters)
  for (let at = start; at < tokens.length; at++) {
    const { line, text } = tokens[at]!
    const before = tokens[at - 1]!
    if (line > before.line && !continuing.has(text) && !continued.has(before.text)) return at
    if (closes(text)) return at
    if (text === "{" && !(isVariant && at === start)) {
      const isGoType = family === "go" && isCallable && /^(?:interface|struct)$/.test(before.text)
      const isType = family === "script" && at > start && typeBefore.has(before.text)
      const isProperty = family === "csharp" && isValue && isAccessors(tokens.slice(at + 1, groupEnd(tokens, at) - 1))
      const isConstraint =
        family === "go" && before.text === "interface" && tokens[groupEnd(tokens, at) - 1]?.line === line
      if (!isGoType && !isType && !isProperty && !isConstraint) return at
    }
    if (text === ";" || text === "do" || text === "=" || text === ":=") return at
    if (
      text === "=>" &&
      (hasParameters || family === "csharp") &&
      (family !== "script" || tokens[at - 1]?.text !== ")" || at === start)
    )
      return at
    if (isValue && !hasParameters && !isVariant && at === start && text === "(") return at
    if ((text === ":" && colonEnds) || (text === "," && (isValue || commaEnds.has(family)))) return at
    if (opens(text)) at = groupEnd(tokens, at) - 1
    else if (text === "<" && before.kind === "word") at = (angleEnd(tokens, at) ?? at + 1) - 1
  }
  return tokens.length
}

/** `get; private set;` */
const isAccessors = (tokens: ReadonlyArray<Token>): boolean =>
  tokens.length > 0 && tokens.every(({ text }) => /^(?:get|set|init|private|protected|internal|;)$/.test(text))

/** The value of one of several names: `a, b = 1, 2`. Null if there is only one name, or not a value for each. */
const valueInList = (tokens: ReadonlyArray<Token>, at: number): string | null => {
  const isInList = ({ kind, text }: Token) => kind === "word" || text === ","
  const start = tokens.slice(0, at).findLastIndex((each) => !isInList(each)) + 1
  if (tokens[start]?.kind !== "word" || tokens[start - 1]?.text === "=") return null
  const equals = tokens.findIndex((each, index) => index > at && !isInList(each))
  const count = (part: ReadonlyArray<Token>) => part.filter(({ text }) => text === ",").length
  const names = count(tokens.slice(start, equals))
  if (names === 0 || !/^:?=$/.test(tokens[equals]?.text ?? "")) return null
  const end = tokens.findIndex(({ line }, index) => index > equals && line > tokens[equals]!.line)
  const values = parametersIn(tokens.slice(equals + 1, end < 0 ? undefined : end))
  return values.length === names + 1 ? (values[count(tokens.slice(start, at))]?.declared ?? null) : null
}

/** Until the end of the statement. */
const valueText = (tokens: ReadonlyArray<Token>, endsAtComma: boolean): string | null => {
  for (let at = 0; at < tokens.length; at++) {
    const { line, text } = tokens[at]!
    const ends = text === ";" || closes(text) || (text === "," && (endsAtComma || tokens[at + 2]?.text === "="))
    const before = tokens[at - 1]
    if (ends || (before !== undefined && line > before.line && isNewStatement(before, text))) {
      return textOf(tokens.slice(0, at))
    }
    if (!opens(text)) continue
    const end = groupEnd(tokens, at)
    if (end === tokens.length && !closes(tokens.at(-1)!.text)) return null
    at = end - 1
  }
  return tokens.length === 0 ? null : textOf(tokens)
}

const isNewStatement = (before: Token, text: string): boolean =>
  before.kind !== "mark" ? /^[\p{L}@]/u.test(text) : closes(before.text) && /^[\p{L}@]/u.test(text)

/** Without the object itself, which Python's methods declare. */
const withoutSelf = (
  parameters: ReadonlyArray<HeaderParameter>,
  { container }: Definition,
  { family }: Syntax
): ReadonlyArray<HeaderParameter> =>
  family === "python" && container !== null && /^(?:self|cls|mcs)$/.test(parameters[0]?.declared ?? "")
    ? parameters.slice(1)
    : parameters

const parametersOf = (tokens: ReadonlyArray<Token>, open: number, close: number): ReadonlyArray<HeaderParameter> => {
  return parametersIn(tokens[open]!.text === "(" ? tokens.slice(open + 1, close - 1) : tokens.slice(open, close))
}

/** The parts between commas. */
const parametersIn = (given: ReadonlyArray<Token>): ReadonlyArray<HeaderParameter> => {
  const found: Array<HeaderParameter> = []
  let start = 0
  let equals: number | null = null
  let angles = 0
  const add = (end: number) => {
    const part = given.slice(start, equals ?? end)
    // Behind the colon, they are of the type.
    const colon = part.findIndex(({ text }) => text === ":")
    const declared =
      colon < 0 ? withoutAnnotations(part) : [...withoutAnnotations(part.slice(0, colon)), ...part.slice(colon)]
    const value = equals === null ? null : textOf(given.slice(equals + 1, end))
    if (end > start) found.push({ declared: textOf(declared), default: value })
    start = end + 1
    equals = null
    angles = 0
  }
  for (let at = 0; at < given.length; at++) {
    const { kind, spaced, text } = given[at]!
    if (kind !== "mark") continue
    if (text === "<" && !spaced && given[at - 1]?.kind === "word") angles++
    else if (text === ">" && angles > 0) angles--
    else if (text === "," && angles === 0) add(at)
    else if ((text === "=" || text === "\\\\") && angles === 0) equals ??= at
    else if (opens(text)) at = groupEnd(given, at) - 1
  }
  add(given.length)
  return found
}

/** The most characters of a signature in a brief. */
const mostShown = 120
/** The most characters of a default value. */
const mostOfDefault = 24

/** The header on one line. With another header, what both have is left out if it is long. */
export const headerText = (header: Header, other: Header | null = null): string => {
  const text = shortText(header, other)
  if (other === null || text !== shortText(other, header)) return text
  const [whole, otherWhole] = [wholeText(header, other), wholeText(other, header)]
  return whole === otherWhole ? text : cut(`${header.name} ${differingText(whole, otherWhole)}`)
}

const wholeText = (header: Header, other: Header | null): string =>
  withDifference(header, other, header.parameters?.map(shownParameter) ?? null)

/** Two headers as they are written. */
export const writtenTexts = (before: ReadonlyArray<Token>, after: ReadonlyArray<Token>): readonly [string, string] => {
  const [from, to] = [textOf(before), textOf(after)]
  const isShort = from.length <= mostShown && to.length <= mostShown
  return isShort ? [from, to] : [cut(differingText(from, to)), cut(differingText(to, from))]
}

/** The words between the first and the last difference. */
const differingText = (text: string, other: string): string => {
  const [words, others] = [text.split(" "), other.split(" ")]
  const start = words.findIndex((word, at) => word !== others[at])
  const most = Math.min(words.length, others.length) - start
  let end = 0
  while (end < most && words.at(-1 - end) === others.at(-1 - end)) end++
  return ["…", ...words.slice(start, words.length - end), ...(end === 0 ? [] : ["…"])].join(" ")
}

const shortText = (header: Header, other: Header | null): string => {
  const whole = wholeText(header, other)
  if (whole.length <= mostShown || other?.parameters == null || header.parameters === null) return cut(whole)
  const same = new Set(other.parameters.map(compared))
  const shown: Array<string> = []
  for (const parameter of header.parameters) {
    if (!same.has(compared(parameter))) shown.push(shownParameter(parameter))
    else if (shown.at(-1) !== "…") shown.push("…")
  }
  return cut(withDifference(header, other, shown))
}

/** With the marks that only this header has, and whether it has a default value. */
const withDifference = (header: Header, other: Header | null, parameters: ReadonlyArray<string> | null): string => {
  const marks = other === null ? [] : header.marks.filter((mark) => !other.marks.includes(mark))
  const given = other !== null && header.hasDefault && !other.hasDefault ? ` = ${header.value ?? "…"}` : ""
  const body = other?.isDeclaredOnly === true && !header.isDeclaredOnly ? " { … }" : ""
  return [...marks.map(shortMark), `${textWith(header, parameters)}${given}${body}`].join(" ")
}

const shortMark = (mark: string): string =>
  mark.length > mostOfAnnotation ? `${mark.slice(0, mostOfAnnotation - 1)}…` : mark

const cut = (text: string): string => (text.length > mostShown * 2 ? `${text.slice(0, mostShown * 2 - 1)}…` : text)

const textWith = ({ after, name, type }: Header, parameters: ReadonlyArray<string> | null): string => {
  const list = parameters === null ? "" : `(${parameters.join(", ")})`
  const isClose = /^(?:[:,?!]|<\S)/.test(after) || (after.startsWith("(") && parameters === null)
  const gap = after === "" || isClose ? "" : " "
  return `${type === "" ? "" : `${type} `}${name}${list}${gap}${after}`
}

const shownParameter = ({ declared, default: value }: HeaderParameter): string =>
  value === null
    ? declared
    : `${declared}${declared.includes(":") || declared.includes(" ") ? " = " : "="}${value.length > mostOfDefault ? "…" : value}`

/** Whether it has a default value counts, the value does not. */
const compared = ({ declared, default: value }: HeaderParameter): string => (value === null ? declared : `${declared}=`)

/** Equal if users of the definition see no difference; values of defaults are compared elsewhere. */
export const headerKey = (header: Header, syntax: Syntax): string =>
  codeKey(
    [
      ...header.marks.toSorted(),
      textWith(header, header.parameters?.map(compared) ?? null),
      header.hasDefault ? "=" : "",
      header.isDeclaredOnly ? ";" : ""
    ],
    syntax
  )

export interface ChangedDefault {
  readonly parameter: string
  readonly before: string
  readonly after: string
}

export const changedDefaults = (before: Header, after: Header, syntax: Syntax): ReadonlyArray<ChangedDefault> => {
  const old = new Map(before.parameters?.map(({ declared, default: value }) => [declared, value]))
  return (after.parameters ?? []).flatMap(({ declared, default: value }): ReadonlyArray<ChangedDefault> => {
    const was = old.get(declared)
    if (value === null || was == null || codeKey([was], syntax) === codeKey([value], syntax)) return []
    return [{ parameter: parameterName(declared, syntax.family), before: was, after: value }]
  })
}

const parameterName = (declared: string, family: string): string => {
  const words = declared.match(/\$?[\p{L}_][\p{L}\p{N}_]*/gu) ?? [declared]
  if (family === "php") return words.find((word) => word.startsWith("$")) ?? declared
  const named = words.filter((word) => !/^(?:public|private|protected|readonly|val|var|override|inout|mut)$/.test(word))
  return (typeFirst.has(family) ? named.at(-1) : named[0]) ?? declared
}
