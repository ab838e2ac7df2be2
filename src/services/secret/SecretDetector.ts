/**
 * Finds the tokens of known services in a text.
 *
 * A port: `layers/secret/secrets/Secretlint.ts` uses the library. Loading it costs more than a small review, so it is
 * used only for a text in which `mayContainToken` finds a candidate.
 */
import { Context, type Effect, Schema } from "effect"

export class DetectorFailed extends Schema.TaggedError<DetectorFailed>()("DetectorFailed", {
  cause: Schema.Defect()
}) {
  override get message() {
    return "the secret detector failed; lines that may contain a token were checked only by dd's own patterns"
  }
}

export interface DetectedSecret {
  /** The kind of token: "Linear API key". Never any of its text. */
  readonly name: string
  /** UTF-16 offsets into the text; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

export class SecretDetector extends Context.Service<
  SecretDetector,
  {
    /** `path`: of the text, for tokens that are only valid in one kind of file; it is not opened. */
    readonly detect: (path: string, text: string) => Effect.Effect<ReadonlyArray<DetectedSecret>, DetectorFailed>
  }
>()("dd/services/secret/SecretDetector") {}
