/** The flags of every command, and the messages for wrong usage. */
import { Console, Effect, Layer } from "effect"
import { CliConfig, CliOutput, Flag, GlobalFlag } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { isTerminal, layer as terminal } from "../../layers/system/terminal.ts"
import { folded } from "../text/Page.ts"
import { presentable, type Redact } from "./failure.ts"
import { canShowColour, lineWidth } from "./terminal.ts"

/** `-v` is verbose, so `--version` has no short form. */
const builtIns = [
  GlobalFlag.Help,
  GlobalFlag.Action({
    flag: Flag.Boolean("version").pipe(Flag.withDescription("Show the version"), Flag.withDefault(false)),
    run: () => Console.log(`dd ${version}`)
  })
]

/** One line for each error and a pointer to the help, instead of the whole help. */
const presenter = (redact: Redact): CliOutput.Presenter => ({
  present: (event) => {
    if (event._tag === "Help" && isTerminal(1)) return presentFolded(event)
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const name = event.commandPath.join(" ")
    const faults = event.errors.map((error) => `${name}: ${onOneLine(error.message, redact)}`)
    return Console.error([...faults, `See \`${name} --help\`.`].join("\n"))
  }
})

/** The help with lines that fit the terminal. */
const presentFolded = Effect.fnUntraced(function* ({ helpDoc }: CliOutput.Presenter.Help) {
  const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: yield* canShowColour })
  const description = helpDoc.description.replaceAll(/(?<=\S)\n {2}(?=\S)/g, " ")
  const width = yield* Effect.provide(lineWidth(true), terminal)
  yield* Console.log(folded(formatHelpDoc({ ...helpDoc, description }), width))
})

const onOneLine = (text: string, redact: Redact): string =>
  presentable(
    text.replace(
      /\n\n\s*Did you mean this\?\s*([\s\S]*)$/,
      (_, names: string) => `. Did you mean ${names.trim().split(/\s+/).join(" or ")}?`
    ),
    redact
  )

export const invocation = (redact: Redact) =>
  Layer.mergeAll(CliOutput.layerPresenter(presenter(redact)), Layer.succeed(CliConfig.CliConfig, { builtIns }))
