/**
 * The one door for text that leaves the process: what is recorded, archived, logged, sent, printed or written passes it.
 *
 * It hides credentials, the secrets of the process's own environment and the names of users (`domain/secret/Redaction`). It
 * never fails: where it cannot do its work, the text becomes `[REDACTION_FAILED]`, never what it was.
 */
import { Context, Layer, Result, Stream } from "effect"
import { type Environment, secretValues } from "../../domain/secret/KnownSecrets.ts"
import { type Known, type Redaction, redactionOf } from "../../domain/secret/Redaction.ts"
import { type RedactionStream, redactionStream } from "../../domain/secret/RedactionStream.ts"

export const redactionFailed = "[REDACTION_FAILED]"

export class Redactor extends Context.Service<
  Redactor,
  {
    /** Keeps the number of lines. Doing it twice changes nothing. */
    readonly text: (text: string) => string
    /** For words to the user on a terminal: `text`, and the user's own home directory is `~`, which they can use. */
    readonly words: (text: string) => string
    /** A file in lines: what spans lines is seen as one, and the count stays. */
    readonly lines: (lines: ReadonlyArray<string>) => ReadonlyArray<string>
    /**
     * Every string of a JSON value, keys too; whatever is no string stays. A secret is told by its key as well:
     * `{"password": "hunter2"}`. What is nested more than 100 levels deep becomes `[REDACTION_FAILED]`.
     */
    readonly value: <A>(value: A) => A | typeof redactionFailed
    /** A text in pieces: a secret that is cut in two is hidden all the same. */
    readonly stream: <E, R>(pieces: Stream.Stream<string, E, R>) => Stream.Stream<string, E, R>
    /** The same, for who is given the pieces one by one. */
    readonly inPieces: () => RedactionStream
  }
>()("dd/services/secret/Redactor") {
  /** Knows the secrets of this environment. */
  static readonly layerOf = (environment: Environment) =>
    Layer.sync(Redactor, () => Redactor.of(redactorOf(environment)))
}

/** For the edge of the process, where words are printed before there is any layer. */
export const redactorOf = (environment: Environment): Redactor["Service"] =>
  redactorFrom(() => redactionOf(knownIn(environment)), homesIn(environment))

/** The redaction is made when it is first needed: most calls print nothing that has to pass. */
export const redactorFrom = (make: () => Redaction, homes: ReadonlyArray<string> = []): Redactor["Service"] => {
  let made: Redaction | null = null
  const redaction = () => {
    made ??= make()
    return made
  }
  const text = (given: string) => guarded(() => redaction().text(given), redactionFailed)
  const names = new Map<string, string>()
  /** The same keys come again and again; how many different ones there are is up to who made the value. */
  const name = (key: string): string => {
    const known = names.get(key)
    if (known !== undefined) return known
    const redacted = text(key)
    if (names.size > 1000) names.clear()
    if (key.length <= 64 && redacted !== redactionFailed) names.set(key, redacted)
    return redacted
  }
  return {
    text,
    words: (given) => text(homes.reduce(withTilde, given)),
    lines: (lines) => {
      const redacted = lines.length === 0 ? [] : text(lines.join("\n")).split("\n")
      return redacted.length === lines.length ? redacted : lines.map(() => redactionFailed)
    },
    value: <A>(value: A) => guarded(() => redactedValue(value, { text, name }, null) as A, redactionFailed),
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

/** Whatever goes wrong inside, the raw text does not get out. */
const guarded = <A, B>(run: () => A, otherwise: B): A | B => {
  // Asked for every string of a record: `Result.try` costs more than most of them do.
  try {
    return run()
  } catch {
    return otherwise
  }
}

/** Never throws, and says nothing more once it has failed: what it holds back would come out unseen. */
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

interface Doors {
  readonly text: (text: string) => string
  /** The same, for keys. */
  readonly name: (key: string) => string
}

/** Arguments of tools come from models; a few thousand levels exhaust the stack. */
const deepest = 100

/** Itself where nothing in it had to be hidden. */
const redactedValue = (value: unknown, doors: Doors, key: string | null, depth = 0): unknown => {
  if (typeof value === "string") return key === null ? doors.text(value) : field(key, value, doors)
  if (typeof value !== "object" || value === null) return value
  if (depth === deepest) return redactionFailed
  if (Array.isArray(value)) {
    const inner = value.map((each) => redactedValue(each, doors, key, depth + 1))
    return inner.every((each, i) => each === value[i]) ? value : inner
  }
  const entries = Object.entries(value)
  const redacted = entries.map(
    ([name, inner]) => [doors.name(name), redactedValue(inner, doors, name, depth + 1)] as const
  )
  const isSame = redacted.every(([name, inner], i) => name === entries[i]![0] && inner === entries[i]![1])
  return isSame ? value : Object.fromEntries(redacted)
}

/** A string under a key is also read as it would stand in JSON, so that the key can tell what it is. */
const field = (key: string, value: string, { name, text }: Doors): string => {
  const alone = text(value)
  if (alone !== value || !maySay.test(key)) return alone
  const quoted = JSON.stringify(name(key))
  const line = `${quoted}: ${JSON.stringify(value)}`
  const redacted = text(line)
  return redacted === line
    ? value
    : (/\[REDACT(?:ED|ION)_[A-Z_]+\]/.exec(redacted.slice(quoted.length))?.[0] ?? redactionFailed)
}

const maySay = /pass|pwd|pw$|pswd|secret|token|credential|auth|key|cookie/i

const knownIn = (environment: Environment): Known => ({
  secrets: secretValues(environment),
  users: homesIn(environment).flatMap((home) => homeOf.exec(home)?.[1] ?? [])
})

/** Home directories that tell who their user is. */
const homesIn = ({ HOME, USERPROFILE }: Environment): ReadonlyArray<string> =>
  [HOME, USERPROFILE].flatMap((home) => (home !== undefined && homeOf.test(home) ? [home.replace(/[\\/]$/, "")] : []))

/** Where the directory's name ends there, and nowhere else. */
const withTilde = (text: string, home: string): string =>
  text
    .split(home)
    .reduce(
      (told, rest, index, all) =>
        `${told}${/^[\w.-]/.test(rest) || /[\w.-]$/.test(all[index - 1] ?? "") ? home : "~"}${rest}`
    )

const homeOf = /(?:^|[\\/])(?:home|Users)[\\/]([^\\/]+)[\\/]?$/
