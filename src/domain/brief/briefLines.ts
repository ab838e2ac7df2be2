/**
 * The sentences of a brief, for people and for models: one fact each, with its place. Most important first.
 *
 * A section without facts is absent.
 */

import { plural, someNames } from "../text/plural.ts"
import type { Brief } from "./Brief.ts"
import type { DefinitionChange, DependencyChange, ValueChange } from "./Definitions.ts"
import type { Dependent } from "./Dependent.ts"
import type { FormalHunk } from "./Form.ts"
import type { PastChange } from "./History.ts"
import type { LearnedFact } from "./Learned.ts"
import type { Place } from "./Place.ts"

export interface BriefLine {
  readonly text: string
  /** Null for a sum. */
  readonly place: Place | null
  /** The text is a command, which is pasted as it is. */
  readonly command?: true
}

export interface BriefSection {
  /** At most nine characters. */
  readonly label: string
  readonly lines: ReadonlyArray<BriefLine>
}

export type BriefExtent = "short" | "full"

export const briefSections = (brief: Brief, extent: BriefExtent): ReadonlyArray<BriefSection> => {
  const sections: ReadonlyArray<BriefSection> = [
    { label: "Changed", lines: withoutRepeats(changedLines(brief, extent)) },
    { label: "Form", lines: formLines(brief, extent) },
    { label: "Used by", lines: dependentLines(brief, extent) },
    { label: "Tests", lines: testLines(brief, extent) },
    { label: "Untested", lines: untestedLines(brief) },
    { label: "Companion", lines: brief.companions.map(companionLine) },
    { label: "History", lines: brief.history.map(historyLine) },
    { label: "People", lines: extent === "full" ? peopleLines(brief) : [] },
    { label: "Size", lines: sizeLines(brief) },
    { label: "Learned", lines: extent === "full" ? learnedLines(brief) : learnedLines({ learned: brokenIn(brief) }) },
    { label: "Not seen", lines: omittedLines(brief) }
  ]
  return sections.filter(({ lines }) => lines.length > 0)
}

/** Equal facts are one, at the place of the first, with a count. */
const withoutRepeats = (lines: ReadonlyArray<BriefLine>): ReadonlyArray<BriefLine> =>
  [...Map.groupBy(lines, ({ text }) => text).values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [others.length === 0 ? first : { ...first, text: `${first.text} (${others.length + 1} times)` }]
  )

/** How much a change of a definition matters to its users; the body alone is a sum. */
const weights: Readonly<Record<DefinitionChange["change"], number>> = {
  removed: 0,
  signature: 1,
  renamed: 2,
  async: 3,
  visibility: 4,
  moved: 5,
  added: 6,
  body: 7
}

const changedLines = ({ definitions, dependencies, values }: Brief, extent: BriefExtent): ReadonlyArray<BriefLine> => {
  const byWeight = (a: DefinitionChange, b: DefinitionChange) =>
    Number(b.public) - Number(a.public) ||
    weights[a.change] - weights[b.change] ||
    Number(a.kind === "constant") - Number(b.kind === "constant")
  const named = definitions.filter(({ change }) => change !== "body").toSorted(byWeight)
  const bodies = definitions.filter(({ change }) => change === "body")
  const major = dependencies.filter(({ major }) => major)
  // A lock file repeats its manifest, with all that the dependencies depend on.
  const minor = dependencies.filter(({ locked, major }) => !major && (extent === "full" || !locked))
  return [
    ...major.map(dependencyLine),
    ...values.filter(breaksOthers).map(valueLine),
    ...named.filter((each) => each.public).map(definitionLine),
    ...values.filter((value) => !breaksOthers(value)).map(valueLine),
    ...named.filter((each) => !each.public && (extent === "full" || each.kind !== "field")).map(definitionLine),
    ...(bodies.length === 0 ? [] : [bodiesLine(bodies)]),
    ...minor.map(dependencyLine)
  ]
}

/** A removed name that people and other programs use, and that no compiler checks. */
const breaksOthers = ({ change, kind }: ValueChange): boolean =>
  change === "removed" && /^(?:route|flag|environment|setting|column)$/.test(kind)

const placeOf = ({ file, line }: Place): Place => ({ file, line })

const definitionLine = (each: DefinitionChange): BriefLine => ({ text: definitionText(each), place: placeOf(each) })

const definitionText = ({ after, before, change, kind, name, public: isPublic }: DefinitionChange): string => {
  const what = `${isPublic ? "" : "private "}${kind} ${name}`
  const from = before === null ? "" : ` from ${before}`
  switch (change) {
    case "added":
      return `added ${isPublic ? "" : "private "}${kind} ${after ?? name}`
    case "removed":
      return `removed ${what}`
    case "renamed":
      return `renamed ${what}${from}`
    case "moved":
      return `moved ${what}${from}`
    case "signature":
      if (before !== null && after !== null) return `${before} → ${after}`
      return `${before === null ? "added" : "removed"} ${secondOf(kind)} ${before ?? after ?? name}`
    case "visibility":
      return `${what}: ${before ?? "?"} → ${after ?? "?"}`
    case "async":
      return `${what}: ${after === "async" ? "now asynchronous" : "no longer asynchronous"}`
    case "body":
      return `body of ${what}`
  }
}

/** Only what has parameters can be overloaded; anything else is defined again. */
const secondOf = (kind: DefinitionChange["kind"]): string =>
  /^(?:constant|field|type|module)$/.test(kind) ? "another definition of" : "overload"

const bodiesLine = (bodies: ReadonlyArray<DefinitionChange>): BriefLine => {
  const [first] = bodies
  const names = someNames(bodies.map(({ name }) => name))
  const text = bodies.length === 1 ? `body of ${names}` : `bodies of ${plural(bodies.length, "definition")}: ${names}`
  return { text, place: first === undefined ? null : placeOf(first) }
}

const valueLine = (value: ValueChange): BriefLine => {
  const { after, before, change, kind, name } = value
  const what = kind === "environment" ? `environment variable ${name}` : `${kind} ${name}`
  const steps = before !== null && after !== null ? `: ${before} → ${after}` : after === null ? "" : ` = ${after}`
  return { text: `${change} ${what}${steps}`, place: placeOf(value) }
}

const dependencyLine = (dependency: DependencyChange): BriefLine => {
  const { after, before, locked, major, name } = dependency
  const step =
    before === null
      ? `added dependency ${name} ${after ?? ""}`
      : after === null
        ? `removed dependency ${name} ${before}`
        : `dependency ${name} ${before || "of any version"} → ${after || "any version"}`
  return {
    text: `${step.trimEnd()}${major ? " (major version)" : ""}${locked ? " in the lock file" : ""}`,
    place: placeOf(dependency)
  }
}

const formWords: Readonly<Record<FormalHunk["form"], string>> = {
  moved: "moves",
  renamed: "renames",
  reformatted: "formatting",
  imports: "order of imports",
  comments: "comments",
  generated: "generated code",
  vendored: "vendored code"
}

const linesOf = ({ added, deleted }: FormalHunk): number => added + deleted

/** The share of formal lines that is worth a line. */
const leastFormal = 0.15

const formLines = ({ form }: Brief, extent: BriefExtent): ReadonlyArray<BriefLine> => {
  const isMuch = form.formal > 0 && form.formal >= form.lines * leastFormal
  const kinds = Object.entries(formWords).flatMap(([kind, words]) => {
    const lines = form.hunks.filter((hunk) => hunk.form === kind).reduce((sum, hunk) => sum + linesOf(hunk), 0)
    return lines === 0 ? [] : [{ words, lines }]
  })
  const named = kinds.toSorted((a, b) => b.lines - a.lines).map(({ words }) => words)
  const differing = form.hunks.filter(({ differs }) => differs.length > 0)
  return [
    ...movedFilesLine(form.movedFiles),
    ...(isMuch || (extent === "full" && form.formal > 0)
      ? [
          {
            text: `${form.formal} of ${plural(form.lines, "changed line")} ${form.formal === 1 ? "is" : "are"} only ${list(named)}`,
            place: null
          }
        ]
      : []),
    ...differing.map((hunk) => ({
      text: `moved code differs at ${someNames(hunk.differs.map(placeText))}`,
      place: placeOf(hunk)
    })),
    ...(extent === "full"
      ? form.hunks.map((hunk) => ({
          text: `${hunk.form}: ${plural(linesOf(hunk), "line")}${hunk.from === null ? "" : ` from ${placeText(hunk.from)}`}`,
          place: placeOf(hunk)
        }))
      : [])
  ]
}

const movedFilesLine = (files: Brief["form"]["movedFiles"]): ReadonlyArray<BriefLine> => {
  const names = files.map(({ from, to }) => `${from} → ${to}`)
  return files.length === 0
    ? []
    : [{ text: `${plural(files.length, "file")} moved without an edit: ${someNames(names)}`, place: null }]
}

/** Users that the change edits as well are before the eyes of its reader. */
const dependentLines = ({ dependents }: Brief, extent: BriefExtent): ReadonlyArray<BriefLine> =>
  dependents.filter(({ files, touched }) => extent === "full" || touched < files).map(dependentLine)

const dependentLine = (dependent: Dependent): BriefLine => {
  const { callers, files, importers, name, nearest, overriders, possible, subtypes, touched, uses } = dependent
  const kinds = [
    ...(callers === 0 ? [] : [plural(callers, "call")]),
    ...(uses === 0 ? [] : [plural(uses, "other use")]),
    ...(overriders === 0 ? [] : [plural(overriders, "override")]),
    ...(subtypes === 0 ? [] : [plural(subtypes, "subtype")]),
    ...(importers === 0 ? [] : [`${plural(importers, "file")} that ${importers === 1 ? "imports" : "import"} it`]),
    ...(possible === 0 ? [] : [`up to ${plural(possible, "place")} by name`])
  ]
  const edited = touched === 0 ? "none" : touched === files ? "all" : String(touched)
  const near = nearest.map((each) => `${placeText(each)}${each.name === null ? "" : ` (${each.name})`}`)
  return {
    text: `${name}: ${list(kinds)} in ${plural(files, "file")}, ${edited} edited here${near.length === 0 ? "" : `; nearest ${someNames(near, 3)}`}`,
    place: placeOf(dependent)
  }
}

const reasons = {
  change: "edited here",
  use: "uses",
  import: "imports",
  name: "named after",
  mention: "mentions",
  history: "changes with"
}

/** Test files of the short form, without a command. */
const mostTests = 4

/** How a test file is related to the change: `uses total`. */
export const testText = ({ by, of }: Brief["tests"]["files"][number]): string =>
  by === "change" ? reasons.change : `${reasons[by]} ${of}`

const testLines = ({ tests }: Brief, extent: BriefExtent): ReadonlyArray<BriefLine> => {
  const commands = tests.commands.map((text): BriefLine => ({ text, place: null, command: true }))
  // A command that is the runner itself runs all tests.
  const whole = tests.runner?.name ?? ""
  const isWhole = tests.commands.some((command) => command === whole || command.endsWith(` && ${whole})`))
  if (extent === "short" && commands.length > 0 && !isWhole) return commands
  const shown = extent === "full" ? tests.files : tests.files.slice(0, mostTests)
  const files = shown.map((each) => ({ text: testText(each), place: { file: each.file, line: 0 } }))
  const runner = tests.runner === null ? [] : [{ text: `runner: ${tests.runner.name}`, place: tests.runner.source }]
  return [...commands, ...files, ...runner]
}

const untestedLines = ({ tests }: Brief): ReadonlyArray<BriefLine> => {
  const [first] = tests.untested
  if (first === undefined) return []
  return [
    {
      text: `no test mentions ${someNames(tests.untested.map(({ name }) => name))}, its file or what uses it`,
      place: placeOf(first)
    }
  ]
}

const companionLine = ({ commits, file, latest, together, with: changed }: Brief["companions"][number]): BriefLine => ({
  text: `${file} changed in ${together} of the last ${plural(commits, "commit")} to ${changed}, and not here (last: ${latest.slice(0, 10)})`,
  place: null
})

const brokenIn = ({ learned = [] }: Brief) => learned.filter(({ broken }) => broken.length > 0)

export const learnedLines = ({ learned = [] }: Pick<Brief, "learned">): ReadonlyArray<BriefLine> =>
  learned.map((fact) => {
    const differs = fact.broken.length === 0 ? "" : `; not in ${someNames(fact.broken)}`
    return { text: `${fact.title} (${provenance(fact)})${differs}`, place: null }
  })

/** What it was learned from, and the command that explains it. */
export const provenance = (fact: LearnedFact): string => {
  const { artifact, kind } = fact
  if ("sessions" in fact) {
    return `${plural(fact.sessions, "session")} since ${fact.since}; dd dream artifacts why ${artifact}`
  }
  const what = kind === "convention" ? "findings accepted" : "fixes passed their check"
  return `${fact.agreeing} of ${fact.judged} ${what}; dd dream why ${artifact}`
}

const historyLine = (past: PastChange): BriefLine => {
  const by = `"${past.subject}" (${past.commit.slice(0, 10)}, ${past.date})`
  const texts = {
    "fix-removed": `removes ${past.of === 1 ? "the line" : `${past.lines} of the ${past.of} lines`} that ${by} added`,
    "brought-back": `brings back ${past.of === 1 ? "the line" : `${past.lines} of the ${past.of} lines`} that ${by} removed`,
    "often-fixed": `${plural(past.lines, "fix", "fixes")} in 90 days, the last one ${by}`
  }
  return { text: texts[past.kind], place: placeOf(past) }
}

const peopleLines = ({ people }: Brief): ReadonlyArray<BriefLine> =>
  people.map(({ commits, latest, name, owner }) => {
    const parts = [
      ...(latest === null ? [] : [`${plural(commits, "commit")} to these files, the last on ${latest}`]),
      ...(owner ? ["in CODEOWNERS"] : [])
    ]
    return { text: `${name}: ${parts.join(", ")}`, place: null }
  })

const longestInMinutes = 120

const timeWords = ({ least, most }: { readonly least: number; readonly most: number }): string => {
  if (most > longestInMinutes) return rangeWords(Math.round(least / 60), Math.round(most / 60), "hour")
  return rangeWords(least, most, "minute")
}

const rangeWords = (least: number, most: number, unit: string): string =>
  least === most ? plural(most, unit) : `${least} to ${plural(most, unit)}`

const sizeLines = ({ form, omitted, size }: Brief): ReadonlyArray<BriefLine> => {
  if (size.files === 0) return []
  const { minutes } = size
  const time = minutes === null ? "" : `, ${timeWords(minutes)}`
  // Some files could not be read.
  const least = minutes === null && omitted.some(({ part }) => part === "size") ? "at least " : ""
  const isUnknown = least !== "" && size.added + size.deleted === 0
  const lines = isUnknown
    ? "whose lines could not be counted"
    : `${least}+${size.added} -${size.deleted}; ${least}${plural(size.reading, "line")} to read${time}`
  // With one file there is nothing to choose.
  const [first] = size.files > 1 ? form.order : []
  return [
    {
      text: `${plural(size.files, "file")}, ${lines}${first === undefined ? "" : `; start at ${placeText(first)}`}`,
      place: null
    },
    ...(size.clusters.length < 2
      ? []
      : [
          {
            text: `${size.clusters.length} parts without a reference between them, which could be separate changes: ${size.clusters
              .map(({ files, name }) => `${name} (${plural(files.length, "file")})`)
              .join(", ")}`,
            place: null
          }
        ])
  ]
}

/** Several parts may have the same reason. */
const omittedLines = ({ omitted }: Brief): ReadonlyArray<BriefLine> =>
  [...new Set(omitted.map(({ reason }) => reason))].map((text) => ({ text, place: null }))

/** `a.py:3`; only the path for a file as a whole. */
export const placeText = ({ file, line }: Place): string => (line === 0 ? file : `${file}:${line}`)

const list = (words: ReadonlyArray<string>): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`
