/**
 * Runs the tests and ends with one line to count by: `N passed, N failed`, with `, N skipped` when some were.
 *
 * A file that does not load, a hook that throws and a runner that dies each count as failed, and so does a run in which
 * there was nothing to test. Arguments go to `bun test`.
 */
import { join } from "node:path"
import { compile, isOutOfDate } from "./compile.ts"

const root = join(import.meta.dir, "..")

/** How a run ended. `broken` counts what failed outside any test: a file that does not load, an error between tests. */
type Counts = { readonly passed: number; readonly failed: number; readonly broken: number; readonly skipped: number }

/** Reads the runner's closing summary; its JUnit report leaves out the files that did not load. */
export const countsOf = (output: string): Counts => {
  const plain = Bun.stripANSI(output)
  // The last summary: a test that runs `bun test` itself may have printed one before.
  const end = plain.lastIndexOf("\nRan ")
  const summary = /(?:^ *\d+ [a-z() ]+$\n?)+$/m.exec(end === -1 ? "" : plain.slice(0, end))?.[0] ?? ""
  const count = (word: string): number => Number(new RegExp(`^ *(\\d+) ${word}`, "m").exec(summary)?.[1] ?? 0)
  return {
    passed: count("pass"),
    failed: count("fail"),
    broken: count("error"),
    skipped: count("skip") + count("todo")
  }
}

/** The last line of a run, from its counts and the runner's exit status. */
export const verdictOf = (counts: Counts, status: number): string => {
  const failed = counts.failed + counts.broken
  const unexplained = failed === 0 && (status !== 0 || counts.passed === 0) ? 1 : 0
  const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`
  return `${counts.passed} passed, ${failed + unexplained} failed${skipped}`
}

if (import.meta.main) {
  const args = process.argv.slice(2)
  if (isOutOfDate()) {
    console.log("compiling dist/dd for the tests that run it")
    await compile().catch((error: Error) => console.error(`dist/dd could not be compiled: ${error.message}`))
  }
  const runner = Bun.spawn([process.execPath, "test", "--timeout", "60000", ...args], {
    cwd: root,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "pipe"
  })
  let output = ""
  const decoder = new TextDecoder()
  for await (const chunk of runner.stderr) {
    process.stderr.write(chunk)
    output += decoder.decode(chunk, { stream: true })
  }
  const status = await runner.exited
  const counts = countsOf(output)
  if (counts.passed + counts.failed + counts.broken === 0) console.log("no test ran")
  const verdict = verdictOf(counts, status)
  console.log(verdict)
  process.exitCode = / 0 failed/.test(verdict) ? 0 : 1
}
