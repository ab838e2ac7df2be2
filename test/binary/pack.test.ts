/** Context packs of real repositories, by the compiled binary. */
import { describe, expect, test } from "bun:test"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { countTokens } from "gpt-tokenizer/encoding/o200k_base"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository, type TestRepository } from "../support/repository.ts"

const shop = {
  "shop/__init__.py": "",
  "shop/cart.py": "def total(items):\n    return sum(items)\n",
  "shop/order.py": "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n",
  "shop/unrelated.py": "def unrelated():\n    return 'nothing'\n",
  "docs/guide.md": "# total\n",
  "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n",
  "uv.lock": "locked = 1\n"
}
const taxed = { "shop/cart.py": "def total(items, tax=0):\n    return sum(items) + tax\n" }

const names = [
  "pr-context.changed.files.txt",
  "pr-context.omitted.files.txt",
  "pr-context.related.files.txt",
  "pr-context.related.omitted.files.txt",
  "pr-context.related.selection.tsv",
  "pr-context.report.json",
  "pr-context.scribe.targets.tsv",
  "pr-context.txt"
]

const world = (
  fill: (repository: TestRepository) => void = (repository) => {
    repository.commit("Sell", shop)
    repository.commit("Tax", taxed)
  }
) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  fill(repository)
  const call = (args: ReadonlyArray<string>, cwd = repository.root, more: Readonly<Record<string, string>> = {}) =>
    run([dd, "pack", ...args], { cwd, env: { PATH: systemPath, HOME: home, ...more } })
  const file = (name: string) => readFileSync(repository.path(".daydream/pack", name), "utf8")
  const report = () => JSON.parse(file("pr-context.report.json"))
  return { place: place.path, repository, call, file, report, [Symbol.dispose]: () => place[Symbol.dispose]() }
}
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")

describe("a context pack", () => {
  test("has the diff, the changed code and the closest files, and says of every other file why it is out", async () => {
    using at = world()
    const { status, stderr, stdout } = await at.call(["--commit", "HEAD"])
    expect([status, stderr]).toEqual([0, ""])
    expect(stdout).toContain("Changed: 1 file and the diff")
    expect(readdirSync(at.repository.path(".daydream/pack")).sort()).toEqual(names)
    const pack = at.file("pr-context.txt")
    for (const part of [
      "+def total(items, tax=0):",
      "### shop/cart.py",
      "### shop/order.py",
      "### tests/test_cart.py"
    ]) {
      expect(pack).toContain(part)
    }
    expect(pack).not.toContain("locked = 1")
    expect(linesOf(at.file("pr-context.changed.files.txt"))).toEqual(["shop/cart.py"])
    expect(linesOf(at.file("pr-context.related.files.txt")).slice(0, 2).sort()).toEqual([
      "shop/order.py",
      "tests/test_cart.py"
    ])
    expect(at.file("pr-context.related.omitted.files.txt")).toContain("uv.lock\tfiltered:lockfile\n")
    expect(at.file("pr-context.related.omitted.files.txt")).toContain("docs/guide.md\tfiltered:docs\n")
    const rows = linesOf(at.file("pr-context.related.selection.tsv")).map((line) => line.split("\t"))
    expect(rows[0]!.slice(0, 5)).toEqual(["path", "frequency", "tokens_estimate", "decision", "reason"])
    const tracked = linesOf(at.repository.git("ls-files")).filter((path) => path !== "shop/cart.py")
    expect(
      rows
        .slice(1)
        .map(([path]) => path)
        .sort()
    ).toEqual(tracked.sort())
    for (const row of rows.slice(1)) {
      expect(row).toHaveLength(rows[0]!.length)
      expect(row[4]).toMatch(/^(?:within-budget|over-budget|filtered:[a-z-]+)$/)
      if (row[3] === "included") expect(Number(row[5])).toBeGreaterThan(0)
    }
  })

  test("has exactly the tokens that it says, in every format", async () => {
    using at = world()
    for (const format of ["markdown", "xml", "json"]) {
      await at.call(["--commit", "HEAD", "--format", format])
      const pack = at.file("pr-context.txt")
      const { tokens } = at.report()
      expect(tokens.final).toBe(countTokens(pack, { disallowedSpecial: new Set() }))
      if (format === "json") expect(Object.keys(JSON.parse(pack))).toContain("related")
    }
  })

  test("is the same cold and warm, in two clones, in any locale", async () => {
    using at = world()
    const clone = join(at.place, "another", "place")
    cpSync(at.repository.root, clone, { recursive: true })
    const packs = [
      await at.call(["--commit", "HEAD", "--stdout"]),
      await at.call(["--commit", "HEAD", "--stdout"]),
      await at.call(["--commit", "HEAD", "--stdout"], clone, { LC_ALL: "C" }),
      await at.call(["--commit", "HEAD", "--stdout"], clone, { LC_ALL: "tr_TR.UTF-8", TZ: "Asia/Tokyo" }),
      await at.call(["--commit", "HEAD", "--stdout"], join(clone, "shop"))
    ].map(({ stdout }) => stdout)
    expect(new Set(packs).size).toBe(1)
    expect(packs[0]).not.toContain(at.place)
  })

  test("of uncommitted and untracked edits takes diff and code from the same state", async () => {
    using at = world()
    at.repository.write("shop/cart.py", "def total(items):\n    return 'edited'\n")
    at.repository.write("shop/new.py", "def fresh():\n    return total([])\n")
    const { stdout } = await at.call(["--stdout"])
    expect(stdout).toContain("+    return 'edited'")
    expect(stdout).toContain("def fresh():")
    const code = stdout.slice(stdout.indexOf("## Current code"))
    expect(code).toContain("return 'edited'")
    expect(code).not.toContain("tax=0")
  })

  test("that does not fit says what to do, and ends with 1", async () => {
    using at = world((repository) => {
      repository.commit("Begin", { "a.py": "x = 1\n" })
      repository.commit("Grow", {
        "a.py": Array.from({ length: 3000 }, (_, line) => `value_${line} = ${line}\n`).join(""),
        "b.py": "y = 1\n"
      })
    })
    const { status, stdout } = await at.call(["--commit", "HEAD", "--budget", "1000"])
    expect(status).toBe(1)
    expect(stdout).toContain("core-over-budget")
    expect(stdout).toContain("a.py")
    const { error, status: state, tokens } = at.report()
    expect([state, error.code, error.largest[0].path]).toEqual(["core-over-budget", "core-over-budget", "a.py"])
    expect(tokens.remaining).toBeLessThan(0)
    expect((await at.call(["--commit", "HEAD", "--budget", "1000", "--exclude", "a.py"])).status).toBe(0)
  })

  test("cuts large bodies to what surrounds the change before it gives up", async () => {
    const body = (value: string) =>
      Array.from(
        { length: 400 },
        (_, at) =>
          `def step_${at}(cart):\n    amount = cart.amount_${at}\n    return amount${at === 200 ? value : ""}\n`
      ).join("\n")
    using at = world((repository) => {
      repository.commit("Begin", { "a.py": body("") })
      repository.commit("Change", { "a.py": body(" + 1") })
    })
    const { status, stdout } = await at.call(["--commit", "HEAD", "--budget", "2000"])
    expect(status).toBe(0)
    expect(stdout).toContain("a.py: slice instead of full")
    expect(at.file("pr-context.txt")).toContain("return amount + 1")
    expect(at.file("pr-context.txt")).not.toContain("step_17(")
    expect(at.report().reductions).toHaveLength(1)
  })

  test("explains a file", async () => {
    using at = world()
    const words = async (path: string) => (await at.call(["--commit", "HEAD", "--explain", path])).stdout
    expect(await words("shop/order.py")).toMatch(/is in the pack: full, \d+ tokens\nRank \d of \d/)
    expect(await words("shop/order.py")).toContain("1 import away, from 1 changed file")
    expect(await words("shop/cart.py")).toContain("it changed")
    expect(await words("uv.lock")).toContain("filtered:lockfile")
    expect(await words("nowhere.py")).toContain("no file of this side")
    const below = await at.call(["--commit", "HEAD", "--explain", "order.py"], at.repository.path("shop"))
    expect(below.stdout).toContain("shop/order.py is in the pack")
    expect(existsSync(at.repository.path(".daydream"))).toBe(false)
  })

  test("puts first what the user names, and leaves out what the user or the repository excludes", async () => {
    using at = world((repository) => {
      repository.commit("Sell", { ...shop, ".daydream.toml": '[pack]\nexclude = ["tests/**"]\n' })
      repository.commit("Tax", taxed)
    })
    await at.call(["--commit", "HEAD", "--focus", "unrelated", "--exclude", "shop/order.py"])
    expect(linesOf(at.file("pr-context.related.files.txt"))[0]).toBe("shop/unrelated.py")
    const { stdout } = await at.call(["--commit", "HEAD", "--focus", "nowhere"])
    expect(stdout).toContain("Not seen: the focus nowhere is no file and no definition")
    await at.call(["--commit", "HEAD", "--focus", "unrelated", "--exclude", "shop/order.py"])
    const omitted = at.file("pr-context.related.omitted.files.txt")
    expect(omitted).toContain("shop/order.py\tfiltered:config-exclude\n")
    expect(omitted).toContain("tests/test_cart.py\tfiltered:config-exclude\n")
  })

  test("has odd files exact: renames, deletions, binaries, links, submodules, names", async () => {
    using at = world((repository) => {
      repository.commit("Begin", {
        "old.py": "def moved():\n    return 1\n\n\ndef other():\n    return 2\n",
        "gone.py": "def gone():\n    return 1\n",
        "größe ä.py": "def size():\n    return 1\n",
        "image.png": new Uint8Array([1, 0, 2])
      })
      repository.git("mv", "old.py", "new.py")
      repository.remove("gone.py")
      repository.link("link.py", "/etc/passwd")
      repository.git("update-index", "--add", "--cacheinfo", `160000,${repository.git("rev-parse", "HEAD")},module`)
      repository.write("größe ä.py", "def size():\n    return 2\n")
      repository.write("image.png", new Uint8Array([1, 0, 3]))
      repository.git("add", "new.py", "gone.py", "link.py", "größe ä.py", "image.png")
      repository.git("commit", "--quiet", "--message", "Odd")
    })
    await at.call(["--commit", "HEAD"])
    expect(linesOf(at.file("pr-context.changed.files.txt"))).toEqual(["größe ä.py", "new.py"])
    expect(linesOf(at.file("pr-context.omitted.files.txt"))).toEqual([
      "gone.py\tfiltered:missing",
      "image.png\tfiltered:binary",
      "link.py\tfiltered:not-a-file",
      "module\tfiltered:not-a-file"
    ])
    const pack = at.file("pr-context.txt")
    expect(pack).toContain("R old.py -> new.py +0 -0")
    expect(pack).toContain("-def gone():")
    expect(pack).not.toContain("root:")
  })

  test("of the only commit, of an empty change and outside a repository is an answer or one clear line", async () => {
    using at = world((repository) => void repository.commit("Begin", { "a.py": "x = 1\n" }))
    expect((await at.call(["--stdout"])).stdout).toContain("x = 1")
    at.repository.commit("Nothing")
    const empty = await at.call(["--commit", "HEAD"])
    expect([empty.status, linesOf(empty.stderr).length]).toEqual([2, 1])
    expect(empty.stderr).toContain("nothing to pack")
    const outside = await at.call([], at.place)
    expect([outside.status, linesOf(outside.stderr).length]).toEqual([3, 1])
  })

  test("that cannot be written says so in one line and still prints to standard output", async () => {
    using at = world()
    writeFileSync(at.repository.path(".daydream"), "a file\n")
    const { status, stderr } = await at.call(["--commit", "HEAD"])
    expect([status, linesOf(stderr).length]).toEqual([3, 1])
    expect(stderr).toContain("choose another directory with --output DIR")
    expect((await at.call(["--commit", "HEAD", "--stdout"])).status).toBe(0)
  })
})

describe("a hostile or unusual change", () => {
  test("whose files are all left out still has an answer", async () => {
    using at = world((repository) => {
      repository.commit("Begin", { "a.py": "x = 1\n", "b/c.py": "y = 1\n", "d.py": "z = 1\n", "uv.lock": "a = 1\n" })
      repository.commit("Lock", { "uv.lock": "a = 2\n" })
    })
    const { status, stdout } = await at.call(["--commit", "HEAD"])
    expect([status, stdout.includes("Changed: 0 files")]).toEqual([0, true])
    expect(linesOf(at.file("pr-context.omitted.files.txt"))).toEqual(["uv.lock\tfiltered:lockfile"])
  })

  test("shows no line of a key that begins above a hunk, in its section or in a commit message", async () => {
    const rows = Array.from({ length: 12 }, (_, at) => `${String.fromCharCode(97 + at)}${"Qm9keVBhcnQ".repeat(4)}`)
    const key = (value: string) =>
      `a = """\n-----BEGIN RSA PRIVATE KEY-----\n${rows.map((row, at) => (at === 6 ? row + value : row)).join("\n")}\n-----END RSA PRIVATE KEY-----\n"""\n`
    using at = world((repository) => {
      repository.commit("Begin", { "a.py": key("A"), "b.py": `${key("A")}\n\n\n\nx = 1\n` })
      repository.commit(`Change\n\n${key("B")}`, { "a.py": key("B"), "b.py": `${key("A")}\n\n\n\nx = 2\n` })
    })
    for (const format of ["markdown", "xml", "json"]) {
      const { stdout } = await at.call(["--commit", "HEAD", "--stdout", "--format", format])
      expect(stdout).toContain("x = 2")
      expect(stdout).not.toContain("Qm9keVBhcnQ")
    }
  })

  test("cannot break the text around it", async () => {
    using at = world((repository) => {
      repository.commit("Begin", { "a.c": "int a;\n" })
      repository.commit("title\r```diff\r## injected", { "a.c": "int a;\f\x1b\x01\n", "odd\nname.py": "x = 1\n" })
    })
    const { stdout } = await at.call(["--commit", "HEAD", "--stdout"])
    expect(stdout).not.toContain("\r")
    expect(stdout).toContain("### odd\\x0aname.py")
    const { stdout: xml } = await at.call(["--commit", "HEAD", "--stdout", "--format", "xml"])
    expect(xml).not.toMatch(/[\x00-\x08\x0b\x0c\x0e-\x1f]/)
  })

  test("over the budget is not printed to a pipe, and the largest patch is named", async () => {
    using at = world((repository) => {
      repository.commit("Begin", { "big.js": `a = "${"one ".repeat(4000)}"\n`, "b.js": "b = 1\n" })
      repository.commit("Change", { "big.js": `a = "${"two ".repeat(4000)}"\n`, "b.js": "b = 2\n" })
    })
    const { status, stderr, stdout } = await at.call(["--commit", "HEAD", "--budget", "2000", "--stdout"])
    expect([status, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/core-over-budget: .* big\.js \([\d,]+ tokens\)/)
  })

  test("has no folder of the machine in the name of its patch", async () => {
    using at = world()
    const patch = join(at.place, "fix.diff")
    writeFileSync(patch, at.repository.gitBytes("diff", "HEAD~1", "HEAD"))
    const { stdout } = await at.call(["--diff-file", patch, "--stdout"])
    expect(stdout).toContain("fix.diff")
    expect(stdout).not.toContain(at.place)
    const elsewhere = await at.call(["--diff-file", patch, "--output", join(at.place, "out")], at.place)
    expect(elsewhere.stdout).toContain("only the patch is known")
  })
})

/** In parts, so that no scanner takes this file for one that holds a credential. */
const secret = (...parts: ReadonlyArray<string>) => parts.join("")
const tail = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
const letters = "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH"
const credentials: Readonly<Record<string, string>> = {
  github: secret("gh", "p_", tail),
  githubFine: secret("github", "_pat_11ABCDEFG0", tail, tail.slice(0, 10)),
  githubApp: secret("gh", "s_", tail),
  gitlab: secret("gl", "pat-", tail.slice(0, 20)),
  slackBot: secret("xo", "xb-123456789012-123456789012-", tail.slice(0, 24)),
  slackUser: secret("xo", "xp-123456789012-123456789012-", tail.slice(0, 24)),
  anthropic: secret("sk", "-ant-api03-", tail, tail),
  openai: secret("sk", "-proj-", tail),
  openaiOld: secret("sk", "-", tail),
  stripe: secret("sk_li", "ve_", tail.slice(0, 24)),
  stripeRestricted: secret("rk_li", "ve_", tail.slice(0, 24)),
  google: secret("AI", "za", tail.slice(0, 35)),
  npm: secret("np", "m_", tail),
  pypi: secret("pypi", "-AgEIcHlwaS5vcmc", tail, tail),
  sendgrid: secret("S", "G.", tail.slice(0, 22), ".", tail, "1234567"),
  digitalOcean: secret("dop", "_v1_", "0123456789abcdef".repeat(4)),
  huggingFace: secret("h", "f_", letters),
  shopify: secret("shp", "at_", "0123456789abcdef".repeat(2)),
  databricks: secret("da", "pi", "0123456789abcdef".repeat(2)),
  aws: secret("AK", "IAQ4T7ZMNB2XWPL6RC"),
  jwt: secret("ey", "JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxMjM0NTY3ODkwIn0.", tail),
  url: `postgres://admin:${tail}@db.example.com/shop`,
  pem: `-----BEGIN RSA PRIVATE KEY-----\n${tail}${tail}\n${tail}${tail}\n-----END RSA PRIVATE KEY-----`,
  password: `PASSWORD = "${tail}"`,
  apiKey: `api_key: "${tail}"`,
  header: `Authorization: Bearer ${tail}`
}
const hiddenFiles = [
  ...[".env", ".env.local", ".envrc", ".npmrc", ".pypirc", ".netrc", "id_rsa", "id_ed25519", "server.pem", "tls.key"],
  ...["cert.p12", "app.jks", "vault.kdbx", "google-services.json", "my-service-account.json", ".aws/credentials"],
  ...[".kube/config", ".git-credentials"]
]

test("no secret of 44 kinds is in a file of the pack or on the terminal", async () => {
  const fill = (value: string) => ({
    ...Object.fromEntries(
      Object.entries(credentials).map(([name, text]) => [`src/${name}.py`, `# ${value}\nimport src.use\n${text}\n`])
    ),
    ...Object.fromEntries(hiddenFiles.map((name) => [name, `KEY_${value}=${tail}\n`]))
  })
  using at = world((repository) => {
    repository.commit("Begin", { ...fill("one"), "src/use.py": "def use(): pass\n" })
    repository.commit(`Use ${credentials.github}`, fill("two"))
    repository.commit("Use it", { "src/use.py": "def use(a): pass\n" })
  })
  for (const range of [
    ["--commit", "HEAD"],
    ["--commit", "HEAD~1"]
  ]) {
    for (const format of ["markdown", "xml", "json"]) {
      const { stderr, stdout } = await at.call([...range, "--format", format])
      const written = names.map(at.file).join("\n") + stdout + stderr
      expect(written.length).toBeGreaterThan(1000)
      expect(written).not.toContain(tail.slice(0, 18))
      for (const part of [letters, "AQ4T7ZMNB2XW", "0123456789abcdef"]) expect(written).not.toContain(part)
    }
  }
  expect(
    linesOf(at.file("pr-context.omitted.files.txt"))
      .map((line) => line.split("\t")[0])
      .sort()
  ).toEqual([...hiddenFiles].sort())
})
