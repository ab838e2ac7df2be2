/** Shows a long text in the user's pager on a terminal, otherwise unchanged. */
import { Context, type Effect } from "effect"

export class Pager extends Context.Service<
  Pager,
  {
    /** Ends when the reader quits. False: there is no pager, and nothing was shown. */
    readonly show: (text: string) => Effect.Effect<boolean>
  }
>()("dd/services/system/Pager") {}
