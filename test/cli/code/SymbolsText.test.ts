import { describe, expect, test } from "bun:test"
import type { SymbolDefinition, SymbolsJson, Uses } from "../../../src/cli/code/SymbolsJson.ts"
import { type Page, symbolsText } from "../../../src/cli/code/SymbolsText.ts"

const page: Page = { width: 80, colour: false, here: null, most: Number.POSITIVE_INFINITY }

const none: Uses = { references: [], importers: [], callers: [], callees: [], tests: [] }

const total: SymbolDefinition = {
  name: "Cart.total",
  kind: "method",
  path: "shop/cart.py",
  signature: "Cart.total(self)",
  line: 5,
  end_line: 6,
  overloads: [],
  uses: none
}

const asked = (definitions: ReadonlyArray<SymbolDefinition>, more: Partial<SymbolsJson> = {}): SymbolsJson => ({
  schema_version: 1,
  tool: { name: "dd", version: "0.0.0" },
  name: "total",
  side: "worktree",
  definitions,
  near: [],
  omitted: [],
  ...more
})

const textOf = (symbols: SymbolsJson, shown: Partial<Page> = {}) =>
  symbolsText(symbols, { ...page, ...shown }).join("\n")

const used: Uses = {
  references: [
    { path: "app.py", line: 7, kind: "use", certain: false },
    { path: "shop/order.py", line: 13, kind: "call", certain: true }
  ],
  importers: [{ path: "app.py" }],
  callers: [
    {
      path: "shop/order.py",
      line: 10,
      kind: "function",
      name: "order",
      calls: [13, 14, 15, 16, 17, 18],
      certain: true
    },
    { path: "app.py", line: null, kind: null, name: null, calls: [7], certain: false }
  ],
  callees: [{ path: "shop/tax.py", line: 1, kind: "function", name: "rate", calls: [6], certain: true }],
  tests: [{ path: "tests/test_cart.py", reason: "name" }]
}

describe("the text of dd symbols", () => {
  test("has a title for the definition and a group for each kind of use, certain ones first", () => {
    expect(textOf(asked([{ ...total, uses: used }]))).toBe(
      [
        "method Cart.total(self)  shop/cart.py:5",
        "  References: 2, 1 possible",
        "    shop/order.py:13  call",
        "    app.py:7          possible use",
        "  Importers: 1",
        "    app.py",
        "  Callers: 2, 1 possible",
        "    shop/order.py:13  order, also lines 14, 15, 16 and 2 more",
        "    app.py:7          possible top of the file",
        "  Callees: 1",
        "    shop/tax.py:1  rate, called on line 6",
        "  Tests: 1",
        "    tests/test_cart.py  is named after its file",
        "",
        "possible: only the name matches, in a file that may use the definition"
      ].join("\n")
    )
  })

  test("says none for a group without places, and does not explain what does not occur", () => {
    expect(textOf(asked([total]))).toBe(
      [
        "method Cart.total(self)  shop/cart.py:5",
        ...["References", "Importers", "Callers", "Callees", "Tests"].map((group) => `  ${group}: none`)
      ].join("\n")
    )
  })

  test("shows only the first places of a group where they are limited, and how many there are", () => {
    const references = Array.from({ length: 20 }, (_, at) => ({
      path: "app.py",
      line: at + 1,
      kind: "call" as const,
      certain: true
    }))
    const text = textOf(asked([{ ...total, uses: { ...none, references } }]), { most: 12 })
    expect(text).toContain("  References: 20\n")
    expect(text).toContain("    app.py:12  call\n    and 8 more\n")
    expect(text).not.toContain("app.py:13")
  })

  test("lists every definition, overloads together, and says how to select those without uses", () => {
    const overload = { signature: "Cart.total(self, tax)", line: 8, end_line: 9 }
    const other: SymbolDefinition = {
      ...total,
      name: "total",
      kind: "function",
      path: "lib/sums.py",
      signature: null,
      uses: null
    }
    const text = textOf(asked([{ ...total, overloads: [overload] }, other]))
    expect(text).toContain("3 definitions of total\n")
    expect(text).toContain(
      "method Cart.total(self)  shop/cart.py:5\nmethod Cart.total(self, tax)  shop/cart.py:8\n  References: none"
    )
    expect(text).toContain("use --in PATH or a longer name\nsuch as sums.total\n  function total  lib/sums.py:5")
  })

  test("offers similar definitions if there is none, and always names what was not searched", () => {
    const near = [{ name: "Cart.totals", kind: "method" as const, path: "shop/cart.py", line: 5 }]
    expect(textOf(asked([], { near, omitted: ["the submodule vendor/tax"] }))).toBe(
      [
        "No definition of total",
        "",
        "Similar definitions:",
        "  method Cart.totals  shop/cart.py:5",
        "",
        "Not searched:",
        "  the submodule vendor/tax"
      ].join("\n")
    )
  })

  test("shows paths from the current directory where it is known", () => {
    const here = { path: (path: string) => `../${path}`, description: String, prose: String }
    expect(textOf(asked([total]), { here })).toContain("method Cart.total(self)  ../shop/cart.py:5\n")
  })
})
