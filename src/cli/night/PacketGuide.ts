/** What a person needs to decide a morning packet: the labels behind it, and the commands that settle it. */

import type { LabelledFinding } from "../../domain/night/LabelledReview.ts"
import type { MorningPacket } from "../../domain/night/Packet.ts"
import { type Case, learnedBelow, type MorningFacts, newestFindings } from "../../domain/night/report/conditions.ts"
import type { Labelled } from "../../domain/night/report/evidence.ts"
import { isInert } from "../../domain/night/report/summaryMarkdown.ts"
import { quoted } from "../../domain/system/shellQuote.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"

type Lines = ReadonlyArray<string>

/** As the night wrote it. */
export const packetText = (packet: MorningPacket): Lines => {
  const confidence = packet.confidence === undefined ? "" : `, ${packet.confidence} confidence`
  return [
    oneLine(packet.title),
    `  ${oneLine(packet.id)}: ${oneLine(packet.severity)} priority${oneLine(confidence)}`,
    `  ${oneLine(packet.why_now)}`
  ]
}

/** Of a packet that another program wrote. */
export const foreignGuide = (packet: MorningPacket): Lines => [
  ...(packet.evidence ?? []).map((line) => `  ${oneLine(line)}`),
  ...(isInert(packet.morning_command) ? ["", "Its command:", `  ${packet.morning_command}`] : [])
]

/** Of a case that holds now. */
export const guideOf = (found: Case, facts: MorningFacts): Lines => {
  const rule = quoted(ruleOf(found, facts))
  const why = `dd dream why ${found.subject}`
  switch (found.condition) {
    case "contested-rule":
      return [
        ...labelLines(found.evidence),
        "",
        "What the rule is for:",
        `  dd rules show ${rule}`,
        "If it is wanted, correct the labels that are wrong:",
        ...relabel(found.evidence, "rejected", "accepted"),
        "If it is not wanted, switch it off in .daydream.toml:",
        `  rules.disable = [${JSON.stringify(oneLine(found.subject))}]`
      ]
    case "suppression-contradicted":
      return [
        ...labelLines(found.evidence),
        "",
        "What it hides, why, and how to undo it:",
        `  ${why}`,
        "A later night removes it if the labels that it learns from say so. If an accepted label is wrong, correct it:",
        ...relabel(found.evidence, "accepted", "rejected")
      ]
    case "suppression-expiring":
      return [
        "What it hides, and why:",
        `  ${why}`,
        "To keep it, label findings that it hides as rejected; dd review lists them, with their numbers, under suppressed:",
        "  dd archive label latest --finding NUMBER --outcome rejected",
        "Without new labels it ends by itself."
      ]
    case "playbook-failing":
      return [...fixLines(found, facts), "", "What was learned of these fixes:", `  ${why}`]
    case "convention-mature":
      return [
        "Add this line to AGENTS.md, so that assistants and people read it before they write the code:",
        "",
        `  - ${oneLine(conventionOf(found, facts)?.text ?? "")}`,
        "",
        "Its evidence:",
        `  ${why}`
      ]
    case "calibration-drift":
      return [
        ...labelLines(found.evidence),
        "",
        "Labels by model change the confidence of its findings by themselves. What was learned:",
        `  dd dream why ${rule}`
      ]
    case "anchors-broken":
      return [
        "What was learned there:",
        ...listed(learnedBelow(facts.generation, found.subject).map(({ id }) => `  dd dream why ${id}`)),
        "If the code moved, label its findings at the new place; what was learned of the old one expires."
      ]
    case "label-request":
      return []
  }
}

const conventionOf = ({ subject }: Case, { generation }: MorningFacts) =>
  generation.conventions.find(({ id }) => id === subject)

const ruleOf = ({ subject }: Case, { generation }: MorningFacts): string => {
  const items = [...generation.suppressions, ...generation.conventions, ...generation.playbooks]
  return oneLine(items.find(({ id }) => id === subject)?.rule ?? subject)
}

/** So many are listed. */
const mostListed = 20

const listed = (lines: Lines): Lines => [
  ...lines.slice(0, mostListed),
  ...(lines.length > mostListed ? [`  and ${lines.length - mostListed} more`] : [])
]

const placeLine = (each: Labelled): string =>
  `  ${each.session.slice(0, 8)} finding ${each.finding}  ${oneLine(each.file)}:${each.line}  ${oneLine(each.title)}`

const labelLines = (evidence: ReadonlyArray<Labelled>): Lines =>
  (["accepted", "rejected", "contested"] as const).flatMap((judgement) => {
    const of = evidence
      .filter((each) => each.judgement === judgement)
      .toSorted((a, b) => (b.judgedAt ?? 0) - (a.judgedAt ?? 0) || compareText(a.session, b.session))
    return of.length === 0 ? [] : [`${plural(of.length, "finding")} ${judgement}:`, ...listed(of.map(placeLine))]
  })

const relabel = (
  evidence: ReadonlyArray<Labelled>,
  from: LabelledFinding["judgement"],
  to: "accepted" | "rejected"
): Lines => {
  const one = evidence.find(({ judgement }) => judgement === from)
  return one === undefined
    ? []
    : [`  dd archive label ${quoted(one.session.slice(0, 8))} --finding ${one.finding} --outcome ${to}`]
}

const fixLines = (found: Case, facts: MorningFacts): Lines => {
  const rule = ruleOf(found, facts)
  const failed = newestFindings(facts.reviews).filter((each) => each.rule === rule && each.fixed === "failed")
  const [one] = failed
  return [
    `${plural(failed.length, "fix", "fixes")} did not pass:`,
    ...listed(failed.map(placeLine)),
    ...(one === undefined ? [] : ["What was tried:", `  dd archive show ${quoted(one.session.slice(0, 8))}`])
  ]
}
