/** Asks on the terminal, on standard error: standard output is for the report. */
import { Effect, type Stdio } from "effect"
import { Prompt } from "effect/cli"
import { oneLine } from "../../domain/text/Printable.ts"
import { Choices } from "../../services/fix/Choices.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeError } from "../review/Progress.ts"

/** An interruption of the question answers no. */
export const terminalChoices = Effect.gen(function* () {
  const services = yield* Effect.context<Prompt.Environment | Redactor | Stdio.Stdio>()
  const { words } = yield* Redactor
  const show = (details: ReadonlyArray<string>) =>
    writeError(details.map((line) => `  ${oneLine(words(line))}\n`).join(""))
  return Choices.of({
    confirm: (question, details) =>
      Effect.andThen(show(details), Prompt.run(Prompt.Confirm({ message: question, initial: false }))).pipe(
        Effect.catch(() => Effect.interrupt),
        Effect.provideContext(services)
      ),
    choose: (question, details, choices) =>
      Effect.andThen(
        show(details),
        Prompt.run(
          Prompt.Select({
            message: question,
            choices: choices.map(({ name, words: title }) => ({ title, value: name }))
          })
        )
      ).pipe(
        Effect.catch(() => Effect.interrupt),
        Effect.provideContext(services)
      )
  })
})
