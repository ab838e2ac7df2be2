/** The checks of the rules whose ids begin with `rb/`. */
import type { LineChecks } from "../page/Checks.ts"
import { breakpointLeft } from "../shared/breakpoints.ts"

export const lineChecks: LineChecks = {
  "breakpoint-left": breakpointLeft(
    /\.(?:rb|rake|erb)$/,
    /^\s*(?:binding\.(?:pry|irb|break|b)|byebug|debugger)(?:\s*(?:#.*|(?:if|unless)\s.*))?$/
  )
}
