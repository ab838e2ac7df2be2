/** Which agents a review asks, through the compiled binary: those that were planned, and no others. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Asked } from "../support/Asked.ts"
import { dd } from "../support/binary.ts"
import { agreeable, startModel } from "../support/modelServer.ts"
import { patience } from "../support/patience.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

setDefaultTimeout(patience)

const text = "total = sum(items)\n"
const claim = (file: string) => ({
  title: "The sum is of nothing",
  description: "The name items is not defined here, so the line fails.",
  file,
  line: 1,
  endLine: null,
  severity: "high",
  confidence: "HIGH",
  quote: text.trim(),
  rationale: "Each run of the line ends with an error.",
  evidence: `${file}:1`,
  suggestion: null
})

const world = async (paths: ReadonlyArray<string>) => {
  const place = scratch()
  const submits: Array<string> = []
  const answer = (asked: Asked, nth: number) => {
    const submit = asked.tools.find(({ name }) => name.startsWith("submit"))?.name ?? "none"
    submits.push(submit)
    if (submit !== "submit_review") return agreeable(asked, nth)
    const coverage = paths.map((path) => ({ path, status: "reviewed", reason: "" }))
    return { calls: [{ name: submit, input: { review: "", issues: paths.map(claim), coverage } }] }
  }
  const server = await startModel(answer)
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  repository.branch("feature").commit("Add", Object.fromEntries(paths.map((path) => [path, text])))
  const home = inside(place.path, "home")
  const extensions = inside(home, "extensions")
  for (const directory of [home, extensions]) chmodSync(directory, 0o700)
  const env = {
    PATH: systemPath,
    HOME: home,
    DD_HOME: home,
    ANTHROPIC_API_KEY: "sk-ant-0123456789abcdef",
    DD_ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`
  }
  const call = (...args: ReadonlyArray<string>) =>
    run([dd, "review", "--backend", "anthropic", "--format", "json", ...args], { cwd: repository.root, env })
  return {
    extensions,
    submits,
    review: async (...args: ReadonlyArray<string>) => JSON.parse((await call(...args)).stdout),
    planned: async (...args: ReadonlyArray<string>) => JSON.parse((await call("--preview", ...args)).stdout).preview,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      place[Symbol.dispose]()
    }
  }
}

const counted = (submits: ReadonlyArray<string>) => ({
  intent: submits.filter((name) => name === "submit_intent").length,
  alternatives: submits.filter((name) => name === "submit_alternatives").length,
  reviews: submits.filter((name) => name === "submit_review").length,
  arbiter: submits.filter((name) => name === "submit_verdicts").length,
  merge: submits.filter((name) => name === "submit_notes").length
})

describe("the agents of a review", () => {
  for (const [what, paths, args, asked, planned] of [
    ["one file", ["a.py"], [], { intent: 1, alternatives: 0, reviews: 2, arbiter: 0, merge: 0 }, 5],
    ["two files", ["a.py", "b.go"], [], { intent: 1, alternatives: 1, reviews: 2, arbiter: 0, merge: 0 }, 6],
    [
      "--shallow",
      ["a.py", "b.py", "c.py"],
      ["--shallow"],
      { intent: 0, alternatives: 0, reviews: 1, arbiter: 0, merge: 0 },
      2
    ],
    [
      "--review",
      ["a.py", "b.go", "c.rb"],
      ["--review"],
      { intent: 1, alternatives: 1, reviews: 4, arbiter: 0, merge: 1 },
      11
    ],
    [
      "three languages",
      ["a.py", "b.go", "c.rb"],
      [],
      { intent: 1, alternatives: 1, reviews: 4, arbiter: 1, merge: 1 },
      12
    ]
  ] as const) {
    test(`are those that a preview plans: ${what}`, async () => {
      await using at = await world(paths)
      const preview = await at.planned(...args)
      expect(preview.agents_planned).toBe(planned)
      // The reviewer of each stack may be followed by 32 more, the one of `structure` by none.
      expect(preview.follow_ups_at_most).toBe(32 * Math.max(1, asked.reviews - 1))
      expect(preview.stacks).toHaveLength(asked.reviews)
      expect(at.submits).toEqual([])
      const result = await at.review(...args)
      expect(counted(at.submits)).toEqual(asked)
      // Records that come as such need no agent to parse them.
      const sum = Object.values<number>(asked).reduce((all, each) => all + each, 0)
      expect(sum + asked.reviews).toBe(planned)
      expect(result.agents_planned).toBe(planned)
    })
  }

  test("cost what the agents cost that are planned", async () => {
    await using at = await world(["a.py", "b.py", "c.py"])
    const [deep, shallow] = [await at.planned(), await at.planned("--shallow")]
    expect(shallow.prompt_tokens).toBeLessThan(deep.prompt_tokens)
    // Two reviewers: of the language and of the change as a whole, which rules alone review in the shallow flow.
    const reviewers = await at.planned("--start-at", "per-stack")
    expect(shallow.prompt_tokens).toBeLessThan(0.75 * reviewers.prompt_tokens)
  })

  test("look for alternatives where an extension has removed the exploration", async () => {
    await using at = await world(["a.py", "b.go", "c.rb"])
    mkdirSync(at.extensions, { recursive: true })
    const path = join(at.extensions, "quick.ts")
    writeFileSync(
      path,
      'export const DAYDREAM_EXT_API = 1\nexport const register = (r) => r.remove("deep", "exploration")\n'
    )
    chmodSync(path, 0o600)
    expect((await at.planned()).agents_planned).toBe(12)
    await at.review()
    expect(counted(at.submits).alternatives).toBe(1)
  })
})
