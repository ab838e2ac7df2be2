import { describe, expect, test } from "bun:test"
import { joinedValues } from "../../../src/cli/system/joinedValues.ts"

const reads = (typed: string, read: string) =>
  test(typed, () => {
    expect(joinedValues(typed.split(" ")).join(" ")).toBe(read)
  })

describe("a flag with an optional value takes a number and never a path", () => {
  reads("review --shallow --loop 3 src", "review --shallow --loop=3 src")
  reads("review --loop src --shallow", "review --loop src --shallow")
  reads("review --loop --shallow 3", "review --loop --shallow 3")
  reads("review --loop 3x", "review --loop 3x")
  reads("review --loop=2 3", "review --loop=2 3")
  reads("review --loop 0", "review --loop=0")
  reads("review --loop", "review --loop")
  reads("archive label --next 5 --json", "archive label --next=5 --json")
  reads("archive label --finding 5", "archive label --finding 5")
})

describe("a word with a minus and a digit is the value of the flag before it", () => {
  reads("dream start --run-timeout -5h", "dream start --run-timeout=-5h")
  reads("review --max-cost -.5 src", "review --max-cost=-.5 src")
  reads("review -s -5h", "review -s=-5h")
  reads("archive label --next -1", "archive label --next=-1")
  reads("review --run-timeout -h", "review --run-timeout -h")
})

describe("a word with a minus and a digit is an argument without a flag before it", () => {
  reads("review --max-time=1h -5h", "review --max-time=1h -- -5h")
  reads("review -5h src", "review src -- -5h")
  reads("dream start -5h -- x", "dream start -- -5h x")
})

test("what follows -- stays as it is", () => {
  expect(joinedValues(["ask", "--loop", "2", "--", "--loop", "3", "--since", "-5h"])).toEqual([
    ...["ask", "--loop=2", "--", "--loop", "3", "--since", "-5h"]
  ])
})
