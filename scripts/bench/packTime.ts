/**
 * How long a context pack takes. Run `bun scripts/bench/packTime.ts [--against "COMMAND"] REPOSITORY...` after
 * `bun run build`.
 *
 * Packs the last commit of each repository with the compiled binary: three times with an empty cache, seven times with a
 * full one. `--against` runs a command in the repository as well, between these runs, and prints the ratio of the medians: a
 * ratio within one run is comparable, milliseconds are not. Nothing is written into the repositories.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

const binary = join(import.meta.dir, "../../dist/dd")
const words = process.argv.slice(2)
const at = words.indexOf("--against")
const against = at < 0 ? null : (words[at + 1] ?? null)
const repositories = words.filter((_, index) => at < 0 || (index !== at && index !== at + 1))
if (repositories.length === 0) {
  console.error('usage: bun scripts/bench/packTime.ts [--against "COMMAND"] REPOSITORY...')
  process.exit(2)
}

interface Run {
  readonly millis: number
  /** Of the largest process. */
  readonly megabytes: number
  readonly output: string
}

const timed = (command: ReadonlyArray<string>, directory: string, home: string): Run => {
  const started = performance.now()
  const child = Bun.spawnSync([...command], {
    cwd: directory,
    env: { ...process.env, DD_HOME: home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore"
  })
  const millis = performance.now() - started
  return { millis, megabytes: (child.resourceUsage?.maxRSS ?? 0) / 1e6, output: child.stdout.toString() }
}
const median = (runs: ReadonlyArray<Run>): number =>
  runs.map(({ millis }) => millis).toSorted((a, b) => a - b)[runs.length >> 1] ?? Number.NaN

for (const repository of repositories) {
  const place = mkdtempSync(join(tmpdir(), "dd-pack-time-"))
  const pack = (home: string) =>
    timed([binary, "pack", "--commit", "HEAD", "--json", "--output", join(place, "out")], repository, home)
  const cold: Array<Run> = []
  const warm: Array<Run> = []
  const others: Array<Run> = []
  try {
    for (let run = 0; run < 3; run++) {
      cold.push(pack(join(place, `home${run}`)))
      if (against !== null) others.push(timed(["sh", "-c", against], repository, place))
    }
    for (let run = 0; run < 7; run++) warm.push(pack(join(place, "home0")))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  const reports = [...cold, ...warm].map(({ output }) => JSON.parse(output))
  const packs = new Set(reports.map(({ sha256 }) => sha256))
  const megabytes = Math.max(...[...cold, ...warm].map((run) => run.megabytes))
  console.log(
    `${basename(repository)}: cold ${median(cold).toFixed(0)} ms, warm ${median(warm).toFixed(0)} ms, ${megabytes.toFixed(0)} MB, ${packs.size} different packs in ${reports.length} runs`
  )
  console.log(`  stages of the last run in ms: ${JSON.stringify(reports.at(-1).stages)}`)
  if (against !== null) {
    const ratio = (runs: ReadonlyArray<Run>) => (median(others) / median(runs)).toFixed(1)
    console.log(`  ${against}: ${median(others).toFixed(0)} ms, ${ratio(cold)} times cold, ${ratio(warm)} times warm`)
  }
}
