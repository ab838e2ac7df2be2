/**
 * Secrets that are arguments or inputs of programs: `mysql -pPASSWORD`, `heroku config:set NAME=SECRET`, `git config user.password
 * SECRET`, `helm --set auth.password=SECRET`, `echo SECRET | sudo -S`, `passwd <<< SECRET`. What takes them is in `commandTable.ts`.
 * A command in a command is read like any other: `ssh host "sh -c 'mysql -pPASSWORD'"`.
 */
import { blanks, type CallWord, callWords, partOf, unquoted } from "../system/shellWords.ts"
import { isMarked, type Mask } from "../text/Mask.ts"
import { matchEnd } from "../text/matchAt.ts"
import {
  type Arguments,
  argumentRules,
  clients,
  encoders,
  hashes,
  interpreters,
  logins,
  readers,
  writers
} from "./commandTable.ts"
import { withoutQuoting } from "./DecodedText.ts"
import { isNameOfSecret, isSecretKey } from "./secretKey.ts"
import { isNoValue, isReference, methodOfAuth } from "./secretValue.ts"

interface Rule extends Arguments {
  readonly subcommands: ReadonlyArray<string>
}

let rulesOf: Map<string, ReadonlyArray<Rule>> | null = null

/** By program. */
const rulesByProgram = (): ReadonlyMap<string, ReadonlyArray<Rule>> => {
  if (rulesOf !== null) return rulesOf
  rulesOf = new Map([...clients, ...writers, ...interpreters].map((program) => [program, []]))
  for (const each of argumentRules()) {
    for (const [program = "", ...subcommands] of each.commands)
      rulesOf.set(program, [...(rulesOf.get(program) ?? []), { ...each, subcommands }])
  }
  for (const program of rulesOf.keys()) isEnd[endKey(program, program.length)] = 1
  return rulesOf
}

/** By its last two characters, most words are no known program. */
const isEnd = new Uint8Array(128 * 128)
const endKey = (text: string, end: number): number => text.charCodeAt(end - 2) * 128 + text.charCodeAt(end - 1)

interface Program extends Place {
  readonly name: string
  readonly rules: ReadonlyArray<Rule>
}

const longestProgram = 24

/** The known programs with a blank behind, in quotes or not. Not by a regular expression: for so many it takes a millisecond to compile. */
const programsIn = (text: string): ReadonlyArray<Program> => {
  const known = rulesByProgram()
  const found: Array<Program> = []
  for (let end = 2; end < text.length; end++) {
    if (!mayBeBlank(text.charCodeAt(end)) || !isBlank(text, end)) continue
    let last = end
    while (isQuote(text.charCodeAt(last - 1))) last--
    if (text[last - 4] === "." && text.slice(last - 3, last).toLowerCase() === "exe") last -= 4
    if (isEnd[endKey(text, last)] !== 1 && !isQuote(text.charCodeAt(last - 2))) continue
    let start = last
    while (start > last - longestProgram && isInName(text.charCodeAt(start - 1))) start--
    let name = text.slice(start, last)
    if (isQuote(text.charCodeAt(start - 1))) {
      let written = start
      while (written > last - longestProgram && isInProgram(text.charCodeAt(written - 1))) written--
      const joined = unquoted(text.slice(written, end)).replace(/\.exe$/i, "")
      if (known.has(joined)) name = joined
    }
    const rules = known.get(name)
    if (rules !== undefined) found.push({ start, end, name, rules })
  }
  return found
}

const mayBeBlank = (code: number): boolean =>
  code === 32 || code === 9 || code === 92 || code === 94 || code === 96 || code > 127

/** `"`, `'` or a backslash. */
const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 92

const isInProgram = (code: number): boolean => isInName(code) || isQuote(code)

const blank = new RegExp(blanks, "y")

const isBlank = (text: string, at: number): boolean => text[at] === " " || matchEnd(blank, text, at) >= 0

/** A letter, a digit, `_`, `-` or `.` */
const isInName = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  code === 95 ||
  code === 45 ||
  code === 46

/** A call is on one line, except with a backslash at its end and a here-document. */
export function* commandSecrets(text: string): Generator<Mask> {
  const inner = withoutQuoting(text)
  if (inner === null) yield* secretsIn(text)
  else
    for (const mask of secretsIn(inner.text))
      yield { ...mask, ...inner.original(mask.start, mask.end), from: inner.original(mask.from, mask.from).start }
}

function* secretsIn(text: string): Generator<Mask> {
  // The end of the code that was searched for calls.
  let searched = 0
  for (const { end, name, rules, start } of programsIn(text)) {
    const words = callWords(text, end)
    const found = rules.flatMap((each) => [...secretsOf(words, each)])
    if (clients.includes(name)) found.push(...namedIn(words))
    if (writers.includes(name)) {
      found.push(...piped(text, start, words), ...writtenLines(words))
      if (name === "printf") found.push(...formatted(words))
    }
    if (
      interpreters.includes(name) &&
      words.some(({ text, value }) => inlineCode.test(text) || inlineCode.test(value))
    ) {
      const codeEnds = endOfCode(text, words.at(-1)?.end ?? end)
      found.push(...givenInCode(text, Math.max(end, searched), codeEnds))
      searched = codeEnds
    }
    yield* masksOf(text, start, found)
  }
  if (text.includes("<<")) yield* inputs(text)
  yield* passwordFile(text)
}

function* masksOf(text: string, from: number, places: ReadonlyArray<Place>): Generator<Mask> {
  for (const { end, start } of places) {
    const isQuoted = /["']/.test(text[start] ?? "") && text[start] === text[end - 1]
    const place = isQuoted ? { start: start + 1, end: end - 1 } : { start, end }
    if (isPassword(text.slice(place.start, place.end))) yield { from, ...place, marker: "[REDACTED_CREDENTIAL]" }
  }
}

/** `echo PASSWORD | sudo -S …`, `echo USER:PASSWORD | chpasswd`, `gh secret set NAME < <(echo SECRET)`. */
const piped = (text: string, start: number, words: ReadonlyArray<Word>): ReadonlyArray<Place> => {
  const command = commandBehindPipe(text, words.at(-1)?.end ?? text.length)
  const isEncoder = isOneOf(encoders, command)
  if (!isEncoder && !isOneOf(readers, command) && !isSubstituted(text, start)) return []
  return words
    .filter(({ value }) => !value.startsWith("-") && !isReference(value) && !(isEncoder && isOrdinary(value)))
    .map((word) => partOf(word, 0))
}

/** Does the call at `start` print what a reader, or an option with the name of a secret, takes? */
const isSubstituted = (text: string, start: number): boolean => {
  const before = commandBefore(text, start)
  const [, option = ""] =
    /\s--?([\w-]{1,64}?)[-_]?(?:file|command|cmd|eval)?(?:=|[\s\\^`]{1,20})(?:<\(|["'])\s?$/.exec(before) ?? []
  return isSecretKey(option) || (/<\(\s?$/.test(before) && isOneOf(readers, before))
}

const longestReader = 200
/** A line that continues; every other blank is a character of a command, so that a text is read in one way only. */
const nextLine = String.raw`[\\^${"`"}]\r?\n`
const pipe = new RegExp(`^${blanks}*\\|(?!\\|)((?:${nextLine}|[^|;&\\n<])*)`)
const lastCommand = new RegExp(`(?:${nextLine}|[^|;&\\n])*$`)

const commandBehindPipe = (text: string, at: number): string => pipe.exec(text.slice(at, at + longestReader))?.[1] ?? ""

const isOneOf = (commands: ReadonlyArray<string>, command: string): boolean => {
  const words = ` ${unquoted(command)
    .replaceAll(/[\s"'`()\\^]+/g, " ")
    .trim()} `
  if (textTools.test(words)) return false
  return commands.some((each) => words.includes(` ${each} `)) || (commands === readers && sudoReading.test(words))
}

const textTools = /^ (?:grep|egrep|rg|ag|awk|sed|tr|cut|tee|wc|sort|uniq|jq|head|tail|less|cat|xargs) /
const sudoReading = / sudo (?:-\w+ )*-\w*S\w* /

/** A here-document is the last on its line, but for a pipe or a redirection. */
const input = /(?<!<)<<(?:<(?!<)|-?[ \t]*((?:"[^"\n]*"|'[^'\n]*'|\\?\w)+)(?=[ \t]*(?:[|&;>)][^\n]*)?\r?\n))/g

/** `passwd <<< PASSWORD`, and the lines of a here-document: `sudo -S ls <<EOF`. */
function* inputs(text: string): Generator<Mask> {
  for (const match of text.matchAll(input)) {
    const isCode = !isRead(text, match)
    if (isCode && !isRun(text, match)) continue
    const { 0: sign, 1: delimiter, index } = match
    const end = index + sign.length
    const places =
      delimiter === undefined ? callWords(text, end, true).slice(0, 1) : linesUntil(text, end, unquoted(delimiter))
    const given = isCode ? places.flatMap(({ start, end }) => [...givenInCode(text, start, end)]) : places
    yield* masksOf(text, index, given)
  }
}

/** `python - <<EOF` */
const isRun = (text: string, { index }: RegExpExecArray): boolean => {
  const before = commandBefore(text, index).split(/[\s"'/]+/)
  return interpreters.some((each) => before.includes(each))
}

const isRead = (text: string, { 0: sign, 1: delimiter, index }: RegExpExecArray): boolean => {
  return (
    isOneOf(readers, commandBefore(text, index)) ||
    (delimiter !== undefined && isOneOf(readers, commandBehindPipe(text, index + sign.length)))
  )
}

const commandBefore = (text: string, at: number): string =>
  lastCommand.exec(text.slice(Math.max(0, at - longestReader), at))?.[0] ?? ""

const longestCall = 1_000

/** The start of a call that continues after the text, because its last line ends in a sign that continues it, or -1. */
export const openCall = (text: string): number => {
  let start = text.length
  while (start > text.length - longestCall && /[\\^`]\r?\n$/.test(text.slice(Math.max(0, start - 3), start)))
    start = text.lastIndexOf("\n", start - 2) + 1
  return start < text.length ? start : -1
}

/** The start of a here-document with secrets that may continue after the text, or -1. */
export const openInput = (text: string): number => {
  const from = Math.max(0, text.length - longestInput)
  for (const match of text.slice(from).matchAll(input)) {
    const [sign, delimiter] = match
    const at = from + match.index
    const lines = text.slice(at + sign.length).split("\n")
    const isOpen = delimiter !== undefined && !lines.some((line) => line.trim() === unquoted(delimiter))
    if (isOpen && (isRead(text.slice(from), match) || isRun(text.slice(from), match))) return at
  }
  return -1
}

/** The start of code in quotes that may continue after the text, or -1. */
export const openCode = (text: string): number => {
  const from = Math.max(0, text.length - longestInput)
  for (const { 0: option, index } of text.slice(from).matchAll(quotedCode)) {
    const at = from + index
    if (text.indexOf(option.at(-1) ?? "", at + option.length) < 0) return at
  }
  return -1
}

const quotedCode = /(?<=\s)(?:-c|-e|-r|eval|runner|--eval|--execute)[\s=]["']/g

/** In characters, of a here-document, and of code in quotes. */
const longestInput = 4_000

/** The lines below the one at `at`, before the line that is the delimiter. Without one, the first line. */
const linesUntil = (text: string, at: number, delimiter: string): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  for (let end = lineEnd(text, at); end < text.length && end < at + longestInput; ) {
    const start = end + 1
    end = lineEnd(text, start)
    const line = text.slice(start, end)
    if (line.trim() === delimiter) return places
    places.push({ start: start + line.length - line.trimStart().length, end: start + line.trimEnd().length })
  }
  return places.slice(0, 1)
}

const lineEnd = (text: string, at: number): number => {
  const newline = text.indexOf("\n", at)
  return newline < 0 ? text.length : newline
}

interface Place {
  readonly start: number
  readonly end: number
}

type Word = CallWord

/** The words behind the subcommands. Before these, only options and their values may be. */
const behind = (words: ReadonlyArray<Word>, subcommands: ReadonlyArray<string>): ReadonlyArray<Word> => {
  const isOption = (at: number) => words[at]?.value.startsWith("-") === true
  const isAt = (at: number) => (each: string, n: number) => words[at + n]?.value === each
  for (let at = 0; at + subcommands.length <= words.length; at++) {
    if (subcommands.every(isAt(at))) return words.slice(at + subcommands.length)
    if (!isOption(at) && !isOption(at - 1)) return []
  }
  return []
}

function* secretsOf(all: ReadonlyArray<Word>, rule: Rule): Generator<Place> {
  const words = behind(all, rule.subcommands)
  for (const each of placesOf(words, rule)) {
    const place = rule.sign === null ? each : behindSign(each, rule.sign)
    if (place !== null && !(rule.isSetting && isOrdinary(place.value))) yield partOf(place, 0)
  }
}

const behindSign = (word: Word, sign: string): Word | null => {
  const at = word.value.indexOf(sign)
  return at < (sign.length === 1 ? 1 : 0) ? null : partOf(word, at + sign.length)
}

function* placesOf(words: ReadonlyArray<Word>, { options, place }: Rule): Generator<Word> {
  if (typeof place === "number" || place === "last") {
    const own = words.filter(({ value }) => !/^-|^\w+=/.test(value))
    const given = place !== "last" ? own[place] : own.length > 1 ? own.at(-1) : undefined
    const isGiven = options.length === 0 || options.some((option) => words.some(({ value }) => isWith(value, option)))
    if (given !== undefined && isGiven && !isPlaceholder(given.value)) yield given
  } else if (place === "named") {
    for (const [at, { value }] of words.entries()) {
      const next = words[at + 1]
      if (next !== undefined && !value.startsWith("--") && isSecretName(value) && !isReference(next.value)) yield next
    }
  } else if (place === "pairs") {
    for (const each of words) {
      const pair = behindSign(each, "=")
      const option = options.find((option) => each.value.startsWith(`${option}=`))
      if (option !== undefined && pair !== null) yield behindSign(pair, "=") ?? pair
      else if (pair !== null && !each.value.startsWith("-")) yield pair
    }
  } else yield* behindOptions(words, options, place)
}

/** `-nbB` is with `-b`, and `http-basic.repo` with `http-basic.`. */
const isWith = (text: string, option: string): boolean =>
  option.endsWith(".")
    ? text.startsWith(option)
    : option.startsWith("--")
      ? text === option
      : /^-[a-zA-Z]/.test(text) && text.includes(option)

/** The last part of `user.password`, `//registry/:_authToken`, `npmRegistries["…"].npmAuthToken`. */
const isSecretName = (text: string): boolean =>
  isSecretKey(
    text
      .replace(/["'\]]+$/, "")
      .split(/[.:/]/)
      .at(-1) ?? ""
  )

function* behindOptions(
  words: ReadonlyArray<Word>,
  options: ReadonlyArray<string>,
  place: "glued" | "next" | "either"
): Generator<Word> {
  // What another program is called with may have the same option.
  const open = new Set(options)
  for (const [at, word] of words.entries()) {
    for (const option of options) {
      const behind = behindOption(word.value, option)
      if (behind < 0) continue
      const next = words[at + 1]
      const isWhole = behind === word.value.length
      if (place !== "glued" && word.value[behind] === "=") yield partOf(word, behind + 1)
      else if (open.has(option) && (isWhole ? place !== "glued" && next !== undefined : place !== "next")) {
        open.delete(option)
        yield isWhole ? next! : partOf(word, behind)
      }
    }
  }
}

/** The end of the option at the start of a word, or -1. `-p` may be behind letters without a value: `-vp`. */
const behindOption = (word: string, option: string): number => {
  if (word.startsWith(option)) return option.length
  const flags = option.length === 2 ? (/^-[vsfqtBNikr]{1,4}/.exec(word)?.[0].length ?? 0) : 0
  return flags > 0 && word[flags] === option[1] ? flags + 1 : -1
}

/** `--password SECRET`, `auth.password=SECRET`, `X-Api-Key:SECRET`, whatever the program calls it. */
function* namedIn(words: ReadonlyArray<Word>): Generator<Place> {
  for (const [at, word] of words.entries()) {
    const next = words[at + 1]
    const { value: text } = word
    if (next !== undefined && /^--?[A-Za-z][\w-]*$/.test(text) && isTaking(text) && isLiteral(text, next.value))
      yield partOf(next, 0)
    for (const match of text.matchAll(assignment)) {
      const [whole, name = "", sign = "", value = ""] = match
      const after = match.index + whole.length
      // `Authorization: Bearer …` is left to `headerSecret`.
      const isHeader = /authorization$/i.test(name) ? !/\s/.test(text[after] ?? "") : isTaking(name)
      const isNamed = sign.startsWith("=") ? isTaking(name) : isHeader && (name.includes("-") || match.index < 2)
      if (isNamed && isLiteral(name, value)) yield partOf(word, after - value.length, after)
    }
  }
}

/** `echo "password: SECRET" >> config.yml` */
function* writtenLines(words: ReadonlyArray<Word>): Generator<Place> {
  for (const word of words) {
    const [, name = "", value = ""] = /^\s{0,20}([\w.-]{1,64}):\s{1,20}(\S+)$/.exec(word.value) ?? []
    if (isTaking(name) && isLiteral(name, value) && !isOrdinary(value))
      yield partOf(word, word.value.length - value.length)
  }
}

/** `printf 'SECRET_KEY=%s' SECRET` */
function* formatted(words: ReadonlyArray<Word>): Generator<Place> {
  const [format, ...values] = words.filter((each) => !/^-[-\w]/.test(each.value))
  const names = [...(format?.value.matchAll(conversion) ?? [])].map(([, name = ""]) => name)
  for (const [at, value] of values.entries()) {
    const name = names[at % names.length] ?? ""
    if (isTaking(name) && isLiteral(name, value.value)) yield partOf(value, 0)
  }
}

const conversion = /(?:([\w.-]{1,64})["'\\]{0,2}[=:]\s?["'\\]{0,2})?%[-\d.]*[a-z]/g

/** `python -c "client.login('bob', 'SECRET')"`, `mysql -e "SET PASSWORD = PASSWORD('SECRET')"` */
function* givenInCode(text: string, at: number, end: number): Generator<Place> {
  for (const { 0: call, 1: name = "", index } of text.slice(at, end).matchAll(callWithSecret)) {
    const literals = [...call.matchAll(literal)]
    const given = hashes.includes(name) ? literals.slice(0, 1) : literals.filter(([, , value = ""]) => isTyped(value))
    for (const { 0: quoted, index: place } of given)
      yield { start: at + index + place, end: at + index + place + quoted.length }
  }
}

const inlineCode = /^(?:-c|-e|-r|eval|runner|--eval|--execute)(?:$|[=\s"'])/

/** The end of the line with the call of which the last word ends at `at`, or of the quote that begins there. */
const endOfCode = (text: string, at: number): number => {
  const quote = text[at + 1] ?? ""
  const closing = /[\s=]/.test(text[at] ?? "") && (quote === '"' || quote === "'") ? text.indexOf(quote, at + 2) : -1
  return Math.min(closing < 0 ? lineEnd(text, at) : closing, at + longestInput)
}
const callWithSecret = new RegExp(`\\b(${[...hashes, ...logins].join("|").replaceAll("(", "\\(")})[^()\\n]{1,300}`, "g")
const literal = /(["'])((?:(?!\1)[^\n])*)\1/g

const isTyped = (value: string): boolean => !isOrdinary(value) && !/[\s@:/]/.test(value) && /\d|[^\w.-]/.test(value)

/** `echo "host:5432:shop:bob:SECRET" >> ~/.pgpass` */
function* passwordFile(text: string): Generator<Mask> {
  if (!text.includes("pgpass") && !text.includes(":5432:") && !text.includes(":*:")) return
  for (const { 0: line, 1: port = "", 2: value = "", index } of text.matchAll(passwordLine)) {
    const end = index + line.length
    const isNamed = restOfCall.exec(text.slice(end, end + longestReader))?.[0].includes("pgpass") === true
    const isOne = isNamed || ((port === "5432" || port === "*") && !isOrdinary(value))
    if (isOne && isLiteral("", value)) yield* masksOf(text, index, [{ start: end - value.length, end }])
  }
}

const restOfCall = new RegExp(`^(?:${nextLine}|[^\\n])*`)
const passwordLine =
  /(?<![^\s"'`])(?:[\w.-]{1,100}|\*):(\d{4,5}|\*):(?:[A-Za-z_][\w.-]{0,62}|\*):(?:[A-Za-z_][\w.@-]{0,62}|\*):([^\s"'`]{3,200}?)(?=[\\^]?\r?\n|[\s"'`]|$)/g

const assignment =
  /(?<![\w-])(-{0,2}[A-Za-z_][\w-]{1,63})["'\\\]]{0,3}(={1,2}|:[ \t]?)["'\\]{0,2}([^\s,;&"'\\{}()|<>[\]]{2,512})/g

/** Is it the name of a secret, of which the value follows? `--secret` names a place, `--ask-password` has no value. */
const isTaking = (name: string): boolean =>
  isSecretKey(name) &&
  !/^-*(?:secret$|(?:ask|no|prompt|generate|gen|use|with|show|print|existing|save|read|get)[A-Z_-])/.test(name)

const isLiteral = (name: string, value: string): boolean =>
  !isNoValue(value) &&
  !isReference(value) &&
  !isNameOfSecret(value) &&
  !isPlaceholder(value) &&
  !(/auth$/i.test(name) && methodOfAuth.test(value))

const isPlaceholder = (value: string): boolean => /^[A-Z][A-Z_]*$/.test(value)

/** Words, numbers, amounts, versions, places: `production`, `us-east-1`, `30s`, `v1.2.3`, `https://x.y`. */
const isOrdinary = (value: string): boolean =>
  /^["']?(?:v?\d+(?:\.\w+)*[a-zA-Z]{0,3}|[a-zA-Z]*(?:[-_.:/,@+ ]+(?:[a-zA-Z]+|\d+))*|[a-z]+:\/\/[^@]*|[./~][^@]*)["']?$/.test(
    value
  )

/** False for a variable, an option, an example value, a file, and a source that openssl reads, such as `env:NAME`. */
const isPassword = (value: string): boolean =>
  /\w./.test(value) && !isMarked(value) && !isNoValue(value) && !/…|\.{3}$|^[-$%@<]|^(?:env|file|fd):|^\/\//.test(value)
