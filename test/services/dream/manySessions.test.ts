/** More sessions than the store keeps profiles of: each counts, whatever is imported together and in whatever order. */
import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Directory from "../../../src/layers/dream/store/Directory.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { DreamPass } from "../../../src/services/dream/DreamPass.ts"
import { DreamStore } from "../../../src/services/dream/DreamStore.ts"
import { DreamTasks } from "../../../src/services/dream/DreamTasks.ts"
import { everyTask } from "../../../src/services/dream/everyTask.ts"
import { MemorySpool, memoryProjects } from "../../support/dreamMemory.ts"
import { scratch } from "../../support/process.ts"
import { edit, eventsOf, prompt, run } from "../../support/sessionEvents.ts"
import { day, firstDay, repair, seen } from "../../support/sessionProfiles.ts"

const most = 4
const names = Array.from({ length: 3 * most }, (_, at) => `s${at}`)

/** Each began a day after the one before; only the oldest ran tests. */
const session = (name: string, root: string) => {
  const tests = names.indexOf(name) < most ? [run("npm test"), run("npm test")].flat() : []
  return eventsOf([prompt(), ...edit("a.ts"), ...tests, { kind: "session_end", reason: "clear" }]).map((event, at) => ({
    ...event,
    session: name,
    root,
    id: `${name}-${event.id}`,
    at: (firstDay + names.indexOf(name)) * day + at
  }))
}

const tasks = Layer.succeed(DreamTasks, [
  {
    place: 1,
    name: "task",
    version: 1,
    about: "",
    always: true,
    budget: 1000,
    run: ({ session }) => {
      const kind = names.indexOf(session.session) % 3
      const contributions = [seen("all", repair("all", "fix")), seen(`${kind}`, repair(`${kind}`, `fix ${kind}`))]
      return Effect.succeed({ part: {}, contributions, summary: "" })
    }
  },
  ...everyTask.filter(({ name }) => name === "conventions")
])

/** What is known after all parts, each of which is recorded and then analysed by a worker of its own. */
const learnedFrom = async (parts: ReadonlyArray<ReadonlyArray<string>>) => {
  using place = scratch()
  const root = join(place.path, "shop")
  mkdirSync(root)
  const spool = new MemorySpool()
  const store = Directory.layer(join(place.path, "home"), most)
  const inWorker = <A, E>(body: Effect.Effect<A, E, DreamPass | DreamStore>) =>
    Effect.runPromise(
      Effect.andThen(TestClock.setTime((firstDay + 30) * day), body).pipe(
        Effect.provide(
          DreamPass.layer.pipe(
            Layer.provideMerge(store),
            Layer.provide([spool.layer, memoryProjects(), tasks]),
            Layer.provide(Platform.layer),
            Layer.provideMerge(TestClock.layer())
          )
        ),
        Effect.scoped
      )
    )
  const pass = () => inWorker(DreamPass.use(({ run }) => run(Number.POSITIVE_INFINITY)))
  const analysed: Array<string> = []
  for (const part of parts) {
    for (const name of part) spool.append(session(name, root))
    analysed.push(...(await pass()).analysed)
  }
  const read = () => inWorker(DreamStore.use((dreams) => dreams.read({ key: "p1", root })))
  const memory = await read()
  const reads = spool.reads.length
  expect((await pass()).analysed).toEqual([])
  expect(await read()).toEqual(memory)
  return { analysed, ...memory, readAgain: spool.reads.length - reads }
}

const parts = {
  "the older half, then the newer one": [names.slice(0, 6), names.slice(6)],
  "the newer half, then the older one": [names.slice(6), names.slice(0, 6)],
  "one after the other, the newest first": names.toReversed().map((name) => [name]),
  "every third of them": [0, 1, 2].map((rest) => names.filter((_, at) => at % 3 === rest))
}

for (const [order, each] of Object.entries(parts)) {
  test(`${order}: as much is learned as from all sessions at once`, async () => {
    const [once, inParts] = [await learnedFrom([names]), await learnedFrom(each)]
    expect(once.artifacts.find((artifact) => "fix_action" in artifact && artifact.fix_action === "fix")).toMatchObject({
      stats: { sessions: names.length }
    })
    expect(once.artifacts.flatMap((artifact) => ("pattern" in artifact ? [artifact.pattern] : []))).toEqual([
      "tests are run with `npm test`",
      "packages are managed with `npm`"
    ])
    expect(inParts.artifacts).toEqual(once.artifacts)
    expect(inParts.profiles.map(({ session }) => session)).toEqual(once.profiles.map(({ session }) => session))
    expect(Object.keys(inParts.base.folded).length + inParts.profiles.length).toBe(names.length)
    expect(inParts.analysed.toSorted()).toEqual(names.toSorted())
    expect([once.readAgain, inParts.readAgain]).toEqual([most, most])
  })
}
