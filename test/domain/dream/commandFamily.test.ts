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
    ["(cd web && npm test)", "npm test", "test"],
    ["( npm run lint )", "npm run lint", "check"],
    ["npx playwright test a.spec.ts", "playwright test", "test"],
    ["cargo nextest run -p core", "cargo nextest run", "test"],
    ["ls -la", "ls", "other"]
  ]
  for (const [command, family, purpose] of cases) {
    test(command, () => expect(readCommand(command)).toMatchObject({ family, purpose }))
  }

  test("a command that only tells about a check is none, and of another family", () => {
    const checks = [
      "npm test -- --help",
      "npx jest --listTests",
      "pytest --collect-only",
      "npx tsc --version",
      "npx vitest list",
      "npx playwright test --list",
      "npx playwright install",
      "swift test list",
      "cargo nextest list",
      "golangci-lint linters",
      "pre-commit install",
      "npx eslint --print-config a.js",
      "mypy --help",
      "vercel login",
      "cargo test --no-run"
    ]
    for (const command of [...checks, "git commit --dry-run", "kubectl apply -f a.yaml --dry-run=client"]) {
      expect(readCommand(command)).toMatchObject({ purpose: "other" })
    }
    const runs = [
      "prettier --check --list-different a",
      "pytest --show-capture=no",
      "npx playwright test --reporter list"
    ]
    for (const command of runs) expect(readCommand(command)?.purpose).not.toBe("other")
    for (const [one, other] of [
      ["npx vitest list", "npx vitest"],
      ["npx playwright install", "npx playwright test"],
      ["cargo nextest list", "cargo nextest run"]
    ] as const)
      expect(readCommand(one)?.family).not.toBe(readCommand(other)!.family)
    expect(readCommand("npx tsc --version")?.family).not.toBe(readCommand("npx tsc")!.family)
    expect(readCommand("npx jest --listTests && npx jest")).toMatchObject({ family: "jest", purpose: "test" })
    expect(readCommand("git commit -m 'cli: --help is short'")).toMatchObject({ purpose: "commit" })
  })

  test("nothing is read from an empty command", () => {
    expect(readCommand("")).toBeNull()
    expect(readCommand("cd web")).toBeNull()
  })
})

describe("an exit code that is hidden proves nothing", () => {
  test("a pipe, a list and `|| true` hide it", () => {
    const lists = ["npm test && echo ok || echo bad", "cd a && npm test && echo ok &", "npm test && echo ok; true"]
    const plain = ["pytest a; pytest b", "npm test | tail -5", "npm test || true", "npm test; echo done", "npm test &"]
    for (const command of [...plain, ...lists, "nohup npm test > log 2>&1 &", "timeout 10 npm test; true"]) {
      expect(readCommand(command)).toMatchObject({ hidesExit: true, purpose: "test" })
    }
  })

  test("`!` inverts it", () => {
    for (const command of ["! npm test", "cd a && ! npm test", "(! npm test)"]) {
      expect(readCommand(command)).toMatchObject({ family: "npm test", hidesExit: true, purpose: "test" })
    }
    expect(outputVerdict("! npm test", "Tests: 2 failed, 10 passed")).toBe("failed")
    expect(outputVerdict("! npm test", "")).toBe("unknown")
  })

  test("the version of a program is no result of a check", () => {
    const asked: ReadonlyArray<readonly [string, string]> = [
      ["npx tsc -v", "Version 5.4.2\n"],
      ["npx eslint -v", "v9.1.0\n"],
      ["npx jest -v", "29.7.0"],
      ["npx vitest -v", "vitest/1.6.0 linux-x64 node-v20.11.0\n"],
      ["mypy -V", "mypy 1.10.0 (compiled: yes)\n"],
      ["golangci-lint run -v", "golangci-lint has version 1.58.1 built with go1.22.2 from 1a2b3c on 2024-05-08"]
    ]
    for (const [command, output] of asked) expect(outputVerdict(command, output)).toBe("unknown")
    expect(outputVerdict("pytest -v", "3 passed in 0.1s")).toBeUndefined()
    expect(outputVerdict("npx webpack", "webpack 5.91.0 compiled successfully in 300 ms")).toBeUndefined()
    expect(outputVerdict("npx tsc", "")).toBeUndefined()
  })

  test("pipefail and `&&` do not", () => {
    for (const command of ["set -o pipefail; npm test | tail", "cd a && npm test", "npm test 2>&1"]) {
      expect(readCommand(command)).toMatchObject({ purpose: "test" })
    }
    expect(readCommand("cd a && npm test")?.hidesExit).toBe(false)
    const last = ["cd a; npm test && echo ok", "npm test;", "npm test \\\n  --silent", "cd a &&\nnpm test"]
    for (const command of [...last, "npm test 2>&1"]) expect(readCommand(command)?.hidesExit).toBe(false)
  })

  test("then the summary of the tool decides", () => {
    expect(outputVerdict("npm test | tail -5", "Tests: 2 failed, 10 passed")).toBe("failed")
    expect(outputVerdict("bun test | tail", " 18 pass\n 0 fail")).toBe("passed")
    expect(outputVerdict("npm test | tail -5", "...")).toBe("unknown")
    expect(outputVerdict("npm test; echo OK", "OK")).toBe("unknown")
    expect(outputVerdict("python -m unittest | tail -4", "Ran 3 tests in 0.1s\n\nOK\n")).toBe("passed")
    expect(outputVerdict("phpunit | tail -1", "OK (3 tests, 4 assertions)")).toBe("passed")
    expect(outputVerdict("npm test", "2 failed")).toBeUndefined()
    expect(outputVerdict("git commit -m x || true", "nothing to commit, working tree clean")).toBe("unknown")
    expect(outputVerdict("git commit -m x; true", "[main 1a2b3c4] x\n 1 file changed")).toBe("passed")
    expect(outputVerdict("ls | tail", "1 failed")).toBeUndefined()
  })
})
