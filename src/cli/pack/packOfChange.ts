/** Makes the pack that the flags describe, and the files that explain it. */
import { Effect, Layer, Option, Stdio } from "effect"
import type { Command } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import type { Change } from "../../domain/change/Change.ts"
import { manifestsOf } from "../../domain/pack/ContextPack.ts"
import { packFileNames } from "../../domain/pack/PackReport.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { ReadsAhead } from "../../layers/change/sources/Git.ts"
import * as PackLive from "../../layers/PackLive.ts"
import type { FilePlace } from "../../layers/pack/PackDirectory.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { pack } from "../../programs/pack.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { redactedTexts } from "../../services/pack/redactedTexts.ts"
import { encodings } from "../../services/pack/Tokenizer.ts"
import { daydreamHome, type Flags as SettingFlags, Settings } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { type ChosenChange, chosenChange } from "../review/chosenChange.ts"
import { UsageWrong } from "../review/reviewFlags.ts"
import { editedSettingsFiles } from "../review/reviewNotes.ts"
import { selectionOf } from "../review/reviewSelection.ts"
import { jsonDocument } from "../text/plainJson.ts"
import type { packFlags } from "./packFlags.ts"
import { reportOf } from "./packReport.ts"

export type PackFlags = Command.Command.Config.Infer<typeof packFlags>

/** Opens the repository and the change, whose base side has settings, for `use`. */
export const withChosenChange = Effect.fnUntraced(function* <A, E, R>(
  given: PackFlags,
  use: (chosen: ChosenChange) => Effect.Effect<A, E, R>
) {
  const selection = yield* selectionOf(given)
  const chosen = yield* chosenChange(given.target, selection)
  const facts = ReviewLive.blobFacts(chosen.repository, yield* daydreamHome)
  const sources = ReviewLive.sources(chosen.repository, chosen.resolved, facts).pipe(
    Layer.provide(Layer.succeed(ReadsAhead, false))
  )
  return yield* Effect.provide(use(chosen), sources)
})

/** The settings for a change; `written` are those of the command's other flags. */
export const settingsOf = Effect.fnUntraced(function* (given: PackFlags, change: Change, written: SettingFlags) {
  const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  const listed = (values: ReadonlyArray<string>) => (values.length === 0 ? undefined : values)
  const flags = {
    ...written,
    "pack.exclude": listed(given.exclude),
    "pack.include": listed(given.include),
    "pack.focus": listed(given.focus)
  }
  const { notes, settings, warnings } = yield* Settings.pipe(
    Effect.provide(Settings.layer(flags, isTerminal, editedSettingsFiles(change)))
  )
  for (const warning of warnings) yield* Effect.logWarning(warning)
  return { settings, notes }
})

/** Null if the user must name a directory. */
export const filePlace = (output: Option.Option<string>, repository: Repository | null): FilePlace | null => {
  if (Option.isSome(output)) return { directory: output.value }
  const root = repository?.root ?? null
  return root === null ? null : { root }
}

/** `command`: whose help explains an error. */
export const packOfChange = Effect.fnUntraced(function* (
  given: PackFlags,
  change: Change,
  settings: ReviewSettings,
  {
    budget,
    command,
    show
  }: {
    readonly budget: number
    readonly command: "pack" | "ask"
    /** Shows a stage. */
    readonly show: (stage: string) => Effect.Effect<void>
  }
) {
  if (change.diff.files.length === 0) {
    return yield* new UsageWrong({ reason: `nothing to pack: no file changed (${change.description})`, command })
  }
  const { format } = given
  const policy = settings.packPolicy
  const encoding = Option.getOrElse(given.encoding, () => encodings[0])
  const onStage = (stage: string) => show(`pack: ${stage}`)
  const { manifests, packed } = yield* Effect.gen(function* () {
    const packed = yield* pack({ change, policy, format, budget, onStage })
    const named = [...manifestsOf(packed)]
    const texts = yield* redactedTexts(named.map(([, text]) => text))
    return { packed, manifests: named.map(([name], at) => [name, texts[at]!] as const) }
  }).pipe(Effect.provide(PackLive.layer(encoding)))
  const { value } = yield* Redactor
  const report = jsonDocument(value(reportOf(packed, change, policy, format, version)))
  return {
    packed,
    report,
    files: new Map([...manifests, [packFileNames.pack, packed.text], [packFileNames.reportPath, report]])
  }
})
