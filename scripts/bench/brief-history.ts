/**
 * How often the history of a brief names a fix that a change removes or code that it brings back. Run
 * `bun scripts/bench/brief-history.ts REPOSITORY...`, clones with their history.
 *
 * Reads the last commits (`--commits`, 60) of each repository, or those of its lines in `--mined FILE`, the output of
 * `mine.ts`: commits that were fixed or reverted later. A line a repository: the share of commits with such a fact, and
 * the share with a fact about every line of a fix (`--exact` lists those). `--list` prints all of them.
 */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { Effect, Layer } from "effect"
import * as Facts from "../../src/layers/change/facts/Sqlite.ts"
import * as SourcesGit from "../../src/layers/change/sources/Git.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { historyOf } from "../../src/services/brief/history.ts"
import { Changes } from "../../src/services/change/Changes.ts"
import { Git } from "../../src/services/change/Git.ts"

const { values: options, positionals: repositories } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: "string", default: "60" },
    mined: { type: "string" },
    list: { type: "boolean", default: false },
    exact: { type: "boolean", default: false },
    cache: { type: "string", default: "/tmp/dd-brief-history" }
  }
})

const nameOf = (repository: string): string => repository.slice(repository.lastIndexOf("/") + 1)

const commitsOf = (repository: string): ReadonlyArray<string> => {
  if (options.mined !== undefined) {
    const rows = readFileSync(options.mined, "utf8").split("\n")
    return rows.map((row) => row.split("\t")).flatMap(([name, sha]) => (name === nameOf(repository) ? (sha ?? []) : []))
  }
  const listed = Bun.spawnSync(["git", "-C", repository, "rev-list", "--no-merges", "-n", options.commits!, "HEAD"])
  return listed.stdout.toString().trim().split("\n")
}

const pastOf = (repository: string, commit: string) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit }))
    const facts = Facts.layer({
      path: `${options.cache}/${nameOf(repository)}.db`,
      version: "1",
      scope: opened.gitDir
    })
    const { found } = yield* Effect.provide(
      historyOf(change),
      SourcesGit.layer(opened, change).pipe(Layer.provide(facts))
    )
    return { subject: change.commits[0]?.subject ?? "", past: found.filter(({ kind }) => kind !== "often-fixed") }
  }).pipe(Effect.scoped)

const measured = Effect.fnUntraced(function* (repository: string) {
  const commits = commitsOf(repository)
  let [named, exact] = [0, 0]
  for (const commit of commits) {
    const { past, subject } = yield* pastOf(repository, commit)
    const whole = past.filter(({ lines, of }) => lines === of && of > 1)
    if (past.length > 0) named++
    if (whole.length > 0) exact++
    const shown = options.list ? past : options.exact ? whole : []
    if (shown.length > 0) console.log(`${commit.slice(0, 12)} ${subject}`)
    for (const { commit: fix, date, end, file, kind, line, lines, of, subject } of shown) {
      console.log(`    ${kind} ${file}:${line}-${end} ${lines} of ${of}: ${fix.slice(0, 12)} ${date} ${subject}`)
    }
  }
  console.log(
    `${nameOf(repository)}: ${commits.length} commits, ${named} with a past fix, ${exact} with all lines of one`
  )
})

await Effect.runPromise(
  Effect.forEach(repositories, measured, { discard: true }).pipe(
    Effect.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer)))
  )
)
