/** A local that has the name of a definition, or has it no longer, changes no place of this name. */
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, ManagedRuntime } from "effect"
import type { Occurrence } from "../../src/domain/code/Symbol.ts"
import { grammarFor, languages, usesIn } from "../../src/languages/languages.ts"
import { wordUsesIn } from "../../src/languages/wordUses.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { counterexample } from "../support/effect.ts"
import { Program, programOf, shadows } from "../support/shadows.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

/** The places of `total` for the checks, and for the brief. */
const placesIn = (path: string, text: string) => {
  const grammar = grammarFor(path, text) ?? "python"
  return parsing.runPromise(
    SyntaxParser.use((parser) => parser.parse(grammar, text)).pipe(
      Effect.map(({ root }) => ({
        hasError: root.hasError,
        checks: (usesIn(languages[grammar], root, text, ["total"]).occurrences.get("total") ?? []).filter(isOfFile),
        // A name beside the place is not the place.
        brief: (wordUsesIn(grammar, root, text, ["total"]).uses.get("total") ?? [])
          .filter(isOfFile)
          .map(({ declares: _, ...use }) => use)
      })),
      Effect.scoped
    )
  )
}

/** Not what a function imports. */
const isOfFile = ({ inner }: Pick<Occurrence, "inner">): boolean => inner === undefined

describe("a local that is renamed", () => {
  for (const [language, sample] of Object.entries(shadows)) {
    test(`has no uses of the function, in ${language}`, async () => {
      for (const [outer, inner] of sample.binders.flatMap(
        (_, at) =>
          [
            [at, at],
            [at, at + 1],
            [at + 1, at]
          ] as const
      )) {
        const parts = [{ outer, inner, deep: true, real: true }]
        const text = programOf(sample, parts, ["total", "total"])
        const found = await placesIn(sample.path, text)
        const plain = await placesIn(sample.path, programOf(sample, parts, ["tally", "tally"]))
        expect({ text, ...found }).toEqual({ text, ...plain })
        expect(found.hasError).toBe(false)
      }
    })
    test(`changes no place of the function, in any program of ${language}`, async () => {
      const isHeld = (parts: typeof Program.Type) =>
        Effect.promise(async () => {
          const found = await Promise.all(
            (["total", "tally"] as const).flatMap((outer) =>
              (["total", "tally"] as const).map((inner) =>
                placesIn(sample.path, programOf(sample, parts, [outer, inner]))
              )
            )
          )
          return new Set(found.map((each) => JSON.stringify(each))).size === 1
        })
      expect(await Effect.runPromise(counterexample(Program, isHeld))).toBeUndefined()
    })
  }
})
