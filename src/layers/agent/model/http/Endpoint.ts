import type { Duration, Redacted } from "effect"

/** How long a provider may send nothing. */
export interface Timeouts {
  /** Until the answer begins; a local server may load its model first. */
  readonly answer: Duration.Input
  /** Between two pieces of the answer. */
  readonly silence: Duration.Input
}

export const defaultTimeouts: Timeouts = { answer: "10 minutes", silence: "5 minutes" }

export interface Endpoint {
  readonly key: Redacted.Redacted | null
  /** From the user's own configuration, never from a repository. */
  readonly baseUrl: string
  readonly timeouts: Timeouts
}
