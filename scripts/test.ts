/**
 * Runs the tests and ends with one line to count by: `N passed, N failed`, with `, N skipped` when some were.
 *
 * A file that does not load, a hook that throws and a runner that dies each count as failed, and so does a run in which
 * there was nothing to test, and one that left something in the temporary directory.
 *
 * Files run in parallel, the slowest first by the times in `scripts/testTimes.json`; `--update-timings` records them again.
 * `--quick` leaves out the tests of the compiled binary. Other arguments go to `bun test`.
 */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { patience } from "../test/support/patience.ts"
import { compile, isOutOfDate } from "./compile.ts"

const root = join(import.meta.dir, "..")

/** How a run ended, in tests; a file that does not load counts as one that failed. */
type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** Reads the runner's closing summary; its JUnit report leaves out the files that did not load. */
export const countsOf = (output: string): Counts => {
  const lines = Bun.stripANSI(output).split("\n")
  const counts = new Map<string, number>()
  // Upwards from the last "Ran N tests": a test that runs the runner itself may have printed a summary before.
  for (let at = lines.findLastIndex((line) => line.startsWith("Ran ")) - 1; at >= 0; at--) {
    const [, count, word] = /^ *(\d+) (pass|fail|error|skip|todo|expect|snapshot|filter)/.exec(lines[at] ?? "") ?? []
    if (word === undefined) break
    counts.set(word, Number(count))
  }
  const count = (word: string): number => counts.get(word) ?? 0
  return {
    passed: count("pass"),
    failed: Math.max(count("fail"), count("error")),
    skipped: count("skip") + count("todo")
  }
}

/** The last line of a run, from its counts, the runner's exit status and what it left in the temporary directory. */
export const verdictOf = (
  { passed, failed, skipped }: Counts,
  status: number,
  left: ReadonlyArray<string> = []
): string => {
  const unexplained = failed === 0 && (status !== 0 || passed === 0 || left.length > 0) ? 1 : 0
  return `${passed} passed, ${failed + unexplained} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`
}

if (import.meta.main) {
  const args = process.argv.slice(2).filter((argument) => argument !== "--quick")
  const isQuick = process.argv.includes("--quick")
  if (!isQuick && isOutOfDate()) {
    console.log("compiling dist/dd for the tests that run it")
    await compile().catch((error: Error) => console.error(`dist/dd could not be compiled: ${error.message}`))
  }
  // The temporary directory of the tests, which must be empty afterwards.
  const temporary = mkdtempSync(join(realpathSync(tmpdir()), "dd-tests-"))
  const options = [
    // One more than there are processors: many tests wait for other processes.
    `--parallel=${availableParallelism() + 1}`,
    "--no-isolate",
    `--timeout=${patience}`,
    "--timings=scripts/testTimes.json",
    "--only-failures",
    ...(isQuick ? ["--path-ignore-patterns", "test/binary/**", "--path-ignore-patterns", "test/scripts/**"] : [])
  ]
  const runner = Bun.spawn([process.execPath, "test", ...options, ...args], {
    cwd: root,
    env: { ...process.env, TMPDIR: temporary },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe"
  })
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      runner.kill(signal)
      rmSync(temporary, { recursive: true, force: true })
      process.exit(signal === "SIGINT" ? 130 : 143)
    })
  }
  let output = ""
  const decoder = new TextDecoder()
  for await (const chunk of runner.stderr) {
    process.stderr.write(chunk)
    output += decoder.decode(chunk, { stream: true })
  }
  const status = await runner.exited
  const counts = countsOf(output)
  if (counts.passed + counts.failed === 0) console.log("no test ran")
  const left = readdirSync(temporary).sort()
  if (left.length > 0) console.log(`left in the temporary directory (${left.length}): ${left.slice(0, 20).join(", ")}`)
  rmSync(temporary, { recursive: true, force: true })
  const verdict = verdictOf(counts, status, left)
  console.log(verdict)
  process.exitCode = / 0 failed/.test(verdict) ? 0 : 1
}
