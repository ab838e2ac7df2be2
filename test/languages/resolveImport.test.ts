import { describe, expect } from "bun:test"
import { parseJsonc } from "../../src/domain/code/parseJsonc.ts"
import { repositoryOf } from "../../src/domain/code/Repository.ts"
import { joinPath } from "../../src/domain/text/joinPath.ts"
import { resolveImport } from "../../src/languages/imports.ts"
import { it } from "../support/effect.ts"

/** [who imports, what it says, what that is in the repository] */
type Case = readonly [from: string, module: string, expected: ReadonlyArray<string>, names?: ReadonlyArray<string>]

const holds = (paths: ReadonlyArray<string>, data: Readonly<Record<string, string>>, cases: ReadonlyArray<Case>) => {
  const repository = repositoryOf([...paths, ...Object.keys(data)], new Map(Object.entries(data)))
  for (const [from, module, expected, names = []] of cases) {
    const means = expected.length === 0 ? "nothing of the repository" : expected.join(", ")
    it(`${from}: ${module}${names.length > 0 ? ` import ${names.join(", ")}` : ""} means ${means}`, () => {
      expect(resolveImport(from, { module, names }, repository)).toEqual(expected)
    })
  }
}

describe("Python", () => {
  const paths = [
    "src/shop/__init__.py",
    "src/shop/cart.py",
    "src/shop/items/__init__.py",
    "src/shop/items/book.py",
    "tools/run.py",
    "tools/extra.py",
    "app/__init__.py",
    "app/json.py",
    "app/main.py",
    "tests/test_cart.py"
  ]
  holds(paths, {}, [
    ["src/shop/cart.py", ".items", ["src/shop/items/book.py"], ["book"]],
    ["src/shop/items/book.py", ".", ["src/shop/items/__init__.py"], ["nothing"]],
    ["src/shop/items/book.py", "..cart", ["src/shop/cart.py"], ["Cart"]],
    ["src/shop/items/book.py", "..", ["src/shop/cart.py"], ["cart"]],
    ["src/shop/items/book.py", "..........x", []],
    ["tests/test_cart.py", "shop.cart", ["src/shop/cart.py"], ["Cart"]],
    ["tests/test_cart.py", "shop", ["src/shop/cart.py", "src/shop/__init__.py"], ["cart", "version"]],
    ["src/shop/items/book.py", "shop.cart", ["src/shop/cart.py"]],
    ["tools/run.py", "extra", ["tools/extra.py"]],
    // Inside a package an absolute import never means a sibling.
    ["app/main.py", "json", []],
    ["app/main.py", "app.json", ["app/json.py"]],
    ["app/main.py", "os.path", []]
  ])
})

describe("TypeScript", () => {
  const paths = [
    "web/src/a.ts",
    "web/src/ui/Button.tsx",
    "web/src/ui/index.ts",
    "web/src/types.d.ts",
    "packages/core/src/index.ts",
    "packages/core/src/query.ts",
    "server/lib/main.js"
  ]
  const data = {
    "web/tsconfig.json": `{
      // aliases
      "extends": "../tsconfig.base.json",
      "compilerOptions": { "paths": { "@/*": ["./src/*"], "~ui": ["./src/ui/index.ts"], }, },
    }`,
    "tsconfig.base.json": `{ "compilerOptions": { "baseUrl": "./web" } }`,
    "packages/core/package.json": `{ "name": "@acme/core", "main": "dist/index.js" }`,
    "server/package.json": `{ "main": "lib/main" }`
  }
  holds(paths, data, [
    ["web/src/a.ts", "./ui/Button", ["web/src/ui/Button.tsx"]],
    ["web/src/a.ts", "./ui/Button.js", ["web/src/ui/Button.tsx"]],
    ["web/src/a.ts", "./ui", ["web/src/ui/index.ts"]],
    ["web/src/ui/Button.tsx", "..", []],
    ["web/src/ui/Button.tsx", ".", ["web/src/ui/index.ts"]],
    ["server/test/a.js", "..", ["server/lib/main.js"]],
    ["web/src/a.ts", "./types", ["web/src/types.d.ts"]],
    ["web/src/ui/Button.tsx", "@/a", ["web/src/a.ts"]],
    ["web/src/a.ts", "~ui", ["web/src/ui/index.ts"]],
    ["web/src/ui/Button.tsx", "src/a", ["web/src/a.ts"]],
    ["web/src/a.ts", "@acme/core", ["packages/core/src/index.ts"]],
    ["web/src/a.ts", "@acme/core/query", ["packages/core/src/query.ts"]],
    ["web/src/a.ts", "react", []],
    ["web/src/a.ts", "../../../outside", []]
  ])
})

describe("Go", () => {
  const paths = ["main.go", "cart/cart.go", "cart/sum.go", "cart/cart_test.go", "tools/x/x.go"]
  holds(paths, { "go.mod": "module acme.io/shop\n\ngo 1.24\n", "tools/go.mod": "module acme.io/tools\n" }, [
    ["main.go", "acme.io/shop/cart", ["cart/cart.go", "cart/sum.go"]],
    ["main.go", "acme.io/tools/x", ["tools/x/x.go"]],
    ["cart/cart.go", "acme.io/shop", ["main.go"]],
    ["main.go", "acme.io/shopping/cart", []],
    ["main.go", "cart", []]
  ])
})

describe("Rust", () => {
  const paths = [
    "crates/a/src/lib.rs",
    "crates/a/src/net.rs",
    "crates/a/src/net/http.rs",
    "crates/a/src/io/mod.rs",
    "crates/a/src/io/file.rs",
    "crates/a/tests/all.rs",
    "crates/a/tests/common/mod.rs",
    "crates/b-side/src/lib.rs",
    "crates/b-side/src/x.rs"
  ]
  const data = {
    "crates/a/Cargo.toml": '[package]\nname = "a"\n',
    "crates/b-side/Cargo.toml": '[package]\nname = "b-side"\n'
  }
  holds(paths, data, [
    ["crates/a/src/lib.rs", "self::net", ["crates/a/src/net.rs"]],
    ["crates/a/src/net.rs", "self::http", ["crates/a/src/net/http.rs"]],
    ["crates/a/src/net/http.rs", "super::Error", ["crates/a/src/net.rs"]],
    ["crates/a/src/net/http.rs", "super::super::io::file", ["crates/a/src/io/file.rs"]],
    ["crates/a/src/net/http.rs", "crate::io::Reader", ["crates/a/src/io/mod.rs"]],
    ["crates/a/src/net.rs", "crate::Thing", ["crates/a/src/lib.rs"]],
    ["crates/a/src/net.rs", "b_side::x::Y", ["crates/b-side/src/x.rs"]],
    ["crates/a/tests/all.rs", "self::common", ["crates/a/tests/common/mod.rs"]],
    ["crates/a/src/net.rs", "std::io", []]
  ])
})

describe("Elixir", () => {
  const paths = [
    "lib/shop/cart.ex",
    "lib/shop.ex",
    "lib/shop_web/controllers/cart_controller.ex",
    "lib/shop/http_client.ex"
  ]
  holds(paths, {}, [
    ["lib/shop.ex", "Shop.Cart", ["lib/shop/cart.ex"]],
    ["lib/shop/cart.ex", "Shop", ["lib/shop.ex"]],
    ["lib/shop.ex", "ShopWeb.CartController", ["lib/shop_web/controllers/cart_controller.ex"]],
    ["lib/shop.ex", "Shop.HTTPClient", ["lib/shop/http_client.ex"]],
    ["lib/shop.ex", "Shop.Cart.Line", ["lib/shop/cart.ex"]],
    ["lib/shop/cart.ex", "Shop.Unknown", []],
    ["lib/shop.ex", "Mix.Task", []],
    ["lib/shop.ex", "Ecto.Query", []]
  ])
})

describe("Java", () => {
  const paths = ["core/src/main/java/com/acme/Cart.java", "core/src/main/java/com/acme/items/Book.java", "x/Cart.java"]
  holds(paths, {}, [
    ["x/Cart.java", "com.acme.Cart", ["core/src/main/java/com/acme/Cart.java"]],
    ["x/Cart.java", "com.acme.Cart.Line", ["core/src/main/java/com/acme/Cart.java"]],
    ["x/Cart.java", "com.acme.Cart.Line.SIZE", ["core/src/main/java/com/acme/Cart.java"]],
    ["x/Cart.java", "com.acme.items.*", ["core/src/main/java/com/acme/items/Book.java"]],
    ["x/Cart.java", "java.util.List", []]
  ])
})

describe("Ruby", () => {
  holds(["lib/shop/cart.rb", "lib/shop.rb", "spec/cart_spec.rb"], {}, [
    ["lib/shop.rb", "./shop/cart", ["lib/shop/cart.rb"]],
    ["lib/shop/cart.rb", "../shop", ["lib/shop.rb"]],
    ["spec/cart_spec.rb", "shop/cart", ["lib/shop/cart.rb"]],
    ["spec/cart_spec.rb", "json", []]
  ])
})

describe("parseJsonc", () => {
  it("reads comments, trailing commas and a byte order mark, and leaves strings alone", () => {
    expect(parseJsonc('\ufeff{ "a": "// no, }", /* x */ "b": [1, 2,], // y\n }')).toEqual({ a: "// no, }", b: [1, 2] })
    expect(parseJsonc("{ broken")).toBeNull()
    expect(parseJsonc('{"a": "unclosed')).toBeNull()
    expect(parseJsonc("/* unclosed")).toBeNull()
    expect(parseJsonc('{"__proto__": {"polluted": 1}}')).not.toHaveProperty("polluted", 1)
  })
})

describe("joinPath", () => {
  it("never leaves the repository", () => {
    expect(joinPath("a/b/", "../c")).toBe("a/c")
    expect(joinPath("a/", "../..")).toBeNull()
    expect(joinPath("", "./x//y/.")).toBe("x/y")
  })
})
