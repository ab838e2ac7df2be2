/** What a review would do, for `--preview`: nothing is reviewed or sent. */
import type { ExpectedPart } from "../../../domain/brief/expectedParts.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import { plural } from "../../../domain/text/plural.ts"
import { inkFor } from "../../text/Ink.ts"
import { wrap } from "../../text/Page.ts"
import { jsonDocument } from "../../text/plainJson.ts"
import { listed, someOf } from "../../text/Tally.ts"
import { schemaVersion } from "./JsonReport.ts"
import { exactPath, type Mask, shown, treatmentsOf, wordsFor } from "./Presentable.ts"
import { reasonLines } from "./ReasonList.ts"
import type { RenderContext } from "./RenderContext.ts"

export interface Preview {
  readonly description: string
  readonly backend: string
  /** Whether the change would be sent to a model. */
  readonly callsModel: boolean
  /** The files each reviewer would read; `structure` reads all of them again. */
  readonly stacks: ReadonlyArray<PreviewedStack>
  readonly skipped: ReadonlyArray<{ readonly path: string; readonly reason: string }>
  readonly agentsPlanned: number
  readonly agentsForClaims: number
  /** Further agents that may be needed for what the first agent of a stack does not review. */
  readonly followUpsAtMost: number
  /** A lower bound in US dollars; null if unknown. */
  readonly costUsd: number | null
  readonly expectedUsd: number | null
  /** The cost limit; null: none. */
  readonly limitUsd: number | null
  /** For one turn of each agent whose task is known. */
  readonly promptTokens: number
  /** The parts of the brief; empty if none is wanted. */
  readonly brief: ReadonlyArray<ExpectedPart>
  readonly notes: ReadonlyArray<string>
}

export interface PreviewedStack {
  readonly name: string
  readonly files: ReadonlyArray<string>
  /** Is it a shard, because the whole change does not fit into one prompt? */
  readonly isShard: boolean
  /** Files of which it has only some hunks. */
  readonly parts: ReadonlyArray<{ readonly path: string; readonly hunks: number; readonly of: number }>
}

export const renderPreview = (
  preview: Preview,
  format: "text" | "json",
  context: Pick<RenderContext, "version" | "width" | "colour" | "all" | "here">,
  mask: Mask
): string => {
  const words = wordsFor(mask)
  const presented = (path?: (path: string) => string) =>
    shown(preview, { ...treatmentsOf(words, path), description: words.line })
  return format === "json" ? previewJson(presented(exactPath), context.version) : previewText(presented(), context)
}

const mostFiles = 6

const previewJson = (preview: Preview, version: string): string =>
  jsonDocument({
    schema_version: schemaVersion,
    tool: { name: "dd", version },
    preview: {
      description: preview.description,
      backend: preview.backend,
      calls_model: preview.callsModel,
      stacks: preview.stacks.map(({ files, isShard, name, parts }) => ({ name, files, ...(isShard ? { parts } : {}) })),
      skipped: preview.skipped,
      agents_planned: preview.agentsPlanned,
      agents_for_claims_at_most: preview.agentsForClaims,
      follow_ups_at_most: preview.followUpsAtMost,
      cost_usd: preview.costUsd,
      expected_usd: preview.expectedUsd,
      limit_usd: preview.limitUsd,
      prompt_tokens: preview.promptTokens,
      brief: preview.brief,
      notes: preview.notes
    }
  })

const previewText = (preview: Preview, context: Pick<RenderContext, "width" | "colour" | "all" | "here">): string => {
  const width = Math.max(40, context.width)
  const ink = inkFor(context.colour)
  const files = distinctFiles(preview)
  const here = context.here?.path ?? ((path: string) => path)
  const description = context.here?.description(preview.description) ?? preview.description
  const namesWide = Math.max(0, ...preview.stacks.map(({ name }) => name.length))
  const blocks: ReadonlyArray<ReadonlyArray<string>> = [
    [
      ...wrap(`Preview of the review of ${description}`, width).map(ink.bold),
      ...preview.notes.flatMap((note) => wrap(note, width)).map(ink.dim)
    ],
    files.length === 0
      ? ["No files would be reviewed."]
      : [
          `Would be reviewed (${plural(files.length, "file")})`,
          ...(preview.stacks.some(({ isShard }) => isShard) ? wrap(dividedNote, width) : []),
          ...preview.stacks.flatMap(({ name, files: own, parts }) => {
            const label = `  ${name.padEnd(namesWide)}  `
            const part = new Map(parts.map(({ hunks, of, path }) => [path, ` (${hunks} of ${plural(of, "hunk")})`]))
            const named = own.map((path) => `${here(path)}${part.get(path) ?? ""}`)
            const paths = someOf(named, context.all ? Number.POSITIVE_INFINITY : mostFiles)
            return wrap(`${plural(own.length, "file")}: ${paths}`, width - label.length).map((line, index) =>
              index === 0 ? label + line : " ".repeat(label.length) + line
            )
          })
        ],
    preview.skipped.length === 0
      ? []
      : [
          `Would be skipped (${plural(preview.skipped.length, "file")})`,
          ...reasonLines(
            preview.skipped.map((file) => ({ ...file, path: here(file.path) })),
            context.all,
            width
          )
        ],
    [
      ...wrap(
        `Agents planned: ${preview.agentsPlanned}, on the ${preview.backend} backend${moreAgents(preview)}.`,
        width
      ),
      ...wrap(costLine(preview), width),
      ...briefLines(preview).flatMap((line) => wrap(line, width))
    ]
  ]
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`
}

const dividedNote =
  "The change is larger than one prompt. Each agent reads a part of it, with the files that belong together."

const moreAgents = ({ agentsForClaims, followUpsAtMost }: Preview): string => {
  const more = [
    ...(agentsForClaims === 0 ? [] : [`${agentsForClaims} more for their claims`]),
    ...(followUpsAtMost === 0 ? [] : [`${followUpsAtMost} more for what they leave unread`])
  ]
  return more.length === 0 ? "" : `; at most ${listed(more)}`
}

const costLine = ({ callsModel, costUsd, expectedUsd, limitUsd, promptTokens }: Preview): string => {
  if (!callsModel) return "Cost: none. No model is used and nothing is sent."
  const range = [
    ...(costUsd === null ? [] : [`at least ${dollars(costUsd)}`]),
    ...(expectedUsd === null ? [] : [`about ${dollars(expectedUsd)} expected`]),
    ...(limitUsd === null ? [] : [`at most ${dollars(limitUsd)} (--max-cost sets another limit)`])
  ].join(", ")
  const cost = costUsd === null ? "unknown, because this model has no price (see prices.toml)" : range
  const tokens = promptTokens.toLocaleString("en-US")
  const stops =
    expectedUsd !== null && limitUsd !== null && expectedUsd > limitUsd
      ? ` The limit of ${dollars(limitUsd)} would probably stop the review before its end.`
      : ""
  return `Cost: ${cost}. At least ${tokens} tokens are sent; more if agents read more files.${stops}`
}

const dollars = (usd: number): string => `$${usd >= 0.01 || usd === 0 ? usd.toFixed(2) : Number(usd.toPrecision(1))}`

const briefLines = ({ brief }: Preview): ReadonlyArray<string> => {
  const expected = brief.flatMap(({ missing, part }) => (missing === null ? [part] : []))
  const absent = Map.groupBy(brief, ({ missing }) => missing)
  return [
    ...(expected.length === 0 ? [] : [`Brief: ${expected.join(", ")}, as far as there is something to say.`]),
    ...[...absent].flatMap(([missing, some]) =>
      missing === null ? [] : [`Not in the brief: ${some.map(({ part }) => part).join(", ")}, because ${missing}.`]
    )
  ]
}

const distinctFiles = ({ stacks }: Preview): ReadonlyArray<string> =>
  [...new Set(stacks.flatMap(({ files }) => files))].sort(compareText)
