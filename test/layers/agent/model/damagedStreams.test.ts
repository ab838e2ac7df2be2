import { describe, expect, test } from "bun:test"
import { judged, protocols } from "../../../support/damagedStreams.ts"

describe("a damaged stream", () => {
  for (const protocol of protocols) {
    test(`of ${protocol} neither stops the decoder nor makes it call a cut call whole (400 of them)`, () => {
      const wrong = Array.from({ length: 400 }, (_, seed) => [seed, judged(protocol, seed)] as const)
      expect(wrong.filter(([, fault]) => fault !== null)).toEqual([])
    })
  }
})
