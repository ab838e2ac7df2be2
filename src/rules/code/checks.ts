/** The checks of the rules for several languages. */
import type { NodeChecks } from "../page/Checks.ts"
import { conditionChecks } from "./conditions.ts"
import { operandChecks } from "./operands.ts"
import { parallelChecks } from "./parallel.ts"

export const nodeChecks: NodeChecks = { ...conditionChecks, ...operandChecks, ...parallelChecks }
