import { describe, expect, test } from "bun:test"
import type { Definition } from "../../../src/domain/code/Symbol.ts"
import { enclosingRanges, excerpt, outlineRanges, partsAround } from "../../../src/domain/pack/excerpt.ts"
import { hiddenReason, relatedReason } from "../../../src/domain/pack/Omission.ts"
import { filterOf } from "../../../src/domain/pack/PackPolicy.ts"
import { reductionsFor, type Shrinkable } from "../../../src/domain/pack/reduce.ts"

const file = (path: string, full: number, slice: number, outline: number, isGenerated = false): Shrinkable => ({
  path,
  isGenerated,
  tokens: { full, slice, outline }
})

describe("the core that does not fit", () => {
  const files = [file("small", 100, 50, 10), file("big", 9000, 900, 90), file("made", 500, 0, 0, true)]

  test("is cut no more than needed: generated files first, then the largest", () => {
    expect(reductionsFor(files, 0)).toEqual([])
    expect(reductionsFor(files, 400).map(({ path }) => path)).toEqual(["made"])
    expect(reductionsFor(files, 501).map(({ path, to }) => `${path} ${to}`)).toEqual(["made slice", "big slice"])
  })

  test("goes on to headers of definitions, the largest file first", () => {
    const steps = reductionsFor(files, 1_000_000).map(({ path, to }) => `${path} ${to}`)
    expect(steps).toEqual(["made slice", "big slice", "small slice", "big outline", "small outline"])
  })

  test("saves at least what is asked for, if the steps can", () => {
    for (let excess = 1; excess <= 9_500; excess += 97) {
      const saved = reductionsFor(files, excess).reduce((sum, step) => sum + step.saved, 0)
      expect(saved).toBeGreaterThanOrEqual(excess)
    }
  })
})

describe("a part of a file", () => {
  const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`)
  const definition = (name: string, line: number, endLine: number): Definition => ({
    name,
    kind: "function",
    container: null,
    signature: null,
    line,
    endLine,
    shape: ""
  })

  test("has the definition around a line, with line numbers and dots for gaps", () => {
    const shown = excerpt(lines, enclosingRanges([12], [definition("f", 10, 14), definition("g", 40, 50)]))
    expect(shown.split("\n")).toEqual([
      "...",
      "10  line 10",
      "11  line 11",
      "12  line 12",
      "13  line 13",
      "14  line 14",
      "...",
      ""
    ])
  })

  test("without definitions has the lines around a line", () => {
    expect(excerpt(lines, enclosingRanges([1], [])).split("\n")[0]).toBe(" 1  line 1")
  })

  test("around changes, is in parts: each definition, very long ones apart, and what is near other changes", () => {
    const all = [definition("Long", 1, 300), definition("f", 10, 14), definition("g", 200, 210)]
    const { long, usual } = partsAround([11, 12, 100, 110, 205], all)
    const header = { first: 1, last: 1 }
    expect(usual).toEqual([
      [header, { first: 10, last: 14 }],
      [header, { first: 80, last: 130 }],
      [header, { first: 200, last: 210 }]
    ])
    expect(long).toEqual([[{ first: 1, last: 300 }]])
  })

  test("as an outline has headers of several lines", () => {
    const code = ["def f(", "  a,", "  b):", "  return a", "def g(): pass"]
    expect(outlineRanges(code, [definition("f", 1, 4), definition("g", 5, 5)])).toEqual([
      { first: 1, last: 3 },
      { first: 5, last: 5 }
    ])
  })
})

describe("the filters", () => {
  const cases: Readonly<Record<string, string | null>> = {
    "pnpm-lock.yaml": "filtered:lockfile",
    "a/go.sum": "filtered:lockfile",
    "uv.lock": "filtered:lockfile",
    ".env": "filtered:env",
    "app/.env.production": "filtered:env",
    ".envrc": "filtered:env",
    ".npmrc": "filtered:secret",
    ".aws/credentials": "filtered:secret",
    "keys/server.pem": "filtered:secret",
    id_ed25519: "filtered:secret",
    "GoogleService-Info.plist": "filtered:secret",
    "my-service-account.json": "filtered:secret",
    "docs/guide.py": "filtered:docs",
    "NOTES.txt": "filtered:docs",
    "requirements.txt": null,
    "dev-requirements.txt": null,
    "requirements/test.txt": null,
    "lib/CMakeLists.txt": null,
    "node_modules/a/index.js": "filtered:generated-cache",
    "a/dist/b.js": "filtered:generated-cache",
    "internal/build/build.go": null,
    "src/environment.ts": null,
    "src/keys.ts": null
  }
  for (const [path, reason] of Object.entries(cases)) {
    test(`${path}: ${reason ?? "kept"}`, () => expect(relatedReason(path)).toBe(reason as never))
  }

  test("never leave out a changed file for the name of its folder", () => {
    for (const path of ["build/a.go", "docs/a.md", "dist/a.js", "tests/a.py"]) expect(hiddenReason(path)).toBeNull()
  })

  test("are lifted by what the user includes, but not for secrets, and what is excluded stays out", () => {
    const filter = filterOf({ exclude: ["*.sql"], include: ["docs/**", "**/.env", "*.sql"], focus: [] })
    expect(filter.related("docs/a.md")).toBeNull()
    expect(filter.related("app/.env")).toBe("filtered:env")
    expect(filter.changed("a.sql")).toBe("filtered:config-exclude")
  })
})
