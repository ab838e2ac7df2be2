/** Shows a long text: in the pager on a terminal, else on standard output. */
import { Effect } from "effect"
import { Pager } from "../../services/system/Pager.ts"
import { fitted } from "./terminal.ts"
import { writeOut } from "./writeOut.ts"

export const showText = Effect.fnUntraced(function* (given: string) {
  const pager = yield* Pager
  const text = yield* fitted(given)
  if (!(yield* pager.show(text))) yield* writeOut(text)
})
