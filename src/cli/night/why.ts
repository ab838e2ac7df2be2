/** `dd dream why`: what was learned from labels under an id or of a rule, its evidence, what it does, and how to undo it. */

import { Clock, Console, Effect, Layer, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { calibrated, leastLabels } from "../../domain/finding/Calibration.ts"
import { folderWords } from "../../domain/finding/LearnedSuppression.ts"
import type { Generation } from "../../domain/night/Generation.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import * as ArchiveLive from "../../layers/ArchiveLive.ts"
import { openArchive } from "../../programs/archive.ts"
import {
  type Evidence,
  itemsOf,
  type LabelCounts,
  type LearnedItem,
  type Why,
  whyLearned
} from "../../programs/whyLearned.ts"
import { Git } from "../../services/change/Git.ts"
import { Corpus } from "../../services/night/Corpus.ts"
import { LabelledReviews } from "../../services/night/LabelledReviews.ts"
import { archiveDirectory } from "../../services/run/Settings.ts"
import { rootsOf } from "../record/findRun.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { writeOut } from "../system/writeOut.ts"
import { isoTime, moment } from "../text/amounts.ts"
import { jsonFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { corpusHere } from "./corpusHere.ts"

const asked = Argument.String("learned").pipe(
  Argument.withDescription("An id such as sup-0123456789abcdef, its beginning, or a rule. Without it, all is listed"),
  Argument.optional
)

const archive = Layer.unwrap(
  Effect.gen(function* () {
    const directory = yield* archiveDirectory
    if (directory !== null) return ArchiveLive.layer(directory)
    return yield* new CallRefused({ reason: "there is no home directory: set HOME, DD_HOME or DAYDREAM_ARCHIVE_DIR" })
  })
)

export const whyCommand = Command.make("why", { asked, json: jsonFlag }).pipe(
  Command.withShortDescription("Explain what was learned from labels: its evidence, its effect, how to undo it"),
  Command.withDescription(`Explain what was learned from labels in this repository: its counts, the labels it was learned
  from, what it does in a review, and how to undo it.`),
  Command.withHandler(({ asked, json }) =>
    Effect.gen(function* () {
      if (Option.isNone(asked)) {
        const generation = yield* (yield* Corpus).current
        return yield* json ? writeOut(`${plainJson(listJson(generation), 2)}\n`) : Console.log(listText(generation))
      }
      yield* openArchive()
      const reviews = LabelledReviews.layer(yield* (yield* Git).open("."), yield* rootsOf())
      const why = yield* Effect.provide(whyLearned(asked.value), reviews)
      const now = yield* Clock.currentTimeMillis
      yield* json
        ? writeOut(`${plainJson(jsonOf(why), 2)}\n`)
        : Console.log(why.items.map((each) => textOf(each, now)).join("\n\n"))
    }).pipe(Effect.provide(Layer.merge(corpusHere, archive)))
  ),
  Command.withExamples([
    { command: "dd dream why", description: "All that was learned" },
    { command: "dd dream why sup-0123456789abcdef", description: "Why findings are hidden" },
    { command: "dd dream why py/mutable-default", description: "All that was learned of a rule" }
  ])
)

const listJson = (generation: Generation) => ({
  schema_version: 1,
  project: generation.project,
  generation: generation.number,
  learned: itemsOf(generation)
})

const listText = (generation: Generation): string => {
  const items = itemsOf(generation)
  if (items.length === 0) return "Nothing is learned from labels in this repository yet; see dd archive label --next."
  return [`Generation ${generation.number}`, ...items.map((item) => `  ${titleOf(item)}`)].join("\n")
}

const jsonOf = ({ generation, items }: Why) => ({
  schema_version: 1,
  project: generation.project,
  generation: generation.number,
  learned: items.map(({ before, evidence, item, labels, learnedIn }) => ({
    ...item,
    evidence,
    ...(labels !== null && { labels_now: labels }),
    learned_in: learnedIn,
    generation_before: before
  }))
})

/** That is listed in text. */
const mostEvidence = 20

const textOf = ({ before, evidence, item, labels, learnedIn }: Why["items"][number], now: number): string => {
  const lines = [
    ...(learnedIn === null ? [] : [`learned in generation ${learnedIn}`]),
    ...effectOf(item, now),
    ...(labels === null ? [] : [labelsLine(labels)]),
    ...(evidence.length === 0 ? [] : ["", "Evidence:"]),
    ...evidence.slice(0, mostEvidence).map((each) => `  ${evidenceLine(each)}`),
    ...(evidence.length > mostEvidence ? [`  and ${evidence.length - mostEvidence} more; --json lists all`] : []),
    "",
    "To undo it:",
    ...undoOf(item, evidence, before).map((line) => `  ${line}`)
  ]
  return [titleOf(item), ...lines.map((line) => (line === "" ? "" : `  ${line}`))].join("\n")
}

const titleOf = (item: LearnedItem): string => {
  const rule = oneLine(item.rule)
  switch (item.kind) {
    case "suppression":
      return `${item.id} hides findings of ${rule} in ${oneLine(folderWords(item.folder))}`
    case "convention":
      return `${item.id} is a ${item.maturity === "contested" ? "contested convention" : "convention"}: ${oneLine(item.text)}`
    case "playbook":
      return `${item.id} is a playbook for ${rule}: ${oneLine(item.text)}`
    case "calibration":
      return `${item.id === undefined ? "The" : `${item.id}: the`} confidence of ${rule}${item.by === "static" ? "" : `, reported by ${oneLine(item.by)},`} follows its labels`
  }
}

const effectOf = (item: LearnedItem, now: number): ReadonlyArray<string> => {
  switch (item.kind) {
    case "suppression": {
      const { accepted, expires, rejected, severity = "high", since } = item
      return [
        `people rejected ${rejected} of ${plural(rejected + accepted, "such finding")}`,
        expires <= now
          ? `it hides nothing any more: it ended ${day(expires)} (UTC)`
          : `dd review lists what it hides under suppressed, from ${day(since)} until ${day(expires)} (UTC)`,
        ...(severity === "high" ? [] : [`findings of a severity above ${severity} stay visible`])
      ]
    }
    case "convention": {
      const { accepted, folder, maturity, rejected } = item
      const all = accepted + rejected
      return [
        `${maturity}: people accepted ${accepted} of ${plural(all, "finding")} of ${oneLine(item.rule)} in ${oneLine(folderWords(folder))}`,
        maturity === "contested"
          ? "it changes no review: people do not agree"
          : "dd review tells models of it that review or fix files there, if it is among the five that fit them best"
      ]
    }
    case "playbook": {
      const { check, failed, passed } = item
      return [
        `${passed} of ${plural(passed + failed, "fix", "fixes")} passed${check === null ? "" : ` the check ${oneLine(check)}`}`,
        "dd review tells models of it that review or fix such findings"
      ]
    }
    case "calibration": {
      const { accepted, probability, rejected } = item
      const all = accepted + rejected
      const share = `${(probability * 100).toFixed(0)} %`
      // LOW is no confidence of a finding: it comes back if the labels change nothing.
      const level = calibrated("LOW", item)
      return [
        `people accepted ${accepted} of ${plural(all, "finding")}; the next one is accepted with a probability of ${share}`,
        all < leastLabels
          ? `it changes no confidence: fewer than ${leastLabels} labels`
          : level === "LOW"
            ? "it changes no confidence: the labels are divided"
            : `dd review reports its findings with confidence ${level}`
      ]
    }
  }
}

/** What was counted when it was learned leaves out the newest reviews. */
const labelsLine = ({ accepted, contested, rejected }: LabelCounts): string =>
  `all labels of such findings now: ${rejected} rejected, ${accepted} accepted${contested === 0 ? "" : `, ${contested} contested`}`

const evidenceLine = ({ at, file, finding, label, line, note, session, title }: Evidence): string => {
  const run = `run ${session.slice(0, 8)} finding ${finding}`
  if (label === null && title === null) return `${run}: no longer in the archive`
  const when = at === null ? "" : `${moment(at)}  `
  const place = file === null ? "" : ` (${oneLine(file)}:${line})`
  const reason = note === null || note === "" ? "" : `: ${oneLine(note)}`
  return `${when}${label ?? "no label"}  ${run}: ${oneLine(title ?? "its finding is no longer in the archive")}${place}${reason}`
}

const undoOf = (item: LearnedItem, evidence: ReadonlyArray<Evidence>, before: number | null): ReadonlyArray<string> => {
  const first = evidence.find(({ label }) => label !== null)
  const relabel =
    first === undefined
      ? "dd archive label RUN --finding N --outcome OUTCOME gives a finding another label; the next night counts it"
      : `dd archive label ${first.session.slice(0, 8)} --finding ${first.finding} --outcome OUTCOME gives a finding another label; the next night counts it`
  return [
    ...(item.kind === "suppression"
      ? ["the number of a finding that it hides, labelled as accepted (dd archive label), ends it with the next night"]
      : item.kind === "calibration"
        ? ["dd review --no-learned reports dd's own confidence"]
        : ["dd review --no-learned tells no model of it"]),
    relabel,
    before === null
      ? "dd dream rollback lists the generations to go back to"
      : `dd dream rollback ${before} goes back to the generation before it was learned`
  ]
}

const day = (at: number): string => isoTime(at).slice(0, 10)
