/** What a review by a model says it has reviewed, through the compiled binary: never more than the model was given. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Asked } from "../support/Asked.ts"
import { dd } from "../support/binary.ts"
import { install } from "../support/cli/install.ts"
import { cliNames } from "../support/cli/protocols.ts"
import { agreeable, type Script, startModel } from "../support/modelServer.ts"
import { patience } from "../support/patience.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

setDefaultTimeout(patience)

/** More than one prompt can show. */
const paths = Array.from({ length: 10 }, (_, at) => `shop/part${at}.py`)
const texts = Object.fromEntries(
  paths.map((path, at) => [
    path,
    Array.from({ length: 700 }, (_, line) => `value_${at}_${line} = compute(${line}, "some words")`).join("\n")
  ])
)
const ledger = paths.map((path) => ({ path, status: "reviewed", reason: "" }))
const answer = { review: "All is well.", issues: [], coverage: ledger }
const isFollowUp = (text: string) => text.includes("Another agent has reviewed the rest of this stack")

const world = async (script: Script) => {
  const place = scratch()
  const asked: Array<Asked> = []
  const server = await startModel((request, nth) => {
    asked.push(request)
    return script(request, nth)
  })
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  repository.branch("feature").commit("Add much", texts)
  const home = inside(place.path, "home")
  const bin = inside(place.path, "bin")
  const env = {
    PATH: `${bin}:${systemPath}`,
    HOME: home,
    ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
    DD_ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`
  }
  const review = async (...args: ReadonlyArray<string>) => {
    const ended = await run([dd, "review", "--format", "json", ...args], { cwd: repository.root, env })
    const result = JSON.parse(ended.stdout)
    const bundle = join(home, ".daydream", "archive", "runs", result.run.session_id)
    const evaluation = () => JSON.parse(readFileSync(join(bundle, "evaluation.json"), "utf8"))
    return { ...ended, result, evaluation }
  }
  mkdirSync(join(home, ".daydream"), { recursive: true })
  return {
    asked,
    bin,
    env,
    repository,
    review,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      place[Symbol.dispose]()
    }
  }
}

const submitting = (asked: Asked) => asked.tools.some(({ name }) => name === "submit_review")

/** Says that it has reviewed everything, and looks at nothing. */
const careless: Script = (asked, nth) =>
  submitting(asked) ? { calls: [{ name: "submit_review", input: answer }] } : agreeable(asked, nth)

describe("a change that no prompt can hold", () => {
  test("is shown to further agents until all of it was seen, and is the same in archive and replay", async () => {
    await using at = await world(careless)
    const { evaluation, result, status } = await at.review("--backend", "anthropic")
    expect({ status, state: result.status, degraded: result.degraded }).toEqual({
      status: 0,
      state: "complete",
      degraded: []
    })
    expect(result.coverage).toMatchObject({ files_in_diff: 10, files_reviewed: 10 })
    const followUps = at.asked.filter(({ told }) => isFollowUp(told))
    expect(followUps.length).toBeGreaterThan(1)
    // Every line was in one of the prompts.
    const told = at.asked.filter(submitting).map((asked) => asked.told)
    for (const line of ["value_0_0 =", "value_4_350 =", "value_9_699 ="]) {
      expect(told.some((text) => text.includes(line))).toBe(true)
    }
    expect(evaluation().coverage).toEqual({ diff_files: 10, files_read: 10, coverage_ratio: 1 })
    const again = await at.review("--replay", "latest")
    expect(again.result.coverage).toEqual(result.coverage)
    expect(again.result.degraded).toEqual([])
  })

  test("is partial where further agents do not answer: what was not seen is unread, and named", async () => {
    await using at = await world((asked, nth) =>
      isFollowUp(asked.told) ? { trouble: { status: 400, message: "no" } } : careless(asked, nth)
    )
    const { evaluation, result } = await at.review("--backend", "anthropic")
    expect(result.status).toBe("partial")
    const unread = result.coverage.files.filter(({ status }: { status: string }) => status === "unread")
    expect(unread.length).toBeGreaterThan(3)
    expect(result.coverage.files_reviewed).toBe(10 - unread.length)
    for (const { reason } of unread) expect(reason).toMatch(/not shown to the model|the model did not see/)
    expect(result.degraded.map(({ error }: { error: string }) => error)).toContain("NotAllReviewed")
    const { diff_files, files_read } = evaluation().coverage
    expect({ diff_files, files_read }).toEqual({ diff_files: 10, files_read: result.coverage.files_reviewed })
    const text = await run([dd, "review", "--backend", "anthropic"], { cwd: at.repository.root, env: at.env })
    expect(text.stdout.replaceAll(/\s+/g, " ")).toContain(`${unread.length} files were not reviewed by the model`)
  })

  test("counts what an agent reads by itself, and not what it fails to read", async () => {
    await using at = await world((asked, nth) => {
      if (!submitting(asked) || isFollowUp(asked.told) || asked.turns > 0) return careless(asked, nth)
      const reads = paths.flatMap((path) =>
        [1, 300, 600].map((from) => ({ name: "read_file", input: { path, from, to: from + 299 } }))
      )
      return { calls: [...reads, { name: "read_file", input: { path: "shop/none.py" } }] }
    })
    const { result } = await at.review("--backend", "anthropic")
    expect(result.coverage.files_reviewed).toBe(10)
    expect(at.asked.filter(({ told }) => isFollowUp(told))).toEqual([])
  })

  for (const name of cliNames) {
    test(`is shown to further agents of ${name} too, and again from the record`, async () => {
      await using at = await world(agreeable)
      const replies = {
        Intent: { intent: "To have much." },
        Alternatives: { issues: [] },
        StackReview: answer,
        ParseReview: { issues: [] },
        Arbitrate: { findings: [] },
        Merge: { notes: [] }
      }
      const cli = install(at.bin, name, "answer", replies)
      const { result, status } = await at.review("--backend", name)
      expect({ status, state: result.status }).toEqual({ status: 0, state: "complete" })
      expect(result.coverage.files_reviewed).toBe(10)
      const inputs = Array.from({ length: cli.turns() }, (_, turn) => cli.started(turn).input)
      expect(inputs.filter(isFollowUp).length).toBeGreaterThan(1)
      const again = await at.review("--replay", "latest")
      expect(again.result.coverage).toEqual(result.coverage)
    })
  }
})
