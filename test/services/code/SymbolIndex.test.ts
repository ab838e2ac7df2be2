import { afterAll, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { BlobFacts } from "../../../src/services/change/BlobFacts.ts"
import { Sources } from "../../../src/services/change/Sources.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxParser } from "../../../src/services/code/SyntaxParser.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { sourcesOf } from "../../support/change.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

test("the uses of the same words in the same blob are read once, and those of others are read anew", async () => {
  const kept = new Map<string, string>()
  const facts = Layer.succeed(BlobFacts, {
    get: (reading, keys) =>
      Effect.sync(() => keys.map(({ blob }) => JSON.parse(kept.get(`${reading} ${blob}`) ?? "null") as unknown)),
    put: (reading, { blob }, value) => Effect.sync(() => void kept.set(`${reading} ${blob}`, JSON.stringify(value)))
  })
  let parsed = 0
  const counting = Layer.effect(
    SyntaxParser,
    Effect.map(SyntaxParser, (parser) => ({
      parse: (...operands: Parameters<SyntaxParser["Service"]["parse"]>) =>
        Effect.sync(() => parsed++).pipe(Effect.andThen(parser.parse(...operands)))
    }))
  )
  const asked = (text: string, words: ReadonlyArray<string>) => {
    const sources = Layer.effect(
      Sources,
      Effect.map(Sources, (found) => ({ ...found, blobOf: () => Effect.succeed(text) }))
    ).pipe(Layer.provide(sourcesOf({ "a.py": ["", text] })))
    return parsing.runPromise(
      SymbolIndex.use((index) => index.wordUses("a.py", words)).pipe(
        Effect.provide(
          SymbolIndex.layer.pipe(
            Layer.provide(SyntaxTrees.layer.pipe(Layer.provideMerge(counting))),
            Layer.provide([sources, facts])
          )
        )
      )
    )
  }
  const text = "from cart import total as sum\n\nsum(1)\n"
  const first = await asked(text, ["total", "Cart"])
  expect(await asked(text, ["Cart", "total"])).toEqual(first)
  expect(first?.uses.get("sum")).toMatchObject([
    { line: 1, kind: "import" },
    { line: 3, kind: "call" }
  ])
  expect(parsed).toBe(1)
  await asked(text, ["total"])
  await asked(`${text}sum(2)\n`, ["total"])
  expect(parsed).toBe(3)
})
