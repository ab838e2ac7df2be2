/** The report of a pack, as data. */
import { type Change, sideText } from "../../domain/change/Change.ts"
import type { PackFormat } from "../../domain/pack/Block.ts"
import type { ContextPack } from "../../domain/pack/ContextPack.ts"
import type { PackPolicy } from "../../domain/pack/PackPolicy.ts"
import { type PackReport, packFileNames } from "../../domain/pack/PackReport.ts"
import { overBudget } from "./packSummary.ts"

export const reportOf = (
  pack: ContextPack,
  change: Change,
  { exclude, focus, include }: PackPolicy,
  format: PackFormat,
  version: string
): PackReport => ({
  version: 1,
  status: pack.status,
  tool: { name: "dd", version },
  change: change.description,
  baseRef: change.baseBranch ?? null,
  baseCommit: sideText(change.base),
  headCommit: sideText(change.head),
  budget: pack.tokens.budget,
  format,
  tokens: {
    baseline: pack.tokens.baseline,
    final: pack.tokens.final,
    remaining: pack.tokens.budget - pack.tokens.final,
    encoding: pack.tokens.encoding
  },
  counts: {
    changed: pack.changed.length,
    changedOmitted: pack.omitted.length,
    relatedCandidates: pack.ranked.length,
    relatedIncluded: pack.related.length,
    relatedOmitted: pack.relatedOmitted.length,
    scribeTargets: pack.targets.length,
    scribeFailedTargets: pack.targets.filter(({ status }) => status === "failed").length,
    scribeLimitSignals: pack.targets.filter(({ limitsReached }) => limitsReached).length
  },
  config: { exclude, include, focus },
  reductions: pack.reductions,
  paths: packFileNames,
  sha256: pack.sha256,
  stages: pack.stages,
  warnings: pack.warnings,
  error:
    pack.status === "ok"
      ? null
      : { code: "core-over-budget", message: overBudget(pack), largest: pack.sizes.slice(0, 20) }
})
