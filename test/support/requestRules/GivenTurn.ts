import type { Fields } from "./fields.ts"

/** A turn that a server gave, as its provider's clients must send it back. */
export interface GivenTurn {
  /** Content blocks or output items; empty where a protocol has neither. */
  readonly content: ReadonlyArray<Fields>
  readonly isPause: boolean
}
