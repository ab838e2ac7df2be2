/**
 * Checks the answer of a model about artifacts. Pure, total.
 *
 * A summary is about artifacts of one type that the model was given, in one line of plain characters. A name of a file, program,
 * error or anything else is allowed only if one of these artifacts has it. A word that looks like an ordinary word is not
 * recognized as a name, except after "run" and the like, and for common programs.
 */
import { Option, Schema } from "effect"
import type { Artifact } from "../Artifact.ts"
import { bodyOf, type SynthesisAnswer } from "./synthesis.ts"

const Answer = Schema.Struct({
  summaries: Schema.Array(Schema.Struct({ artifacts: Schema.Array(Schema.String), text: Schema.String }))
})
const decode = Schema.decodeUnknownOption(Answer)

/** In characters. */
const longestSummary = 300
/** Artifacts that one summary may be about. */
const mostSame = 5

export interface CheckedAnswer {
  readonly accepted: SynthesisAnswer["summaries"]
  /** Why summaries were refused. */
  readonly refused: ReadonlyArray<string>
}

/** Null: the answer has another form. `hasSecret`: tells a text that may not be kept. */
export const checkedAnswer = (
  answer: unknown,
  given: ReadonlyArray<Artifact>,
  hasSecret: (text: string) => boolean
): CheckedAnswer | null => {
  const decoded = Option.getOrNull(decode(answer))
  if (decoded === null) return null
  const accepted: Array<CheckedAnswer["accepted"][number]> = []
  const refused: Array<string> = []
  const used = new Set<string>()
  for (const { artifacts, text } of decoded.summaries.slice(0, given.length)) {
    const ids = [...new Set(artifacts)]
    const about = given.filter(({ id }) => ids.includes(id))
    const reason =
      about.length === 0 || about.length !== ids.length
        ? "it is about an artifact that was not given"
        : ids.some((id) => used.has(id))
          ? "another one is about the same artifact"
          : ids.length > mostSame || about.some(({ type }) => type !== about[0]!.type)
            ? "it joins too many artifacts, or several types"
            : hasSecret(text)
              ? "it has what may be a secret"
              : faultOf(text, about)
    if (reason !== null) refused.push(reason)
    else {
      accepted.push({ ids, text })
      for (const id of ids) used.add(id)
    }
  }
  return { accepted, refused }
}

const faultOf = (text: string, about: ReadonlyArray<Artifact>): string | null => {
  if (text.trim() !== text || text === "") return "it is empty or has spaces around it"
  if (text.length > longestSummary) return `it has more than ${longestSummary} characters`
  if (!/^[\x20-\x7e\u2013\u2014\u2018\u2019\u201c\u201d\u2026]+$/.test(text))
    return "it has more than one line of plain text"
  const known = wordsOf(about.flatMap((artifact) => textsOf(bodyOf(artifact))).join("\n"))
  const unknown = namesIn(text).find((name) => !known.has(name.toLowerCase()))
  if (unknown !== undefined) return `it names ${unknown}, which is not in the evidence`
  const shared = [...wordsOf(text)].some((word) => word.length >= 4 && known.has(word))
  return shared ? null : "it has no word of the evidence"
}

const textsOf = (body: object): ReadonlyArray<string> => Object.values(body).flat().map(String)

const isWord = /[^\s"'`\u2018\u2019\u201c\u201d()<>]+/g
/** A leading dot or hyphen may belong to a name, a trailing one does not. */
const trimmed = (word: string): string => word.replace(/^[,;:!?\u2013\u2014\u2026]+|[.,;:!?\u2013\u2014\u2026]+$/g, "")

/** In lower case: words between spaces, and their parts. */
const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    (text.toLowerCase().match(isWord) ?? []).flatMap((word) => [trimmed(word), ...word.split(/[^\p{L}\p{N}_]+/u)])
  )

/** Words that may be names: by their form, by their place after "run", or because they are between backticks. */
const namesIn = (text: string): ReadonlyArray<string> => {
  const quoted = (text.match(/`[^`]*`?/g) ?? []).flatMap((part) => part.match(isWord) ?? [])
  let before = ""
  const found = [...text.matchAll(isWord)].flatMap(({ 0: given, index }) => {
    const word = trimmed(given)
    const plain = word.toLowerCase()
    if (word === "" || articles.has(plain)) return []
    const isAfterRun = runs.has(before)
    before = plain
    if (isAfterRun) return usualObjects.has(plain) ? [] : [word]
    const beginsSentence = /(?:^|[.!?:])[\s"'`(\u2018\u201c]*$/.test(text.slice(0, index))
    const isName = /[^A-Za-z'\u2019-]|^-|[a-z][A-Z]|[A-Z]{2}/.test(word) || programs.has(plain)
    return isName || (!beginsSentence && /^[A-Z][a-z]/.test(word)) ? [word] : []
  })
  return [...quoted.map(trimmed), ...found]
}

const listed = (words: string): ReadonlySet<string> => new Set(words.split(" "))

const articles = listed("the a an its this that these those same again all both only missing e.g i.e and/or")
const runs = listed("run runs running rerun execute executes executing invoke install installing launch")
const usualObjects = listed(
  "it them test tests check checks suite command build formatter linter compiler dependencies packages until before after and " +
    "in on with as once when"
)
const programs = listed(
  "curl wget rm sudo su sh bash zsh fish eval exec npm npx pnpm yarn bun bunx deno pip pipx uv poetry python node ruby gem perl php " +
    "cargo rustc gcc clang cmake ninja gradle maven mvn docker podman kubectl helm terraform ansible ssh scp rsync netcat nc telnet " +
    "git gh svn chmod chown kill pkill killall mkfs dd mv cp ln sed awk xargs tee crontab systemctl brew apt yum dnf apk powershell " +
    "cmd iptables nmap openssl base64 pytest jest vitest mocha tsc eslint biome ruff mypy prettier webpack vite rollup psql mysql"
)
