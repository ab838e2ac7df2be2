/** What a word is at one of its places in a file. */
import type { Occurrence } from "./Symbol.ts"

export interface WordUse extends Pick<Occurrence, "inner" | "self"> {
  readonly line: number
  readonly kind: "call" | "use" | "import" | "definition" | "parent"
  /**
   * The path of names before the dot: `web` in `web.Cart`, `shop.cart()` in `shop.cart(1).total`; "" for an object without
   * a name; null without a dot.
   */
  readonly receiver: string | null
  /** The dot is one of modules and types alone: `::`. */
  readonly isPath: boolean
  /** Of a type: the variables and functions that are declared with it here; of a parent, its child. */
  readonly declares?: ReadonlyArray<string>
  /** Of a member: the type as which its object is constructed above, or with `()` the function that returns it. */
  readonly object?: string
}
