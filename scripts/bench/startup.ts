/**
 * What it costs to start: `bun run bench:startup [rounds]`.
 *
 * An empty compiled program, `dd --version`, events of a hook, the hand-over to coreutils and coreutils alone, in turn
 * within each round so that a busy machine slows all of them alike, and each round begins with another one, so that each follows
 * all others. Ratios are medians over rounds, and of the slowest
 * twentieth (p95); their limits are meant for 200 rounds or more. Ends with status 1 when a limit is exceeded.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compile } from "../compile.ts"

const rounds = Number(process.argv[2] ?? 200)
const scratch = mkdtempSync(join(tmpdir(), "dd-startup-"))

/** Milliseconds from start to end of one run. Two secrets are in the environment, as when an assistant calls a hook. */
const timeOf = (command: ReadonlyArray<string>, input: string | undefined): number => {
  const env = { ...process.env, DD_HOME: scratch, SOME_API_KEY: "q8Zr-a-value-17-aB3d", OTHER_TOKEN: "Zm9v_x9y8z7w6v5" }
  const stdin = input === undefined ? "ignore" : Bun.file(input)
  const started = performance.now()
  const { success } = Bun.spawnSync([...command], { env, stdin, stdout: "ignore", stderr: "ignore" })
  if (!success) throw new Error(`${command.join(" ")} failed`)
  return performance.now() - started
}

const quantile = (values: ReadonlyArray<number>, share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN

const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** A payload of Claude Code in a file: a command and its output. Each is of a session of its own. */
const payload = (name: string, cwd: string, fields: object, session = name): string => {
  const path = join(scratch, `${name}.json`)
  const common = { session_id: `7c0f1f0e-1111-4222-8333-${session}`, transcript_path: "/t.jsonl", cwd }
  writeFileSync(
    path,
    JSON.stringify({ ...common, tool_name: "Bash", tool_use_id: "toolu_01A09q90qw90lq91", ...fields })
  )
  return path
}

try {
  const { path: dd } = await compile()
  const source = join(scratch, "empty.ts")
  const empty = join(scratch, "empty")
  writeFileSync(source, "export {}\n")
  await Bun.build({
    entrypoints: [source],
    compile: { outfile: empty },
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true
  })

  const tests = { command: "bun test test/cart.test.ts", description: "Run the tests of the cart" }
  const stdout = `${"(pass) the cart > adds up its items [0.12ms]\n".repeat(40)}\n 40 pass\n 0 fail\nRan 40 tests. [3.20s]\n`
  const done = {
    hook_event_name: "PostToolUse",
    tool_input: tests,
    tool_response: { stdout, stderr: "", interrupted: false, isImage: false },
    duration_ms: 3200
  }
  const failed = {
    hook_event_name: "PostToolUseFailure",
    tool_input: tests,
    error: `Exit code 1\n${stdout}TypeError: total is not a function\n    at cart.ts:12:3`,
    is_interrupt: false
  }
  const secret = { hook_event_name: "PreToolUse", tool_input: { command: "export API_TOKEN=abc123def && npm publish" } }

  const operands = ["if=/dev/zero", "of=/dev/null", "bs=512", "count=1"]
  const hook = [dd, "hook", "event", "--host", "claude"]
  const runs: ReadonlyArray<{
    readonly name: string
    readonly command: ReadonlyArray<string>
    readonly input?: string
    readonly limit?: number
    /** Of the p95; without it only the median is limited. */
    readonly slowLimit?: number
  }> = [
    { name: "empty compiled program", command: [empty] },
    { name: "dd --version", command: [dd, "--version"], limit: 5 },
    { name: "hook: a command", command: hook, input: payload("done", scratch, done), limit: 1.3, slowLimit: 1.3 },
    {
      name: "hook: in /home/alice",
      command: hook,
      input: payload("home", "/home/alice/shop", failed),
      limit: 1.3,
      slowLimit: 1.3
    },
    { name: "hook: after a cd", command: hook, input: payload("cd", "/home/bob/shop", done, "done") },
    { name: "hook: with a secret", command: hook, input: payload("secret", scratch, secret) },
    { name: "dd handing over", command: [dd, ...operands], limit: 2 },
    { name: "coreutils dd", command: ["/usr/bin/dd", ...operands] },
    { name: "dd --help (loads Effect)", command: [dd, "--help"] }
  ]
  const times = runs.map((): Array<number> => [])
  for (let round = -3; round < rounds; round++) {
    // The first three rounds only warm the file cache.
    for (let step = 0; step < runs.length; step++) {
      const index = (round + 3 + step) % runs.length
      const { command, input } = runs[index]!
      const time = timeOf(command, input)
      if (round >= 0) times[index]?.push(time)
    }
  }
  const [base = []] = times
  let exceeded = false
  const row = (name: string, cells: ReadonlyArray<string>) =>
    console.log(name.padEnd(26) + cells.map((cell) => cell.padStart(10)).join(""))
  row("", ["median ms", "x empty", "p95 ms", "x empty", "limit"])
  for (const [index, { limit, name, slowLimit }] of runs.entries()) {
    const taken = times[index] ?? []
    const ratio = median(taken.map((time, round) => time / (base[round] ?? Number.NaN)))
    const slowRatio = quantile(taken, 0.95) / quantile(base, 0.95)
    if ((limit !== undefined && ratio > limit) || (slowLimit !== undefined && slowRatio > slowLimit)) exceeded = true
    const figures = [median(taken).toFixed(1), ratio.toFixed(2), quantile(taken, 0.95).toFixed(1), slowRatio.toFixed(2)]
    row(name, [...figures, limit === undefined ? "" : `${limit}`])
  }
  process.exitCode = exceeded ? 1 : 0
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
