/** Artifacts as text: one line, all of one, and where it comes from. Pure. */
import type { Artifact } from "../../domain/dream/Artifact.ts"
import { limits } from "../../domain/dream/artifacts/budget.ts"
import type { Explanation, Witness } from "../../domain/dream/artifacts/explanation.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { dollars, isoTime, moment } from "../text/amounts.ts"
import { cut, wrap } from "../text/Page.ts"

/** What it is, without its type. */
export const artifactTitle = (artifact: Artifact): string => {
  switch (artifact.type) {
    case "DreamPlaybook":
      return oneLine(`${artifact.trigger}: ${artifact.sequence.join(", ")}`)
    case "RepairPattern":
      return oneLine(`${artifact.error_signature}: ${artifact.fix_action}`)
    case "ProjectConvention":
      return oneLine(`${artifact.domain}: ${artifact.pattern}`)
    case "SuccessfulSequence":
      return oneLine(`${artifact.label}: ${artifact.steps.join(", ")}`)
  }
}

const typeNames: Readonly<Record<Artifact["type"], string>> = {
  DreamPlaybook: "Playbook",
  RepairPattern: "Repair pattern",
  ProjectConvention: "Convention",
  SuccessfulSequence: "Successful sequence"
}

export const artifactLines = (artifact: Artifact, width: number): ReadonlyArray<string> => [
  ...headLines(artifact, width),
  "",
  ...[
    `Confidence ${artifact.confidence.toFixed(2)}, from ${plural(artifact.stats.sessions, "session")}`,
    `First seen ${time(artifact.created_at)}, last seen ${time(artifact.last_seen_at)} UTC`,
    usesLine(artifact),
    `Sessions: ${artifact.sources.map(oneLine).join(", ")}`
  ].flatMap((line) => indented(line, 0, width))
]

const headLines = (artifact: Artifact, width: number): ReadonlyArray<string> => [
  `${typeNames[artifact.type]} ${artifact.id}${artifact.pinned ? ", pinned" : ""}`,
  ...contentLines(artifact).flatMap((line, at) => indented(line, at === 0 ? 0 : 2, width)),
  ...(artifact.merged ?? []).flatMap((each) => indented(`Merged into it: ${oneLine(each)}`, 0, width)),
  ...summaryLines(artifact).flatMap((line, at) => indented(line, at === 0 ? 0 : 2, width))
]

const summaryLines = ({ summary }: Artifact): ReadonlyArray<string> => {
  if (summary === undefined) return []
  const { at, cost_usd, model, same, text } = summary
  return [
    "",
    `In the words of the model ${oneLine(model)}:`,
    oneLine(text),
    ...(same.length === 0 ? [] : [`It judged that this means the same as ${same.map(oneLine).join(", ")}.`]),
    `Written ${time(at)} UTC in a request that cost ${dollars(cost_usd)}. No evidence: the confidence does not depend on it.`
  ]
}

const contentLines = (artifact: Artifact): ReadonlyArray<string> => {
  switch (artifact.type) {
    case "DreamPlaybook":
      return [
        `When ${oneLine(artifact.trigger)}:`,
        ...artifact.sequence.map((step, at) => `${at + 1}. ${oneLine(step)}`)
      ]
    case "RepairPattern":
      return [`When ${oneLine(artifact.error_signature)}:`, oneLine(artifact.fix_action)]
    case "ProjectConvention":
      return [`In ${oneLine(artifact.domain)}:`, oneLine(artifact.pattern)]
    case "SuccessfulSequence":
      return [`To ${oneLine(artifact.label)}:`, ...artifact.steps.map((step, at) => `${at + 1}. ${oneLine(step)}`)]
  }
}

const usesLine = ({ helped, hurt, last_used_at, uses }: Artifact): string =>
  last_used_at === null
    ? "Never given to an assistant"
    : `Given to an assistant ${uses === 1 ? "once" : `${uses} times`}, last ${time(last_used_at)} UTC: the session then went better ${times(helped)}, worse ${times(hurt)}`

const times = (n: number): string => (n === 1 ? "once" : `${n} times`)

export const explanationLines = (
  artifact: Artifact,
  { of, older, place, witnesses }: Explanation,
  bytes: number,
  width: number
): ReadonlyArray<string> => {
  const { f, s } = artifact.stats
  const shown = witnesses.slice(0, mostWitnesses)
  const rest = witnesses.length - shown.length
  return [
    ...headLines(artifact, width),
    "",
    `Confidence ${artifact.confidence.toFixed(3)} = (${plain(s)} + 0.4) / (${plain(s)} + ${plain(f)} + 1)`,
    `  ${plain(s)} is what its successes count now, ${plain(f)} what its failures count:`,
    "  an observation loses half of its weight in 90 days.",
    "",
    "Seen in (with the weight now)",
    ...shown.map((witness) => cut(`  ${witnessLine(witness)}`, width)),
    ...(rest > 0 ? [`  and ${plural(rest, "session")} before`] : []),
    ...(older === null
      ? []
      : [
          `  ${plural(older.sessions, "older session")} from ${day(older.from)} to ${day(older.to)}: successes ${plain(older.s)}, failures ${plain(older.f)} now`
        ]),
    "",
    ...indented(usesLine(artifact), 0, width),
    ...(artifact.uses === 0 ? [] : ["  What went together is not a cause."]),
    "",
    ...indented(evictionLine(artifact, place, of, bytes), 0, width)
  ]
}

const mostWitnesses = 12

const witnessLine = ({ at, differs, f, host, repository, s, session, weight }: Witness): string => {
  const observed = [
    ...(s > 0 ? [plural(s, "success", "successes")] : []),
    ...(f > 0 ? [plural(f, "failure")] : []),
    ...(repository === null ? [] : [`${repository.s} of ${repository.s + repository.f} in the repository`])
  ]
  const words = observed.length === 0 ? "nothing counted" : observed.join(", ")
  const start = `${isoTime(at).slice(0, 10)}  ${host.padEnd(6)}  ${oneLine(session).slice(0, 8)}`
  return `${start}  ${weight.toFixed(2)}  ${words}${differs ? " of another value" : ""}`
}

const evictionLine = (artifact: Artifact, place: number, of: number, bytes: number): string => {
  const full = `${of} of at most ${limits.all} artifacts, ${(bytes / 1024).toFixed(1)} of ${limits.total / 1024} KiB`
  const why = artifact.pinned
    ? "pinned ones are removed last"
    : artifact.confidence < 0.5
      ? "those below 0.5 are removed first"
      : "the one whose last use is longest ago is removed first"
  return `When a limit is reached, it is number ${place} of ${of} to be removed (${why}). Now: ${full}.`
}

const indented = (line: string, by: number, width: number): ReadonlyArray<string> =>
  wrap(line, width - by).map((each) => " ".repeat(by) + each)

/** Of seconds since 1970. */
const time = (seconds: number): string => moment(isoTime(seconds * 1000))
const day = (milliseconds: number): string => isoTime(milliseconds).slice(0, 10)
const plain = (value: number): string => String(Math.round(value * 1000) / 1000)
