/** What the settings of a manager call. */
import { expect, test } from "bun:test"
import { settingsCall } from "../../../src/domain/hook/managerSettings.ts"

const inLefthook = (name: string, ...lines: ReadonlyArray<string>) =>
  settingsCall({ manager: "lefthook", name, text: lines.join("\n") }, "pre-push")
const inPreCommit = (...lines: ReadonlyArray<string>) =>
  settingsCall({ manager: "pre-commit", name: ".pre-commit-config.yaml", text: lines.join("\n") }, "pre-push")

test("a call in a comment does not count, and the refs must be given to the same command", () => {
  const call = (...lines: ReadonlyArray<string>) => inLefthook("lefthook.yml", ...lines)
  const run = "run: daydream hook pre-push {1} {2}"
  expect(call("pre-push:", "  commands:", "    dd:", `      ${run}`, "      use_stdin: true")).toBe("Complete")
  expect(call("pre-push:", "  jobs:", "    - use_stdin: true", `      ${run}`)).toBe("Complete")
  expect(call("pre-push:", "  jobs:", `    - ${run}`, "    - run: cat", "      use_stdin: true")).toBe("Unfed")
  expect(call("pre-push:", "  jobs:", "    - run: cat", "      use_stdin: true", `    - ${run}`)).toBe("Unfed")
  expect(call("pre-push:", `  # ${run}`, "  # use_stdin: true")).toBe("None")
  expect(call("pre-push:", "  commands:", "    dd:", `      ${run}`, "      # use_stdin: true")).toBe("Unfed")
})

test("other forms of the same settings are understood", () => {
  const run = "daydream hook pre-push {1}"
  expect(inLefthook("lefthook.yml", `pre-push: {jobs: [{run: "${run}", use_stdin: true}]}`)).toBe("Complete")
  expect(inLefthook("lefthook.yml", "pre-push:", "  jobs:", "  - run: >-", `      ${run}`, "    use_stdin: true")).toBe(
    "Complete"
  )
  expect(inLefthook("lefthook.toml", "[pre-push.commands.dd]", `run = "${run}"`, "use_stdin = true")).toBe("Complete")
  expect(inLefthook("lefthook.jsonc", `{"pre-push": {"jobs": [{"run": "${run}"}]} // dd`, "}")).toBe("Unfed")
  expect(inPreCommit("repos: [{repo: local, hooks: [{id: mine, entry: daydream hook pre-push}]}]")).toBe("Complete")
  expect(inPreCommit("repos:", "- repo: x", "  hooks:", "  - id: dd-pre-push # dd")).toBe("Complete")
})

test("a call for another hook, a text that is no command, and a broken file do not count", () => {
  const run = "run: daydream hook pre-push {1} {2}"
  expect(inLefthook("lefthook.yml", "pre-commit:", "  jobs:", `  - ${run}`)).toBe("None")
  expect(inLefthook("lefthook.yml", "pre-push:", "  jobs:", "  - run: cat", `    fail_text: "${run}"`)).toBe("None")
  expect(inLefthook("lefthook.yml", "pre-push: [", `  - ${run}`)).toBe("None")
  expect(inPreCommit("# - id: dd-pre-push")).toBe("None")
  expect(inPreCommit("")).toBe("None")
})
