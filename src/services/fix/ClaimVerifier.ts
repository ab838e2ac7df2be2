/**
 * A verdict on each claim of a model, by a model that reads the code: one task for the claims of a file, or of several if there
 * are many, or if the limit of the cost is near. Fails open: a claim without a clear verdict has none.
 */
import { Context, Effect, Layer } from "effect"
import { inGroups, mostVerifiers } from "../../domain/agent/plannedAgents.ts"
import type { Fixed } from "../../domain/agent/Task.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import { KnownPaths } from "../../domain/finding/KnownPaths.ts"
import { Verdict } from "../../domain/finding/Verdict.ts"
import { recordOfFinding } from "../../domain/fix/recordOfFinding.ts"
import { slugOf } from "../../domain/fix/slugOf.ts"
import { Agent } from "../agent/Agent.ts"
import { Budget } from "../agent/Budget.ts"
import { Sources } from "../change/Sources.ts"
import { FailPolicy } from "../run/FailPolicy.ts"

export interface ClaimsRequest {
  readonly change: Change
  readonly intent: string
  readonly findings: ReadonlyArray<Finding>
}

/** The fix of one file, in the tree that has it. */
export interface MadeFix extends Fixed {
  readonly findings: ReadonlyArray<Finding>
}

export class ClaimVerifier extends Context.Service<
  ClaimVerifier,
  {
    /**
     * At most one for each finding, by file. One that contradicts the claim names a line that exists; otherwise it
     * is uncertain.
     */
    readonly verify: (request: ClaimsRequest) => Effect.Effect<ReadonlyArray<Verdict>>
    /** Whether the claims still hold after their fixes; empty without a model. */
    readonly verifyFixes: (
      request: Pick<ClaimsRequest, "change" | "intent">,
      fixes: ReadonlyArray<MadeFix>
    ) => Effect.Effect<ReadonlyArray<Verdict>>
  }
>()("dd/services/fix/ClaimVerifier") {
  static readonly layer = Layer.effect(
    ClaimVerifier,
    Effect.gen(function* () {
      const agent = yield* Agent
      const budget = yield* Budget
      const sources = yield* Sources
      const onFailure = yield* FailPolicy

      /** Null if the agent failed. */
      const ask = (
        { change, intent }: Pick<ClaimsRequest, "change" | "intent">,
        findings: ReadonlyArray<Finding>,
        fixed: Fixed | null
      ) => {
        const claims = findings.map((finding) => ({
          id: finding.id,
          stack: finding.stack,
          record: recordOfFinding(finding),
          fingerprint: finding.fingerprint
        }))
        const task = { _tag: "Verify", change, intent, claims, ...(fixed === null ? {} : { fixed }) } as const
        const fork = `verify-${slugOf(findings[0]?.file ?? "")}`
        return agent.invoke(task, { phase: "verify", fork }, { verdicts: [] }).pipe(
          Effect.map(({ verdicts }) => verdicts),
          onFailure.open("verify", null)
        )
      }

      const exists = Effect.fnUntraced(function* (path: string, line: number) {
        for (const side of [sources.head(path), sources.base(path)]) {
          const source = yield* side
          if (source._tag === "Text" && line >= 1 && line <= source.lines.length) return true
        }
        return false
      })

      const withProof = Effect.fnUntraced(function* (verdict: Verdict, { diff }: Change) {
        if (verdict.verdict !== "contradicts") return verdict
        const changed = diff.files.flatMap(({ oldPath, path }) => [path, ...(oldPath === null ? [] : [oldPath])])
        const paths = new KnownPaths([...(yield* sources.headPaths), ...changed])
        for (const { line, path } of paths.cited(verdict.evidence).places) {
          if (yield* exists(path, line)) return verdict
        }
        return Verdict.make({ ...verdict, verdict: "uncertain" })
      })

      const verify = Effect.fn("ClaimVerifier.verify")(function* (request: ClaimsRequest) {
        const most = Math.min(mostVerifiers, yield* budget.agentsLeft)
        const groups = inGroups([...Map.groupBy(request.findings, ({ file }) => file).values()], most)
        const answers = yield* onFailure.together(groups, (findings) =>
          Effect.map(ask(request, findings, null), (verdicts) => ({ findings, verdicts }))
        )
        const clear: Array<Verdict> = []
        const unjudged: Array<Finding> = []
        const unproven: Array<Finding> = []
        for (const { findings, verdicts } of answers) {
          // A failure of the agent is degraded already.
          if (verdicts === null) continue
          const byId = Map.groupBy(verdicts, ({ issue_id }) => issue_id)
          for (const finding of findings) {
            const [first, ...others] = byId.get(finding.id) ?? []
            if (first === undefined || others.some(({ verdict }) => verdict !== first.verdict)) unjudged.push(finding)
            else {
              const verdict = yield* withProof(first, request.change)
              clear.push(verdict)
              if (verdict !== first) unproven.push(finding)
            }
          }
        }
        const all = request.findings.length
        if (unjudged.length > 0) {
          const detail = `no clear verdict on ${unjudged.length} of ${all} claims: ${placesOf(unjudged)}`
          yield* onFailure.degrade({ step: "verify", error: "NotVerified", detail })
        }
        if (unproven.length > 0) {
          const detail = `${unproven.length} of ${all} claims are called wrong, but by no line that exists, and stay uncertain: ${placesOf(unproven)}`
          yield* onFailure.degrade({ step: "verify", error: "NoProof", detail })
        }
        return clear
      })

      const verifyFixes = Effect.fn("ClaimVerifier.verifyFixes")(function* (
        request: Pick<ClaimsRequest, "change" | "intent">,
        fixes: ReadonlyArray<MadeFix>
      ) {
        if (!agent.hasModel("verify")) return []
        const judged = yield* onFailure.together(fixes, ({ findings, ...fixed }) => ask(request, findings, fixed))
        return judged.flatMap((verdicts) => verdicts ?? [])
      })

      return ClaimVerifier.of({ verify, verifyFixes })
    })
  )
}

const mostNamed = 5

const placesOf = (findings: ReadonlyArray<Finding>): string => {
  const places = findings.slice(0, mostNamed).map(({ file, line }) => `${file}:${line}`)
  return places.join(", ") + (findings.length > mostNamed ? ` and ${findings.length - mostNamed} more` : "")
}
