/** Which findings are fixed together, and which are not fixed at all. */
import { type GuardedKind, guardedKind } from "../agent/guardedPath.ts"
import { isMachineWritten } from "../change/PathKind.ts"
import type { Finding } from "../finding/Finding.ts"
import type { Verdict } from "../finding/Verdict.ts"
import type { Outcome } from "./Outcome.ts"

export interface Judged {
  readonly finding: Finding
  /** Null: not verified. */
  readonly verdict: Verdict | null
}

/** The findings of one file, in the order of their importance. */
export interface FixGroup {
  readonly path: string
  readonly findings: ReadonlyArray<Judged>
}

const why: Record<GuardedKind, string> = {
  hooks: "git, an editor or an agent runs this file",
  ci: "a build server runs this file",
  lockfiles: "a package manager writes this file"
}

/** Groups by file in the order of their first findings; the others have their outcome already. */
export const groupsOf = (
  judged: ReadonlyArray<Judged>,
  present: (path: string) => boolean,
  /** Does `.gitattributes` say that the file is generated or of others? */
  isMarked: (path: string) => boolean = () => false
): { readonly groups: ReadonlyArray<FixGroup>; readonly refused: ReadonlyArray<Outcome> } => {
  const groups = new Map<string, Array<Judged>>()
  const refused: Array<Outcome> = []
  for (const each of judged) {
    const refusal = refusalOf(each, present, isMarked)
    if (refusal !== null) refused.push(outcomeOf(each.finding, ...refusal))
    else groups.set(each.finding.file, [...(groups.get(each.finding.file) ?? []), each])
  }
  return { groups: [...groups].map(([path, findings]) => ({ path, findings })), refused }
}

const refusalOf = (
  { finding, verdict }: Judged,
  present: (path: string) => boolean,
  isMarked: (path: string) => boolean
): readonly [Outcome["status"], string] | null => {
  if (verdict?.verdict === "contradicts") return ["blocked", `the code contradicts it: ${verdict.evidence}`]
  const kind = guardedKind(finding.file)
  if (kind !== null) return ["off-limits", why[kind]]
  if (isMachineWritten(finding.file)) return ["off-limits", "the file is generated or written by others"]
  if (isMarked(finding.file)) return ["off-limits", ".gitattributes marks the file as generated or vendored"]
  return present(finding.file) ? null : ["off-limits", "the file is no text file of the reviewed state"]
}

export const outcomeOf = ({ file, fingerprint, id }: Finding, status: Outcome["status"], detail = ""): Outcome => ({
  id,
  fingerprint,
  path: file,
  status,
  detail
})
