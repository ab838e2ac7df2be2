/** What a text that a partial clone lacks means for a review: it counts where a statement needs it, and is named once. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository, TestRepository, tryGit } from "../support/repository.ts"

/** More than the clone has of a file. */
const big = (first: string, line: (at: number) => string) =>
  `${first}\n${Array.from({ length: 400 }, (_, at) => line(at)).join("\n")}\n`
const bytes = Uint8Array.from({ length: 5000 }, (_, at) => (at * 31) % 256)

const files = {
  "src/a.py": "def total(a):\n    return a\n",
  "src/b.py": "from src.a import total\n\n\ndef order():\n    return total(1)\n",
  "vendor/big.py": big("from src.a import total", (at) => `x${at} = ${at}`),
  "node_modules/z/z.py": big("from src.a import total", (at) => `y${at} = ${at}`),
  "tests/big.js": big("export const total = 1", (at) => `export const x${at} = ${at}`),
  "tests/big.json": big("{", (at) => `"x${at}": ${at},`),
  "img.png": bytes,
  "tests/blob.bin": bytes.toReversed()
}
const changed = "def total(a, b):\n    return a + b\n"

/** A clone that has only the small files of `origin`. */
const world = (change: Readonly<Record<string, string | Uint8Array>>, more: Readonly<Record<string, string>> = {}) => {
  const place = scratch()
  const origin = initRepository(join(place.path, "origin"))
  origin.git("config", "uploadpack.allowFilter", "true")
  origin.commit("base", { ...files, ...more })
  origin.commit("change", change)
  const args = ["clone", "--quiet", "--no-checkout", "--filter=blob:limit=1k", `file://${origin.root}`, "work"]
  if (tryGit(place.path, args).status !== 0) throw new Error("no clone")
  const repository = new TestRepository(join(place.path, "work"))
  const call = (...words: ReadonlyArray<string>) =>
    run([dd, ...words], { cwd: repository.root, env: { PATH: systemPath, HOME: join(place.path, "home") } })
  const review = async () => {
    const { status, stdout, stderr } = await call("review", "--commit", "HEAD", "--format", "json")
    if (stdout === "") throw new Error(stderr)
    const report = JSON.parse(stdout)
    return {
      status,
      is: report.status,
      rules: report.findings.map(({ rule }: { rule: string }) => rule),
      degraded: report.degraded.map(({ detail }: { detail: string }) => detail),
      coverage: Object.fromEntries(
        report.coverage.files.map(({ path, status }: { path: string; status: string }) => [path, status])
      )
    }
  }
  return { repository, call, review, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("in a clone that lacks texts, a review", () => {
  const found = { rules: ["xref/call-no-longer-fits"], status: 0, is: "complete", degraded: [] }

  test("is complete if they are vendored, not code, or of another language", async () => {
    using at = world({ "src/a.py": changed })
    expect(await at.review()).toMatchObject(found)
  })

  test("is complete if they belong to changed files that are never reviewed", async () => {
    using at = world({
      ...{
        "src/a.py": changed,
        "vendor/big.py": big("import os", (at) => `z${at} = ${at}`),
        "img.png": bytes.toReversed()
      }
    })
    expect(await at.review()).toMatchObject({
      ...{ ...found, coverage: { "src/a.py": "reviewed", "vendor/big.py": "skipped", "img.png": "skipped" } }
    })
  })

  test("is partial, and names the file once, if it may use what changed", async () => {
    using at = world(
      { "src/a.py": changed },
      { "tests/big.py": big("from src.a import total", (at) => `x${at} = ${at}`) }
    )
    const words = "files that could not be read (tests/big.py): this clone lacks objects"
    const brief = await at.call("brief", "--commit", "HEAD", "--format", "json")
    expect(JSON.parse(brief.stdout).brief.omitted).toEqual([
      { part: "dependents", reason: expect.stringContaining("uses in files that could not be read") }
    ])
    expect(await at.review()).toMatchObject({
      ...{ ...found, status: 4, is: "partial", degraded: [expect.stringContaining(words)] }
    })
  })

  test("is partial, and reviews the other files, if a changed file of a known language has no text", async () => {
    using at = world({
      "src/a.py": changed,
      "tests/big.js": big("export const other = 1", (at) => `export const x${at} = ${at}`)
    })
    expect(await at.review()).toMatchObject({
      ...{ rules: found.rules, status: 4, is: "partial" },
      coverage: { "src/a.py": "reviewed", "tests/big.js": "unread" }
    })
  })

  test("finds definitions and uses that are there", async () => {
    using at = world({ "src/a.py": changed })
    const { status, stdout } = await at.call("symbols", "total", "--commit", "HEAD")
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("function total(a, b)  src/a.py:1")
    })
    expect(stdout).toContain("src/b.py:5  call")
    expect(stdout).toContain("files that could not be read (tests/big.js)")
  })
})
