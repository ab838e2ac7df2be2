import { describe, expect, test } from "bun:test"
import { languageOf } from "../../src/languages/languages.ts"
import { importsConditionally } from "../../src/languages/python/loading.ts"

const modules = (path: string, text: string) =>
  loadedModules(path, text.split("\n")).map(
    ({ endLine, line, module, names }) => `${module}[${names}]@${line}-${endLine}`
  )

const loadedModules = (path: string, lines: ReadonlyArray<string>) => languageOf(path)?.loaded?.(path, lines) ?? []

describe("what a Python module loads", () => {
  test("is read from statements at the left margin, over several lines", () => {
    const text =
      "import a.b as c, d  # why\nfrom .x import (\n    one,  # first\n    two as three,\n)\nfrom y import \\\n    z\n"
    expect(modules("m.py", text)).toEqual(["a.b[]@1-1", "d[]@1-1", ".x[one,two]@2-5", "y[z]@6-7"])
  })
  test("leaves out functions, conditions, long strings and the language's own future", () => {
    const text =
      'from __future__ import annotations\n"""\nimport a\n"""\nif x:\n    import b\ndef f():\n    import c\ns = """import d"""\n'
    expect(modules("m.py", text)).toEqual([])
  })
  test("is not known in its order where some of it is loaded only sometimes", () => {
    expect(importsConditionally(["try:", "    import a", "except ImportError:", "    pass"])).toBe(true)
    expect(importsConditionally(["if TYPE_CHECKING:", "    import a", "def f():", "    import b"])).toBe(false)
  })
})

describe("what a script loads", () => {
  test("is every import and every re-export but those of types alone", () => {
    const text = [
      'import "./effects"',
      'import a, { type B } from "./a"',
      "import {",
      "  one,",
      "  two",
      '} from "./b"',
      'import type { C } from "./types"',
      'import { type D, type E } from "./types"',
      'export * from "./c"',
      'export type { F } from "./types"',
      'import type from "./type"',
      'export const text = "./no"',
      'const lazy = () => import("./lazy")'
    ].join("\n")
    expect(modules("m.ts", text)).toEqual(["./effects[]@1-1", "./a[]@2-2", "./b[]@3-6", "./c[]@9-9", "./type[]@11-11"])
  })
  test("is nothing for a file of declarations", () => {
    expect(modules("m.d.ts", 'import "./a"\n')).toEqual([])
  })
})

describe("what a Go file loads", () => {
  test("is every import by whatever name", () => {
    expect(modules("m.go", 'package m\n\nimport "a"\nimport (\n\tb "c/d"\n\t_ "e"\n)\n\nvar x = "f"\n')).toEqual([
      "a[]@3-3",
      "c/d[]@5-5",
      "e[]@6-6"
    ])
  })
  test("is nothing for a file that is built only sometimes", () => {
    expect(modules("m.go", '//go:build tools\n\npackage m\n\nimport "a"\n')).toEqual([])
  })
})

test("an empty file and one of another language load nothing", () => {
  expect([modules("m.py", ""), modules("m.ts", ""), modules("m.go", ""), modules("m.css", '@import "a"')]).toEqual([
    [],
    [],
    [],
    []
  ])
})
