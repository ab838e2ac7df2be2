/** A tool of an agent: its name and description for the model, the schema of its arguments, and its effect. */
import { type Duration, Effect, Schema } from "effect"

/** The result for the model: text within its bounds. */
export interface ActionAnswer {
  readonly text: string
  readonly isError: boolean
}

/** Why an action is refused, and what the model can do instead. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

export const refused = (reason: string) => new Refused({ reason })

interface ActionOf<A, Act> {
  /** `read_file`. */
  readonly name: string
  readonly description: string
  readonly input: Schema.Codec<A, unknown>
  readonly act: (input: A) => Act
  /** Has effects outside the agent: a turn in which it ran is not retried. */
  readonly changesThings: boolean
  /** Covers the work, not the wait for a permit. */
  readonly timeout: Duration.Input
  /** How many of these may run at once in each agent. */
  readonly concurrency: number
  /** How often a call that timed out is retried. */
  readonly retries: number
}

/** Its arguments were decoded with `input`. Never fails: a failure is an answer with `isError`. */
export type Action<A = unknown, R = never> = ActionOf<A, Effect.Effect<ActionAnswer, never, R>>

/** Returns a text, or refuses. */
type Act = Effect.Effect<string, Refused>

/** An action without the type of its arguments, for the runtime; arguments of another type are refused. */
export const actionOf = <A>(action: ActionOf<A, Act>): Action => {
  const isInput = Schema.is(Schema.toType(action.input))
  const act = (input: unknown) =>
    isInput(input) ? action.act(input) : Effect.fail(refused(`these are not the arguments of ${action.name}`))
  return {
    ...action,
    act: (input) =>
      Effect.match(act(input), {
        onSuccess: (text) => ({ text, isError: false }),
        onFailure: ({ reason }) => ({ text: reason, isError: true })
      })
  }
}

/** An action without side effects. The time limits inside these actions are shorter: they return what they have. */
export const readActionOf = <A>(action: Pick<ActionOf<A, Act>, "name" | "description" | "input" | "act">): Action =>
  actionOf({ ...action, changesThings: false, timeout: "30 seconds", concurrency: 4, retries: 0 })
