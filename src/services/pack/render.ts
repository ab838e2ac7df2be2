/** The text of a pack, and its tokens as the sum of its pieces. */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { sideText } from "../../domain/change/Change.ts"
import { closing, type PackFormat, type Section, sectionPieces } from "../../domain/pack/Block.ts"
import type { Omission } from "../../domain/pack/Omission.ts"
import type { Sized } from "../../domain/pack/Pack.ts"
import { statusLine } from "../../domain/pack/patchText.ts"
import { oneLine, visiblePath } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { Redactor } from "../secret/Redactor.ts"
import type { Core } from "./core.ts"
import { shownPieces } from "./sized.ts"
import { TokenCounts } from "./TokenCounts.ts"

export interface Contents {
  readonly core: Core
  readonly omitted: ReadonlyArray<Omission>
  readonly related: ReadonlyArray<Sized>
}

/** Commits beyond these are only counted. */
const mostCommits = 30
const longestBody = 20

/** No times and no paths outside the repository: the same change gives the same text. */
export const render = Effect.fn("pack.render")(function* (
  change: Change,
  { core, omitted, related }: Contents,
  format: PackFormat
) {
  const { text: redact } = yield* Redactor
  const counts = yield* TokenCounts
  const piecesFor = yield* shownPieces
  const sections: ReadonlyArray<readonly [Section, ReadonlyArray<Sized>]> = [
    [
      {
        name: "change",
        title: "PR Context Pack",
        lines: [
          `Change: ${oneLine(redact(withoutFolders(change.description)))}`,
          `Base: ${sideText(change.base)}`,
          `Head: ${sideText(change.head)}`,
          ...commitLines(change, redact)
        ]
      },
      []
    ],
    [
      {
        name: "files",
        title: "Changed files (git diff --name-status)",
        lines: change.diff.files.map((file) => redact(visiblePath(statusLine(file))))
      },
      []
    ],
    [{ name: "diff", title: "Diff (added files are shown in full below)", lines: [] }, core.diffs],
    [{ name: "code", title: "Current code of the changed files", lines: [] }, core.code],
    [{ name: "related", title: "Related files, the closest first", lines: [] }, related],
    [
      {
        name: "omitted",
        title: "Omitted changed files",
        lines:
          omitted.length === 0 ? ["None"] : omitted.map(({ path, reason }) => `${redact(visiblePath(path))}: ${reason}`)
      },
      []
    ]
  ]
  const pieces = sections.flatMap(([section, blocks], at) => {
    const [opening, end] = sectionPieces(format, section, at === 0)
    return [opening, ...blocks.flatMap((block, index) => piecesFor(format, block, index === 0)), end]
  })
  const all = [...pieces, closing[format]].filter((piece) => piece !== "")
  const tokens = (yield* counts.of(all)).reduce((sum, count) => sum + count, 0)
  return { text: all.join(""), tokens }
})

/** A message is redacted as a whole: a key has several lines. */
const commitLines = ({ commits }: Change, redact: (text: string) => string): ReadonlyArray<string> => {
  const shown = commits.slice(-mostCommits).flatMap(({ body, sha, subject }) => {
    const [first = "", ...rest] = redact(`${subject}\n${body}`).split("\n")
    const lines = rest.filter((line) => line.trim() !== "").slice(0, longestBody)
    return [`Commit ${sha.slice(0, 12)}: ${oneLine(first)}`, ...lines.map((line) => `    ${oneLine(line)}`)]
  })
  const rest = commits.length - mostCommits
  return rest > 0 ? [plural(rest, "earlier commit"), ...shown] : shown
}

/** Without folders of this machine. */
const withoutFolders = (description: string): string => description.replace(/(^|\s)\/(?:\S*\/)?/g, "$1")
