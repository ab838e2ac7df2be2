/** Shows a long text: in the pager on a terminal, else on standard output. */
import { Effect } from "effect"
import { Pager } from "../../services/system/Pager.ts"
import { writeOut } from "./writeOut.ts"

export const showText = Effect.fnUntraced(function* (text: string) {
  const pager = yield* Pager
  if (!(yield* pager.show(text))) yield* writeOut(text)
})
