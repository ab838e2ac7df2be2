import { describe, expect, test } from "bun:test"
import { declaredBeside } from "../../../../src/domain/brief/definitions/declaredBeside.ts"

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
