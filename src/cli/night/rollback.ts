/** `dd dream rollback`: lists the generations that are kept, or makes a new one with the content of one of them. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { Generation } from "../../domain/night/Generation.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { thisProcess } from "../../layers/night/thisProcess.ts"
import { rollback } from "../../programs/rollback.ts"
import { Corpus } from "../../services/night/Corpus.ts"
import { tableText } from "../system/tableText.ts"
import { writeOut } from "../system/writeOut.ts"
import { isoTime, moment } from "../text/amounts.ts"
import { jsonFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { corpusHere } from "./corpusHere.ts"

const generation = Argument.Int("generation").pipe(
  Argument.withDescription("A kept generation; 0 forgets what was learned. Without it, the kept ones are listed"),
  Argument.optional
)

export const rollbackCommand = Command.make("rollback", { generation, json: jsonFlag }).pipe(
  Command.withShortDescription("Go back to an earlier generation of what was learned from labels"),
  Command.withDescription(`Go back to an earlier generation of what was learned from labels.

  Makes a new generation with the content of an old one; the others are kept, so that it can be
  undone. The labels stay. What was taken back is learned again only from labels that people give
  after that. Without a GENERATION, lists the kept ones.`),
  Command.withHandler(({ generation, json }) =>
    Effect.gen(function* () {
      const corpus = yield* Corpus
      if (Option.isNone(generation)) {
        const [kept, current] = yield* Effect.all([corpus.generations, corpus.currentNumber])
        return yield* json ? writeOut(listJson(kept, current)) : Console.log(yield* listText(kept, current))
      }
      const next = yield* rollback(generation.value, thisProcess())
      yield* json
        ? writeOut(`${plainJson({ schema_version: 1, generation: rowOf(next, next.number) }, 2)}\n`)
        : Console.log(
            `Generation ${next.number} counts now, with the content of generation ${generation.value}: ${contentOf(next)}.`
          )
    }).pipe(Effect.provide(corpusHere))
  ),
  Command.withExamples([
    { command: "dd dream rollback", description: "List the kept generations" },
    { command: "dd dream rollback 3", description: "Go back to what was known in generation 3" }
  ])
)

const rowOf = (one: Generation, current: number) => ({
  generation: one.number,
  current: one.number === current,
  at: isoTime(one.at),
  run: one.run,
  iteration: one.iteration,
  base: one.base,
  suppressions: one.suppressions.length,
  conventions: one.conventions.length,
  playbooks: one.playbooks.length,
  calibrated_rules: one.calibration.length
})

const contentOf = (one: Generation): string =>
  [
    plural(one.suppressions.length, "suppression"),
    plural(one.conventions.length, "convention"),
    plural(one.playbooks.length, "playbook"),
    `${plural(one.calibration.length, "rule")} calibrated`
  ].join(", ")

const listJson = (kept: ReadonlyArray<Generation>, current: number): string =>
  `${plainJson({ schema_version: 1, current, current_is_damaged: isDamaged(kept, current), generations: kept.map((one) => rowOf(one, current)) }, 2)}\n`

/** A damaged generation is not among those that can be gone back to. */
const isDamaged = (kept: ReadonlyArray<Generation>, current: number): boolean =>
  current > 0 && !kept.some(({ number }) => number === current)

const flexible = [
  { name: "CONTENT", least: 24, isProse: true },
  { name: "RUN", least: 0 }
]

const listText = (kept: ReadonlyArray<Generation>, current: number) => {
  if (current === 0)
    return Effect.succeed("Nothing was learned in this repository yet: dd dream start learns from labels.")
  const damaged = [`${current} (current)`, "", "", "damaged: go back to another one, or to 0"]
  const rows = [
    ...(isDamaged(kept, current) ? [damaged] : []),
    ...kept.map((one) => [
      `${one.number}${one.number === current ? " (current)" : ""}`,
      moment(isoTime(one.at)),
      oneLine(one.run),
      contentOf(one)
    ])
  ]
  return tableText(["GENERATION", "MADE (UTC)", "RUN", "CONTENT"], rows, new Set(), flexible)
}
