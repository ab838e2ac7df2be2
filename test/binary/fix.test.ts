/** `dd review --fix` in real repositories, by the compiled binary: what changes, and what does not. */
import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { folderHash } from "../support/folderHash.ts"
import { run } from "../support/inProcess.ts"
import { modelReviews } from "../support/modelReviews.ts"
import { handing, type Script, submitOf } from "../support/modelServer.ts"
import { isRunning, scratch, systemPath } from "../support/process.ts"
import { initRepository, type TestRepository } from "../support/repository.ts"

const before = "def shout(word):\n    return word.upper()\n"
const after = 'def shout(word):\n    if word is "":\n        return "!"\n    return word.upper()\n'
const fixed = after.replace("word is", "word ==")
const passing = "grep -q upper word.py\n"

const world = (files: Readonly<Record<string, string>> = { "check.sh": passing }) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n")
  repository.commit("Begin", { "word.py": before, ...files })
  repository.commit("Shout of nothing", { "word.py": after })
  const env = { PATH: systemPath, HOME: home }
  const call = (...args: ReadonlyArray<string>) =>
    run(
      [dd, "review", "--fix", ...(args.includes("--test-command") ? [] : ["--test-command", "sh check.sh"]), ...args],
      {
        cwd: repository.root,
        env
      }
    )
  const report = async (...args: ReadonlyArray<string>) => {
    const ended = await call("--format", "json", ...args)
    return { ...ended, result: JSON.parse(ended.stdout) }
  }
  const read = (path: string) => readFileSync(repository.path(path), "utf8")
  const works = join(home, ".daydream/work")
  return {
    repository,
    home,
    env,
    call,
    report,
    read,
    leftTrees: () => (existsSync(works) ? readdirSync(works) : []),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

const statusesOf = (result: { fix: { outcomes: ReadonlyArray<{ status: string }> } }) =>
  result.fix.outcomes.map(({ status }) => status)

describe("dd review --fix", () => {
  test("without a terminal leaves the fixes in a patch, and the repository as it was", async () => {
    using at = world()
    const hash = folderHash(at.repository.root, [".daydream"])
    const { result, status } = await at.report()
    expect(status).toBe(0)
    expect(result.findings.map(({ rule, verdict }: { rule: string; verdict: string }) => [rule, verdict])).toEqual([
      ["py/is-literal", "consistent"]
    ])
    expect(statusesOf(result)).toEqual(["resolved"])
    expect(result.fix).toMatchObject({ patch: "recommended", files: ["word.py"], commit: null })
    expect(result.fix.tests).toMatchObject({ before: "passed", after: "passed", comparison: "green" })
    expect(folderHash(at.repository.root, [".daydream"])).toBe(hash)
    expect(at.leftTrees()).toEqual([])
    at.repository.git("apply", ".daydream/recommended.patch")
    expect(at.read("word.py")).toBe(fixed)
    expect(JSON.parse(at.read(".daydream/deep/recommendation-verdicts.json")).verdicts).toHaveLength(1)
  })

  test("with --yes applies them beside uncommitted edits, and a fixed finding no longer fails the build", async () => {
    using at = world()
    at.repository.write("word.py", `${after}\n\ndef whisper(word):\n    return word.lower()\n`)
    at.repository.write("notes.txt", "mine\n").write("check.sh", passing).git("add", "notes.txt")
    const { status, stdout } = await at.call("--yes", "--fail-on", "low", "--base", "HEAD~1")
    expect(at.read("word.py")).toBe(`${fixed}\n\ndef whisper(word):\n    return word.lower()\n`)
    expect(at.repository.git("status", "--porcelain")).toBe("A  notes.txt\n M word.py")
    expect(stdout).toContain("1 is fixed in the working tree.")
    expect(stdout).toContain("Applied to 1 file: word.py")
    expect(status).toBe(0)
  })

  test("with --commit-fixes commits its own files alone, with the trailers of the run", async () => {
    using at = world()
    at.repository.write("notes.txt", "mine\n").git("add", "notes.txt")
    const { result } = await at.report("--yes", "--commit-fixes", "--commit", "HEAD")
    expect(result.fix.commit).toBe(at.repository.git("rev-parse", "HEAD"))
    expect(at.repository.git("show", "--format=", "--name-only", "HEAD")).toBe("word.py")
    expect(at.repository.git("status", "--porcelain")).toBe("A  notes.txt")
    expect(at.repository.git("log", "-1", "--format=%B")).toMatch(
      new RegExp(`^fix: .+\\n\\n- word\\.py:2 .+\\n\\nDaydream-Run: ${result.run.session_id}\\nDaydream-Version: \\S+$`)
    )
  })

  test("says that its commit is unsigned where the configuration asks for signatures", async () => {
    using at = world()
    at.repository.git("config", "commit.gpgSign", "true")
    const { result, status } = await at.report("--yes", "--commit-fixes", "--commit", "HEAD")
    expect([status, result.fix.detail]).toEqual([0, "unsigned, although commit.gpgSign is set"])
    expect(at.repository.git("log", "-1", "--format=%G?")).toBe("N")
  })

  test("does not apply fixes after which the tests are worse, and hands over what is known", async () => {
    const demanding = "if grep -q == word.py; then echo AssertionError; exit 1; fi\n"
    using at = world({ "check.sh": demanding })
    const { result, status } = await at.report("--yes")
    expect(status).toBe(1)
    expect(result.fix).toMatchObject({ patch: "recommended" })
    expect(result.fix.tests).toMatchObject({ before: "passed", after: "failed", comparison: "worse" })
    expect(at.read("word.py")).toBe(after)
    expect(at.read(".daydream/handoff.md")).toContain("AssertionError")
  })

  test("says that the tests were red before the fixes", async () => {
    using at = world({ "check.sh": "exit 1\n" })
    const { result } = await at.report()
    expect(result.fix.tests).toMatchObject({ before: "failed", after: "failed" })
    expect(result.fix.tests.comparison).not.toBe("green")
  })

  test("fixes no suppressed finding, none of the baseline, and no file that is off limits", async () => {
    using at = world()
    const suppressed = after.replace("    if word", "    # dd-ignore-next-line py/is-literal: on purpose\n    if word")
    at.repository.commit("Suppress it", { "word.py": suppressed, "vendor/word.py": after })
    const { result } = await at.report("--yes", "--base", "HEAD~2")
    expect(at.read("word.py")).toBe(suppressed)
    expect(at.read("vendor/word.py")).toBe(after)
    expect((result.fix?.outcomes ?? []).filter(({ status }: { status: string }) => status === "resolved")).toEqual([])
  })

  test("applies fixes where the working tree has other line ends than the repository", async () => {
    using at = world()
    at.repository.git("config", "core.autocrlf", "true")
    at.repository.remove("word.py").git("checkout", "--", "word.py")
    expect(at.read("word.py")).toContain("\r\n")
    const { result } = await at.report("--yes", "--commit", "HEAD", "--test-command", "true")
    expect(result.fix.patch).toBe("applied")
    expect(at.read("word.py")).toBe(fixed.replaceAll("\n", "\r\n"))
  })

  test("fixes many findings of one file, and takes none of them for the effect of another", async () => {
    using at = world()
    const many = (operator: string) =>
      Array.from({ length: 21 }, (_, at) => `def f${at}(x):\n    return x ${operator} ${at}\n`).join("\n\n")
    at.repository.commit("Many", { "many.py": many("is") })
    const { result } = await at.report("--yes", "--commit", "HEAD")
    expect(new Set(statusesOf(result))).toEqual(new Set(["resolved"]))
    const two = "def f(x, y):\n    assert (x is 1, y)\n    return x is 3\n"
    at.repository.commit("Two on one line", { "two.py": two })
    const { result: second } = await at.report("--yes", "--commit", "HEAD")
    expect(statusesOf(second).filter((status) => status === "resolved").length).toBeGreaterThanOrEqual(2)
    expect(statusesOf(second)).not.toContain("regressed")
  })

  test("commits no file that the user has not committed", async () => {
    using at = world()
    at.repository.write("mine.py", 'def mine(x):\n    return x is "a"\n')
    const { result, status } = await at.report("--yes", "--commit-fixes", "--base", "HEAD~1")
    expect(result.fix).toMatchObject({ patch: "applied", commit: null })
    expect(result.fix.detail).toContain("mine.py")
    expect(status).toBe(1)
    expect(at.repository.git("log", "-1", "--format=%s")).toBe("Shout of nothing")
  })

  test("applies nothing where the tests could not do their work", async () => {
    using at = world()
    const { result, status } = await at.report("--yes", "--test-command", "no-such-program-here")
    expect([status, result.fix.patch]).toEqual([1, "recommended"])
    expect(result.fix.detail).toContain("no-such-program-here")
    expect(at.read("word.py")).toBe(after)
  })

  test("applies and commits nothing on a branch that was checked out in the meantime", async () => {
    using at = world()
    at.repository.git("branch", "other")
    const switching = `git -C '${at.repository.root}' checkout -q other`
    const args = ["--commit", "HEAD", "--yes", "--commit-fixes", "--format", "json", "--test-command", switching]
    const env = { ...at.env, DD_TEST_SANDBOX: "off" }
    const { status, stdout } = await run([dd, "review", "--fix", ...args], { cwd: at.repository.root, env })
    expect([status, JSON.parse(stdout).fix]).toMatchObject([
      1,
      { patch: "refused", commit: null, detail: expect.stringContaining("other is checked out, and main was when") }
    ])
    expect([at.repository.git("rev-parse", "other"), at.repository.git("status", "--porcelain")]).toEqual([
      at.repository.git("rev-parse", "main"),
      ""
    ])
  })

  test("says why the tests tell nothing: the limit of their time", async () => {
    using at = world()
    const env = { ...at.env, DD_TEST_TIMEOUT: "1" }
    const args = ["--commit", "HEAD", "--yes", "--test-command", "sleep 60"]
    const { status, stdout } = await run([dd, "review", "--fix", ...args], { cwd: at.repository.root, env })
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "is not known: the tests did not end within 1 seconds; test_timeout sets the limit"
    )
    expect([status, at.read("word.py")]).toEqual([1, after])
  })

  test("reports the review where tests destroy their directory, whose git is not dd's", async () => {
    using at = world()
    const hash = folderHash(at.repository.root, [".daydream"])
    // Where no sandbox is installed, git would follow the link of the first run in the second.
    const hostile = `test -L .git && exit; git config filter.x.clean 'touch ${at.home}/proof; cat'; echo '* filter=x' > .git/info/attributes; rm -rf .git; ln -s ${at.repository.root}/.git .git`
    const { result } = await at.report("--test-command", hostile)
    expect(result.findings).toHaveLength(1)
    expect(folderHash(at.repository.root, [".daydream"])).toBe(hash)
    expect(existsSync(join(at.home, "proof"))).toBe(false)
  })

  for (const [when, command] of [
    ["before the fixes", "sleep 600"],
    ["after the fixes", "grep -q '==' word.py && sleep 600; true"]
  ] as const) {
    test(`killed while the tests run ${when}, leaves the repository as it was and no tree behind the next run`, async () => {
      using at = world()
      const hash = folderHash(at.repository.root, [".daydream"])
      const pids = join(at.home, "pids")
      const traced = `echo $$ >> '${pids}'; ${command}`
      const child = Bun.spawn([dd, "review", "--fix", "--yes", "--test-command", traced], {
        cwd: at.repository.root,
        env: { ...at.env, DD_TEST_SANDBOX: "off" },
        stdout: "ignore",
        stderr: "ignore"
      })
      while (!existsSync(pids)) await Bun.sleep(20)
      child.kill("SIGKILL")
      await child.exited
      const running = () =>
        readFileSync(pids, "utf8")
          .trim()
          .split("\n")
          .some((pid) => isRunning(Number(pid)))
      while (running()) await Bun.sleep(50)
      expect(folderHash(at.repository.root, [".daydream"])).toBe(hash)
      expect(at.repository.git("worktree", "list").split("\n")).toHaveLength(1)
      await at.call()
      expect(at.leftTrees()).toEqual([])
    })
  }
})

describe("dd review --fix with a model", () => {
  const cart = "def total(items, tax):\n    rate = tax / 100\n    return sum(items) * rate\n"
  const right = cart.replace("* rate", "* (1 + rate)")
  const issue = {
    title: "The total is the tax alone",
    description: "The sum is multiplied by the rate instead of having it added.",
    file: "cart.py",
    line: 3,
    endLine: null,
    severity: "medium",
    confidence: "HIGH",
    quote: "    return sum(items) * rate",
    rationale: "With a tax of 20 a sum of 100 becomes 20.",
    evidence: "cart.py:3",
    suggestion: null
  }
  const review = {
    submit_review: {
      review: "The arithmetic is wrong.",
      issues: [issue],
      coverage: [{ path: "cart.py", status: "reviewed", reason: "" }]
    }
  }
  const verdict = (word: string) => ({
    submit_verification: {
      verdicts: [{ issue_id: 1, evidence: "cart.py:3 multiplies", unverified_assumptions: [], verdict: word }]
    }
  })
  /** Edits in its first turn, and says so in the second. */
  const fixer =
    (word: string, path = "cart.py"): Script =>
    (asked) => {
      const isAfterFix = asked.told.includes("The fix:")
      if (submitOf(asked) !== "submit_outcomes") {
        return handing({ ...review, ...verdict(isAfterFix ? "contradicts" : word) })(asked, 0)
      }
      if (asked.turns > 0) {
        return {
          calls: [
            {
              name: "submit_outcomes",
              input: { outcomes: [{ issue_id: 1, note: "The tax is added.", status: "fixed" }] }
            }
          ]
        }
      }
      return { calls: [{ name: "edit_file", input: { path, old: "* rate", new: "* (1 + rate)" } }] }
    }
  const modelWorld = (script: Script, files: Readonly<Record<string, string>> = {}) =>
    modelReviews((repository: TestRepository) => {
      repository.commit("Begin", { "cart.py": "def total(items):\n    return sum(items)\n", "other.py": "x = 1\n" })
      repository.commit("Add a tax", { "cart.py": cart, ...files })
    }, script)
  const args = ["--fix", "--yes", "--backend", "anthropic", "--model", "m", "--commit", "HEAD"]

  /** A first fix that fails the tests, and a second one that repairs it. */
  const healer: Script = (asked, nth) => {
    if (submitOf(asked) !== "submit_outcomes" || asked.turns > 0) return fixer("consistent")(asked, nth)
    const isAgain = asked.told.includes("What went wrong before")
    const edit = isAgain ? { old: " / 0", new: "" } : { old: "* rate", new: "* (1 + rate) / 0" }
    return { calls: [{ name: "edit_file", input: { path: "cart.py", ...edit } }] }
  }
  const command = "! grep -q '/ 0' cart.py"

  test("verifies the finding, lets the model edit a copy of its file, and applies the result", async () => {
    await using at = await modelWorld(fixer("consistent"))
    const { result } = await at.report(args)
    expect(result.findings.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["consistent"])
    expect(statusesOf(result)).toEqual(["resolved"])
    expect(readFileSync(at.repository.path("cart.py"), "utf8")).toBe(right)
  })

  test("does not let a finding be fixed that the verdict contradicts", async () => {
    await using at = await modelWorld(fixer("contradicts"))
    const { result } = await at.report(args)
    expect(at.asked.map(submitOf)).not.toContain("submit_outcomes")
    expect(readFileSync(at.repository.path("cart.py"), "utf8")).toBe(cart)
    expect(result.findings).toEqual([])
    expect(result.dropped.map(({ reason }: { reason: string }) => reason)).toEqual([
      "the code contradicts it: cart.py:3 multiplies"
    ])
  })

  test("neither applies nor commits an edit after which the finding still holds", async () => {
    await using at = await modelWorld((asked, nth) =>
      submitOf(asked) === "submit_outcomes"
        ? fixer("consistent")(asked, nth)
        : handing({ ...review, ...verdict("consistent") })(asked, nth)
    )
    const head = at.repository.git("rev-parse", "HEAD")
    const { result } = await at.report([...args, "--commit-fixes"])
    expect(statusesOf(result)).toEqual(["unresolved"])
    expect(result.fix).toMatchObject({ patch: "none", files: [], commit: null })
    expect([at.repository.git("rev-parse", "HEAD"), at.repository.git("status", "--porcelain")]).toEqual([head, ""])
  })

  test("lets the model repeat its fix once where the tests became worse", async () => {
    await using at = await modelWorld(healer)
    const { result, status } = await at.report([...args, "--test-command", command])
    expect(result.fix.tests).toMatchObject({ before: "passed", after: "passed", heals: 1 })
    expect(readFileSync(at.repository.path("cart.py"), "utf8")).toBe(right)
    expect(status).toBe(0)
  })

  test("keeps what a rule has fixed where the model repeats its fix of another file", async () => {
    await using at = await modelWorld(healer, { "word.py": 'def f(x):\n    return x is "a"\n' })
    const { result } = await at.report([...args, "--test-command", command])
    expect(result.fix.tests).toMatchObject({ after: "passed", heals: 1 })
    expect(result.fix).toMatchObject({ files: ["cart.py", "word.py"], patch: "applied" })
    expect(statusesOf(result)).toEqual(["resolved", "resolved"])
    expect(readFileSync(at.repository.path("cart.py"), "utf8")).toBe(right)
    expect(readFileSync(at.repository.path("word.py"), "utf8")).toBe('def f(x):\n    return x == "a"\n')
  })

  test("reports the tests that ran where their directory then cannot be used", async () => {
    await using at = await modelWorld(healer)
    const hostile = "grep -q '/ 0' cart.py || exit 0; rm cart.py; ln -s word.py cart.py; exit 1"
    const { result, status } = await at.report([...args, "--test-command", hostile])
    expect(result.fix.tests).toMatchObject({ before: "passed", after: "failed", comparison: "worse" })
    expect(result.degraded.map(({ step }: { step: string }) => step)).toContain("test")
    expect([status, readFileSync(at.repository.path("cart.py"), "utf8")]).toEqual([1, cart])
  })

  test("takes nothing of a file that is not the finding's", async () => {
    await using at = await modelWorld(fixer("consistent", "other.py"))
    const { result } = await at.report(args)
    expect(statusesOf(result)).toEqual(["unresolved"])
    expect(at.repository.git("status", "--porcelain")).toBe("")
  })

  test("warns where a fix makes its file more complex than the finding explains, and applies it", async () => {
    const edit = {
      path: "cart.py",
      old: "* rate",
      new: "* (1 + (1 if tax > 9 else (2 if tax > 8 else (3 if rate else 4))))"
    }
    await using at = await modelWorld((asked, nth) =>
      submitOf(asked) === "submit_outcomes" && asked.turns === 0
        ? { calls: [{ name: "edit_file", input: edit }] }
        : fixer("consistent")(asked, nth)
    )
    const { result } = await at.report(args)
    expect(result.fix).toMatchObject({
      patch: "applied",
      quality: [{ path: "cart.py", measure: "complexity", before: 0, after: 6, fixed: 1 }]
    })
  })

  test("keeps the finding open where the model fails, and exits with 1", async () => {
    await using at = await modelWorld((asked, nth) =>
      submitOf(asked) === "submit_outcomes" ? { trouble: { status: 400 } } : fixer("consistent")(asked, nth)
    )
    const { result, status } = await at.report(args)
    expect(status).toBe(1)
    expect(statusesOf(result)).toEqual(["failed"])
    expect(
      Object.keys(JSON.parse(readFileSync(at.repository.path(".daydream/deep/fix-failures.json"), "utf8")))
    ).toEqual(["cart.py"])
  })
})
