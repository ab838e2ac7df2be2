import { describe, expect } from "bun:test"
import { Alternative } from "../../../src/domain/finding/Alternative.ts"
import { dedupCandidates } from "../../../src/domain/finding/DedupCandidates.ts"
import { ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import { it } from "../../support/effect.ts"

const record = (id: number, file: string, description: string, line = 1) =>
  ReviewRecord.make({
    id,
    description,
    file,
    line,
    confidence: "HIGH",
    severity: "high",
    rationale: "",
    evidence: `${file}:${line}`
  })

const stack = (name: string, ...records: ReadonlyArray<ReviewRecord>) => ({ stack: { name, files: [] }, records })

const alternative = Alternative.make({
  id: 1,
  title: "Race condition in the cache layer",
  description: "d",
  recommendation: "r",
  severity: "low",
  files: ["b.py"],
  confidence: "HIGH",
  rationale: "",
  evidence: ""
})

describe("dedupCandidates", () => {
  it("pairs similar records of one file, and names the stack of each", () => {
    const pairs = dedupCandidates(
      [
        stack("python", record(1, "b.py", "Race condition in cache")),
        stack(
          "go",
          record(1, "b.py", "Race condition in the cache layer", 50),
          record(2, "c.go", "Race condition in cache")
        )
      ],
      [alternative]
    )
    expect(pairs.record_duplicate_pairs).toEqual([
      {
        record_a_id: 1,
        record_a_file: "b.py",
        record_a_description: "Race condition in the cache layer",
        record_a_source: "go",
        record_b_id: 1,
        record_b_file: "b.py",
        record_b_description: "Race condition in cache",
        record_b_source: "python",
        similarity: 0.7619
      }
    ])
    expect(pairs.record_alt_pairs.map((pair) => [pair.record_description, pair.similarity])).toEqual([
      ["Race condition in cache", 0.7619],
      ["Race condition in the cache layer", 1]
    ])
  })

  it("pairs nothing with nothing", () => {
    expect(dedupCandidates([], [alternative])).toEqual({ record_alt_pairs: [], record_duplicate_pairs: [] })
  })
})
