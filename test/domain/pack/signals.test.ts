import { describe, expect, test } from "bun:test"
import { packWords, unpackWords, wordsIn } from "../../../src/domain/pack/FileWords.ts"
import { fuse } from "../../../src/domain/pack/fuse.ts"
import { importDistances } from "../../../src/domain/pack/signals/importScores.ts"
import { pathScores } from "../../../src/domain/pack/signals/pathScores.ts"
import { ranksOf } from "../../../src/domain/pack/signals/Scores.ts"
import { symbolScores } from "../../../src/domain/pack/signals/symbolScores.ts"
import { wordScores } from "../../../src/domain/pack/signals/wordScores.ts"
import { wordIndex } from "../../../src/domain/pack/WordIndex.ts"

const indexOf = (texts: Readonly<Record<string, string>>, words: ReadonlyArray<string> = []) =>
  wordIndex(words, new Map(Object.entries(texts).map(([path, text]) => [path, wordsIn(text)] as const)))
const best = (scores: ReadonlyMap<string, number>, among: ReadonlyArray<string>) =>
  among.toSorted((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0))

describe("the words of a file", () => {
  test("are counted, and names after a defining word are defined", () => {
    const { counts, defined, words } = wordsIn(
      [
        "export async function payOrder(cart) { return cart.total }",
        "pub(crate) struct Cart<T> {}",
        "func (c *Cart) Refund(x int) {}",
        "defmodule Shop.Basket do",
        "const limit = 1",
        "  const local = payOrder(cart)",
        "// the class of objects"
      ].join("\n")
    )
    expect([...defined].sort()).toEqual(["Basket", "Cart", "Refund", "Shop", "limit", "payOrder"])
    expect(counts[words.indexOf("cart")]).toBe(3)
    expect(counts[words.indexOf("payOrder")]).toBe(2)
  })

  test("are the same after they were stored", () => {
    for (const text of ["", "class A1x {}\nfoo foo bar", "x * y", "a*3 defn", "日本 fn größe() {}"]) {
      const words = wordsIn(text)
      expect(unpackWords(packWords(words))).toEqual(words)
    }
  })

  test("a damaged store is not read", () => {
    for (const damaged of [null, 3, "", "x", "1 2", "1 2 900 a", "1 x 0"]) expect(unpackWords(damaged)).toBeNull()
  })
})

describe("a signal", () => {
  test("gives equal scores equal ranks, and none to a score of zero", () => {
    expect([...ranksOf(new Map(Object.entries({ a: 5, b: 9, c: 5, d: 0, e: 1 })))]).toEqual([
      ["b", 1],
      ["a", 2],
      ["c", 2],
      ["e", 4]
    ])
  })

  test("of words prefers rare ones", () => {
    const files = indexOf({ a: "common rare", b: "common", c: "common", d: "common" }, ["common", "rare"])
    const scores = wordScores(
      new Map([
        ["common", 1],
        ["rare", 1]
      ]),
      files
    )
    expect(best(scores, ["b", "a"])[0]).toBe("a")
  })

  test("of names leads from a use to its definition, and back", () => {
    const files = indexOf({
      "use.ts": "payOrder(1)",
      "pay.ts": "function payOrder(a) {}",
      "other.ts": "function refund(a) {}"
    })
    for (const [changed, wanted] of [
      ["use.ts", "pay.ts"],
      ["pay.ts", "use.ts"]
    ] as const) {
      const scores = symbolScores(new Set([changed]), new Map(), files)
      expect(scores.get(wanted)!).toBeGreaterThan(0)
      expect(scores.get("other.ts")).toBe(0)
    }
  })

  test("of names leads to no file in which the name is a local, where this is known", () => {
    const files = indexOf({
      "pay.ts": "function total(a) {}",
      "use.ts": "total(1)",
      "local.ts": "(total) => total + total"
    })
    const users = new Map([["total", new Map([["use.ts", 1]])]])
    const scores = symbolScores(new Set(["pay.ts"]), new Map(), files, users)
    expect([scores.get("use.ts")! > 0, scores.get("local.ts")]).toEqual([true, 0])
  })

  test("of imports counts steps in both directions, and changed files that reach a file", () => {
    const imports = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["d", ["c"]]
    ])
    const { distance, frequency } = importDistances(imports, ["a", "d"])
    expect([distance.get("b"), distance.get("c")]).toEqual([1, 1])
    expect([frequency.get("b"), frequency.get("c")]).toEqual([2, 2])
  })

  test("of paths pairs a file with its test", () => {
    const others = ["test/pay_test.py", "test/cart_test.py", "src/util.py"]
    expect(best(pathScores(["src/shop/pay.py"], new Map(), others), others)[0]).toBe("test/pay_test.py")
  })

  test("is never alone decisive: two good ranks beat one best rank", () => {
    const none = new Map<string, number>()
    const fused = fuse({
      imports: new Map([
        ["one", 9],
        ["both", 8]
      ]),
      symbols: none,
      words: new Map([
        ["both", 9],
        ["other", 8]
      ]),
      history: none,
      path: none
    })
    expect(fused.get("both")!.weight).toBeGreaterThan(fused.get("one")!.weight)
    expect(fused.get("one")!.ranks).toEqual({ imports: 1, symbols: null, words: null, history: null, path: null })
  })
})
