import { describe, expect, test } from "bun:test"
import { readCommand } from "../../../src/domain/dream/commandFamily.ts"
import { outputVerdict } from "../../../src/domain/dream/outputVerdict.ts"

describe("a command is read by what it does", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["bun test", "bun test", "test"],
    ["cd web && CI=1 npx vitest run a.test.ts", "vitest", "test"],
    ["npm run test:unit -- --watch=false", "npm run test:unit", "test"],
    ["python -m pytest tests/test_a.py -q", "pytest", "test"],
    ["uv run pytest", "pytest", "test"],
    ["cargo clippy --all-targets", "cargo clippy", "check"],
    ["go test ./...", "go test", "test"],
    ["node_modules/.bin/tsc --noEmit", "tsc", "check"],
    ["timeout 60 make", "make", "build"],
    ["git add -A && git commit -m 'fix: dates'", "git commit", "commit"],
    ["git commit -m 'run && hide; all'", "git commit", "commit"],
    ["npm ci && npm run build", "npm run build", "build"],
    ["mkdir -p a/b", "mkdir", "other"],
    ["node scripts/one.js", "node scripts/one.js", "other"],
    ["ls -la", "ls", "other"]
  ]
  for (const [command, family, purpose] of cases) {
    test(command, () => expect(readCommand(command)).toMatchObject({ family, purpose }))
  }

  test("nothing is read from an empty command", () => {
    expect(readCommand("")).toBeNull()
    expect(readCommand("cd web")).toBeNull()
  })
})

describe("an exit code that is hidden proves nothing", () => {
  test("a pipe, a list and `|| true` hide it", () => {
    for (const command of ["npm test | tail -5", "npm test || true", "npm test; echo done", "npm test &"]) {
      expect(readCommand(command)).toMatchObject({ hidesExit: true, purpose: "test" })
    }
  })

  test("pipefail and `&&` do not", () => {
    for (const command of ["set -o pipefail; npm test | tail", "cd a && npm test", "npm test 2>&1"]) {
      expect(readCommand(command)).toMatchObject({ purpose: "test" })
    }
    expect(readCommand("cd a && npm test")?.hidesExit).toBe(false)
    expect(readCommand("npm test 2>&1")?.hidesExit).toBe(false)
  })

  test("then the summary of the tool decides", () => {
    expect(outputVerdict("npm test | tail -5", "Tests: 2 failed, 10 passed")).toBe("failed")
    expect(outputVerdict("bun test | tail", " 18 pass\n 0 fail")).toBe("passed")
    expect(outputVerdict("npm test | tail -5", "...")).toBe("unknown")
    expect(outputVerdict("npm test", "2 failed")).toBeUndefined()
    expect(outputVerdict("ls | tail", "1 failed")).toBeUndefined()
  })
})
