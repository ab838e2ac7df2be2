/** What a review tells about files that are no files, that git does not give in time, and that a clone lacks. */
import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  const review = async (env: Readonly<Record<string, string>> = {}) => {
    const command = [dd, "review", "--format", "json"]
    const ended = await run(command, { cwd: repository.root, env: { PATH: systemPath, HOME: home, ...env } })
    return { ...ended, report: JSON.parse(ended.stdout) }
  }
  return { place, repository, review, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

const detailsOf = (report: { readonly degraded: ReadonlyArray<{ readonly detail: string }> }) =>
  report.degraded.map(({ detail }) => detail)

/** A library whose function changes, and as many callers. */
const calling = (repository: ReturnType<typeof initRepository>, callers: number) => {
  const names = Array.from({ length: callers }, (_, at) => (at === 0 ? "lib/near.py" : `lib/m${at % 20}/u${at}.py`))
  for (const [at, name] of names.entries())
    repository.write(name, `from lib.core import total\n\n\ndef f${at}(x):\n    return total(x)\n`)
  repository.write("lib/core.py", "def total(a):\n    return a\n")
  repository.git("add", "--all", ".")
  repository.commit("one")
  repository.branch("feature").write("lib/core.py", "def total(a, b):\n    return a + b\n")
  repository.git("add", "--all", ".")
  repository.commit("two")
  return names
}

describe("what is no file", () => {
  test("is named once: a pipe in the place of .gitignore", async () => {
    using at = world()
    at.repository.write(".gitignore", "x\n").write("a.py", "def f():\n    pass\n")
    at.repository.git("add", "--all", ".")
    at.repository.commit("one")
    rmSync(at.repository.path(".gitignore"))
    await run(["mkfifo", at.repository.path(".gitignore")])
    const { report, status } = await at.review()
    expect(status).toBe(4)
    expect(report.coverage.files).toEqual([
      {
        path: ".gitignore",
        status: "unread",
        reason: "it is not a regular file (FIFO); remove it, or restore it with git"
      }
    ])
    expect(detailsOf(report)).toEqual([
      "not checked: files that git does not track: .gitignore is a FIFO, which git would wait for; remove it"
    ])
  })

  for (const isCommitted of [false, true])
    test(`ends with 4 behind a link${isCommitted ? " in a commit" : ""}, and says what to do`, async () => {
      using at = world()
      at.repository.write("a.py", "x = 1\n").write("b.py", "x = 1\n")
      at.repository.git("add", "--all", ".")
      at.repository.commit("one")
      at.repository.branch("feature")
      await run(["mkfifo", at.repository.path("pipe")])
      rmSync(at.repository.path("a.py"))
      const links = { "a.py": "/dev/zero", "new.py": "/dev/stdin", ...(isCommitted ? {} : { "piped.py": "pipe" }) }
      for (const [path, target] of Object.entries(links)) symlinkSync(target, at.repository.path(path))
      symlinkSync("b.py", at.repository.path("ordinary.py"))
      at.repository.git("add", "--all", ".")
      if (isCommitted) at.repository.commit("two")
      const { report, status } = await at.review()
      expect(status).toBe(4)
      const files: ReadonlyArray<Readonly<Record<"path" | "status" | "reason", string>>> = report.coverage.files
      for (const [path, target] of Object.entries(links)) {
        const file = files.find((each) => each.path === path)
        expect(file?.status).toBe("unread")
        expect(file?.reason).toStartWith(`a link to ${target}, which is no file (`)
        expect(file?.reason).toEndWith("; remove the link, or make the place a setting")
      }
      expect(files.find(({ path }) => path === "ordinary.py")?.status).toBe("skipped")
    })
})

describe("files that git does not give in time", () => {
  for (const [what, pattern] of [
    ["the search", '*" grep "*|*" cat-file --batch --buffer "*'],
    ["what was found", '*" cat-file "*']
  ] as const)
    test(`make a review partial, with each file once: ${what}`, async () => {
      using at = world()
      calling(at.repository, 60)
      const folder = join(at.place.path, "bin")
      mkdirSync(folder)
      // Git is slow where it is given many names at once.
      const slow = `input="$(cat)"; [ "$(printf '%s' "$input" | wc -l)" -gt 20 ] || case " $* " in *" grep "*) true;; *) false;; esac && sleep 30; printf '%s\\n' "$input" | exec /usr/bin/env -S git "$@"`
      const git = Bun.which("git", { PATH: systemPath })
      writeFileSync(
        join(folder, "git"),
        `#!/bin/sh\ncase " $* " in ${pattern}) ${slow.replace("/usr/bin/env -S git", git ?? "git")};; esac\nexec ${git} "$@"\n`
      )
      chmodSync(join(folder, "git"), 0o755)
      const { report, status } = await at.review({ PATH: `${folder}:${systemPath}`, DD_GIT_TIMEOUT: "1" })
      expect(status).toBe(4)
      expect(report.status).toBe("partial")
      const details = detailsOf(report)
      expect(details.length).toBeGreaterThan(0)
      expect(new Set(details).size).toBe(details.length)
      for (const detail of details) expect(detail).toContain("took longer than 1 s")
    })
})

describe("a clone that lacks files", () => {
  test("is searched without them, however many they are, and names them in one entry", async () => {
    using at = world()
    const names = calling(at.repository, 620)
    const kept = names[0]!
    for (const name of names) {
      const oid = at.repository.git("rev-parse", `HEAD:${name}`).trim()
      if (name !== kept) rmSync(at.repository.path(`.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`))
    }
    const { report, status } = await at.review()
    expect(status).toBe(4)
    expect(report.findings.map(({ rule }: { readonly rule: string }) => rule)).toEqual(["xref/call-no-longer-fits"])
    expect(JSON.stringify(report.findings)).toContain(kept)
    expect(detailsOf(report)).toHaveLength(1)
    expect(detailsOf(report)[0]).toMatch(
      /^not checked: files that could not be read \(lib\/.* and \d+ more\): this clone lacks/
    )
  })
})
