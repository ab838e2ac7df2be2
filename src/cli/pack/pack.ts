/** `dd pack`: the code that matters for a change, in one text within a budget of tokens. */
import { Effect, Layer, Option, Stdio } from "effect"
import { Command } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { packFormats } from "../../domain/pack/Block.ts"
import { type ContextPack, manifestsOf } from "../../domain/pack/ContextPack.ts"
import { packFileNames } from "../../domain/pack/PackReport.ts"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as PackLive from "../../layers/PackLive.ts"
import { writeFiles } from "../../layers/pack/PackDirectory.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { pack } from "../../programs/pack.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import { encodings } from "../../services/pack/Tokenizer.ts"
import { daydreamHome, Settings } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { type ChosenChange, chosenChange } from "../review/chosenChange.ts"
import { wordsFor } from "../review/render/Presentable.ts"
import { exclusive, reviewFlags, UsageWrong } from "../review/reviewFlags.ts"
import { editedSettingsFiles } from "../review/reviewNotes.ts"
import { selectionOf } from "../review/reviewSelection.ts"
import { Outcome } from "../system/outcome.ts"
import { writeOut } from "../system/writeOut.ts"
import { choiceFlag, countFlag, formatFlag, repeatedFlag, switchFlag, textFlag } from "../text/flags.ts"
import { explained } from "./explained.ts"
import { reportOf } from "./packReport.ts"
import { summaryOf } from "./packSummary.ts"
import { withStages } from "./stageProgress.ts"

const { target, base, branch, staged, commit, diffFile } = reviewFlags

const flags = {
  target,
  base,
  branch,
  staged,
  commit,
  diffFile,
  budget: countFlag("budget", "The most tokens of the pack; default: 257952, which leaves room for a question"),
  encoding: choiceFlag("encoding", "NAME", encodings, "Count tokens of this encoding; default: o200k_base"),
  exclude: repeatedFlag("exclude", "GLOB", "Leave out matching files; repeatable"),
  include: repeatedFlag("include", "GLOB", "Keep matching files that a filter leaves out; repeatable"),
  focus: repeatedFlag("focus", "PATH|NAME", "Put a file, a folder or the file of a definition first; repeatable"),
  format: formatFlag(packFormats),
  output: textFlag("output", "DIR", "Write the files of the pack here instead of .daydream/pack"),
  stdout: switchFlag("stdout", "Print the pack and write no files"),
  explain: textFlag("explain", "PATH", "Say why a file is in the pack or not"),
  json: switchFlag("json", "Print the report as JSON")
}

type Flags = Command.Command.Config.Infer<typeof flags>

const handler = Effect.fnUntraced(function* (given: Flags) {
  yield* exclusive({
    "--stdout": given.stdout,
    "--output": Option.isSome(given.output),
    "--explain": Option.isSome(given.explain)
  })
  yield* exclusive({ "--stdout": given.stdout, "--json": given.json })
  const selection = yield* selectionOf(given)
  yield* TreeSitter.begin
  const chosen = yield* chosenChange(given.target, selection)
  const facts = ReviewLive.blobFacts(chosen.repository, yield* daydreamHome)
  const sources = ReviewLive.sources(chosen.repository, chosen.resolved, facts)
  yield* Effect.provide(packChange(given, chosen), sources)
})

const packChange = Effect.fnUntraced(function* (given: Flags, chosen: ChosenChange) {
  const { whole: change } = chosen
  const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  const listed = (values: ReadonlyArray<string>) => (values.length === 0 ? undefined : values)
  const written = {
    "pack.budget": Option.getOrUndefined(given.budget),
    "pack.exclude": listed(given.exclude),
    "pack.include": listed(given.include),
    "pack.focus": listed(given.focus)
  }
  const { settings, warnings } = yield* Settings.pipe(
    Effect.provide(Settings.layer(written, isTerminal, editedSettingsFiles(change)))
  )
  for (const warning of warnings) yield* Effect.logWarning(warning)
  if (change.diff.files.length === 0) {
    return yield* new UsageWrong({
      reason: `nothing to pack: ${change.description} changes no files`,
      command: "pack"
    })
  }
  const place = yield* placeOf(given, chosen)
  const valuesOf = (list: ReadonlyArray<{ readonly value: string }>) => list.map(({ value }) => value)
  const policy = {
    exclude: valuesOf(settings.pack.exclude),
    include: valuesOf(settings.pack.include),
    focus: valuesOf(settings.pack.focus)
  }
  const packed = yield* withStages((onStage) =>
    pack({ change, policy, format: given.format, budget: settings.pack.budget.value, onStage })
  ).pipe(Effect.provide(PackLive.layer(Option.getOrElse(given.encoding, () => encodings[0]))))
  const report = reportOf(packed, change, policy, given.format, version)
  const files = manifestsOf(packed)
  const document = `${JSON.stringify(report, null, 4)}\n`
  const redactor = yield* Redactor
  const words = wordsFor(redactor.text)
  if (given.stdout) {
    yield* writeOut(packed.text)
  } else if (Option.isSome(given.explain)) {
    yield* writeOut(`${explained(packed, given.explain.value).map(words.line).join("\n")}\n`)
  } else {
    const directory =
      place === null ? null : yield* writeFiles(place, new Map([...files, [packFileNames.reportPath, document]]))
    if (given.json) yield* writeOut(document)
    else yield* writeOut(`${summaryOf(packed, change, directory).map(words.line).join("\n")}\n`)
  }
  return yield* outcomeOf(packed)
})

const outcomeOf = (packed: ContextPack) =>
  packed.status === "ok" ? Effect.void : Effect.fail(new Outcome({ code: 1 }))

/** Null if nothing is written. */
const placeOf = Effect.fnUntraced(function* (given: Flags, { repository }: ChosenChange) {
  if (given.stdout || Option.isSome(given.explain)) return null
  if (Option.isSome(given.output)) return { directory: given.output.value }
  const root = repository?.root ?? null
  if (root !== null) return { root }
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
  Command.withHandler(handler),
  Command.provide(Layer.mergeAll(Changes.layer.pipe(Layer.provideMerge(Git.layer)), layerTimeout))
)
