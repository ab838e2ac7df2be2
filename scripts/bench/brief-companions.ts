/**
 * How often the companions of a brief are right. Run `bun scripts/bench/brief-companions.ts REPOSITORY...`, clones with
 * their history.
 *
 * Of each of the last commits (`--commits`, 300) with 2 to 30 files, every file is left out in turn, and companions of
 * the others are computed from the commits before. A line a repository: queries; the share of them with an answer;
 * precision, the share of named files that are the one left out (for a folder: that a file was added there); the share
 * of answers that have it; the same for plain frequency, the three files that most often changed with one of the others;
 * and how many of the whole commits, with nothing left out, would have been told of a companion.
 */
import { parseArgs } from "node:util"
import { companionsOf } from "../../src/domain/brief/companionsOf.ts"
import { historyLimits, type PastCommit, type TouchedFile } from "../../src/domain/change/PastCommit.ts"
import { foldersAbove } from "../../src/domain/text/foldersAbove.ts"
import { historyCommits, historyFormat } from "../../src/services/change/gitHistory.ts"

const { values: options, positionals: repositories } = parseArgs({
  allowPositionals: true,
  options: { commits: { type: "string", default: "300" }, list: { type: "boolean", default: false } }
})
const heldOut = Number(options.commits)
const largestCommit = 30

const git = (repository: string, ...args: ReadonlyArray<string>): Uint8Array =>
  Bun.spawnSync(["git", "-C", repository, ...args], { stdin: "ignore", stdout: "pipe", stderr: "ignore" }).stdout

const historyOf = (repository: string): ReadonlyArray<PastCommit> =>
  historyCommits(
    git(
      repository,
      ...["log", "-z", historyFormat, "--raw", "--no-abbrev", "--find-renames"],
      `--max-count=${historyLimits.commits + heldOut}`,
      "HEAD"
    )
  )

const placesBefore = (repository: string, sha: string): ReadonlySet<string> => {
  const paths = new TextDecoder().decode(git(repository, "ls-tree", "-r", "-z", "--name-only", `${sha}^`)).split("\0")
  return new Set([...paths, ...paths.flatMap(foldersAbove)])
}

const baseOf = ({ oldPath, path }: TouchedFile): string => oldPath ?? path

/** The files that most often changed with one of these. */
const frequent = (
  commits: ReadonlyArray<PastCommit>,
  changed: ReadonlyArray<string>,
  isThere: (path: string) => boolean
): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { files } of commits) {
    if (files.length > largestCommit || !files.some(({ path }) => changed.includes(path))) continue
    for (const { path } of files) counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return [...counts]
    .filter(([path, count]) => count >= 3 && isThere(path) && !changed.includes(path))
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([path]) => path)
}

interface Tally {
  queries: number
  answered: number
  named: number
  right: number
  found: number
  plainAnswered: number
  plainFound: number
  plainNamed: number
  whole: number
  wholeTold: number
}

const measured = (repository: string): Tally => {
  const all = historyOf(repository)
  const tally: Tally = {
    queries: 0,
    answered: 0,
    named: 0,
    right: 0,
    found: 0,
    plainAnswered: 0,
    plainFound: 0,
    plainNamed: 0,
    whole: 0,
    wholeTold: 0
  }
  let seen = 0
  for (const [at, { files, parents, sha, subject }] of all.entries()) {
    if (seen === heldOut) break
    if (parents.length !== 1) continue
    seen++
    if (files.length === 0 || files.length > largestCommit) continue
    const earlier = all.slice(at + 1, at + 1 + historyLimits.commits)
    const places = placesBefore(repository, sha)
    const isThere = (path: string) => places.has(path)
    const whole = companionsOf(earlier, files.map(baseOf), isThere)
    tally.whole++
    if (whole.length > 0) tally.wholeTold++
    if (options.list && whole.length > 0) {
      console.log(`${sha.slice(0, 12)} ${subject}`)
      for (const { commits, file, together, with: path } of whole) {
        console.log(`    ${file} with ${path}: ${together} of ${commits}`)
      }
    }
    for (const left of files.length < 2 ? [] : files) {
      const rest = files.filter((file) => file !== left).map(baseOf)
      const isRight = (file: string) =>
        file === baseOf(left) ||
        (left.status === "A" && file.endsWith("/") && file === left.path.slice(0, left.path.lastIndexOf("/") + 1))
      const named = companionsOf(earlier, rest, isThere).map(({ file }) => file)
      const plain = frequent(earlier, rest, isThere)
      tally.queries++
      if (named.length > 0) tally.answered++
      tally.named += named.length
      tally.right += named.filter(isRight).length
      if (named.slice(0, 3).some(isRight)) tally.found++
      if (plain.length > 0) tally.plainAnswered++
      tally.plainNamed += plain.length
      if (plain.some(isRight)) tally.plainFound++
    }
  }
  return tally
}

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${Math.round((100 * part) / whole)} %`)

const row = (name: string, tally: Tally): string =>
  [
    name.padEnd(24),
    `${tally.queries} queries`,
    `${percent(tally.answered, tally.queries)} answered`,
    `precision ${percent(tally.right, tally.named)}`,
    `in first three ${percent(tally.found, tally.answered)}`,
    `plain: ${percent(tally.plainAnswered, tally.queries)} answered, precision ${percent(tally.plainFound, tally.plainNamed)}, in first three ${percent(tally.plainFound, tally.plainAnswered)}`,
    `whole commits told ${percent(tally.wholeTold, tally.whole)} of ${tally.whole}`
  ].join("  ")

const sum = (a: Tally, b: Tally): Tally => ({
  queries: a.queries + b.queries,
  answered: a.answered + b.answered,
  named: a.named + b.named,
  right: a.right + b.right,
  found: a.found + b.found,
  plainAnswered: a.plainAnswered + b.plainAnswered,
  plainFound: a.plainFound + b.plainFound,
  plainNamed: a.plainNamed + b.plainNamed,
  whole: a.whole + b.whole,
  wholeTold: a.wholeTold + b.wholeTold
})

const tallies = repositories.map((repository) => {
  const tally = measured(repository)
  console.log(row(repository.slice(repository.lastIndexOf("/") + 1), tally))
  return tally
})
if (tallies.length > 1) console.log(row("all", tallies.reduce(sum)))
