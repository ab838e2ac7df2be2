/**
 * An archived run as text: its steps as a tree with time, tokens and cost, its findings, what was dropped and why, and
 * its labels. Without control characters.
 */

import { sameDegraded, timesWords } from "../../domain/change/Degraded.ts"
import { type ArchivedRun, noBackend } from "../../domain/record/ArchivedRun.ts"
import { outcomeOf, winning } from "../../domain/record/LabelObservation.ts"
import type { RunManifest } from "../../domain/record/RunManifest.ts"
import { descriptorOf, siblingPathsIn, type Trajectory, type TrajectoryStep } from "../../domain/record/Trajectory.ts"
import type { FindingsFile } from "../../domain/review/FindingsFile.ts"
import { isJsonObject } from "../../domain/system/jsonObject.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import type { Labels } from "../../services/record/ArchiveIndex.ts"
import { fixTitle, statusWords } from "../review/render/FixLines.ts"
import { bytes, dollars, duration, moment } from "../text/amounts.ts"
import type { Ink } from "../text/Ink.ts"
import { columns, cut, wrap } from "../text/Page.ts"

export interface Story {
  /** With dd's own status. */
  readonly row: ArchivedRun
  readonly manifest: RunManifest | null
  readonly findings: FindingsFile | null
  readonly labels: Labels
  readonly directory: string
  readonly record:
    | { readonly root: Trajectory; readonly siblings: ReadonlyMap<string, Trajectory> }
    | "absent"
    | "unreadable"
}

interface Page {
  readonly width: number
  readonly ink: Ink
}

export const runStory = (story: Story, page: Page): string =>
  `${[
    head(story, page),
    steps(story, page),
    findingLines(story, page),
    fixLines(story, page),
    notReported(story, page),
    labelled(story, page),
    foot(story, page)
  ]
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")}\n`

const head = ({ manifest, row }: Story, { ink, width }: Page): ReadonlyArray<string> => {
  const end = manifest?.dd.error ? `${row.status}: ${manifest.dd.error}` : row.status
  const place = [row.repo_slug ?? row.source_path, row.branch].filter((word) => word !== null).join(", ")
  const tokens =
    row.total_prompt_tokens === null
      ? []
      : [`${row.total_prompt_tokens} tokens in`, `${row.total_completion_tokens ?? 0} out`]
  return [
    ink.bold(cut(oneLine(`Run ${row.session_id}: ${manifest?.dd.description ?? row.run_flow}`), width)),
    ...(place === "" ? [] : [cut(oneLine(place), width)]),
    cut(
      oneLine(
        [
          `${moment(row.archived_at)} UTC`,
          row.run_flow,
          ...(row.loop === 1 ? ["a pass of --loop"] : []),
          ...(row.skill === null ? [] : [`skill ${row.skill}`]),
          row.model ?? (row.backend === noBackend ? "no backend answered" : row.backend),
          end,
          duration(row.wall_clock_seconds),
          ...tokens,
          costWords(row, manifest)
        ].join(", ")
      ),
      width
    )
  ]
}

const costWords = (row: ArchivedRun, manifest: RunManifest | null): string => {
  switch (manifest?.dd.cost_source) {
    case "none":
      return "no model"
    case "computed":
    case "prices":
      return `${dollars(row.total_cost_usd)} by the prices of ${manifest.dd.prices_as_of ?? "the user"}`
    default:
      return row.total_cost_usd === null ? "cost unknown" : dollars(row.total_cost_usd)
  }
}

interface Node {
  readonly name: string
  readonly seconds: number | null
  readonly words: string
  readonly children: ReadonlyArray<Node>
}

const steps = ({ record }: Story, { ink, width }: Page): ReadonlyArray<string> => {
  if (record === "absent") return ["(no trajectory)"]
  if (record === "unreadable") return ["(its trajectory cannot be read)"]
  const nodes = phasesOf(record.root).map((phase): Node => {
    const own = record.root.steps.filter(({ extra }) => extra?.daydream_step === phase.name)
    const sent = own.flatMap(siblingPathsIn).flatMap((path): ReadonlyArray<Node> => {
      const sibling = record.siblings.get(path)
      return sibling === undefined ? [] : [nodeOf(descriptorOf(sibling) ?? path, sibling.steps)]
    })
    return { ...phase, words: [phase.words, usageWords(own)].filter((word) => word !== "").join(", "), children: sent }
  })
  const lines = nodes.flatMap((node, at) => treeLines(node, "", at === nodes.length - 1))
  const widest = Math.max(0, ...lines.map(({ tree }) => columns(tree)))
  return lines.map(({ node, tree }) =>
    cut(
      `${tree}${" ".repeat(widest - columns(tree))}  ${(node.seconds === null ? "" : `${node.seconds.toFixed(2)} s`).padStart(9)}  ${ink.dim(oneLine(node.words))}`.trimEnd(),
      width + 20
    )
  )
}

const treeLines = (
  node: Node,
  margin: string,
  last: boolean
): ReadonlyArray<{ readonly tree: string; readonly node: Node }> => [
  { tree: `${margin}${last ? "└─" : "├─"} ${oneLine(node.name)}`, node },
  ...node.children.flatMap((child, at) =>
    treeLines(child, `${margin}${last ? "   " : "│  "}`, at === node.children.length - 1)
  )
]

/** The phases in order, each with its time and its summary. */
const phasesOf = ({ extra }: Trajectory): ReadonlyArray<Omit<Node, "children">> => {
  const phases: Array<{ name: string; seconds: number | null; words: string; began: number }> = []
  for (const each of Array.isArray(extra?.phase_events) ? extra.phase_events : []) {
    if (!isJsonObject(each)) continue
    const { event, metadata, phase, timestamp } = each
    if (typeof phase !== "string" || typeof timestamp !== "string") continue
    if (event === "phase_start") phases.push({ name: phase, seconds: null, words: "", began: Date.parse(timestamp) })
    const open = phases.findLast(({ name, seconds }) => name === phase && seconds === null)
    if (event !== "phase_end" || open === undefined) continue
    open.seconds = (Date.parse(timestamp) - open.began) / 1000
    if (!isJsonObject(metadata)) continue
    const words = [metadata.summary, metadata.outcome].filter((word) => typeof word === "string")
    open.words = [...new Set(words)].join(", ")
  }
  return phases.map(({ name, seconds, words }) => ({ name, seconds, words: seconds === null ? "not finished" : words }))
}

const nodeOf = (name: string, all: ReadonlyArray<TrajectoryStep>): Node => {
  const times = all.map(({ timestamp }) => Date.parse(timestamp ?? "")).filter((at) => !Number.isNaN(at))
  const failed = all.find(({ extra }) => typeof extra?.error === "string")?.extra?.error
  const calls = all.reduce((sum, { tool_calls }) => sum + (tool_calls?.length ?? 0), 0)
  const words = [
    plural(all.length, "step"),
    ...(calls === 0 ? [] : [plural(calls, "tool call")]),
    usageWords(all),
    ...(typeof failed === "string" ? [`failed: ${failed}`] : [])
  ]
  return {
    name,
    seconds: times.length === 0 ? null : (Math.max(...times) - Math.min(...times)) / 1000,
    words: words.filter((word) => word !== "").join(", "),
    children: []
  }
}

const usageWords = (all: ReadonlyArray<TrajectoryStep>): string => {
  const sum = (field: "prompt_tokens" | "completion_tokens" | "cost_usd") => {
    const known = all.flatMap(({ metrics }) => (typeof metrics?.[field] === "number" ? [metrics[field]] : []))
    return known.length === 0 ? null : known.reduce((total, each) => total + each, 0)
  }
  const tokens = sum("prompt_tokens")
  const cost = sum("cost_usd")
  return [
    ...(tokens === null ? [] : [`${tokens} tokens in`, `${sum("completion_tokens") ?? 0} out`]),
    ...(cost === null ? [] : [dollars(cost)])
  ].join(", ")
}

const findingLines = ({ findings, labels }: Story, { ink, width }: Page): ReadonlyArray<string> => {
  if (findings === null) return []
  const lines = findings.findings.flatMap(({ file, id, line, rule, severity, title, verdict }) => {
    const label = winning(labels.findings.filter(({ finding }) => finding === id))
    const place = line === 0 ? file : `${file}:${line}`
    return [
      ...wrap(oneLine(`${place}  ${title} (${rule})`), width - 13).map((row, at) =>
        at === 0
          ? `${String(id).padStart(3)}  ${ink.severity(severity, severity.padEnd(6))}  ${row}`
          : `${" ".repeat(13)}${row}`
      ),
      ...(verdict == null ? [] : [`     verified: ${verdict}`]),
      ...(label === null
        ? []
        : [`     ${cut(oneLine(`${label.verdict}${label.note === null ? "" : `: ${label.note}`}`), width - 5)}`])
    ]
  })
  return [ink.bold(lines.length === 0 ? "No findings." : `${plural(findings.findings.length, "finding")}:`), ...lines]
}

const fixLines = ({ findings }: Story, { ink, width }: Page): ReadonlyArray<string> => {
  if (findings?.fix == null) return []
  const { commit, detail, files, outcomes, patch, tests } = findings.fix
  const why = detail === "" ? "" : ` (${detail})`
  const end = {
    none: `Nothing was changed${why}`,
    recommended: `In recommended.patch, not applied${why}`,
    refused: `In recommended.patch, not applied${why}`,
    applied: `Applied to ${files.join(", ")}${commit === null ? why : `, and committed as ${commit.slice(0, 12)}`}`
  }[patch]
  const lines = [
    ...outcomes.map(
      ({ detail, id, path, status }) => `${id} ${path}: ${statusWords[status]}${detail === "" ? "" : ` (${detail})`}`
    ),
    ...(tests === null
      ? []
      : [
          tests.after === null
            ? `Tests: not run after the fixes${tests.reason === "" ? "" : `: ${tests.reason}`}`
            : `Tests: ${tests.command}: ${tests.after} after the fixes, ${tests.before ?? "not run"} before them`
        ]),
    end
  ]
  return [
    ink.bold(`${fixTitle(outcomes)}:`),
    ...lines.flatMap((line) => wrap(oneLine(line), width - 2).map((text) => `  ${text}`))
  ]
}

const notReported = ({ findings, labels }: Story, { ink, width }: Page): ReadonlyArray<string> => {
  if (findings === null) return []
  const part = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
    lines.length === 0
      ? []
      : [
          ink.bold(`${title}:`),
          ...lines.slice(0, mostLines).flatMap((line) => wrap(oneLine(line), width - 4).map((text) => `  ${text}`)),
          ...(lines.length > mostLines ? [`  and ${lines.length - mostLines} more`] : [])
        ]
  const claim = ({
    file,
    line,
    reason,
    title
  }: Pick<FindingsFile["dropped"][number], "file" | "line" | "reason" | "title">) =>
    `${file}:${line} ${title}: ${reason}`
  return [
    ...part("Dropped, and why", findings.dropped.map(claim)),
    ...part(
      "Suppressed",
      findings.suppressed.map((each) => {
        if (!("id" in each)) return claim(each)
        const label = winning(labels.findings.filter(({ finding }) => finding === each.id))
        return `${each.id}: ${claim(each)}${label === null ? "" : ` (label: ${label.verdict})`}`
      })
    ),
    ...part(
      "Not reviewed",
      findings.not_reviewed.map(({ path, reason, status }) => `${path}: ${reason || status}`)
    ),
    ...part(
      "Degraded",
      sameDegraded(findings.degraded).map(
        ({ count, steps, words }) => `${steps.join(", ")}: ${words}${timesWords(count)}`
      )
    )
  ]
}

const mostLines = 20

const labelled = ({ labels, row }: Story, { ink, width }: Page): ReadonlyArray<string> => {
  if (labels.observations.length === 0) return []
  const best = winning(labels.observations)
  return [
    ink.bold(`Labelled ${outcomeOf(best?.labels ?? row.outcome_labels)}:`),
    ...labels.observations.map(({ labels: outcome, observed_at, rubric_json, source }) => {
      const note = rubric_json === null ? "" : `  ${rubric_json}`
      return `  ${cut(oneLine(`${moment(observed_at)}  ${source}  ${outcomeOf(outcome)}${note}`), width - 2)}`
    })
  ]
}

const foot = ({ directory, manifest, row }: Story, { ink, width }: Page): ReadonlyArray<string> => {
  const share = (value: number | null) => (value === null ? "unknown" : `${(value * 100).toFixed(0)} %`)
  const judged = [
    `coverage ${share(row.coverage_ratio)}`,
    `grounding ${share(row.grounding_rate)}`,
    ...(row.cost_per_finding_usd === null ? [] : [`${dollars(row.cost_per_finding_usd)} a finding`])
  ]
  const missing = manifest?.dd.not_archived ?? []
  return [
    cut(judged.join(", "), width),
    ...missing.map(({ name, reason }) => cut(oneLine(`not archived: ${name} (${reason})`), width)),
    ink.dim(`${oneLine(directory)}${manifest === null ? "" : `, ${bytes(manifest.dd.bytes)}`}`)
  ]
}
