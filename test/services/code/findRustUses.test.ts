import { describe } from "bun:test"
import { contractReviews } from "../../support/contracts.ts"

const { silent, speaks } = contractReviews()

const cargo = { "Cargo.toml": '[package]\nname = "shop"\n' }
const total = "pub fn total(items: &[u8]) -> usize {\n    items.len()\n}\n"
const lib = { ...cargo, "src/lib.rs": "pub mod cart;\npub mod order;\n" }

describe("Rust", () => {
  speaks(
    "finds a renamed function at its import, by its path, and in a test module that takes everything",
    {
      "src/cart.rs": [
        `${total}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn t() {\n        assert_eq!(total(&[]), 0);\n    }\n}\n`,
        `${total.replace("total", "sum_up")}\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn t() {\n        assert_eq!(total(&[]), 0);\n    }\n}\n`
      ]
    },
    {
      ...lib,
      "src/order.rs": "use crate::cart::total;\nmod deep;\n\nfn a() -> usize {\n    total(&[])\n}\n",
      "src/order/deep.rs": "fn b() -> usize {\n    super::super::cart::total(&[]) + crate::cart::total(&[])\n}\n",
      "tests/all.rs": "use shop::cart;\n\n#[test]\nfn c() {\n    cart::total(&[]);\n}\n"
    },
    [
      "removed-definition-still-used src/cart.rs:11 <- src/cart.rs:1; src/cart.rs:11; src/order.rs:1; src/order/deep.rs:2; tests/all.rs:5"
    ]
  )
  speaks(
    "follows a re-export to the file that lost the name",
    { "src/cart.rs": [total, ""] },
    {
      ...cargo,
      "src/lib.rs": "mod cart;\npub use cart::total;\nmod order;\n",
      "src/order.rs": "use crate::cart::{self, total};\n"
    },
    ["removed-definition-still-used src/lib.rs:2 <- src/cart.rs:1; src/lib.rs:2; src/order.rs:1"]
  )
  const cart = (method: string) =>
    `pub struct Cart { total: u8 }\n\nimpl Cart {\n    ${method}(self) -> u8 { self.total }\n    fn run(self) -> u8 { self.total.max(1) }\n}\n`
  silent(
    "the field of a removed method's name",
    { "src/cart.rs": [cart("fn total"), cart("fn into_total")] },
    { ...lib, "src/order.rs": "" }
  )
  speaks(
    "finds the module of a deleted file where it is declared",
    { "src/cart.rs": [total, null] },
    { ...lib, "src/order.rs": "" },
    ["import-of-deleted-file src/lib.rs:1 <- src/cart.rs:1; src/lib.rs:1"]
  )
  speaks(
    "finds what objects are asked for inside of an assertion",
    {
      "src/cart.rs": [
        "pub struct Cart { tax: Tax }\n\nimpl Cart {\n    pub fn tax(&self) -> &Tax { &self.tax }\n}\n\npub struct Tax;\n\nimpl Tax {\n    pub fn rate(&self) -> u8 { 1 }\n}\n",
        "pub struct Cart { tax: Tax }\n\nimpl Cart {\n    pub fn tax(&self) -> &Tax { &self.tax }\n}\n\npub struct Tax;\n\nimpl Tax {\n    pub fn rate(&self, of: u8) -> u8 { 1 }\n}\n"
      ]
    },
    {
      ...lib,
      "src/order.rs":
        'use crate::cart::{Cart, Tax};\n\nfn a(tax: &Tax, cart: Cart) {\n    assert_eq!(tax.rate(), 1);\n    println!("{}", cart.tax().rate());\n    assert!(cart.clone().tax.rate() > 0);\n    vec![other.rate()];\n}\n'
    },
    ["call-no-longer-fits src/cart.rs:10 <- src/cart.rs:10; src/order.rs:4; src/order.rs:5; src/order.rs:6"]
  )
  const carts = (method: string) =>
    `pub struct Cart;\n\nimpl Cart {\n    pub fn open() -> Option<Cart> { None }\n    pub fn ${method}(&self) -> u8 { 1 }\n}\n`
  speaks(
    "follows the last binding of a name, and what a loop goes through",
    { "src/cart.rs": [carts("total"), carts("sum_up")] },
    {
      ...lib,
      "src/order.rs":
        "use crate::cart::Cart;\n\nstruct Order { carts: Vec<Cart> }\n\nfn a(cart: Cart, order: &Order) {\n    cart.total();\n    let cart = other(cart.total());\n    cart.total();\n    if true {\n        let cart = Cart::open().unwrap_or_default();\n        cart.total();\n    }\n    cart.total();\n    for each in order.carts.iter() {\n        each.total();\n    }\n    let f = |cart: &Cart| cart.total();\n    match cart {\n        Some(cart) => cart.total(),\n    }\n}\n"
    },
    [
      "removed-definition-still-used src/order.rs:6 <- src/cart.rs:5; src/order.rs:6; src/order.rs:7; src/order.rs:11; src/order.rs:15; src/order.rs:17"
    ]
  )
  speaks(
    "follows what a module inside a file passes on",
    { "src/cart.rs": [carts("total"), carts("sum_up")] },
    {
      ...cargo,
      "src/lib.rs": "pub mod cart;\nmod order;\nmod prelude {\n    pub use crate::cart::Cart;\n    fn other() {}\n}\n",
      "src/order.rs":
        "use crate::prelude::*;\n\nfn a(cart: &Cart, other: &Other) {\n    cart.total();\n    other.total();\n}\n"
    },
    ["removed-definition-still-used src/order.rs:4 <- src/cart.rs:5; src/order.rs:4"]
  )
  speaks(
    "finds a function that a module of the tests hides from the modules beside it",
    {
      "tests/shared.rs": [total, total.replace("pub ", "")]
    },
    {
      ...cargo,
      "tests/all.rs": "mod carts;\nmod shared;\n",
      "tests/carts.rs": "use crate::shared::total;\n\nfn a() {\n    total(&[]);\n}\n"
    },
    ["export-dropped-still-imported tests/carts.rs:1 <- tests/shared.rs:1; tests/carts.rs:1; tests/carts.rs:4"]
  )
  speaks(
    "finds calls that no longer fit, through a path, a type and an object",
    {
      "src/cart.rs": [
        "pub struct Cart { items: Vec<u8> }\n\nimpl Cart {\n    pub fn new() -> Self { Cart { items: vec![] } }\n    pub fn total(&self) -> usize { 1 }\n}\n",
        "pub struct Cart { items: Vec<u8> }\n\nimpl Cart {\n    pub fn new(owner: u8) -> Self { Cart { items: vec![] } }\n    pub fn total(&self, tax: u8) -> usize { 1 }\n}\n"
      ]
    },
    {
      ...lib,
      "src/order.rs":
        "use crate::cart::Cart;\n\nstruct Order { cart: Cart }\n\nimpl Order {\n    fn a(&self) -> usize {\n        self.cart.total()\n    }\n    fn b(cart: &Cart) -> usize {\n        let mine = Cart::new();\n        mine.total() + cart.total() + Cart::total(cart)\n    }\n}\n"
    },
    [
      "call-no-longer-fits src/cart.rs:4 <- src/cart.rs:4; src/order.rs:10",
      "call-no-longer-fits src/cart.rs:5 <- src/cart.rs:5; src/order.rs:7; src/order.rs:11"
    ]
  )
  speaks(
    "finds a variant that an enumeration lost",
    { "src/cart.rs": ["pub enum Kind {\n    Big,\n    Small,\n}\n", "pub enum Kind {\n    Big,\n}\n"] },
    {
      ...lib,
      "src/order.rs":
        "use crate::cart::Kind;\n\nfn a(k: Kind) -> u8 {\n    match k {\n        Kind::Big => 1,\n        Kind::Small => 2,\n    }\n}\n"
    },
    ["removed-definition-still-used src/order.rs:6 <- src/cart.rs:2; src/order.rs:6"]
  )
  speaks(
    "finds a use of what is private now, but not from below",
    { "src/cart.rs": [`mod parts;\n${total}`, `mod parts;\n${total.replace("pub ", "")}`] },
    { ...lib, "src/order.rs": "use crate::cart::total;\n", "src/cart/parts.rs": "use super::total;\n" },
    ["export-dropped-still-imported src/order.rs:1 <- src/cart.rs:2; src/order.rs:1"]
  )
  speaks(
    "finds a future that nobody waits for",
    { "src/cart.rs": ["pub fn save() -> u8 { 1 }\n", "pub async fn save() -> u8 { 1 }\n"] },
    { ...lib, "src/order.rs": "use crate::cart::save;\n\nfn a() {\n    save();\n}\n" },
    ["now-async-not-awaited src/cart.rs:1 <- src/cart.rs:1; src/order.rs:4"]
  )
  silent(
    "a complete rename",
    {
      "src/cart.rs": [total, total.replace("total", "sum_up")],
      "src/order.rs": ["use crate::cart::total;\n", "use crate::cart::sum_up;\n"]
    },
    lib
  )
  silent(
    "a method that a trait brings",
    {
      "src/cart.rs": [
        "pub struct Cart;\n\nimpl Cart {\n    pub fn total(&self) -> u8 { 1 }\n}\n",
        "pub struct Cart;\n\nimpl Sum for Cart {\n    fn total(&self) -> u8 { 1 }\n}\n"
      ]
    },
    { ...lib, "src/order.rs": "use crate::cart::Cart;\n\nfn a(c: &Cart) -> u8 {\n    c.total()\n}\n" }
  )
  silent(
    "a name that a macro may define, a glob from outside may bring, or a variable has",
    { "src/cart.rs": [total, "make! { total }\n"] },
    { ...lib, "src/order.rs": "use crate::cart::total;\n" }
  )
  silent(
    "a variable of the same name",
    { "src/order.rs": [`${total}fn a() { total(&[]); }\n`, "fn a() { let total = |x: &[u8]| 1; total(&[]); }\n"] },
    lib
  )
  silent(
    "a function that another file of the same name defines",
    { "src/cart.rs": [total, ""] },
    { ...lib, "src/order.rs": "use crate::order::total;\nuse other::cart::total as t;\n" }
  )
  silent(
    "a module that became a folder",
    { "src/cart.rs": [total, null], "src/cart/mod.rs": [null, total] },
    { ...lib, "src/order.rs": "use crate::cart::total;\n" }
  )
})
