/**
 * `summary.md`: the report of a night for a person, made from `summary.json` and nothing else. It says in this order what state the
 * night left, what ran, what failed, and what to do first. A section without content is absent.
 *
 * Text that dd did not write is escaped. A command is shown only if a shell takes it as it stands.
 *
 * From the objects that the contract leaves open it reads: of `close_loop` what `closeLoop.ts` writes; of `metrics_health` `metrics`
 * (by name, as in `Fitness.ts`), `sigma`, `rho`, `delta` and `escape_velocity`; of `retrieval_live` `coverage`, `queries` and
 * `queries_with_hits`; of `briefing` what `health.ts` writes; of an iteration's `measure` `metrics`, if `metrics_health` has none.
 */
import { Predicate } from "effect"
import { folderWords } from "../../finding/LearnedSuppression.ts"
import { codeBlock, codeSpan, markdownText } from "../../text/MarkdownText.ts"
import { oneLine } from "../../text/Printable.ts"
import { plural } from "../../text/plural.ts"
import { type MetricName, metricNames } from "../Fitness.ts"
import type { MorningPacket } from "../Packet.ts"
import { type IterationSummary, isCommitted, type Step, type Summary } from "../Summary.ts"
import { leastSealed } from "../sealedLooks.ts"
import { crashWords } from "./crashed.ts"
import type { Dreamscape } from "./dreamscape.ts"
import { flaggedOf } from "./flagged.ts"

type Lines = ReadonlyArray<string>

export const summaryMarkdown = (summary: Summary): string =>
  [
    ...opening(summary),
    ...header(summary),
    ...section("DreamScape", dreamscapeLines(summary)),
    ...section("Health", healthLines(summary)),
    ...section("Yield", yieldLines(summary)),
    ...section("Long haul", longHaulLines(summary)),
    ...section("What is known about the goal", goalLines(summary)),
    ...section("What ran", ranLines(summary)),
    ...section("Morning packets", (summary.morning_packets ?? []).flatMap(packetLines)),
    ...section("Dream Council", councilLines(summary)),
    ...section("Degraded", bulleted((summary.degraded ?? []).map(reasonWords))),
    ...section("Notes", bulleted(summary.dd?.notes ?? [])),
    ...section("First move", [prose(summary.next_action)]),
    ...section("Recommended", commandLines(summary.recommended))
  ]
    .filter((line, at, lines) => line !== "" || lines[at - 1] !== "")
    .join("\n")

/** `morning-packets/index.md`. */
export const packetsMarkdown = (packets: ReadonlyArray<MorningPacket>): string =>
  `${["# Morning packets", "", ...packets.flatMap(packetLines)].join("\n").trimEnd()}\n`

/** Ends with an empty line, as everything before a heading. */
const section = (title: string, lines: Lines): Lines => {
  if (lines.length === 0) return []
  return [`## ${title}`, "", ...lines, ...(lines.at(-1) === "" ? [] : [""])]
}

const prose = (text: string): string => markdownText(oneLine(text))

/** The contract fixes the texts of the gate in `summary.json`. */
const reasonWords = (reason: string): string =>
  reason
    .replaceAll(
      /dropped ([\d.]+)( on average,)? below floor ([\d.]*\d)/g,
      (_, drop, average = "", floor) =>
        `dropped by ${drop}${average.replace(",", "")}, more than the ${floor} that is allowed`
    )
    .replaceAll(
      /(\d+) consecutive iterations below epsilon ([\d.]*\d)/g,
      "$1 iterations in a row changed the fitness by less than $2"
    )

/** A duration in the form of Go, which is not taken for the start of a list. */
const took = (duration: string): string => (/^[\d.hms-]+$/.test(duration) ? duration : prose(duration))

/** Of a long list, so many are shown. */
const mostLines = 20

const bulleted = (items: Lines): Lines => [
  ...items.slice(0, mostLines).map((item) => `- ${prose(item)}`),
  ...(items.length > mostLines ? [`- and ${items.length - mostLines} more in summary.json`] : [])
]

const opening = (summary: Summary): Lines => [
  "# Dream Morning Report",
  "",
  [endWords(summary), learnedWords(summary), faultWords(summary)].filter((words) => words !== "").join(" "),
  "",
  ...(summary.status === "planned" ? [] : [`**First move:** ${prose(summary.next_action)}`, ""])
]

const endWords = (summary: Summary): string => {
  const time = summary.duration_ms === undefined ? took(summary.duration) : aboutTime(summary.duration_ms)
  switch (summary.status) {
    case "planned":
      return "The night has begun and has not reported yet."
    case "dry-run":
      return "This was a dry run: nothing was changed."
    case "failed":
      if (summary.failure_reason === crashWords) {
        return `The night was killed, or could not write its report; its last sign of life came ${time} after its start.`
      }
      return summary.failure_reason === undefined || summary.failure_reason === ""
        ? `The night failed after ${time}.`
        : `The night failed after ${time}: ${prose(summary.failure_reason)}.`
    case "done": {
      const flagged = flaggedOf(summary.iterations)
      if (flagged !== null) {
        return `The night stopped after ${time}: generation ${flagged.generation} was committed, but a check failed afterwards.`
      }
      if (summary.regression_reason !== undefined) {
        return `The night stopped after ${time}: a change would have made reviews worse, and it was not kept.`
      }
      if (summary.plateau_reason !== undefined) {
        return `The night stopped after ${time}: further changes brought almost nothing.`
      }
      if (summary.measure_failure_halt === true) {
        return `The night stopped after ${time}: it could not measure whether its changes help.`
      }
      return summary.dd?.budget_exhausted === true
        ? `The night used up its time (${time}); the next one goes on from here.`
        : `The night ended as planned after ${time}.`
    }
  }
}

const learnedWords = ({ close_loop: loop = {}, dd, iterations, status }: Summary): string => {
  const labels = numberIn(loop, "ingested")
  if (status === "planned" || status === "dry-run" || labels === null) return ""
  const reviews = numberIn(loop, "reviews") ?? 0
  const before = dd?.generation_before ?? numberIn(loop, "generation_before")
  if (labels === 0 && reviews === 0) {
    return (before ?? 0) > 0
      ? "The reviews that dd learned from are no longer archived."
      : "No review is archived yet, so there was nothing to learn from."
  }
  if (labels === 0) {
    return `None of the findings of ${plural(reviews, "archived review")} has a label yet, so there was nothing to learn from.`
  }
  const after = dd?.generation_after ?? numberIn(loop, "generation_after")
  const flagged = flaggedOf(iterations)
  const became =
    flagged !== null
      ? `Whether reviews can use generation ${flagged.generation} is not certain: ${prose(flagged.fault)}.`
      : before === after
        ? "What reviews use did not change."
        : `Reviews now use what it learned (generation ${after}, before: ${before}).`
  return `It read ${plural(labels, "label")} on ${plural(reviews, "review")}. ${became}`
}

const faultWords = ({ degraded = [], status }: Summary): string =>
  degraded.length === 0 || status === "failed" ? "" : `${plural(degraded.length, "thing")} went wrong, see Degraded.`

const header = (summary: Summary): Lines => {
  const { runtime } = summary
  const isCrashed = summary.failure_reason === crashWords
  return [
    `- Status: ${summary.status}${isCrashed ? " (killed)" : ""}`,
    `- Run: ${prose(summary.run_id)}, ${prose(summary.mode)}`,
    `- Repository: ${codeSpan(oneLine(summary.repo_root))}`,
    `- Files: ${codeSpan(oneLine(summary.output_dir))}`,
    ...(summary.goal === undefined || summary.goal === "" ? [] : [`- Goal: ${prose(summary.goal)}`]),
    `- Started: ${momentOf(summary.started_at)}`,
    ...(summary.status === "planned"
      ? []
      : [
          `- ${isCrashed ? "Last sign of life" : "Finished"}: ${momentOf(summary.finished_at)}, after ${took(summary.duration)}`
        ]),
    `- Time limit: ${took(runtime.requested_timeout)}`,
    `- Keep awake: ${awakeWords(runtime)}`,
    ""
  ]
}

const awakeWords = ({ keep_awake, keep_awake_mode, keep_awake_note: note = "" }: Summary["runtime"]): string => {
  if (!keep_awake) return "not asked for"
  return note === "" ? prose(keep_awake_mode) : `no, ${prose(note)}`
}

const weatherWords: Readonly<Record<Dreamscape["weather"], string>> = {
  steady: "nothing got worse",
  fog: "for most recent changes, nothing that was learned applies",
  "storm-front": "something got worse, or a change was refused"
}
const councilWords: Readonly<Record<Dreamscape["council"], string>> = {
  "single-voice": "no second opinion",
  aligned: "the second opinions agree",
  mixed: "the second opinions differ"
}

const dreamscapeLines = ({ council, dreamscape: scape }: Summary): Lines =>
  scape === undefined
    ? []
    : [
        `- Weather: ${scape.weather} (${weatherWords[scape.weather]})`,
        `- Visibility: ${scape.visibility} (${scape.visibility === "clear" ? "what was measured is enough to decide" : "little could be measured"})`,
        `- Council: ${scape.council} (${council?.completed_runners?.length === 1 ? "one second opinion" : councilWords[scape.council]})`,
        ...(scape.tension === undefined ? [] : [`- Tension: ${prose(reasonWords(scape.tension))}`])
      ]

const metricWords: Readonly<Record<MetricName, string>> = {
  // Its value is the lower bound of its interval.
  suppression_precision: "Hidden findings that people rejected, at least",
  suppression_recall: "Rejected findings that are hidden",
  retrieval_recall: "Accepted findings with matching knowledge",
  retrieval_precision: "Retrieved knowledge that was relevant",
  ranking_ap: "Accepted findings ranked first",
  calibration: "Confidence that matched the labels",
  playbook_success: "Fixes that passed their check",
  evidence_integrity: "Learned items whose evidence is intact",
  non_redundancy: "Learned items without a near-duplicate"
}

const healthLines = (summary: Summary): Lines => {
  const metrics = measuredMetrics(summary)
  const measured = metricNames.flatMap((name) => {
    const metric = metrics[name]
    return Predicate.isObject(metric) ? [{ name, metric: metric as Readonly<Record<string, unknown>> }] : []
  })
  const usable = measured.filter(({ metric }) => metric.state === "ok")
  const few = measured.filter(({ metric }) => metric.state === "insufficient")
  const delta = (key: string) => signed(summary.fitness_delta?.[key] ?? null)
  const composite = summary.fitness_delta?.composite
  const table =
    usable.length === 0
      ? []
      : [
          "| On reviews it did not learn from | now | 95 % interval | items | tonight |",
          "|---|---|---|---|---|",
          ...usable.map(
            ({ metric, name }) =>
              `| ${metricWords[name]} | ${share(metric.value)} | ${share(metric.lo)} to ${share(metric.hi)} | ${String(numberIn(metric, "n") ?? "")} | ${delta(name)} |`
          ),
          ""
        ]
  const lines = [
    ...(composite === undefined ? [] : [`- Fitness as a whole, tonight: ${signed(composite)}`]),
    ...(few.length === 0
      ? []
      : [
          `- Too few items to measure, fewer than 20: ${few.map(({ metric, name }) => `${lowered(metricWords[name])} (${numberIn(metric, "n") ?? 0})`).join(", ")}`
        ]),
    ...sealedLines(summary),
    ...stockLines(summary),
    ...knownLines(summary)
  ]
  const all = [...table, ...lines]
  return all.length === 0 ? ["Nothing was measured."] : all
}

const sealedLines = ({ dd }: Summary): Lines => {
  const { labels, look, state } = dd?.sealed ?? { labels: 0, look: null, state: "insufficient" }
  const figures = metricNames.flatMap((name) => {
    const metric = look?.metrics[name]
    if (metric?.state !== "ok") return []
    return `${lowered(metricWords[name])} ${share(metric.value)} (${share(metric.lo)} to ${share(metric.hi)}, ${metric.n} items)`
  })
  return [
    ...(look === null
      ? []
      : [
          `- Sealed reviews, look ${dd?.sealed_looks} on ${momentOf(look.at)}, generation ${look.generation}: ${figures.length === 0 ? "too few items to measure" : figures.join("; ")}`
        ]),
    ...(state === "insufficient" && labels > 0
      ? [`- Sealed reviews: ${plural(labels, "label")}, fewer than ${leastSealed}, are insufficient for a look`]
      : [])
  ]
}

const measuredMetrics = (summary: Summary): Readonly<Record<string, unknown>> => {
  const last = (summary.iterations ?? []).findLast(({ status }) => isCommitted(status))
  for (const metrics of [summary.metrics_health?.metrics, last?.measure?.metrics]) {
    if (Predicate.isObject(metrics)) return metrics as Readonly<Record<string, unknown>>
  }
  return {}
}

const stockLines = ({ close_loop: loop = {} }: Summary): Lines => {
  const kinds = [
    ["suppressions", "suppression"],
    ["conventions", "convention"],
    ["playbooks", "playbook"],
    ["calibrated_rules", "calibrated rule"]
  ] as const
  const counts = kinds.flatMap(([key, noun]) => {
    const n = numberIn(loop, key)
    return n === null || n === 0 ? [] : [plural(n, noun)]
  })
  const changes = (
    [
      ["promoted", "added"],
      ["expired", "removed"],
      ["updated", "changed"]
    ] as const
  ).flatMap(([key, word]) => {
    const n = numberIn(loop, key)
    return n === null || n === 0 ? [] : [`${n} ${word}`]
  })
  const contested = numberIn(loop, "contested") ?? 0
  return [
    ...(counts.length === 0
      ? []
      : [`- Learned so far: ${counts.join(", ")}${contested === 0 ? "" : `; ${contested} contested`}`]),
    ...(changes.length === 0 ? [] : [`- Tonight: ${changes.join(", ")}`]),
    ...bulleted(textsIn(loop, "added")).map((line) => `  ${line}`),
    ...bulleted(textsIn(loop, "removed").map((words) => `No more: ${words}`)).map((line) => `  ${line}`),
    ...bulleted(textsIn(loop, "changed").map((words) => `Changed: ${words}`)).map((line) => `  ${line}`)
  ]
}

const knownLines = ({ metrics_health: health = {}, retrieval_live: live = {} }: Summary): Lines => {
  const shares = (
    [
      [health, "sigma", "Learned items that were shown"],
      [health, "rho", "Shown items that an accepted finding used"],
      [live, "coverage", "Recent changes for which something was found"]
    ] as const
  ).flatMap(([of, key, words]) => {
    const value = numberIn(of, key)
    return value === null ? [] : [`- ${words}: ${percent(value)}${key === "coverage" ? hitWords(live) : ""}`]
  })
  const age = numberIn(health, "delta")
  const faster = health.escape_velocity
  return [
    ...shares,
    ...(age === null ? [] : [`- Days since an item was last confirmed: ${Math.round(age * 10) / 10}`]),
    ...(typeof faster === "boolean"
      ? [`- Knowledge raises the share of accepted findings: ${faster ? "yes" : "no"}`]
      : [])
  ]
}

const hitWords = (live: Readonly<Record<string, unknown>>): string => {
  const [hits, queries] = [numberIn(live, "queries_with_hits"), numberIn(live, "queries")]
  return hits === null || queries === null ? "" : ` (${hits} of ${queries})`
}

const yieldLines = ({ yield: brought }: Summary): Lines => {
  if (brought === undefined) return []
  const before = brought.packet_count_before ?? 0
  const after = brought.packet_count_after ?? 0
  const mix = Object.entries(brought.confidence_mix ?? {}).map(([confidence, n]) => `${n} ${prose(confidence)}`)
  const completed = brought.council_completed_count ?? 0
  const failed = brought.council_failed_count ?? 0
  const late = brought.council_timeout_count ?? 0
  const known = brought.queue_backed_count ?? 0
  return [
    ...(before + after === 0
      ? []
      : [
          `- Packets: ${after}${mix.length === 0 ? "" : ` (confidence: ${mix.join(", ")})`}, the night before: ${before}`,
          ...(after === 0 ? [] : [`- New: ${brought.synthetic_count ?? 0}, known from an earlier night: ${known}`])
        ]),
    ...((brought.bead_sync_count ?? 0) === 0 ? [] : [`- Linked to issues: ${brought.bead_sync_count}`]),
    ...(completed + failed === 0
      ? []
      : [
          `- Second opinions: ${completed}${failed === 0 ? "" : `, ${failed} failed`}${late === 0 ? "" : ` (${late} took too long)`}`
        ]),
    ...((brought.council_recommended_kind ?? "") === ""
      ? []
      : [
          `- They recommend to ${prose(brought.council_recommended_kind ?? "")}; the first move is ${brought.council_action_delta || "unchanged"}`
        ])
  ]
}

const longHaulLines = ({ long_haul: haul }: Summary): Lines =>
  haul === undefined || (!haul.enabled && !haul.active)
    ? []
    : [
        `- ${haul.active ? `Ran ${plural(haul.probe_count ?? 0, "probe")}` : "Did not run"}`,
        ...((haul.trigger_reason ?? "") === "" ? [] : [`- Started because: ${prose(haul.trigger_reason ?? "")}`]),
        ...((haul.exit_reason ?? "") === "" ? [] : [`- Ended because: ${prose(haul.exit_reason ?? "")}`])
      ]

/** Of what is known about the goal, so many items are shown. */
const mostKnown = 10

const goalLines = ({ artifacts, briefing = {} }: Summary): Lines => {
  const items = ["suppressions", "conventions", "playbooks"].flatMap((kind) => {
    const of = briefing[kind]
    return Array.isArray(of) ? of.filter(Predicate.isObject).map(knownItem) : []
  })
  const file = artifacts.briefing
  if (items.length === 0) return []
  return [
    ...items.slice(0, mostKnown).map((item) => `- ${prose(item)}`),
    ...(items.length > mostKnown ? [`- and ${items.length - mostKnown} more`] : []),
    ...(file === undefined ? [] : [`- With the evidence: ${codeSpan(oneLine(file))}`])
  ]
}

/** Only a suppression has no sentence of its own. */
const knownItem = (item: Readonly<Record<string, unknown>>): string => {
  const { folder, id, rule, text } = item
  const [accepted, rejected] = [numberIn(item, "accepted") ?? 0, numberIn(item, "rejected") ?? 0]
  const hidden = `Findings of ${rule} in ${folderWords(String(folder))} are hidden: people rejected ${rejected} of ${rejected + accepted}`
  return `${typeof text === "string" ? text : hidden} (${id})`
}

const ranLines = ({ iterations = [], plateau_reason, regression_reason, steps }: Summary): Lines => {
  const isKnown = (name: string) => iterations.some(({ index }) => name === `iteration-${index}`)
  const lines = [
    ...iterations.map(iterationLine),
    ...(regression_reason === undefined ? [] : [`- Stopped: ${prose(reasonWords(regression_reason))}`]),
    ...(plateau_reason === undefined ? [] : [`- Stopped: ${prose(reasonWords(plateau_reason))}`]),
    ...steps.filter(({ name }) => !isKnown(name)).map(stepLine)
  ]
  return lines.length === 0 ? ["Nothing ran."] : lines
}

const stepNames: Readonly<Record<string, string>> = {
  ingest: "Reading labels",
  "close-loop": "Learning from labels",
  "metrics-health": "Health of what was learned",
  "retrieval-live": "What was learned for recent changes",
  "knowledge-brief": "Briefing on the goal",
  "knowledge-brief-fallback": "Briefing on the goal, again",
  "packet-corroboration": "Second look at the packets",
  "morning-packets": "Morning packets",
  "council-packet": "Questions to the council",
  "council-synthesis": "Answers of the council"
}

const stepWords: Readonly<Record<string, string>> = {
  pending: "not started",
  "soft-fail": "failed, the night went on"
}

const stepLine = ({ name, note = "", status }: Step): string =>
  `- ${stepNames[name] ?? prose(name.replace(/^council-/, "Opinion of "))}: ${status === "pending" && note !== "" ? prose(note) : `${stepWords[status] ?? status}${note === "" ? "" : ` (${prose(note)})`}`}`

const statusWords: Readonly<Record<IterationSummary["status"], string>> = {
  done: "kept",
  degraded: "could not be measured, nothing was changed",
  "rolled-back-pre-commit": "failed, nothing was changed",
  "halted-on-regression-pre-commit": "not kept, nothing was changed",
  "halted-on-regression-post-commit": "kept, but a check failed afterwards",
  failed: "failed"
}

const iterationLine = (each: IterationSummary): string => {
  const [before, after] = [each.fitness_before?.composite, each.fitness_after?.composite]
  const fitness =
    before === undefined || after === undefined
      ? ""
      : `, fitness ${share(before)} to ${share(after)} (${signed(each.fitness_delta)})`
  const fault = each.error === undefined || each.error === "" ? "" : `: ${prose(each.error)}`
  return `- Iteration ${each.index}: ${statusWords[each.status]}${fault}${fitness}, ${took(each.duration)}`
}

const packetLines = (packet: MorningPacket): Lines => {
  const nights = packet.dd?.nights ?? 1
  const confidence = packet.confidence === undefined ? "" : `, ${prose(packet.confidence)} confidence`
  return [
    `### ${packet.rank}. ${prose(packet.title)}`,
    "",
    `${capital(prose(packet.severity))} priority${confidence}${nights > 1 ? `, night ${nights}` : ""}. ${prose(packet.why_now)}`,
    "",
    ...commandLines([packet.morning_command]),
    ...bulleted(packet.evidence ?? []),
    ...named("Files", packet.target_files),
    ...named("Tests", packet.likely_tests),
    ...(packet.bead_id === undefined ? [] : [`- Issue: ${prose(packet.bead_id)}`]),
    ""
  ]
}

const named = (title: string, paths: Lines = []): Lines =>
  paths.length === 0
    ? []
    : [
        `- ${title}: ${paths
          .slice(0, mostLines)
          .map((path) => codeSpan(oneLine(path)))
          .join(", ")}`
      ]

const councilLines = ({ council }: Summary): Lines => {
  if (council === undefined) return []
  const completed = council.completed_runners ?? []
  const failed = council.failed_runners ?? []
  const [disagreements, ideas] = [council.disagreements ?? [], council.wildcard_ideas ?? []]
  const kind = council.consensus_kind ?? ""
  return [
    `- Asked: ${council.requested_runners.map(prose).join(", ")}${failed.length === 0 ? "" : `; failed: ${failed.map(prose).join(", ")}`}`,
    ...(completed.length === 0
      ? ["- None of them reported."]
      : [
          kind === ""
            ? `- No consensus (${prose(council.consensus_policy)})`
            : `- Consensus (${prose(council.consensus_policy)}): ${prose(kind)}. ${prose(council.recommended_first_action ?? "")}`
        ]),
    "",
    ...(disagreements.length === 0 ? [] : ["### Disagreements", "", ...bulleted(disagreements), ""]),
    ...(ideas.length === 0 ? [] : ["### Wildcards", "", ...bulleted(ideas), ""])
  ]
}

/** A command of words that a shell takes as they are, or in single quotes. */
export const isInert = (command: string): boolean => /^(?:[\w./:=@%+, -]|'[^'\n]*'|\\')+$/.test(command)

const commandLines = (commands: Lines): Lines => {
  const shown = commands.filter(isInert)
  const hidden = commands.length - shown.length
  return [
    ...(shown.length === 0 ? [] : [...codeBlock(shown), ""]),
    ...(hidden === 0
      ? []
      : [`${plural(hidden, "command")} with characters that a shell interprets: see summary.json.`, ""])
  ]
}

const numberIn = (object: Readonly<Record<string, unknown>>, key: string): number | null => {
  const value = object[key]
  return typeof value === "number" && Number.isFinite(value) ? value : null
}

const textsIn = (object: Readonly<Record<string, unknown>>, key: string): Lines => {
  const value = object[key]
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
}

const percent = (value: number): string => `${Math.round(value * 100)} %`

const share = (value: unknown): string =>
  typeof value === "number" && Number.isFinite(value) ? value.toFixed(2) : "unknown"

const signed = (value: number | null): string =>
  value === null ? "" : Math.abs(value) < 0.0005 ? "unchanged" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const lowered = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

const aboutTime = (milliseconds: number): string => {
  const minutes = Math.round(milliseconds / 60_000)
  if (milliseconds < 1_000) return "less than a second"
  if (milliseconds < 60_000) return plural(Math.round(milliseconds / 1_000), "second")
  return minutes < 90 ? plural(minutes, "minute") : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `2026-01-31 01:30 UTC`; as it is if it is in no such form. */
const momentOf = (time: string): string => {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)$/.exec(time) ?? []
  return day === undefined ? prose(time) : `${day} ${minute} UTC`
}
