import { describe, expect, test } from "bun:test"
import { declaredBeside, usesOnLine } from "../../../../src/domain/brief/definitions/lineUses.ts"

describe("a word on a line", () => {
  test.each([
    ["  return total(items)", "call null"],
    ["  x = shop.cart.total(items)", "call shop.cart"],
    ["  x = self.total", "use self"],
    ["  get_cart().total()", "call get_cart()"],
    ["  shop.cart(a, b(1)).open()?.total()", "call shop.cart.open()"],
    ["  (a ?? b).total()", "call "],
    ["  Cart::total(1)", "call Cart"],
    ["  new total<Item>(1)", "call null"],
    ["  <total items={a} />", "call null"],
    ["import { total } from './cart'", "import null"],
    ["from shop import total", "import null"],
    ["  total as sum,", "import null"],
    ["def total(items):", "definition null"],
    ["func (c *Cart) total(a int) int {", "definition null"],
    ["  override total(): number {", "definition null"],
    ["  total(): number;", "definition null"],
    ["\ttotal(items []Item) (int, error)", "definition null"],
    ["  total(items) if items", "call null"],
    ["class Big(total):", "parent null"],
    ["export class Big extends total implements A {", "parent null"],
    ["impl total for Big {", "parent null"],
    ["class A<T> extends shop.total {", "parent shop"],
    ["class Big < total", "parent null"],
    ["class Big implements Comparable<total> {", "use null"],
    ["class Big implements total.Visitor {", "use null"],
    ["class Big(val a: total) : Base {", "use null"],
    ["record Big(total a) {", "use null"],
    ["  object: total,", "use null"],
    ["  total(a: string): void {}", "definition null"],
    ["  public void total(Cart c) {}", "definition null"],
    ["  total(a) { it }", "call null"],
    ["  a ? total(1) : {}", "call null"],
    ['  print(f"{total(1)}")', "call null"],
    ["  if (total(1)) {", "call null"]
  ])("%s", (text, expected) => {
    expect(usesOnLine(text, "total").map(({ kind, receiver }) => `${kind} ${receiver}`)).toEqual([expected])
  })

  test.each(["pay(total=1)", "{ total: 1 }", "  total = 3", `${" ".repeat(2_000)}total()`])(
    "is nothing as a label or on a very long line: %s",
    (text) => expect(usesOnLine(text, "total")).toEqual([])
  )
})

describe("names of objects beside their type", () => {
  test.each([
    ["def pay(cart: Cart, tax):", ["cart"]],
    ["func (s *Shop) Cart() *shop.Cart {", ["Cart"]],
    ["  private final Cart cart;", ["cart"]],
    ["  Cart newCart() {", ["newCart"]],
    ["cart := &Cart{}", ["cart"]],
    ["  const cart = new Cart(1)", ["cart"]],
    ["fn cart(&self) -> Option<&Cart> {", ["cart"]],
    ["  return Cart()", []],
    ["import { Cart } from './cart'", []]
  ])("%s", (text, expected) => expect(declaredBeside(text, "Cart")).toEqual(expected))
})
