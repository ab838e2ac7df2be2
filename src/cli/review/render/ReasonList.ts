/** Files grouped by reason, in a few lines. */
import { plural } from "../../../domain/text/plural.ts"
import { wrap } from "../../text/Page.ts"
import { byReason, someOf } from "../../text/Tally.ts"

const mostReasons = 6
const mostPaths = 3

export const reasonLines = (
  files: ReadonlyArray<{ readonly path: string; readonly reason: string }>,
  all: boolean,
  width: number
): ReadonlyArray<string> => {
  const reasons = byReason(files)
  const shown = all ? reasons : reasons.slice(0, mostReasons)
  const left = reasons.slice(shown.length).reduce((total, { paths }) => total + paths.length, 0)
  return [
    ...shown.flatMap(({ reason, paths }) =>
      wrap(
        `${reason === "" ? "no reason given" : reason}: ${someOf(paths, all ? Number.POSITIVE_INFINITY : mostPaths)}`,
        width - 4
      ).map((line, index) => (index === 0 ? `  ${line}` : `    ${line}`))
    ),
    ...(left === 0 ? [] : [`  and ${plural(left, "file")} for other reasons`])
  ]
}
