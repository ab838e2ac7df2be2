/**
 * What it costs to start: `bun run bench:startup [rounds]`.
 *
 * An empty compiled program, `dd --version`, the hand-over to coreutils and coreutils alone, in turn within each round
 * so that a busy machine slows all of them alike. Ratios are medians over rounds. Ends with status 1 when a limit of
 * the product is exceeded.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { compile } from "../compile.ts"

const rounds = Number(process.argv[2] ?? 60)
const scratch = mkdtempSync(join(tmpdir(), "dd-startup-"))

/** Milliseconds from start to end of one run. */
const timeOf = (command: ReadonlyArray<string>): number => {
  const started = performance.now()
  const { success } = Bun.spawnSync([...command], { stdin: "ignore", stdout: "ignore", stderr: "ignore" })
  if (!success) throw new Error(`${command.join(" ")} failed`)
  return performance.now() - started
}

const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN

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

  const operands = ["if=/dev/zero", "of=/dev/null", "bs=512", "count=1"]
  const runs: ReadonlyArray<{
    readonly name: string
    readonly command: ReadonlyArray<string>
    readonly limit?: number
  }> = [
    { name: "empty compiled program", command: [empty] },
    { name: "dd --version", command: [dd, "--version"], limit: 5 },
    { name: "dd handing over", command: [dd, ...operands], limit: 2 },
    { name: "coreutils dd", command: ["/usr/bin/dd", ...operands] },
    { name: "dd --help (loads Effect)", command: [dd, "--help"] }
  ]
  const times = runs.map((): Array<number> => [])
  for (let round = -3; round < rounds; round++) {
    // The first three rounds only warm the file cache.
    for (const [index, { command }] of runs.entries()) {
      const time = timeOf(command)
      if (round >= 0) times[index]?.push(time)
    }
  }
  const [base = []] = times
  let exceeded = false
  console.log(`${"".padEnd(26)}${"median ms".padStart(10)}${"x empty".padStart(9)}${"limit".padStart(7)}`)
  for (const [index, { name, limit }] of runs.entries()) {
    const taken = times[index] ?? []
    const ratio = median(taken.map((time, round) => time / (base[round] ?? Number.NaN)))
    if (limit !== undefined && ratio > limit) exceeded = true
    console.log(
      `${name.padEnd(26)}${median(taken).toFixed(1).padStart(10)}${ratio.toFixed(2).padStart(9)}${(limit === undefined ? "" : `${limit}`).padStart(7)}`
    )
  }
  process.exitCode = exceeded ? 1 : 0
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
