import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import type { DefinitionChange } from "../../../src/domain/brief/Definitions.ts"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../../src/layers/change/sources/Git.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { testsOf } from "../../../src/services/brief/tests.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { it } from "../../support/effect.ts"
import { makeRepository } from "../../support/repository.ts"

type Files = Readonly<Record<string, string>>

const live = Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))

/** The tests of the second commit. */
const testsAfter = (
  before: Files,
  after: Files,
  definitions: ReadonlyArray<DefinitionChange> = [],
  deleted: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    repository.commit("one", before)
    if (deleted.length > 0) repository.git("rm", "--quiet", ...deleted)
    repository.commit("two", after)
    const opened = yield* Git.use((git) => git.open(repository.root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit: "HEAD" }))
    return yield* Effect.provide(
      testsOf(change, definitions),
      CodeLive.codeQueries.pipe(
        Layer.provideMerge(SymbolIndex.layer),
        Layer.provide(SyntaxTrees.layer),
        Layer.provideMerge([SourcesGit.layer(opened, change), TreeSitter.layer]),
        Layer.provide(NoFacts.layer)
      )
    )
  }).pipe(Effect.provide(live))

const cart = (tax: string) => `class Cart:\n    def total(self):\n        return ${tax}\n`
const shop: Files = {
  "pyproject.toml": "[tool.pytest.ini_options]\n",
  "shop/__init__.py": "",
  "shop/cart.py": cart("1"),
  "tests/test_api.py": "from shop.cart import Cart\n\ndef test_a():\n    assert Cart().total() == 1\n",
  "tests/test_cart.py": "def test_b():\n    pass\n",
  "tests/test_other.py": "def test_c():\n    pass\n"
}

describe("the tests of a change", () => {
  it.effect("names those that use, import or are named after what changed, and the command", () =>
    Effect.gen(function* () {
      const { found } = yield* testsAfter(shop, { "shop/cart.py": cart("2") })
      expect(found.files).toEqual([
        { file: "tests/test_api.py", by: "use", of: "Cart" },
        { file: "tests/test_cart.py", by: "name", of: "shop/cart.py" }
      ])
      expect(found.commands).toEqual(["pytest tests/test_api.py tests/test_cart.py"])
      expect(found.runner).toEqual({ name: "pytest", source: { file: "pyproject.toml", line: 1 } })
    })
  )

  it.effect("names a test that the change edits first", () =>
    Effect.gen(function* () {
      const other = "tests/test_other.py"
      const { found } = yield* testsAfter(shop, { "shop/cart.py": cart("2"), [other]: "def test_d():\n    pass\n" })
      expect(found.files[0]).toEqual({ file: other, by: "change", of: other })
    })
  )

  it.effect("finds the runner on the base side", () =>
    Effect.gen(function* () {
      const { found } = yield* testsAfter(shop, {
        "shop/cart.py": cart("2"),
        "pyproject.toml": "",
        "tox.ini": "[pytest]\n"
      })
      expect(found.runner?.source).toEqual({ file: "pyproject.toml", line: 1 })
    })
  )

  it.effect("names a public function that no test mentions, nor its file or a function that uses it", () =>
    Effect.gen(function* () {
      const lines = "    a = 1\n    b = 2\n    c = 3\n    return a + b + c\n"
      const refunds = `def refund():\n${lines}`
      const text = `def discount():\n${lines}\nclass Cart:\n    def total(self):\n        return discount()\n`
      const added = (name: string, file: string): DefinitionChange => ({
        change: "added",
        kind: "function",
        name,
        file,
        line: 1,
        before: null,
        after: null,
        public: true
      })
      const changes = [added("refund", "shop/refunds.py"), added("discount", "shop/cart.py")]
      const { found } = yield* testsAfter(shop, { "shop/cart.py": text, "shop/refunds.py": refunds }, changes)
      expect(found.untested).toEqual([{ name: "refund", file: "shop/refunds.py", line: 1 }])
    })
  )

  it.effect("mentions a test that cannot be named in a command", () =>
    Effect.gen(function* () {
      const odd = "tests/test_\x01.py"
      const { found, omitted } = yield* testsAfter(shop, {
        "shop/cart.py": cart("2"),
        [odd]: "def test_d():\n    pass\n"
      })
      expect(found.files[0]?.file).toBe(odd)
      expect(omitted).toEqual(["how to run 1 of these 3 test files"])
    })
  )

  it.effect("names few tests for a single word, and none for a file that many tests import", () =>
    Effect.gen(function* () {
      const word = Object.fromEntries(
        Array.from({ length: 5 }, (_, at) => [`tests/test_post_${at}.py`, "def test_post():\n    send(1)\n"])
      )
      const importing = Object.fromEntries(
        Array.from({ length: 9 }, (_, at) => [
          `tests/test_${"abcdefghi"[at]}.py`,
          "import shop.wire\n\ndef test_x():\n    pass\n"
        ])
      )
      const wire = (value: string) => ({ "shop/wire.py": `def send():\n    return ${value}\n` })
      const manifest = { "pyproject.toml": "[tool.pytest.ini_options]\n", "shop/__init__.py": "" }
      const { found } = yield* testsAfter({ ...manifest, ...word, ...importing, ...wire("1") }, wire("deterministic"))
      expect(found.files.map(({ by, of }) => `${by} ${of}`)).toEqual(["mention send", "mention send", "mention send"])
      const few = { "tests/test_a.py": importing["tests/test_a.py"]! }
      const again = yield* testsAfter({ ...manifest, ...few, ...wire("1") }, wire("deterministic"))
      expect(again.found.files).toEqual([{ file: "tests/test_a.py", by: "import", of: "shop/wire.py" }])
    })
  )

  it.effect("names a test that uses what changed, also if many others are named after the file", () =>
    Effect.gen(function* () {
      const named = Object.fromEntries(
        Array.from("abcdefgh", (name) => [
          `shop/test_cart_${name}.py`,
          "from shop.cart import taxes\n\ndef test_a():\n    pass\n"
        ])
      )
      const code = (value: number) => `taxes = 1\n\n\ndef total():\n    return taxes + ${value}\n`
      const user = { "far/test_users.py": "from shop.cart import total\n\ndef test_a():\n    total()\n" }
      const project = { "pyproject.toml": "[tool.pytest.ini_options]\n", "shop/__init__.py": "" }
      const { found } = yield* testsAfter(
        { ...project, ...named, ...user, "shop/cart.py": code(1) },
        { "shop/cart.py": code(2) }
      )
      expect(found.files).toHaveLength(9)
      expect(found.files.at(-1)).toEqual({ file: "far/test_users.py", by: "use", of: "total" })
    })
  )

  it.effect("names no test for a deleted file, a version, a licence or a comment", () =>
    Effect.gen(function* () {
      const deleted = yield* testsAfter(shop, {}, [], ["shop/cart.py"])
      expect(deleted.found.files).toEqual([])
      const head = (version: string) => `# Shop ${version}\n__version__ = "${version}"\n__license__ = "${version}"\n\n`
      const about = { ...shop, "shop/cart.py": head("1") + cart("1") }
      const version = yield* testsAfter(about, { "shop/cart.py": head("2") + cart("1") })
      expect(version.found.files).toEqual([])
    })
  )

  it.effect("names no test for a constructor, an annotation, or everyday words", () =>
    Effect.gen(function* () {
      const code = (mark: string, body: string) =>
        `export class Wire {\n  constructor() {\n    ${body}\n  }\n\n  ${mark}\n  other() {}\n}\n`
      const before = {
        "package.json": '{ "devDependencies": { "vitest": "1" } }',
        "src/wire.ts": code("", "return 1"),
        ...Object.fromEntries(
          Array.from({ length: 9 }, (_, at) => [
            `src/t${at}.test.ts`,
            "it('a', () => x.constructor(unavailable, cause, kept))\n"
          ])
        )
      }
      const { found } = yield* testsAfter(before, { "src/wire.ts": code("@unavailable", "return cause(kept)") })
      expect(found.files).toEqual([])
    })
  )

  it.effect("leaves a file that pytest cannot take out of the command", () =>
    Effect.gen(function* () {
      const odd = { "tests/test_[a].py": "def test_d():\n    pass\n" }
      const { found, omitted } = yield* testsAfter(shop, { "shop/cart.py": cart("2"), ...odd })
      expect(found.commands).toEqual(["pytest tests/test_api.py tests/test_cart.py"])
      expect(omitted).toEqual(["how to run 1 of these 3 test files"])
    })
  )

  it.effect("takes the Python files that pytest collects", () =>
    Effect.gen(function* () {
      const manifest = { "pyproject.toml": '[tool.pytest]\npython_files = ["check_*.py"]\ntestpaths = ["checks"]\n' }
      const library = { "shop/test.py": "class CartTestCase:\n    pass\n", "checks/check_a.py": "" }
      const after = { "shop/test.py": "class CartTestCase:\n    a = 1\n", "checks/check_a.py": "a = 1\n" }
      const { found } = yield* testsAfter({ ...manifest, ...library }, after)
      expect(found.files).toEqual([{ file: "checks/check_a.py", by: "change", of: "checks/check_a.py" }])
    })
  )

  it.effect("names a Rust file with tests inside", () =>
    Effect.gen(function* () {
      const rust = (value: number) => `pub fn one() -> u8 {\n    ${value}\n}\n\n#[cfg(test)]\nmod tests {}\n`
      const crate = { "Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": "mod x;\n", "src/x.rs": rust(1) }
      const { found } = yield* testsAfter(crate, { "src/x.rs": rust(2) })
      expect(found.files).toEqual([{ file: "src/x.rs", by: "change", of: "src/x.rs" }])
      expect(found.commands).toEqual(["cargo test --lib -- x"])
    })
  )

  it.effect("names nothing for a change without code", () =>
    Effect.gen(function* () {
      const { found, omitted } = yield* testsAfter(shop, { "README.md": "# Shop\n" })
      expect({ found, omitted }).toEqual({
        found: { files: [], commands: [], runner: null, untested: [] },
        omitted: []
      })
    })
  )
})
