/** Nights with the real loop and its gate, on a corpus in memory: what `dd dream start` commits, night after night. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { resolverOf } from "../../../src/domain/night/evidence/resolverOf.ts"
import { emptyGeneration, type Generation } from "../../../src/domain/night/Generation.ts"
import type { LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { mustShow } from "../../../src/domain/night/mustShow.ts"
import { identityOf, splitByTime } from "../../../src/domain/night/split.ts"
import { Corpus } from "../../../src/services/night/Corpus.ts"
import { NightFiles } from "../../../src/services/night/NightFiles.ts"
import { type LoopOutcome, runLoop } from "../../../src/services/night/nightLoop.ts"
import { digest, isProtected } from "./learning.ts"

const memoryCorpus = Layer.sync(Corpus, () => {
  let current = emptyGeneration("synthetic")
  const notes = new Map<string, string>()
  return Corpus.of({
    project: "synthetic",
    lockPath: "",
    current: Effect.sync(() => current),
    currentNumber: Effect.sync(() => current.number),
    generations: Effect.sync(() => [current]),
    own: () => Effect.succeed(null),
    commit: (next) =>
      Effect.sync(() => {
        current = next
      }),
    note: (name) => Effect.sync(() => notes.get(name) ?? null),
    setNote: (name, text) => Effect.sync(() => void notes.set(name, text))
  })
})

const noFiles = Layer.succeed(NightFiles, {
  directory: "",
  logPath: "",
  contractPath: "",
  artifacts: Effect.succeed({}),
  find: () => Effect.void,
  report: () => Effect.void,
  iteration: () => Effect.void,
  iterations: () => Effect.succeed([]),
  packets: (packets) => Effect.succeed(packets),
  document: () => Effect.succeed(""),
  log: () => Effect.void
})

export interface NightsGiven {
  readonly reviews: ReadonlyArray<LabelledReview>
  /** Of all nights, in milliseconds since 1970. */
  readonly now: number
  readonly warnOnly: boolean
  /** Ends earlier when a night has nothing to propose. */
  readonly nights: number
}

const world = Layer.mergeAll(memoryCorpus, noFiles, TestClock.layer())

/** What each night did, and what is learned after them. */
export const memoryNights = Effect.fnUntraced(function* ({ nights, now, reviews, warnOnly }: NightsGiven) {
  const corpus = yield* Corpus
  const outcomes: Array<LoopOutcome> = []
  const night = Effect.gen(function* () {
    const split = splitByTime(reviews, yield* corpus.current)
    return yield* runLoop({
      digest,
      run: `night-${outcomes.length + 1}`,
      split,
      gateSet: digest(identityOf(split.gate)).slice(0, 16),
      ingest: {},
      labelLog: Effect.succeed("the same"),
      context: { hasFolder: () => true, mustShow: mustShow(reviews), resolves: resolverOf(reviews) },
      isProtected,
      options: { maxIterations: 0, epsilon: 0.01, window: 2, warnOnly, largest: 2 ** 29 },
      until: Number.POSITIVE_INFINITY,
      earlier: []
    })
  })
  yield* TestClock.setTime(now)
  while (outcomes.length < nights && outcomes.at(-1)?.proposals.length !== 0) outcomes.push(yield* night)
  const generation: Generation = yield* corpus.current
  return { generation, outcomes }
}, Effect.provide(world))
