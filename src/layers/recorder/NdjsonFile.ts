/**
 * Appends every event to one file, a JSON object a line, as it happens: what was recorded survives a kill.
 *
 * It passes the redactor. A file that cannot be opened or written costs one warning and the rest of the record, never the run.
 */
import { Effect, FileSystem, Layer, Path, Ref, Schema } from "effect"
import { RunEvent } from "../../domain/RunEvent.ts"
import { Recorder } from "../../services/Recorder.ts"
import { Redactor } from "../../services/Redactor.ts"

const utf8 = new TextEncoder()
const encode = Schema.encodeEffect(Schema.toCodecJson(RunEvent))

const lineOf = (value: unknown): Uint8Array => utf8.encode(`${JSON.stringify(value)}\n`)

/** The file is created with its directories when the layer is built; modes 0600 and 0700. */
export const make = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const redactor = yield* Redactor
  const working = yield* Ref.make(true)

  const giveUp = (error: { readonly message: string }) =>
    Ref.getAndSet(working, false).pipe(
      Effect.flatMap((was) => (was ? Effect.logWarning(`this run is not recorded: ${error.message}`) : Effect.void))
    )

  const file = yield* fs
    .makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 })
    .pipe(Effect.andThen(fs.open(path, { flag: "a", mode: 0o600 })), Effect.tapError(giveUp), Effect.option)
  if (file._tag === "None") return Recorder.of({ record: () => Effect.void })

  return Recorder.of({
    record: (event) =>
      Effect.gen(function* () {
        if (!(yield* Ref.get(working))) return
        const line = lineOf(redactor.value(yield* encode(event)))
        // One write a line: O_APPEND keeps lines of parallel agents whole.
        yield* file.value.writeAll(line)
      }).pipe(Effect.catch(giveUp))
  })
})

export const layer = (path: string) => Layer.effect(Recorder, make(path))
