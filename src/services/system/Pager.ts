/** Shows a long text so that it can be read: through the user's pager where a person watches, else as it is. */
import { Context, type Effect } from "effect"

export class Pager extends Context.Service<
  Pager,
  {
    /** Ends when the reader has. False: there is no pager, and nothing was shown. */
    readonly show: (text: string) => Effect.Effect<boolean>
  }
>()("dd/services/system/Pager") {}
