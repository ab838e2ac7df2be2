/** A change that is larger than one prompt, through the compiled binary: each agent gets a part, and nothing is left out. */
import { describe, expect, test } from "bun:test"
import { modelReviews } from "../support/modelReviews.ts"
import { agreeable, type Script, submitOf } from "../support/modelServer.ts"

const lines = (name: string, uses: string, count: number) =>
  Array.from({ length: count }, (_, at) => `    ${uses}(value, "${name} argument ${at}")`)

const code = (name: string, uses: string, count = 450): string =>
  [`def ${name}(value):`, ...lines(name, uses, count), ""].join("\n")

/** Forty lines that stay between two parts, so that each part is a hunk. */
const between = Array.from({ length: 40 }, (_, at) => `# line ${at}`)
const divided = (count: number) =>
  [...lines("first", "lookup", count), ...between, ...lines("second", "lookup", count), ...between, ""].join("\n")

const files = {
  "store/prices.py": code("price_of_item", "lookup"),
  "web/zz_checkout.py": code("checkout", "price_of_item"),
  "store/users.py": code("user_by_name", "lookup"),
  "tests/test_users.py": code("test_finds", "user_by_name"),
  "store/big.py": divided(900)
}

/** The parts of the diff in a prompt of a reviewer. */
const hunksIn = (told: string): ReadonlyArray<string> => {
  const hunks: Array<string> = []
  let path = ""
  for (const line of told.split("\n")) {
    path = /^=== (\S+) \(/.exec(line)?.[1] ?? path
    const start = /^@@ line (\d+)/.exec(line)?.[1]
    if (start !== undefined) hunks.push(`${path}:${start}`)
  }
  return hunks
}

const claim = {
  title: "The second half calls lookup too often",
  description: "The name lookup is not defined here, so the line fails.",
  file: "store/big.py",
  line: 1800,
  endLine: null,
  severity: "high",
  confidence: "HIGH",
  quote: 'lookup(value, "second argument 7")',
  rationale: "Each run of the line ends with an error.",
  evidence: "store/big.py:1800",
  suggestion: null
}

/** Reviews what it is shown, and reports a claim on the second half of the large file if it has it. */
const script: Script = (asked, nth) => {
  if (submitOf(asked) !== "submit_review") return agreeable(asked, nth)
  const paths = [...new Set(hunksIn(asked.told).map((hunk) => hunk.split(":")[0]!))]
  const issues =
    asked.told.includes('+ lookup(value, "second argument 7")') || asked.told.includes('"second argument 7")')
      ? [claim]
      : []
  const coverage = paths.map((path) => ({ path, status: "reviewed", reason: "" }))
  return { calls: [{ name: "submit_review", input: { review: "", issues, coverage } }] }
}

const world = async () => {
  const at = await modelReviews((repository) => {
    repository.commit("Begin", { "README.md": "# Shop\n", "store/big.py": divided(0) })
    repository.branch("feature").commit("Add", files)
  }, script)
  const json = async (...args: ReadonlyArray<string>) => (await at.report(["--backend", "anthropic", ...args])).result
  return { ...at, json }
}

describe("a change that is larger than one prompt", () => {
  test("is divided as the preview says; every hunk is read by one agent, and a test with its subject", async () => {
    await using at = await world()
    const { preview } = await at.json("--preview")
    expect(at.asked).toHaveLength(0)
    const result = await at.json("--max-cost", "50")
    const reviews = at.asked.filter((asked) => submitOf(asked) === "submit_review")
    const shards = reviews.filter(({ told }) => !told.includes("# Profile: structure"))
    const planned = preview.stacks.filter(({ name }: { readonly name: string }) => name !== "structure")
    expect(shards).toHaveLength(planned.length)
    expect(result.agents_planned).toBe(preview.agents_planned)
    const read = shards.map(({ told }) => hunksIn(told))
    expect(read.flat().toSorted()).toEqual([...new Set(read.flat())].toSorted())
    const byFile = (hunks: ReadonlyArray<string>) => [...new Set(hunks.map((hunk) => hunk.split(":")[0]!))].toSorted()
    expect(read.map(byFile).map(String).toSorted()).toEqual(
      planned.map(({ files }: { readonly files: ReadonlyArray<string> }) => String([...files].toSorted())).toSorted()
    )
    expect(byFile(read.flat())).toEqual(Object.keys(files).toSorted())
    const together = (one: string, other: string) =>
      read.some((hunks) => [one, other].every((path) => byFile(hunks).includes(path)))
    expect(together("store/prices.py", "web/zz_checkout.py")).toBe(true)
    expect(together("store/users.py", "tests/test_users.py")).toBe(true)
    expect(preview.stacks.flatMap(({ parts }: { readonly parts?: ReadonlyArray<object> }) => parts ?? [])).toHaveLength(
      2
    )
    expect(result.coverage.files_reviewed).toBe(5)
    expect(result.findings.filter(({ file }: { readonly file: string }) => file === "store/big.py")).toHaveLength(1)
  })

  test("a part that is not reviewed leaves its file unread, although another agent read the rest of it", async () => {
    await using at = await modelReviews(
      (repository) => {
        repository.commit("Begin", { "README.md": "# Shop\n", "store/big.py": divided(0) })
        repository.branch("feature").commit("Add", files)
      },
      (asked, nth) => {
        const isSecond = submitOf(asked) === "submit_review" && asked.told.includes('"second argument 7")')
        return isSecond ? { trouble: { status: 400, message: "no" } } : script(asked, nth)
      }
    )
    const { result } = await at.report(["--backend", "anthropic", "--max-cost", "50"])
    const big = result.coverage.files.find(({ path }: { readonly path: string }) => path === "store/big.py")
    expect(big.status).toBe("unread")
    expect(result.status).not.toBe("clean")
  })

  test("an earlier review is continued with the same parts", async () => {
    await using at = await world()
    await at.json("--max-cost", "50")
    const before = at.asked.length
    const result = await at.json("--start-at", "merge", "--max-cost", "50")
    expect(at.asked.slice(before).map(submitOf)).not.toContain("submit_review")
    expect(result.coverage.files_reviewed).toBe(5)
  })
})
