/** The job of continuous integration that dd runs in, from the environment. */
import { Config, Effect, FileSystem, Option, Schema } from "effect"
import { ciJobOf, ciVariables, inEvent, isInEvent } from "../../domain/ci/CiJob.ts"
import { eventFile } from "../../domain/ci/ciServices.ts"

/** In bytes; GitHub sends at most 25 MB. */
const largestEvent = 26_000_000

/** Null outside of a job. `variable` is for the paths of files of the service. */
export const currentJob = Effect.gen(function* () {
  const values = new Map<string, string>()
  for (const name of [...ciVariables, eventFile]) {
    values.set(name, yield* Effect.orDie(Config.String(name).pipe(Config.withDefault(""))))
  }
  const event = yield* eventIn(values.get(eventFile) ?? "")
  const variable = (name: string) => (isInEvent(name) ? inEvent(event, name) : (values.get(name) ?? ""))
  const job = ciJobOf(variable)
  return job === null ? null : { job, variable }
})

/** An event that cannot be read has no values: the variables have less, and the report says what is missing. */
const eventIn = Effect.fnUntraced(function* (path: string) {
  if (path === "") return null
  const fs = yield* FileSystem.FileSystem
  const size = yield* Effect.option(fs.stat(path))
  if (Option.isNone(size) || size.value.type !== "File" || size.value.size > largestEvent) return null
  const text = yield* Effect.option(fs.readFileString(path))
  return Option.getOrNull(Option.flatMap(text, decodeEvent))
})

const decodeEvent = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
