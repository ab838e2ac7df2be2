/** The identity of a context: type and arguments. */
import { Effect, Schema } from "effect"
import type { AgentContext } from "./AgentContext.ts"
import { ArgsInvalid } from "./RunFailure.ts"

export interface ContextIdentity<Args> {
  readonly args: Args
  readonly encodedArgs: Schema.Json
  readonly key: string | null
  readonly id: string
}

/** Arguments are decoded first, so that an omitted default and the same explicit value are one identity. */
export const contextIdentity = Effect.fnUntraced(
  function* <Args>({ args: schema, key, type }: AgentContext<Args>, given: unknown) {
    const args = yield* Schema.decodeUnknownEffect(schema)(given)
    const encodedArgs = yield* Schema.encodeEffect(Schema.toCodecJson(schema))(args)
    const own = key === undefined ? null : key(args)
    const id = own === null ? type : `${type}:${own}`
    return { args, encodedArgs, key: own, id } satisfies ContextIdentity<Args>
  },
  (self, { type }) => Effect.mapError(self, (cause) => new ArgsInvalid({ type, cause }))
)
