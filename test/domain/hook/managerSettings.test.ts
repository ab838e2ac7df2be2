/** What the settings of a manager call. */
import { expect, test } from "bun:test"
import { settingsCall } from "../../../src/domain/hook/managerSettings.ts"

test("a call in a comment does not count, and the refs must be given to the same command", () => {
  const call = (...lines: ReadonlyArray<string>) => settingsCall(lines.join("\n"), "lefthook", "pre-push")
  const run = "run: daydream hook pre-push {1} {2}"
  expect(call("pre-push:", "  commands:", "    dd:", `      ${run}`, "      use_stdin: true")).toBe("Complete")
  expect(call("pre-push:", "  jobs:", "    - use_stdin: true", `      ${run}`)).toBe("Complete")
  expect(call("pre-push:", "  jobs:", `    - ${run}`, "    - run: cat", "      use_stdin: true")).toBe("Unfed")
  expect(call("pre-push:", "  jobs:", "    - run: cat", "      use_stdin: true", `    - ${run}`)).toBe("Unfed")
  expect(call("pre-push:", `  # ${run}`, "  # use_stdin: true")).toBe("None")
  expect(call("pre-push:", "  commands:", "    dd:", `      ${run}`, "      # use_stdin: true")).toBe("Unfed")
  expect(settingsCall("- id: dd-pre-push # dd", "pre-commit", "pre-push")).toBe("Complete")
  expect(settingsCall("# - id: dd-pre-push", "pre-commit", "pre-push")).toBe("None")
})
