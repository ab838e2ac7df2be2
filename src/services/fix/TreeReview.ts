/** Runs the static rules again, on a fix tree. A port: `layers/FixLive.ts`. */
import { Context, type Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import type { FixTreeFailed, Tree } from "./FixTree.ts"

export class TreeReview extends Context.Service<
  TreeReview,
  {
    /** The static findings of the tree against the base of the change, with the fingerprints of a review. */
    readonly findings: (tree: Tree, change: Change) => Effect.Effect<ReadonlyArray<Finding>, FixTreeFailed>
    /** Whether the text has a syntax error; false for a language that is not parsed. */
    readonly hasSyntaxError: (path: string, text: string) => Effect.Effect<boolean>
    /** By `languages/complexity.ts`; null for a text that cannot be parsed. */
    readonly complexity: (path: string, text: string) => Effect.Effect<number | null>
  }
>()("dd/services/fix/TreeReview") {}
