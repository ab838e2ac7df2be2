/**
 * The morning of a night: its packets, opinions on what people disagree about, and the first move. The packets are in the report
 * before anyone is asked, so that an end meanwhile costs only the opinions.
 */
import { Clock, Effect } from "effect"
import { fitnessDelta } from "../domain/night/composite.ts"
import { metricNames } from "../domain/night/Fitness.ts"
import type { LabelledReview } from "../domain/night/LabelledReview.ts"
import { isContested, type MorningPacket } from "../domain/night/Packet.ts"
import { missingFolders } from "../domain/night/report/conditions.ts"
import { corroborated } from "../domain/night/report/corroboration.ts"
import { dreamscapeOf } from "../domain/night/report/dreamscape.ts"
import { flaggedOf } from "../domain/night/report/flagged.ts"
import { briefingOf, fallbackBriefing } from "../domain/night/report/health.ts"
import { type Morning, nextAction, recommendedCommands } from "../domain/night/report/nextAction.ts"
import { agesNote, packetsOf, readAges, writtenAges } from "../domain/night/report/packets.ts"
import { yieldOf } from "../domain/night/report/yield.ts"
import { Corpus } from "../services/night/Corpus.ts"
import { type Council, council } from "../services/night/Council.ts"
import { longHaul } from "../services/night/longHaul.ts"
import { NightFiles } from "../services/night/NightFiles.ts"
import type { NightReport } from "../services/night/NightReport.ts"
import { keptRegression, type LoopOutcome } from "../services/night/nightLoop.ts"
import { monotonicMillis } from "../services/system/monotonicMillis.ts"
import type { NightRequest } from "./NightRequest.ts"

/** What the night did until now. */
interface Learned {
  readonly outcome: LoopOutcome
  readonly reviews: ReadonlyArray<LabelledReview>
  readonly counts: Readonly<Record<"findings" | "labels_human", number>>
  /** The share of recent changes for which something was retrieved; null: unknown. */
  readonly coverage: number | null
  /** Is what is known about the goal enough, or is there no goal? */
  readonly brief: boolean
  /** When its time is over, by the monotonic clock, in milliseconds. */
  readonly over: number
}

export const morning = Effect.fn("morning")(function* (
  request: NightRequest,
  report: NightReport,
  { brief, counts, coverage, outcome, over, reviews }: Learned
) {
  const files = yield* NightFiles
  const corpus = yield* Corpus
  const { digest, goal, previous, run } = request
  const { after } = outcome
  const { begin, degraded, keep, soft, step } = report
  const left = Effect.map(monotonicMillis, (now) => Math.max(1_000, over - now))
  const { ages, note: agesLost } = yield* Effect.map(Effect.option(corpus.note(agesNote)), readAges)
  yield* degraded(agesLost)
  const { agents, folders, isSwitchedOff } = request
  const facts = {
    ...{ now: yield* Clock.currentTimeMillis, generation: after, reviews, agents, isSwitchedOff },
    missingFolders: missingFolders(after, folders)
  }
  const made = packetsOf(facts, ages, digest, request.likelyTests)
  yield* report.notes(made.note === null ? [] : [made.note])
  const about: Omit<Morning, "packets" | "council"> = {
    ...{ failure: outcome.failure, flagged: flaggedOf(outcome.iterations) },
    isUnsure: outcome.warnings.length > 0,
    ...{ goal, coverage, escapeVelocity: null },
    reviews: reviews.length,
    hasLearned: outcome.before.number > 0,
    unlabelled: counts.findings - counts.labels_human,
    labels: counts.labels_human
  }
  const before = previous?.morning_packets ?? []
  const firstMove = (packets: ReadonlyArray<MorningPacket>) => nextAction({ ...about, packets, council: null })
  const yielded = (packets: ReadonlyArray<MorningPacket>, held: Council | null) =>
    yieldOf({
      ...{ before, after: packets, firstMove: firstMove(packets) },
      action: nextAction({ ...about, packets, council: held?.summary ?? null }),
      council: held?.summary ?? null,
      timedOut: held?.timedOut ?? 0
    })

  const place = (packets: ReadonlyArray<MorningPacket>) =>
    soft(
      "morning-packets",
      Effect.uninterruptible(Effect.andThen(corpus.setNote(agesNote, writtenAges(made.ages)), files.packets(packets)))
    )
  const present = Effect.fnUntraced(function* (shown: ReadonlyArray<MorningPacket>, held: Council | null) {
    const morning: Morning = { ...about, packets: shown, council: held?.summary ?? null }
    const { degraded: lines = [] } = yield* report.fields
    yield* report.set({
      ...(shown.length > 0 ? { morning_packets: shown } : {}),
      ...(held === null ? {} : { council: held.summary }),
      dreamscape: dreamscapeOf({
        sky: skyOf(outcome, coverage),
        council: held?.summary ?? null,
        degraded: lines,
        degradedBefore: previous?.degraded ?? [],
        contested: shown.find(({ dd }) => dd?.condition === "contested-rule")?.title ?? null,
        firstMove: nextAction(morning)
      }),
      yield: yielded(shown, held),
      next_action: nextAction(morning),
      recommended: recommendedCommands(morning)
    })
  })
  // Before any opinion is asked for, so that an end meanwhile costs only the opinions.
  const placed = (yield* place(made.packets)) ?? made.packets
  yield* present(placed, null)

  const contested = made.packets.filter(isContested)
  const runners = contested.length === 0 ? [] : request.runners
  if (runners.length < request.runners.length) {
    yield* report.notes(["No packet is contested, so no second opinion was asked for."])
  }
  const ask = Effect.fnUntraced(function* (packets: ReadonlyArray<MorningPacket>) {
    const { iterations, metrics_health, retrieval_live, close_loop } = yield* report.fields
    // Evidence and the details of a veto name single labels, also those that the metrics are measured against.
    const claims = packets.filter(isContested).map(({ evidence: _, ...claim }) => claim)
    const outcomes = iterations?.map(({ degraded: _, error: _error, ...outcome }) => outcome)
    const packet = {
      ...{ run_id: run, goal, consensus_policy: request.policy, next_action_hint: firstMove(packets) },
      ...{ close_loop, metrics_health, retrieval_live, iterations: outcomes, morning_packets: claims },
      ...(goal === "" ? {} : { briefing: briefingOf(after, goal, []) })
    }
    yield* begin("council-packet", ...runners.map((runner) => `council-${runner}`), "council-synthesis")
    const seconds = Math.min(request.runnerSeconds, Math.floor((yield* left) / 1_000))
    const held = yield* soft("council-synthesis", council(runners, packet, request.policy, seconds))
    if (held === null) return null
    yield* step("council-packet", "done")
    for (const runner of runners) {
      const hasAnswered = held.summary.completed_runners?.includes(runner) === true
      yield* step(`council-${runner}`, hasAnswered ? "done" : "soft-fail")
    }
    if (held.summary.completed_runners?.length === 0) yield* step("council-synthesis", "soft-fail")
    yield* degraded(held.failures)
    return held
  })

  const { held, packets } = yield* request.longHaul.enabled
    ? Effect.gen(function* () {
        const haul = yield* longHaul({
          ...{ packets: placed, goal: goal !== "", brief, coverage, ask, yielded },
          ...{ budget: Math.min(request.longHaul.budget, yield* left), runners: runners.length },
          corroborate: (packets) => corroborated(packets, after, reviews),
          fallback: (packets) => {
            const briefing = fallbackBriefing(goal, firstMove(packets), packets)
            return Effect.andThen(report.set({ briefing }), keep("briefing-fallback.json", briefing))
          }
        })
        if (haul.ran.includes("packet-corroboration")) yield* keep("packet-corroboration.json", haul.packets)
        for (const probe of haul.ran) if (probe !== "council") yield* step(probe, "done")
        yield* report.set({ long_haul: haul.report })
        return haul
      })
    : Effect.gen(function* () {
        yield* report.set({ long_haul: { enabled: false, active: false } })
        const held = runners.length === 0 ? null : yield* ask(placed)
        return { held, packets: placed }
      })
  const shown = packets === placed ? placed : ((yield* place(packets)) ?? packets)
  for (const { name, status } of (yield* report.fields).steps) if (status === "pending") yield* step(name, "skipped")
  yield* present(shown, held)
})

const skyOf = ({ halt, iterations, measuredAfter, measuredBefore, warnings }: LoopOutcome, coverage: number | null) => {
  const delta = fitnessDelta(measuredBefore.metrics, measuredAfter.metrics).composite
  const known = metricNames.filter((name) => measuredAfter.metrics[name].state !== "dormant")
  const ok = known.filter((name) => measuredAfter.metrics[name].state === "ok").length
  return {
    coverage,
    escapeVelocity: null,
    // A plateau changed almost nothing, and its iteration has the status of a refused one.
    trend: halt === "plateau" ? null : (delta ?? null),
    refused:
      halt === "plateau" ? 0 : iterations.filter(({ status }) => status.startsWith("halted-on-regression")).length,
    worse: warnings.filter((line) => line.includes(keptRegression)).length,
    measurable: known.length === 0 ? 0 : ok / known.length
  }
}
