/** One round of fixes: which findings have an edit of a rule, and the outcome of each finding after the round. */
import { Result } from "effect"
import type { Finding } from "../finding/Finding.ts"
import type { Verdict } from "../finding/Verdict.ts"
import { applyEdits, type Edit, editOf } from "./Edit.ts"
import { type FixGroup, outcomeOf } from "./FixGroup.ts"
import { isOpen, type Outcome } from "./Outcome.ts"

/** How many findings a rule has in a file. */
export type Counts = ReadonlyMap<string, number>

const countKey = (file: string, rule: string): string => `${rule}\0${file}`

export const countsOf = (findings: ReadonlyArray<Pick<Finding, "file" | "rule">>): Counts => {
  const counts = new Map<string, number>()
  for (const { file, rule } of findings) counts.set(countKey(file, rule), (counts.get(countKey(file, rule)) ?? 0) + 1)
  return counts
}

/** How many more findings a rule has in a file than before. */
export const addedTo = (before: Counts, after: Counts, file: string, rule: string): number =>
  (after.get(countKey(file, rule)) ?? 0) - (before.get(countKey(file, rule)) ?? 0)

/** A text with the edits of its findings. An edit that does not fit is left out; `refused` has the reason by finding. */
export const withOwnEdits = (text: string, { findings }: FixGroup) => {
  const taken: Array<Edit> = []
  const applied = new Set<number>()
  const refused = new Map<number, string>()
  let edited = text
  for (const { finding } of findings) {
    const own = editOf(finding)
    if (own === null) continue
    const result = applyEdits(text, [...taken, own])
    if (Result.isFailure(result)) refused.set(finding.id, result.failure)
    else {
      taken.push(own)
      applied.add(finding.id)
      edited = result.success
    }
  }
  return { edited, applied, refused }
}

/** What is known after a round. */
export interface FixRound {
  /** Findings whose edit was applied or for which a model was asked. */
  readonly tried: ReadonlySet<number>
  /** Why an edit did not fit, or what the agent says, by finding. */
  readonly notes: ReadonlyMap<number, string>
  /** Files that differ from the reviewed state. */
  readonly changed: ReadonlySet<string>
  readonly before: Counts
  readonly after: Counts
  /** Fingerprints of what the rules still report. */
  readonly found: ReadonlySet<string>
  /** Why the fix of a file was taken back. */
  readonly worse: ReadonlyMap<string, string>
  /** Why the agent of a file failed. */
  readonly failures: ReadonlyMap<string, string>
  /** Of a model's finding after its fix. */
  readonly verdicts: ReadonlyMap<number, Verdict>
  /** Files whose agent changed others. */
  readonly elsewhere: ReadonlySet<string>
}

/** Of each finding of the group, in their order. */
export const outcomesOf = ({ findings, path }: FixGroup, round: FixRound): ReadonlyArray<Outcome> =>
  findings.map(({ finding }) => {
    // The fingerprint of a finding changes with the lines around it, and untried findings of the rule are still there.
    const own = findings.filter((each) => each.finding.rule === finding.rule && round.tried.has(each.finding.id)).length
    const left = addedTo(round.before, round.after, path, finding.rule) + own
    return outcomeAfter(finding, left > 0 && round.found.has(finding.fingerprint), round)
  })

const outcomeAfter = (finding: Finding, isFound: boolean, round: FixRound): Outcome => {
  const { file, id, rule, source } = finding
  const note = round.notes.get(id) ?? ""
  if (!round.tried.has(id)) {
    return editOf(finding) === null || note === ""
      ? outcomeOf(finding, "no-fix", noModel)
      : outcomeOf(finding, "unresolved", note)
  }
  const worse = round.worse.get(file)
  if (worse !== undefined) return outcomeOf(finding, "regressed", worse)
  const failure = round.failures.get(file)
  if (failure !== undefined) return outcomeOf(finding, "failed", failure)
  if (source === "static" && !isFound) return outcomeOf(finding, "resolved")
  if (note !== "") return outcomeOf(finding, "unresolved", note)
  const isEdited = round.changed.has(file)
  if (!isEdited && round.elsewhere.has(file)) {
    return outcomeOf(finding, "wrong-target", "other files were changed, not its own")
  }
  if (source === "model" && isEdited) {
    const verdict = round.verdicts.get(id)
    if (verdict?.verdict === "consistent") {
      return outcomeOf(finding, "unresolved", `it still holds: ${verdict.evidence}`)
    }
    if (verdict?.verdict === "contradicts") return outcomeOf(finding, "resolved", verdict.evidence)
    return outcomeOf(finding, "changed")
  }
  return outcomeOf(finding, "unresolved", isEdited ? `${rule} still reports it` : "its code was not changed")
}

const noModel = "it has no mechanical fix; a model can try it (--backend)"

/** What another round can help, by the outcomes of this one. */
export const openAfter = (
  groups: ReadonlyArray<FixGroup>,
  outcomes: ReadonlyMap<number, Outcome>
): ReadonlyArray<FixGroup> =>
  groups.flatMap((group) => {
    const findings = group.findings.filter(({ finding }) => {
      const outcome = outcomes.get(finding.id)
      return outcome !== undefined && isOpen(outcome)
    })
    return findings.length === 0 ? [] : [{ ...group, findings }]
  })
