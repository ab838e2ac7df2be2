import { describe, expect } from "bun:test"
import { changedDependencies, ecosystemOf, lockedPackageJson } from "../../../src/domain/code/Manifest.ts"
import { it } from "../../support/effect.ts"

const read = (path: string, text: string) => {
  const manifest = ecosystemOf(path)?.read(text) ?? null
  return manifest === null ? null : Object.fromEntries(manifest.dependencies)
}

describe("Manifest", () => {
  it("reads a package.json by section, and no peers", () => {
    const text = '{"dependencies": {"a": "1"}, "devDependencies": {"b": "2"}, "peerDependencies": {"c": "3"}}'
    expect(read("web/package.json", text)).toEqual({ "dependencies.a": "1", "devDependencies.b": "2" })
  })

  it("reads Cargo.toml by crate, under whatever name it is used", () => {
    const text =
      '[dependencies]\na = "1"\nb = { package = "real-b", version = "1" }\n[target.\'cfg(unix)\'.dependencies]\nc = "1"\n'
    expect(read("Cargo.toml", text)).toEqual({ a: "", "real-b": "", c: "" })
  })

  it("reads pyproject.toml as the standard and as Poetry write it", () => {
    const text =
      '[project]\ndependencies = ["A >= 1"]\n[dependency-groups]\ndev = ["pytest", {include-group = "x"}]\n[tool.poetry.dependencies]\nb = "^2"\n'
    expect(read("pyproject.toml", text)).toEqual({
      "dependencies.a": "A>=1",
      "dev.pytest": "pytest",
      "poetry.main.b": '"^2"'
    })
  })

  it("reads go.mod's requirements, without what a local folder replaces", () => {
    const text =
      "module m\n\nrequire a.io/a v1\nrequire (\n\tb.io/b v2 // indirect\n\tc.io/c v3\n)\nreplace c.io/c => ../c\n"
    expect(read("go.mod", text)).toEqual({ "a.io/a": "v1", "b.io/b": "v2" })
  })

  it("reads a Gemfile's requirements and ignores options", () => {
    expect(read("Gemfile", "gem 'a', '~> 1', require: false\ngem \"b\"\ngem 'c', path: '../c'\n# gem 'd'\n")).toEqual({
      a: ",~>1",
      b: ""
    })
  })

  it("reports nothing about a text that is broken, of another shape, or hostile", () => {
    expect(read("package.json", "{")).toBeNull()
    expect(read("package.json", "[]")).toBeNull()
    expect(read("package.json", '{"dependencies": [1], "devDependencies": null}')).toEqual({})
    expect(read("Cargo.toml", "[[[")).toBeNull()
    expect(read("package.json", '{"dependencies": {"__proto__": "1"}}')).toEqual({ "dependencies.__proto__": "1" })
    expect(ecosystemOf("package.json5")).toBeNull()
  })

  it("distinguishes new requirements from removed ones", () => {
    const of = (text: string) => ecosystemOf("package.json")!.read(text)!
    const changed = changedDependencies(
      of('{"dependencies": {"a": "1", "b": "1", "c": "1"}}'),
      of('{"dependencies": {"a": "1", "b": "2", "d": "1"}}')
    )
    expect(changed).toEqual({ wanted: ["dependencies.b", "dependencies.d"], removed: ["dependencies.c"] })
  })

  it("reads the root package's record in a package-lock.json, where there is one", () => {
    const locked = lockedPackageJson({ packages: { "": { dependencies: { a: "1" } } } }, "packages", "")
    expect([...(locked?.dependencies ?? [])]).toEqual([["dependencies.a", "1"]])
    expect(lockedPackageJson({ dependencies: { a: {} } }, "packages", "")).toBeNull()
  })
})
