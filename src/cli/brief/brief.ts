/** `dd brief`: what a change does, without a review. */
import { Effect, Layer, Option, Stdio } from "effect"
import { Command } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { sideText } from "../../domain/change/Change.ts"
import * as CodeLive from "../../layers/CodeLive.ts"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { BriefDepth, Briefs } from "../../services/brief/Briefs.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import { SymbolIndex } from "../../services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../services/code/SyntaxTrees.ts"
import { RuleSet, shippedRules } from "../../services/finding/RuleSet.ts"
import { FailPolicy } from "../../services/run/FailPolicy.ts"
import { Recorder } from "../../services/run/Recorder.ts"
import { daydreamHome, Settings } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { enabledRules } from "../finding/enabledRules.ts"
import { type ChosenChange, chosenChange, filesOf, withoutIgnored } from "../review/chosenChange.ts"
import * as Progress from "../review/Progress.ts"
import { schemaVersion } from "../review/render/JsonReport.ts"
import { renderBriefMarkdown } from "../review/render/Markdown.ts"
import { exactPath, shown, treatmentsOf, wordsFor } from "../review/render/Presentable.ts"
import { reviewFlags, reviewGroups } from "../review/reviewFlags.ts"
import { editedSettingsFiles } from "../review/reviewNotes.ts"
import { selectionOf } from "../review/reviewSelection.ts"
import { canShowColour, colourAsked } from "../system/colour.ts"
import { FlagGroups } from "../system/HelpPage.ts"
import { hereIn } from "../system/here.ts"
import { lineWidth } from "../system/terminal.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag } from "../text/flags.ts"
import { inkFor } from "../text/Ink.ts"
import { wrap } from "../text/Page.ts"
import { jsonDocument } from "../text/plainJson.ts"
import { briefText } from "./BriefText.ts"
import { readingDiffText } from "./ReadingDiffText.ts"

const { target, base, branch, staged, commit, diffFile, ignorePath, brief, depth } = reviewFlags

const flags = {
  target,
  base,
  branch,
  staged,
  commit,
  diffFile,
  ignorePath,
  brief,
  depth,
  format: formatFlag(["text", "json", "markdown"])
}

type Flags = Command.Command.Config.Infer<typeof flags>

const handler = Effect.fnUntraced(function* (given: Flags) {
  const selection = yield* selectionOf(given)
  yield* TreeSitter.begin
  const chosen = yield* chosenChange(given.target, selection)
  const facts = ReviewLive.blobFacts(chosen.repository, yield* daydreamHome)
  const sources = ReviewLive.sources(chosen.repository, chosen.resolved, facts)
  yield* Effect.provide(show(given, chosen), sources)
})

const show = Effect.fnUntraced(function* (given: Flags, { repository, whole }: ChosenChange) {
  const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  const written = {
    ignore_paths: given.ignorePath.length === 0 ? undefined : given.ignorePath,
    brief: Option.getOrUndefined(given.brief),
    color: yield* colourAsked
  }
  const { settings, warnings } = yield* Settings.pipe(
    Effect.provide(Settings.layer(written, isTerminal, editedSettingsFiles(whole)))
  )
  for (const warning of warnings) yield* Effect.logWarning(warning)
  const { change } = withoutIgnored(whole, settings)
  const usesLearned = settings.learned.value === "on"
  const learned = ReviewLive.learned({ home: yield* daydreamHome, repository, usesLearned }).pipe(
    Layer.provide([RuleSet.layerOf(enabledRules(settings, shippedRules)), failures])
  )
  const brief = yield* Briefs.use((briefs) => briefs.of(change)).pipe(
    Effect.provideService(BriefDepth, given.depth),
    Effect.provide(Layer.provideMerge(live, learned)),
    // The first brief in a repository reads its history.
    Progress.during("brief")
  )
  const words = wordsFor((yield* Redactor).text)
  const presented = shown(brief, treatmentsOf(words))
  const description = words.line(change.description)
  const extent = settings.brief.value === "short" || settings.brief.value === "none" ? "short" : "full"
  if (given.format === "json") {
    return yield* writeOut(
      jsonDocument({
        schema_version: schemaVersion,
        tool: { name: "dd", version },
        change: { description, base: sideText(change.base), head: sideText(change.head) },
        brief: shown(brief, treatmentsOf(words, exactPath))
      })
    )
  }
  if (given.format === "markdown")
    return yield* writeOut(renderBriefMarkdown(presented, description, extent, { files: filesOf(repository, whole) }))
  const page = {
    width: yield* lineWidth(isTerminal),
    colour: yield* canShowColour(1, settings.color.value),
    here: isTerminal ? yield* hereIn(repository, whole.inside) : null
  }
  const title = wrap(`Brief of ${page.here?.description(description) ?? description}`, page.width)
  const lines = briefText(presented, extent, page)
  const body = lines.length === 0 ? ["Nothing changed."] : lines
  const diff =
    settings.brief.value === "diff" ? readingDiffText(change.diff, brief.form, yield* Redactor, page.colour) : []
  const blocks = [title.map(inkFor(page.colour).bold), body, diff].filter((block) => block.length > 0)
  yield* writeOut(`${blocks.map((block) => block.join("\n")).join("\n\n")}\n`)
})

/** Of reading what was learned: warnings. */
const failures = FailPolicy.layer.pipe(
  Layer.provide(
    Layer.succeed(
      Recorder,
      Recorder.watching(() => Effect.void)
    )
  )
)

/** Sources and their facts are left open. */
const live = CodeLive.briefs.pipe(
  Layer.provide(SymbolIndex.layer),
  Layer.provide(SyntaxTrees.layer),
  Layer.provide(TreeSitter.layer)
)

export const briefCommand = Command.make("brief", flags).pipe(
  Command.withShortDescription("Describe what a change does"),
  Command.withDescription(`Describe what a change does: facts with their places, no findings.

  What changed for other code, which lines only move or reformat code, the users of changed
  definitions, the tests to run, what usually changes with these files and did not, the
  history of the changed lines, and how much there is to read.

  Selects the change as dd review does. Uses no model and runs nothing of the repository.`),
  Command.withExamples([
    { command: "dd brief", description: "Describe the branch and uncommitted edits" },
    { command: "dd brief --commit HEAD~3 --brief full", description: "Describe one commit in full" }
  ]),
  Command.annotate(FlagGroups, reviewGroups),
  Command.withHandler(handler),
  Command.provide(Layer.mergeAll(Changes.layer.pipe(Layer.provideMerge(Git.layer)), layerTimeout))
)
