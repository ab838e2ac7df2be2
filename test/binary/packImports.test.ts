/** Whether recall follows every form of import, one import away from the changed file. */
import { expect, test } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

interface Fixture {
  /** The changed file; its text changes at the end. */
  readonly target: string
  readonly files: Readonly<Record<string, string>>
  /** Files one import away. */
  readonly near: ReadonlyArray<string>
}

const fixtures: Readonly<Record<string, Fixture>> = {
  TypeScript: {
    target: "src/target.ts",
    files: {
      "tsconfig.json": '{ "compilerOptions": { "baseUrl": ".", "paths": { "@/*": ["src/*"] } } }\n',
      "package.json": '{ "name": "root", "workspaces": ["packages/*"] }\n',
      "packages/lib/package.json": '{ "name": "@acme/lib", "main": "src/index.ts" }\n',
      "packages/lib/src/index.ts": "export const lib = 1\n",
      "src/target.ts": 'import { lib } from "@acme/lib"\nexport const a = lib\nexport type T = number\n',
      "src/single.ts": 'import { a } from "./target"\n',
      "src/typeOnly.ts": 'import type { T } from "./target"\n',
      "src/js.ts": 'import { a } from "./target.js"\n',
      "src/alias.ts": 'import { a } from "@/target"\n',
      "src/required.js": 'const { a } = require("./target")\n',
      "src/effect.ts": 'import "./target"\n',
      "src/multi.ts": 'import {\n  a,\n  type T\n} from "./target"\n',
      "src/all.ts": 'export * from "./target"\n',
      "src/dynamic.ts": 'export const load = () => import("./target")\n',
      "src/none.ts": "export const target = 1\n"
    },
    near: [
      "single.ts",
      "typeOnly.ts",
      "js.ts",
      "alias.ts",
      "required.js",
      "effect.ts",
      "multi.ts",
      "all.ts",
      "dynamic.ts"
    ]
      .map((name) => `src/${name}`)
      .concat("packages/lib/src/index.ts")
  },
  Python: {
    target: "pkg/sub/module.py",
    files: {
      "pkg/__init__.py": "",
      "pkg/sub/__init__.py": "",
      "pkg/sub/module.py": "x = 1\n",
      "pkg/sub/relative.py": "from .module import x\n",
      "pkg/dotted.py": "import pkg.sub.module\n",
      "pkg/several.py": "from pkg.sub.module import (\n    x,\n)\n",
      "pkg/sub/sibling.py": "from . import module\n",
      "pkg/absolute.py": "from pkg.sub import module\n",
      "pkg/below.py": "from .sub import module\n"
    },
    near: ["sub/relative.py", "dotted.py", "several.py", "sub/sibling.py", "absolute.py", "below.py"].map(
      (name) => `pkg/${name}`
    )
  },
  Rust: {
    target: "src/shop/cart.rs",
    files: {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\n',
      "src/lib.rs": "mod shop;\nmod user;\nmod nested;\n",
      "src/shop/mod.rs": "pub mod cart;\npub use cart::Cart;\nmod order;\n",
      "src/shop/cart.rs": "pub struct Cart;\npub struct Item;\n",
      "src/shop/order.rs": "use super::cart::Cart;\n",
      "src/user.rs": "use crate::shop::cart::{Cart, Item};\n",
      "src/nested/mod.rs": "mod deep;\n",
      "src/nested/deep.rs": "use crate::shop::cart::Item;\n"
    },
    near: ["src/shop/mod.rs", "src/shop/order.rs", "src/user.rs", "src/nested/deep.rs"]
  },
  Go: {
    target: "cart/cart.go",
    files: {
      "go.mod": "module example.com/shop\n\ngo 1.22\n",
      "cart/cart.go": "package cart\n\nfunc Total() int { return 1 }\n",
      "cart/item.go": "package cart\n\ntype Item struct{}\n",
      "main.go": 'package main\n\nimport (\n\t"example.com/shop/cart"\n)\n\nfunc main() { cart.Total() }\n'
    },
    near: ["cart/item.go", "main.go"]
  },
  Java: {
    target: "src/main/java/shop/Cart.java",
    files: {
      "src/main/java/shop/Cart.java": "package shop;\n\npublic class Cart {}\n",
      "src/main/java/app/Main.java": "package app;\n\nimport shop.Cart;\n\nclass Main { Cart cart; }\n",
      "src/main/java/shop/Item.java": "package shop;\n\nclass Item { Cart cart; }\n"
    },
    near: ["src/main/java/app/Main.java", "src/main/java/shop/Item.java"]
  },
  Ruby: {
    target: "lib/shop/cart.rb",
    files: {
      "lib/shop/cart.rb": "class Cart\nend\n",
      "lib/shop.rb": 'require "shop/cart"\n',
      "lib/shop/order.rb": 'require_relative "cart"\n'
    },
    near: ["lib/shop.rb", "lib/shop/order.rb"]
  },
  Elixir: {
    target: "lib/shop/cart.ex",
    files: {
      "lib/shop/cart.ex": "defmodule Shop.Cart do\n  def total, do: 1\nend\n",
      "lib/shop/order.ex": "defmodule Shop.Order do\n  alias Shop.Cart\n  def x, do: Cart.total()\nend\n"
    },
    near: ["lib/shop/order.ex"]
  }
}

const comment = (path: string): string => (/\.(?:py|rb|ex)$/.test(path) ? "# changed\n" : "// changed\n")

for (const [language, { files, near, target }] of Object.entries(fixtures)) {
  test(`${language}: every import leads to the changed file or from it`, async () => {
    using place = scratch()
    const repository = initRepository(join(place.path, "repo"))
    const home = join(place.path, "home")
    mkdirSync(home)
    repository.commit("Begin", files)
    repository.commit("Change", { [target]: `${files[target]}${comment(target)}` })
    await run([dd, "pack", "--commit", "HEAD"], { cwd: repository.root, env: { PATH: systemPath, HOME: home } })
    const table = readFileSync(repository.path(".daydream/pack/pr-context.related.selection.tsv"), "utf8")
    const [header = [], ...rows] = table.split("\n").map((line) => line.split("\t"))
    const column = header.indexOf("distance")
    const one = rows.filter((row) => row[column] === "1").map(([path]) => path)
    expect(one.sort()).toEqual([...near].sort())
  })
}

test("Swift: files of a module need no import, and the names that they share lead from one to the other", async () => {
  using place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  const target = "Sources/Shop/Cart.swift"
  const text = "struct Basket {\n  var total: Int\n}\n"
  repository.commit("Begin", {
    [target]: text,
    "Sources/Shop/Order.swift": "func order(basket: Basket) -> Int { basket.total }\n",
    "Sources/Shop/Other.swift": "func other() -> Int { 1 }\n"
  })
  repository.commit("Change", { [target]: `${text}// changed\n` })
  await run([dd, "pack", "--commit", "HEAD"], { cwd: repository.root, env: { PATH: systemPath, HOME: home } })
  const related = readFileSync(repository.path(".daydream/pack/pr-context.related.files.txt"), "utf8")
  expect(related.split("\n")[0]).toBe("Sources/Shop/Order.swift")
})
