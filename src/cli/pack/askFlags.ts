/** The flags of `dd ask`, the checks of their combinations, and the question. */
import { Effect, Option, Result, Stdio } from "effect"
import { Argument, type Command } from "effect/cli"
import { backends } from "../../domain/run/BackendChoice.ts"
import { bytesAtMost } from "../../services/system/bytesAtMost.ts"
import { exclusive, reviewFlags, UsageWrong } from "../review/reviewFlags.ts"
import { choiceFlag, countFlag, directoryFlag, textFlag } from "../text/flags.ts"
import { packFlags, packGroups } from "./packFlags.ts"

export const askFlags = {
  question: Argument.String("question").pipe(Argument.withDescription("The question; - reads it from standard input")),
  ...packFlags,
  backend: choiceFlag("backend", "NAME", backends, "Choose a model API or a coding CLI"),
  model: reviewFlags.model,
  maxCost: textFlag("max-cost", "USD", "Send nothing if the answer could cost more"),
  budget: countFlag("budget", "The most tokens of the request; default: three quarters of the model's context"),
  contextPack: textFlag("context-pack", "FILE", "Send this pack instead of making one"),
  output: directoryFlag("output", "Write the pack and the answer here instead of .daydream/pack and .daydream/ask")
}

/** The headings in the help. */
export const askGroups = {
  ...packGroups(askFlags.budget),
  MODEL: { backend: askFlags.backend, model: askFlags.model, maxCost: askFlags.maxCost },
  OUTPUT: { format: askFlags.format, output: askFlags.output }
}

export type AskFlags = Command.Command.Config.Infer<typeof askFlags>

export const wrong = (reason: string) => new UsageWrong({ reason, command: "ask" })

/** A pack that exists has its change and its size. */
export const checkFlags = Effect.fnUntraced(function* (given: AskFlags) {
  const ofPack = {
    TARGET: Option.isSome(given.target),
    "--base": Option.isSome(given.base),
    "--branch": Option.isSome(given.branch),
    "--staged": given.staged,
    "--commit": Option.isSome(given.commit),
    "--diff-file": Option.isSome(given.diffFile),
    "--budget": Option.isSome(given.budget),
    "--exclude": given.exclude.length > 0,
    "--include": given.include.length > 0,
    "--focus": given.focus.length > 0
  }
  for (const [name, isGiven] of Object.entries(ofPack)) {
    yield* exclusive({ "--context-pack": Option.isSome(given.contextPack), [name]: isGiven }, "ask")
  }
  if (given.question === "-" && Option.contains(given.diffFile, "-")) {
    return yield* wrong("standard input has either the question or the patch")
  }
})

/** In characters. */
const longestQuestion = 200_000
/** In bytes. */
const largestInput = 1_000_000

const tooLong = () => wrong(`the question has more than ${longestQuestion} characters; write it shorter`)

export const questionOf = Effect.fnUntraced(function* ({ question: given }: AskFlags) {
  const question = given === "-" ? yield* questionIn((yield* Stdio.Stdio).stdin) : given
  if (question.trim() === "") return yield* wrong("the question is empty")
  if (question.length > longestQuestion) return yield* tooLong()
  return question
})

const questionIn = Effect.fnUntraced(function* (stdin: Stdio.Stdio["stdin"]) {
  const bytes = yield* bytesAtMost(stdin, largestInput)
  return bytes.length > largestInput ? yield* tooLong() : yield* textIn(bytes, "the question")
})

const decoder = new TextDecoder("utf-8", { fatal: true })

export const textIn = (bytes: Uint8Array, what: string) => {
  const text = Result.try(() => decoder.decode(bytes))
  return Result.isSuccess(text) && !text.success.includes("\0")
    ? Effect.succeed(text.success)
    : Effect.fail(wrong(`${what} is not text in UTF-8`))
}
