import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { DiffFile } from "../../../src/domain/change/Diff.ts"
import type { SyntaxNode } from "../../../src/domain/code/Syntax.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const asked = <A>(texts: Texts, ask: (trees: SyntaxTrees["Service"], file: DiffFile) => Effect.Effect<A>) =>
  parsing.runPromise(
    Effect.gen(function* () {
      const trees = yield* SyntaxTrees
      const [file] = changeOf(texts).diff.files
      if (file === undefined) throw new Error("nothing has changed")
      return yield* ask(trees, file)
    }).pipe(Effect.provide(SyntaxTrees.layer.pipe(Layer.provide(sourcesOf(texts)))))
  )

const tree = { ask: (root: SyntaxNode) => `${root} ${root.text}` }

describe("the trees of a changed file", () => {
  const texts: Texts = { "a.py": ["def f(a):\n    return a\n", "import b\n\ndef f(a, c):\n    return a + c\n"] }

  test("are those of each side, in whichever order they are requested", async () => {
    const baseFirst = await asked(texts, (trees, file) =>
      Effect.all([trees.base(file, tree), trees.head(file.path, tree)])
    )
    const headFirst = await asked(texts, (trees, file) =>
      Effect.all([trees.head(file.path, tree), trees.base(file, tree)])
    )
    expect([...baseFirst]).toEqual([...headFirst].reverse())
    expect(baseFirst[0]).toEndWith("def f(a):\n    return a\n")
    expect(baseFirst[1]).toStartWith("(module (import_statement")
  })

  test("are not made for a text that lacks the question's marks", async () => {
    const failing = { marks: /\bclass\b/, ask: () => expect.unreachable() }
    expect(await asked(texts, (trees, file) => trees.head(file.path, failing))).toBeNull()
    expect(await asked(texts, (trees, file) => trees.base(file, failing))).toBeNull()
  })

  test("are null where there is no text, and where there is no grammar", async () => {
    expect(await asked({ "a.py": [null, "a = 1\n"] }, (trees, file) => trees.base(file, tree))).toBeNull()
    expect(await asked(texts, (trees) => trees.head("gone.py", tree))).toBeNull()
    expect(await asked({ "a.txt": ["a\n", "b\n"] }, (trees, file) => trees.head(file.path, tree))).toBeNull()
  })

  test("that could not be had are named with the reason, once", async () => {
    const large: Texts = {
      "a.py": ["x = 1\n", { _tag: "TooLarge", bytes: 3_000_000 }],
      "b.ts": [null, `const x = [${"1,".repeat(600_000)}]\n`],
      "c.ts": [null, { _tag: "Unreadable", reason: "missing object" }],
      "d.txt": [null, { _tag: "TooLarge", bytes: 3_000_000 }],
      "e.py": [null, "x = 1\n"]
    }
    const unread = await asked(large, (trees) =>
      Effect.gen(function* () {
        for (const path of ["e.py", "b.ts", "c.ts", "d.txt", "a.py", "b.ts", "gone.py"]) yield* trees.head(path, tree)
        return yield* trees.unread
      })
    )
    expect(unread).toEqual([
      { path: "a.py", reason: "too large, 3.0 MB, the limit is 2 MB", lack: "limit" },
      { path: "b.ts", reason: "not parsed as typescript: too large", lack: "limit" }
    ])
  })
})
