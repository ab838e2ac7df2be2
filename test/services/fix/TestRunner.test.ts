import { describe, expect } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { dirname, join } from "node:path"
import { ConfigProvider, Effect, Layer } from "effect"
import type { TestCommand } from "../../../src/domain/fix/TestCommand.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { type TestOptions, TestRunner } from "../../../src/services/fix/TestRunner.ts"
import { it } from "../../support/effect.ts"
import { isRunning, scratch } from "../../support/process.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Toolchains need a home directory, which the tests of dd do not have. */
const real: Variables = { ...process.env, HOME: userInfo().homedir }

const layer = (options: Partial<TestOptions>, variables: Variables = real) =>
  TestRunner.layer({ timeout: 120, sandbox: "off", own: "/nowhere", ...options }).pipe(
    Layer.provide(Platform.layer),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ ...variables })))
  )

const commandOf = (command: string): TestCommand => ({ command, directory: "", from: "test" })

const ran = (root: string, command: string, options: Partial<TestOptions> = {}, variables?: Variables) =>
  TestRunner.use((runner) => runner.run(commandOf(command), root)).pipe(Effect.provide(layer(options, variables)))

const write = (root: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
}

const detected = (root: string, changed: ReadonlyArray<string>, options: Partial<TestOptions> = {}) =>
  Effect.gen(function* () {
    const runner = yield* TestRunner
    const command = yield* runner.find(root, { value: null, origin: { _tag: "Default", because: "" } }, changed)
    return { command, result: yield* runner.run(command, root) }
  }).pipe(Effect.provide(layer(options)))

const pidIn = (path: string): number => Number(readFileSync(path, "utf8").trim())

/** A killed process needs a moment to end. */
const waitForEnd = (...pids: ReadonlyArray<number>) =>
  Effect.promise(async () => {
    while (pids.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 5))
  })

describe("TestRunner", () => {
  it.live("decides by the exit code, not by what is printed", () =>
    Effect.gen(function* () {
      using place = scratch()
      const passed = yield* ran(place.path, "echo '3 failed'; echo err >&2")
      expect(passed).toMatchObject({ outcome: "passed", exitCode: 0, reason: "", output: "3 failed\nerr\n" })
      const failed = yield* ran(place.path, "echo 'all tests passed'; exit 3")
      expect(failed).toMatchObject({ outcome: "failed", exitCode: 3, failing: null })
    })
  )

  it.live("gives the command no keys, no terminal and no input", () =>
    Effect.gen(function* () {
      using place = scratch()
      const secret = {
        PATH: process.env.PATH,
        HOME: "/root",
        OPENAI_API_KEY: "x",
        BUN_OPTIONS: "x",
        GIT_DIR: "x",
        DD_X: "x"
      }
      const { output } = yield* ran(
        place.path,
        "env | cut -d= -f1 | sort; cat; test -t 0 || echo no terminal",
        {},
        secret
      )
      expect(
        output
          .trim()
          .split("\n")
          .filter((name) => !/^(?:_|PWD|OLDPWD|SHLVL)$/.test(name))
      ).toEqual(["CI", "HOME", "NO_COLOR", "PATH", "PYTHONDONTWRITEBYTECODE", "TERM", "no terminal"])
    })
  )

  it.live("ends what hangs, with everything it started, although it ignores SIGTERM", () =>
    Effect.gen(function* () {
      using place = scratch()
      const script = `trap "" TERM; sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 0.05; done' & while :; do sleep 0.05; done`
      const result = yield* ran(place.path, `${script}`, { timeout: 1 })
      expect(result).toMatchObject({ outcome: "timed-out", exitCode: null })
      expect(result.durationMs).toBeLessThan(20_000)
      yield* waitForEnd(pidIn(join(place.path, "child")))
    })
  )

  it.live("does not wait for grandchildren, and ends them", () =>
    Effect.gen(function* () {
      using place = scratch()
      const result = yield* ran(place.path, "sleep 300 & echo $! > left; echo done")
      expect(result).toMatchObject({ outcome: "passed", output: "done\n" })
      yield* waitForEnd(pidIn(join(place.path, "left")))
    })
  )

  it.live("keeps the start and the end of 1 GB of output", () =>
    Effect.gen(function* () {
      using place = scratch()
      const before = process.memoryUsage().rss
      const result = yield* ran(
        place.path,
        "echo start; head -c 1000000000 /dev/zero | tr '\\0' 'a'; echo; echo end; exit 1"
      )
      expect(result.outcome).toBe("failed")
      expect(result.output.length).toBeLessThanOrEqual(30_000)
      expect(result.output.endsWith("end\n")).toBe(true)
      expect(process.memoryUsage().rss - before).toBeLessThan(400_000_000)
    })
  )

  it.live("ends a command that starts more and more processes", () =>
    Effect.gen(function* () {
      using place = scratch()
      // Two children each, to a depth of seven: 255 processes that never end by themselves.
      write(place.path, {
        "fork.sh": `trap "" TERM; echo $$ >> pids; if [ $1 -gt 0 ]; then sh fork.sh $(($1 - 1)) & sh fork.sh $(($1 - 1)) & fi; while :; do sleep 1; done`
      })
      const result = yield* ran(place.path, "sh fork.sh 7", { timeout: 4 })
      expect(result.outcome).toBe("timed-out")
      const pids = readFileSync(join(place.path, "pids"), "utf8").trim().split("\n").map(Number)
      expect(pids.length).toBeGreaterThan(50)
      yield* waitForEnd(...pids)
    })
  )

  it.live("says which program is missing", () =>
    Effect.gen(function* () {
      using place = scratch()
      const result = yield* ran(place.path, "no-such-runner --all")
      expect(result).toMatchObject({ outcome: "environment", exitCode: 127, fault: "command" })
      expect(result.reason).toContain("no-such-runner is not installed")
    })
  )
})

describe("real projects", () => {
  const passing: ReadonlyArray<
    readonly [string, Readonly<Record<string, string>>, string, string, ReadonlyArray<string>]
  > = [
    [
      "pytest",
      {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "test_a.py": "def test_ok():\n    pass\n\ndef test_no():\n    assert 1 == 2\n"
      },
      "test_a.py",
      "pytest",
      ["test_a.py::test_no"]
    ],
    [
      "go",
      {
        "go.mod": "module a\n\ngo 1.19\n",
        "a_test.go":
          'package a\n\nimport "testing"\n\nfunc TestOk(t *testing.T) {}\nfunc TestNo(t *testing.T) { t.Fatal("x") }\n'
      },
      "a_test.go",
      "go test ./...",
      ["TestNo"]
    ],
    [
      "cargo",
      {
        "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": "#[test]\nfn ok() {}\n#[test]\nfn no() { assert!(false) }\n"
      },
      "src/lib.rs",
      "cargo test",
      ["no"]
    ],
    [
      "npm",
      {
        "package.json": '{"name": "a", "scripts": {"test": "node --test"}}',
        "a.test.js":
          'const test = require("node:test")\ntest("ok", () => {})\ntest("no", () => { throw new Error("x") })\n'
      },
      "a.test.js",
      "npm test",
      ["no"]
    ]
  ]
  for (const [name, files, changed, command, failing] of passing) {
    for (const sandbox of ["off", "auto"] as const) {
      it.live(`finds and runs the tests of ${name}, sandbox ${sandbox}`, () =>
        Effect.gen(function* () {
          using place = scratch()
          write(place.path, files)
          const found = yield* detected(place.path, [changed], { sandbox })
          expect(found.command.command).toBe(command)
          if (found.result.outcome !== "failed") console.log(found.result)
          expect(found.result).toMatchObject({ outcome: "failed", failing })
        })
      )
    }
  }
})
