import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

type Files = Readonly<Record<string, string>>

const copied = (name: string) =>
  `export function ${name}(rows: number[]) {\n  const kept = rows.filter((row) => row > 1)\n  const sum = kept.reduce((a, b) => a + b, 0)\n  const mean = sum / kept.length\n  const spread = kept.map((row) => row - mean)\n  const most = Math.max(...spread)\n  const least = Math.min(...spread)\n  return { sum, mean, most, least }\n}\n`

/** Files of several languages that use each other. */
const before: Files = {
  "py/__init__.py": "",
  "py/cart.py": "class Cart:\n    def total(self):\n        return 1\n\n\ndef load(path):\n    return path\n",
  "py/use.py": "from py.cart import Cart, load\n\n\ndef run():\n    cart = Cart()\n    return cart.total(), load(1)\n",
  "ts/box.ts":
    'export class Box {\n  total() { return 1 }\n}\nexport type Kind = "a" | "b"\nexport function size(box: Box) { return box }\n',
  "ts/use.ts":
    'import { Box, type Kind, size } from "./box"\n\nexport const f = (box: Box) => size(box) && box.total()\nexport function g(kind: Kind) {\n  switch (kind) {\n    case "a":\n      return 1\n    case "b":\n      return 2\n  }\n}\n',
  "ts/stats.ts": copied("statistics"),
  "go.mod": "module example.com/shop\n",
  "cart/cart.go": "package cart\n\nfunc Total(items []int) int {\n\treturn len(items)\n}\n",
  "main.go": 'package main\n\nimport "example.com/shop/cart"\n\nfunc main() {\n\tprintln(cart.Total(nil))\n}\n',
  "Cargo.toml": '[package]\nname = "shop"\n',
  "src/lib.rs": "pub mod cart;\npub mod order;\n",
  "src/cart.rs": "pub fn total(items: &[u8]) -> usize {\n    items.len()\n}\n",
  "src/order.rs": "use crate::cart::total;\n\nfn a() -> usize {\n    total(&[])\n}\n"
}

const after: Files = {
  "py/cart.py":
    "import subprocess\n\n\nclass Cart:\n    def sum_up(self):\n        return 1\n\n\ndef load(path, mode, seen=[]):\n    try:\n        subprocess.run(path, shell=True)\n    except:\n        pass\n    return path\n",
  "ts/box.ts":
    'import { copy } from "./stats2"\n\nexport class Box {\n  sum() { return 1 }\n}\nexport type Kind = "a" | "b" | "c"\nexport function size(box: Box, deep: boolean) { return copy([1]) && box }\n',
  "ts/stats2.ts": `import { Box } from "./box"\n\n${copied("copy")}export const all = [Box]\n`,
  "cart/cart.go": "package cart\n\nfunc Total(items []int, tax int) int {\n\treturn len(items)\n}\n",
  "src/cart.rs": "pub fn sum(items: &[u8]) -> usize {\n    items.first().unwrap();\n    items.len()\n}\n"
}

/** A repository with that change on top. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", before)
  repository.commit("Change much", after)
  const home = join(place.path, "home")
  mkdirSync(join(home, ".daydream"), { recursive: true })
  writeFileSync(join(home, ".daydream", "config.toml"), '[rules]\nenable = ["clone/*"]\n')
  const review = async (args: ReadonlyArray<string>, stdin = "") => {
    const env = { PATH: systemPath, HOME: home }
    const { stderr, stdout } = await run([dd, "review", "--format", "json", "--no-archive", ...args], {
      cwd: repository.root,
      env,
      stdin
    })
    expect(stderr).toBe("")
    return stable(stdout)
  }
  return { home, repository, review, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

/** All bytes but for those that say which run it was and how long it took. */
const stable = (json: string): string =>
  json.replace(/"(session_id|started_at|duration_ms|digest)": (?:"[^"]*"|[\d.]+)/g, '"$1": _')

const rulesOf = (json: string): ReadonlyArray<string> =>
  [...json.matchAll(/"rule": "([^"]+)"/g)].map(([, rule = ""]) => rule)

describe("the same change", () => {
  test("returns the same bytes with what is remembered of earlier runs and without it", async () => {
    using at = world()
    const cold = await at.review(["--commit", "HEAD"])
    expect(rulesOf(cold)).toEqual(
      expect.arrayContaining([
        "clone/repeated-function",
        "py/bare-except",
        "xref/call-no-longer-fits",
        "xref/case-misses-new-member",
        "xref/new-import-cycle",
        "xref/removed-definition-still-used"
      ])
    )
    const cache = join(at.home, ".daydream", "cache")
    expect(existsSync(cache)).toBe(true)
    expect(await at.review(["--commit", "HEAD"])).toBe(cold)
    rmSync(cache, { recursive: true })
    expect(await at.review(["--commit", "HEAD"])).toBe(cold)
  })

  test("returns the same findings in whatever order a patch brings its files", async () => {
    using at = world()
    const patch = new TextDecoder().decode(at.repository.gitBytes("diff", "HEAD~1", "HEAD"))
    const files = patch.split(/^(?=diff --git )/m)
    expect(files).toHaveLength(5)
    const orders = [files, files.toReversed(), [...files.slice(2), ...files.slice(0, 2)]]
    const answers: Array<string> = []
    for (const order of orders) answers.push(await at.review(["--diff-file", "-"], order.join("")))
    expect(rulesOf(answers[0] ?? "")).toContain("xref/removed-definition-still-used")
    expect(answers[1]).toBe(answers[0] ?? "")
    expect(answers[2]).toBe(answers[0] ?? "")
  })
})
