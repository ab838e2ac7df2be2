/**
 * The context pack of a change, in parts for the prompts of agents: the same files, in the same order and redaction, as
 * in the pack of `dd pack`. Source: seed 002, "Agentic Review".
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import type { Block } from "../../domain/pack/Block.ts"
import type { PackPolicy } from "../../domain/pack/PackPolicy.ts"
import { tokenEstimate } from "../../domain/text/tokenEstimate.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { type ChangedFile, changedFiles, coreOf } from "./core.ts"
import { sliceOf } from "./excerpts.ts"
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
     * The current code of these files as far as it fits: whole, or the definitions around the change. Without files whose
     * diff has every line.
     */
    readonly changedCode: (
      change: Change,
      files: ReadonlyArray<DiffFile>,
      tokens: number
    ) => Effect.Effect<ReadonlyArray<Block>>
    /** One file, given as redacted lines: whole, or the definitions around these lines; null if neither fits. */
    readonly codeAround: (
      path: string,
      lines: ReadonlyArray<string>,
      places: ReadonlyArray<number>,
      tokens: number
    ) => Effect.Effect<Block | null>
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

        const changedCode = Effect.fn("ContextPacks.changedCode")(function* (
          change: Change,
          files: ReadonlyArray<DiffFile>,
          tokens: number
        ) {
          const all = yield* shown(change, provided(changedFiles(change, policy)))
          const own = new Set(files.map(({ path }) => path))
          const mine = all.shown.filter((each) => own.has(each.file.path) && !isWholeInDiff(each))
          const { code } = yield* coreOf({ ...all, diffs: [], shown: mine }, "markdown", tokens)
          let left = tokens
          return code.filter((block) => {
            if (block.text === "" || block.tokens > left) return false
            left -= block.tokens
            return true
          })
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

        const relatedCode = Effect.fn("ContextPacks.relatedCode")(function* (change: Change, tokens: number) {
          const { ranked, rareWords, warnings } = yield* recalled(change, provided(recall(change, policy)))
          const fitted = yield* fitRelated(ranked, rareWords, "markdown", tokens)
          const left = fitted.omitted.flatMap(({ path, reason }) => (reason === "over-budget" ? [path] : []))
          return { blocks: fitted.blocks, left, warnings: [...warnings, ...fitted.warnings] }
        })

        return ContextPacks.of({
          diff: (file) => diffs(file, provided(redactedDiff(file))),
          changedCode: (change, files, tokens) => provided(changedCode(change, files, tokens)),
          codeAround: (path, lines, places, tokens) => provided(codeAround(path, lines, places, tokens)),
          relatedCode: (change, tokens) => provided(relatedCode(change, tokens))
        })
      })
    )
}

const isWholeInDiff = ({ file, lines }: ChangedFile): boolean =>
  file.hunks.reduce((sum, { newCount }) => sum + newCount, 0) >= lines.length

type Requirements = Effect.Services<ReturnType<typeof changedFiles | typeof coreOf | typeof recall | typeof fitRelated>>
