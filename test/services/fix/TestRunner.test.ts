import { describe, expect } from "bun:test"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
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
      // Kept whole, it would take more than 1 GB; what the garbage collector has not freed yet counts here as well.
      expect(process.memoryUsage().rss - before).toBeLessThan(800_000_000)
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

  it.live("limits the number of processes", () =>
    Effect.gen(function* () {
      using place = scratch()
      if (!existsSync("/proc/self/limits")) return
      const { output } = yield* ran(place.path, "grep processes /proc/self/limits")
      expect(Number(/^Max processes +(\d+)/.exec(output)?.[1])).toBeLessThan(100_000)
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

/** Every file and link below a directory, with its content. */
const snapshot = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        return [path, entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, "utf8")] as const
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

/** The user's tree with dependencies, and a tree of the same project without them. */
const twoTrees = (files: Readonly<Record<string, string>>) => {
  const place = scratch()
  const [own, root] = [join(place.path, "own"), join(place.path, "tree")]
  write(own, files)
  write(root, files)
  return { own, root, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("dependencies", () => {
  const npm = {
    "package.json": '{"scripts": {"test": "node test.js"}}',
    "web/package.json": "{}",
    "test.js": `require("fs").writeFileSync("node_modules/dep/written", "x")
require("fs").writeFileSync("node_modules/linked/written", "x")
if (require("dep") + require("own") !== "dep tree") process.exit(1)
`,
    "lib/package.json": '{"name": "own"}',
    "lib/index.js": 'module.exports = " own"\n'
  }

  it.live("are copied, and tests do not change those of the user", () =>
    Effect.gen(function* () {
      using trees = twoTrees(npm)
      const { own, root } = trees
      write(own, {
        "node_modules/dep/index.js": 'module.exports = "dep"\n',
        "node_modules/linked/x": "",
        "web/node_modules/.bin/tool": `#!${own}/node_modules/.bin/node\n`
      })
      symlinkSync(join(own, "lib"), join(own, "node_modules/own"))
      write(root, { "lib/index.js": 'module.exports = " tree"\n' })
      const before = snapshot(own)
      const result = yield* ran(root, "npm test", { own })
      expect(result).toMatchObject({ outcome: "passed" })
      expect(snapshot(own)).toEqual(before)
      expect(readlinkSync(join(root, "node_modules/own"))).toBe(join(root, "lib"))
      expect(readFileSync(join(root, "web/node_modules/.bin/tool"), "utf8")).toBe(`#!${root}/node_modules/.bin/node\n`)
    })
  )

  it.live("of Python are those of the tested tree, also packages that refer to the user's", () =>
    Effect.gen(function* () {
      if (Bun.which("python3") === null) return
      const files = {
        "pyproject.toml": "[project]\nname = 'shop'\n",
        "code/shop/__init__.py": "value = 'user'\n"
      }
      using trees = twoTrees(files)
      const { own, root } = trees
      write(root, { "code/shop/__init__.py": "value = 'tree'\n" })
      execFileSync("python3", ["-m", "venv", "--without-pip", join(own, ".venv")], {
        env: { ...real } as NodeJS.ProcessEnv
      })
      const [version = ""] = readdirSync(join(own, ".venv/lib"))
      write(own, { [`.venv/lib/${version}/site-packages/shop.pth`]: `${own}/code\n` })
      const before = snapshot(own)
      const result = yield* ran(root, `python -c "import shop, sys; print(shop.value, sys.prefix)"`, { own })
      expect(result).toMatchObject({ outcome: "passed", output: "tree .venv\n" })
      expect(snapshot(own)).toEqual(before)
    })
  )

  it.live("that are not installed are an environmental fault", () =>
    Effect.gen(function* () {
      using trees = twoTrees(npm)
      const result = yield* ran(trees.root, "node -e 'require(\"dep\")'", { own: trees.own })
      expect(result).toMatchObject({ outcome: "environment", fault: "dependency" })
    })
  )
})

describe("a sandbox", () => {
  const hasSandbox = existsSync("/usr/bin/bwrap") || existsSync("/usr/bin/sandbox-exec")

  it.live("has no network, no home directory and no other file to write", () =>
    Effect.gen(function* () {
      if (!hasSandbox) return
      using place = scratch()
      const [home, tree] = [join(place.path, "home"), join(place.path, "home/tree")]
      write(home, { ".ssh/key": "secret", ".cargo/bin/tool": "tool" })
      mkdirSync(tree)
      const variables = { PATH: process.env.PATH, HOME: home }
      const run = (line: string) => ran(tree, line, { sandbox: "on" }, variables)
      const first = yield* run("echo x > written; cat ~/.cargo/bin/tool; cat ~/.ssh/key; echo y > ~/kept")
      if (first.outcome === "not-run") return
      expect(first.sandbox).toBe("bubblewrap")
      expect(first.output).toContain("tool")
      expect(first.output).not.toContain("secret")
      expect(readFileSync(join(tree, "written"), "utf8")).toBe("x\n")
      expect(existsSync(join(home, "kept"))).toBe(false)
      yield* run(`echo x > ${place.path}/other`)
      expect(existsSync(join(place.path, "other"))).toBe(false)
      const script = `fetch("http://192.0.2.1/").then(() => 0, (e) => { console.log(e.cause.code); process.exit(1) })`
      expect((yield* run(`node -e '${script}'`)).output).toContain("ENETUNREACH")
    })
  )

  it.live("has a configuration of git that cannot be changed", () =>
    Effect.gen(function* () {
      if (!hasSandbox) return
      using place = scratch()
      const [own, tree] = [join(place.path, "home/own"), join(place.path, "home/tree")]
      write(own, { "a.txt": "a" })
      const git = (...args: ReadonlyArray<string>) =>
        execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", ...args], { stdio: "ignore" })
      git("init", "-q", own)
      git("-C", own, "add", "-A")
      git("-C", own, "commit", "-qm", "first")
      git("clone", "-q", own, tree)
      const line = "git log --format=%s; git config core.worktree / || echo refused"
      const variables = { PATH: process.env.PATH, HOME: join(place.path, "home") }
      const result = yield* ran(tree, line, { sandbox: "on", own }, variables)
      if (result.outcome === "not-run") return
      expect(result.output).toContain("first")
      expect(result.output).toContain("refused")
    })
  )

  it.live("has local servers", () =>
    Effect.gen(function* () {
      if (!hasSandbox) return
      using place = scratch()
      const script = `const s = require("http").createServer((q, r) => r.end("served")).listen(0, "127.0.0.1", () =>
        fetch("http://127.0.0.1:" + s.address().port).then((r) => r.text()).then((t) => { console.log(t); s.close() }))`
      write(place.path, { "a.js": script })
      expect((yield* ran(place.path, "node a.js", { sandbox: "auto" })).output).toContain("served")
    })
  )

  it.live("that is required and missing means that tests do not run", () =>
    Effect.gen(function* () {
      using place = scratch()
      // Without a home directory to replace there is still a sandbox; a tree that does not exist has none.
      const result = yield* ran(join(place.path, "missing"), "echo ran", { sandbox: "on" })
      expect(result.outcome).toBe("not-run")
      expect(result.reason).toContain("test_sandbox is on")
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
      ["a: TestNo"]
    ],
    [
      "cargo",
      {
        "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": "#[test]\nfn ok() {}\n#[test]\nfn no() { assert!(false) }\n"
      },
      "src/lib.rs",
      "cargo test",
      ["a: no"]
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
  // The machine that tests dd has Node; what else it has is tested as well.
  for (const [name, files, changed, command, failing] of passing.filter(([name]) => Bun.which(name) !== null)) {
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
