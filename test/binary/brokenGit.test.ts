/** A git that fails, is killed or hangs in the middle of a review: what was lost is always in the result. */
import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd, stable } from "../support/binary.ts"
import { run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const realGit = Bun.which("git", { PATH: systemPath }) ?? "git"

type Fault = "fails" | "is killed" | "hangs"

/** `kill -9 $$` must be the call's own process, so that dd sees the signal. */
const faults: Record<Fault, string> = {
  fails: 'echo "fatal: broken on purpose" >&2; exit 128',
  "is killed": "kill -9 $$",
  hangs: "exec sleep 600"
}

/** A repository whose last commit breaks a use in another file, with an ignore file and a rule of its own. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const rule = `severity = "low"
title = "print is left in the code"
why = "Standard output belongs to the caller."
fix = "Use the logger."
languages = ["python"]
line = 'print[(]'
[[bad]]
text = "print(1)"
[[good]]
text = "log(1)"
`
  repository.commit("Begin", {
    "app.py": "def load(path):\n    return path\n",
    "use.py": "from app import load\n\nvalue = load(1)\n",
    ".daydreamignore": "py/bare-except # accepted\n",
    ".daydream/rules/no-print.toml": rule,
    ".gitignore": "*.log\n"
  })
  repository.commit("Break", {
    "app.py":
      "def load(path, mode):\n    try:\n        print(path)\n        return path + mode\n    except:\n        pass\n"
  })
  const bin = join(place.path, "bin")
  const home = join(place.path, "home")
  mkdirSync(bin)
  mkdirSync(home)
  const log = join(place.path, "calls")
  /** Puts a git on the PATH in which the calls whose arguments contain `verb` go wrong. */
  const breakGit = (verb: string | null, fault: Fault) => {
    const git = join(bin, "git")
    const words = `for word in "$@"; do [ "$word" = "${verb ?? ""}" ] && { ${faults[fault]}; }; done`
    writeFileSync(
      git,
      `#!/bin/sh
printf '%s\\n' "$*" >> ${log}
${verb === null ? "" : words}
exec ${realGit} "$@"
`
    )
    chmodSync(git, 0o755)
  }
  const review = (args: ReadonlyArray<string>) =>
    run([dd, "review", "--no-archive", ...args], {
      cwd: repository.root,
      env: { PATH: `${bin}:${systemPath}`, HOME: home, DD_GIT_TIMEOUT: "1" }
    })
  const calls = () => {
    const lines = readFileSync(log, "utf8").trim().split("\n")
    rmSync(log)
    return lines
  }
  return { repository, breakGit, review, calls, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

const verbs = new Set(
  "rev-parse config symbolic-ref log merge-base diff for-each-ref ls-tree ls-files status cat-file grep".split(" ")
)

describe("a review whose git breaks", () => {
  const scenes: ReadonlyArray<readonly [args: ReadonlyArray<string>, faults: ReadonlyArray<Fault>]> = [
    [
      ["--commit", "HEAD"],
      ["fails", "is killed", "hangs"]
    ],
    [[], ["fails", "is killed"]],
    [["--staged"], ["fails"]]
  ]
  for (const [args, faults] of scenes) {
    test(`reports everything it did not check, whichever git call fails: dd review ${args.join(" ")}`, async () => {
      using at = world()
      if (args.length === 0) {
        at.repository.git("checkout", "-q", "-b", "feature", "HEAD~1")
        at.repository.commit("Break it here", { "app.py": "def load(path, mode):\n    return path + mode\n" })
        at.repository.write("use.py", "from app import load\n\nvalue = load(2)\n").write("new.py", "x = 1\n")
      }
      if (args[0] === "--staged") {
        at.repository.write("app.py", "def load(path, mode, more):\n    return path\n")
        at.repository.git("add", "app.py")
      }
      at.breakGit(null, "fails")
      const healthy = await at.review([...args, "--format", "json"])
      expect(stable(healthy.stdout)).toMatchObject({ status: "complete", degraded: [] })
      const asked = new Set(at.calls().map((call) => call.split(" ").find((word) => verbs.has(word)) ?? call))
      expect(asked.size).toBeGreaterThan(4)
      for (const verb of asked) {
        for (const fault of faults) {
          at.breakGit(verb, fault)
          const { status, stdout, stderr } = await at.review([...args, "--format", "json"])
          const outcome = { verb, fault, status, stderr }
          if (status === 3) {
            expect(stderr, JSON.stringify(outcome)).toMatch(/^dd: /m)
            continue
          }
          const report = stable(stdout)
          if (report.degraded.length > 0) {
            expect({ ...outcome, is: report.status }).toMatchObject({ is: "partial", status: 4 })
          } else expect({ ...outcome, report }).toEqual({ ...outcome, report: stable(healthy.stdout) })
        }
      }
    })
  }

  const formats = ["text", "markdown", "sarif", "github", "json", "jsonl", "gitlab", "rdjsonl"]
  for (const format of formats) {
    test(`reports in ${format} what was not checked when a search times out`, async () => {
      using at = world()
      // Only the files of a working tree are searched by git.
      at.repository.write("app.py", "def load(path, mode, more):\n    return path\n")
      at.breakGit("grep", "hangs")
      const ended = await at.review(["--format", format])
      expect(ended.stdout.replace(/\s+/g, " ")).toMatch(/not checked: (?:uses in other files|other places with)/i)
      expect(ended.stderr).toContain("git grep took longer than 1 s")
      expect(ended.status).toBe(4)
    })
  }

  test("is partial when a search meets files whose content this clone lacks", async () => {
    using at = world()
    at.breakGit(null, "fails")
    const oid = at.repository.git("rev-parse", "HEAD:use.py")
    rmSync(at.repository.path(".git", "objects", oid.slice(0, 2), oid.slice(2)))
    const { status, stdout } = await at.review(["--commit", "HEAD", "--format", "json"])
    expect({ status, report: JSON.parse(stdout) }).toMatchObject({
      status: 4,
      report: { status: "partial", degraded: [{ step: "git", error: "ObjectMissing" }] }
    })
  })

  test("refuses an invalid time limit", async () => {
    using at = world()
    at.breakGit(null, "fails")
    const { status, stderr } = await run([dd, "review"], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: "/nonexistent", DD_GIT_TIMEOUT: "soon" }
    })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'dd: error: DD_GIT_TIMEOUT is "soon"; set it to whole seconds from 1 to 86400, or unset it\n'
    })
  })
})
