/** Finds calls of package scripts that the change removes and no `package.json` of the repository has. */
import { Effect, Predicate } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { eachAlone, placesText, type WordPlace } from "../../domain/change/WordPlace.ts"
import { callingEndings, callsScript, type RemovedScript, removedScripts } from "../../domain/code/packageScripts.ts"
import { parseJsonc } from "../../domain/code/parseJsonc.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { Sources } from "../change/Sources.ts"
import { RuleSet } from "./RuleSet.ts"
import { lineTexts } from "./structureCheck.ts"

const manifestsRead = 200
const namesSought = 40

export const scriptCheck = Effect.fn("scriptCheck")(function* (change: Change) {
  const { rules } = yield* RuleSet
  const rule = rules.find(({ id }) => id === "drift/package-script")
  const manifests = change.diff.files.filter(({ newPath, oldPath }) => isManifest(newPath) && isManifest(oldPath))
  if (rule === undefined || manifests.length === 0) return nothingReviewed
  const sources = yield* Sources
  const done = { ...nothingReviewed, rulesApplied: [rule.id] }
  const removed = (yield* Effect.forEach(manifests, (file) =>
    Effect.map(Effect.all([scriptsAt("base", file.oldPath), scriptsAt("head", file.newPath)]), ([base, head]) =>
      base === null || head === null ? [] : removedScripts(file, base, head)
    )
  )).flat()
  if (removed.length === 0) return done
  const all = (yield* sources.headPaths).filter(isManifest)
  if (all.length > manifestsRead || removed.length > namesSought) {
    return { ...done, omitted: ["removed package scripts: too many scripts or package.json files"] }
  }
  yield* sources.preload(all)
  const kept = new Set(
    (yield* Effect.forEach(all, (path) => scriptsAt("head", path))).flatMap((each) => [...(each ?? [])])
  )
  const gone = removed.filter(({ name }) => !kept.has(name))
  if (gone.length === 0) return done
  const found = yield* sources.places(eachAlone(gone.map(({ name }) => wordOf(name))), callingEndings)
  const called: Array<RemovedScript & { readonly calls: ReadonlyArray<WordPlace> }> = []
  for (const script of gone) {
    const isCall = callsScript(script.name)
    const calls = yield* Effect.filter(found, ({ line, path, word }) =>
      Effect.map(
        sources.head(path),
        (source) =>
          word === wordOf(script.name) &&
          !isTestPath(path) &&
          !isVendoredPath(path) &&
          source._tag === "Text" &&
          isCall(source.lines[line - 1] ?? "")
      )
    )
    if (calls.length > 0) called.push({ ...script, calls })
  }
  const textAt = yield* lineTexts(
    sources,
    called.flatMap(({ calls }) => calls)
  )
  const records = [...Map.groupBy(called, ({ path }) => path).values()].flatMap((scripts) => {
    const names = scripts.slice(0, 4).map(({ name }) => `\`${name}\``)
    const more = scripts.length > names.length ? ` and ${scripts.length - names.length} more` : ""
    const [subject, verb] = scripts.length === 1 ? ["package script", "is"] : ["package scripts", "are"]
    const title = `The ${subject} ${names.join(", ")}${more} ${verb} removed but still called`
    const calls = scripts.flatMap((script) => script.calls.map((call) => ({ ...call, name: script.name })))
    const [first, ...others] = calls
    if (first === undefined) return []
    return ruleRecord(
      rule,
      {
        path: first.path,
        line: first.line,
        words: [first.name],
        title,
        description: `${title}. Called at ${placesText(calls)}.`,
        label: "still called here",
        related: [
          ...scripts.map(({ line, name, path, text }) => ({
            path,
            line,
            deleted: text,
            words: [name],
            message: "removed here"
          })),
          ...others.map(({ line, name, path }) => ({ path, line, words: [name], message: "still called here" }))
        ],
        quote: textAt(first.path, first.line) ?? ""
      },
      textAt
    )
  })
  return { ...done, records }
})

const isManifest = (path: string | null): path is string =>
  path !== null && /(?:^|\/)package\.json$/.test(path) && !isVendoredPath(path)

/** Null for a file that is not valid. */
const scriptsAt = Effect.fnUntraced(function* (which: "base" | "head", path: string | null) {
  const sources = yield* Sources
  const source = yield* sources[which](path ?? "")
  const content = source._tag === "Text" ? parseJsonc(source.text) : null
  if (!Predicate.isObject(content)) return null
  const scripts = Predicate.hasProperty(content, "scripts") ? content.scripts : null
  return new Set(Predicate.isObject(scripts) ? Object.keys(scripts) : [])
})

/** The word of a name that is searched for. */
const wordOf = (name: string): string =>
  (name.match(/\w+/g) ?? [name]).reduce((longest, word) => (word.length > longest.length ? word : longest))
