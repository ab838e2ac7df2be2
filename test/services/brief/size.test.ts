import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { formOf } from "../../../src/services/brief/form.ts"
import { sizeOf } from "../../../src/services/brief/size.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

/** The files of each independent part. */
const partsOf = (texts: Texts) =>
  parsing.runPromise(
    Effect.gen(function* () {
      const change = changeOf(texts)
      const { found } = yield* sizeOf(change, (yield* formOf(change)).found)
      return found.clusters.map(({ files }) => files)
    }).pipe(
      Effect.provide(
        SymbolIndex.layer.pipe(
          Layer.provideMerge(SyntaxTrees.layer),
          Layer.provideMerge(sourcesOf(texts)),
          Layer.provide(NoFacts.layer)
        )
      )
    )
  )

/** A file whose function `pay` gets a long body, and which uses another file elsewhere. */
const body = (name: string) => Array.from({ length: 30 }, (_, at) => `    ${name} = ${name} + ${at}`).join("\n")
const file = (imported: string, name: string, edited: string) =>
  `from ${imported} import helper\n\n\ndef unchanged():\n    return helper()\n\n\ndef ${name}(value):\n${edited}\n    return value\n`

describe("the parts of a change", () => {
  test("are independent if only unchanged code of one uses the other", async () => {
    const texts: Texts = {
      "shop/order.py": [file("stock", "place", "    pass"), file("stock", "place", body("value"))],
      "shop/stock.py": [file("order", "count", "    pass"), file("order", "count", body("value"))]
    }
    expect(await partsOf(texts)).toEqual([["shop/order.py"], ["shop/stock.py"]])
  })

  test("are one if edited code of one uses what is edited in the other", async () => {
    const uses = `${body("value")}\n    value = count(value)`
    const texts: Texts = {
      "shop/order.py": [file("stock", "place", "    pass"), file("stock", "place", uses)],
      "shop/stock.py": [file("order", "count", "    pass"), file("order", "count", body("value"))]
    }
    expect(await partsOf(texts)).toEqual([])
  })
})
