import { describe, expect, it } from "bun:test"
import { placesText } from "../../../src/domain/change/WordPlace.ts"

describe("places as text", () => {
  const at = (...places: ReadonlyArray<string>) =>
    places.map((place) => ({ path: place.split(":")[0]!, line: Number(place.split(":")[1]) }))

  it("names one place of each file before a second one, each once", () => {
    expect(placesText(at("a.py:1", "a.py:2", "a.py:2", "b.py:7"))).toBe("a.py:1, b.py:7, a.py:2")
  })

  it("counts the places that it leaves out", () => {
    expect(placesText(at("a.py:1", "a.py:2", "b.py:1"), 2)).toBe("a.py:1, b.py:1, and 1 more")
  })
})
