/**
 * What a night learns from real history. Run `bun scripts/bench/nightHistory.ts [options] REPOSITORY...` after `bun run build`; a
 * repository is the path of a clone or of a bare repository, with its history.
 *
 * For each repository: ranges of its history are reviewed, the oldest first, as if each were a branch. A finding is labelled by
 * what became of it: accepted if its line is gone from its file at the newest commit, rejected if it is still there; if the file is
 * gone, it gets no label. These are not the judgements of people, and they are noisy. Then it is learned from the oldest 60 %, and
 * the newer reviews show what the learned suppressions would have hidden: for each repository, and for all as folders of one.
 *
 * The repositories are only read; clones and the archive are thrown away. Options: `--ranges N` (40), `--commits N` in each (50),
 * `--binary FILE` another build than `dist/dd`, `--keep DIR` keeps the archives there, and
 * uses those that are there.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"
import { hides } from "../../src/domain/finding/LearnedSuppression.ts"
import type { LabelledFinding, LabelledReview } from "../../src/domain/night/LabelledReview.ts"
import { splitByTime } from "../../src/domain/night/split.ts"
import { mean, squaredError, wilson } from "../../src/domain/night/statistics.ts"
import type { ArchivedFinding } from "../../src/domain/review/FindingsFile.ts"
import { learning } from "../../test/support/night/learning.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    ranges: { type: "string", default: "40" },
    commits: { type: "string", default: "50" },
    binary: { type: "string", default: join(import.meta.dir, "../../dist/dd") },
    keep: { type: "string" }
  }
})

const scratch = mkdtempSync(join(tmpdir(), "dd-night-"))

const run = (command: ReadonlyArray<string>, cwd: string, home: string) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...command], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, DD_HOME: join(home, ".daydream") }
  })
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() }
}

interface Found {
  readonly id: number
  readonly rule: string
  readonly file: string
  readonly line: number
}

const learnFrom = (repository: string, name: string) => {
  const home = join(scratch, name, "home")
  const clone = join(scratch, name, "clone")
  mkdirSync(home, { recursive: true })
  // Rules that are off by default say more, and are wrong more often.
  const { rules: known } = JSON.parse(
    run([values.binary, "rules", "list", "--format", "json"], scratch, home).stdout
  ) as {
    readonly rules: ReadonlyArray<{ readonly id: string; readonly off_by_default: boolean }>
  }
  const enabled = known.filter(({ off_by_default }) => off_by_default).map(({ id }) => id)
  mkdirSync(join(home, ".daydream"), { recursive: true })
  writeFileSync(join(home, ".daydream/config.toml"), `[rules]\nenable = ${JSON.stringify(enabled)}\n`)
  run(["git", "clone", "-q", "--shared", repository, clone], scratch, home)
  const git = (...args: ReadonlyArray<string>) => run(["git", ...args], clone, home).stdout
  const tip = git("rev-parse", "HEAD").trim()
  const wanted = Number(values.ranges) * Number(values.commits)
  const commits = git("log", "--first-parent", "--format=%H", `-${wanted + 1}`)
    .trim()
    .split("\n")
    .reverse()
  const edges = commits.filter((_, at) => at % Number(values.commits) === 0)
  const counts = { reviews: 0, findings: 0, accepted: 0, rejected: 0, unlabelled: 0 }
  const rules = new Map<string, { accepted: number; rejected: number }>()
  for (const [at, base] of edges.slice(0, -1).entries()) {
    git("checkout", "-q", "--detach", edges[at + 1]!)
    const { stdout } = run(
      [values.binary, "review", "--base", base, "--format", "json", "--no-learned", "--brief", "none"],
      clone,
      home
    )
    const result = JSON.parse(stdout || "{}") as {
      readonly run?: { readonly session_id: string }
      readonly findings?: ReadonlyArray<Found>
    }
    if (result.run === undefined) continue
    counts.reviews++
    for (const { file, id, line, rule } of result.findings ?? []) {
      counts.findings++
      const text = (git("show", `HEAD:${file}`).split("\n")[line - 1] ?? "").trim()
      const after = run(["git", "show", `${tip}:${file}`], clone, home)
      if (text === "" || after.exitCode !== 0) {
        counts.unlabelled++
        continue
      }
      const outcome = after.stdout.split("\n").some((each) => each.trim() === text) ? "rejected" : "accepted"
      counts[outcome]++
      const count = rules.get(rule) ?? { accepted: 0, rejected: 0 }
      count[outcome]++
      rules.set(rule, count)
      run(
        [values.binary, "archive", "label", result.run.session_id, "--finding", String(id), "--outcome", outcome],
        clone,
        home
      )
    }
  }
  console.log(`${name}: ${JSON.stringify(counts)}`)
  for (const [rule, { accepted, rejected }] of [...rules].sort())
    console.log(`  ${rule}: ${accepted} accepted, ${rejected} rejected`)
  if (values.keep !== undefined) cpSync(home, join(values.keep, name), { recursive: true })
  return { home }
}

/** The labelled reviews of an archive, as if its repository were a folder. */
const reviewsIn = (home: string, name: string): ReadonlyArray<LabelledReview> => {
  const archive = join(home, ".daydream/archive")
  return readdirSync(join(archive, "runs")).map((session) => {
    const read = (file: string) => JSON.parse(readFileSync(join(archive, "runs", session, file), "utf8"))
    const labels = join(archive, "labels", `${session}.jsonl`)
    const given = new Map<number, { readonly verdict: "accepted" | "rejected"; readonly observed_at: string }>()
    for (const line of existsSync(labels) ? readFileSync(labels, "utf8").split("\n") : []) {
      if (line !== "") given.set(JSON.parse(line).finding.finding, JSON.parse(line).finding)
    }
    const { findings }: { readonly findings: ReadonlyArray<ArchivedFinding> } = read("findings.json")
    return {
      session,
      at: Date.parse(read("manifest.json").archived_at),
      changedFiles: [],
      check: null,
      hiddenBy: [],
      findings: findings.map(({ file, fingerprint, id, line, rule, severity, title }) => {
        const label = given.get(id)
        return {
          ...{
            finding: id,
            rule,
            title,
            line,
            severity,
            by: "static",
            hiddenBy: null,
            isGone: false,
            weak: null,
            fixed: null
          },
          file: `${name}/${file}`,
          fingerprint: `${name} ${fingerprint}`,
          judgement: label?.verdict ?? null,
          judgedAt: label === undefined ? null : Date.parse(label.observed_at)
        }
      })
    }
  })
}

const share = (part: number, all: number): string => {
  const { hi, lo } = wilson(part, all)
  return all === 0 ? "none" : `${(part / all).toFixed(2)} [${lo.toFixed(2)}, ${hi.toFixed(2)}] (${part} of ${all})`
}

/** Learns from the oldest 60 %, and looks at all that is newer. */
const judge = (name: string, reviews: ReadonlyArray<LabelledReview>) => {
  const { gate, sealed } = splitByTime(reviews)
  const { generation } = learning(reviews, Math.max(...reviews.map(({ at }) => at)) + 1)
  const later = [...gate, ...sealed].flatMap(({ findings }) => findings).filter(({ judgement }) => judgement !== null)
  const hidden = later.filter((each) => generation.suppressions.some((one) => hides(one, each, 0)))
  const isRejected = ({ judgement }: LabelledFinding) => judgement === "rejected"
  const rejected = later.filter(isRejected).length
  const table = new Map(generation.calibration.map(({ probability, rule }) => [rule, probability]))
  const base = later.length === 0 ? 0 : 1 - rejected / later.length
  const error = (of: (each: LabelledFinding) => number) =>
    mean(later.map((each) => squaredError({ accepted: !isRejected(each), probability: of(each) }))).toFixed(3)
  console.log(
    `${name}: ${reviews.length} reviews, ${later.length} later labels, ${generation.suppressions.length} suppressions`
  )
  console.log(`  rejected findings that are hidden  ${share(hidden.filter(isRejected).length, rejected)}`)
  console.log(`  hidden findings that are rejected  ${share(hidden.filter(isRejected).length, hidden.length)}`)
  console.log(
    `  squared error ${error(({ rule }) => table.get(rule) ?? base)}, of the share of all ${error(() => base)}`
  )
  for (const { folder, rejected, rule } of generation.suppressions)
    console.log(`  hides ${rule} in ${folder} (${rejected} rejected)`)
}

try {
  const names = positionals.map((path) => basename(path.replace(/\/repo$/, "")))
  const homes = names.map((name, at) => {
    const kept = values.keep === undefined ? null : join(values.keep, name)
    return kept !== null && existsSync(kept) ? kept : learnFrom(positionals[at]!, name).home
  })
  const all = homes.map((home, at) => reviewsIn(home, names[at]!))
  for (const [at, reviews] of all.entries()) judge(names[at]!, reviews)
  judge("all together", all.flat())
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
