/** Every rule dd ships, in the order in which a list of them is read. */
import type { Rule } from "../domain/Rule.ts"

export const catalogue: ReadonlyArray<Rule> = []
