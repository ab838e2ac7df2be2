/** `dd review --shallow --loop` in real repositories, by the compiled binary: its commits, its end, and what stays. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { folderHash } from "../support/folderHash.ts"
import { run } from "../support/inProcess.ts"
import { modelReviews } from "../support/modelReviews.ts"
import { handing, type Script, submitOf } from "../support/modelServer.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository, type TestRepository } from "../support/repository.ts"

const before = "def shout(word):\n    return word.upper()\n"
const after = 'def shout(word):\n    if word is "":\n        return "!"\n    return word.upper()\n'
const fixed = after.replace("word is", "word ==")
const passing = "grep -q upper word.py\n"

const identify = (home: string) =>
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n")

const world = (check = passing) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  identify(home)
  repository.commit("Begin", { "word.py": before, "check.sh": check, ".gitignore": "build/\n" })
  repository.branch("topic").commit("Shout of nothing", { "word.py": after })
  const call = (...args: ReadonlyArray<string>) =>
    run([dd, "review", "--shallow", "--test-command", "sh check.sh", ...args], {
      cwd: repository.root,
      env: { PATH: systemPath, HOME: home }
    })
  const report = async (...args: ReadonlyArray<string>) => {
    const ended = await call("--yes", "--format", "json", ...args)
    return { ...ended, result: JSON.parse(ended.stdout) }
  }
  return {
    repository,
    home,
    call,
    report,
    archived: async (columns: string) => {
      const sql = `select ${columns} from runs order by archived_at`
      const { stdout } = await run([dd, "archive", "query", sql, "--format", "json"], {
        cwd: repository.root,
        env: { PATH: systemPath, HOME: home }
      })
      return JSON.parse(stdout).rows
    },
    read: (path: string) => readFileSync(repository.path(path), "utf8"),
    subjects: () => repository.git("log", "--format=%s", "main..topic").split("\n"),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

describe("dd review --shallow --fix", () => {
  test("fixes and tests once, and leaves a patch without --yes", async () => {
    using at = world()
    const { status, stdout } = await at.call("--fix")
    expect(stdout).toContain("Fixes (1 of 1 finding)")
    expect(stdout).toContain(".daydream/recommended.patch")
    expect([status, at.read("word.py")]).toEqual([0, after])
  })

  test("commits with --commit-fixes", async () => {
    using at = world()
    const { result, status } = await at.report("--fix", "--commit-fixes")
    expect([status, result.fix.commit]).toEqual([0, at.repository.git("rev-parse", "HEAD")])
    expect([at.read("word.py"), result.passes]).toEqual([fixed, []])
  })
})

describe("dd review --shallow --loop", () => {
  test("commits the fixes of a pass, and ends with the pass that finds nothing", async () => {
    using at = world()
    at.repository.write("build/own.txt", "mine\n")
    const { result, status } = await at.report("--loop", "3")
    expect(status).toBe(0)
    expect(result.findings).toEqual([])
    expect(result.passes).toMatchObject([
      { findings: 1, fixed: 1, commit: at.repository.git("rev-parse", "HEAD") },
      { findings: 0, fixed: 0, commit: null }
    ])
    expect(result.notes.join(" ")).toContain("Pass 1 of 3 fixed 1 of 1 finding and committed as ")
    expect(at.subjects()).toHaveLength(2)
    expect(at.repository.git("log", "-1", "--format=%B")).toContain(
      `Daydream-Run: ${result.passes[0].session_id}\nDaydream-Version: `
    )
    expect(at.repository.git("log", "-1", "--format=%B")).toEndWith("Iteration: 1")
    expect([at.read("word.py"), at.read("build/own.txt")]).toEqual([fixed, "mine\n"])
    expect(at.repository.git("status", "--porcelain")).toBe("")
    expect(await at.archived("session_id, loop")).toEqual(
      result.passes.map(({ session_id }: { session_id: string }) => ({ session_id, loop: 1 }))
    )
  })

  test("without a number is 5 passes, and leaves the next word to the target", async () => {
    using at = world()
    const { result } = await at.report("--loop", at.repository.root)
    expect(result.notes.join(" ")).toContain("Pass 1 of 5 ")
  })

  test("keeps the base of its first pass, also one that is relative to HEAD", async () => {
    using at = world()
    const { result, status } = await at.report("--loop", "--base", "HEAD~1")
    expect([status, result.passes.length]).toEqual([0, 2])
    expect(result.run.base).toBe(at.repository.git("rev-parse", "main"))
    expect(result.run.description).toContain("HEAD~1")
  })

  test("exits with 1 where its last pass had findings", async () => {
    using at = world()
    const { result, status } = await at.report("--loop", "1")
    expect([status, at.read("word.py")]).toEqual([1, fixed])
    expect(result.notes.at(-1)).toBe("The loop ended at pass 1 of 1, and its fixes were not reviewed again.")
    const again = await at.report("--loop", "1")
    expect([again.status, again.result.findings, at.subjects().length]).toEqual([0, [], 2])
  })

  test("ends with 1 where nothing can be fixed", async () => {
    using at = world()
    at.repository.commit("Conflict", { "word.py": `${before}<<<<<<< a\nx = 1\n=======\nx = 2\n>>>>>>> b\n` })
    const { result, status } = await at.report("--loop", "--fail-on", "none")
    expect(result.findings.length).toBeGreaterThan(0)
    expect([status, result.passes.length, result.fix.detail]).toEqual([1, 1, "no finding has a fix"])
  })

  test("throws away the fixes of a pass after which the tests are worse", async () => {
    using at = world("if grep -q == word.py; then echo AssertionError; exit 1; fi\n")
    const { result, status } = await at.report("--loop")
    expect([status, result.fix.patch, result.fix.tests.comparison]).toEqual([1, "recommended", "worse"])
    expect([at.read("word.py"), at.repository.git("status", "--porcelain")]).toEqual([after, ""])
    expect(at.subjects()).toHaveLength(1)
  })

  test("takes back fixes that git does not commit", async () => {
    using at = world()
    writeFileSync(join(at.home, ".gitconfig"), "[user]\n\tuseConfigOnly = true\n")
    const { result, status } = await at.report("--loop")
    expect([status, result.fix.patch, result.fix.commit]).toEqual([1, "recommended", null])
    expect(result.fix.detail).toStartWith("taken back: ")
    expect([at.read("word.py"), at.repository.git("status", "--porcelain")]).toEqual([after, ""])
  })

  test("interrupted while it commits, ends with the commit and a clean tree", async () => {
    using at = world()
    const [bin, pid] = [join(at.home, "bin"), join(at.home, "pid")]
    mkdirSync(bin)
    const real = Bun.which("git", { PATH: systemPath })
    const script = `case " $* " in *" --only "*) kill -INT $(cat ${pid}); sleep 1;; esac\nexec ${real} "$@"\n`
    writeFileSync(join(bin, "git"), `#!/bin/sh\n${script}`, { mode: 0o755 })
    const child = Bun.spawn([dd, "review", "--shallow", "--loop", "--yes", "--test-command", "true"], {
      cwd: at.repository.root,
      env: { PATH: `${bin}:${systemPath}`, HOME: at.home },
      stdout: "ignore",
      stderr: "ignore"
    })
    writeFileSync(pid, String(child.pid))
    expect(await child.exited).toBe(130)
    expect([at.subjects().length, at.read("word.py")]).toEqual([2, fixed])
    expect(at.repository.git("status", "--porcelain")).toBe("")
  })

  const refusals: ReadonlyArray<readonly [string, (repository: TestRepository) => unknown, string]> = [
    ["uncommitted edits", (at) => at.write("word.py", `${after}# mine\n`), "ignore word.py"],
    ["untracked files", (at) => at.write("notes.txt", "mine\n"), "ignore notes.txt"],
    ["staged edits", (at) => at.write("word.py", `${after}#\n`).git("add", "word.py"), "ignore word.py"],
    ["the base branch", (at) => at.checkout("main"), "main, which is its own base"],
    ["a detached HEAD", (at) => at.git("checkout", "--quiet", "--detach"), "HEAD is detached"]
  ]
  for (const [name, prepare, words] of refusals) {
    test(`refuses ${name}, and changes nothing`, async () => {
      using at = world()
      prepare(at.repository)
      const hash = folderHash(at.repository.root, [".daydream"])
      const { result, status } = await at.report("--loop")
      expect(result.degraded.map(({ detail }: { detail: string }) => detail).join()).toContain(words)
      expect([status, result.status, result.coverage.files_reviewed]).toEqual([1, "partial", 0])
      expect(folderHash(at.repository.root, [".daydream"])).toBe(hash)
    })
  }

  test("writes a context line for each pass, and the findings of the last, as jsonl", async () => {
    using at = world()
    const { stdout } = await at.call("--loop", "--yes", "--format", "jsonl")
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    const contexts = lines.filter(({ type }) => type === "context")
    expect(contexts.map(({ pass }) => pass)).toEqual([1, 2])
    expect(lines.filter(({ type }) => type === "finding" || type === "complete")).toMatchObject([
      { type: "complete", counts: { findings: 0 }, exit: { code: 0 } }
    ])
  })

  for (const [given, words] of [
    [["--loop", "--yes"], "--loop requires --shallow"],
    [["--shallow", "--loop", "0", "--yes"], "a number from 1 on, not 0"],
    [["--shallow", "--loop"], "add --yes"],
    [["--shallow", "--loop", "--yes", "--staged"], "--loop and --staged cannot be used together"],
    [["--shallow", "--loop", "--yes", "--commit", "HEAD"], "--loop and --commit cannot be used together"],
    [["--shallow", "--loop", "--yes", "--review"], "--shallow and --review cannot be used together"],
    [["--shallow", "--loop", "--yes", "--start-at", "fix"], "--start-at works with the deep flow"]
  ] as const) {
    test(`refuses ${given.join(" ")}`, async () => {
      using at = world()
      const { status, stderr } = await run([dd, "review", ...given], {
        cwd: at.repository.root,
        env: { PATH: systemPath, HOME: at.home }
      })
      expect(status).toBe(2)
      expect(stderr).toContain(words)
    })
  }
})

describe("dd review --shallow --loop with a model", () => {
  const lines = (of: (n: number) => string) => [1, 2, 3].map((n) => `def f${n}():\n    return ${of(n)}\n`).join("\n\n")
  const wrong = lines((n) => `wrong${n}`)
  const right = lines(String)

  /** Finds the first wrong line alone, and fixes it. `hold`: where it does not answer. */
  const onePerPass =
    (hold: (asked: number) => boolean = () => false): Script =>
    (asked, nth) => {
      const submit = submitOf(asked)
      const number = [1, 2, 3].find((n) => asked.told.includes(`return wrong${n}`))
      if (submit === "submit_review") {
        if (number !== undefined && hold(number)) return { trouble: { holdAfter: 1 } }
        const quote = `    return wrong${number}`
        const issue = {
          title: "The value is wrong",
          description: "It must be a number.",
          file: "numbers.py",
          line: wrong.split("\n").indexOf(quote) + 1,
          endLine: null,
          severity: "medium",
          confidence: "HIGH",
          quote,
          rationale: "The name is not defined.",
          evidence: "numbers.py",
          suggestion: null
        }
        return handing({
          submit_review: {
            review: "Read.",
            issues: number === undefined ? [] : [issue],
            coverage: [{ path: "numbers.py", status: "reviewed", reason: "" }]
          }
        })(asked, nth)
      }
      if (submit === "submit_verification") {
        const verdict = asked.told.includes("The fix:") ? "contradicts" : "consistent"
        const verdicts = [{ issue_id: 1, evidence: "numbers.py", unverified_assumptions: [], verdict }]
        return handing({ submit_verification: { verdicts } })(asked, nth)
      }
      if (submit !== "submit_outcomes") return handing({})(asked, nth)
      if (asked.turns > 0) {
        const outcomes = [{ issue_id: 1, note: "A number.", status: "fixed" }]
        return handing({ submit_outcomes: { outcomes } })(asked, nth)
      }
      return { calls: [{ name: "edit_file", input: { path: "numbers.py", old: `wrong${number}`, new: `${number}` } }] }
    }
  const fill = (repository: TestRepository) => {
    repository.commit("Begin", { "numbers.py": "" })
    repository.branch("topic").commit("Add numbers", { "numbers.py": wrong })
  }
  const args = ["--shallow", "--loop", "--yes", "--backend", "anthropic", "--model", "m", "--test-command", "true"]

  test("fixes in each pass what it finds, until it finds nothing", async () => {
    await using at = await modelReviews(fill, onePerPass())
    identify(at.home)
    const { result, status } = await at.report(args)
    expect(result.passes.map(({ findings, fixed }: Record<string, number>) => [findings, fixed])).toEqual([
      [1, 1],
      [1, 1],
      [1, 1],
      [0, 0]
    ])
    expect(readFileSync(at.repository.path("numbers.py"), "utf8")).toBe(right)
    expect([status, at.repository.git("rev-list", "--count", "main..topic")]).toEqual([0, "4"])
  })

  test("exits with 1 after the last pass, and another run continues", async () => {
    await using at = await modelReviews(fill, onePerPass())
    identify(at.home)
    const first = await at.report([...args.filter((arg) => arg !== "--loop"), "--loop", "2"])
    expect([first.status, first.result.passes.length]).toEqual([1, 2])
    const second = await at.report(args)
    expect([second.status, second.result.passes.length]).toEqual([0, 2])
    expect(readFileSync(at.repository.path("numbers.py"), "utf8")).toBe(right)
  })

  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGKILL", 137]
  ] as const) {
    test(`ended by ${signal} in its second pass, keeps the commit of the first and a clean tree`, async () => {
      let holds = true
      await using at = await modelReviews(
        fill,
        onePerPass((number) => holds && number === 2)
      )
      identify(at.home)
      const child = Bun.spawn([dd, "review", ...args], {
        cwd: at.repository.root,
        env: at.env,
        stdout: "ignore",
        stderr: "pipe"
      })
      while (at.asked.filter((asked) => submitOf(asked) === "submit_review").length < 2) await Bun.sleep(20)
      child.kill(signal)
      expect(await child.exited).toBe(code)
      expect(await new Response(child.stderr).text()).toMatch(
        /^Pass 1 of 5 fixed 1 of 1 finding and committed as [0-9a-f]{12}, (?:without tests|tests passed)\.$/m
      )
      expect(at.repository.git("rev-list", "--count", "main..topic")).toBe("2")
      expect(at.repository.git("status", "--porcelain")).toBe("")
      holds = false
      const { result, status } = await at.report(args)
      expect([status, result.passes.length]).toEqual([0, 3])
      expect(readFileSync(at.repository.path("numbers.py"), "utf8")).toBe(right)
    })
  }

  test("has one limit of the cost for all passes together", async () => {
    const usage = { prompt: 100_000, cached: 0, completion: 0, reasoning: 0 }
    await using at = await modelReviews(fill, (asked, nth) => ({ ...onePerPass()(asked, nth), usage }))
    identify(at.home)
    writeFileSync(join(at.home, ".daydream/prices.toml"), '[prices."m"]\ninput = 1.0\noutput = 1.0\n')
    const { result: free } = await at.report([...args, "--max-cost", "10"])
    expect(free.passes).toHaveLength(4)
    const usd = free.passes[0].usd
    at.repository.git("reset", "--hard", "--quiet", "HEAD~3")
    const { result, status } = await at.report([...args, "--max-cost", (usd + 0.001).toFixed(3)])
    expect(result.passes).toMatchObject([
      { fixed: 1, usd },
      { fixed: 0, usd: 0 }
    ])
    expect([status, result.status]).toEqual([4, "inconclusive"])
  })

  test("reviews every stack with the skill of --skill, and archives its name", async () => {
    await using at = await modelReviews(fill, onePerPass())
    mkdirSync(join(at.home, ".daydream/skills/locks"), { recursive: true })
    writeFileSync(join(at.home, ".daydream/skills/locks/SKILL.md"), "Only look at locks.\n")
    const { result } = await at.report(["--shallow", "--backend", "anthropic", "--model", "m", "-s", "locks"])
    expect(at.asked.find((asked) => submitOf(asked) === "submit_review")?.told).toContain("Only look at locks.")
    expect(result.notes).toContain("Every stack is reviewed with the skill locks.")
    expect(at.kept("manifest.json").run).toMatchObject({ skill: "locks", loop: false })
    const { status, stderr } = await at.review(["--skill", "lokcs"])
    expect([status, stderr]).toEqual([2, expect.stringContaining('unknown skill "lokcs" (did you mean "locks"?)')])
    const { result: without } = await at.report(["--skill", "go"])
    expect(without.notes.join(" ")).toContain("--skill had no effect: no model is used")
    const { stdout } = await at.call(["completions", "bash", "--", "dd", "review", "--skill", "lo"])
    expect(stdout.trim()).toBe("locks")
  })
})
