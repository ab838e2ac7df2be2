import { afterAll, describe, expect, test } from "bun:test"
import { ManagedRuntime } from "effect"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import type { Texts } from "../../support/change.ts"
import { structureSaid } from "../../support/structural.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())
const said = structureSaid(parsing)

const speaks = (
  title: string,
  texts: Texts,
  others: Readonly<Record<string, string>>,
  expected: ReadonlyArray<string>
) => test(title, async () => expect(await said(texts, others)).toEqual([...expected]))
const silent = (title: string, texts: Texts, others: Readonly<Record<string, string>> = {}) =>
  speaks(`is silent about ${title}`, texts, others, [])

describe("Python", () => {
  const adds = (line: string): Texts => ({ "shop/cart.py": ["x = 1\n", `${line}\nx = 1\n`] })
  const shop = { "shop/__init__.py": "", "shop/tax.py": "rate = 1\n" }
  speaks("finds a relative import of nothing", adds("from .taxes import rate"), shop, [
    "import-of-missing-file shop/cart.py:1 <- shop/cart.py:1"
  ])
  speaks("says one statement's missing file once", adds("from .taxes import rate, other"), shop, [
    "import-of-missing-file shop/cart.py:1 <- shop/cart.py:1"
  ])
  speaks("finds a missing module of the repository's own package", adds("import shop.taxes"), shop, [
    "import-of-missing-file shop/cart.py:1 <- shop/cart.py:1"
  ])
  speaks("finds a name that a package does not have", adds("from . import taxes"), shop, [
    "import-of-missing-name shop/cart.py:1 <- shop/cart.py:1; shop/__init__.py:1"
  ])
  silent("a package that finds its modules in a way of its own", adds("import shop.taxes"), {
    ...shop,
    "shop/hooks.py": "import sys\nsys.meta_path.append(None)\n"
  })
  silent("a package from elsewhere that is spelled like a folder", adds("import tax.rates"), shop)
  silent(
    "an import that was there before",
    { "shop/cart.py": ["from .taxes import rate\n", "from .taxes import rate\n\nx = 1\n"] },
    shop
  )
  silent("a module in another form", adds("from ._fast import x"), { ...shop, "shop/_fast.pyx": "" })
  silent("a module that git is told to ignore", adds("from .made import x"), {
    ...shop,
    ".gitignore": "/shop/m*.py\n"
  })
  silent("a module that the build names", adds("from .maker import x"), {
    ...shop,
    "setup.cfg": "write_to = shop/maker.py\n"
  })
  silent("what every module has", adds("from .tax import __doc__"), shop)
  silent("a name of a star import from outside", adds("from .tax import other"), {
    ...shop,
    "shop/tax.py": "from outside import *\n"
  })
  silent("a template", { "shop/templates/a.py": [null, "from .taxes import rate\n"] }, shop)
  silent("two packages of one name", adds("import shop.taxes"), { ...shop, "other/shop/__init__.py": "" })
  silent("a name that the change takes away, which is said elsewhere", {
    "shop/__init__.py": ["", ""],
    "shop/tax.py": ["rate = 1\n", "x = 1\n"],
    "shop/cart.py": ["x = 1\n", "from .tax import rate\n"]
  })
})

describe("TypeScript", () => {
  const adds = (line: string): Texts => ({ "src/a.ts": ["export const a = 1\n", `${line}\nexport const a = 1\n`] })
  const other = { "src/two.ts": "export const two = 2\nexport type Two = 2\n" }
  speaks("finds a path that leads nowhere", adds('import { two } from "../two"'), other, [
    "import-of-missing-file src/a.ts:1 <- src/a.ts:1"
  ])
  speaks("finds a type that is not exported", adds('import type { Three } from "./two"'), other, [
    "import-of-missing-name src/a.ts:1 <- src/a.ts:1; src/two.ts:1"
  ])
  speaks("finds a passed-on name that is not there", adds('export { three } from "./two"'), other, [
    "import-of-missing-name src/a.ts:1 <- src/a.ts:1; src/two.ts:1"
  ])
  silent("comments between passed-on names", adds('export {\n  // a\n  two,\n  /** b */\n} from "./two"'), other)
  silent("names that are written as strings", adds('import { "two-b" as b, "two" as t } from "./two"'), {
    "src/two.ts": 'const two = 2\nexport { two, two as "two-b" }\n'
  })
  silent("what a CommonJS module gives", adds('import { two } from "./two.js"'), {
    "src/two.js": "exports.two = 2\n"
  })
  speaks(
    "finds a missing name in a module that mentions CommonJS in a comment and a string",
    adds('import { three } from "./two"'),
    { "src/two.ts": '// not module.exports, nor exports.three\nexport const two = "exports.three", x = a.exports\n' },
    ["import-of-missing-name src/a.ts:1 <- src/a.ts:1; src/two.ts:1"]
  )
  silent("a folder with an entry of its own", adds('import "./lib"'), { ...other, "src/lib/package.json": "{}" })
  silent(
    "assets, queries and made-up modules",
    adds('import "./a.css"\nimport b from "./b?raw"\nimport type { C } from "./$types"'),
    other
  )
  silent(
    "what a program writes",
    adds('import { x } from "./generated/x"\nimport { y } from "./schema.generated"'),
    other
  )
  silent("a package of a registry", adds('import { x } from "two"\nimport { y } from "@scope/two"'), other)
  silent("an alias that may be a package", adds('import { x } from "@acme/nothing"'), {
    ...other,
    "tsconfig.json": '{"compilerOptions": {"paths": {"@acme/*": ["./src/*"]}}}',
    "package.json": '{"dependencies": {"@acme/nothing": "1"}}'
  })
  silent("a fixture that is meant to fail", { "src/__fixtures__/a.ts": [null, 'import "./nothing"\n'] }, other)
  silent(
    "many modules put into one file",
    { "src/all.js": [null, "(function(){})({1:[function(require){\n  require('./timer')\n},{\"./timer\":2}]})\n"] },
    other
  )
  silent("an import inside a string", adds('export const text = `\nimport { x } from "./nothing"\n`'), other)
})

describe("Go", () => {
  const adds = (path: string): Texts => ({
    "main.go": ["package main\n", `package main\n\nimport _ "${path}"\n`]
  })
  const module = { "go.mod": "module example.com/shop\n", "cart/cart.go": "package cart\n" }
  speaks("finds a package of its own module that is not there", adds("example.com/shop/carts"), module, [
    "import-of-missing-file main.go:3 <- main.go:3"
  ])
  silent("another module below its own name", adds("example.com/shop/carts"), {
    ...module,
    "carts/go.mod": "module example.com/shop/carts\n"
  })
  silent("a module whose name only begins like its own", adds("example.com/shopping/carts"), module)
  silent("a folder whose code is generated", adds("example.com/shop/api"), { ...module, "api/api.proto": "" })
})

describe("languages whose names are read and not judged", () => {
  silent(
    "a function that Elixir takes from a module",
    {
      "lib/shop/web.ex": [
        "defmodule Shop.Web do\nend\n",
        "defmodule Shop.Web do\n  import Shop.Cart, only: [add: 2]\nend\n"
      ]
    },
    { "lib/shop/cart.ex": "defmodule Shop.Cart do\n  def add(a, b), do: {a, b}\nend\n" }
  )
  silent(
    "a constant that Ruby loads when it is asked for",
    { "lib/shop.rb": ["module Shop\nend\n", 'module Shop\n  autoload :Cart, "shop/cart"\nend\n'] },
    { "lib/shop/cart.rb": "module Shop\n  class Cart\n  end\nend\n" }
  )
})

describe("Java", () => {
  const adds = (line: string): Texts => ({
    "src/shop/Cart.java": ["package shop;\n\nclass Cart {}\n", `package shop;\n\n${line}\n\nclass Cart {}\n`]
  })
  const types = {
    "src/shop/common/Types.java":
      "package shop.common;\n\npublic class Types {\n  public static class Bag {}\n  public static final int LIMIT = 1;\n}\n"
  }
  speaks("finds a class that its file does not have", adds("import shop.common.Types.Sack;"), types, [
    "import-of-missing-name src/shop/Cart.java:3 <- src/shop/Cart.java:3; src/shop/common/Types.java:1"
  ])
  silent("a class inside of a class", adds("import shop.common.Types.Bag;"), types)
  silent("a member taken by name", adds("import static shop.common.Types.LIMIT;"), types)
  silent("what a parent may have", adds("import shop.common.Types.Sack;"), {
    "src/shop/common/Types.java": "package shop.common;\n\npublic class Types extends Others {}\n"
  })
})

describe("Rust", () => {
  const adds = (line: string): Texts => ({
    "src/cart.rs": ["pub fn a() {}\n", `${line}\npub fn a() {}\n`]
  })
  const crate = {
    "Cargo.toml": '[package]\nname = "shop"\n',
    "src/lib.rs": "mod cart;\npub mod tax;\n\n#[cfg(test)]\nmod tests {\n    pub struct Folder;\n}\n",
    "src/tax.rs": "pub fn rate() {}\n"
  }
  speaks("finds a name that its module does not have", adds("use crate::tax::rates;"), crate, [
    "import-of-missing-name src/cart.rs:1 <- src/cart.rs:1; src/tax.rs:1"
  ])
  silent("a macro, which the crate offers wherever it is written", adds("use crate::count_all;"), {
    ...crate,
    "src/tax.rs": "#[macro_export]\nmacro_rules! count_all {\n    () => {};\n}\n"
  })
  silent("what another crate of the workspace takes in from elsewhere", adds("use till::outside::Rate;"), {
    ...crate,
    "till/Cargo.toml": '[package]\nname = "till"\n',
    "till/src/lib.rs": "pub use outside;\n"
  })
  silent("a name of a module inside a file", adds("use crate::tests::Folder;"), crate)
  silent("names of several modules in one statement", adds("use crate::{tax::rate, tests::Folder};"), crate)
  silent(
    "the same from a module inside a file",
    adds("#[cfg(test)]\nmod tests {\n    use crate::{tax::rate, tests::Folder};\n}"),
    crate
  )
})
