import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { collapseTiny, detectStacks, type StackHints, stackMarkers } from "../../src/languages/stacks.ts"
import { it } from "../support/effect.ts"

const nothing: StackHints = { stackRules: [], markers: new Map(), texts: new Map() }
const shape = (paths: ReadonlyArray<string>, hints = nothing) =>
  Object.fromEntries(detectStacks(paths, hints).map(({ name, files }) => [name, files]))

describe("detectStacks", () => {
  it("has the files of each language, and all of them for structure", () => {
    expect(shape(["a.py", "b.go", "c.rs", "d.swift", "e.ex", "F.java", "g.rb", "h.tsx"])).toEqual({
      elixir: ["e.ex"],
      go: ["b.go"],
      ios: ["d.swift"],
      java: ["F.java"],
      python: ["a.py"],
      react: ["h.tsx"],
      ruby: ["g.rb"],
      rust: ["c.rs"],
      structure: ["F.java", "a.py", "b.go", "c.rs", "d.swift", "e.ex", "g.rb", "h.tsx"]
    })
  })

  it("lists languages by name, then generic, then structure", () => {
    const names = detectStacks(["z.rs", "README.md", "a.py"], nothing).map(({ name }) => name)
    expect(names).toEqual(["python", "rust", "generic", "structure"])
  })

  it("has no structure for documents alone, and nothing for an empty change", () => {
    expect(shape(["README.md", "docs/a.md"])).toEqual({ generic: ["README.md", "docs/a.md"] })
    expect(detectStacks([], nothing)).toEqual([])
    expect(Object.keys(shape(["config.yml"]))).toEqual(["generic", "structure"])
  })

  it("reads a script as react when the nearest package.json depends on react, else as typescript", () => {
    const markers = new Map([
      ["package.json", `{"devDependencies":{"typescript":"5"}}`],
      ["web/package.json", `{"dependencies": {"react": "^19"}}`]
    ])
    expect(shape(["web/src/a.ts", "server/b.ts", "web/src/c.tsx"], { ...nothing, markers })).toEqual({
      react: ["web/src/a.ts", "web/src/c.tsx"],
      typescript: ["server/b.ts"],
      structure: ["server/b.ts", "web/src/a.ts", "web/src/c.tsx"]
    })
  })

  it("names the marker files to read", () => {
    const head = new Set(["package.json", "web/package.json", "web/src/a.ts", "lib/b.ts", "x.py"])
    expect(stackMarkers(["web/src/a.ts", "lib/b.ts", "x.py"], head)).toEqual(["package.json", "web/package.json"])
    expect(stackMarkers(["x.py", "c.tsx"], head)).toEqual([])
  })

  it("promotes a project file to its language only when the change touches that language", () => {
    expect(shape(["pyproject.toml", "a.py"]).python).toEqual(["a.py", "pyproject.toml"])
    expect(shape(["pyproject.toml", "b.go"]).generic).toEqual(["pyproject.toml"])
    expect(shape(["go.mod", "go.sum", "b.go"]).go).toEqual(["b.go", "go.mod", "go.sum"])
    expect(shape(["package.json", "a.ts"]).typescript).toEqual(["a.ts", "package.json"])
  })

  it("keeps configuration generic even beside one language", () => {
    expect(shape([".github/workflows/ci.yml", "Dockerfile", "a.toml", "a.py"]).generic).toEqual([
      ".github/workflows/ci.yml",
      "Dockerfile",
      "a.toml"
    ])
  })

  it("adds an unknown file to the only language, or the only one of its nearest folder, or to none", () => {
    expect(shape(["a.py", "data/schema.sql"]).python).toEqual(["a.py", "data/schema.sql"])
    const files = ["web/a.tsx", "web/style.css", "api/b.go", "api/deep/q.sql", "notes.txt"]
    expect(shape(files)).toMatchObject({
      react: ["web/a.tsx", "web/style.css"],
      go: ["api/b.go", "api/deep/q.sql"],
      generic: ["notes.txt"]
    })
  })

  it("asks an extension's rules first, in their order", () => {
    const stackRules = [
      { name: "infra", patterns: ["infra/*"] },
      { name: "late", patterns: ["*"] }
    ]
    expect(shape(["infra/deep/main.py", "a.py"], { stackRules, markers: new Map(), texts: new Map() })).toEqual({
      infra: ["infra/deep/main.py"],
      late: ["a.py"],
      structure: ["a.py", "infra/deep/main.py"]
    })
  })

  const Paths = Schema.Array(
    Schema.Literals([
      "a.py",
      "web/b.tsx",
      "web/c.ts",
      "d.go",
      "README.md",
      "x/y.sql",
      "web/s.css",
      "package.json",
      "Cargo.toml",
      "e.rs",
      "ci.yml",
      "constructor",
      "__proto__"
    ])
  )

  it.prop("puts every file in exactly one stack besides structure", Paths, (paths) => {
    const stacks = detectStacks(paths, nothing)
    const members = stacks.filter(({ name }) => name !== "structure").flatMap(({ files }) => files)
    expect([...members].sort()).toEqual([...new Set(paths)].sort())
    for (const { name, files } of stacks)
      if (name === "structure") expect([...files]).toEqual([...new Set(paths)].sort())
  })

  it.prop("does not depend on the order of the paths", Paths, (paths) => {
    expect(detectStacks([...paths].reverse(), nothing)).toEqual(detectStacks(paths, nothing))
  })

  it.prop("loses no file when a tiny change is collapsed", Paths, (paths) => {
    const { stacks } = collapseTiny(detectStacks(paths, nothing), 2)
    const members = stacks.filter(({ name }) => name !== "structure").flatMap(({ files }) => files)
    expect([...members].sort()).toEqual([...new Set(paths)].sort())
  })
})

describe("collapseTiny", () => {
  it("adds the generic files to the only language", () => {
    expect(collapseTiny(detectStacks(["a.py", "README.md"], nothing), 2)).toEqual({
      single: true,
      stacks: [
        { name: "python", files: ["README.md", "a.py"] },
        { name: "structure", files: ["README.md", "a.py"] }
      ]
    })
  })

  it("reads two languages as one generic stack", () => {
    const { stacks } = collapseTiny(detectStacks(["a.py", "b.go"], nothing), 2)
    expect(stacks.map(({ name }) => name)).toEqual(["generic", "structure"])
  })

  it("takes TypeScript with and without JSX for one language", () => {
    const names = (...paths: ReadonlyArray<string>) =>
      collapseTiny(detectStacks(paths, nothing), 2).stacks.map(({ name }) => name)
    expect(names("src/jsx/index.ts", "src/jsx/index.test.tsx")).toEqual(["react", "structure"])
    expect(names("a.py", "b.tsx")).toEqual(["generic", "structure"])
  })

  it("leaves a larger change, a threshold of 0 and an empty change alone", () => {
    const stacks = detectStacks(["a.py", "b.go", "c.rs"], nothing)
    expect(collapseTiny(stacks, 2)).toEqual({ single: false, stacks })
    expect(collapseTiny(stacks, 0)).toEqual({ single: false, stacks })
    expect(collapseTiny([], 2)).toEqual({ single: false, stacks: [] })
  })
})
