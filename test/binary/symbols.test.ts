/** Where a name is defined and used, as the compiled binary says it in a real repository. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { breachesOf } from "../support/jsonSchema.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const shop = {
  "shop/__init__.py": "",
  "shop/cart.py": "class Cart:\n    def total(self):\n        return 1\n\n\ndef total(items):\n    return sum(items)\n",
  "shop/order.py": "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n",
  "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
  "README.md": "Use `total` for the total.\n"
}

/** An empty repository, and the binary in it. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  const env = { PATH: systemPath, HOME: home }
  const callIn = (folder: string, ...args: ReadonlyArray<string>) =>
    run([dd, "symbols", ...args], { cwd: join(repository.root, folder), env })
  const call = (...args: ReadonlyArray<string>) => callIn(".", ...args)
  return { repository, env, call, callIn, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("dd symbols", () => {
  test("prints a definition, its uses and what was not searched, cold and warm", async () => {
    using at = world()
    at.repository.commit("Sell", shop)
    const cold = await at.call("shop.cart.total")
    expect(cold).toMatchObject({ status: 0, stderr: "" })
    expect(cold.stdout).toBe(
      [
        "function total(items)  shop/cart.py:6",
        "  References: 4",
        "    shop/order.py:1       import",
        "    shop/order.py:5       call",
        "    tests/test_cart.py:1  import",
        "    tests/test_cart.py:5  call",
        "  Importers: 2",
        "    shop/order.py",
        "    tests/test_cart.py",
        "  Callers: 2",
        "    shop/order.py:5       order",
        "    tests/test_cart.py:5  test_total",
        "  Callees: none",
        "  Tests: 1",
        "    tests/test_cart.py  uses it",
        "",
        "Not searched:",
        "  files that may contain total and are not in an indexed language: README.md",
        ""
      ].join("\n")
    )
    expect((await at.call("shop.cart.total")).stdout).toBe(cold.stdout)
  })

  test("prints JSON that fits the published schema, with and without a definition", async () => {
    using at = world()
    at.repository.commit("Sell", shop)
    const breaches = breachesOf(JSON.parse((await at.call("--print-schema")).stdout))
    const all = JSON.parse((await at.call("total", "--format", "json")).stdout)
    expect(breaches(all)).toEqual([])
    expect(all).toMatchObject({ schema_version: 1, name: "total", side: at.repository.git("rev-parse", "HEAD") })
    expect(all.definitions).toMatchObject([
      { name: "Cart.total", kind: "method", path: "shop/cart.py", line: 2 },
      { name: "total", kind: "function", signature: "total(items)", line: 6, end_line: 7 }
    ])
    expect(all.definitions[1].uses.references).toContainEqual({
      path: "shop/order.py",
      line: 5,
      kind: "call",
      certain: true
    })
    const none = await at.call("totl", "--format", "json")
    expect(none.status).toBe(1)
    expect(breaches(JSON.parse(none.stdout))).toEqual([])
    expect(JSON.parse(none.stdout)).toMatchObject({ definitions: [], near: [{ name: "Cart.total" }] })
  })

  test("redacts paths in text and JSON, as dd pack does", async () => {
    using at = world()
    const token = ["gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"].join("")
    at.repository.commit("Sell", { [`${token}/cart.py`]: "def total():\n    return 1\n" })
    expect((await at.call("total")).stdout).toContain("function total()  [REDACTED_API_KEY]/cart.py:1\n")
    expect((await at.call("total", "--format", "json")).stdout).not.toContain(token)
  })

  test("ends with 1 if nothing is found, and names similar definitions", async () => {
    using at = world()
    at.repository.commit("Sell", shop)
    expect(await at.call("Basket.total")).toMatchObject({
      status: 1,
      stderr: "",
      stdout: expect.stringMatching(
        /^No definition of Basket\.total\n\nSimilar definitions:\n {2}method Cart\.total {2}/
      )
    })
    expect((await at.call("nowhere")).stdout).toBe("No definition of nowhere\n")
  })

  test("ends with 4 if nothing is found and a file could not be read", async () => {
    using at = world()
    at.repository.commit("Sell", shop)
    const blob = at.repository.git("rev-parse", "HEAD:shop/order.py")
    rmSync(join(at.repository.root, ".git/objects", blob.slice(0, 2), blob.slice(2)))
    const { status, stdout } = await at.call("order", "--commit", "HEAD")
    expect(stdout).toContain("Not searched:\n")
    expect(status).toBe(4)
  })

  test("reads uncommitted and untracked files, or another commit or branch", async () => {
    using at = world()
    at.repository.commit("Sell", shop)
    at.repository.git("branch", "old")
    at.repository.commit("Move", {
      "shop/cart.py": "class Cart:\n    pass\n",
      "shop/sums.py": "def total(items):\n    pass\n"
    })
    writeFileSync(join(at.repository.root, "new.py"), "from shop.sums import total\n\ntotal([])\n")
    const now = await at.call("total")
    expect(now.stdout).toContain("function total(items)  shop/sums.py:1\n")
    expect(now.stdout).toContain("    new.py:3  call\n")
    expect(JSON.parse((await at.call("total", "--format", "json")).stdout).side).toBe("worktree")
    for (const side of [
      ["--commit", "HEAD~1"],
      ["--branch", "old"]
    ]) {
      expect((await at.call("shop.cart.total", ...side)).stdout).toContain("function total(items)  shop/cart.py:6\n")
    }
    expect((await at.call("total", "--commit", "HEAD~1", "--branch", "old")).status).toBe(2)
    expect((await at.call("total", "--commit", "nowhere")).status).toBe(2)
  })

  test("works before the first commit, and in a bare repository", async () => {
    using at = world()
    writeFileSync(join(at.repository.root, "a.py"), "def total():\n    return 1\n\n\ntotal()\n")
    expect((await at.call("total")).stdout).toContain("function total()  a.py:1\n  References: 1\n    a.py:5  call\n")
    at.repository.git("add", ".")
    at.repository.git("commit", "--quiet", "--message", "One")
    const bare = join(at.repository.root, "../bare")
    at.repository.git("clone", "--quiet", "--bare", at.repository.root, bare)
    expect((await at.call("total", bare)).stdout).toContain("function total()  a.py:1\n  References: 1\n")
  })

  test("keeps the definitions below a target or --in, from a subfolder too", async () => {
    using at = world()
    at.repository.commit("Sell", { ...shop, "lib/sums.py": "def total():\n    return 1\n" })
    const from = async (folder: string, ...args: ReadonlyArray<string>) => {
      const { definitions } = JSON.parse((await at.callIn(folder, "total", "--format", "json", ...args)).stdout)
      return definitions.map((each: { readonly path: string }) => each.path)
    }
    const both = ["lib/sums.py", "shop/cart.py", "shop/cart.py"]
    expect(await from("shop")).toEqual(both)
    expect(await from("shop", "..")).toEqual(both)
    expect(await from(".", "lib")).toEqual(["lib/sums.py"])
    expect(await from("shop", "--in", "cart.py")).toEqual(["shop/cart.py", "shop/cart.py"])
    expect(await from("shop", "--in", "lib/sums.py")).toEqual(["lib/sums.py"])
    expect(await at.call("total", "--in", "lob")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: "dd: error: the repository has no file or folder lob; see dd symbols --help\n"
    })
  })

  test("details the first definitions of a frequent name and lists the others, tests last", async () => {
    using at = world()
    const files = Array.from({ length: 8 }, (_, at) => [`lib/m${at}.py`, "def total():\n    return 1\n"])
    at.repository.commit("Many", { ...Object.fromEntries(files), "a/test_all.py": "def total():\n    pass\n" })
    const { definitions } = JSON.parse((await at.call("total", "--format", "json")).stdout)
    expect(definitions).toHaveLength(9)
    expect(definitions.filter((each: { readonly uses: unknown }) => each.uses !== null)).toHaveLength(5)
    expect(definitions.at(-1)).toMatchObject({ path: "a/test_all.py", uses: null })
    expect((await at.call("total", "--in", "lib/m7.py")).stdout).toContain("m7.py:1\n  References: none\n")
  })

  test("strips control sequences from names and paths, and hides secrets", async () => {
    using at = world()
    const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`
    at.repository.commit("Hostile", {
      "a\u001b[31m.py": `def total(\u202Ex, ${token}=1):\n    return 1\n`,
      "b.py": `def ${token}():\n    return total()\n`
    })
    for (const args of [["total"], ["total", "--format", "json"], [token], [`${token}x`]]) {
      const { stdout, stderr } = await at.call(...args)
      for (const hidden of ["\u001b", "\u202E", ...(args[0] === "total" ? [token] : [])]) {
        expect(stdout + stderr).not.toContain(hidden)
      }
    }
  })

  test("shows at most twelve places of a group on a terminal, with paths from the current directory", async () => {
    using at = world()
    const calls = "total()\n".repeat(30)
    at.repository.commit("Calls", { "a.py": `def total():\n    return 1\n\n\n${calls}`, "sub/b.py": "x = 1\n" })
    let shown = ""
    const child = Bun.spawn([dd, "symbols", "total", "--no-color"], {
      cwd: join(at.repository.root, "sub"),
      env: { ...at.env, TERM: "xterm" },
      terminal: {
        cols: 80,
        rows: 24,
        data: (_, bytes) => {
          shown += new TextDecoder().decode(bytes)
        }
      }
    })
    expect(await child.exited).toBe(0)
    expect(shown).toContain("function total()  ../a.py:1")
    expect(shown).toContain("References: 30")
    expect(shown).toContain("and 18 more")
    expect(shown).not.toContain("\u001b[1m")
  })

  test("refuses what is no name", async () => {
    using at = world()
    for (const args of [[], [""], ["..."], ["a\nb"], ["x".repeat(400)]]) {
      const { status, stderr, stdout } = await at.call(...args)
      expect([status, stdout]).toEqual([2, ""])
      expect(stderr).toContain("see dd symbols --help")
    }
  })
})
