/** What a change does, as the compiled binary says it in a real repository. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { dd, stable } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const cart = "def total(items):\n    return sum(items)\n"
const shop = {
  "pyproject.toml": '[project]\nname = "shop"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
  "shop/__init__.py": "",
  "shop/cart.py": cart,
  "shop/order.py": "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n",
  "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
}

/** A repository whose last commit gives a function another parameter. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  repository.commit("Sell", shop)
  repository.commit("Tax", { "shop/cart.py": "def total(items, tax=0):\n    return sum(items) + tax\n" })
  const env = { PATH: systemPath, HOME: home }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  return { repository, call, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("the brief of a change", () => {
  test("says what changed, who uses it and which tests to run, after the findings and by itself", async () => {
    using at = world()
    const facts = [
      "Changed     total(items) → total(items, tax=0)  shop/cart.py:1",
      "Used by     total: ",
      "shop/order.py:5 (order)",
      "Tests       pytest tests/test_cart.py",
      "Size        1 file, +2 -2; 4 lines to read"
    ]
    const review = await at.call("review", "--commit", "HEAD")
    const brief = await at.call("brief", "--commit", "HEAD")
    for (const fact of facts) {
      expect(review.stdout).toContain(fact)
      expect(brief.stdout).toContain(fact)
    }
    expect([review.status, brief.status, brief.stderr]).toEqual([0, 0, ""])
    expect(brief.stdout).not.toContain("No findings")
  })

  test("is the same cold and warm, and the same facts as JSON", async () => {
    using at = world()
    const json = async () => (await at.call("review", "--commit", "HEAD", "--format", "json")).stdout
    const cold = stable(await json())
    expect(stable(await json())).toEqual(cold)
    const alone = JSON.parse((await at.call("brief", "--commit", "HEAD", "--format", "json")).stdout)
    expect(alone.brief).toEqual(cold.brief)
    expect(cold.brief.definitions).toMatchObject([
      { change: "signature", name: "total", file: "shop/cart.py", line: 1, after: "total(items, tax=0)" }
    ])
  })

  test("is left out when it is not wanted, and never changes the exit code", async () => {
    using at = world()
    const none = await at.call("review", "--commit", "HEAD", "--brief", "none", "--fail-on", "low")
    expect(none.status).toBe(0)
    expect(none.stdout).not.toContain("Used by")
    expect((await at.call("review", "--commit", "HEAD", "--fail-on", "low")).status).toBe(0)
    const sarif = await at.call("review", "--commit", "HEAD", "--format", "sarif")
    expect(sarif.stdout).not.toContain("brief")
  })

  test("shows the diff in reading order, with what only moved folded", async () => {
    using at = world()
    const moved = "def discount(items):\n    first = items[0]\n    rest = items[1:]\n    return first + sum(rest) / 2\n"
    at.repository.commit("Discount", { "shop/cart.py": `${cart}\n\n${moved}` })
    at.repository.commit("Move", { "shop/cart.py": cart, "shop/discount.py": moved, "shop/order.py": "x = 1\n" })
    const { stdout } = await at.call("brief", "--commit", "HEAD", "--brief", "diff")
    expect(stdout).toContain("changed lines are only moves")
    expect(stdout).toMatch(/… 4 added lines: moved from shop\/cart\.py:\d/)
    expect(stdout).toContain("+x = 1")
    expect(stdout).not.toContain("+    first = items[0]")
  })

  test("does not fold a rename while a file still uses the old name", async () => {
    using at = world()
    at.repository.commit("Two", { "a.py": "def load():\n    return 1\n\n\nload()\n", "b.py": "from a import load\n" })
    at.repository.commit("Rename", { "a.py": "def fetch():\n    return 1\n\n\nfetch()\n" })
    const { stdout } = await at.call("brief", "--commit", "HEAD")
    expect(stdout).toContain("renamed function fetch from load")
    expect(stdout).not.toContain("only renames")
  })

  test("of a patch without a repository says what only a repository shows", async () => {
    using at = world()
    const patch = join(at.repository.root, "../change.diff")
    writeFileSync(patch, `${at.repository.git("diff", "HEAD~1", "HEAD")}\n`)
    const { stdout } = await run([dd, "brief", "--diff-file", patch, "--format", "json"], {
      cwd: dirname(patch),
      env: { PATH: systemPath, HOME: join(at.repository.root, "../home") }
    })
    const reason = "what only a repository and its history show: the patch has none"
    const { omitted } = JSON.parse(stdout).brief
    for (const part of ["definitions", "dependents", "tests", "companions", "history", "people"]) {
      expect(omitted).toContainEqual({ part, reason })
    }
  })

  test("says that the lines of earlier fixes are missing from the clone", async () => {
    using at = world()
    at.repository.commit("Fix crash on an empty cart", { "shop/cart.py": "def total(items):\n    return 0\n" })
    at.repository.commit("Sum", { "shop/cart.py": cart })
    at.repository.commit("Again", { "shop/cart.py": `${cart}# again\n` })
    const blob = at.repository.git("rev-parse", "HEAD~2:shop/cart.py")
    rmSync(`${at.repository.root}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`, { force: true })
    const { stdout } = await at.call("brief", "--commit", "HEAD")
    expect(stdout).toContain("the lines of earlier fixes (1), which this clone may lack")
  })

  test("shows no secret and no control character, and writes nothing into the repository", async () => {
    using at = world()
    const token = ["gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("")
    at.repository.commit(`Fix crash \u001b[31m #1 ${token}`, {
      "shop/key.py": `KEY = "${token}"\nPASSWORD = "hunter2-hunter2"\nPORT = 1\n`
    })
    at.repository.commit("Change it", {
      "shop/key.py": `KEY = "${token.slice(0, -1)}6"\nPASSWORD = "swordfish-9999"\nPORT = 2\n`
    })
    for (const format of ["text", "json", "markdown"]) {
      for (const extent of ["full", "diff"]) {
        const { stdout } = await at.call("brief", "--commit", "HEAD", "--format", format, "--brief", extent)
        expect(stdout).toContain("PORT")
        expect(stdout).not.toContain(token.slice(4, 24))
        expect(stdout).not.toMatch(/hunter2|swordfish/)
        expect(stdout).not.toContain("\u001b")
      }
    }
    expect(at.repository.git("status", "--porcelain", "--ignored")).toBe("")
  })

  test("shows no secret that only the name of its flag or field gives away", async () => {
    using at = world()
    const files = (secret: string) => ({
      "cli.py": `p.add_argument("--password", default="${secret}")\np.add_argument("--port", default=${secret.length})\n`,
      "tool.py": `@click.option("--token", default="${secret}")\ndef run(token):\n    pass\n`,
      "main.go": `package main\n\nvar key = flag.String("api-key", "${secret}", "the key")\n`,
      "src/main.rs": `#[derive(Parser)]\nstruct Args {\n    #[arg(long, default_value = "${secret}")]\n    password: String,\n}\n`
    })
    at.repository.commit("Add flags", files("swordfish-1"))
    at.repository.commit("Change flags", files("swordfish-999"))
    for (const format of ["text", "json", "markdown"]) {
      const { stdout } = await at.call("brief", "--commit", "HEAD", "--format", format, "--brief", "full")
      expect(stdout).toContain("default=13")
      expect(stdout).toContain("api-key")
      expect(stdout).toContain("Args.password")
      expect(stdout).toContain("run(token)")
      expect(stdout).not.toContain("swordfish")
    }
  })

  test("says what it cannot see of a patch without a repository", async () => {
    using at = world()
    using elsewhere = scratch()
    const patch = at.repository.git("diff", "HEAD~1", "HEAD")
    const { status, stdout } = await run([dd, "brief", "--diff-file", "-"], {
      cwd: elsewhere.path,
      env: { PATH: systemPath, HOME: elsewhere.path },
      stdin: `${patch}\n`
    })
    expect(status).toBe(0)
    expect(stdout).toContain("Size        1 file, +2 -2")
    expect(stdout).toContain("Not seen")
  })
})
