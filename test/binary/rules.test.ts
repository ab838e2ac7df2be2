import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd, sealed } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const rule = (pattern: string, title: string) =>
  `title = "${title}"\nwhy = "It matters."\nfix = "Mend it."\nseverity = "high"\nline = '${pattern}'\n`

const token = ["lin_a", "pi_9aB8cD7eF6gH5iJ4kL3mN2oP1qR0sT9uV8wX7yZ6"].join("")

/** A repository with rules of its own on main, and a branch on which somebody works against them. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.write("app.py", "x = 1\n").write(".daydream/rules/old.toml", rule("legacy", "The old client is used"))
  repository.git("add", "--force", ".")
  repository.commit("Begin")
  const home = join(place.path, "home")
  mkdirSync(home)
  const env = { PATH: systemPath, HOME: home }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  return { place, repository, home, call, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("a repository's own rules", () => {
  test("are applied as the base has them, whatever the change does to them, and are named", async () => {
    using at = world()
    at.repository.branch("feature").write("app.py", "x = legacy(1)\ny = brandnew(2)\n")
    at.repository.write(".daydream/rules/new.toml", rule("brandnew", "Something new is used"))
    at.repository.remove(".daydream/rules/old.toml")
    at.repository.git("add", "--force", "--all", ".")
    at.repository.commit("Loosen the review")
    const report = JSON.parse((await at.call("review", "--format", "json")).stdout)
    expect(report.findings.map(({ rule }: { rule: string }) => rule)).toEqual(["repo/old"])
    expect(report.notes.join("\n")).toContain("Rules of this repository (.daydream/rules of the base): repo/old.")
    expect(report.notes.join("\n")).toContain(
      "This change edits .daydream/rules; its version before the change was used."
    )
  })

  test("can add findings and never take others away or stop the review, however they are written", async () => {
    using at = world()
    const hostile = {
      "a.toml": rule("(a+)+$", "A pattern made to be slow"),
      "b.toml": "id = 'py/bare-except'\nseverity = 'low'\n",
      "c.toml": `${rule("a", "x")}disable = ["*"]\n`,
      "d.toml": `title = "x"\nwhy = "y"\nfix = "z"\nlanguages = ["python"]\nquery = '((_ ((_)? (_)?)* )*)+ @claim'\n`,
      "e.toml": "\u0000\u001b[31m",
      "f.toml": `title = "x"\nwhy = "y"\nfix = "z"\nlanguages = ["python"]\nquery = '${"(_ ".repeat(25)}(_)${")".repeat(25)} @claim'\n`
    }
    for (const [name, text] of Object.entries(hostile)) at.repository.write(`.daydream/rules/${name}`, text)
    at.repository.git("add", "--force", "--all", ".")
    at.repository.commit("Be hostile")
    at.repository
      .branch("feature")
      .write("app.py", `try:\n    x = legacy(1)\nexcept:\n    pass\n# ${"a".repeat(4_000)}!\n`)
    at.repository.commit("Work")
    const { status, stdout, stderr } = await at.call("review", "--format", "json")
    const report = JSON.parse(stdout)
    expect(status).toBe(0)
    expect(report.status).toBe("complete")
    expect(
      report.findings.map(({ rule, severity }: { rule: string; severity: string }) => [rule, severity])
    ).toContainEqual(["py/bare-except", "medium"])
    const left = report.degraded.map(({ detail }: { detail: string }) => detail).join("\n")
    for (const name of ["b.toml", "c.toml", "d.toml", "e.toml"]) expect(left).toContain(`.daydream/rules/${name}`)
    expect(stdout + stderr).not.toContain("\u001b")
  })
})

describe("dd rules test", () => {
  test("checks the files of a directory outside of a repository, also without git, and warns of nothing", async () => {
    using place = scratch()
    mkdirSync(join(place.path, "src/shop"), { recursive: true })
    writeFileSync(join(place.path, "src/shop/cart.py"), "def total(items=[]):\n    items.append(1)\n    return items\n")
    for (const path of [systemPath, "/nonexistent"]) {
      const env = { PATH: path, HOME: place.path }
      const found = await run([dd, "rules", "test", "--format", "json", "src"], { cwd: place.path, env })
      expect([found.stderr, found.status]).toEqual(["", 1])
      expect(JSON.parse(found.stdout).findings.map(({ file }: { file: string }) => file)).toEqual(["src/shop/cart.py"])
    }
  })

  test("prints what the rules find in complete files and ends with 1, with 0 where there is nothing, with 2 for a wrong call", async () => {
    using at = world()
    at.repository
      .write("sub/app.py", "def f(x=[]):\n    x.append(legacy(1))\n    return x\n")
      .write("sub/fine.py", "x = 1\n")
    const found = await at.call("rules", "test", "sub/app.py")
    expect(found.status).toBe(1)
    expect(found.stdout).toContain("sub/app.py:1")
    expect(found.stdout).toContain("py/mutable-default")
    expect(found.stdout).toContain("repo/old")
    const one = await at.call("rules", "test", "--rule", "repo/old", "--format", "sarif", "sub/app.py")
    expect(JSON.parse(one.stdout).runs[0].results.length).toBe(1)
    at.repository.write(".gitignore", "built\n").write("built/app.py", "def f(x=[]):\n    x.append(1)\n")
    const below = JSON.parse((await at.call("rules", "test", "--format", "json", ".")).stdout)
    expect(below.coverage.files.map(({ path }: { path: string }) => path).toSorted()).toEqual(
      expect.arrayContaining(["app.py", "sub/app.py", "sub/fine.py"])
    )
    expect(JSON.stringify(below)).not.toContain("built/app.py")
    const none = await at.call("rules", "test", "sub/fine.py")
    expect(none.status).toBe(0)
    expect(none.stdout).toMatch(/\nNo findings: \d+ rules checked 1 file\.\n$/)
    at.repository.write("sub/logo.png", "\0\0")
    expect((await at.call("rules", "test", "sub/logo.png")).stdout).toEndWith("\nNo rule was applied to a file.\n")
    for (const wrong of [["nowhere.py"], ["--rule", "py/nothing", "sub/app.py"], []]) {
      expect((await at.call("rules", "test", ...wrong)).status).toBe(2)
    }
    expect(existsSync(join(at.home, ".daydream"))).toBe(false)
    expect(readdirSync(join(at.repository.root, ".daydream"))).toEqual(["rules"])
  })
})

describe("rules and formats of secrets", () => {
  test.skipIf(sealed === undefined)(
    "are in the binary: they work where nothing can be written and no package be read",
    async () => {
      using place = scratch()
      const home = join(place.path, "home")
      mkdirSync(join(home, "rules"), { recursive: true })
      writeFileSync(join(home, "rules", "own.toml"), rule("\\bforbidden\\b", "A forbidden word"))
      const patch = `diff --git a/a.ts b/a.ts\nnew file mode 100644\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,2 @@\n+const a = "${token}"\n+forbidden()\n`
      const empty = join(place.path, "empty")
      mkdirSync(empty)
      const { stdout } = await run([...(sealed ?? []), dd, "review", "--diff-file", "-", "--format", "json"], {
        cwd: empty,
        env: { PATH: systemPath, DD_HOME: home, HOME: "/nonexistent" },
        stdin: patch
      })
      expect(JSON.parse(stdout).findings.map(({ rule }: { rule: string }) => rule)).toEqual([
        "secret/provider-token",
        "user/own"
      ])
      expect(stdout).not.toContain(token)
      expect(readdirSync(empty)).toEqual([])
    }
  )
})
