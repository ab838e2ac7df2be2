import { describe, expect, test } from "bun:test"
import { type Answer, type Asked, answerFiles } from "../../../src/domain/agent/Answer.ts"

const answer: Answer = {
  status: "complete",
  error: null,
  text: "No.\n",
  thinking: "",
  backend: "openai",
  model: "m-1",
  promptTokens: 12_345,
  completionTokens: 678,
  cachedTokens: 10_000,
  usd: 0.012345678912345,
  costSource: "computed",
  durationMs: 14_210
}
const asked: Asked = {
  createdAt: "2026-01-02T03:04:05.000Z",
  query: "Is it safe?\nReally?",
  pack: { path: ".daydream/pack/pr-context.txt", sha256: "ab", tokens: 9_000, encoding: "o200k_base" },
  budget: { source: "default", contextTokens: null, requested: 272_000, pack: 257_952 }
}
const metadataOf = (over: Partial<Answer>) =>
  JSON.parse(answerFiles({ ...answer, ...over }, asked).get("metadata.json")!)

describe("the files of an answer", () => {
  test("have the answer, what it took and what it is about", () => {
    const files = answerFiles(answer, asked)
    expect([...files.keys()]).toEqual(["answer.txt", "thinking.txt", "report.md", "metadata.json"])
    expect(files.get("answer.txt")).toBe("No.\n")
    expect(files.get("thinking.txt")).toBe("")
    expect(files.get("report.md")).toBe(`> Is it safe?
> Really?

No.

---

openai (m-1), 14.2 s, 12,345 tokens in (10,000 cached), 678 out, $0.0123.

Context pack: .daydream/pack/pr-context.txt, 9,000 tokens (o200k_base), sha256 ab.
`)
    expect(metadataOf({})).toEqual({
      createdAt: asked.createdAt,
      query: asked.query,
      status: "complete",
      error: null,
      backend: "openai",
      model: "m-1",
      pack: asked.pack,
      budget: asked.budget,
      durationMs: 14_210,
      usage: { input: 12_345, output: 678, cached: 10_000, total: 13_023 },
      costUsd: 0.012345679,
      costSource: "computed"
    })
  })

  test("have null for what is not known, never zero", () => {
    const unknown = { model: "", promptTokens: 5, completionTokens: null, cachedTokens: null, usd: null } as const
    expect(metadataOf(unknown)).toMatchObject({
      model: null,
      usage: { input: 5, output: null, cached: null, total: null },
      costUsd: null
    })
    const report = answerFiles({ ...answer, ...unknown, status: "failed", error: "no answer", text: "" }, asked).get(
      "report.md"
    )
    expect(report).toContain("> Really?\n\n**Error:** no answer\n\n---\n\nopenai, 14.2 s, 5 tokens in, cost unknown.")
  })
})
