import { describe, expect, test } from "bun:test"
import { usesOnLine } from "../../../../src/domain/brief/definitions/lineUses.ts"

describe("a word on a line", () => {
  test.each([
    ["  return total(items)", "call null"],
    ["  x = shop.cart.total(items)", "call shop.cart"],
    ["  x = self.total", "use self"],
    ["  get_cart().total()", "call "],
    ["  Cart::total(1)", "call Cart"],
    ["  new total<Item>(1)", "call null"],
    ["  <total items={a} />", "call null"],
    ["import { total } from './cart'", "import null"],
    ["from shop import total", "import null"],
    ["  total as sum,", "import null"],
    ["def total(items):", "definition null"],
    ["func (c *Cart) total(a int) int {", "definition null"],
    ["  override total(): number {", "definition null"],
    ["class Big(total):", "parent null"],
    ["export class Big extends total implements A {", "parent null"],
    ["impl total for Big {", "parent null"],
    ['  print(f"{total(1)}")', "call null"],
    ["  if (total(1)) {", "call null"]
  ])("%s", (text, expected) => {
    expect(usesOnLine(text, "total").map(({ kind, receiver }) => `${kind} ${receiver}`)).toEqual([expected])
  })

  test.each([
    "  # total",
    "// total()",
    "  x = 1 // total",
    " * total",
    'print("the total is")',
    `${" ".repeat(2_000)}total()`
  ])("is nothing in a comment, a string or a very long line: %s", (text) =>
    expect(usesOnLine(text, "total")).toEqual([])
  )
})
