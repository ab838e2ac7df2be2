/** The flags of every command, the page of `--help`, and the messages for wrong usage. */
import { Console, Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, Completions, Flag, GlobalFlag } from "effect/cli"
import { layer as terminal } from "../../layers/system/terminal.ts"
import { inkFor } from "../text/Ink.ts"
import { canShowColour, colourFlags } from "./colour.ts"
import { presentable, type Redact } from "./failure.ts"
import { helpPage } from "./HelpPage.ts"
import { messageText, screenOf } from "./messages.ts"
import { helpWidth } from "./terminal.ts"
import { usageText } from "./usageText.ts"
import { versionText } from "./versionText.ts"

/** `-v` is verbose. */
const versionFlag = GlobalFlag.Action({
  flag: Flag.Boolean("version").pipe(
    Flag.withAlias("V"),
    Flag.withDescription("Show the version"),
    Flag.withDefault(false)
  ),
  run: () => Console.log(versionText(false))
})
const builtIns = [GlobalFlag.Help, versionFlag]

/** A command tree with the flags of every command, for completions. */
export const withEveryFlag = (tree: Completions.CommandDescriptor): Completions.CommandDescriptor => ({
  ...tree,
  flags: [...tree.flags, ...everyFlag],
  subcommands: tree.subcommands.map(withEveryFlag)
})

const everyFlag = Completions.fromCommand(
  Command.make("every", { help: GlobalFlag.Help.flag, version: versionFlag.flag, color: colourFlags[0].flag })
).flags

/** One message for each error, instead of the whole help. */
const presenter = (redact: Redact): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag === "Help") {
      const width = yield* Effect.provide(helpWidth, terminal)
      return yield* Console.log(helpPage(event.helpDoc, width, inkFor(yield* canShowColour(1))))
    }
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const name = event.commandPath.join(" ")
    const texts = event.errors.map((error) => presentable(usageText(error, event.helpDoc, name), redact))
    yield* Console.error(messageText("error", texts.join("\n"), yield* screenOf).trimEnd())
  })
})

export const invocation = (redact: Redact) =>
  Layer.mergeAll(CliOutput.layerPresenter(presenter(redact)), Layer.succeed(CliConfig.CliConfig, { builtIns }))
