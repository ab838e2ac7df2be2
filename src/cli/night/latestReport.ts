/** The report of a night: in the directory that the user names, else of the newest night of this repository. */
import { Effect, FileSystem, Option, Path, Result, Runtime, Schema } from "effect"
import { crashed } from "../../domain/night/report/crashed.ts"
import { decodeSummary } from "../../domain/night/Summary.ts"
import { visiblePath } from "../../domain/text/Printable.ts"
import { lockHeld } from "../../layers/night/corpus/lockHeld.ts"
import { Corpus } from "../../services/night/Corpus.ts"
import { nightPlaces } from "../../services/night/NightFiles.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { directoryFlag } from "../text/flags.ts"
import { corpusHere } from "./corpusHere.ts"

export class ReportUnreadable extends Schema.TaggedError<ReportUnreadable>()("ReportUnreadable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `${this.path} is not the report of a night: ${this.reason}`
  }
}

export class NoNight extends Schema.TaggedError<NoNight>()("NoNight", {}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return "no night has run for this repository yet: dd dream start runs one"
  }
}

export const fromFlag = directoryFlag(
  "from",
  "The directory of a night, or its summary.json; default: the newest night of this repository"
)

/** One of a night that was killed reads as failed. Writes nothing. */
export const reportFrom = Effect.fnUntraced(function* (from: Option.Option<string>) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const given = yield* Option.match(from, { onNone: () => newest, onSome: (place) => Effect.succeed(place) })
  const file = given.endsWith(".json") ? given : paths.join(given, "summary.json")
  const unreadable = (reason: string) => new ReportUnreadable({ path: visiblePath(file), reason })
  const text = yield* Effect.mapError(fs.readFileString(file), (error) => unreadable(systemErrorText(error)))
  const read = decodeSummary(text)
  if (Result.isFailure(read)) return yield* unreadable(read.failure)
  const summary = read.success
  // A lock that is gone, or no longer there, is held by nobody.
  const isDead = summary.status === "planned" && (yield* lockHeld(summary.runtime.lock_path)) !== true
  // The plan does not tell what the night committed before it was killed.
  return isDead ? { ...crashed(summary), next_action: unknownEnd } : summary
})

const unknownEnd = "Run `dd dream start` again: it finishes this report, and names what the night committed."

const newest = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { latest } = nightPlaces((yield* Corpus).lockPath)
  const pointer = yield* Effect.option(fs.readFileString(latest))
  return Option.isSome(pointer) && pointer.value.trim() !== "" ? pointer.value.trim() : yield* new NoNight()
}).pipe(Effect.provide(corpusHere))
