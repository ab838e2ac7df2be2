/** Asks on the terminal, on standard error: standard output is for the report. */
import { Effect, type Stdio } from "effect"
import { Prompt } from "effect/cli"
import { oneLine } from "../../domain/text/Printable.ts"
import { Choices } from "../../services/fix/Choices.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { Questions, writeError } from "../review/Progress.ts"
import { eraseProgress } from "../system/terminal.ts"

/** An interrupted question interrupts the run. */
export const terminalChoices = Effect.fnUntraced(function* (colors: boolean) {
  const services = yield* Effect.context<Prompt.Environment | Redactor | Stdio.Stdio>()
  const { words } = yield* Redactor
  const questions = yield* Questions
  const ask = <A>(prompt: Prompt.Prompt<A>, details: ReadonlyArray<string>) =>
    Effect.sync(() => {
      questions.open = true
    }).pipe(
      Effect.andThen(writeError(`${eraseProgress}${details.map((line) => `  ${oneLine(words(line))}\n`).join("")}`)),
      Effect.andThen(Prompt.run(prompt)),
      Effect.provideService(Prompt.Theme, Prompt.makeTheme({ colors })),
      Effect.catch(() => Effect.interrupt),
      Effect.ensuring(
        Effect.sync(() => {
          questions.open = false
        })
      ),
      Effect.provideContext(services)
    )
  return Choices.of({
    confirm: (question, details) => ask(Prompt.Confirm({ message: question, initial: false }), details),
    choose: (question, details, choices) =>
      ask(
        Prompt.Select({
          message: question,
          choices: choices.map(({ name, words: title }) => ({ title, value: name }))
        }),
        details
      )
  })
})
