/**
 * A process that a test kills: `commit HOME PROJECT BEFORE` takes the lock and commits the next generation, and kills itself before
 * its file operation number BEFORE; `hold HOME PROJECT` takes the lock, prints a line and waits for its end.
 */
import { Effect, FileSystem, Layer } from "effect"
import * as Directory from "../../src/layers/night/corpus/Directory.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { Corpus } from "../../src/services/night/Corpus.ts"
import { generationAfter } from "./generations.ts"

const [task, home = "", project = "", before = "0"] = process.argv.slice(2)
let operations = 0
const dies = () => {
  operations++
  if (operations === Number(before)) process.kill(process.pid, "SIGKILL")
}

/** Operations that change something, also between the halves of what is written: to be killed before a read is to be killed before the next of these. */
const counted = Layer.effect(
  FileSystem.FileSystem,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const count =
      <Args extends ReadonlyArray<unknown>, A, E, R>(run: (...args: Args) => Effect.Effect<A, E, R>) =>
      (...args: Args) =>
        Effect.suspend(() => {
          dies()
          return run(...args)
        })
    return FileSystem.FileSystem.of({
      ...fs,
      makeDirectory: count(fs.makeDirectory),
      remove: count(fs.remove),
      rename: count(fs.rename),
      open: (path, options) =>
        Effect.map(count(fs.open)(path, options), (file): FileSystem.File => {
          const write = count((bytes: Uint8Array) => file.writeAll(bytes))
          return Object.create(file, {
            sync: { value: count(() => file.sync)() },
            writeAll: {
              value: (bytes: Uint8Array) => {
                const half = bytes.length >> 1
                return Effect.andThen(write(bytes.subarray(0, half)), write(bytes.subarray(half)))
              }
            }
          })
        })
    })
  })
)

const work = Corpus.use((corpus) =>
  Effect.gen(function* () {
    yield* corpus.own({ run: "killed", pid: process.pid, host: "here", outputDir: "/reports/killed" })
    if (task === "hold") {
      process.stdout.write("held\n")
      return yield* Effect.never
    }
    yield* corpus.commit(generationAfter(yield* corpus.current, { run: "killed" }))
  })
)

await Effect.runPromise(
  work.pipe(
    Effect.provide(Directory.layerOf(home, project).pipe(Layer.provide(counted), Layer.provide(Platform.layer))),
    Effect.scoped
  )
)
process.stdout.write(`${operations} operations\n`)
