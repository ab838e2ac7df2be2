/**
 * Evaluates pure functions on the syntax trees of files of both sides.
 *
 * The base side of a changed file is parsed incrementally from its head side, so that reading both costs little more
 * than reading one. The result is null for a file without a tree: absent, not text, too large, without the marks of the
 * question, or in a language without a grammar.
 */

import { Context, Effect, Layer } from "effect"
import type { Lack } from "../../domain/change/Degraded.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import type { Grammar } from "../../domain/change/Grammar.ts"
import { overLimit } from "../../domain/change/remote/whyUnread.ts"
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { grammarOf } from "../../languages/languages.ts"
import { readingOf } from "../../languages/reading.ts"
import { Sources, type SourceText } from "../change/Sources.ts"
import { type LineEdit, type PreviousText, SyntaxParser } from "./SyntaxParser.ts"

export type Text = Extract<SourceText, { readonly _tag: "Text" }>

export interface Question<A> {
  /** A text without a match is not parsed. */
  readonly marks?: RegExp
  /** Called while the tree is valid: no node may be returned. */
  readonly ask: (root: SyntaxNode, source: Text, grammar: Grammar) => A
}

/** A file without a tree, with the reason: too large, nested too deeply, too slow to parse. */
export interface Unread {
  readonly path: string
  readonly reason: string
  readonly lack: Lack
}

const refusals: ReadonlySet<string> = new Set(["too large", "nested too deeply"])

export class SyntaxTrees extends Context.Service<
  SyntaxTrees,
  {
    readonly head: <A>(path: string, question: Question<A>) => Effect.Effect<A | null>
    /** Of a changed file before the change. */
    readonly base: <A>(file: DiffFile, question: Question<A>) => Effect.Effect<A | null>
    /** Of all files with a text that were read so far, those that should have a tree but have none, by path. */
    readonly unread: Effect.Effect<ReadonlyArray<Unread>>
  }
>()("dd/services/code/SyntaxTrees") {
  static readonly layer = Layer.effect(
    SyntaxTrees,
    Effect.gen(function* () {
      const sources = yield* Sources
      const parser = yield* SyntaxParser

      const unread = new Map<string, Unread>()

      const ask = <A>(path: string, source: SourceText, previous: PreviousText | undefined, question: Question<A>) => {
        if (source._tag === "TooLarge" && grammarOf(path) !== null)
          unread.set(path, { path, reason: `too large, ${overLimit(source.bytes)}`, lack: "limit" })
        if (source._tag !== "Text" || question.marks?.test(source.text) === false) return Effect.succeed(null)
        const code = readingOf(path, source.lines)
        if (typeof code === "string") unread.set(path, { path, reason: code, lack: "limit" })
        if (code === null || typeof code === "string" || code.lines === null) return Effect.succeed(null)
        const { grammar, lines } = code
        const isWhole = lines === source.lines
        const own: Text = isWhole ? source : { ...source, lines, text: lines.join("\n") }
        // Where not all of a file is code, an edit outside of it can change what is.
        const last = isWhole ? previous : undefined
        return Effect.scoped(
          Effect.match(
            Effect.flatMap(parser.parse(grammar, own.text, last), ({ read }) =>
              read((root) => question.ask(root, own, grammar))
            ),
            {
              onSuccess: (answer) => answer,
              onFailure: ({ message, reason }) => {
                unread.set(path, { path, reason: message, lack: refusals.has(reason) ? "limit" : "here" })
                return null
              }
            }
          )
        )
      }

      return SyntaxTrees.of({
        head: (path, question) =>
          Effect.flatMap(sources.head(path), (source) => ask(path, source, undefined, question)),
        base: (file, question) =>
          Effect.gen(function* () {
            const { newPath, oldPath } = file
            if (oldPath === null) return null
            const head = newPath === null ? null : yield* sources.head(newPath)
            const previous = head?._tag === "Text" ? { text: head.text, edits: undoing(file) } : undefined
            return yield* ask(oldPath, yield* sources.base(oldPath), previous, question)
          }),
        unread: Effect.sync(() => [...unread.values()].sort((a, b) => compareText(a.path, b.path)))
      })
    })
  )
}

/** The edits that turn the head side into the base side, by lines. */
const undoing = ({ hunks }: DiffFile): ReadonlyArray<LineEdit> =>
  hunks.flatMap(({ lines, newCount, newStart }) => {
    const edits: Array<{ row: number; removed: number; added: number }> = []
    // An empty range has the number of the line above it.
    let row = newCount === 0 ? newStart : newStart - 1
    let open = false
    for (const { kind } of lines) {
      if (kind === "context") {
        row++
        open = false
        continue
      }
      if (!open) edits.push({ row, removed: 0, added: 0 })
      open = true
      const edit = edits[edits.length - 1]
      if (edit === undefined) continue
      if (kind === "deleted") edit.added++
      else {
        edit.removed++
        row++
      }
    }
    return edits
  })
