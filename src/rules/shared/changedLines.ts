/** What a change does to files. */

import type { RuleFile } from "../../domain/finding/Rule.ts"

/** Does the change touch the contents of the file? */
export const isTouched = ({ diff }: RuleFile): boolean =>
  diff.status !== "modified" || diff.binary || diff.hunks.length > 0
