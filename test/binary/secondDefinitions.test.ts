/** What the brief says of a second definition of a name, in each language that has them. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const briefOf = async (path: string, before: string, after: string) => {
  using place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("one", { [path]: before })
  repository.commit("two", { [path]: after })
  const env = { PATH: systemPath, HOME: place.path }
  return (await run([dd, "brief", "--commit", "HEAD"], { cwd: repository.root, env })).stdout
}

describe("a second definition of a name", () => {
  test.each([
    ["a.py", "x = 1\nprint(x)\n", "x = x + 1\n"],
    ["a.py", "class A:\n    x = 1\n", "    x = x + 1\n"],
    ["a.rb", "X = 1\nputs X\n", "X = 2\n"],
    ["a.js", "export var x = 1\n", "var x = 2\n"]
  ])("of a value in %s is no overload: %s", async (path, before, more) => {
    expect(await briefOf(path, before, before + more)).not.toContain("overload")
    expect(await briefOf(path, before + more, before)).not.toContain("overload")
  })

  test.each([
    ["A.java", "class A {\n  public int f(int a) { return a; }\n", "  public int f(String a) { return 1; }\n", "}\n"],
    ["a.kt", "fun f(a: Int) = 1\n", "fun f(a: String) = 2\n", ""],
    ["a.swift", "public func f(a: Int) -> Int { 1 }\n", "public func f(b: Int) -> Int { 2 }\n", ""]
  ])("with parameters is an overload: %s", async (path, before, more, end) => {
    expect(await briefOf(path, before + end, before + more + end)).toContain("added overload")
    expect(await briefOf(path, before + more + end, before + end)).toContain("removed overload")
  })
})
