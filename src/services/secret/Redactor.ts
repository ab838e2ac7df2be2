/**
 * Redacts every text that leaves the process: recorded, archived, logged, sent, printed or written.
 *
 * Hides credentials, the secrets of the process's own environment and the names of users (`domain/secret/Redaction`).
 * Never fails: a text that cannot be redacted becomes `[REDACTION_FAILED]`.
 */
import { Context, Layer, Result, Stream } from "effect"
import { type Environment, secretValues } from "../../domain/secret/KnownSecrets.ts"
import { type Known, type Redaction, redactionOf } from "../../domain/secret/Redaction.ts"
import { type RedactionStream, redactionStream } from "../../domain/secret/RedactionStream.ts"

export const redactionFailed = "[REDACTION_FAILED]"

export class Redactor extends Context.Service<
  Redactor,
  {
    /** Equal for redactors that hide the same. It has secrets: only for a key that is digested. */
    readonly scope: string
    /** Preserves the number of lines. Idempotent. */
    readonly text: (text: string) => string
    /** For messages on a terminal: as `text`, with the user's own home directory as `~`. */
    readonly words: (text: string) => string
    /** The lines of a file, redacted as one text; preserves their number. */
    readonly lines: (lines: ReadonlyArray<string>) => ReadonlyArray<string>
    /**
     * Every string of a JSON value, including keys. The key affects its value, as in `{"password": "hunter2"}`. What is
     * nested more than 100 levels deep becomes `[REDACTION_FAILED]`.
     */
    readonly value: <A>(value: A) => A | typeof redactionFailed
    /** A text in pieces, whose borders may be inside a secret. */
    readonly stream: <E, R>(pieces: Stream.Stream<string, E, R>) => Stream.Stream<string, E, R>
    /** The same, for pieces that arrive one by one. */
    readonly inPieces: () => RedactionStream
  }
>()("dd/services/secret/Redactor") {
  static readonly layerOf = (environment: Environment) =>
    Layer.sync(Redactor, () => Redactor.of(redactorOf(environment)))
}

/** For messages that are printed before there is any layer. */
export const redactorOf = (environment: Environment): Redactor["Service"] =>
  redactorFrom(
    () => redactionOf(knownIn(environment)),
    homesIn(environment),
    () => JSON.stringify(knownIn(environment))
  )

/** Creates the redaction at first use. */
export const redactorFrom = (
  make: () => Redaction,
  homes: ReadonlyArray<string> = [],
  scope = () => ""
): Redactor["Service"] => {
  let made: Redaction | null = null
  const redaction = () => {
    made ??= make()
    return made
  }
  const texts = new Map<string, string>()
  /** Short texts are cached, because keys, paths and titles repeat. */
  const text = (given: string): string => {
    const known = texts.get(given)
    if (known !== undefined) return known
    const redacted = guarded(() => redaction().text(given), redactionFailed)
    if (given.length > longestCached || redacted === redactionFailed) return redacted
    if (texts.size === mostCached) texts.clear()
    texts.set(given, redacted)
    return redacted
  }
  return {
    get scope() {
      return scope()
    },
    text,
    words: (given) => text(homes.reduce(withTilde, given)),
    lines: (lines) => {
      const redacted = lines.length === 0 ? [] : text(lines.join("\n")).split("\n")
      return redacted.length === lines.length ? redacted : lines.map(() => redactionFailed)
    },
    value: <A>(value: A) => guarded(() => redactedValue(value, text, null) as A, redactionFailed),
    inPieces: () => guardedStream(redaction),
    stream: (pieces) =>
      Stream.suspend(() => {
        const stream = guardedStream(redaction)
        return pieces.pipe(
          Stream.map(stream.push),
          Stream.concat(Stream.sync(stream.end)),
          Stream.filter((piece) => piece !== "")
        )
      })
  }
}

const guarded = <A, B>(run: () => A, otherwise: B): A | B => {
  // Called for every string of a record: `Result.try` would cost more than most of them.
  try {
    return run()
  } catch {
    return otherwise
  }
}

/** Never throws, and returns nothing more after a failure: the text that it holds back is not redacted. */
const guardedStream = (make: () => Redaction): RedactionStream => {
  let made: RedactionStream | null = null
  const stream = () => {
    made ??= redactionStream(make())
    return made
  }
  let failed = false
  const once = (run: () => string): string => {
    if (failed) return ""
    const piece = Result.try(run)
    failed = Result.isFailure(piece)
    return Result.getOrElse(piece, () => redactionFailed)
  }
  return { push: (piece) => once(() => stream().push(piece)), end: () => once(() => stream().end()) }
}

/** In characters. */
const longestCached = 200
const mostCached = 5_000

type TextRedactor = (text: string) => string

/** Arguments of tools come from models; a few thousand levels exhaust the stack. */
const deepest = 100

/** The value itself if nothing in it was hidden. */
export const redactedValue = (value: unknown, redact: TextRedactor, key: string | null, depth = 0): unknown => {
  if (typeof value === "string") return key === null ? redact(value) : field(key, value, redact)
  if (typeof value !== "object" || value === null) return value
  if (depth === deepest) return redactionFailed
  if (Array.isArray(value)) {
    const inner = value.map((each) => redactedValue(each, redact, key, depth + 1))
    return inner.every((each, i) => each === value[i]) ? value : inner
  }
  const entries = Object.entries(value)
  const redacted = entries.map(
    ([name, inner]) => [redact(name), redactedValue(inner, redact, name, depth + 1)] as const
  )
  const isSame = redacted.every(([name, inner], i) => name === entries[i]![0] && inner === entries[i]![1])
  return isSame ? value : Object.fromEntries(redacted)
}

/** Also redacts the string as a field in JSON, because its key matters. */
const field = (key: string, value: string, redact: TextRedactor): string => {
  const withoutKey = redact(value)
  if (withoutKey !== value || !sensitiveKey.test(key)) return withoutKey
  const quoted = JSON.stringify(redact(key))
  const line = `${quoted}: ${JSON.stringify(value)}`
  const redacted = redact(line)
  return redacted === line
    ? value
    : (/\[REDACT(?:ED|ION)_[A-Z_]+\]/.exec(redacted.slice(quoted.length))?.[0] ?? redactionFailed)
}

const sensitiveKey = /pass|pwd|pw$|pswd|secret|token|credential|auth|key|cookie/i

const knownIn = (environment: Environment): Known => ({
  secrets: secretValues(environment),
  users: homesIn(environment).flatMap((home) => homeOf.exec(home)?.[1] ?? [])
})

/** Home directories that contain the name of a user. */
const homesIn = ({ HOME, USERPROFILE }: Environment): ReadonlyArray<string> =>
  [HOME, USERPROFILE].flatMap((home) => (home !== undefined && homeOf.test(home) ? [home.replace(/[\\/]$/, "")] : []))

/** Only at the end of the directory's name. */
const withTilde = (text: string, home: string): string =>
  text
    .split(home)
    .reduce(
      (joined, rest, index, all) =>
        `${joined}${/^[\w.-]/.test(rest) || /[\w.-]$/.test(all[index - 1] ?? "") ? home : "~"}${rest}`
    )

const homeOf = /(?:^|[\\/])(?:home|Users)[\\/]([^\\/]+)[\\/]?$/
