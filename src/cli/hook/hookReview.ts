/**
 * The review that a git hook asks for: `dd review`, within a time limit, judged by what may stop git.
 *
 * Only findings stop git. A review that could not run, did not end in time or is incomplete lets git continue, with a line
 * that says so; an interruption by the user ends git too.
 */
import { Cause, Effect, Exit, Layer, Option, Path } from "effect"
import { layerWebCrypto as layerDigest } from "effect/crypto/Digest"
import { version } from "../../../package.json" with { type: "json" }
import type { Change } from "../../domain/change/Change.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import type { FailOn, ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { skip } from "../../domain/run/skip.ts"
import { plural } from "../../domain/text/plural.ts"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import * as ArchiveConnection from "../../layers/record/archive/connection.ts"
import { trustIn } from "../../layers/TrustLive.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { isOfMain } from "../../services/hook/isOfMain.ts"
import { passedPushes } from "../../services/hook/PassedPushes.ts"
import type { PushedRange } from "../../services/hook/pushedRange.ts"
import { daydreamHome, Settings } from "../../services/run/Settings.ts"
import { allUserRules } from "../../services/run/userRules.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeError } from "../review/Progress.ts"
import { run } from "../review/review.ts"
import { defaultReviewFlags, type ReviewFlags, settingFlags } from "../review/reviewFlags.ts"
import { build } from "../system/build.ts"
import { failing } from "../system/exitCode.ts"
import { failureOf, presentable } from "../system/failure.ts"
import { Outcome, Settled, type Settling } from "../system/outcome.ts"
import type { HookFlags } from "./hookFlags.ts"

export const say = (words: string) =>
  Effect.flatMap(Redactor, (redactor) => writeError(`dd: ${presentable(words, redactor.words)}\n`))

/** The repository that git runs the hook for: git names it if it is not the one around the working directory. */
export const hookRepository = Effect.fnUntraced(function* (gitDirectory: string | null) {
  const git = yield* Git
  const paths = yield* Path.Path
  const here = yield* Effect.option(git.open("."))
  const named = gitDirectory === null || gitDirectory === "" ? null : paths.resolve(gitDirectory)
  if (Option.isSome(here) && (named === null || here.value.gitDir === named)) return here.value
  return yield* git.open(named ?? ".")
})

/** What reviews of one hook have in common. */
export interface HookReview {
  readonly repository: Repository
  readonly flags: HookFlags
  readonly what: "push" | "commit"
  readonly isSkipped: boolean
  /** Fingerprints of the findings that were shown: refs that share commits have the same ones. */
  readonly shown: Set<string>
}

const flagsOf = ({ backend, failOn, model }: HookFlags) =>
  Effect.map(
    defaultReviewFlags,
    (defaults): ReviewFlags => ({
      ...defaults,
      failOn,
      model,
      // For the whole run, so that no setting of a phase asks a model.
      backend: Option.some(Option.getOrElse(backend, () => "static" as const)),
      format: Option.some("text" as const),
      brief: Option.some("none" as const),
      nonInteractive: true,
      quiet: true
    })
  )

/** By default high, unless the user's settings name another severity. */
export const thresholdOf = ({ failOn: { origin, value } }: Pick<ReviewSettings, "failOn">): FailOn =>
  origin._tag === "Default" ? "high" : value

/** The findings that stop git: of static checks, and of a model if the user wants that. */
export const stopping = (result: ReviewResult, failOn: FailOn, stopsOnModel: boolean) =>
  failing(result, failOn).filter(({ source }) => stopsOnModel || source === "static")

type HookEnd = "passed" | "stopped"
type HookSelection = PushedRange | { readonly _tag: "Staged" }

/** Reviews one range of commits, or what is staged; says in one line how it ended. */
const hookReview = Effect.fnUntraced(function* (asked: HookReview, selection: HookSelection) {
  const { flags: hookFlags, isSkipped, repository, shown, what } = asked
  const home = yield* daydreamHome
  const flags = yield* flagsOf(hookFlags)
  const passed = yield* passedPushes(home).pipe(Effect.provide(layerDigest))
  const key = selection._tag === "Staged" ? null : yield* passed.keyOf(yield* keyParts(asked, flags, selection))
  const before = key === null || isSkipped ? null : yield* passed.find(key)
  if (before !== null) {
    const description = selection._tag === "Range" ? selection.description : ""
    const words = before.words === "" ? "" : `${before.words}; `
    yield* say(`${description}${by(hookFlags)}: ${words}it passed a review before`)
    return "passed" as const
  }
  yield* TreeSitter.begin
  yield* ArchiveConnection.begin
  const resolved = yield* Changes.use((changes) => changes.resolve(repository, selection))
  // Recorded as a run without files.
  const whole: Change = isSkipped
    ? { ...resolved, diff: { files: [] }, description: `not reviewed (DD_SKIP): ${resolved.description}` }
    : resolved
  const git = yield* Git
  const range = selection._tag === "Range" ? selection : null
  const isOthers = (finding: Finding) =>
    range === null ? Effect.succeed(false) : Effect.provideService(isOfMain(repository, range, finding), Git, git)
  const judged = { end: "passed" as HookEnd, isClean: false, summary: "", kept: "" }
  const judge = Effect.fnUntraced(function* (result: ReviewResult, settings: ReviewSettings) {
    const failOn = thresholdOf(settings)
    const severe = failing(result, failOn)
    const ofMain = new Set<number>()
    for (const finding of severe)
      if (yield* Effect.orElseSucceed(isOthers(finding), () => false)) ofMain.add(finding.id)
    const isOwn = ({ id }: Pick<Finding, "id">) => !ofMain.has(id)
    const own = severe.filter(isOwn)
    const stops = stopping(result, failOn, hookFlags.modelStops).filter(isOwn)
    // The user asked a model for these.
    const told = result.findings.filter((finding) => finding.source !== "static" || own.includes(finding))
    const isShown = told.some(({ fingerprint }) => !shown.has(fingerprint))
    for (const { fingerprint } of told) shown.add(fingerprint)
    judged.end = stops.length > 0 ? "stopped" : "passed"
    judged.isClean = stops.length === 0 && result.status === "complete" && result.degraded.length === 0
    const counts = { count: result.findings.length, stops: stops.length, warned: own.length - stops.length }
    const words = countWords({ ...counts, failOn, what, ofMain: ofMain.size, main: range?.main?.name ?? "" })
    const isArchived = settings.archive.value === "on" && home !== null && result.findings.length > 0
    const place = isArchived ? ` (dd archive show ${result.run.sessionId.slice(0, 8)})` : ""
    judged.kept = `${words}${place}`
    judged.summary = told.length === result.findings.length ? words : judged.kept
    if (told.length > 0 && !isShown) judged.summary = `${words}, shown above`
    if (result.status !== "complete") judged.summary = `${judged.summary}; the review is ${result.status}`
    return {
      code: stops.length > 0 ? 1 : 0,
      reason: `${stops.length > 0 ? "Stopped" : "Not stopped"}: ${words}.`,
      isShown: !isSkipped && isShown
    }
  })
  const sources = ReviewLive.sources(repository, resolved, ReviewLive.blobFacts(repository, home))
  const own: Settling = { exit: null, left: null }
  yield* run({
    ...{ flags, outputs: [], repository, whole, replay: null, resumable: null, interrupted: [], loop: null },
    feedback: null,
    missing: isSkipped ? [skip(what)] : [],
    judge
  }).pipe(
    Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(sources))),
    // The hook decides how the process ends.
    Effect.provideService(Settled, own),
    Effect.catchIf(
      (error) => error instanceof Outcome,
      () => Effect.void
    )
  )
  if (!isSkipped && judged.summary !== "") yield* say(`${resolved.description}${by(hookFlags)}: ${judged.summary}`)
  if (key !== null && !isSkipped && judged.isClean) yield* passed.add({ key, words: judged.kept })
  return judged.end
})

/** Words about who reviews, unless only static checks do. */
const by = ({ backend }: HookFlags): string => (Option.isSome(backend) ? ` by ${backend.value}` : "")

/** Static checks come first: what they find stops git, whether or not a model answers. */
const passesOf = (flags: HookFlags): ReadonlyArray<HookFlags> => {
  const checks = { ...flags, backend: Option.none(), model: Option.none() }
  return Option.isSome(flags.backend) && flags.backend.value !== "static" ? [checks, flags] : [checks]
}

/** Reviews all of these; asks a model only if static checks stop nothing. */
export const hookReviews = Effect.fnUntraced(function* (
  asked: HookReview,
  selections: ReadonlyArray<HookSelection>,
  { left, stopped }: HookProgress
) {
  const passes = passesOf(asked.flags)
  for (const flags of asked.isSkipped ? passes.slice(0, 1) : passes) {
    let isStopped = false
    for (const [at, selection] of selections.entries()) {
      const count = selections.length
      left(`${count === 1 ? "the review" : `${count - at} of ${count} reviews`}${by(flags)}`)
      if ((yield* hookReview({ ...asked, flags }, selection)) === "stopped") isStopped = true
      if (isStopped) stopped()
    }
    if (isStopped) return
  }
})

interface Counts {
  /** Of all findings. */
  readonly count: number
  readonly stops: number
  /** Of a model, at or above the limit. */
  readonly warned: number
  /** At or above the limit, as a whole from the default branch. */
  readonly ofMain: number
  readonly main: string
  readonly failOn: FailOn
  readonly what: string
}

const countWords = ({ count, failOn, main, ofMain, stops, warned, what }: Counts): string => {
  const others = ofMain === 0 ? "" : `, besides ${plural(ofMain, "finding")} that ${main} has`
  if (stops > 0) return `${plural(stops, "finding")} at or above ${failOn}${others}`
  if (warned > 0) return `a model has ${plural(warned, "finding")} at or above ${failOn}${others}; the ${what} goes on`
  if (count === ofMain) return `no findings${others}`
  const below = failOn === "none" ? "" : `, none at or above ${failOn}`
  return `${plural(count - ofMain, "finding")}${below}${others}`
}

/** All that a review of the same commits depends on. */
const keyParts = Effect.fnUntraced(function* (
  { flags: { modelStops }, repository }: HookReview,
  flags: ReviewFlags,
  { base, head, main }: PushedRange
) {
  const side = base === null ? ({ _tag: "Empty" } as const) : ({ _tag: "Commit", sha: base } as const)
  const change: Change = {
    ...{
      description: "",
      base: side,
      head: { _tag: "Commit", sha: head },
      branch: null,
      commits: [],
      diff: { files: [] }
    },
    patch: new Uint8Array()
  }
  const { rules, settings } = yield* Effect.gen(function* () {
    const { settings } = yield* Settings.pipe(
      Effect.provide(Settings.layer({ ...settingFlags(flags) }, false).pipe(Layer.provide(trustIn(repository.root))))
    )
    return { settings, rules: yield* allUserRules }
  }).pipe(Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(ReviewLive.sources(repository, change)))))
  return [
    ...[build?.commit ?? version, repository.gitDir, base, head, main?.sha, modelStops, [...settings.byKey]],
    rules.loaded.map(({ written }) => written),
    rules.problems
  ]
})

interface HookProgress {
  /** Something was found that stops git. */
  readonly stopped: () => void
  /** Sets the words for what has not been reviewed yet. */
  readonly left: (words: string) => void
}

/** Runs the reviews of a hook. */
export const inTime = Effect.fnUntraced(function* <E, R>(
  { budget, what, way }: { readonly budget: number; readonly what: "push" | "commit"; readonly way: string },
  work: (progress: HookProgress) => Effect.Effect<void, E, R>
) {
  const now = { isStopped: false, left: "the review" }
  const progress: HookProgress = {
    stopped: () => {
      now.isStopped = true
    },
    left: (words) => {
      now.left = words
    }
  }
  const goesOn = (without: string) => (now.isStopped ? "" : `; the ${what} goes on without ${without}`)
  const exit = yield* Effect.exit(
    work(progress).pipe(
      Effect.timeoutOrElse({
        duration: `${budget} seconds`,
        orElse: () => say(`NOT REVIEWED: ${now.left} did not end within ${budget} s (--budget)${goesOn("it")}`)
      })
    )
  )
  if (Exit.isFailure(exit)) {
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
    const redactor = yield* Redactor
    const { words } = failureOf(Cause.squash(exit.cause), redactor.words)
    yield* say(`NOT REVIEWED: ${words.replaceAll("\n", "; ")}${goesOn(now.left)}`)
  }
  if (!now.isStopped) return
  yield* say(`the ${what} is stopped. Fix the findings; or go on once with ${way}, or with DD_SKIP=1`)
  return yield* new Outcome({ code: 1 })
})
