/** A verdict on each finding of a rule before it is fixed: its rule is run again on the fix tree. */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import { Verdict } from "../../domain/finding/Verdict.ts"
import type { Tree } from "./FixTree.ts"
import { TreeReview } from "./TreeReview.ts"

/** One verdict for each of these findings of rules, in their order. */
export const judgeByRules = Effect.fn("Verifier.verify")(function* (
  findings: ReadonlyArray<Finding>,
  change: Change,
  tree: Tree
) {
  const review = yield* TreeReview
  if (findings.length === 0) return []
  const all = yield* review.findings(tree, change)
  const found = new Set(all.map(({ fingerprint }) => fingerprint))
  return yield* Effect.forEach(findings, (finding) =>
    Effect.map(tree.read(finding.file), (bytes) => {
      if (found.has(finding.fingerprint)) return verdictOf(finding, "consistent")
      const isElsewhere = all.some(({ file, rule }) => file === finding.file && rule === finding.rule)
      return verdictOf(finding, bytes === null || isElsewhere ? "uncertain" : "contradicts")
    })
  )
})

const verdictOf = ({ file, id, line, rule }: Finding, verdict: Verdict["verdict"]): Verdict =>
  Verdict.make({
    issue_id: id,
    evidence: {
      consistent: `${rule} reports ${file}:${line} again`,
      uncertain: `${rule} does not report exactly this place of ${file} again`,
      contradicts: `${rule} does not report ${file} any more`
    }[verdict],
    unverified_assumptions: [],
    verdict
  })
