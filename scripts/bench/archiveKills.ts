/**
 * Kills reviews at random moments and checks the archive. Run `bun scripts/bench/archiveKills.ts [times]` after
 * `bun run build`.
 *
 * A killed run may be missing; what exists must be complete: a valid index, no row without its bundle, no bundle without
 * its manifest, and rebuilding the index restores every row. All reviews share one archive.
 */
import { Database } from "bun:sqlite"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { environmentIn } from "./timed.ts"

const dd = join(import.meta.dir, "../../dist/dd")
const place = mkdtempSync(join(tmpdir(), "dd-bench-"))
const root = join(place, "repo")
const archive = join(place, ".daydream", "archive")
const env = environmentIn(place)
const times = Number(process.argv[2] ?? 200)

const run = (...command: ReadonlyArray<string>): string => {
  const child = Bun.spawnSync([...command], { cwd: root, env, stdout: "pipe", stderr: "pipe" })
  if (child.exitCode !== 0) throw new Error(`${command.join(" ")}: ${child.stderr.toString()}`)
  return child.stdout.toString()
}

const bundles = (): ReadonlyArray<string> =>
  existsSync(join(archive, "runs")) ? readdirSync(join(archive, "runs")) : []

/** The draft is made when a review begins, and filled when it ends. */
const isArchiving = (): boolean =>
  drafts().some((name) => {
    try {
      return readdirSync(join(archive, "drafts", name)).length > 0
    } catch {
      return false
    }
  })

const drafts = (): ReadonlyArray<string> => readdirSync(join(archive, "drafts")).filter((name) => !stale.has(name))
const stale = new Set<string>()

/** From the first file of the bundle to the row, and a little more. */
const archivingMillis = 80

const rows = (): ReadonlyArray<string> => {
  const database = new Database(join(archive, "index.db"))
  try {
    const check = database.query<{ quick_check: string }, []>("PRAGMA quick_check").all()
    if (check[0]?.quick_check !== "ok") throw new Error(`the index is damaged: ${JSON.stringify(check)}`)
    return database
      .query<{ session_id: string }, []>("SELECT session_id FROM runs")
      .all()
      .map(({ session_id }) => session_id)
  } finally {
    database.close()
  }
}

try {
  mkdirSync(root)
  run("git", "init", "--quiet", "--initial-branch=main")
  for (const body of ["x = 1\n", "def load(path, seen=[]):\n    seen.append(path)\n    return seen\n"]) {
    writeFileSync(join(root, "a.py"), body)
    run("git", "add", "--all")
    run("git", "commit", "--quiet", "--message", "change")
  }
  const started = performance.now()
  run(dd, "review", "-q")
  const whole = performance.now() - started

  let killed = 0
  let between = 0
  let halfMade = 0
  for (let round = 0; round < times; round++) {
    const child = Bun.spawn([dd, "review", "-q"], { cwd: root, env, stdout: "ignore", stderr: "ignore" })
    // Half of them at any moment; half during the archiving, which is short and at the end.
    if (round % 2 === 0) await Bun.sleep(Math.random() * whole * 1.1)
    else {
      while (child.exitCode === null && !isArchiving()) await Bun.sleep(0)
      const until = performance.now() + Math.random() * archivingMillis
      while (performance.now() < until) {
        // Sleeping is too coarse for what takes so little.
      }
    }
    child.kill("SIGKILL")
    await child.exited
    if (child.signalCode === "SIGKILL") killed++
    for (const name of readdirSync(join(archive, "drafts"))) {
      if (!stale.has(name) && round % 2 === 1) halfMade++
      stale.add(name)
    }
    const known = new Set(bundles())
    const listed = rows()
    for (const session of listed) if (!known.has(session)) throw new Error(`row ${session} has no bundle`)
    for (const session of known) {
      JSON.parse(readFileSync(join(archive, "runs", session, "manifest.json"), "utf8"))
    }
    between = Math.max(between, known.size - listed.length)
  }
  run(dd, "archive", "rebuild-index")
  const [all, listed] = [bundles().length, rows().length]
  if (all !== listed) throw new Error(`${all} bundles and ${listed} rows after rebuild-index`)
  console.log(`${times} reviews, ${killed} of them killed: index sound after each, no row without its bundle`)
  console.log(`${halfMade} drafts were left half made, and are nobody's`)
  console.log(`${between} bundles without a row before rebuild-index, 0 after (${listed} runs)`)
} finally {
  rmSync(place, { recursive: true, force: true })
}
