/** How dd is called: the flags every command has, and what a wrong call is told. */
import { Console, Layer } from "effect"
import { CliConfig, CliOutput, Flag, GlobalFlag } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { presentable, type Redact } from "./failure.ts"

/** `-v` is verbose here, so the version has no short form; wizard and log level are not part of the tree. */
const builtIns = [
  GlobalFlag.Help,
  GlobalFlag.Action({
    flag: Flag.Boolean("version").pipe(Flag.withDescription("Show the version"), Flag.withDefault(false)),
    run: () => Console.log(`dd ${version}`)
  })
]

/** A wrong call is one line a fault and where to look, not a page of help around it. */
const presenter = (redact: Redact): CliOutput.Presenter => ({
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const name = event.commandPath.join(" ")
    const faults = event.errors.map((error) => `${name}: ${onOneLine(error.message, redact)}`)
    return Console.error([...faults, `See \`${name} --help\`.`].join("\n"))
  }
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
