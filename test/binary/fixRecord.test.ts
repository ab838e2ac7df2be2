/** What is left of `dd review --fix` when it has ended: its record, its bundle, and what a later run continues. */
import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { modelReviews } from "../support/modelReviews.ts"
import { handing, type Script, submitOf } from "../support/modelServer.ts"
import { isRunning, scratch, systemPath } from "../support/process.ts"
import { initRepository, type TestRepository } from "../support/repository.ts"

interface Step {
  readonly message: string
  readonly observation?: { readonly results: ReadonlyArray<{ readonly content: string }> }
  readonly extra: {
    readonly daydream_phase?: string
    readonly daydream_step?: string
    readonly daydream_tests?: {
      readonly command: string
      readonly outcome: string
      readonly duration_ms: number | null
    }
  }
}

const before = "def shout(word):\n    return word.upper()\n"
const after = 'def shout(word):\n    if word is "":\n        return "!"\n    return word.upper()\n'
const passing = "grep -q upper word.py\n"

const world = (files: Readonly<Record<string, string>> = { "check.sh": passing }, changed = after) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(home)
  repository.commit("Begin", { "word.py": before, ...files })
  repository.commit("Shout of nothing", { "word.py": changed })
  const env: Record<string, string> = { PATH: systemPath, HOME: home }
  const call = (args: ReadonlyArray<string>, over: Readonly<Record<string, string>> = {}) =>
    run([dd, ...args], { cwd: repository.root, env: { ...env, ...over } })
  const fixes = (args: ReadonlyArray<string> = [], over: Readonly<Record<string, string>> = {}) =>
    call(["review", "--fix", "--format", "json", ...args], { DD_TEST_COMMAND: "sh check.sh", ...over })
  const runs = join(home, ".daydream/archive/runs")
  /** The only archived run, or the one that is not `but`. */
  const bundle = (but = "") => join(runs, readdirSync(runs).find((name) => name !== but) ?? "")
  const text = (name: string, but?: string) => readFileSync(join(bundle(but), name), "utf8")
  return {
    repository,
    home,
    env,
    call,
    fixes,
    bundle,
    text,
    json: (name: string, but?: string) => JSON.parse(text(name, but)),
    read: (path: string) => readFileSync(repository.path(path), "utf8"),
    sessions: () => readdirSync(runs),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

const testsIn = (steps: ReadonlyArray<Step>) =>
  steps.flatMap(({ extra, message }) => (extra.daydream_tests === undefined ? [] : [[message, extra.daydream_step]]))

describe("the archive of a run that fixed", () => {
  test("has the patch, the verdicts, the outcomes and who did it, and shows them", async () => {
    using at = world()
    expect((await at.fixes()).status).toBe(0)
    expect(at.text("recommended.patch")).toBe(at.read(".daydream/recommended.patch"))
    const findings = at.json("findings.json")
    expect(findings.findings).toMatchObject([{ rule: "py/is-literal", verdict: "consistent" }])
    expect(findings.fix).toMatchObject({
      outcomes: [{ id: 1, path: "word.py", status: "resolved" }],
      patch: "recommended",
      tests: { command: "sh check.sh", before: "passed", after: "passed", comparison: "green" }
    })
    expect(at.json("manifest.json")).toMatchObject({
      status: "complete",
      recommended_patch_supported: true,
      run: { fix_backend: "static", test_backend: "host" },
      fix_failures: {},
      pr: { number: null, repo: null }
    })
    expect(at.json("evaluation.json").derived.reward.correctness_per_finding).toEqual([1])
    const [session = ""] = at.sessions()
    const { stdout } = await at.call(["archive", "show", session])
    expect(stdout).toContain("     verified: consistent\n")
    expect(stdout).toContain("Fixes (1 of 1 finding):\n  1 word.py: fixed\n  Tests: sh check.sh: passed after")
    expect(stdout).toContain("In recommended.patch, not applied (nobody was asked; --yes applies them)")
  })

  test("has no fixes and no fixer if the run only reviewed", async () => {
    using at = world()
    await at.call(["review"])
    expect(existsSync(join(at.bundle(), "recommended.patch"))).toBe(false)
    expect(at.json("manifest.json").run).toMatchObject({ fix_backend: null, test_backend: null })
    expect(at.json("findings.json")).toMatchObject({ fix: null, findings: [{ verdict: null }] })
    const { reward } = at.json("evaluation.json").derived
    expect([reward.correctness_per_finding, reward.axes_present.correctness]).toEqual([null, false])
  })

  for (const [damage, composite] of [
    ["{", 0],
    ['{"verdicts": "none"}', 1]
  ] as const) {
    test(`does not rate the correctness if the verdicts are damaged: ${damage}`, async () => {
      using at = world()
      const verdicts = at.repository.path(".daydream/deep/recommendation-verdicts.json")
      const command = `printf '%s' '${damage}' > ${verdicts}`
      await at.fixes([], { DD_TEST_COMMAND: command, DD_TEST_SANDBOX: "off" })
      expect(readFileSync(verdicts, "utf8")).toBe(damage)
      const { reward } = at.json("evaluation.json").derived
      expect(reward).toMatchObject({ correctness_per_finding: null, axes_present: { correctness: false }, composite })
    })
  }

  test("has the handoff, and shows no secret in it or in the patch, which applies in the working tree", async () => {
    const secret = "ghp_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"
    const failing = `if grep -q == word.py; then echo "AssertionError: ${secret}"; exit 1; fi\n`
    using at = world({ "check.sh": failing }, `key = "${secret}"\n${after}`)
    expect((await at.fixes(["--yes"])).status).toBe(1)
    for (const name of ["handoff.md", "recommended.patch", "diff.patch", "trajectory.json", "findings.json"]) {
      expect(at.text(name)).not.toContain(secret)
    }
    expect(at.text("handoff.md")).toContain("AssertionError")
    expect(at.text("recommended.patch")).toContain('+    if word == "":')
    expect(at.read(".daydream/recommended.patch")).toContain(secret)
    at.repository.git("apply", "--check", ".daydream/recommended.patch")
    const tests = (at.json("trajectory.json").steps as ReadonlyArray<Step>).filter(({ extra }) => extra.daydream_tests)
    expect(testsIn(tests)).toEqual([
      ["Tests before the fixes: passed", "fix"],
      ["Tests after the fixes: failed", "test"]
    ])
    expect(tests.map(({ extra }) => extra.daydream_phase)).toEqual(["test", "test"])
    expect(tests[1]?.observation?.results[0]?.content).toContain("AssertionError")
  })

  test("keeps a bounded part of the output of tests", async () => {
    using at = world({ "check.sh": 'head -c 1000000 /dev/zero | tr "\\0" a\nexit 1\n' })
    await at.fixes()
    expect(at.text("trajectory.json").length).toBeLessThan(40_000)
  })
})

describe("dd review --fix, interrupted while the tests run", () => {
  for (const [where, command, over] of [
    ["in the sandbox", "sleep 600 & sleep 600", {}],
    ["without a sandbox", 'sleep 600 & echo $$ $! > "$PWD/../../../../pids"; sleep 600', { DD_TEST_SANDBOX: "off" }]
  ] as const) {
    test(`does not wait for them, leaves its record and no processes or trees, ${where}`, async () => {
      using at = world()
      const works = join(at.home, ".daydream/work")
      const child = Bun.spawn([dd, "review", "--fix", "--test-command", command], {
        cwd: at.repository.root,
        env: { ...at.env, ...over },
        stdout: "ignore",
        stderr: "ignore"
      })
      while (!existsSync(works) || readdirSync(works).length === 0) await Bun.sleep(20)
      const pids = join(at.home, "pids")
      // In a sandbox, the tests cannot say that they have begun.
      if ("DD_TEST_SANDBOX" in over) while (!existsSync(pids)) await Bun.sleep(20)
      else await Bun.sleep(1_500)
      child.kill("SIGINT")
      await child.exited
      expect(child.exitCode).toBe(130)
      expect(readdirSync(works)).toEqual([])
      if (existsSync(pids)) {
        for (const pid of readFileSync(pids, "utf8").trim().split(" ")) expect(isRunning(Number(pid))).toBe(false)
      }
      const [session = ""] = at.sessions()
      expect(existsSync(at.repository.path(`.daydream/runs/${session}/trajectory.json.partial`))).toBe(true)
      expect(testsIn(at.json("trajectory.json.partial").steps)).toEqual([
        ["Tests before the fixes: interrupted", "fix"]
      ])
      expect(at.json("manifest.json")).toMatchObject({ status: "partial", dd: { ended: "interrupted" } })
      expect(at.json("deep/recommendation-verdicts.json").verdicts).toHaveLength(1)
    })
  }
})

describe("dd review --start-at fix", () => {
  test("with --fix fixes the findings of the earlier review, without reviewing again", async () => {
    using at = world()
    await at.call(["review"])
    const [first = ""] = at.sessions()
    const { status, stdout } = await at.fixes(["--start-at", "fix", "--yes"])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [{ rule: "py/is-literal", verdict: "consistent" }],
      fix: { outcomes: [{ status: "resolved" }], patch: "applied" }
    })
    expect(at.read("word.py")).toContain('if word == "":')
    const steps = at.json("trajectory.json", first).steps as ReadonlyArray<Step>
    expect(steps.map(({ extra }) => extra.daydream_phase)).toEqual(["test", "test"])
    expect(existsSync(join(at.bundle(first), "trajectories"))).toBe(false)
    expect(at.json("deep/recommendation-verdicts.json", first).verdicts).toHaveLength(1)
  })

  test("judges the findings again, and leaves nothing of the fixes of an earlier run", async () => {
    using at = world()
    await at.fixes()
    const verdicts = ".daydream/deep/recommendation-verdicts.json"
    const judged = at.read(verdicts)
    at.repository.write(verdicts, '{"verdicts": []}').write(".daydream/partial-fixes/old.py.patch", "old")
    at.repository.write(".daydream/deep/fix-failures.json", '{"word.py": "old"}').write(".daydream/handoff.md", "old")
    await at.fixes(["--start-at", "fix"])
    expect(at.read(verdicts)).toBe(judged)
    for (const name of ["partial-fixes", "deep/fix-failures.json", "handoff.md"]) {
      expect(existsSync(at.repository.path(`.daydream/${name}`))).toBe(false)
    }
  })

  test("without --fix only reports them, and keeps what was fixed before", async () => {
    using at = world()
    await at.fixes()
    const { stdout } = await at.call(["review", "--start-at", "fix", "--format", "json"])
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [{ rule: "py/is-literal", verdict: "consistent" }],
      fix: null
    })
    expect(existsSync(at.repository.path(".daydream/recommended.patch"))).toBe(true)
  })
})

describe("with a model", () => {
  const cart = "def total(items, tax):\n    rate = tax / 100\n    return sum(items) * rate\n"
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
  const answers = (verdict: string) => ({
    submit_review: {
      review: "The arithmetic is wrong.",
      issues: [issue],
      coverage: [{ path: "cart.py", status: "reviewed", reason: "" }]
    },
    submit_verification: {
      verdicts: [{ issue_id: 1, evidence: "cart.py:3 multiplies", unverified_assumptions: [], verdict }]
    },
    submit_outcomes: { outcomes: [{ issue_id: 1, note: "The tax is added.", status: "fixed" }] }
  })
  const edit = { name: "edit_file", input: { path: "cart.py", old: "* rate", new: "* (1 + rate)" } }
  const fixer: Script = (asked, nth) =>
    submitOf(asked) === "submit_outcomes" && asked.turns === 0
      ? { calls: [edit] }
      : handing(answers(asked.told.includes("The fix:") ? "contradicts" : "consistent"))(asked, nth)
  const failing: Script = (asked, nth) =>
    submitOf(asked) === "submit_outcomes" && asked.turns > 0 ? { trouble: { status: 400 } } : fixer(asked, nth)
  const modelWorld = (script: Script) =>
    modelReviews((repository: TestRepository) => {
      repository.commit("Begin", { "cart.py": "def total(items):\n    return sum(items)\n" })
      repository.commit("Add a tax", { "cart.py": cart })
    }, script)
  const model = ["--backend", "anthropic", "--model", "m", "--commit", "HEAD"]
  const args = ["--fix", "--test-command", "true", ...model]

  test("the record has what verified and what fixed each file, and no tests in its conversations", async () => {
    await using at = await modelWorld(fixer)
    await at.report(args)
    expect(readdirSync(join(at.bundle(), "trajectories"))).toEqual(
      expect.arrayContaining(["fix-cart-py.json", "verify-cart-py.json"])
    )
    const calls = at.kept("trajectory.json").extra.subtrajectories as ReadonlyArray<{
      readonly phase: string
      readonly descriptor?: string
    }>
    expect(calls.map(({ descriptor, phase }) => `${phase} ${descriptor}`)).toEqual(
      expect.arrayContaining(["verify verify-cart.py", "fix fix-cart.py"])
    )
    expect(at.kept("manifest.json")).toMatchObject({
      status: "complete",
      run: { fix_backend: "anthropic", test_backend: "host" }
    })
    const chat = await at.call(["trajectory", "export", "--as", "chat"])
    expect(chat.stdout).toContain("edit_file")
    expect(chat.stdout).not.toContain("Tests after the fixes")
  })

  test("a file whose fix failed makes the run partial, with the reason and the edits so far", async () => {
    await using at = await modelWorld(failing)
    expect((await at.report(args)).status).toBe(1)
    const manifest = at.kept("manifest.json")
    expect([manifest.status, Object.keys(manifest.fix_failures)]).toEqual(["partial", ["cart.py"]])
    expect(at.kept("deep/fix-failures.json")).toEqual(manifest.fix_failures)
    expect(readFileSync(join(at.bundle(), "partial-fixes/cart.py.patch"), "utf8")).toContain("* (1 + rate)")
    const rows = await at.call(["archive", "query", "SELECT status, fix_backend FROM runs", "--format", "json"])
    expect(JSON.parse(rows.stdout).rows).toEqual([{ status: "partial", fix_backend: null }])
    const { stdout } = await at.call(["archive", "show", manifest.session_id])
    expect(stdout).toContain("1 cart.py: not fixed: the agent failed")
    expect((await at.call(["archive", "list"])).stdout).toContain("  partial  ")
  })

  test("--start-at fix --fix asks it to verify and to fix, and nothing else", async () => {
    await using at = await modelWorld(fixer)
    await at.report(model)
    const reviewed = at.asked.length
    const { result } = await at.report([...args, "--start-at", "fix", "--yes"])
    expect(result.fix).toMatchObject({ patch: "applied", files: ["cart.py"] })
    const asked = new Set(at.asked.slice(reviewed).map(submitOf))
    expect([...asked].sort()).toEqual(["submit_outcomes", "submit_verification"])
  })

  test("--preview tells that fixes are not in its estimate, only with --fix", async () => {
    await using at = await modelWorld(fixer)
    const sentence = "fixing its findings and verifying the fixes (--fix) are not estimated"
    const preview = async (...more: ReadonlyArray<string>) => {
      const { stdout } = await at.review(["--preview", "--commit", "HEAD", ...more, "--format", "json"])
      return JSON.parse(stdout).preview.notes.join("\n")
    }
    const chosen = ["--backend", "anthropic", "--model", "m"]
    expect(await preview("--fix", ...chosen)).toContain(sentence)
    expect(await preview(...chosen)).not.toContain(sentence)
    expect(await preview("--fix")).not.toContain(sentence)
    expect(at.asked).toEqual([])
    expect(existsSync(at.repository.path(".daydream"))).toBe(false)
  })
})
