/** The checks of the rules whose ids begin with `js/`. */
import type { LineChecks } from "../page/Checks.ts"
import { breakpointLeft } from "../shared/breakpoints.ts"

export const lineChecks: LineChecks = {
  "breakpoint-left": breakpointLeft(/\.(?:[cm]?[jt]sx?|vue|svelte)$/, /^\s*debugger\s*;?\s*(?:\/\/.*)?$/)
}
