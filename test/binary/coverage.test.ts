/** What a review by a model says it has reviewed, through the compiled binary: never more than the model was given. */
import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { install, noFindings } from "../support/cli/install.ts"
import { cliNames } from "../support/cli/protocols.ts"
import { modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { agreeable, handing, type Script, submitOf } from "../support/modelServer.ts"

/** Each is one hunk, and more than one prompt can show: parts of a change are not made smaller than a hunk. */
const paths = Array.from({ length: 3 }, (_, at) => `shop/part${at}.py`)
const words = "some words ".repeat(14)
const texts = Object.fromEntries(
  paths.map((path, at) => [
    path,
    Array.from({ length: 800 }, (_, line) => `value_${at}_${line} = compute(${line}, "${words}")`).join("\n")
  ])
)
const ledger = paths.map((path) => ({ path, status: "reviewed", reason: "" }))
const answer = { review: "All is well.", issues: [], coverage: ledger }
const isNewAgent = (text: string) => text.includes("Another agent has reviewed the rest of this stack")
const isJoined = (text: string) => text.includes("# What is left")
const isFollowUp = (text: string) => isNewAgent(text) || isJoined(text)

/** The fixture, and `reviewed`: a review with its evaluation. */
const world = async (script: Script) => {
  const at = await modelReviews((repository) => {
    repository.commit("Begin", { "README.md": "# Shop\n" })
    repository.branch("feature").commit("Add much", texts)
  }, script)
  const reviewed = async (...args: ReadonlyArray<string>) => {
    const { result, status } = await at.report(args)
    return { status, result, evaluation: () => at.kept("evaluation.json", result.run.session_id) }
  }
  return { ...at, reviewed }
}

/** Says that it has reviewed everything, and looks at nothing. */
const careless = handing({ submit_review: answer })

describe("a file that is too large for a prompt", () => {
  test("is shown to further agents until all of it was seen, with the same coverage in archive and replay", async () => {
    await using at = await world(careless)
    const { evaluation, result, status } = await at.reviewed("--backend", "anthropic")
    expect({ status, state: result.status, degraded: result.degraded }).toEqual({
      status: 0,
      state: "complete",
      degraded: []
    })
    expect(result.coverage).toMatchObject({ files_in_diff: 3, files_reviewed: 3 })
    const followUps = at.asked.filter(({ told }) => isFollowUp(told))
    expect(followUps.length).toBeGreaterThan(1)
    // Every line was in one of the prompts.
    const told = at.asked.filter((asked) => submitOf(asked) === "submit_review").map((asked) => asked.told)
    for (const line of ["value_0_0 =", "value_1_400 =", "value_2_799 ="]) {
      expect(told.some((text) => text.includes(line))).toBe(true)
    }
    expect(evaluation().coverage).toEqual({ diff_files: 3, files_read: 3, coverage_ratio: 1 })
    const again = await at.reviewed("--replay", "latest")
    expect(again.result.coverage).toEqual(result.coverage)
    expect(again.result.degraded).toEqual([])
  })

  for (const service of services) {
    const [backend, env] = service
    test(`over ${nameOf(service)}: is shown to the same agent, which is recorded in one trajectory`, async () => {
      await using at = await world(careless)
      const { result } = await at.report(["--backend", backend, "--model", "claude-sonnet-4-5"], env)
      expect([result.status, result.coverage.files_reviewed]).toEqual(["complete", 3])
      const reviews = at.asked.filter(({ told }) => told.includes("# Profile: python"))
      const joined = reviews.filter(({ told, turns }) => isJoined(told) && turns > 0)
      expect(joined.length).toBeGreaterThan(0)
      // With its own answer, and only new text: no line is sent twice.
      for (const { told } of joined) {
        expect(told).toContain("Taken.")
        const lines = told.split("\n").filter((line) => line.includes("= compute("))
        expect(new Set(lines.map((line) => line.replace(/^\D*\d+/, ""))).size).toBe(lines.length)
      }
      const isFresh = ({ turns }: { readonly turns: number }) => turns === 0
      expect(reviews.filter(({ told }) => isNewAgent(told))).toEqual([])
      const runs = join(at.repository.root, ".daydream/runs")
      const [run = ""] = readdirSync(runs)
      const logs = readdirSync(join(runs, run, "agents")).filter((name) => name.includes("review%3Apython"))
      expect(logs).toHaveLength(reviews.filter(isFresh).length)
      const siblings = readdirSync(join(runs, run, "trajectories")).filter((name) => name.includes("deep-python"))
      expect(siblings).toHaveLength(logs.length)
      const inputs = siblings.flatMap((name) => {
        const { steps } = JSON.parse(readFileSync(join(runs, run, "trajectories", name), "utf8"))
        return steps.filter(({ source }: { readonly source: string }) => source === "user")
      })
      expect(inputs).toHaveLength(reviews.length)
    })
  }

  test("is shown to another agent when the conversation takes more than half of the model's room", async () => {
    await using at = await world(careless)
    const room = '[models."claude-sonnet-4-5"]\ncontext = 100000\noutput = 16000\n'
    writeFileSync(join(at.home, ".daydream/prices.toml"), room)
    const { result } = await at.report(["--backend", "anthropic", "--model", "claude-sonnet-4-5"])
    expect(result.coverage.files_reviewed).toBe(3)
    const followUps = at.asked.filter(({ told }) => isFollowUp(told))
    expect(followUps.filter(({ told }) => isNewAgent(told)).length).toBeGreaterThan(1)
    expect(followUps.filter(({ told }) => isJoined(told))).toEqual([])
  })

  test("is partial when further agents do not answer: the files that were not seen are unread", async () => {
    await using at = await world((asked, nth) =>
      isFollowUp(asked.told) ? { trouble: { status: 400, message: "no" } } : careless(asked, nth)
    )
    const { evaluation, result } = await at.reviewed("--backend", "anthropic")
    expect(result.status).toBe("partial")
    const unread = result.coverage.files.filter(({ status }: { status: string }) => status === "unread")
    expect(unread.length).toBe(3)
    expect(result.coverage.files_reviewed).toBe(0)
    for (const { reason } of unread) expect(reason).toMatch(/not shown to the model|the model did not see/)
    expect(result.degraded.map(({ error }: { error: string }) => error)).toContain("NotAllReviewed")
    const { diff_files, files_read } = evaluation().coverage
    expect({ diff_files, files_read }).toEqual({ diff_files: 3, files_read: result.coverage.files_reviewed })
    const text = await at.review(["--backend", "anthropic"])
    expect(text.stdout.replaceAll(/\s+/g, " ")).toContain(`${unread.length} files were not reviewed by the model`)
  })

  test("counts the lines that an agent reads with tools, and no failed reads", async () => {
    await using at = await world((asked, nth) => {
      if (submitOf(asked) !== "submit_review" || isFollowUp(asked.told) || asked.turns > 0) return careless(asked, nth)
      const reads = paths.flatMap((path) =>
        [1, 201, 401, 601].map((from) => ({ name: "read_file", input: { path, from, to: from + 199 } }))
      )
      return { calls: [...reads, { name: "read_file", input: { path: "shop/none.py" } }] }
    })
    const { result } = await at.reviewed("--backend", "anthropic")
    expect(result.coverage.files_reviewed).toBe(3)
    expect(at.asked.filter(({ told }) => isFollowUp(told))).toEqual([])
  })

  for (const name of cliNames) {
    test(`is shown to further agents of the ${name} CLI, with the same coverage in a replay`, async () => {
      await using at = await world(agreeable)
      const cli = install(at.bin, name, "answer", { ...noFindings, StackReview: answer })
      const { result, status } = await at.reviewed("--backend", name)
      expect({ status, state: result.status }).toEqual({ status: 0, state: "complete" })
      expect(result.coverage.files_reviewed).toBe(3)
      const inputs = Array.from({ length: cli.turns() }, (_, turn) => cli.started(turn).input)
      expect(inputs.filter(isFollowUp).length).toBeGreaterThan(1)
      const again = await at.reviewed("--replay", "latest")
      expect(again.result.coverage).toEqual(result.coverage)
    })
  }
})
