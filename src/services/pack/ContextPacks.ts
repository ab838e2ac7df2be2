/**
 * The context pack of a change, in parts for the prompts of agents: the same files, in the same order and redaction, as
 * in the pack of `dd pack`.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isTestPath } from "../../domain/change/PathKind.ts"
import type { Block } from "../../domain/pack/Block.ts"
import type { DiffWidths } from "../../domain/pack/DiffWidths.ts"
import type { LineRange } from "../../domain/pack/excerpt.ts"
import type { PackPolicy } from "../../domain/pack/PackPolicy.ts"
import { withContext } from "../../domain/pack/withContext.ts"
import { tokenEstimate } from "../../domain/text/tokenEstimate.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { type ChangedFile, changedFiles, placesOf } from "./core.ts"
import { around, enclosing, sliceOf } from "./excerpts.ts"
import { recall } from "./recall.ts"
import { redactedDiff } from "./redactedDiff.ts"
import { fitRelated } from "./related.ts"

export interface RelatedCode {
  /** The closest first. */
  readonly blocks: ReadonlyArray<Block>
  /** Files that did not fit, the closest first. */
  readonly left: ReadonlyArray<string>
  /** What was not looked at. */
  readonly warnings: ReadonlyArray<string>
}

export class ContextPacks extends Context.Service<
  ContextPacks,
  {
    /** The diff of a file, redacted with both whole sides. */
    readonly diff: (file: DiffFile) => Effect.Effect<DiffFile>
    /**
     * The diff of these files or parts of files, redacted, and what may be shown around their changes: nothing of
     * files that are filtered, too large, generated or not text.
     */
    readonly widths: (change: Change, files: ReadonlyArray<DiffFile>) => Effect.Effect<ReadonlyArray<DiffWidths>>
    /** One file, given as redacted lines: whole, or the definitions around these lines; null if neither fits. */
    readonly codeAround: (
      path: string,
      lines: ReadonlyArray<string>,
      places: ReadonlyArray<number>,
      tokens: number
    ) => Effect.Effect<Block | null>
    /** The lines of the definition around a line, or the lines near it. */
    readonly linesAround: (path: string, line: number) => Effect.Effect<LineRange>
    /** Code of files that did not change. */
    readonly relatedCode: (change: Change, tokens: number) => Effect.Effect<RelatedCode>
  }
>()("dd/services/pack/ContextPacks") {
  static readonly layer = (policy: PackPolicy) =>
    Layer.effect(
      ContextPacks,
      Effect.gen(function* () {
        const services = yield* Effect.context<Requirements>()
        const diffs = oncePerKey<DiffFile, DiffFile>()
        const shown = oncePerKey<Change, Effect.Success<ReturnType<typeof changedFiles>>>()
        const recalled = oncePerKey<Change, Effect.Success<ReturnType<typeof recall>>>()
        const provided = Effect.provideContext(services)

        const diffOf = (file: DiffFile) => diffs(file, provided(redactedDiff(file)))

        const widths = Effect.fn("ContextPacks.widths")(function* (change: Change, files: ReadonlyArray<DiffFile>) {
          const all = yield* shown(change, provided(changedFiles(change, policy)))
          const sources = new Map(all.shown.map((each) => [each.file.path, each] as const))
          return yield* Effect.forEach(files, (file) => widthsOf(file, sources.get(file.path)))
        })

        const widthsOf = Effect.fnUntraced(function* (file: DiffFile, source: ChangedFile | undefined) {
          const narrow = yield* diffOf(file)
          if (source === undefined || source.isGenerated || narrow.hunks.length === 0) {
            return { narrow, around: [], showing: () => null } satisfies DiffWidths
          }
          const whole = yield* diffOf(source.file)
          const { long, usual } = yield* around(file.path, placesOf(file))
          const all = [[{ first: 1, last: source.lines.length }]]
          return {
            narrow,
            around: isTestPath(file.path) ? [usual, long] : [usual, long, all],
            showing: (ranges) => withContext(whole, narrow, source.lines, ranges)
          } satisfies DiffWidths
        })

        const codeAround = Effect.fn("ContextPacks.codeAround")(function* (
          path: string,
          lines: ReadonlyArray<string>,
          places: ReadonlyArray<number>,
          tokens: number
        ) {
          const full: Block = { path, extent: "full", text: lines.join("\n") }
          if (tokenEstimate(full.text) <= tokens) return full
          const slice: Block = { path, extent: "slice", text: yield* sliceOf(path, lines, places) }
          return tokenEstimate(slice.text) <= tokens ? slice : null
        })

        const linesAround = Effect.fn("ContextPacks.linesAround")(function* (path: string, line: number) {
          // The headers of outer definitions come first.
          return (yield* enclosing(path, [line])).at(-1) ?? { first: line, last: line }
        })

        const relatedCode = Effect.fn("ContextPacks.relatedCode")(function* (change: Change, tokens: number) {
          const { ranked, rareWords, warnings } = yield* recalled(change, provided(recall(change, policy)))
          const fitted = yield* fitRelated(ranked, rareWords, "markdown", tokens)
          const left = fitted.omitted.flatMap(({ path, reason }) => (reason === "over-budget" ? [path] : []))
          return { blocks: fitted.blocks, left, warnings: [...warnings, ...fitted.warnings] }
        })

        return ContextPacks.of({
          diff: diffOf,
          widths: (change, files) => provided(widths(change, files)),
          codeAround: (path, lines, places, tokens) => provided(codeAround(path, lines, places, tokens)),
          linesAround: (path, line) => provided(linesAround(path, line)),
          relatedCode: (change, tokens) => provided(relatedCode(change, tokens))
        })
      })
    )
}

type Requirements = Effect.Services<
  ReturnType<typeof changedFiles | typeof enclosing | typeof recall | typeof fitRelated>
>
