/** Asks the user. A port: the terminal in `cli/fix`, or nobody. */
import { Context, Effect } from "effect"

export interface Choice<Name extends string> {
  readonly name: Name
  readonly words: string
}

export class Choices extends Context.Service<
  Choices,
  {
    /** `details` are lines before the question. */
    readonly confirm: (question: string, details: ReadonlyArray<string>) => Effect.Effect<boolean>
    readonly choose: <Name extends string>(
      question: string,
      details: ReadonlyArray<string>,
      choices: readonly [Choice<Name>, ...ReadonlyArray<Choice<Name>>]
    ) => Effect.Effect<Name>
  }
>()("dd/services/fix/Choices") {}

/** Nobody is asked: no, and the first choice. */
export const nobody: Choices["Service"] = {
  confirm: () => Effect.succeed(false),
  choose: (_question, _details, [first]) => Effect.succeed(first.name)
}
