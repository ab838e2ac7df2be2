/** `dd dream warn-only`: how many changes that make reviews worse nights may still keep, and giving them all back. */
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { utc } from "../../domain/night/Summary.ts"
import {
  readBudget,
  resetBudget,
  type WarnOnlyBudget,
  warnOnlyNote,
  writtenBudget
} from "../../domain/night/warnOnly.ts"
import { plural } from "../../domain/text/plural.ts"
import { thisProcess } from "../../layers/night/thisProcess.ts"
import { Corpus } from "../../services/night/Corpus.ts"
import { writeOut } from "../system/writeOut.ts"
import { jsonFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { corpusHere } from "./corpusHere.ts"

const show = ({ initial_budget, remaining }: WarnOnlyBudget, json: boolean) =>
  json
    ? writeOut(`${plainJson({ schema_version: 1, remaining, initial_budget }, 2)}\n`)
    : Console.log(
        `${plural(remaining, "rescue")} of ${initial_budget} left${remaining === 0 ? ": nights are strict until a reset" : ""}.`
      )

/** A night has no more iterations. */
const mostRescues = 100

const reset = Command.make("reset", {
  initial: Flag.Int("initial").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription("So many rescues from now on; default: as many as before"),
    Flag.filter(
      (given) => given >= 0 && given <= mostRescues,
      (given) => `a number from 0 to ${mostRescues}, not ${given}`
    ),
    Flag.optional
  ),
  json: jsonFlag
}).pipe(
  Command.withDescription("Give nights all their rescues back"),
  Command.withHandler(({ initial, json }) =>
    Effect.gen(function* () {
      const corpus = yield* Corpus
      const holder = { ...thisProcess(), run: "warn-only", outputDir: "" }
      const budget = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* corpus.own(holder)
          const known = readBudget(yield* corpus.note(warnOnlyNote)).budget
          const next = resetBudget(known, utc(yield* Clock.currentTimeMillis), Option.getOrUndefined(initial))
          yield* corpus.setNote(warnOnlyNote, writtenBudget(next))
          return next
        })
      )
      yield* show(budget, json)
    }).pipe(Effect.provide(corpusHere))
  )
)

export const warnOnlyCommand = Command.make("warn-only", { json: jsonFlag }).pipe(
  Command.withShortDescription("Show how many worse changes nights may still keep"),
  Command.withDescription(`Show how many changes that make reviews worse nights may still keep.

  dd dream start keeps such a change with a warning (a rescue), until there are no rescues left. Then it stops at the first.`),
  Command.withHandler(({ json }) =>
    Effect.gen(function* () {
      const { budget, note } = readBudget(yield* (yield* Corpus).note(warnOnlyNote))
      if (note !== null) yield* Effect.logWarning(note)
      yield* show(budget, json)
    }).pipe(Effect.provide(corpusHere))
  ),
  Command.withSubcommands([reset])
)
