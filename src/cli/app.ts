/** Runs the command tree, and ends the process or returns the exit code: the only place where an Effect is run. */
import { runMain } from "@effect/platform-node-shared/NodeRuntime"
import { Cause, ConfigProvider, Console, Effect, Exit, Layer, Logger, References } from "effect"
import { CliError, Command } from "effect/cli"
import { version } from "../../package.json" with { type: "json" }
import * as Platform from "../layers/system/Platform.ts"
import { isHangupIgnored } from "../layers/system/process/hangup.ts"
import { beforeOutput, type Descriptor, print } from "../layers/system/process/output.ts"
import * as SlicedScheduler from "../layers/system/process/SlicedScheduler.ts"
import { columnsOf, isTerminal } from "../layers/system/terminal.ts"
import { Redactor, redactorOf } from "../services/secret/Redactor.ts"
import type { dd } from "./dd.ts"
import type { reviewOnly } from "./review/reviewOnly.ts"
import { Colours, coloursOf, isColoured } from "./system/colour.ts"
import { defectOf, failureOf, presentable, type Redact } from "./system/failure.ts"
import { type Ending, finish } from "./system/finish.ts"
import { withoutHelpOfUnknown } from "./system/help.ts"
import { invocation } from "./system/invocation.ts"
import { joinedValues } from "./system/joinedValues.ts"
import { messageText, warningsOf } from "./system/messages.ts"
import { Outcome, Settled, type Settling } from "./system/outcome.ts"
import { eraseProgress } from "./system/terminal.ts"
import { folded } from "./text/Page.ts"

/** One run: its services, and how its end becomes an exit code with a last message. */
const runOf = (argv: ReadonlyArray<string>) => {
  const redactor = redactorOf(process.env)
  const colours = coloursOf(argv, process.env, isTerminal)
  const screenOn = (descriptor: Descriptor) => ({
    colour: isColoured(colours, descriptor),
    width: columnsOf(descriptor)
  })

  /** To stderr; progress is erased first. */
  const printMessage = (kind: "note" | "warning", words: string) => {
    const erase = isTerminal(2) && process.env.TERM !== "dumb" ? eraseProgress : ""
    print(2, erase + messageText(kind, words, screenOn(2)))
  }

  /** Warnings are printed before the result, or at the end; notes, which tell why dd waits, at once. */
  const warnings = warningsOf((words) => printMessage("warning", words))
  beforeOutput(warnings.flush)
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    const text = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const words = presentable(text, redactor.words)
    if (logLevel === "Info") return printMessage("note", words)
    const { step } = fiber.getRef(References.CurrentLogAnnotations)
    warnings.warn(words, typeof step === "string" ? presentable(step, redactor.words) : null)
  })

  /** Words for people, so a line that is wider than the terminal breaks between words; data is written by `writeOut`. */
  const printing =
    (descriptor: Descriptor) =>
    (...words: ReadonlyArray<unknown>) => {
      const text = words.join(" ")
      const width = columnsOf(descriptor)
      print(descriptor, `${width === null ? text : folded(text, width)}\n`)
    }
  const printed: Console.Console = Object.assign(Object.create(console), { log: printing(1), error: printing(2) })

  const settled: Settling = { exit: null, left: null }
  const services = Layer.mergeAll(
    SlicedScheduler.layer,
    ConfigProvider.layer(ConfigProvider.fromEnv()),
    Layer.succeed(Console.Console, printed),
    Platform.layer,
    Layer.succeed(Colours, colours),
    Layer.succeed(Redactor, Redactor.of(redactor)),
    Logger.layer([logger]),
    invocation(redactor.words),
    Layer.succeed(References.MinimumLogLevel, "Info"),
    Layer.succeed(Settled, settled)
  )

  return {
    program: (tree: Tree) =>
      Effect.provide(Command.runWith(tree, { version })(withoutHelpOfUnknown(tree, joinedValues(argv))), services),
    /** Writes what was printed, and returns the exit code. */
    end: (exit: Exit.Exit<unknown, unknown>, isTerminated: boolean): Promise<number> => {
      warnings.flush()
      const errorText = (words: string) => messageText("error", words, screenOn(2))
      return finish(endingOf(settled.exit ?? exit, settled.left, isTerminated, redactor.words, errorText))
    }
  }
}

type Tree = typeof dd | typeof reviewOnly

export const main = (tree: Tree, argv: ReadonlyArray<string>): void => {
  // If the umask removes the user's own rights, dd cannot use the directories it creates.
  const mask = process.umask()
  if ((mask & 0o700) !== 0) process.umask(mask & 0o077)
  let terminated = false
  process.once("SIGTERM", () => {
    terminated = true
  })
  // A closed terminal does not end programs in other process groups, so dd ends as on SIGTERM: with its children, and
  // with its record complete. Shells send it once more.
  if (!isHangupIgnored()) process.on("SIGHUP", () => terminated || process.emit("SIGTERM"))
  const { end, program } = runOf(argv)
  runMain(program(tree), {
    disableErrorReporting: true,
    teardown: (exit) => {
      // Only output is left: from here on a signal ends dd immediately.
      for (const signal of ["SIGTERM", "SIGHUP"]) process.removeAllListeners(signal)
      void end(exit, terminated).then((code) => process.exit(code))
    }
  })
}

/** Runs a command inside another program, which gave the streams, and returns the exit code. Handles no signals. */
export const runInside = (tree: Tree, argv: ReadonlyArray<string>): Promise<number> => {
  const { end, program } = runOf(argv)
  return Effect.runPromiseExit(program(tree)).then((exit) => end(exit, false))
}

/** 130 and 143 for the two signals; otherwise the code of the error, and its message. */
const endingOf = (
  exit: Exit.Exit<unknown, unknown>,
  left: string | null,
  terminated: boolean,
  redact: Redact,
  errorText: (words: string) => string
): Ending => {
  const silent = (code: number): Ending => ({ code, words: "" })
  if (Exit.isSuccess(exit)) return silent(0)
  if (Cause.hasInterruptsOnly(exit.cause)) {
    const [code, what] = terminated ? [143, "terminated"] : [130, "interrupted"]
    return left === null
      ? silent(code)
      : { code, words: `${folded(`dd: ${what}${left}`, columnsOf(2) ?? Number.POSITIVE_INFINITY)}\n` }
  }
  const error = Cause.squash(exit.cause)
  if (error instanceof Outcome) return silent(error.code)
  // A command that needs a subcommand.
  if (error instanceof CliError.ShowHelp) {
    return silent(error.errors.length === 0 && error.commandPath.length === 1 ? 0 : 2)
  }
  const { code, words } = Cause.hasFails(exit.cause) ? failureOf(error, redact) : defectOf(error, redact)
  const isDebugged = Cause.hasDies(exit.cause) && process.env.DD_DEBUG === "1"
  return { code, words: `${errorText(words)}${isDebugged ? `${redact(Cause.pretty(exit.cause))}\n` : ""}` }
}
