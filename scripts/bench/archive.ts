/**
 * What the archive costs. Run `bun scripts/bench/archive.ts` after `bun run build`.
 *
 * 1. A static review with and without its archiving, and what the archiving does in itself.
 * 2. `dd archive list` and its filters over 100,000 archived runs: in the index, and as a whole process.
 */
import { Database } from "bun:sqlite"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { runColumns } from "../../src/domain/record/ArchivedRun.ts"
import { everyRun, type RunFilter } from "../../src/domain/record/RunFilter.ts"
import * as ArchiveLive from "../../src/layers/ArchiveLive.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { ArchiveIndex } from "../../src/services/record/ArchiveIndex.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"
import { makePlainRepository } from "./plainRepository.ts"
import { environmentIn, median, type Timed, timerIn } from "./timed.ts"

const dd = join(import.meta.dir, "../../dist/dd")
const place = mkdtempSync(join(tmpdir(), "dd-bench-"))
const archive = join(place, "archive")
const run = timerIn({ ...environmentIn(place), DAYDREAM_ARCHIVE_DIR: archive })

const ms = (value: number): string => `${value.toFixed(1)} ms`.padStart(10)

const many = 100_000
const repositories = 200

/** Rows as a year of reviews would leave them. */
const fill = () => {
  const database = new Database(join(archive, "index.db"))
  const insert = database.query(
    `INSERT INTO runs (${runColumns.join(", ")}) VALUES (${runColumns.map(() => "?").join(", ")})`
  )
  const begin = Date.parse("2026-01-01T00:00:00.000Z")
  database.transaction(() => {
    for (let n = 0; n < many; n++) {
      const id = crypto.randomUUID()
      const labelled = n % 10 === 0
      // One of them has every other run.
      const name = n % 2 === 0 ? "big" : `r${n % repositories}`
      const values: Record<string, string | number | null> = {
        session_id: id,
        archived_at: new Date(begin + n * 300_000).toISOString(),
        status: n % 50 === 0 ? "partial" : "complete",
        run_flow: ["deep", "shallow", "review"][n % 3] ?? "deep",
        backend: n % 5 === 0 ? "claude" : "static",
        review_backend: n % 5 === 0 ? "claude" : "static",
        model: n % 5 === 0 ? "model-1" : null,
        review_only: 0,
        deep: 1,
        loop: 0,
        remote_url: `https://example.com/acme/${name}.git`,
        repo_slug: `acme/${name}`,
        source_path: `/src/${name}`,
        branch: `topic-${n % 3000}`,
        base_branch: "main",
        head_sha: id.replaceAll("-", "").padEnd(40, "0"),
        base_sha: id.replaceAll("-", "").padEnd(40, "1"),
        changed_files: JSON.stringify(Array.from({ length: 12 }, (_, i) => `src/module${i}/file${n % 97}.ts`)),
        total_cost_usd: n % 7 === 0 ? null : n % 5 === 0 ? (n % 1000) / 100 : 0,
        total_findings: n % 12,
        grounding_rate: 1,
        coverage_ratio: 1,
        wall_clock_seconds: (n % 100) / 10,
        outcome_labels: labelled ? '["accepted"]' : "[]",
        labeled_at: labelled ? "2026-06-01T00:00:00.000000Z" : null,
        composite_reward: 0.9,
        has_posterior: 0,
        archive_path: `runs/${id}`,
        schema_version: 5
      }
      insert.run(...runColumns.map((column) => values[column] ?? null))
    }
  })()
  database.close()
}

const filters: ReadonlyArray<readonly [string, Partial<RunFilter>, ReadonlyArray<string>]> = [
  ["all", {}, []],
  ["--repo acme/r7", { repo: "acme/r7" }, ["--repo", "acme/r7"]],
  ["--repo r7", { repo: "r7" }, ["--repo", "r7"]],
  ["--repo acme/big", { repo: "acme/big" }, ["--repo", "acme/big"]],
  ["--repo nobody's", { repo: "acme/none" }, ["--repo", "acme/none"]],
  ["--since", { since: "2026-12-01T00:00:00.000Z" }, ["--since", "2026-12-01"]],
  ["--backend claude", { backend: "claude" }, ["--backend", "claude"]],
  ["--backend nobody's", { backend: "none" }, ["--backend", "none"]],
  ["--label accepted", { label: "accepted" }, ["--label", "accepted"]],
  ["--label rejected (none)", { label: "rejected" }, ["--label", "rejected"]],
  ["--label unknown", { label: "unknown" }, ["--label", "unknown"]],
  ["--cost >9.9", { cost: { operator: ">", usd: 9.9 } }, ["--cost", ">9.9"]],
  ["--cost unknown", { cost: "unknown" }, ["--cost", "unknown"]],
  ["--branch topic-77", { branch: "topic-77" }, ["--branch", "topic-77"]],
  ["--branch nobody's", { branch: "none" }, ["--branch", "none"]],
  [
    "repo, label and cost",
    { repo: "acme/big", label: "accepted", cost: { operator: ">", usd: 1 } },
    ["--repo", "acme/big", "--label", "accepted", "--cost", ">1"]
  ]
]

try {
  const root = makePlainRepository(join(place, "repo"), run)
  const review = (...more: ReadonlyArray<string>) =>
    run(root, dd, "review", "--commit", "HEAD", "--format", "json", ...more)
  review()
  const without: Array<Timed> = []
  const withIt: typeof without = []
  const rounds = Number(process.argv[2] ?? 15)
  const unjudged: typeof without = []
  for (let round = 0; round < rounds; round++) {
    without.push(review("--no-archive"))
    withIt.push(review())
    unjudged.push(review("--no-eval"))
  }
  console.log("a static review of a 10-file commit among 1,000 files (wall: median, fastest; processor: median)")
  for (const [name, times] of [
    ["not archived", without],
    ["archived", withIt],
    ["archived, not judged", unjudged]
  ] as const) {
    const wall = times.map((time) => time.wall)
    const cpu = median(times.map((time) => time.cpu))
    console.log(`  ${name.padEnd(22)} ${ms(median(wall))} ${ms(Math.min(...wall))} ${ms(cpu)}`)
  }

  fill()
  console.log(
    `\n${many.toLocaleString("en")} archived runs, ${Math.round(statSync(join(archive, "index.db")).size / 1024 / 1024)} MiB`
  )
  console.log(`  ${"".padEnd(26)} ${"index".padStart(10)} ${"process".padStart(10)}`)
  const layer = ArchiveLive.layer(archive).pipe(Layer.provide([Platform.layer, Redactor.layerOf({})]))
  const asked = await Effect.runPromise(
    Effect.gen(function* () {
      const index = yield* ArchiveIndex
      yield* index.open
      const times: Array<number> = []
      for (const [, filter] of filters) {
        const rounds: Array<number> = []
        for (let round = 0; round < 7; round++) {
          const started = performance.now()
          yield* index.list({ ...everyRun, limit: 20, ...filter })
          rounds.push(performance.now() - started)
        }
        times.push(median(rounds))
      }
      return times
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
  const version = median(Array.from({ length: 9 }, () => run(root, dd, "archive", "--help").wall))
  for (const [at, [name, , args]] of filters.entries()) {
    const whole = median(Array.from({ length: 5 }, () => run(root, dd, "archive", "list", ...args).wall))
    console.log(`  ${name.padEnd(26)} ${ms(asked[at] ?? 0)} ${ms(whole)}`)
  }
  console.log(`  ${"(dd archive --help)".padEnd(26)} ${"".padStart(10)} ${ms(version)}`)
  console.log(`  ${"stats".padEnd(26)} ${"".padStart(10)} ${ms(run(root, dd, "archive", "stats").wall)}`)
} finally {
  rmSync(place, { recursive: true, force: true })
}
