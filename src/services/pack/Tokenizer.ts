/** Counts tokens. A port: `layers/pack/tokenizer/Gpt.ts`. */
import { Context, type Effect } from "effect"

/** Both split texts so that the pieces of a pack add up (`domain/pack/Block`). */
export const encodings = ["o200k_base", "cl100k_base"] as const
export type Encoding = (typeof encodings)[number]

export class Tokenizer extends Context.Service<
  Tokenizer,
  {
    readonly encoding: Encoding
    /** Special tokens in a text are counted as ordinary text. */
    readonly count: (text: string) => Effect.Effect<number>
  }
>()("dd/services/pack/Tokenizer") {}
