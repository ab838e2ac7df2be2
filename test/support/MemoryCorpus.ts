/** The corpus of a repository in memory, for tests of what uses it. Each use of `layer` is a process of its own. */
import { Effect, Layer } from "effect"
import { emptyGeneration, type Generation } from "../../src/domain/night/Generation.ts"
import { Corpus, CorpusBusy, CorpusMoved, type Holder, keptGenerations } from "../../src/services/night/Corpus.ts"
import { NightFileUnusable } from "../../src/services/night/NightFileUnusable.ts"

const lockPath = "memory/run.lock"

export class MemoryCorpus {
  /** Newest first. */
  generations: ReadonlyArray<Generation> = []
  readonly notes = new Map<string, string>()
  #holder: Holder | null = null
  /** The run that died while it held the lock. */
  dead: Holder | null = null

  readonly project: string

  constructor(project = "shop-0123456789abcdef") {
    this.project = project
  }

  get current(): Generation {
    return this.generations[0] ?? emptyGeneration(this.project)
  }

  get layer() {
    return Layer.sync(Corpus, () => {
      let isOwned = false
      const whenOwned = Effect.suspend(() =>
        isOwned
          ? Effect.void
          : Effect.fail(new NightFileUnusable({ path: lockPath, reason: "this run does not hold it" }))
      )
      return Corpus.of({
        project: this.project,
        lockPath,
        current: Effect.sync(() => this.current),
        currentNumber: Effect.sync(() => this.current.number),
        generations: Effect.sync(() => this.generations),
        own: (holder) =>
          Effect.gen({ self: this }, function* () {
            const other = this.#holder
            if (other !== null) {
              const words = `run ${other.run}, process ${other.pid} on ${other.host}`
              return yield* new CorpusBusy({ path: lockPath, holder: words })
            }
            this.#holder = holder
            isOwned = true
            yield* Effect.addFinalizer(() =>
              Effect.sync(() => {
                this.#holder = null
                isOwned = false
              })
            )
            const { dead } = this
            this.dead = null
            return dead
          }),
        commit: (next) =>
          Effect.gen({ self: this }, function* () {
            yield* whenOwned
            if (next.base !== this.current.number) {
              return yield* new CorpusMoved({ base: next.base, current: this.current.number })
            }
            if (next.number !== next.base + 1 || next.project !== this.project) {
              return yield* new NightFileUnusable({ path: "memory", reason: "it is not the next generation" })
            }
            this.generations = [next, ...this.generations].slice(0, keptGenerations)
          }),
        note: (name) => Effect.sync(() => this.notes.get(name) ?? null),
        setNote: (name, text) =>
          Effect.andThen(
            whenOwned,
            Effect.sync(() => void this.notes.set(name, text))
          )
      })
    })
  }
}
