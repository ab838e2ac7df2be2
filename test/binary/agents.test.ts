/** Which agents a review asks, through the compiled binary: those that were planned, and no others. */
import { describe, expect, test } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { modelReviews } from "../support/modelReviews.ts"
import { handing, submitOf } from "../support/modelServer.ts"
import { inside } from "../support/process.ts"

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
  const coverage = paths.map((path) => ({ path, status: "reviewed", reason: "" }))
  const at = await modelReviews(
    (repository) => {
      repository.commit("Begin", { "README.md": "# Shop\n" })
      repository.branch("feature").commit("Add", Object.fromEntries(paths.map((path) => [path, text])))
    },
    handing({ submit_review: { review: "", issues: paths.map(claim), coverage } })
  )
  const json = async (args: ReadonlyArray<string>) => (await at.report(["--backend", "anthropic", ...args])).result
  return {
    ...at,
    submits: () => at.asked.map(submitOf),
    review: (...args: ReadonlyArray<string>) => json(args),
    planned: async (...args: ReadonlyArray<string>) => (await json(["--preview", ...args])).preview
  }
}

const counted = (submits: ReadonlyArray<string>) => ({
  intent: submits.filter((name) => name === "submit_intent").length,
  alternatives: submits.filter((name) => name === "submit_alternatives").length,
  reviews: submits.filter((name) => name === "submit_review").length,
  arbiter: submits.filter((name) => name === "submit_verdicts").length,
  merge: submits.filter((name) => name === "submit_notes").length,
  verify: submits.filter((name) => name === "submit_verification").length
})

describe("the agents of a review", () => {
  for (const [what, paths, args, asked, planned] of [
    ["one file", ["a.py"], [], { intent: 1, alternatives: 0, reviews: 2, arbiter: 0, merge: 0, verify: 1 }, 3],
    ["two files", ["a.py", "b.go"], [], { intent: 1, alternatives: 1, reviews: 2, arbiter: 0, merge: 0, verify: 2 }, 4],
    [
      "--shallow",
      ["a.py", "b.py", "c.py"],
      ["--shallow"],
      { intent: 0, alternatives: 0, reviews: 1, arbiter: 0, merge: 0, verify: 3 },
      1
    ],
    [
      "--review",
      ["a.py", "b.go", "c.rb"],
      ["--review"],
      { intent: 1, alternatives: 1, reviews: 4, arbiter: 0, merge: 1, verify: 3 },
      6
    ],
    [
      "three languages",
      ["a.py", "b.go", "c.rb"],
      [],
      { intent: 1, alternatives: 1, reviews: 4, arbiter: 1, merge: 1, verify: 3 },
      6
    ]
  ] as const) {
    test(`are the ones in the preview: ${what}`, async () => {
      await using at = await world(paths)
      const preview = await at.planned(...args)
      expect(preview.agents_planned).toBe(planned)
      // Each stack may get 32 more reviewers, but not the structure stack.
      expect(preview.follow_ups_at_most).toBe(32 * Math.max(1, asked.reviews - 1))
      expect(preview.stacks).toHaveLength(asked.reviews)
      expect(at.submits()).toEqual([])
      const result = await at.review(...args)
      expect(counted(at.submits())).toEqual(asked)
      const sum = Object.values<number>(asked).reduce((all, each) => all + each, 0)
      // Every file has a claim here.
      expect(sum).toBe(planned + preview.agents_for_claims_at_most)
      expect(result.agents_planned).toBe(planned)
    })
  }

  test("cost less with --shallow, which asks fewer of them", async () => {
    await using at = await world(["a.py", "b.py", "c.py"])
    const [deep, shallow] = [await at.planned(), await at.planned("--shallow")]
    expect(shallow.prompt_tokens).toBeLessThan(deep.prompt_tokens)
    // Two reviewers: of the language and of the change as a whole, which rules alone review in the shallow flow.
    const reviewers = await at.planned("--start-at", "per-stack")
    expect(shallow.prompt_tokens).toBeLessThan(0.75 * reviewers.prompt_tokens)
  })

  test("look for alternatives when an extension removes the exploration", async () => {
    await using at = await world(["a.py", "b.go", "c.rb"])
    const extensions = inside(at.home, ".daydream", "extensions")
    for (const directory of [at.home, join(at.home, ".daydream"), extensions]) chmodSync(directory, 0o700)
    writeFileSync(
      join(extensions, "quick.ts"),
      'export const DAYDREAM_EXT_API = 1\nexport const register = (r) => r.remove("deep", "exploration")\n',
      { mode: 0o600 }
    )
    expect((await at.planned()).agents_planned).toBe(6)
    await at.review()
    expect(counted(at.submits()).alternatives).toBe(1)
  })
})
