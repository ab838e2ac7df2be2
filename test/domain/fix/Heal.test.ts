import { describe, expect } from "bun:test"
import { compare, nextAction } from "../../../src/domain/fix/Heal.ts"
import type { TestResult } from "../../../src/domain/fix/TestResult.ts"
import { it } from "../../support/effect.ts"

const result = (fields: Partial<TestResult>): TestResult => ({
  outcome: "failed",
  exitCode: 1,
  failing: null,
  fault: null,
  output: "",
  durationMs: 1,
  reason: "",
  sandbox: "none (test)",
  ...fields
})
const passed = result({ outcome: "passed", exitCode: 0 })
const failing = (...names: ReadonlyArray<string>) => result({ failing: names })
const lacking = (fault: TestResult["fault"]) => result({ outcome: "environment", fault })

describe("compare", () => {
  it("is green if the tests pass, whatever they did before", () => {
    for (const before of [null, passed, failing("a"), lacking("service")]) {
      expect(compare(before, passed)).toBe("green")
    }
  })

  it("is worse only if a test fails that did not fail before", () => {
    expect(compare(passed, failing("a"))).toBe("worse")
    expect(compare(failing("a", "b"), failing("a"))).toBe("not-worse")
    expect(compare(failing("a"), failing("a", "b"))).toBe("worse")
    expect(compare(failing("a"), failing("b"))).toBe("worse")
  })

  it("is worse if the runner no longer names tests, or was killed", () => {
    expect(compare(failing("a"), result({}))).toBe("worse")
    expect(compare(failing("a"), result({ failing: ["a"], exitCode: 139 }))).toBe("worse")
    expect(compare(passed, result({ outcome: "timed-out", exitCode: null }))).toBe("worse")
  })

  it("is unknown without a baseline, and without names", () => {
    expect(compare(null, failing("a"))).toBe("unknown")
    expect(compare(result({}), result({}))).toBe("unknown")
    expect(compare(lacking("service"), failing("a"))).toBe("unknown")
    expect(compare(passed, result({ outcome: "not-run", exitCode: null }))).toBe("unknown")
  })

  it("blames the fix for a module that was there before, and not for a service", () => {
    expect(compare(passed, lacking("dependency"))).toBe("worse")
    expect(compare(passed, lacking("service"))).toBe("environment")
    expect(compare(null, lacking("dependency"))).toBe("environment")
    expect(compare(lacking("dependency"), lacking("dependency"))).toBe("environment")
  })
})

describe("nextAction", () => {
  it("repeats a fix once under --yes, and never unattended", () => {
    expect(nextAction({ comparison: "worse", attemptsMade: 0, mode: "yes" })).toBe("heal")
    expect(nextAction({ comparison: "worse", attemptsMade: 1, mode: "yes" })).toBe("stop")
    expect(nextAction({ comparison: "worse", attemptsMade: 0, mode: "unattended" })).toBe("stop")
    expect(nextAction({ comparison: "worse", attemptsMade: 9, mode: "interactive" })).toBe("ask")
  })

  it("stops on an environmental fault in every mode, and accepts what is not worse", () => {
    for (const mode of ["unattended", "yes", "interactive"] as const) {
      expect(nextAction({ comparison: "environment", attemptsMade: 0, mode })).toBe("stop")
      expect(nextAction({ comparison: "green", attemptsMade: 0, mode })).toBe("accept")
      expect(nextAction({ comparison: "not-worse", attemptsMade: 5, mode })).toBe("accept")
    }
    expect(nextAction({ comparison: "unknown", attemptsMade: 0, mode: "yes" })).toBe("stop")
    expect(nextAction({ comparison: "unknown", attemptsMade: 0, mode: "interactive" })).toBe("ask")
  })
})
