/** `dd ask`: sends a context pack with a question to a model, and prints the answer as it arrives. */
import { Context, DateTime, Effect, FileSystem, Layer, Option, Path, Result, Runtime, Schema, Stdio } from "effect"
import { Command } from "effect/cli"
import { layerWebCrypto as layerSecureRandom } from "effect/crypto/SecureRandom"
import { type Asked, answerFacts, answerFiles, noAnswer } from "../../domain/agent/Answer.ts"
import { packFileNames } from "../../domain/pack/PackReport.ts"
import { budgetPlan, largestSent } from "../../domain/pack/packBudget.ts"
import { type Answerer, type ModelBackendName, questionAnswerer } from "../../domain/run/BackendChoice.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { visiblePath } from "../../domain/text/Printable.ts"
import * as PackLive from "../../layers/PackLive.ts"
import { type FilePlace, writeFiles } from "../../layers/pack/PackDirectory.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { isStored } from "../../layers/system/terminal.ts"
import { ask } from "../../programs/ask.ts"
import { Respondent } from "../../services/agent/Respondent.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import { TokenCounts } from "../../services/pack/TokenCounts.ts"
import { encodings } from "../../services/pack/Tokenizer.ts"
import { daydreamHome, pricesFile } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { cleanText } from "../../services/secret/safeText.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { answeringOf } from "../review/answeringOf.ts"
import type { ChosenChange } from "../review/chosenChange.ts"
import * as Progress from "../review/Progress.ts"
import { wordsFor } from "../review/render/Presentable.ts"
import { reviewedAt } from "../run/config.ts"
import { presentable } from "../system/failure.ts"
import { FlagGroups } from "../system/HelpPage.ts"
import { Outcome } from "../system/outcome.ts"
import { writeOut } from "../system/writeOut.ts"
import { type AskFlags, askFlags, askGroups, checkFlags, questionOf, textIn, wrong } from "./askFlags.ts"
import { filePlace, packOfChange, settingsOf, withChosenChange } from "./packOfChange.ts"
import { summaryOf } from "./packSummary.ts"

/** No model can be asked. The pack is there for another try. */
class NoRespondent extends Schema.TaggedError<NoRespondent>()("NoRespondent", {
  reason: Schema.String,
  pack: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `${this.reason}; the pack is in ${this.pack}`
  }
}

const handler = Effect.fnUntraced(function* (given: AskFlags) {
  yield* checkFlags(given)
  const question = yield* questionOf(given)
  if (Option.isNone(given.contextPack)) {
    return yield* withChosenChange(given, (chosen) => answerQuestion(given, question, chosen))
  }
  const { change, repository, warnings } = yield* reviewedAt(".")
  for (const warning of warnings) yield* Effect.logWarning(warning)
  yield* Effect.provide(
    answerQuestion(given, question, { repository, resolved: change, whole: change }),
    ReviewLive.sources(repository, change)
  )
})

const answerQuestion = Effect.fnUntraced(function* (given: AskFlags, question: string, chosen: ChosenChange) {
  const { notes, settings } = yield* settingsOf(given, chosen.whole, {
    backend: Option.getOrUndefined(given.backend),
    model: Option.getOrUndefined(given.model),
    max_cost: Option.getOrUndefined(given.maxCost)
  })
  const place = filePlace(given.output, chosen.repository)
  if (place === null) return yield* wrong("without a working tree the files need --output DIR")
  const limits = ReviewLive.bounds({
    hasModel: true,
    loop: null,
    // The default is for reviews.
    maxCost: settings.maxCost.origin._tag === "Default" ? null : { usd: settings.maxCost.value, isDefault: false },
    pricesFile: yield* pricesFile,
    timeout: settings.timeout.value
  })
  const run = Effect.gen(function* () {
    const respondent = yield* respondentFor(settings, notes, chosen)
    yield* Progress.withSteps((show) => send({ given, question, chosen, settings, place, respondent, show }))
  })
  yield* Effect.provide(Effect.scoped(run), limits)
})

/** A failure is the reason why no model can be asked. */
const respondentFor = Effect.fnUntraced(function* (
  settings: ReviewSettings,
  notes: ReadonlyArray<string>,
  { repository }: ChosenChange
) {
  const answerer = questionAnswerer(settings.backendChoice)
  if (!isModel(answerer)) return Result.fail(notes[0] ?? noModel)
  const AskLive = yield* Effect.promise(() => import("../../layers/AskLive.ts"))
  const backendSettings = {
    ...(yield* answeringOf(settings)),
    home: yield* daydreamHome,
    pricesFile: yield* pricesFile,
    reviewed: repository?.root ?? null,
    changed: [],
    before: []
  }
  const built = yield* Effect.result(Layer.build(AskLive.layer(answerer, backendSettings)))
  return Result.mapBoth(built, {
    onFailure: ({ message }) => message,
    onSuccess: (context) => Context.get(context, Respondent)
  })
})

const isModel = (answerer: Answerer): answerer is Answerer & { readonly backend: ModelBackendName } =>
  answerer.backend !== "static"

const noModel =
  "no model is set up to answer: choose one with --backend NAME, or with backend in config.toml (dd doctor lists them)"

interface Sending {
  readonly given: AskFlags
  readonly question: string
  readonly chosen: ChosenChange
  readonly settings: ReviewSettings
  readonly place: FilePlace
  readonly respondent: Result.Result<Respondent["Service"], string>
  /** Shows a stage; null: none. */
  readonly show: (stage: string | null) => Effect.Effect<void>
}

const send = Effect.fnUntraced(function* (sending: Sending) {
  const { given, place, question, respondent, show } = sending
  const { about, text } = yield* Option.match(given.contextPack, {
    onNone: () => madePack(sending),
    onSome: (file) => givenPack(file, sending)
  })
  if (Result.isFailure(respondent)) {
    return yield* new NoRespondent({ reason: respondent.failure, pack: about.pack.path })
  }
  const isWatched = yield* (yield* Stdio.Stdio).stderrIsTerminal
  // What reads a pipe, such as `tee`, may print to the same terminal.
  const isSeparate = isStored(1)
  const redactor = yield* Redactor
  const asked: Asked = {
    createdAt: DateTime.formatIso(yield* DateTime.now),
    query: redactor.text(cleanText(question, redactor)),
    pack: { ...about.pack, path: redactor.words(visiblePath(about.pack.path)) },
    budget: about.budget
  }
  // A place that cannot be written is found before the request costs anything, and no earlier answer is left there.
  const before = noAnswer({ backend: respondent.success.name, model: respondent.success.model })
  yield* writeFiles(place, "ask", answerFiles(before, asked))
  let isPrinting = false
  yield* ask({
    pack: text,
    question,
    // The lines of an answer on the terminal show the progress.
    onStage: (stage) => (isPrinting ? Effect.void : show(stage)),
    onText: (piece) => {
      const begins = !isPrinting && !isSeparate
      isPrinting ||= begins
      return Effect.andThen(begins ? show(null) : Effect.void, writeOut(piece))
    },
    keep: Effect.fnUntraced(function* (answer) {
      const directory = yield* writeFiles(place, "ask", answerFiles(answer, asked))
      yield* show(null)
      if (!isWatched) return
      const lines = [answerFacts(answer), `Written to ${directory}`].map((line) => presentable(line, redactor.words))
      yield* Progress.writeError(`\n${lines.join("\n")}\n`)
    })
  }).pipe(Effect.provideService(Respondent, respondent.success))
})

/** Makes and writes the pack of the change. */
const madePack = Effect.fnUntraced(function* ({ chosen, given, place, question, respondent, settings, show }: Sending) {
  const { origin, value } = settings.packBudget
  const limits = {
    room: Result.isSuccess(respondent) ? respondent.success.room : null,
    given: Option.getOrNull(given.budget),
    mostPack: origin._tag === "Default" ? null : value
  }
  const budget = budgetPlan(limits, question)
  const made = yield* packOfChange(given, chosen.whole, settings, { budget: budget.pack, command: "ask", show })
  const { files, packed } = made
  const directory = yield* writeFiles(place, "pack", files)
  if (packed.status !== "ok") {
    const words = wordsFor((yield* Redactor).text)
    yield* show(null)
    yield* Progress.writeError(`${summaryOf(packed, chosen.whole, directory).map(words.line).join("\n")}\n`)
    return yield* new Outcome({ code: 1 })
  }
  const { join } = yield* Path.Path
  const path = join("root" in place ? ".daydream/pack" : place.directory, packFileNames.pack)
  const { encoding, final: tokens } = packed.tokens
  return { text: packed.text, about: { pack: { path, sha256: packed.sha256, tokens, encoding }, budget } }
})

/** In bytes; some four million tokens. */
const largestPack = 16_000_000

/** Reads a pack that was made before. */
const givenPack = Effect.fnUntraced(function* (path: string, { given, question, respondent }: Sending) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (error: unknown) => wrong(`--context-pack ${path}: ${systemErrorText(error)}`)
  const tooLarge = wrong(`--context-pack ${path}: larger than ${largestPack} bytes`)
  const { size } = yield* Effect.mapError(fs.stat(path), unreadable)
  if (size > largestPack) return yield* tooLarge
  const bytes = yield* Effect.mapError(fs.readFile(path), unreadable)
  // A pipe has no size.
  if (bytes.length > largestPack) return yield* tooLarge
  const text = yield* textIn(bytes, `--context-pack ${path}`)
  if (text.trim() === "") return yield* wrong(`--context-pack ${path} is empty`)
  const encoding = Option.getOrElse(given.encoding, () => encodings[0])
  const counted = Effect.gen(function* () {
    const counts = yield* TokenCounts
    const [tokens = 0] = yield* counts.of([text])
    return { path, sha256: yield* counts.digestOf(text), tokens, encoding }
  })
  const pack = yield* Effect.provide(counted, PackLive.layer(encoding))
  const room = Result.isSuccess(respondent) ? respondent.success.room : null
  const most = room === null ? Number.POSITIVE_INFINITY : largestSent(room, question)
  if (pack.tokens > most) {
    return yield* wrong(
      `--context-pack ${path} has ${pack.tokens} tokens, and with this question the model takes ${most}; make a smaller one with dd pack --budget N`
    )
  }
  return { text, about: { pack, budget: null } }
})

export const askCommand = Command.make("ask", askFlags).pipe(
  Command.withShortDescription("Ask a model about a change"),
  Command.withDescription(`Ask a model about a change: sends a context pack (see dd pack) with a question, and prints the answer
  as it arrives.

  The model is that of --backend and --model, or of the settings. dd sends it the pack and the
  question, without known secrets, and no tools. Without a model, the pack is written and nothing is sent.

  The pack is kept in .daydream/pack, the answer in .daydream/ask: answer.txt, thinking.txt, report.md,
  and metadata.json with tokens and cost, also if the answer ends early or is interrupted.

  Exit codes: 0 answered; 1 the changed files alone are over the budget; 2 usage, configuration or no
  model; 3 could not run, or the key is refused; 4 no complete answer; 130 interrupted.`),
  Command.withExamples([
    {
      command: 'dd ask "Which callers break?" --backend anthropic',
      description: "Ask about the branch and uncommitted edits"
    },
    { command: "dd ask - --commit HEAD < question.txt", description: "Read the question from standard input" },
    {
      command: 'dd ask "Is it safe to retry?" --context-pack .daydream/pack/pr-context.txt',
      description: "Ask again about the same pack"
    }
  ]),
  Command.annotate(FlagGroups, askGroups),
  Command.withHandler(handler),
  Command.provide(Layer.mergeAll(Changes.layer.pipe(Layer.provideMerge(Git.layer)), layerTimeout, layerSecureRandom))
)
