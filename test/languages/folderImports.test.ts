import { describe, expect, test } from "bun:test"
import { repositoryOf } from "../../src/domain/code/Repository.ts"
import { resolveImport } from "../../src/languages/imports.ts"

const resolved = (
  from: string,
  module: string,
  paths: ReadonlyArray<string>,
  data: Readonly<Record<string, string>> = {}
): ReadonlyArray<string> =>
  resolveImport(
    from,
    { module, names: [] },
    repositoryOf([from, ...paths, ...Object.keys(data)], new Map(Object.entries(data)))
  )

describe("what C includes", () => {
  test("is looked for beside the file first", () => {
    expect(resolved("src/a/x.c", "line.h", ["src/line.h", "src/a/line.h"])).toEqual(["src/a/line.h"])
    expect(resolved("src/a/x.c", "../line.h", ["src/line.h", "line.h"])).toEqual(["src/line.h"])
  })
  test("is found in the folders that contain headers", () => {
    expect(resolved("src/x.cpp", "shop/line.hpp", ["include/shop/line.hpp"])).toEqual(["include/shop/line.hpp"])
    expect(resolved("tests/x.cpp", "<shop/line.hpp>", ["lib/include/shop/line.hpp"])).toEqual([
      "lib/include/shop/line.hpp"
    ])
  })
  test("is the nearest of several that end so", () => {
    const paths = ["deps/b/util/io.h", "deps/a/inc/util/io.h"]
    expect(resolved("deps/a/src/x.c", "util/io.h", paths)).toEqual(["deps/a/inc/util/io.h"])
  })
  test("is the system's when brackets hold a name alone that no folder of headers has", () => {
    expect(resolved("src/x.c", "<string.h>", ["deps/libc/string.h"])).toEqual([])
  })
  test("never leaves the repository", () => {
    expect(resolved("x.c", "../../etc/passwd.h", ["etc/other.h"])).toEqual([])
  })
})

describe("what Kotlin imports", () => {
  const paths = [
    "app/src/main/kotlin/com/shop/Item.kt",
    "app/src/main/kotlin/com/shop/Sums.kt",
    "app/src/test/kotlin/com/shop/ItemTest.kt"
  ]
  test("is the file named like the class, or like the class around it", () => {
    expect(resolved("app/src/main/kotlin/com/Main.kt", "com.shop.Item", paths)).toEqual([paths[0] ?? ""])
    expect(resolved("app/src/main/kotlin/com/Main.kt", "com.shop.Item.State", paths)).toEqual([paths[0] ?? ""])
  })
  test("is every file of the package when none has that name", () => {
    expect(resolved("app/src/main/kotlin/com/Main.kt", "com.shop.total", paths)).toEqual(paths)
    expect(resolved("app/src/main/kotlin/com/Main.kt", "com.shop.*", paths)).toEqual(paths)
  })
  test("is nothing for another's library", () => {
    expect(resolved("app/src/main/kotlin/com/Main.kt", "kotlin.math.max", paths)).toEqual([])
  })
})

describe("what C# uses", () => {
  const paths = [
    "src/Acme.Shop/Carts/Cart.cs",
    "src/Acme.Shop/Carts/Line.cs",
    "src/Acme.Shop/Carts/notes.md",
    "tests/Acme.Shop/Carts/CartTests.cs"
  ]
  test("is the nearest folder laid out like the namespace", () => {
    expect(resolved("src/Acme.Web/Program.cs", "Acme.Shop.Carts", paths)).toEqual(paths.slice(0, 2))
    expect(resolved("tests/Acme.Web/T.cs", "Acme.Shop.Carts", paths)).toEqual(paths.slice(3))
  })
  test("is the class's own file when that is named", () => {
    expect(resolved("src/Acme.Web/Program.cs", "Acme.Shop.Carts.Line", paths)).toEqual(["src/Acme.Shop/Carts/Line.cs"])
  })
  test("is nothing for the platform's namespaces", () => {
    expect(resolved("src/Acme.Web/Program.cs", "System.Collections.Generic", paths)).toEqual([])
    expect(resolved("src/Acme.Web/Program.cs", "(int a, int b)", paths)).toEqual([])
  })
})

describe("what PHP uses", () => {
  const composer = JSON.stringify({
    autoload: { "psr-4": { "App\\": "app/", "App\\Deep\\": ["other/", "deep/"] } },
    "autoload-dev": { "psr-4": { "Tests\\": "tests" } }
  })
  test("is where composer.json puts the longest beginning of its name", () => {
    const paths = ["app/Models/User.php", "deep/Thing.php", "app/Deep/Thing.php", "tests/Unit/UserTest.php"]
    const data = { "composer.json": composer }
    expect(resolved("x.php", "App\\Models\\User", paths, data)).toEqual(["app/Models/User.php"])
    expect(resolved("x.php", "App\\Deep\\Thing", paths, data)).toEqual(["deep/Thing.php"])
    expect(resolved("x.php", "Tests\\Unit\\UserTest", paths, data)).toEqual(["tests/Unit/UserTest.php"])
  })
  test("is the only file with this ending if nothing else decides", () => {
    expect(resolved("x.php", "App\\Models\\User", ["src/Models/User.php"])).toEqual(["src/Models/User.php"])
    expect(resolved("x.php", "App\\User", ["a/User.php", "b/User.php"])).toEqual([])
    expect(resolved("x.php", "Exception", ["lib/Exception.php"])).toEqual([])
  })
  test("is the file that an include names, beside the file or from the repository's own folder", () => {
    expect(resolved("lib/x.php", "./y.php", ["lib/y.php", "y.php"])).toEqual(["lib/y.php"])
    expect(resolved("lib/x.php", "config/y.php", ["config/y.php"])).toEqual(["config/y.php"])
  })
  test("survives a composer.json of any shape", () => {
    for (const text of [
      "",
      "[]",
      '{"autoload": 1}',
      '{"autoload": {"psr-4": ["a"]}}',
      '{"autoload": {"psr-4": {"A\\\\": 1}}}'
    ]) {
      expect(resolved("x.php", "A\\B", [], { "composer.json": text })).toEqual([])
    }
  })
})
