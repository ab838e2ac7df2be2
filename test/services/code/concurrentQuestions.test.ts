import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { FileTypes } from "../../../src/services/code/FileTypes.ts"
import { Surroundings } from "../../../src/services/code/Surroundings.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxParser } from "../../../src/services/code/SyntaxParser.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { TypeFinder } from "../../../src/services/code/TypeFinder.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const texts: Texts = {
  "a.py": ["class A:\n    pass\n", "import b\n\n\nclass A(b.B):\n    pass\n"],
  "b.py": ["", "class B:\n    pass\n"],
  "c.go": ["", "package c\n\nvar _ I = &T{}\n"]
}
const change = changeOf(texts)

type Services = FileTypes | SymbolIndex | TypeFinder | Surroundings

/** How many texts are parsed when two fibers ask the same at once. */
const parsedFor = (ask: Effect.Effect<unknown, never, Services>) => {
  let parsed = 0
  const counting = Layer.effect(
    SyntaxParser,
    Effect.map(SyntaxParser, (parser) => ({
      parse: (...operands: Parameters<SyntaxParser["Service"]["parse"]>) =>
        Effect.sync(() => parsed++).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(parser.parse(...operands)))
    }))
  )
  return parsing.runPromise(
    Effect.all([ask, ask], { concurrency: 2 }).pipe(
      Effect.map(([first, second]) => ({ parsed, isSame: first === second })),
      Effect.provide(
        CodeLive.namesAndTypes.pipe(
          Layer.provideMerge(SymbolIndex.layer),
          Layer.provide(SyntaxTrees.layer.pipe(Layer.provideMerge(counting))),
          Layer.provide([sourcesOf(texts), NoFacts.layer])
        )
      )
    )
  )
}

describe("two fibers that ask at once share one answer:", () => {
  const [file] = change.diff.files

  test("the symbols of a file", async () => {
    expect(await parsedFor(SymbolIndex.use((index) => index.symbols("a.py")))).toEqual({ parsed: 1, isSame: true })
  })

  test("the symbols of a file before the change", async () => {
    const ask = SymbolIndex.use((index) => index.symbolsBefore(file!))
    expect(await parsedFor(ask)).toEqual({ parsed: 1, isSame: true })
  })

  test("the imports of several files", async () => {
    const { parsed } = await parsedFor(SymbolIndex.use((index) => index.imports(["a.py", "b.py"])))
    expect(parsed).toBe(1)
  })

  test("the types of a file", async () => {
    const ask = Effect.gen(function* () {
      const sides = yield* Surroundings.use((surroundings) => surroundings.around(change))
      return yield* TypeFinder.use((finder) => finder.typeAt("head", { path: "a.py", name: "A" }, { sides, change }))
    })
    expect(await parsedFor(ask)).toEqual({ parsed: 1, isSame: true })
  })

  test("the claims of a Go file", async () => {
    const ask = FileTypes.use((types) => types.claimsIn("c.go"))
    expect(await parsedFor(ask)).toEqual({ parsed: 1, isSame: true })
  })
})
