/** `dd prove` in real repositories: real tests run on small changes of real code, in a copy. */
import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { folderHash } from "../support/folderHash.ts"
import { run } from "../support/inProcess.ts"
import { run as runBinary, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const manifest = '{ "scripts": { "test": "node --test" } }\n'
const kind = "exports.isJson = (type) => /^application\\/json$/.test(type)\n"
const testOf = (...checks: ReadonlyArray<string>) =>
  `const assert = require("node:assert")
const { test } = require("node:test")
const { isJson } = require("./kind.js")

test("JSON is recognised", () => {
${checks.map((check) => `  assert.ok(${check})\n`).join("")}})
`
const loose = testOf('isJson("application/json")', '!isJson("text/application/json")')
const strict = testOf('isJson("application/json")', '!isJson("text/application/json")', '!isJson("application/json5")')

type Files = Readonly<Record<string, string>>

/** A repository whose last commit adds these files to the ones before. */
const world = (before: Files, added: Files) => {
  const place = scratch()
  const home = join(place.path, "home")
  mkdirSync(home)
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# Kinds\n", ...before })
  repository.commit("Add", added)
  // The folder of node, which may be one of the user's.
  const env = { PATH: `${systemPath}:${join(Bun.which("node") ?? "/usr/bin/node", "..")}`, HOME: home }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  return {
    ...{ repository, home, env, call },
    report: async (...args: ReadonlyArray<string>) => {
      const ended = await call("prove", "--format", "json", ...args)
      return { ...ended, result: JSON.parse(ended.stdout) }
    },
    leftTrees: () => (existsSync(join(home, ".daydream/work")) ? readdirSync(join(home, ".daydream/work")) : []),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

const titlesOf = ({ findings }: { findings: ReadonlyArray<{ rule: string; title: string; line: number }> }) =>
  findings.map(({ line, rule, title }) => `${rule} ${line}: ${title}`)

describe("dd prove", () => {
  test("names the part of a pattern that no test needs, and leaves the repository as it was", async () => {
    using at = world({ "package.json": manifest, "kind.test.js": loose }, { "kind.js": kind })
    const before = folderHash(at.repository.root, [".daydream"])
    const { result, status, stderr } = await at.report()
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(titlesOf(result)).toEqual(["run/unnoticed-change 1: No test notices if `$` is removed"])
    expect(result.findings[0]).toMatchObject({ severity: "low", column: 47, end_column: 48, source: "static" })
    expect(result.status).toBe("complete")
    expect(folderHash(at.repository.root, [".daydream"])).toBe(before)
    expect(at.leftTrees()).toEqual([])
  })

  test("says nothing of code whose every part a test needs", async () => {
    using at = world({ "package.json": manifest, "kind.test.js": strict }, { "kind.js": kind })
    const { result, status } = await at.report()
    expect([status, result.findings, result.status]).toEqual([0, [], "complete"])
    expect(result.notes.join("\n")).toContain("1 test file of node --test ran on")
  })

  test("is read as a page", async () => {
    using at = world({ "package.json": manifest, "kind.test.js": loose }, { "kind.js": kind })
    const { stdout } = await at.call("prove")
    expect(stdout).toContain("low[run/unnoticed-change]: No test notices if `$` is removed\n")
    expect(stdout).toContain("^ the test file that executes it passes")
  })

  test("says that the tests fail already, and is not clean", async () => {
    using at = world({ "package.json": manifest, "kind.test.js": testOf('isJson("")') }, { "kind.js": kind })
    const { result, status } = await at.report()
    expect([status, result.findings, result.status]).toEqual([4, [], "partial"])
    expect(result.notes.join("\n")).toContain("kind.test.js: its tests fail without any change of dd")
  })

  test("runs the test files that pass, and names the one that does not", async () => {
    const files = { "package.json": manifest, "kind.test.js": loose, "isJson.test.js": testOf('isJson("")') }
    using at = world(files, { "kind.js": kind })
    const { result } = await at.report()
    expect(titlesOf(result)).toEqual(["run/unnoticed-change 1: No test notices if `$` is removed"])
    expect(result.notes.join("\n")).toContain("isJson.test.js: its tests fail without any change of dd")
  })

  test("says what it lacks: tests, a runner that it knows, code", async () => {
    for (const [before, added, status, words] of [
      [{ "package.json": manifest }, { "kind.js": kind }, 4, "dd found no test of the changed code"],
      [{ "kind.test.js": loose }, { "kind.js": kind }, 4, "nothing tells how the tests of this project are run"],
      [{ "package.json": manifest }, { "notes.md": "# Notes\n" }, 0, "The added lines have no code"]
    ] as const) {
      using at = world(before, added)
      const ended = await at.report()
      expect([ended.status, ended.result.findings]).toEqual([status, []])
      expect(ended.result.notes.join("\n")).toContain(words)
    }
  })

  test("stops at its budget, and says how much is not tried", async () => {
    const slow = `setTimeout(() => {}, 1500)\n${loose}`
    using at = world({ "package.json": manifest, "kind.test.js": slow }, { "kind.js": kind })
    const { result, status } = await at.report("--run-budget", "2")
    expect(status).toBe(4)
    expect(JSON.stringify(result.notes)).toMatch(/there was no time left|of \d+ small changes/)
  })

  test("tries uncommitted edits, and an older commit without those that follow", async () => {
    using at = world({ "package.json": manifest, "kind.test.js": loose }, { "kind.js": kind })
    at.repository.write("kind.js", kind.replace("$", ""))
    expect(titlesOf((await at.report()).result)).toEqual([])
    expect(titlesOf((await at.report("--commit", "HEAD")).result)).toHaveLength(1)
  })

  test("is also a part of a review, on demand", async () => {
    using at = world({ "package.json": manifest, "kind.test.js": loose }, { "kind.js": kind })
    const review = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await at.call("review", "--format", "json", ...args)).stdout)
    expect(titlesOf(await review("--run"))).toContain("run/unnoticed-change 1: No test notices if `$` is removed")
    expect(titlesOf(await review())).toEqual([])
    for (const flow of ["--shallow", "--review"])
      expect(titlesOf(await review("--run", flow))).toContain(
        "run/unnoticed-change 1: No test notices if `$` is removed"
      )
  })

  test("is suppressed and hidden like any finding", async () => {
    using at = world(
      { "package.json": manifest, "kind.test.js": loose },
      { "kind.js": `// dd-ignore-next-line run/unnoticed-change: servers send no more\n${kind}` }
    )
    const { result } = await at.report()
    expect([result.findings, result.suppressed.length]).toEqual([[], 1])
  })

  test("runs the tests of Python, too", async () => {
    if (Bun.which("python3") === null) return
    const shop = "def total(items, limit):\n    return sum(items) if len(items) <= limit else None\n"
    const tests =
      "import unittest\nfrom shop import total\n\nclass TotalTest(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2], 5), 3)\n        self.assertIsNone(total([1, 2], 1))\n"
    using at = world({ Makefile: "test:\n\tpython3 -m unittest\n", "test_shop.py": tests }, { "shop.py": shop })
    Object.assign(at.env, { PATH: `${join(Bun.which("python3")!, "..")}:${at.env.PATH}` })
    const { result } = await at.report()
    expect(titlesOf(result)).toEqual(["run/unnoticed-change 2: No test notices if `<=` becomes `<`"])
  })

  test("leaves nothing when it is interrupted", async () => {
    const slow = `setTimeout(() => {}, 60000)\n${loose}`
    using at = world({ "package.json": manifest, "kind.test.js": slow }, { "kind.js": kind })
    const ended = await runBinary(["timeout", "--signal=INT", "3", dd, "prove"], {
      cwd: at.repository.root,
      env: at.env
    })
    expect([124, 130]).toContain(ended.status ?? 0)
    expect(at.leftTrees()).toEqual([])
    expect(at.repository.git("status", "--porcelain")).toBe("")
  })
})
