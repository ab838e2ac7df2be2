/** A finished context pack, and the files that say how it came about. */

import { compareText } from "../text/compareText.ts"
import { visiblePath } from "../text/Printable.ts"
import { signals } from "./fuse.ts"
import type { Omission } from "./Omission.ts"
import type { Candidate, ChangedBlock, RecallTarget, Reduction, RelatedBlock } from "./Pack.ts"
import { packFileNames, type Stage } from "./PackReport.ts"

export interface ContextPack {
  readonly status: "ok" | "core-over-budget"
  readonly text: string
  readonly sha256: string
  readonly tokens: {
    /** Without related files. */
    readonly baseline: number
    readonly final: number
    readonly budget: number
    readonly encoding: string
  }
  readonly changed: ReadonlyArray<ChangedBlock>
  /** The tokens of the patch and the code of each changed file, the largest first. */
  readonly sizes: ReadonlyArray<{ readonly path: string; readonly tokens: number }>
  readonly related: ReadonlyArray<RelatedBlock>
  /** By rank, with those that were not included. */
  readonly ranked: ReadonlyArray<Candidate>
  readonly omitted: ReadonlyArray<Omission>
  readonly relatedOmitted: ReadonlyArray<Omission>
  readonly targets: ReadonlyArray<RecallTarget>
  readonly reductions: ReadonlyArray<Reduction>
  readonly stages: Readonly<Partial<Record<Stage, number>>>
  readonly warnings: ReadonlyArray<string>
}

/** One row of the selection: what was decided about a file that did not change, and why. */
export interface Selected {
  readonly path: string
  readonly decision: "included" | "omitted"
  /** `within-budget`, or the reason of the omission. */
  readonly reason: string
  readonly extent: string | null
  readonly tokens: number | null
  /** Null for a file that a filter left out. */
  readonly candidate: Candidate | null
  /** From 1; null for a file that a filter left out. */
  readonly rank: number | null
}

/** Every file that did not change, by path. */
export const selectionOf = ({ ranked, related, relatedOmitted }: ContextPack): ReadonlyArray<Selected> => {
  const ranks = new Map(ranked.map((candidate, at) => [candidate.path, { candidate, rank: at + 1 }] as const))
  const included = related.map(({ extent, path, tokens }): Selected => {
    const { candidate = null, rank = null } = ranks.get(path) ?? {}
    return { path, decision: "included", reason: "within-budget", extent, tokens, candidate, rank }
  })
  const left = relatedOmitted.map(({ path, reason }): Selected => {
    const { candidate = null, rank = null } = ranks.get(path) ?? {}
    return { path, decision: "omitted", reason, extent: null, tokens: null, candidate, rank }
  })
  return [...included, ...left].sort((a, b) => compareText(a.path, b.path))
}

const linesOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")
const table = (rows: ReadonlyArray<ReadonlyArray<string | number | null>>): string =>
  linesOf(rows.map((row) => row.map((cell) => cell ?? "-").join("\t")))

const omissionLines = (omitted: ReadonlyArray<Omission>): string =>
  table(omitted.toSorted((a, b) => compareText(a.path, b.path)).map(({ path, reason }) => [visiblePath(path), reason]))

/** The lists that explain a pack, by name. The columns of the contract come first. */
export const manifestsOf = (pack: ContextPack): ReadonlyMap<string, string> =>
  new Map([
    [packFileNames.changedManifest, linesOf(pack.changed.map(({ path }) => visiblePath(path)).toSorted(compareText))],
    [packFileNames.relatedManifest, linesOf(pack.related.map(({ path }) => visiblePath(path)))],
    [packFileNames.omittedManifest, omissionLines(pack.omitted)],
    [packFileNames.relatedOmittedManifest, omissionLines(pack.relatedOmitted)],
    [
      packFileNames.relatedSelectionManifest,
      table([
        [
          ...["path", "frequency", "tokens_estimate", "decision", "reason"],
          ...["rank", "relation_weight", "distance", ...signals.map((signal) => `${signal}_rank`), "extent", "tokens"]
        ],
        ...selectionOf(pack).map(({ candidate, decision, extent, path, rank, reason, tokens }) => [
          ...[visiblePath(path), candidate?.frequency ?? 0, candidate?.estimatedTokens ?? null, decision, reason],
          ...[rank, candidate?.relationWeight ?? null, candidate?.distance ?? null],
          ...signals.map((signal) => candidate?.ranks[signal] ?? null),
          ...[extent, tokens]
        ])
      ])
    ],
    [
      packFileNames.scribeTargetsManifest,
      table([
        ["target", "status", "total_paths", "eligible_paths", "limits_reached", "max_depth_reached", "note"],
        ...pack.targets.map(({ eligible, limitsReached, note, path, status, total }) => [
          ...[visiblePath(path), status, total, eligible, String(limitsReached), "", note]
        ])
      ])
    ]
  ])
