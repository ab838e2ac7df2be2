/** A long text, to be read: through the pager where a person watches, else to standard output as it is. */
import { Effect } from "effect"
import { Pager } from "../../services/system/Pager.ts"
import { writeOut } from "./writeOut.ts"

export const showText = Effect.fnUntraced(function* (text: string) {
  const pager = yield* Pager
  if (!(yield* pager.show(text))) yield* writeOut(text)
})
