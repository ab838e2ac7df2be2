/** Files that no parser can handle: everything else is reviewed, and the result names them. */
import { describe, expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const nested = (open: string, inner = "1", close = "") =>
  `x = ${`${open}\n`.repeat(20_000)}${inner}${`${close}\n`.repeat(close === "" ? 0 : 20_000)}`

/** Each uses the name that the change renames, so each has to be parsed. */
const hostile: Readonly<Record<string, string>> = {
  "memory.py": `from cart import total\ntotal(1)\n${Array.from({ length: 125 }, () => "/*".repeat(20)).join("\n")}\n`,
  "stack.ts": `import { total } from "./cart"\ntotal(1)\n${"{a:\n".repeat(3_000)}`,
  "functions.ts": `import { total } from "./cart"\ntotal(1)\n${"function f(){\n".repeat(20_000)}${"}".repeat(20_000)}`,
  "awaits.ts": `import { total } from "./cart"\ntotal(1)\n${nested("await")}`,
  "elses.ts": `import { total } from "./cart"\ntotal(1)\nif (a) {}${"\nelse if (a) {}".repeat(20_000)}`,
  "choices.ts": `import { total } from "./cart"\ntotal(1)\n${nested("a ? b :")}`,
  "lambdas.py": `from cart import total\ntotal(1)\n${nested("lambda: \\")}`,
  "closures.rs": `fn total() {\n${nested("|a|")}; }`
}

const cart = { "cart.py": "def total(a):\n    return a\n", "cart.ts": "export const total = (a: number) => a\n" }
const renamed = {
  "cart.py": "def sum_up(a, b=[]):\n    b.append(a)\n    return b\n",
  "cart.ts": "export const sumUp = (a: number) => a\n"
}

const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  const env = { PATH: systemPath, HOME: home }
  const review = async () => {
    const { stderr, stdout } = await run([dd, "review", "--commit", "HEAD", "--format", "json"], {
      cwd: repository.root,
      env
    })
    expect(stderr).not.toContain("defect")
    return JSON.parse(stdout)
  }
  return { repository, review, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("a file that cannot be parsed", () => {
  test("is unread with the reason, and the other files are reviewed", async () => {
    using at = world()
    at.repository.commit("Sell", { ...cart, "user.py": "from cart import total\nprint(total(1))\n" })
    at.repository.commit("Rename", { ...renamed, ...hostile })
    const report = await at.review()
    const rules = report.findings.map(({ file, rule }: { file: string; rule: string }) => `${file} ${rule}`)
    expect(rules).toContain("cart.py py/mutable-default")
    expect(rules).toContain("user.py xref/removed-definition-still-used")
    expect(report.status).toBe("partial")
    expect(report.coverage.files).toContainEqual({
      path: "memory.py",
      status: "unread",
      reason: "line rules only: not parsed as python: needs too much memory"
    })
    const [unparsed] = report.degraded
    expect(unparsed).toMatchObject({ step: "per-stack-reviews", error: "NotParsed" })
    expect(unparsed.detail).toMatch(/awaits\.ts \(not parsed as typescript: nested too deeply\).*, and \d more$/)
  })

  test("outside of the change is listed as not looked at", async () => {
    using at = world()
    at.repository.commit("Sell", { ...cart, ...hostile, "user.py": "from cart import total\nprint(total(1))\n" })
    at.repository.commit("Rename", renamed)
    const report = await at.review()
    expect(report.findings.map(({ rule }: { rule: string }) => rule)).toContain("xref/removed-definition-still-used")
    const notes = report.notes.join("\n")
    expect(notes).toContain("awaits.ts (not parsed as typescript: nested too deeply)")
    expect(report.coverage.files.map(({ path }: { path: string }) => path)).toEqual(["cart.py", "cart.ts"])
  })
})
