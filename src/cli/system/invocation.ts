/** The flags of every command, and the messages for wrong usage. */
import { stripVTControlCharacters } from "node:util"
import { Console, Effect, Layer } from "effect"
import { CliConfig, CliOutput, Flag, GlobalFlag } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { isTerminal, layer as terminal } from "../../layers/system/terminal.ts"
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
  const width = yield* Effect.provide(lineWidth(true), terminal)
  const { formatHelpDoc } = CliOutput.defaultFormatter({ colors: yield* canShowColour })
  const description = helpDoc.description.replaceAll(/(?<=\S)\n {2}(?=\S)/g, " ")
  const lines = formatHelpDoc({ ...helpDoc, description }).split("\n")
  yield* Console.log(lines.map((line) => folded(line, width)).join("\n"))
})

/** Breaks a line between words; the next lines begin at the last column of a table, or with the same indentation. */
export const folded = (line: string, width: number): string => {
  const indent = /^ *(?:\S(?:.*?\S)? {2,})?/.exec(stripVTControlCharacters(line))?.[0].length ?? 0
  const rows: Array<string> = []
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const row = rows.at(-1)
    const longer = `${row} ${word}`
    if (row !== undefined && CliOutput.displayWidth(longer) <= width) rows[rows.length - 1] = longer
    else rows.push(row === undefined ? word : " ".repeat(indent) + word)
  }
  return rows.join("\n")
}

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
