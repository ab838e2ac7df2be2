import { describe, expect, test } from "bun:test"
import { recordedIn } from "../../../src/domain/code/Lockfile.ts"
import { ecosystemOf } from "../../../src/domain/code/Manifest.ts"

const recorded = (lock: string, text: string, manifest: string, base: string, folder = "") => {
  const read = ecosystemOf(manifest)!.read
  return recordedIn(lock, { text, folder, base: read(base)! })
}

describe("recordedIn", () => {
  const base = '{"dependencies": {"@x/socket.io": "^1"}}'

  test("finds names with dots and scopes in the lock files of JavaScript", () => {
    const locks: Readonly<Record<string, string>> = {
      "package-lock.json": `{"packages": {"": ${base}}}`,
      "bun.lock": `{"workspaces": {"": ${base},},}`,
      "yarn.lock": '"@x/socket.io@^1", "@x/socket.io@^2":\n  version "1"\n',
      "pnpm-lock.yaml": "dependencies:\n  '@x/socket.io':\n    specifier: ^1\n    version: 1.0.0\n"
    }
    for (const [lock, text] of Object.entries(locks)) {
      const has = recorded(lock, text, "package.json", base)
      expect([lock, has?.("dependencies.@x/socket.io", "^1")]).toEqual([lock, true])
      expect([lock, has?.("dependencies.@x/socket.io", "^1.2")]).toEqual([lock, false])
      expect([lock, has?.("dependencies.socket.io", "^1")]).toEqual([lock, false])
    }
  })

  test("reads the part of the package in a workspace", () => {
    const importer = (folder: string, version: string) =>
      `  ${folder}:\n    dependencies:\n      a:\n        specifier: ${version}\n        version: 1.0.0\n\n`
    const text = `importers:\n\n${importer(".", "^1")}${importer("packages/b", "^2")}packages:\n`
    const of = (version: string, folder: string) =>
      recorded("pnpm-lock.yaml", text, "package.json", `{"dependencies": {"a": "${version}"}}`, folder)
    expect(of("^2", "packages/b")?.("dependencies.a", "^1")).toBe(false)
    expect(of("^1", "")?.("dependencies.a", "^1")).toBe(true)
    expect(of("^1", "packages/c")).toBeNull()
  })

  test("ignores a lock file that did not match before, or that has no text", () => {
    expect(recorded("yarn.lock", "other@^1:\n", "package.json", base)).toBeNull()
    expect(recorded("bun.lock", "", "package.json", "{}")).toBeNull()
    expect(recorded("bun.lockb", "x", "package.json", "{}")).toBeNull()
    expect(recorded("Cargo.lock", '[[package]]\nname = "b"\n', "Cargo.toml", '[package]\nname = "a"\n')).toBeNull()
  })

  test("compares the parts of a version in any order", () => {
    const lock = '{ name = "a-b", marker = "x", specifier = ">=1,<3" }, { name = "c" }'
    const has = recorded("uv.lock", lock, "pyproject.toml", '[project]\ndependencies = ["a_b <3, >=1", "c"]')
    expect(has?.("dependencies.a_b", "a_b<3,>=1")).toBe(true)
    expect(has?.("dependencies.a_b", "a_b>=2")).toBe(false)
    const gems = recorded("Gemfile.lock", "DEPENDENCIES\n  a (< 3, >= 1)\n", "Gemfile", "gem 'a', '>= 1', '< 3'\n")
    expect(gems?.("a", ",>=1,<3")).toBe(true)
    expect(gems?.("a", ",>=2")).toBe(false)
  })
})
