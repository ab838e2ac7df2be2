/** What a generation is worth today, apart from its fitness: `metrics_health`, `retrieval_live` and `briefing` of the summary. */
import { isInFolder } from "../../text/foldersAbove.ts"
import { conventionsFor, conventionsRead } from "../conventionsFor.ts"
import type { Metrics } from "../Fitness.ts"
import type { Generation, LearnedConvention } from "../Generation.ts"
import type { LabelledReview } from "../LabelledReview.ts"
import type { MorningPacket } from "../Packet.ts"
import { evidenceIn, evidenceLines } from "./evidence.ts"

const day = 86_400_000

/** What cannot be known is absent: dd does not record yet whether a person acted on what was learned, so there is no `rho`. */
export const metricsHealth = (
  generation: Generation,
  reviews: ReadonlyArray<LabelledReview>,
  metrics: Metrics,
  now: number
) => {
  const { calibration, conventions, playbooks, suppressions } = generation
  const total = suppressions.length + conventions.length + playbooks.length
  const active = suppressions.filter(({ expires }) => now < expires)
  const since = now - 30 * day
  const hidden = new Set(reviews.filter(({ at }) => at >= since).flatMap((review) => review.hiddenBy))
  const judged = new Map(
    reviews.flatMap(({ findings, session }) =>
      findings.map(({ finding, judgedAt }) => [`${session} ${finding}`, judgedAt] as const)
    )
  )
  const ages = [...suppressions, ...conventions]
    .map(({ evidence }) => Math.max(...evidence.map((ref) => judged.get(`${ref.session} ${ref.finding}`) ?? 0)))
    .filter((at) => at > 0)
    .map((at) => (now - at) / day)
    .sort((a, b) => a - b)
  const median = ages[ages.length >> 1]
  return {
    metric_namespace: "dd",
    ...(active.length === 0 ? {} : { sigma: active.filter(({ id }) => hidden.has(id)).length / active.length }),
    ...(median === undefined ? {} : { delta: Math.max(0, median) }),
    knowledge_stock: {
      suppressions: suppressions.length,
      conventions: conventions.length,
      playbooks: playbooks.length,
      calibrated_rules: calibration.length,
      total
    },
    metrics
  }
}

/** Which of the newest changes have something that was learned for their files: a convention, or a suppression that covers one. */
export const retrievalLive = ({ conventions, suppressions }: Generation, reviews: ReadonlyArray<LabelledReview>) => {
  const queries = reviews.filter(({ changedFiles }) => changedFiles.length > 0).slice(-10)
  const results = queries.map(({ changedFiles, session }) => {
    const covering = suppressions.filter(({ folder }) => changedFiles.some((file) => isInFolder(file, folder)))
    const found = [...conventionsFor(changedFiles, conventions), ...covering].map(({ id }) => id)
    return { query: `the files of review ${session.slice(0, 8)}`, count: found.length, top_ids: found.slice(0, 3) }
  })
  const hits = results.filter(({ count }) => count > 0).length
  return {
    mode: "recent-changes",
    total_learnings: conventions.length + suppressions.length,
    queries: results.length,
    k: conventionsRead,
    queries_with_hits: hits,
    ...(results.length === 0 ? {} : { coverage: hits / results.length }),
    results
  }
}

/** What was learned about a path, a rule or a word, with the evidence that matters. */
export const briefingOf = (
  { conventions, playbooks, suppressions }: Generation,
  goal: string,
  reviews: ReadonlyArray<LabelledReview>
) => {
  const behind = evidenceIn(reviews)
  const told = <A extends Pick<LearnedConvention, "evidence">>(item: A) => ({
    ...item,
    evidence: evidenceLines(behind(item.evidence))
  })
  const words = goal
    .toLowerCase()
    .split(/[^\w/.-]+/)
    .filter((word) => word.length > 2)
  const isMeant = (...texts: ReadonlyArray<string>) =>
    words.some((word) => texts.some((text) => text !== "" && text.toLowerCase().includes(word)))
  return {
    goal,
    conventions: conventions.filter(({ folder, rule, text }) => isMeant(folder, rule, text)).map(told),
    playbooks: playbooks.filter(({ rule, text }) => isMeant(rule, text)).map(told),
    suppressions: suppressions.filter(({ folder, rule }) => isMeant(folder, rule)).map(told)
  }
}

/** In its place, if nothing was: what there is to do anyway. */
export const fallbackBriefing = (goal: string, firstMove: string, packets: ReadonlyArray<MorningPacket>) => ({
  mode: "fallback",
  goal,
  reason: "nothing was learned about the goal",
  first_move: firstMove,
  packets: packets.map(({ confidence, morning_command, rank, title }) => ({
    ...{ rank, title, confidence },
    command: morning_command
  }))
})

export const isEmptyBriefing = ({ conventions, playbooks, suppressions }: ReturnType<typeof briefingOf>): boolean =>
  conventions.length + playbooks.length + suppressions.length === 0
