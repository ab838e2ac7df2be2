/** Fixes by models, through the compiled binary and the real protocols: verified, edited in a copy, applied. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { install, noFindings } from "../support/cli/install.ts"
import { cliNames } from "../support/cli/protocols.ts"
import { key, modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { agreeable, type Script, submitOf } from "../support/modelServer.ts"

const before = "def mean(items):\n    return sum(items) / len(items)\n"
const after = "def mean(items):\n    return sum(items) / max(1, len(items))\n"
const claim = {
  title: "The mean of nothing fails",
  description: "An empty list divides by zero.",
  file: "mean.py",
  line: 2,
  endLine: null,
  severity: "high",
  confidence: "HIGH",
  quote: "return sum(items) / len(items)",
  rationale: "mean([]) raises ZeroDivisionError.",
  evidence: "mean.py:2",
  suggestion: null
}

const verdictOf = (verdict: string) => ({
  issue_id: 1,
  evidence: "mean.py:2 divides by len(items)",
  unverified_assumptions: [],
  verdict
})

/** Finds one defect, verifies it and fixes it; each fix first tries to write elsewhere. */
const fixing =
  (verdict: string, seen: Array<string>): Script =>
  (asked, nth) => {
    const name = submitOf(asked)
    if (name === "submit_review") {
      const coverage = [{ path: "mean.py", status: "reviewed", reason: "" }]
      return { calls: [{ name, input: { review: "", issues: [claim], coverage } }] }
    }
    if (name === "submit_verification") {
      seen.push(asked.told)
      const isAfterFix = asked.told.includes("The fix:")
      return { calls: [{ name, input: { verdicts: [verdictOf(isAfterFix ? "contradicts" : verdict)] } }] }
    }
    if (name !== "submit_outcomes") return agreeable(asked, nth)
    seen.push(asked.told)
    if (asked.turns === 0) {
      return {
        calls: [
          { name: "edit_file", input: { path: "mean.py", old: "len(items)\n", new: "max(1, len(items))\n" } },
          { name: "create_file", input: { path: "other.py", content: "" } },
          { name: "edit_file", input: { path: "../mean.py", old: "a", new: "b" } }
        ]
      }
    }
    if (asked.turns === 1) return { calls: [{ name: "read_file", input: { path: "mean.py" } }] }
    return { calls: [{ name, input: { outcomes: [{ issue_id: 1, note: "No division by zero.", status: "fixed" }] } }] }
  }

const world = async (verdict: string) => {
  const seen: Array<string> = []
  const at = await modelReviews(
    (repository) => {
      repository.commit("Begin", { "README.md": "# Shop\n" })
      repository.branch("feature").commit("Add", { "mean.py": before })
    },
    fixing(verdict, seen)
  )
  return {
    ...at,
    seen,
    text: () => readFileSync(at.repository.path("mean.py"), "utf8"),
    /** Without dd's own directory. */
    changed: () =>
      at.repository
        .git("status", "--porcelain", "--untracked-files=all")
        .split("\n")
        .filter((line) => !line.includes(".daydream"))
        .join("\n")
  }
}

describe("a model that fixes", () => {
  for (const service of services) {
    test(`edits its file in a copy, reads its edits, and the fix is applied: ${nameOf(service)}`, async () => {
      const [backend, env] = service
      await using at = await world("consistent")
      const { stderr } = await at.review(["--backend", backend, "--model", "m-1", "--fix", "--yes"], env)
      expect(stderr).not.toContain(key)
      expect(at.text()).toBe(after)
      expect(at.changed()).toBe("M mean.py")
      const [verified, ...fixes] = at.seen
      expect(verified).toContain("The mean of nothing fails")
      expect(verified).toContain("decide whether the code agrees with it")
      expect(fixes[0]).toContain("mean.py:2 divides by len(items)")
      expect(fixes[1]).toContain("other.py may not be written: this task may change only mean.py")
      expect(fixes.at(-1)).toContain("max(1, len(items))")
    })
  }

  for (const name of cliNames) {
    test(`edits a copy of the tree, and only its file is taken: ${name}`, async () => {
      await using at = await world("consistent")
      const cli = install(at.bin, name, "edit", {
        ...noFindings,
        StackReview: { review: "", issues: [claim], coverage: [{ path: "mean.py", status: "reviewed", reason: "" }] },
        Verify: { verdicts: [verdictOf("uncertain")] },
        Fix: { outcomes: [{ issue_id: 1, note: "No division by zero.", status: "fixed" }] }
      })
      cli.edits({ "mean.py": after, "other.py": "" })
      const { stderr } = await at.review(["--backend", name, "--fix", "--yes"])
      expect(stderr).toContain(`${name} also changed other.py; these changes are dropped`)
      expect(at.text()).toBe(after)
      expect(at.changed()).toBe("M mean.py")
    })
  }

  test("is not asked to fix what the code contradicts", async () => {
    await using at = await world("contradicts")
    await at.review(["--backend", "anthropic", "--fix", "--yes"])
    expect(at.text()).toBe(before)
    expect(at.asked.map(submitOf)).not.toContain("submit_outcomes")
  })

  test("need not be set up for a review without fixes", async () => {
    await using at = await world("consistent")
    at.config('[phases.fix]\nbackend = "claude"\n')
    expect((await at.review([])).stdout).toContain("Static checks only")
    const { status, stderr } = await at.review(["--fix", "--yes"])
    expect([status, stderr]).toEqual([2, expect.stringContaining("claude is not on PATH")])
    expect(at.asked).toEqual([])
  })
})
