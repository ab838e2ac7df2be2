/**
 * How soon does a review end after a signal? Run `bun scripts/bench/signals.ts REPOSITORY BASE [TIMES] [SEED]` after
 * `bun run build`; the changes of REPOSITORY since BASE are reviewed, best 1,500 files or more.
 *
 * Sends SIGINT at random moments and prints for each how long the review took to end, and its processor time until then,
 * which is more exact on a busy machine. Exits with 1 when an interrupted review has printed anything, or one that ended
 * by itself has not printed a complete report.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { numbers } from "./scratchClone.ts"

const [repository = ".", base = "HEAD~1", times = "20", seed = "1"] = process.argv.slice(2)
const dd = join(import.meta.dir, "../../dist/dd")
const home = mkdtempSync(join(tmpdir(), "dd-signals-"))
const review = [dd, "review", "--base", base, "--format", "json", "--no-archive"]
const start = () =>
  Bun.spawn(review, {
    cwd: repository,
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore"
  })

const random = numbers(Number(seed))

/** User and system time (ms), fields 14 and 15 of proc_pid_stat(5); null when the process has gone. */
const processorTime = (pid: number): number | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return null
  }
}

let wrong = 0
try {
  const started = performance.now()
  await new Response(start().stdout).text()
  const whole = performance.now() - started
  console.log(`a review takes ${whole.toFixed(0)} ms; ${times} are interrupted at random moments of it`)
  const waits: Array<number> = []
  for (let i = 0; i < Number(times); i++) {
    const child = start()
    const printed = new Response(child.stdout).text()
    const moment = random() * whole
    await Promise.race([Bun.sleep(moment), child.exited])
    if (child.exitCode !== null) continue
    const before = processorTime(child.pid) ?? 0
    const sent = performance.now()
    child.kill("SIGINT")
    let after = before
    const watch = setInterval(() => {
      after = processorTime(child.pid) ?? after
    }, 5)
    const code = await child.exited
    const waited = performance.now() - sent
    clearInterval(watch)
    const text = await printed
    const isRight = code === 130 ? text === "" : text.endsWith("}\n") && JSON.parse(text).schema_version === 1
    if (!isRight) wrong++
    waits.push(waited)
    const words = `exit ${code} after ${waited.toFixed(0)} ms, ${after - before} ms of processor time`
    console.log(`  at ${moment.toFixed(0).padStart(6)} ms: ${words}${isRight ? "" : "; wrong output"}`)
  }
  console.log(`longest: ${Math.max(...waits).toFixed(0)} ms; ${wrong} wrong`)
} finally {
  rmSync(home, { recursive: true, force: true })
}
process.exitCode = wrong === 0 ? 0 : 1
