import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { countsOf, verdictOf } from "../../scripts/test.ts"
import { run, scratch } from "../support/process.ts"

const nothing = { passed: 0, failed: 0, skipped: 0 }

describe("the last line of a test run", () => {
  test("counts passed and failed, and names skipped only when there are some", () => {
    expect(verdictOf({ ...nothing, passed: 3 }, 0)).toBe("3 passed, 0 failed")
    expect(verdictOf({ ...nothing, passed: 3, failed: 1, skipped: 2 }, 1)).toBe("3 passed, 1 failed, 2 skipped")
  })

  test("is a failure when nothing ran or the runner died", () => {
    expect(verdictOf(nothing, 0)).toBe("0 passed, 1 failed")
    expect(verdictOf({ ...nothing, passed: 3 }, 139)).toBe("3 passed, 1 failed")
  })

  test("is a failure when something is left in the temporary directory", () => {
    expect(verdictOf({ ...nothing, passed: 3 }, 0, ["dd-test-a"])).toBe("3 passed, 1 failed")
    expect(verdictOf({ ...nothing, passed: 3, failed: 1 }, 1, ["dd-test-a"])).toBe("3 passed, 1 failed")
  })
})

describe("the runner's summary", () => {
  test("is the last one in its output", () => {
    const output =
      " 9 pass\n 9 fail\nRan 18 tests across 1 file. [1ms]\n(pass) x\n\n 2 pass\n 1 skip\n 1 todo\n 3 fail\n 1 error\n 4 expect() calls\nRan 7 tests across 2 files. [9ms]\n"
    expect(countsOf(output)).toEqual({ passed: 2, failed: 3, skipped: 2 })
  })

  test("is read through colours, and is nothing when the runner never came to it", () => {
    expect(countsOf("\u001b[32m 2 pass\u001b[0m\n 0 fail\nRan 2 tests across 1 file.\n").passed).toBe(2)
    expect(countsOf(" 2 pass\nsegmentation fault\n")).toEqual(nothing)
    expect(countsOf("")).toEqual(nothing)
  })

  test("reports what really happened: passes, failures, skips, files that do not load", async () => {
    using place = scratch()
    const files = {
      good: 'import { test } from "bun:test"\ntest("a", () => {})\ntest.skip("b", () => {})',
      bad: 'import { test } from "bun:test"\ntest("a", () => { throw new Error("no") })',
      missing: 'import "./nowhere.ts"',
      broken: 'throw new Error("at load")'
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place.path, `${name}.test.ts`), text)
    const { status, stderr } = await run([process.execPath, "test"], { cwd: place.path })
    expect({ status, ...countsOf(stderr) }).toEqual({ status: 1, passed: 1, failed: 3, skipped: 1 })
  })
})
