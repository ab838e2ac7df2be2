/** Runs the command tree and ends the process: the only place where an Effect is run. */
import { runMain } from "@effect/platform-node-shared/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer, Logger, References } from "effect"
import { CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"
import { version } from "../../package.json" with { type: "json" }
import * as Platform from "../layers/Platform.ts"
import { dd } from "./dd.ts"
import { defectOf, failureOf, presentable } from "./failure.ts"
import { Outcome } from "./outcome.ts"

/** `-v` is verbose here, so the version has no short form; wizard and log level are not part of the tree. */
const builtIns = [
  GlobalFlag.Help,
  GlobalFlag.Action({
    flag: Flag.Boolean("version").pipe(Flag.withDescription("Show the version"), Flag.withDefault(false)),
    run: () => Console.log(`dd ${version}`)
  })
]

/** A wrong call is one line a fault and where to look, not a page of help around it. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const name = event.commandPath.join(" ")
    const faults = event.errors.map((error) => `${name}: ${onOneLine(error.message)}`)
    return Console.error([...faults, `See \`${name} --help\`.`].join("\n"))
  }
}

const onOneLine = (text: string): string =>
  presentable(text.replace(/\n\n\s*Did you mean this\?\s*/, ". Did you mean ").replace(/(Did you mean .*)$/, "$1?"))

/** Warnings go to stderr, a line each; stdout belongs to the result. A progress line is wiped first. */
const warnings = Logger.make(({ logLevel, message }) => {
  const words = (Array.isArray(message) ? message : [message]).map(String).join(" ")
  const wipe = process.stderr.isTTY ? "\r\u001b[2K" : ""
  console.error(`${wipe}dd: ${logLevel === "Warn" ? "warning" : logLevel.toLowerCase()}: ${presentable(words)}`)
})

const edge = Layer.mergeAll(
  Platform.layer,
  Logger.layer([warnings]),
  CliOutput.layerPresenter(presenter),
  Layer.succeed(CliConfig.CliConfig, { builtIns }),
  Layer.succeed(References.MinimumLogLevel, "Warn")
)

export const main = (argv: ReadonlyArray<string>): void => {
  let terminated = false
  process.once("SIGTERM", () => {
    terminated = true
  })
  runMain(Effect.provide(Command.runWith(dd, { version })(argv), edge), {
    disableErrorReporting: true,
    teardown: (exit, end) => end(codeOf(exit, terminated))
  })
}

/** 130 and 143 for the two signals; else what the error says of itself, in one line on stderr. */
const codeOf = (exit: Exit.Exit<unknown, unknown>, terminated: boolean): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return terminated ? 143 : 130
  const error = Cause.squash(exit.cause)
  if (error instanceof Outcome) return error.code
  if (error instanceof CliError.ShowHelp) return error.errors.length === 0 ? 0 : 2
  const { code, words } = Cause.hasFails(exit.cause) ? failureOf(error) : defectOf(error)
  console.error(`dd: ${words}`)
  if (Cause.hasDies(exit.cause) && process.env.DD_DEBUG === "1") console.error(Cause.pretty(exit.cause))
  return code
}
