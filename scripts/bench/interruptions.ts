/**
 * Does any interruption cost the record? Run `bun scripts/bench/interruptions.ts REPOSITORY [TIMES] [SEED] [BACKEND]`
 * after `bun run build`; REPOSITORY is copied, and the last commit of its branch reviewed. BACKEND is `static`, or
 * `anthropic`, `openai` (a scripted model on this machine, which takes its time) or `claude`, `codex`, `pi` (a scripted
 * program): then no connection may stay open and no process be left either.
 *
 * Stops a review at random moments by SIGINT, SIGTERM and SIGKILL in turn, recovers what a kill left, and validates
 * every document. Says how each end came out; exits with 1 when a record is missing, invalid or not marked partial, or
 * an exit code is not the signal's.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Asked } from "../../test/support/Asked.ts"
import { install } from "../../test/support/cli/install.ts"
import type { CliName } from "../../test/support/cli/protocols.ts"
import { replies } from "../../test/support/cli/world.ts"
import { agreeable, type Script, startModel } from "../../test/support/modelServer.ts"

const [repository = ".", times = "200", seed = "1", backend = "static"] = process.argv.slice(2)
const dd = join(import.meta.dir, "../../dist/dd")
const place = mkdtempSync(join(tmpdir(), "dd-interrupted-"))
const root = join(place, "repo")
const isCli = (name: string): name is CliName => ["claude", "codex", "pi"].includes(name)
const program = isCli(backend) ? install(mkdtempSync(join(place, "cli-")), backend, "slow", replies) : null
const server =
  backend === "anthropic" || backend === "openai"
    ? await startModel((asked, nth) => ({ ...looking(asked, nth), manner: { bytesAtOnce: 16 } }))
    : null
const address = `http://127.0.0.1:${server?.port ?? 0}`
const env = {
  PATH: `${program === null ? "" : `${program.directory}:`}${process.env.PATH ?? ""}`,
  HOME: place,
  GIT_CONFIG_NOSYSTEM: "1",
  ANTHROPIC_API_KEY: "sk-ant-made-up",
  OPENAI_API_KEY: "sk-made-up",
  DD_ANTHROPIC_BASE_URL: address,
  DD_OPENAI_BASE_URL: `${address}/v1`
}
const review = [dd, "review", "--commit", "HEAD", "--format", "json", "--backend", backend]
if (backend === "openai") review.push("--model", "scripted")

/** Looks around a little before it agrees. */
function looking(asked: Asked, nth: number): ReturnType<Script> {
  const mayLook = asked.turns < 3 && asked.tools.some(({ name }) => name === "read_file")
  if (!mayLook) return agreeable(asked, nth)
  const calls = Array.from({ length: 8 }, (_, at) => ({ name: "grep", input: { pattern: `import ${at}` } }))
  return { thinking: "Who uses it? ".repeat(40), calls }
}

/** Processes of the scripted program, by their command lines. */
const alive = (): ReadonlyArray<string> => {
  if (program === null) return []
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(program.directory)
    } catch {
      // It has ended since.
      return false
    }
  })
}

/** What the review has left behind outside of its files, a moment after its end. */
const leftBehind = async (): Promise<string | null> => {
  for (let tries = 0; tries < 100; tries++) {
    const open = server?.open() ?? 0
    if (open === 0 && alive().length === 0) return null
    await Bun.sleep(20)
  }
  return `${server?.open() ?? 0} connections, processes ${alive().join(", ") || "none"}`
}

const run = (...command: ReadonlyArray<string>) => {
  const child = Bun.spawnSync([...command], { cwd: existsSync(root) ? root : place, env, stderr: "pipe" })
  return { status: child.exitCode, said: child.stdout.toString() + child.stderr.toString() }
}

// Numbers that are the same in every run of the same seed: Park and Miller's.
let state = Number(seed)
const random = (): number => {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647
}

const runs = join(root, ".daydream/runs")
const filesOf = (session: string) =>
  readdirSync(join(runs, session), { recursive: true, encoding: "utf8" }).filter((name) =>
    /^(?!agents\/).*\.jsonl?(?:\.partial)?$/.test(name)
  )
const ends = new Map<string, number>()
const wrong: Array<string> = []
const codes = { SIGINT: 130, SIGTERM: 143, SIGKILL: 137 } as const

/** How the review ended that was stopped so, with what is wrong about its record. */
const judge = (
  signal: keyof typeof codes,
  status: number
): { readonly end: string; readonly problem: string | null } => {
  const sessions = existsSync(runs) ? readdirSync(runs) : []
  const isStopped = status === codes[signal]
  // A model that agrees to everything says of no file that it read it: its review is inconclusive.
  if (!isStopped && ![0, 1, 4].includes(status))
    return { end: `exit ${status}`, problem: `${signal} gave exit ${status}` }
  const [session] = sessions
  if (session === undefined) return { end: "before it began to record", problem: isStopped ? null : "no record" }
  const before = filesOf(session)
  // Its directory is made a moment before its journal.
  if (before.length === 0) return { end: "before it began to record", problem: isStopped ? null : "no record" }
  let recovered = ""
  if (before.includes("trajectory.jsonl.partial")) {
    if (signal !== "SIGKILL") return { end: "a journal", problem: `${signal} left a journal` }
    const { said } = run(dd, "trajectory", "recover")
    recovered = said
    if (said.includes("nothing was recorded") || filesOf(session).length === 0)
      return { end: "an empty journal", problem: null }
  }
  const documents = filesOf(session)
  const own = ["trajectory.json", "trajectory.json.partial"].find((name) => documents.includes(name))
  if (own === undefined) return { end: "nothing", problem: `no document among ${documents.join(", ")}: ${recovered}` }
  const { said, status: invalid } = run(
    dd,
    "trajectory",
    "validate",
    ...documents.map((each) => join(runs, session, each))
  )
  const marked = documents.filter(
    (name) => JSON.parse(readFileSync(join(runs, session, name), "utf8")).extra?.partial === true
  )
  const expected = own.endsWith(".partial") ? documents.length : 0
  if (invalid !== 0) return { end: "invalid", problem: said }
  if (marked.length !== expected)
    return { end: "mixed", problem: `partial: ${marked.join(", ")} of ${documents.join(", ")}` }
  return { end: own.endsWith(".partial") ? "partial" : "whole", problem: null }
}

try {
  run("git", "clone", "--quiet", "--no-hardlinks", repository, root)
  const reviewed = async () => await Bun.spawn(review, { cwd: root, env, stdout: "ignore", stderr: "inherit" }).exited
  await reviewed()
  const started = performance.now()
  await reviewed()
  const whole = performance.now() - started
  console.log(`a review takes ${whole.toFixed(0)} ms; ${times} are stopped at random moments of it`)
  for (let i = 0; i < Number(times); i++) {
    rmSync(join(root, ".daydream"), { recursive: true, force: true })
    const signal = (["SIGINT", "SIGTERM", "SIGKILL"] as const)[i % 3]!
    const child = Bun.spawn(review, { cwd: root, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" })
    await Bun.sleep(random() * whole * 1.1)
    child.kill(signal)
    await child.exited
    const { end, problem } = judge(signal, child.exitCode ?? codes[signal])
    const left = await leftBehind()
    if (left !== null) wrong.push(`${i}: ${signal}: left behind: ${left}`)
    const key = `${signal.padEnd(8)} ${end}`
    ends.set(key, (ends.get(key) ?? 0) + 1)
    if (problem !== null) wrong.push(`${i}: ${signal}: ${problem}`)
  }
  for (const [end, count] of [...ends].sort()) console.log(`  ${end.padEnd(36)} ${count}`)
  console.log(`${wrong.length} wrong`)
  for (const each of wrong) console.log(`  ${each}`)
} finally {
  await server?.close()
  rmSync(place, { recursive: true, force: true })
}
process.exitCode = wrong.length === 0 ? 0 : 1
