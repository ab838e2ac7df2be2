/**
 * What a project may keep: 32 KB of artifacts in total, 2 KB each, 20 of a type, 50 in all, in bytes of the file as it is
 * written. What is removed does not depend on the order in which the artifacts are given. Summaries of models get only room that
 * is left: no artifact is removed or shortened for them.
 */
import type { Artifact, ModelSummary } from "../Artifact.ts"
import { adviceOf } from "../similar/alike.ts"
import { sealBytes } from "./sealedText.ts"

export const limits = { total: 32 * 1024, each: 2 * 1024, perType: 20, all: 50 }

export interface Budgeted {
  /** By confidence, best first. */
  readonly kept: ReadonlyArray<Artifact>
  /** In the order in which they were removed. */
  readonly removed: ReadonlyArray<{ readonly artifact: Artifact; readonly reason: string }>
}

export const withinBudget = (
  artifacts: ReadonlyArray<Artifact>,
  summariesOf: (artifacts: ReadonlyArray<Artifact>) => ReadonlyMap<string, ModelSummary> = () => new Map()
): Budgeted => {
  const removed: Array<Budgeted["removed"][number]> = []
  let kept = removalOrder(artifacts).flatMap((artifact) => {
    const short = shortened(artifact)
    if (short === null) removed.push({ artifact, reason: `it has more than ${limits.each} bytes` })
    return short ?? []
  })
  const remove = (reason: string, candidates: ReadonlyArray<Artifact>, excess: number) => {
    const gone = new Set(candidates.slice(0, Math.max(0, excess)))
    for (const artifact of gone) removed.push({ artifact, reason })
    kept = kept.filter((artifact) => !gone.has(artifact))
  }
  for (const type of new Set(kept.map(({ type }) => type))) {
    const same = kept.filter((artifact) => artifact.type === type)
    remove(`there are ${limits.perType} better ones of its type`, same, same.length - limits.perType)
  }
  remove(`there are ${limits.all} better ones`, kept, kept.length - limits.all)
  while (bytesOfFile(kept) > limits.total) remove(`the others fill ${limits.total} bytes`, kept, 1)
  return { kept: withSummaries(kept.sort(bestFirst), summariesOf(kept)), removed }
}

const withSummaries = (
  artifacts: ReadonlyArray<Artifact>,
  summaries: ReadonlyMap<string, ModelSummary>
): ReadonlyArray<Artifact> => {
  let left = limits.total - (summaries.size === 0 ? 0 : bytesOfFile(artifacts))
  return artifacts.map((artifact) => {
    const summary = summaries.get(artifact.id)
    if (summary === undefined) return artifact
    const longer = { ...artifact, summary }
    const size = bytesOf(JSON.stringify(longer))
    const more = size - bytesOf(JSON.stringify(artifact))
    if (size > limits.each || more > left) return artifact
    left -= more
    return longer
  })
}

/**
 * The first to be removed first: those below 0.5, the least certain before the others; then those whose advice three others
 * give, too; of the rest, the one whose last use is longest ago; last those that the user pinned, or merged others into.
 */
export const removalOrder = (artifacts: ReadonlyArray<Artifact>): ReadonlyArray<Artifact> => {
  const times = new Map<string, number>()
  const ranks = artifacts
    .toSorted(byLastUse)
    .reverse()
    .map((artifact) => {
      if (isMarked(artifact)) return [artifact, 3] as const
      const advice = `${artifact.type}\n${adviceOf(artifact)}`
      times.set(advice, (times.get(advice) ?? 0) + 1)
      return [artifact, isDoubtful(artifact) ? 0 : times.get(advice)! > mostAlike ? 1 : 2] as const
    })
  return ranks
    .reverse()
    .sort(([, a], [, b]) => a - b)
    .map(([artifact]) => artifact)
}

/** Artifacts of a type that advise the same. */
const mostAlike = 3

const byLastUse = (a: Artifact, b: Artifact): number =>
  (isDoubtful(a) && isDoubtful(b) ? a.confidence - b.confidence : 0) ||
  lastUse(a) - lastUse(b) ||
  a.stats.sessions - b.stats.sessions ||
  (a.id < b.id ? -1 : 1)

/** By the user: pinned, or another one was merged into it. */
export const isMarked = ({ merged, pinned }: Artifact): boolean => pinned === true || merged !== undefined

/** The order of the file. */
const bestFirst = (a: Artifact, b: Artifact): number => b.confidence - a.confidence || (a.id < b.id ? -1 : 1)

/** Below this confidence an artifact is removed before all others. */
export const doubt = 0.5

const isDoubtful = ({ confidence }: Artifact): boolean => confidence < doubt
/** It was given to an assistant, or a session did what it says. */
const lastUse = ({ last_seen_at, last_used_at }: Artifact): number => Math.max(last_seen_at, last_used_at ?? 0)

/** The content of the file, one artifact a line. */
export const artifactsText = (artifacts: ReadonlyArray<Artifact>): string =>
  `{"v":2,"artifacts":[${artifacts.map((artifact) => `\n${JSON.stringify(artifact)}`).join(",")}\n]}`

export const bytesOfFile = (artifacts: ReadonlyArray<Artifact>): number => bytesOf(artifactsText(artifacts)) + sealBytes

/** With its texts cut until it has 2 KB, then without some of those that were merged into it; null if that is not enough. */
const shortened = (artifact: Artifact): Artifact | null => {
  for (const length of [Number.POSITIVE_INFINITY, 400, 200, 100, shortest]) {
    const short = cutTo(length, artifact)
    if (bytesOf(JSON.stringify(short)) <= limits.each) return short
  }
  const short = cutTo(shortest, artifact)
  for (let named = (short.merged?.length ?? 0) - 1; named >= 0; named--) {
    const fewer = { ...short, merged: short.merged!.slice(0, named) }
    if (bytesOf(JSON.stringify(fewer)) <= limits.each) return fewer
  }
  return null
}

/** Characters of a text. */
const shortest = 50

const cutTo = (length: number, artifact: Artifact): Artifact =>
  withTexts(artifact, (text) => (text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`))

const withTexts = (given: Artifact, cut: (text: string) => string): Artifact => {
  const artifact = given.merged === undefined ? given : { ...given, merged: given.merged.map(cut) }
  switch (artifact.type) {
    case "DreamPlaybook":
      return { ...artifact, trigger: cut(artifact.trigger), sequence: artifact.sequence.map(cut) }
    case "RepairPattern":
      return { ...artifact, error_signature: cut(artifact.error_signature), fix_action: cut(artifact.fix_action) }
    case "ProjectConvention":
      return { ...artifact, pattern: cut(artifact.pattern) }
    case "SuccessfulSequence":
      return { ...artifact, label: cut(artifact.label), steps: artifact.steps.map(cut) }
  }
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
