import { describe, expect } from "bun:test"
import { type Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Brief } from "../../../src/domain/brief/Brief.ts"
import type { Exploration } from "../../../src/domain/code/Exploration.ts"
import { testsByName } from "../../../src/languages/tests.ts"
import * as CodeLive from "../../../src/layers/CodeLive.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { Sources } from "../../../src/services/change/Sources.ts"
import { limits } from "../../../src/services/code/ImportTracer.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { NotParsed, SyntaxParser } from "../../../src/services/code/SyntaxParser.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { explore } from "../../../src/services/review/explore.ts"
import { emptyBrief } from "../../support/briefs.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"
import { it } from "../../support/effect.ts"

const explored = (
  texts: Texts,
  others: Readonly<Record<string, string>> = {},
  parser: Layer.Layer<SyntaxParser> = TreeSitter.layer,
  brief: Brief | null = null
) =>
  Effect.gen(function* () {
    const change = { ...changeOf(texts), base: { _tag: "Commit", sha: "0".repeat(40) } } as const
    return { ...(yield* explore(change, brief)), failures: yield* (yield* Sources).failures }
  }).pipe(
    Effect.provide(
      CodeLive.codeQueries.pipe(
        Layer.provide(SymbolIndex.layer),
        Layer.provide(SyntaxTrees.layer),
        Layer.provideMerge(sourcesOf(texts, others)),
        Layer.provide([parser, NoFacts.layer])
      )
    )
  )

const related = ({ affectedFiles }: Exploration, role: string) =>
  affectedFiles.filter((file) => file.role === role).map(({ path }) => path)

const edges = ({ dependencies }: Exploration) =>
  dependencies.map(({ source, relationship, target }) => `${source} ${relationship} ${target}`)

const two = { "b.txt": ["x\n", "y\n"] } as const

describe("explore", () => {
  it.effect("lists only the changed file when one file changed", () =>
    Effect.gen(function* () {
      const found = yield* explored({ "a.py": ["import b\n", "import b\nx = 1\n"] }, { "b.py": "" })
      expect(found).toEqual({
        tier: "skip",
        affectedFiles: [{ path: "a.py", role: "modified", summary: "modified, +1 -0" }],
        dependencies: [],
        conventions: [],
        omitted: [],
        failures: []
      })
    })
  )

  it.effect("follows what changed files import, and finds who imports them", () =>
    Effect.gen(function* () {
      const found = yield* explored(
        { "shop/cart.py": ["", "from .item import Item\n"], ...two },
        {
          "shop/__init__.py": "",
          "shop/item.py": "",
          "app.py": "from shop.cart import Cart\n",
          "words.py": "# from shop.cart, in words\ncart = 1\n",
          "other.py": "from elsewhere import cart\n"
        }
      )
      expect(found.tier).toBe("single")
      expect(edges(found)).toEqual(["shop/cart.py imports shop/item.py", "app.py imports shop/cart.py"])
      expect(related(found, "imports")).toEqual(["shop/item.py"])
      expect(related(found, "imported_by")).toEqual(["app.py"])
      expect(found.omitted).toEqual([])
    })
  )

  it.effect("finds who still imports a file the change deletes", () =>
    Effect.gen(function* () {
      const found = yield* explored(
        { "src/old.ts": ["export const a = 1\n", null], ...two },
        { "src/user.ts": 'import { a } from "./old"\n' }
      )
      expect(edges(found)).toEqual(["src/user.ts imports src/old.ts"])
    })
  )

  it.effect("resolves through go.mod, tsconfig paths and workspace packages", () =>
    Effect.gen(function* () {
      const found = yield* explored(
        {
          "main.go": ["", 'package main\n\nimport "acme.io/shop/cart"\n'],
          "web/a.ts": ["", 'import { b } from "@/b"\nimport { c } from "@acme/c"\n']
        },
        {
          "go.mod": "module acme.io/shop\n",
          "cart/cart.go": "package cart\n",
          "web/tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./*"]}}}',
          "web/b.ts": "",
          "packages/c/package.json": '{"name": "@acme/c"}',
          "packages/c/src/index.ts": ""
        }
      )
      expect(related(found, "imports")).toEqual(["cart/cart.go", "packages/c/src/index.ts", "web/b.ts"])
    })
  )

  it.effect("reads conventions for a change of four files", () =>
    Effect.gen(function* () {
      const found = yield* explored({
        "src/cart.py": ["", "x = 1\n"],
        "web/cart.ts": ["", "const x = 1\n"],
        "pyproject.toml": ["[tool.ruff]\nline-length = 100\n", "[tool.ruff]\nline-length = 500\n"],
        ...two
      })
      expect(found.tier).toBe("parallel")
      // The base side's words: a change does not loosen the rules it is held against.
      expect(found.conventions).toEqual([{ name: "ruff", description: "line-length 100", source: "pyproject.toml" }])
    })
  )

  it("maps each of thousands of files of one name to the test beside it", () => {
    const folders = Array.from({ length: 10_000 }, (_, i) => `packages/p${i}/src`)
    const files = folders.map((folder) => `${folder}/index.ts`)
    const tests = folders.map((folder) => `${folder}/index.test.ts`)
    const found = testsByName(files, [...files, ...tests])
    expect(found).toEqual(files.map((path, i) => ({ path, test: tests[i]! })))
  })

  it.effect("takes tests and companions from the brief", () =>
    Effect.gen(function* () {
      const texts: Texts = { "a.py": ["x = 1\n", "x = 2\n"], ...two }
      const brief: Brief = {
        ...emptyBrief,
        companions: [{ file: "schema.sql", with: "a.py", together: 4, commits: 4, latest: "abc" }],
        tests: {
          ...emptyBrief.tests,
          files: [
            { file: "test_a.py", by: "name", of: "a.py" },
            { file: "test_x.py", by: "use", of: "x" }
          ]
        }
      }
      const found = yield* explored(texts, { "schema.sql": "" }, TreeSitter.layer, brief)
      expect(found.affectedFiles.filter(({ role }) => role !== "modified")).toEqual([
        { path: "test_a.py", role: "test", summary: "tests a.py" },
        { path: "test_x.py", role: "test", summary: "tests x" },
        { path: "schema.sql", role: "changes_with", summary: "changed with a.py in 4 of its last 4 commits" }
      ])
      expect(edges(found)).toEqual(["test_a.py tests a.py", "schema.sql changes_with a.py"])
    })
  )

  it.effect("reports it, and keeps the rest, when files cannot be parsed", () =>
    Effect.gen(function* () {
      const deaf = Layer.succeed(SyntaxParser, {
        parse: (grammar) => Effect.fail(new NotParsed({ grammar, reason: "took too long" }))
      })
      const found = yield* explored(
        { "a.py": ["", "import b\n"], "src/cart.py": ["", "x = 1\n"] },
        { "b.py": "" },
        deaf
      )
      expect(found.dependencies).toEqual([])
      expect(found.omitted).toEqual([
        "imports of a.py: not parsed as python: took too long",
        "imports of src/cart.py: not parsed as python: took too long"
      ])
    })
  )

  it.effect("reports that a bare patch has no files to search", () =>
    Effect.gen(function* () {
      const texts: Texts = { "a.py": ["x\n", null], "b.py": ["x\n", null] }
      const found = yield* explored(texts)
      expect(found.omitted).toEqual(["everything around the change: there is no repository to look in"])
    })
  )

  it.effect("stops listing importers at the limit, and reports it", () =>
    Effect.gen(function* () {
      const importers = Object.fromEntries(
        Array.from({ length: limits.importersOfOne + 5 }, (_, i) => [`u${i}.py`, "import core\n"])
      )
      const found = yield* explored({ "core.py": ["", "x = 1\n"], ...two }, importers)
      expect(related(found, "imported_by").length).toBe(limits.importersOfOne)
      expect(found.omitted).toEqual([
        `importers of core.py after the first ${limits.importersOfOne} of ${limits.importersOfOne + 5}`
      ])
    })
  )

  /** A parser that takes so long for each text. */
  const slowBy = (time: Duration.Input) =>
    Layer.effect(
      SyntaxParser,
      Effect.map(SyntaxParser, ({ parse }) =>
        SyntaxParser.of({ parse: (grammar, text) => Effect.andThen(TestClock.adjust(time), parse(grammar, text)) })
      )
    ).pipe(Layer.provide(TreeSitter.layer))

  it.effect("says that a search which ran out of time did not check the rest", () =>
    Effect.gen(function* () {
      const importers = Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [`u${i}.py`, `import core as c${i}\n`])
      )
      const found = yield* explored({ "core.py": ["", "x = 1\n"], ...two }, importers, slowBy("2 seconds"))
      expect(found.omitted).toEqual(["importers of core.py after the first 40 of 100"])
      expect(found.failures).toMatchObject([
        {
          error: "SearchTimedOut",
          unchecked: expect.stringMatching(/^importers among 200 of 300 python files$/),
          detail: expect.stringContaining("the search did not end within 3000 ms")
        }
      ])
    })
  )

  it.effect("searches as far on a slow machine as on a fast one", () =>
    Effect.gen(function* () {
      const importers = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`u${i}.py`, "import core\n"]))
      // Each statement takes longer to parse than the whole search once was given.
      const slow = slowBy("90 millis")
      const texts = { "core.py": ["", "x = 1\n"], ...two } as const
      expect(yield* explored(texts, importers, slow)).toEqual(yield* explored(texts, importers))
    })
  )

  it.effect("stops at so many characters of files, and reports it", () =>
    Effect.gen(function* () {
      const large = `import core\n${"#".repeat(1_000_000)}\n`
      const importers = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`u${i}.py`, large]))
      const found = yield* explored({ "core.py": ["", "x = 1\n"], ...two }, importers)
      expect(related(found, "imported_by").length).toBe(6)
      expect(found.omitted).toEqual(["importers among 3 of 9 python files: stopped after 6000000 characters"])
    })
  )

  it.effect("searches only the nearest files of a large repository, and reports it", () =>
    Effect.gen(function* () {
      const far = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`far/away/f${i}.py`, "core = 1\n"]))
      const found = yield* explored(
        { "near/core.py": ["", "x = 1\n"], ...two },
        { ...far, "near/user.py": "import core\n" }
      )
      expect(related(found, "imported_by")).toEqual(["near/user.py"])
      expect(found.omitted).toEqual([
        "importers among 101 of 501 python files that mention what changed, the farthest ones"
      ])
    })
  )
})
