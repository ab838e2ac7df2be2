/** `dd pack`: the code that matters for a change, in one text within a budget of tokens. */
import { Console, Effect, Layer, Option, Path, Stdio } from "effect"
import { Command } from "effect/cli"
import type { ContextPack } from "../../domain/pack/ContextPack.ts"
import { PackReport } from "../../domain/pack/PackReport.ts"
import { printable } from "../../domain/text/Printable.ts"
import { writeFiles } from "../../layers/pack/PackDirectory.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import type { ChosenChange } from "../review/chosenChange.ts"
import * as Progress from "../review/Progress.ts"
import { wordsFor } from "../review/render/Presentable.ts"
import { exclusive, UsageWrong } from "../review/reviewFlags.ts"
import { FlagGroups } from "../system/HelpPage.ts"
import { Outcome } from "../system/outcome.ts"
import { writeOut } from "../system/writeOut.ts"
import { countFlag, directoryFlag, switchFlag, textFlag } from "../text/flags.ts"
import { publishedSchema } from "../text/publishedSchema.ts"
import { askForFiles, type FileChoice, noChoice } from "./askForFiles.ts"
import { explained } from "./explained.ts"
import { packFlags, packGroups } from "./packFlags.ts"
import { filePlace, packOfChange, settingsOf, withChosenChange } from "./packOfChange.ts"
import { notesOf, summaryOf } from "./packSummary.ts"

const ofPack = {
  output: directoryFlag("output", "Write the files of the pack here instead of .daydream/pack"),
  stdout: switchFlag("stdout", "Print the pack and write no files"),
  explain: textFlag("explain", "PATH", "Say why a file is in the pack or not"),
  interactive: switchFlag("interactive", "Ask on the terminal which files to add and to leave out"),
  json: switchFlag("json", "Print the report as JSON"),
  printSchema: switchFlag("print-schema", "Print the JSON schema of the report")
}

const flags = {
  ...packFlags,
  budget: countFlag("budget", "The most tokens of the pack; default: 257952, which leaves room for a question"),
  ...ofPack
}

type Flags = Command.Command.Config.Infer<typeof flags>

const handler = Effect.fnUntraced(function* (given: Flags) {
  if (given.printSchema) return yield* writeOut(publishedSchema(PackReport))
  yield* exclusive(
    {
      "--stdout": given.stdout,
      "--output": Option.isSome(given.output),
      "--explain": Option.isSome(given.explain)
    },
    "pack"
  )
  yield* exclusive({ "--stdout": given.stdout, "--json": given.json }, "pack")
  yield* withChosenChange(given, (chosen) => showPack(given, chosen))
})

const showPack = Effect.fnUntraced(function* (given: Flags, chosen: ChosenChange) {
  const { whole: change } = chosen
  const place = yield* placeOf(given, chosen)
  const make = (more: FileChoice) =>
    Effect.gen(function* () {
      const flags = { ...given, exclude: [...given.exclude, ...more.exclude], focus: [...given.focus, ...more.focus] }
      const { settings } = yield* settingsOf(flags, change, { "pack.budget": Option.getOrUndefined(given.budget) })
      const budget = settings.packBudget.value
      return yield* Progress.withSteps((show) =>
        packOfChange(flags, change, settings, { budget, command: "pack", show })
      )
    })
  const first = yield* make(noChoice)
  const choice = given.interactive ? yield* askForFiles(first.packed) : noChoice
  const { files, packed, report } = choice === noChoice ? first : yield* make(choice)
  const redactor = yield* Redactor
  const words = wordsFor(redactor.text)
  if (given.stdout) {
    const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
    for (const line of notesOf(packed)) yield* Effect.logWarning(words.line(line))
    if (packed.status === "ok") yield* writeOut(isTerminal ? printable(packed.text) : packed.text)
  } else if (Option.isSome(given.explain)) {
    const readings = yield* readingsOf(given.explain.value, chosen.repository?.root ?? null)
    yield* Console.log(explained(packed, readings).map(words.line).join("\n"))
  } else {
    const directory = place === null ? null : yield* writeFiles(place, "pack", files)
    if (given.json) yield* writeOut(report)
    else yield* Console.log(summaryOf(packed, change, directory).map(words.line).join("\n"))
  }
  return yield* outcomeOf(packed)
})

/** A path from the current directory, or from the top of the repository. */
const readingsOf = Effect.fnUntraced(function* (written: string, root: string | null) {
  const paths = yield* Path.Path
  const top = paths.normalize(written)
  return root === null ? ([top] as const) : ([paths.relative(root, paths.resolve(written)), top] as const)
})

const outcomeOf = (packed: ContextPack) =>
  packed.status === "ok" ? Effect.void : Effect.fail(new Outcome({ code: 1 }))

/** Null if nothing is written. */
const placeOf = Effect.fnUntraced(function* (given: Flags, { repository }: ChosenChange) {
  if (given.stdout || Option.isSome(given.explain)) return null
  const place = filePlace(given.output, repository)
  if (place !== null) return place
  return yield* new UsageWrong({
    reason: "without a working tree the pack needs --output DIR or --stdout",
    command: "pack"
  })
})

export const packCommand = Command.make("pack", flags).pipe(
  Command.withShortDescription("Collect the code that matters for a change"),
  Command.withDescription(`Collect the code that matters for a change, for a model or a reader, within a budget of tokens.

  The pack has the diff, the code of the changed files, and related files, the closest first:
  whole, as the definitions that matter, or as an outline, whatever says most within the budget.
  Related are files that import or are imported, that define or use the same names, that changed
  in the same commits, or whose paths are similar. Every file that is left out has a reason.

  Files with secrets, lock files and binary files are left out, and known secrets are redacted.
  The same change gives the same bytes. Uses no model and runs nothing of the repository.

  Exit codes: 0 written; 1 the changed files alone are over the budget.`),
  Command.withExamples([
    { command: "dd pack", description: "Pack the branch and uncommitted edits" },
    { command: "dd pack --commit HEAD --budget 32000 --stdout", description: "Print a small pack of one commit" },
    { command: "dd pack --explain src/cart.ts", description: "Say why a file is in or out" }
  ]),
  Command.annotate(FlagGroups, { ...packGroups(flags.budget), OUTPUT: { format: flags.format, ...ofPack } }),
  Command.withHandler(handler),
  Command.provide(Layer.mergeAll(Changes.layer.pipe(Layer.provideMerge(Git.layer)), layerTimeout))
)
