/** The checks of the rules whose ids begin with `ex/`. */
import type { LineChecks } from "../page/Checks.ts"
import { breakpointLeft } from "../shared/breakpoints.ts"

export const lineChecks: LineChecks = {
  "breakpoint-left": breakpointLeft(/\.exs?$/, /^\s*(?:(?:require IEx\s*;\s*)?IEx\.(?:pry|break!)\b.*)$/)
}
