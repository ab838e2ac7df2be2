import { describe, expect } from "bun:test"
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Layer } from "effect"
import { runIdOf } from "../../../src/domain/night/Summary.ts"
import * as Directory from "../../../src/layers/night/corpus/Directory.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Corpus } from "../../../src/services/night/Corpus.ts"
import { nightPlaces } from "../../../src/services/night/NightFiles.ts"
import { pruneNights } from "../../../src/services/night/pruneNights.ts"
import { it } from "../../support/effect.ts"
import { fileDirectory } from "../../support/fileDirectory.ts"
import { generationAfter } from "../../support/generations.ts"

const directory = fileDirectory()
let homes = 0
const at = (nth: number) => Date.UTC(2026, 0, nth)
const nameOf = (nth: number) => runIdOf(at(nth))

/** A corpus with a night on each of the first days of January; `latest` names the one of day 5, and that of day 2 made the generation. */
const world = (days = 6) =>
  Effect.gen(function* () {
    const corpus = yield* Corpus
    const { latest, runs } = nightPlaces(corpus.lockPath)
    yield* corpus.own({ run: nameOf(2), pid: 1, host: "here", outputDir: join(runs, nameOf(2)) })
    yield* corpus.commit(generationAfter(yield* corpus.current, { run: nameOf(2) }))
    for (let day = 1; day <= days; day++) {
      mkdirSync(join(runs, nameOf(day)), { recursive: true })
      writeFileSync(join(runs, nameOf(day), "summary.json"), "{}")
    }
    writeFileSync(latest, `${join(runs, nameOf(5))}\n`)
    return { runs, left: () => readdirSync(runs).sort() }
  })

const withCorpus = <A, E, R>(self: Effect.Effect<A, E, R | Corpus>) =>
  Effect.provide(
    self,
    Directory.layerOf(join(directory, `home-${homes++}`), "shop").pipe(Layer.provideMerge(Platform.layer))
  )

describe("the reports of old nights", () => {
  it.live("are removed but for the newest ones, the latest, and that of what counts", () =>
    withCorpus(
      Effect.gen(function* () {
        const { left } = yield* world()
        expect(yield* pruneNights({ kept: 1, run: "" }, false)).toBe(3)
        expect(left()).toEqual([2, 5, 6].map(nameOf))
        expect(yield* pruneNights({ kept: 1, run: "" }, false)).toBe(0)
      })
    )
  )

  it.live("are removed by age, but never the newest", () =>
    withCorpus(
      Effect.gen(function* () {
        const { left } = yield* world()
        expect(yield* pruneNights({ before: at(4) }, true)).toBe(2)
        expect(left()).toHaveLength(6)
        expect(yield* pruneNights({ before: at(4) }, false)).toBe(2)
        expect(left()).toEqual([2, 4, 5, 6].map(nameOf))
        yield* pruneNights({ before: at(30) }, false)
        expect(left()).toEqual([2, 5, 6].map(nameOf))
      })
    )
  )

  it.live("are removed if they have no file, but never the newest", () =>
    withCorpus(
      Effect.gen(function* () {
        const { left, runs } = yield* world(3)
        for (const day of [4, 6]) mkdirSync(join(runs, nameOf(day)))
        expect(yield* pruneNights({ kept: 30, run: "" }, false)).toBe(1)
        expect(left()).toEqual([1, 2, 3, 6].map(nameOf))
      })
    )
  )

  it.live("never are that of the night under way, also after the clock went back", () =>
    withCorpus(
      Effect.gen(function* () {
        const { left, runs } = yield* world(3)
        rmSync(join(runs, nameOf(1), "summary.json"))
        expect(yield* pruneNights({ kept: 1, run: nameOf(1) }, false)).toBe(0)
        expect(left()).toEqual([1, 2, 3].map(nameOf))
      })
    )
  )

  it.live("leave links, and what no night wrote", () =>
    withCorpus(
      Effect.gen(function* () {
        const { left, runs } = yield* world(0)
        const other = join(dirname(runs), "other")
        for (const folder of [join(runs, "mine"), join(runs, nameOf(6)), other]) mkdirSync(folder, { recursive: true })
        symlinkSync(other, join(runs, nameOf(1)))
        expect(yield* pruneNights({ kept: 0, run: "" }, false)).toBe(0)
        expect(left()).toEqual([nameOf(1), nameOf(6), "mine"])
        expect(existsSync(other)).toBe(true)
      })
    )
  )

  it.live("are none before the first night", () =>
    withCorpus(Effect.map(pruneNights({ kept: 0, run: "" }, false), (removed) => expect(removed).toBe(0)))
  )
})
