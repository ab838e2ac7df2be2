import { describe, expect, test } from "bun:test"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { startTicks } from "../../src/layers/system/process/Proc.ts"
import { dd, sealed, stable } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { run as runProcess, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const safe = "def load(path):\n    return path\n"
const careless = "def load(path, seen=[]):\n    try:\n        return open(path)\n    except:\n        pass\n"

/** A repository on a branch that adds one careless Python file. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "app.py": safe, "README.md": "# App\n" })
  repository.branch("feature").commit("Be careless", { "app.py": careless })
  const home = join(place.path, "home")
  mkdirSync(home)
  const env = { PATH: systemPath, HOME: home }
  const review = (
    args: ReadonlyArray<string> = [],
    options: { readonly env?: Record<string, string>; readonly stdin?: string; readonly cwd?: string } = {}
  ) => run([dd, "review", ...args], { cwd: repository.root, ...options, env: { ...env, ...options.env } })
  return { place, repository, review, home, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("dd review in a repository", () => {
  test("reports the same with a cache of earlier runs, without one, and with a damaged one", async () => {
    using at = world()
    at.repository.commit("Use it", { "use.py": "from app import load\n\nprint(load(1))\n" })
    at.repository.commit("Ask for more", { "app.py": "def load(path, mode):\n    return path + mode\n" })
    // Facts are kept by builds, which have a version.
    const binary = [dd, "review", "--commit", "HEAD", "--format", "json"]
    const options = { cwd: at.repository.root, env: { PATH: systemPath, HOME: at.home } }
    const reviewed = async () => stable((await runProcess(binary, options)).stdout)
    const cold = await reviewed()
    expect(cold.findings.map(({ rule }: { rule: string }) => rule)).toContain("xref/call-no-longer-fits")
    const memory = join(at.home, ".daydream", "cache", "symbols.db")
    expect(existsSync(memory)).toBe(true)
    expect(await reviewed()).toEqual(cold)
    writeFileSync(memory, "broken")
    expect(await reviewed()).toEqual(cold)
    expect(await reviewed()).toEqual(cold)
  })

  test("reads a patch that the shell passes as an open file, and the report does not depend on it", async () => {
    using at = world()
    const shell = `"$0" review --diff-file <(git diff main feature) --format json`
    const { status, stdout, stderr } = await run(["bash", "-c", shell, dd], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home }
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(JSON.parse(stdout).findings.map(({ rule }: { rule: string }) => rule)).toContain("py/bare-except")
  })

  test("warns of unknown rules, and finds a new comment that suppresses nothing", async () => {
    using at = world()
    at.repository.commit("Suppress", {
      "other.py": "value = 1  # dd-ignore py/bare-except: not needed\n",
      ".daydreamignore": "py/bare-exept\n"
    })
    at.repository.commit("Go on", { "other.py": "value = 2  # dd-ignore py/bare-except: not needed now\n" })
    const { stdout, stderr } = await at.review(["--commit", "HEAD", "--format", "json"], {
      env: { DD_RULES_DISABLE: "pyt/*" }
    })
    const { findings, notes } = JSON.parse(stdout)
    expect(findings).toMatchObject([{ rule: "dd/unused-suppression", severity: "low", file: "other.py", line: 1 }])
    for (const warning of [
      'rules.disable (DD_RULES_DISABLE): pyt/*: there is no such area (did you mean "py/*"?)',
      '.daydreamignore:1: py/bare-exept: there is no such rule (did you mean "py/bare-except"?)'
    ]) {
      expect(notes).toContain(warning)
      expect(stderr).toContain(warning)
    }
  })

  test("reports the same where no file may be large, and so none can be in memory for git to print into", async () => {
    using at = world()
    const args = ["--format", "json", "--no-archive"]
    const shell = `ulimit -f 2000; exec "$0" review ${args.join(" ")}`
    const { status, stdout } = await run(["bash", "-c", shell, dd], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home }
    })
    expect(status).toBe(0)
    expect(stable(stdout)).toEqual(stable((await at.review(args)).stdout))
  })

  test("reports the change, the findings and how to suppress them; in a pipe without a control byte", async () => {
    using at = world()
    const { status, stdout, stderr } = await at.review()
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout).toContain("Review of branch feature against main")
    expect(stdout).toContain("app.py:4")
    expect(stdout).toContain("dd-ignore-next-line RULE")
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
  })

  test("runs no git command twice, in any directory", async () => {
    using at = world()
    const bin = join(at.place.path, "bin")
    const log = join(at.place.path, "asked")
    mkdirSync(bin)
    const git = Bun.which("git", { PATH: systemPath })
    writeFileSync(join(bin, "git"), `#!/bin/sh\nprintf '%s\\n' "$*" >> '${log}'\nexec '${git}' "$@"\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:${systemPath}` }
    const asked = (args: ReadonlyArray<string>, cwd = at.repository.root) =>
      at.review([...args, "--no-archive"], { env, cwd }).then((ended) => {
        const calls = readFileSync(log, "utf8").trim().split("\n")
        rmSync(log)
        return {
          status: ended.status,
          stderr: ended.stderr,
          calls: calls.filter((call) => !call.includes(" cat-file "))
        }
      })
    mkdirSync(at.repository.path("sub"))
    for (const cwd of [at.repository.root, at.repository.path("sub")]) {
      for (const args of [[], ["--commit", "HEAD"], ["--commit=feature"], ["--staged"], ["--base", "main"]]) {
        const { calls, ...ended } = await asked(args, cwd)
        expect({ args, ...ended }).toEqual({ args, status: 0, stderr: "" })
        expect(calls).toEqual([...new Set(calls)])
        expect(calls.filter((call) => call.includes("--absolute-git-dir"))).toHaveLength(1)
      }
    }
    // Somewhere else, what was begun here is of no use, and of no harm.
    const outside = await asked([at.repository.root], at.place.path)
    expect(outside).toMatchObject({ status: 0, stderr: "" })
    const there = await asked(["../repo", "--commit", "nope"], at.home)
    expect(there).toMatchObject({ status: 2 })
    expect(there.stderr).toContain("nope")
  })

  test("leaves the working tree as it was", async () => {
    using at = world()
    at.repository.write("app.py", `${careless}# edited\n`)
    await at.review()
    expect(at.repository.git("status", "--porcelain")).toBe("M app.py")
    expect(readdirSync(at.repository.root).toSorted()).toEqual([".daydream", ".git", "README.md", "app.py"])
    expect(readFileSync(at.repository.path("app.py"), "utf8")).toBe(`${careless}# edited\n`)
  })

  test("returns the same JSON for the same input, but for session, start and duration", async () => {
    using at = world()
    const [first, second] = [await at.review(["--format", "json"]), await at.review(["--format", "json"])]
    expect(stable(first.stdout)).toEqual(stable(second.stdout))
    const report = JSON.parse(first.stdout)
    expect(report.run.base).toBe(at.repository.git("rev-parse", "main"))
    expect(report.run.head).toBe(at.repository.git("rev-parse", "feature"))
    expect(report.coverage).toMatchObject({ files_in_diff: 1, files_reviewed: 1 })
  })

  test("ends with 1 only for findings at or above --fail-on", async () => {
    using at = world()
    const severities = JSON.parse((await at.review(["--format", "json"])).stdout).findings.map(
      (each: { severity: string }) => each.severity
    )
    expect(severities).toContain("medium")
    expect(severities).not.toContain("high")
    expect((await at.review(["--fail-on", "medium"])).status).toBe(1)
    expect((await at.review(["--fail-on", "high"])).status).toBe(0)
    expect((await at.review(["--fail-on", "none"])).status).toBe(0)
  })

  test("reviews untracked files with the edits of a dirty branch", async () => {
    using at = world()
    at.repository.checkout("main").write("new.py", careless)
    const report = JSON.parse((await at.review(["--format", "json"])).stdout)
    expect(report.run.head).toBe("worktree")
    expect(new Set(report.findings.map((each: { file: string }) => each.file))).toEqual(new Set(["new.py"]))
  })

  test("reviews what is staged, and not what is not", async () => {
    using at = world()
    at.repository.checkout("main").write("staged.py", careless).git("add", "staged.py")
    at.repository.write("loose.py", careless)
    const report = JSON.parse((await at.review(["--staged", "--format", "json"])).stdout)
    expect(report.coverage.files.map((each: { path: string }) => each.path)).toEqual(["staged.py"])
  })

  test("never prints an empty answer without a reason", async () => {
    using at = world()
    const { status, stdout } = await at.review(["--base", "feature"])
    expect(status).toBe(0)
    expect(stdout).toContain("it has no commits that are not on feature")
  })

  test("reviews the first commit of a repository, and one that has none", async () => {
    using at = world()
    expect((await at.review(["--commit", "main"])).stdout).toContain("Review of commit")
    const empty = initRepository(join(at.place.path, "empty"))
    empty.write("a.py", careless)
    const { status, stdout } = await at.review([], { cwd: empty.root })
    expect(status).toBe(0)
    expect(stdout).toContain("all files of a repository without commits")
    expect(stdout).toContain("a.py:4")
  })

  test("reviews another repository by its path", async () => {
    using at = world()
    expect((await at.review([at.repository.root], { cwd: "/" })).stdout).toContain("app.py:4")
  })
})

describe("dd review of a patch", () => {
  test("reads it from a pipe, outside of any repository, and names the files that it has only in part", async () => {
    using at = world()
    at.repository.commit("Add", { "new.py": careless })
    const patch = at.repository.git("diff", "main", "feature")
    const { status, stdout } = await at.review(["--diff-file", "-"], { cwd: at.home, stdin: `${patch}\n` })
    expect(status).toBe(4)
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "This review is partial. Not checked: rules that need whole files, and the code outside the patch."
    )
    expect(stdout).toContain("new.py:4")
    expect(stdout).toContain("line rules only: only the patch is known: app.py")
    // Here it is the home as well, which has the archive.
    expect(readdirSync(join(at.home, ".daydream"))).toEqual(["archive"])
  })

  test("reports that no record is kept where there is neither a repository nor an archive, unless one is requested", async () => {
    using at = world()
    const patch = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    const warned = async (...args: ReadonlyArray<string>) => {
      const { stderr } = await at.review(["--diff-file", "-", ...args], { cwd: at.home, stdin: patch })
      return stderr.split("\n").filter((line) => line.includes("record"))
    }
    expect(await warned("--no-archive")).toEqual([
      "dd: warning: this run is not recorded: there is no .daydream/ to write to, and it is not archived; to record it, add --trajectory PATH"
    ])
    expect(await warned("--no-archive", "--trajectory", "run.json")).toEqual([])
    expect(await warned("--no-archive", "--preview")).toEqual([])
    expect(await warned()).toEqual([])
  })

  test("names the line of a patch that is none", async () => {
    using at = world()
    const { status, stderr, stdout } = await at.review(["--diff-file", "-"], {
      stdin: "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n one\n"
    })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toMatch(/line \d+/)
  })

  test("answers an empty patch with the reason", async () => {
    using at = world()
    const { status, stdout } = await at.review(["--diff-file", "-"], { stdin: "" })
    expect(status).toBe(0)
    expect(stdout).toContain("it is empty")
  })
})

describe("a place in the repository", () => {
  test("means what the change did there, also where nothing is left of it", async () => {
    using at = world()
    at.repository.checkout("main").commit("Drop it", { "old/tool.py": "x = 1\n", "kept.py": "y = 1\n" })
    at.repository.git("rm", "-qr", "old")
    at.repository.write("kept.py", "y = 2\n")
    for (const place of ["old/tool.py", "old", join(at.repository.root, "old")]) {
      const { status, stdout, stderr } = await at.review(["--format", "json", place])
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
      const { coverage } = JSON.parse(stdout)
      expect(coverage.files.map(({ path }: { path: string }) => path)).toEqual(["old/tool.py"])
    }
  })
})

describe("a wrong call", () => {
  const wrong: ReadonlyArray<readonly [string, ReadonlyArray<string>, number, RegExp]> = [
    ["an unknown flag, with the one that was meant", ["--bsae", "x"], 2, /--base/],
    ["a letter there is not, with those there are", ["-x"], 2, /unknown flag "-x"; known: -s, -y, -q, -v, -h, -V;/],
    [
      "two answers to what to review",
      ["--staged", "--commit", "HEAD"],
      2,
      /--staged and --commit cannot be used together/
    ],
    ["a format there is not", ["--format", "sarfi"], 2, /sarif/],
    ["an output without a path", ["--output", "sarif"], 2, /the path is missing/],
    ["a revision there is not", ["--commit", "nowhere"], 2, /unknown commit "nowhere"/],
    ["more commits than there are", ["--base", "HEAD~500"], 2, /HEAD has \d+ commits?, so the first one is HEAD/],
    ["no name", ["--base", ""], 2, /the name of a commit is empty/],
    [
      "a branch to review with a typing error",
      ["--branch", "mian"],
      2,
      /unknown branch "mian" \(did you mean "main"\?\)/
    ],
    ["a branch with a typing error", ["--base", "mian"], 2, /unknown commit "mian" \(did you mean "main"\?\)/],
    [
      "a path outside of every repository that is not there",
      ["/nonexistent/x"],
      3,
      /^dd: error: \/nonexistent\/x does not exist/
    ],
    ["a negative cost", ["--max-cost", "-1"], 2, /at least 0 dollars.* not -1/],
    ["a flag that is planned", ["--worktree"], 2, /"--worktree" is planned, but not in this version/],
    ["a revision that would be an option of git", ["--base", "--output=x"], 2, /./],
    ["a flow there is not", ["--flow", "depe"], 2, /deep/],
    ["a place where nothing is or was", ["HEAD~1"], 2, /HEAD~1 does not exist.* --commit/],
    ["a patch that cannot be read", ["--diff-file", "/nonexistent"], 2, /nonexistent/],
    ["a review that cannot be taken up", ["--start-at", "merge"], 2, /start at review/]
  ]
  for (const [what, args, code, words] of wrong) {
    test(`is answered on stderr alone, in one line with the way out: ${what}`, async () => {
      using at = world()
      const { status, stdout, stderr } = await at.review(args)
      expect({ status, stdout }).toEqual({ status: code, stdout: "" })
      expect(stderr).toMatch(words)
      expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(2)
      expect(stderr).not.toContain("    at ")
    })
  }

  test("is distinguished from an environment in which dd cannot run: no repository", async () => {
    using at = world()
    const { status, stderr } = await at.review([], { cwd: at.home })
    expect(status).toBe(3)
    expect(stderr).toContain("--diff-file")
  })

  test("ends a jsonl stream with an error that reports what happened", async () => {
    using at = world()
    const { status, stdout } = await at.review(["--format", "jsonl", "--start-at", "fix"])
    expect(status).toBe(2)
    const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
    expect(last).toMatchObject({ type: "error", error: "ResumeImpossible", exit: { code: 2 } })
  })

  test("is distinguished from an environment in which dd cannot run: no git", async () => {
    using at = world()
    const { status, stderr } = await at.review([], { env: { PATH: "/nonexistent" } })
    expect(status).toBe(3)
    expect(stderr).toContain("install git")
  })
})

describe("what a review leaves", () => {
  test("is written in several formats at once, beside the one on stdout", async () => {
    using at = world()
    const out = (name: string) => join(at.home, "out", name)
    const { stdout } = await at.review(["--output", `json=${out("dd.json")}`, "--output", `sarif=${out("dd.sarif")}`])
    expect(stdout).toContain("Review of")
    expect(JSON.parse(readFileSync(out("dd.json"), "utf8")).schema_version).toBe(1)
    expect(JSON.parse(readFileSync(out("dd.sarif"), "utf8")).version).toBe("2.1.0")
    expect(readdirSync(join(at.home, "out")).toSorted()).toEqual(["dd.json", "dd.sarif"])
  })

  const hasMemory = statSync("/dev/shm", { throwIfNoEntry: false })?.mode.toString(8).endsWith("1777") ?? false
  test.skipIf(!hasMemory)("is a whole file in shared memory too, in a directory made for it", async () => {
    using at = world()
    const memory = mkdtempSync("/dev/shm/dd-test-")
    try {
      const path = join(memory, "out", "dd.json")
      expect((await at.review(["--output", `json=${path}`])).status).toBe(0)
      expect(JSON.parse(readFileSync(path, "utf8")).schema_version).toBe(1)
    } finally {
      rmSync(memory, { recursive: true })
    }
  })

  test("is nothing at all for a preview", async () => {
    using at = world()
    const { status, stdout } = await at.review(["--preview"])
    expect(status).toBe(0)
    expect(stdout).toContain("python")
    expect(existsSync(at.repository.path(".daydream"))).toBe(false)
  })

  test("names in a preview what it would skip, and why", async () => {
    using at = world()
    at.repository.commit("More", { "logo.png": new Uint8Array([0, 1, 2]), "vendor/a.js": "x\n", "A.kt": "x\n" })
    const { preview } = JSON.parse((await at.review(["--preview", "--format", "json"])).stdout)
    const skipped: ReadonlyArray<{ path: string }> = preview.skipped
    expect(skipped.map(({ path }) => path).toSorted()).toEqual(["A.kt", "logo.png", "vendor/a.js"])
    expect(preview.stacks.flatMap((each: { files: ReadonlyArray<string> }) => each.files)).not.toContain("logo.png")
  })

  test("does not show in git status", async () => {
    using at = world()
    await at.review()
    expect(at.repository.git("status", "--porcelain", "--ignored=no")).toBe("")
    expect(existsSync(at.repository.path(".daydream/deep/merged-items.json"))).toBe(true)
  })

  test("can be taken up again", async () => {
    using at = world()
    const first = await at.review(["--format", "json"])
    const again = await at.review(["--start-at", "merge", "--format", "json"])
    expect(JSON.parse(again.stdout).findings).toEqual(JSON.parse(first.stdout).findings)
  })

  test("is not resumed with other files or other rules", async () => {
    using at = world()
    at.repository.commit("Add another", { "lib/other.py": "value = 1\n" })
    const own = join(at.home, "own")
    mkdirSync(own)
    writeFileSync(join(own, "config.toml"), 'rules.disable = ["py/*"]\n')
    const rulesOff = { env: { DD_HOME: own } }
    const first = await at.review(["--base", "main", "--format", "json"])
    const { findings } = JSON.parse(first.stdout)
    expect(findings.length).toBeGreaterThan(0)
    for (const startAt of ["per-stack", "merge", "fix"]) {
      for (const [args, options] of [
        [["lib"], {}],
        [["--ignore-path", "app.py"], {}],
        [[], rulesOff]
      ] as const) {
        const other = await at.review([...args, "--base", "main", "--start-at", startAt], options)
        expect({ status: other.status, stdout: other.stdout }).toEqual({ status: 2, stdout: "" })
        expect(other.stderr).toContain("start at review")
      }
    }
    const again = await at.review(["--base", "main", "--start-at", "fix", "--format", "json"])
    expect(JSON.parse(again.stdout).findings).toEqual(findings)
    // A glob that matches no file of the change leaves it the same change.
    const same = await at.review([
      "--base",
      "main",
      "--start-at",
      "merge",
      "--format",
      "json",
      "--ignore-path",
      "doc/**"
    ])
    expect(JSON.parse(same.stdout).findings).toEqual(findings)
    await at.review(["lib", "--base", "main"])
    expect((await at.review(["--base", "main", "--start-at", "fix"])).status).toBe(2)
  })

  test("is a findings file for another command, after which the review stops", async () => {
    using at = world()
    const path = join(at.home, "findings.json")
    expect((await at.review(["--findings-out", path])).status).toBe(0)
    expect(JSON.parse(readFileSync(path, "utf8")).findings[0].fingerprint).toMatch(/^dd1:/)
  })

  test("stays complete when several reviews run in one repository at once", async () => {
    using at = world()
    const all = await Promise.all(Array.from({ length: 6 }, () => at.review(["--format", "json"])))
    const reports = all.map(({ stdout }) => stable(stdout))
    for (const report of reports) expect(report.findings).toEqual(reports[0].findings)
    for (const name of ["alternatives.json", "merged-items.json", "stack-python-records.json"]) {
      JSON.parse(readFileSync(at.repository.path(".daydream/deep", name), "utf8"))
    }
    expect(existsSync(at.repository.path(".daydream/lock"))).toBe(false)
  })

  test.skipIf(!existsSync("/proc/self/stat"))(
    "is kept apart, in words, while another review runs in the repository",
    async () => {
      using at = world()
      await at.review()
      const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
      const started = { boot, ticks: startTicks(readFileSync("/proc/self/stat", "utf8")) }
      const holder = JSON.stringify({ pid: process.pid, session: "other", started })
      writeFileSync(at.repository.path(".daydream/lock"), holder)
      const { status, stderr } = await at.review()
      expect(status).toBe(0)
      expect(stderr).toMatch(
        /another review is running in this repository; this one keeps its files in \.daydream\/runs\//
      )
      expect(stderr.trim().split("\n")).toHaveLength(1)
    }
  )

  test.skipIf(sealed === undefined)("succeeds, and reports it, if nothing can be written", async () => {
    using at = world()
    const { status, stdout } = await run([...(sealed ?? []), dd, "review", "--format", "json"], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home, TMPDIR: at.home }
    })
    expect(status).toBe(0)
    const report = JSON.parse(stdout)
    expect(report.findings.length).toBeGreaterThan(0)
    expect(report.degraded).toMatchObject([{ step: "artifacts" }, { step: "trajectory" }, { step: "archive" }])
  })
})

describe("saying no to a finding", () => {
  test("by a comment that the change itself adds is honoured and listed", async () => {
    using at = world()
    at.repository.commit("Silence it", {
      "app.py": careless.replace("except:", "except:  # dd-ignore py/bare-except: the caller retries")
    })
    const report = JSON.parse((await at.review(["--format", "json"])).stdout)
    expect(report.findings.map((each: { rule: string }) => each.rule)).not.toContain("py/bare-except")
    expect(report.suppressed).toHaveLength(1)
    expect((await at.review()).stdout).toContain("this change itself suppresses py/bare-except")
  })

  test("by .daydreamignore counts only from the base of the change", async () => {
    using at = world()
    at.repository.commit("Ignore it", { ".daydreamignore": "py/*\n" })
    expect((await at.review()).stdout).toContain("py/bare-except")
    at.repository.checkout("main").commit("Ignore it", { ".daydreamignore": "py/* # known\n" })
    at.repository.branch("next").commit("Be careless", { "app.py": careless })
    const report = JSON.parse((await at.review(["--format", "json"])).stdout)
    expect(report.findings).toEqual([])
    expect(report.suppressed.length).toBeGreaterThan(0)
  })

  test("by a baseline: what it contains is not new and fails nothing", async () => {
    using at = world()
    await at.review(["--write-baseline"])
    const file = at.repository.path(".daydream-baseline.json")
    const { status, stdout } = await at.review([
      "--baseline",
      file,
      "--fail-on",
      "low",
      "--format",
      "json",
      "--commit",
      "feature"
    ])
    expect(status).toBe(0)
    expect(JSON.parse(stdout).findings.every((each: { new: boolean }) => !each.new)).toBe(true)
    expect((await at.review(["--fail-on", "low"])).status).toBe(1)
  })

  test("by a baseline hides no later finding, however many of its kind the file has", async () => {
    using at = world()
    const swallowed = (name: string) => `def ${name}(x):\n    try:\n        load(x)\n    except:\n        pass\n\n`
    const many = Array.from({ length: 45 }, (_, index) => swallowed(`f${index}`)).join("")
    at.repository.commit("Be careless often", { "many.py": many })
    const file = at.repository.path(".daydream-baseline.json")
    await at.review(["--write-baseline"])
    at.repository.commit("Be careless again", { "many.py": many + swallowed("last") })
    const { stdout } = await at.review(["--baseline", file, "--format", "json"])
    const fresh = JSON.parse(stdout).findings.filter((each: { new: boolean }) => each.new)
    expect(fresh).toMatchObject([{ file: "many.py", line: 274 }])
  })
})

describe("settings", () => {
  test("for a model are reported as without effect if no model is called", async () => {
    using at = world()
    const { status, stdout } = await at.review(["--model", "some-model", "--max-cost", "1"])
    expect(status).toBe((await at.review()).status)
    expect(stdout).toContain("--model and --max-cost had no effect: no model is used.")
    expect((await at.review()).stdout).not.toContain("changed nothing")
  })

  test("report their origin", async () => {
    using at = world()
    mkdirSync(join(at.home, ".daydream"))
    writeFileSync(join(at.home, ".daydream/config.toml"), 'fail_on = "low"\n')
    expect((await at.review()).status).toBe(1)
    expect((await at.review([], { env: { DD_FAIL_ON: "high" } })).status).toBe(0)
    const { stdout } = await run([dd, "config", "show", "--origin"], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home }
    })
    expect(stdout).toMatch(/fail_on\s+low\s+.*config\.toml:1/)
  })

  test("decide how many findings are shown", async () => {
    using at = world()
    at.repository.commit("More", { "b.py": careless, "c.py": careless })
    expect((await at.review()).stdout).not.toContain("not shown here")
    expect((await at.review(["--max-findings", "1"])).stdout).toContain("more findings not shown")
    expect((await at.review(["--max-findings", "0"])).stdout).not.toContain("not shown here")
    expect((await at.review(["--max-findings", "-1"])).status).toBe(2)
  })

  test("that are wrong name file, line and key", async () => {
    using at = world()
    mkdirSync(join(at.home, ".daydream"))
    writeFileSync(join(at.home, ".daydream/config.toml"), '# mine\nfail_no = "low"\n')
    const { status, stderr } = await at.review()
    expect(status).toBe(2)
    expect(stderr).toMatch(/config\.toml:2: .*fail_no.*fail_on/)
  })

  test("of a repository cannot loosen, and the change under review cannot set them", async () => {
    using at = world()
    at.repository.commit("Set", { ".daydream.toml": 'fail_on = "low"\n' })
    expect((await at.review()).status).toBe(0)
  })

  test("come from the base also when only a part of the change is looked at", async () => {
    using at = world()
    at.repository.commit("Begin to ignore", { ".daydreamignore": "nothing\n" })
    at.repository.commit("Hide", { ".daydreamignore": "sub/\n", "sub/b.py": careless })
    const part = await at.review([join(at.repository.root, "sub"), "--commit", "HEAD", "--format", "json"])
    expect(JSON.parse(part.stdout).findings.map(({ file }: { file: string }) => file)).toContain("sub/b.py")
  })

  test("a model key in the environment changes nothing but one line", async () => {
    using at = world()
    const plain = await at.review(["--format", "json"])
    const keyed = await at.review(["--format", "json"], { env: { ANTHROPIC_API_KEY: "sk-ant-secret-123456" } })
    const { notes: _, ...a } = stable(plain.stdout)
    const { notes: __, ...b } = stable(keyed.stdout)
    expect(a).toEqual(b)
    const text = await at.review([], { env: { ANTHROPIC_API_KEY: "sk-ant-secret-123456" } })
    expect(text.stdout).toContain("ANTHROPIC_API_KEY is set but not used")
    expect(text.stdout).not.toContain("sk-ant-secret")
  })
})

/** A model that is asked and does not answer, so that a review waits. */
const silentModel = () => {
  const asked = Promise.withResolvers<void>()
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: () => {
      asked.resolve()
      return new Promise<Response>(() => undefined)
    }
  })
  return {
    asked: asked.promise,
    command: [dd, "review", "--format", "jsonl", "--backend", "openai", "--model", "silent"],
    env: { DD_OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`, OPENAI_API_KEY: "key" },
    [Symbol.dispose]: () => server.stop(true)
  }
}

describe("interrupted", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    test(`by ${signal} it ends with ${code} and keeps the record of what it did`, async () => {
      using at = world()
      using model = silentModel()
      const child = Bun.spawn(model.command, {
        cwd: at.repository.root,
        env: { PATH: systemPath, HOME: at.home, ...model.env },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe"
      })
      await Promise.race([model.asked, child.exited])
      child.kill(signal)
      await child.exited
      expect(child.exitCode).toBe(code)
      const [session] = readdirSync(at.repository.path(".daydream/runs"))
      const record = at.repository.path(".daydream/runs", session!, "trajectory.json.partial")
      expect(JSON.parse(readFileSync(record, "utf8")).extra).toMatchObject({ flow: "deep", partial: true })
      expect(existsSync(at.repository.path(".daydream/lock"))).toBe(false)
    })
  }

  test("by the end of its terminal, it ends as if it were terminated and keeps the record too", async () => {
    using at = world()
    using model = silentModel()
    const child = Bun.spawn(model.command, {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home, ...model.env },
      terminal: { cols: 80, rows: 24, data: () => undefined }
    })
    await Promise.race([model.asked, child.exited])
    child.kill("SIGHUP")
    await child.exited
    expect(child.exitCode).toBe(143)
    const [session] = readdirSync(at.repository.path(".daydream/runs"))
    expect(existsSync(at.repository.path(".daydream/runs", session!, "trajectory.json.partial"))).toBe(true)
  })

  // A terminal's Ctrl-C reaches the programs dd has started as well, and they are quicker to end.
  test("together with its git, it ends with 130 and prints at most that it was interrupted", async () => {
    using at = world()
    for (let file = 0; file < 40; file++) at.repository.write(`m${file}.py`, careless.repeat(50))
    at.repository.commit("Much", {})
    for (const moment of [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) {
      const { status, stderr } = await run(
        ["timeout", "--preserve-status", "-s", "INT", `${moment}`, dd, "review", "--base", "main"],
        { cwd: at.repository.root, env: { PATH: systemPath, HOME: at.home } }
      )
      expect([0, 130]).toContain(status ?? -1)
      expect(stderr).toMatch(/^(?:dd: interrupted(?:; its record is kept in \.daydream\/runs\/[-0-9a-f]+)?\n)?$/)
    }
  })

  test("by a reader that goes away it does not crash", async () => {
    using at = world()
    const { stdout, stderr } = await run(
      ["sh", "-c", `'${dd}' review --format json | head -c 10; echo " \${PIPESTATUS:-}"`],
      {
        cwd: at.repository.root,
        env: { PATH: systemPath, HOME: at.home }
      }
    )
    expect(stdout).toContain("{")
    expect(stderr).not.toContain("defect")
  })

  test("reports nothing about its own streams if the reader of the stream goes away", async () => {
    using at = world()
    const { stderr } = await run(["sh", "-c", `'${dd}' review --format jsonl | head -c 10`], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home }
    })
    expect(stderr).toBe("")
  })
})

describe("what a review must report", () => {
  test("a change that fixes a broken settings file can be reviewed, with a warning about the old one", async () => {
    using at = world()
    at.repository.checkout("main").commit("Break", { ".daydream.toml": "fail_on = \n", ".daydreamignore": "!!\n" })
    at.repository
      .branch("mend")
      .commit("Mend", { ".daydream.toml": 'fail_on = "high"\n', ".daydreamignore": "# none\n" })
    const { status, stdout, stderr } = await at.review()
    expect(status).toBe(0)
    expect(stderr).toContain(".daydream.toml:1")
    expect(stdout).toContain("This change edits .daydream.toml; its version before the change was used.")
    at.repository.checkout("main").branch("other").commit("Leave it", { "x.py": safe })
    expect((await at.review()).status).toBe(2)
  })

  test("a file whose name is a sentence is reviewed like any other", async () => {
    using at = world()
    at.repository.commit("Odd", { "my script (2).py": careless, "a,b;c.py": careless })
    const report = JSON.parse((await at.review(["--format", "json"])).stdout)
    const files = new Set(report.findings.map((each: { file: string }) => each.file))
    expect([files.has("my script (2).py"), files.has("a,b;c.py"), report.dropped]).toEqual([true, true, []])
  })

  test("no file of the run contains a secret of the change", async () => {
    using at = world()
    const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
    at.repository.commit("Leak", { "t.py": `t = "${token}"\n`, ".env": "DB_PASSWORD=v9Tq2mZr4xKp\n" })
    const { stdout } = await at.review(["--findings-out", join(at.home, "f.json"), "--format", "json"])
    const texts = [stdout, readFileSync(join(at.home, "f.json"), "utf8")]
    for (const name of readdirSync(at.repository.path(".daydream"), { recursive: true, encoding: "utf8" })) {
      const path = at.repository.path(".daydream", name)
      if (statSync(path).isFile()) texts.push(readFileSync(path, "utf8"))
    }
    expect(texts.length).toBeGreaterThan(8)
    for (const text of texts) {
      expect(text).not.toContain(token)
      expect(text).not.toContain("v9Tq2mZr4xKp")
    }
  })

  test("a change in a language without rules is not complete", async () => {
    using at = world()
    const reviewed = async (texts: Record<string, string>) => {
      at.repository.commit("Edit", texts)
      const { stdout } = await at.review(["--commit", "HEAD", "--format", "json"])
      const { coverage, status } = JSON.parse(stdout)
      return [status, coverage.files_reviewed, ...coverage.files.map(({ reason }: { reason: string }) => reason)]
    }
    const reason =
      "no rules for Kotlin; searched only for secrets, conflict markers, hidden characters and prompt injection"
    expect(await reviewed({ "a.kt": "val x = 1\n" })).toEqual(["partial", 0, reason])
    expect(await reviewed({ "a.kt": "val x = 2\n", "b.py": "x = 1\n" })).toEqual(["complete", 1, reason, ""])
  })

  test("a target below the root is reviewed alone, and the report names it", async () => {
    using at = world()
    at.repository.commit("Two", { "api/a.py": careless, "web/b.py": careless })
    const { stdout } = await at.review(["api", "--format", "json"])
    const report = JSON.parse(stdout)
    expect(report.coverage.files.map((each: { path: string }) => each.path)).toEqual(["api/a.py"])
    expect(report.run.description).toEndWith(", only api")
  })

  test("one output that cannot be written costs neither the report nor the others", async () => {
    using at = world()
    const good = join(at.home, "good.sarif")
    const { status, stdout, stderr } = await at.review(["--output", "json=/dev/full", "--output", `sarif=${good}`])
    expect(status).toBe(3)
    expect(stdout).toContain("Review of")
    expect(JSON.parse(readFileSync(good, "utf8")).version).toBe("2.1.0")
    expect(stderr).toContain("/dev/full could not be written: no space left on the device")
    const baseline = await at.review(["--write-baseline", "--baseline", "/dev/full"])
    expect(baseline).toMatchObject({ status: 3, stdout: expect.stringContaining("Review of") })
    expect(baseline.stderr).toContain("/dev/full")
  })

  test("an output that cannot be written is refused before the first step", async () => {
    using at = world()
    const file = join(at.home, "file")
    writeFileSync(file, "")
    for (const [args, reason] of [
      [
        ["--output", "json=-"],
        "--output json=-: --format chooses what is printed to standard output; for a file named - write ./-"
      ],
      [["--output", `json=${at.home}`], `--output json=${at.home}: it is a directory`],
      [["--output", "sarif=reports/"], "--output sarif=reports/: it is a directory"],
      [["--output", `sarif=${file}/a/b`], `--output sarif=${file}/a/b: a part of the path is not a directory`],
      [["--findings-out", at.home], `--findings-out ${at.home}: it is a directory`],
      [["--trajectory", at.home], `--trajectory ${at.home}: it is a directory`],
      [["--write-baseline", "--baseline", at.home], `--baseline ${at.home}: it is a directory`]
    ] as const) {
      const { status, stdout, stderr } = await at.review(args)
      expect({ status, stdout, stderr }).toEqual({
        status: 2,
        stdout: "",
        stderr: `dd: error: ${reason}; see dd review --help\n`
      })
    }
    expect(readdirSync(at.repository.root).toSorted()).toEqual([".git", "README.md", "app.py"])
    await at.review(["--output", "json=./-"])
    expect(JSON.parse(readFileSync(at.repository.path("-"), "utf8")).schema_version).toBe(1)
  })

  test.skipIf(!existsSync("/proc/self"))("an output in /proc or /sys is refused", async () => {
    using at = world()
    for (const path of ["/proc/dd.json", "/sys/dd.json"]) {
      const { status, stdout, stderr } = await at.review(["--output", `json=${path}`])
      expect({ path, status, stdout }).toEqual({ path, status: 2, stdout: "" })
      expect(stderr).toStartWith(`dd: error: --output json=${path}: `)
    }
  })

  test("two outputs to the same file are refused before the first step", async () => {
    using at = world()
    symlinkSync(at.home, join(at.home, "link"))
    const file = join(at.home, "a")
    for (const [first, second] of [
      [
        ["--output", `json=${file}`],
        ["--output", `sarif=${at.home}/link/a`]
      ],
      [
        ["--output", `json=${file}`],
        ["--findings-out", `${at.home}/../home/a`]
      ],
      [
        ["--output", `json=${file}`],
        ["--trajectory", file]
      ]
    ] as const) {
      const { status, stdout, stderr } = await at.review([...first, ...second])
      expect({ status, stdout, stderr }).toEqual({
        status: 2,
        stdout: "",
        stderr: `dd: error: ${first.join(" ")} and ${second.join(" ")} would write the same file; see dd review --help\n`
      })
    }
    expect(readdirSync(at.home)).toEqual(["link"])
    expect((await at.review(["--output", "json=/dev/null", "--output", "sarif=/dev/null"])).stdout).toContain(
      "Review of"
    )
  })

  test("`.` is the current directory, and without a path it is the whole repository", async () => {
    using at = world()
    at.repository.commit("More", { "api/a.py": careless, "api/deep/b.py": careless })
    const paths = async (...args: ReadonlyArray<string>) => {
      const { stdout } = await at.review([...args, "--format", "json"], { cwd: at.repository.path("api") })
      return JSON.parse(stdout).coverage.files.map((each: { path: string }) => each.path)
    }
    expect(await paths()).toEqual(["api/a.py", "api/deep/b.py", "app.py"])
    for (const here of [".", "./", "../api"]) expect(await paths(here)).toEqual(["api/a.py", "api/deep/b.py"])
  })

  test("paths are relative to the current directory on a terminal only", async () => {
    using at = world()
    at.repository.commit("Use it", { "use.py": "from api.a import load\n\nprint(load(1))\n", "api/a.py": safe })
    at.repository.commit("Ask for more", { "api/a.py": "def load(path, mode, seen=[]):\n    return path\n" })
    const call = [dd, "review", "--commit", "HEAD", "--all", "--no-color"]
    const options = { cwd: at.repository.path("api"), env: { PATH: systemPath, HOME: at.home } }
    let shown = ""
    const terminal = {
      cols: 100,
      rows: 40,
      data: (_: unknown, chunk: Uint8Array) => (shown += new TextDecoder().decode(chunk))
    }
    await Bun.spawn([...call, "--output", "text=../report.txt"], { ...options, terminal }).exited
    expect(shown).toContain("--> a.py:1")
    expect(shown).toContain("../use.py:3")
    shown = ""
    await Bun.spawn([...call, "../app.py", "--output", "text=../only.txt"], { ...options, terminal }).exited
    expect(shown).toContain(", only ../app.py")
    shown = ""
    await Bun.spawn([...call, "../app.py", "--preview"], { ...options, terminal }).exited
    expect(shown).toContain(", only ../app.py")
    expect(readFileSync(at.repository.path("only.txt"), "utf8")).toContain(", only app.py")
    expect(readFileSync(at.repository.path("report.txt"), "utf8")).toContain("--> api/a.py:1")
    const { stdout } = await run(call, options)
    expect(stdout).toContain("--> api/a.py:1")
    expect(stdout).not.toContain("../")
  })

  test("an output that is no file is written to where it is", async () => {
    using at = world()
    const { stdout } = await run(["sh", "-c", `'${dd}' review --output gitlab=/dev/stderr 2>&1 >/dev/null | cat`], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home }
    })
    expect(JSON.parse(stdout)[0].check_name).toMatch(/^py\//)
  })

  test("--findings-out is written by every flow, and for a change that is empty", async () => {
    using at = world()
    for (const args of [["--shallow"], ["--review"], ["--base", "feature"]]) {
      const path = join(at.home, `${args.join("")}.json`)
      expect((await at.review([...args, "--findings-out", path])).status).toBe(0)
      expect(JSON.parse(readFileSync(path, "utf8")).schema_version).toBe(1)
    }
  })

  test("flags that do not go together are refused", async () => {
    using at = world()
    for (const args of [
      ["--shallow", "--start-at", "fix"],
      ["--preview", "--output", "json=x"],
      ["--preview", "--write-baseline"]
    ]) {
      expect((await at.review(args)).status).toBe(2)
    }
  })
})

describe("what a change breaks elsewhere", () => {
  const cart = "def total(items):\n    return sum(items)\n"
  const order = "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n"

  test("is found in files the change does not touch, in a commit, in the index and in the working tree", async () => {
    using at = world()
    at.repository.commit("Sell", { "shop/__init__.py": "", "shop/cart.py": cart, "shop/order.py": order })
    const renamed = { "shop/cart.py": cart.replace("total", "sum_up") }
    const json = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await at.review(["--format", "json", "--fail-on", "none", ...args])).stdout)

    at.repository.write("shop/cart.py", renamed["shop/cart.py"])
    at.repository.write("shop/late.py", order)
    const edited = await json("--base", "HEAD")
    expect(edited.findings[0]).toMatchObject({ rule: "xref/removed-definition-still-used", lens: "structural" })
    expect(edited.findings[0].description).toContain("shop/late.py:1, shop/order.py:1")

    at.repository.remove("shop/late.py").git("add", "shop/cart.py")
    const staged = await json("--staged")
    expect(staged.findings).toMatchObject([{ file: "shop/order.py", line: 1, severity: "high", confidence: "HIGH" }])

    at.repository.commit("Rename", renamed)
    const committed = await json("--commit", "HEAD")
    expect(committed.findings[0].evidence).toBe("shop/cart.py:1; shop/order.py:1; shop/order.py:5")
    expect(committed.dropped).toEqual([])
  })

  test("is reported as unknown for a file that is too large to be read", async () => {
    using at = world()
    const large = `${order}${"x = 1\n".repeat(200_000)}`
    at.repository.commit("Sell", { "shop/__init__.py": "", "shop/cart.py": cart, "shop/large.py": large })
    at.repository.commit("Rename", { "shop/cart.py": cart.replace("total", "sum_up") })
    const said =
      "Not checked: files around the change that could not be read: shop/large.py (not parsed as python: too large)"
    const { stdout } = await at.review(["--format", "json", "--commit", "HEAD"])
    expect(JSON.parse(stdout).findings).toEqual([])
    expect(JSON.parse(stdout).notes).toContain(said)
    const text = (await at.review(["--commit", "HEAD"])).stdout.replace(/\s+/g, " ")
    expect(text).toContain(said)
  })

  test("is nothing when every user was changed with it", async () => {
    using at = world()
    at.repository.commit("Sell", { "shop/__init__.py": "", "shop/cart.py": cart, "shop/order.py": order })
    const all = { "shop/cart.py": cart, "shop/order.py": order }
    at.repository.commit(
      "Rename",
      Object.fromEntries(Object.entries(all).map(([path, text]) => [path, text.replaceAll("total", "sum_up")]))
    )
    const { stdout } = await at.review(["--format", "json", "--commit", "HEAD"])
    expect(JSON.parse(stdout).findings).toEqual([])
  })

  test("is shown for a deleted file at the import that needs it", async () => {
    using at = world()
    at.repository.commit("Sell", { "shop/__init__.py": "", "shop/cart.py": cart, "shop/order.py": order })
    at.repository.remove("shop/cart.py").git("add", "--all")
    const { stdout } = await at.review(["--format", "json", "--staged", "--fail-on", "none"])
    expect(JSON.parse(stdout).findings).toMatchObject([
      { rule: "xref/import-of-deleted-file", file: "shop/order.py", line: 1 }
    ])
  })
})
