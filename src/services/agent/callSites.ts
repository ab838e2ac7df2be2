/**
 * The places outside of the change that use what it alters, each with its line of code: the dependents of the brief, redacted.
 */
import { Effect } from "effect"
import type { Brief } from "../../domain/brief/Brief.ts"
import type { Change } from "../../domain/change/Change.ts"
import { Sources } from "../change/Sources.ts"
import { Redactor } from "../secret/Redactor.ts"

const mostSites = 40
/** Of one definition: the nearest, as the brief orders them. */
const mostOfOne = 6
const longestLine = 160

/** `paths`: the files whose definitions are meant. The diff has the lines of changed files. */
export const callSites = Effect.fn("callSites")(function* (
  brief: Brief,
  { diff }: Change,
  paths: ReadonlyArray<string>
) {
  const sources = yield* Sources
  const redactor = yield* Redactor
  const own = new Set(paths)
  const changed = new Set(diff.files.map(({ path }) => path))
  const sites = brief.dependents
    .filter(({ file }) => own.has(file))
    .flatMap(({ name, nearest }) =>
      nearest
        .filter(({ file, kind }) => kind !== "import" && !changed.has(file))
        .slice(0, mostOfOne)
        .map((site) => ({ ...site, of: name }))
    )
    .slice(0, mostSites)
  const texts = new Map<string, ReadonlyArray<string>>()
  yield* sources.preload([...new Set(sites.map(({ file }) => file))])
  for (const { file } of sites) {
    if (texts.has(file)) continue
    const source = yield* sources.head(file)
    // As a whole: a line inside a private key does not show that it is one.
    texts.set(file, source._tag === "Text" ? redactor.lines(source.lines) : [])
  }
  return sites.map(({ certain, file, kind, line, name, of }) => {
    const code = (texts.get(file)?.[line - 1] ?? "").trim()
    const text = code.length > longestLine ? `${code.slice(0, longestLine)}…` : code
    const words = `${kind} of ${of} at ${file}:${line}${name === null ? "" : ` in ${name}`}${certain ? "" : ", by name only"}`
    return `${redactor.text(words)}${text === "" ? "" : `: ${text}`}`
  })
})
