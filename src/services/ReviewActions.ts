/** What a reviewing agent may do to look around: read files, search, ask for history and symbols. Nothing changes anything. */
import { Context } from "effect"
import type { Action } from "./agent/Action.ts"

export class ReviewActions extends Context.Service<
  ReviewActions,
  {
    /** In an order that never changes. */
    readonly readOnly: ReadonlyArray<Action>
  }
>()("dd/services/ReviewActions") {}
