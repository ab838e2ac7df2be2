/**
 * A verdict on each finding before it is fixed: static findings by running their rules again on the fix tree, findings of
 * models by a model that reads the code. Fails open: a finding without a verdict stays as it was. Source: seed 000,
 * "Verification"; reference §3.13.
 */
import { Context, Effect, Layer } from "effect"
import type { Fixed as TaskFixed } from "../../domain/agent/Task.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import { Verdict } from "../../domain/finding/Verdict.ts"
import { recordOfFinding } from "../../domain/fix/recordOfFinding.ts"
import { slugOf } from "../../domain/fix/slugOf.ts"
import { Agent } from "../agent/Agent.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import type { FixTreeFailed, Tree } from "./FixTree.ts"
import { TreeReview } from "./TreeReview.ts"

export interface VerifyRequest {
  readonly change: Change
  readonly intent: string
  readonly findings: ReadonlyArray<Finding>
  readonly tree: Tree
}

/** The fix of one file. */
export interface MadeFix {
  readonly path: string
  readonly findings: ReadonlyArray<Finding>
  readonly diff: string
}

export class Verifier extends Context.Service<
  Verifier,
  {
    /** At most one for each finding, in their order. */
    readonly verify: (request: VerifyRequest) => Effect.Effect<ReadonlyArray<Verdict>, FixTreeFailed>
    /** Whether the claims of models still hold after their fixes; empty without a model. */
    readonly verifyFixes: (
      request: Pick<VerifyRequest, "change" | "intent" | "tree">,
      fixes: ReadonlyArray<MadeFix>
    ) => Effect.Effect<ReadonlyArray<Verdict>>
  }
>()("dd/services/fix/Verifier") {
  static readonly layer = Layer.effect(
    Verifier,
    Effect.gen(function* () {
      const agent = yield* Agent
      const review = yield* TreeReview
      const onFailure = yield* FailPolicy

      const byRules = Effect.fnUntraced(function* ({ change, findings, tree }: VerifyRequest) {
        const own = findings.filter(({ source }) => source === "static")
        if (own.length === 0) return []
        const all = yield* review.findings(tree, change)
        const found = new Set(all.map(({ fingerprint }) => fingerprint))
        return yield* Effect.forEach(own, (finding) =>
          Effect.map(tree.read(finding.file), (bytes) => {
            if (found.has(finding.fingerprint)) return staticVerdict(finding, "consistent")
            const isElsewhere = all.some(({ file, rule }) => file === finding.file && rule === finding.rule)
            return staticVerdict(finding, bytes === null || isElsewhere ? "uncertain" : "contradicts")
          })
        )
      })

      /** The findings of one file. */
      const ask = (
        { change, intent }: Pick<VerifyRequest, "change" | "intent">,
        findings: ReadonlyArray<Finding>,
        fixed: TaskFixed | null
      ) => {
        const claims = findings.map((finding) => ({
          id: finding.id,
          stack: finding.stack,
          record: recordOfFinding(finding)
        }))
        const task = { _tag: "Verify", change, intent, claims, ...(fixed === null ? {} : { fixed }) } as const
        const fork = `verify-${slugOf(findings[0]?.file ?? "")}`
        return agent.invoke(task, { phase: "verify", fork }, { verdicts: [] }).pipe(
          onFailure.open("verify", { verdicts: [] }),
          Effect.map(({ verdicts }) => verdicts)
        )
      }

      const byModel = Effect.fnUntraced(function* (request: VerifyRequest) {
        const own = request.findings.filter(({ source }) => source === "model")
        if (own.length === 0 || !agent.hasModel("verify")) return []
        const groups = [...Map.groupBy(own, ({ file }) => file).values()]
        return (yield* onFailure.together(groups, (group) => ask(request, group, null))).flat()
      })

      const verifyFixes = Effect.fn("Verifier.verifyFixes")(function* (
        request: Pick<VerifyRequest, "change" | "intent" | "tree">,
        fixes: ReadonlyArray<MadeFix>
      ) {
        if (!agent.hasModel("verify")) return []
        const tree = { root: request.tree.repository.root, allow: [] }
        const judged = yield* onFailure.together(fixes, ({ diff, findings, path }) =>
          ask(request, findings, { tree, path, diff })
        )
        return judged.flat()
      })

      const verify = Effect.fn("Verifier.verify")(function* (request: VerifyRequest) {
        const verdicts = [...(yield* byRules(request)), ...(yield* byModel(request))]
        const unjudged: Array<Finding> = []
        const clear = request.findings.flatMap((finding) => {
          const own = verdicts.filter(({ issue_id }) => issue_id === finding.id)
          const [first, ...others] = own
          const isClear = first !== undefined && others.every(({ verdict }) => verdict === first.verdict)
          if (!isClear) unjudged.push(finding)
          return isClear ? [first] : []
        })
        if (unjudged.length > 0) {
          const places = unjudged.slice(0, mostNamed).map(({ file, line }) => `${file}:${line}`)
          const more = unjudged.length > mostNamed ? ` and ${unjudged.length - mostNamed} more` : ""
          const detail = `no clear verdict on ${unjudged.length} of ${request.findings.length} findings: ${places.join(", ")}${more}`
          yield* onFailure.degrade({ step: "verify", error: "NotVerified", detail })
        }
        return clear
      })

      return Verifier.of({ verify, verifyFixes })
    })
  )
}

const mostNamed = 5

const staticVerdict = ({ file, id, line, rule }: Finding, verdict: Verdict["verdict"]): Verdict =>
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
