/** How claims are divided among verifiers. */
import { describe, expect, test } from "bun:test"
import { agentsForClaims, inGroups, mostVerifiers } from "../../../src/domain/agent/plannedAgents.ts"
import { Random } from "../../support/plantedSessions.ts"

describe("groups", () => {
  test("have every claim once, those of a file together and in order, in at most so many groups of similar size", () => {
    const random = new Random(11)
    for (let round = 0; round < 200; round++) {
      const files = Array.from({ length: random.below(30) }, (_, file) =>
        Array.from({ length: 1 + random.below(5) }, (_, at) => `${file}:${at}`)
      )
      const most = random.below(10)
      const groups = inGroups(files, most)
      expect(groups.flat().toSorted()).toEqual(files.flat().toSorted())
      expect(groups.length).toBe(Math.min(files.length, Math.max(1, most)))
      for (const file of files) {
        const at = groups.find((group) => group.includes(file[0]!)) ?? []
        expect(at.join().includes(file.join())).toBe(true)
      }
      const sizes = groups.map(({ length }) => length)
      expect(Math.max(0, ...sizes) - Math.min(...sizes, Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(5)
    }
    expect(inGroups([["a"], ["b"]], Number.POSITIVE_INFINITY)).toEqual([["a"], ["b"]])
  })

  test("are as many as planned", () => {
    expect(agentsForClaims(["verify"], 3)).toBe(3)
    expect(agentsForClaims(["arbiter", "merge", "verify"], 60)).toBe(2 + mostVerifiers)
  })
})
