/**
 * How often each rule is right on real code. Run `bun scripts/bench/precision.ts [options] REPOSITORY...` after
 * `bun run build`; a repository is `owner/name=PATH`, a clone with its history.
 *
 * 1. Every commit listed for the repository in `precision.json` is reviewed by the compiled binary.
 * 2. Whole trees listed there are reviewed as if every file were new, because that is what somebody sees who starts
 *    a project with dd. Of what a rule says there a sample is drawn: findings are ordered by a hash of seed and place,
 *    and the first `--sample` of each rule are wanted. Mending a rule brings the next ones in, it does not draw anew.
 *
 * The findings are joined with the judgements of `judgements.tsv` into the table rule, fired, true, false, arguable; what nobody
 * has judged yet is named, and so is what was judged true and is not said any more. Nothing is written but `--out`, and the repositories are only read: the work happens in
 * clones that are thrown away. The same repositories, judgements and binary give the same bytes on stdout.
 *
 * Options: `--last N` reviews the N newest non-merge commits instead of those listed, and prints them as lines of a list;
 * `--ids FILE` reviews those of such a list, a repository's name and its ids a line;
 * `--sample N` (20), `--seed N` (1), `--scope commits|trees` for one half, `--rule ID` for one rule,
 * `--out FILE` every finding with its judgement as JSON lines, `--low` also asks for judgements of severity low,
 * `--binary FILE` another build than `dist/dd`, `--jobs N` (2) repositories at once.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

const repositories = join(import.meta.dir, "precision.json")
const judgements = join(import.meta.dir, "judgements.tsv")

type Verdict = "true" | "false" | "arguable"
type Scope = "commits" | "trees"

/** One recorded judgement: a place at a commit, what the rule said of it, and whether that is so. */
interface Judgement {
  readonly scope: Scope
  readonly repository: string
  readonly commit: string
  readonly rule: string
  readonly file: string
  readonly line: number
  readonly verdict: Verdict
  readonly reason: string
}

/** Ids, separated by a space. */
type Reviewed = Readonly<Record<string, { readonly commits: string; readonly trees: string }>>

interface Finding extends Omit<Judgement, "verdict" | "reason"> {
  readonly severity: "high" | "medium" | "low"
  readonly title: string
  readonly text: string
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    last: { type: "string" },
    ids: { type: "string" },
    sample: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    scope: { type: "string" },
    rule: { type: "string" },
    out: { type: "string" },
    low: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    binary: { type: "string", default: join(import.meta.dir, "../../dist/dd") }
  }
})
const asked = positionals.map((text) => {
  const [name, path] = text.split("=")
  return { name: name ?? "", path: path ?? "" }
})
if (asked.length === 0 || asked.some(({ path }) => path === "")) {
  console.error("usage: bun scripts/bench/precision.ts [--last N] [--sample N] [--seed N] owner/name=PATH ...")
  process.exit(2)
}

const listed: Reviewed = JSON.parse(readFileSync(repositories, "utf8"))
/** One a line, under a line of names: scope, repository, commit, rule, file, line, verdict, reason. */
const known: ReadonlyArray<Judgement> = readFileSync(judgements, "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((text) => {
    const [scope, repository, commit, rule, file, line, verdict, reason] = text.split("\t") as [
      Scope,
      string,
      string,
      string,
      string,
      string,
      Verdict,
      string
    ]
    return { scope, repository, commit, rule, file, line: Number(line), verdict, reason }
  })
const scratch = mkdtempSync(join(tmpdir(), "dd-precision-"))
const env = {
  PATH: process.env.PATH ?? "",
  HOME: scratch,
  DD_HOME: join(scratch, "home"),
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "dd",
  GIT_AUTHOR_EMAIL: "dd@example.invalid",
  GIT_AUTHOR_DATE: "2000-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "dd",
  GIT_COMMITTER_EMAIL: "dd@example.invalid",
  GIT_COMMITTER_DATE: "2000-01-01T00:00:00Z"
}

const run = async (cwd: string, command: ReadonlyArray<string>, stdin = "", more: Record<string, string> = {}) => {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env, ...more },
    stdin: new TextEncoder().encode(stdin),
    stdout: "pipe",
    stderr: "pipe"
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { stdout, stderr, code }
}

const git = async (cwd: string, args: ReadonlyArray<string>, stdin = "", more: Record<string, string> = {}) => {
  const { stdout, stderr, code } = await run(cwd, ["git", ...args], stdin, more)
  if (code !== 0) throw new Error(`git ${args[0]}: ${stderr.slice(0, 300)}`)
  return stdout
}

/** A commit without a parent that holds the tree of `id`, but for objects the clone does not have. */
const orphanOf = async (clone: string, id: string): Promise<string> => {
  const listing = (await git(clone, ["ls-tree", "-r", "-z", id])).split("\0").filter((line) => line !== "")
  const ids = listing.map((line) => line.split(/[ \t]/)[2] ?? "")
  const there = await git(clone, ["cat-file", "--batch-check=%(objecttype)"], `${ids.join("\n")}\n`)
  const present = there.split("\n").map((line) => line === "blob")
  const index = { GIT_INDEX_FILE: join(scratch, `index-${Bun.hash(clone + id).toString(16)}`) }
  const kept = listing.filter((_, at) => present[at]).map((line) => `${line}\0`)
  await git(clone, ["update-index", "-z", "--index-info"], kept.join(""), index)
  const tree = (await git(clone, ["write-tree"], "", index)).trim()
  return (await git(clone, ["commit-tree", tree, "-m", "every file as new"])).trim()
}

const unread: Array<string> = []

const review = async (
  clone: string,
  repository: string,
  scope: Scope,
  commit: string
): Promise<ReadonlyArray<Finding>> => {
  const target = scope === "trees" ? await orphanOf(clone, commit) : commit
  const flags = ["--commit", target, "--no-archive", "--format", "json", "--fail-on", "none", "--quiet"]
  const { stdout, stderr, code } = await run(clone, [options.binary, "review", ...flags])
  if (code !== 0) {
    unread.push(`${repository} ${scope} ${commit}: ${stderr.trim().split("\n")[0] ?? ""}`)
    return []
  }
  const { findings, dropped } = JSON.parse(stdout)
  if (dropped.length > 0) unread.push(`${repository} ${scope} ${commit}: ${dropped.length} findings were dropped`)
  const found = findings as ReadonlyArray<Record<"rule" | "file" | "title" | "severity", string> & { line: number }>
  const quotes = new Map<string, ReadonlyArray<string>>()
  for (const { file } of found) {
    if (quotes.has(file)) continue
    const shown = await run(clone, ["git", "show", `${target}:${file}`])
    quotes.set(file, shown.stdout.split("\n"))
  }
  return found.map(({ rule, file, line, severity, title }) => ({
    scope,
    repository,
    commit,
    rule,
    file,
    line,
    severity: severity as Finding["severity"],
    title,
    text: quotes.get(file)?.[line - 1]?.trim().slice(0, 160) ?? ""
  }))
}

const placeOf = ({ scope, repository, commit, rule, file, line }: Omit<Judgement, "verdict" | "reason">): string =>
  JSON.stringify([scope, repository, commit, rule, file, line])

const reviewOf = (scope: Scope, repository: string, commit: string): string =>
  JSON.stringify([scope, repository, commit])

/** The same line of code in two trees of one repository is one place: judging it twice would count it twice. */
const sameCodeOf = ({ repository, rule, file, text }: Finding): string => JSON.stringify([repository, rule, file, text])

const idsOf = async (name: string, path: string): Promise<ReadonlyArray<string>> => {
  if (options.last !== undefined) {
    return (await git(path, ["log", "--no-merges", "--format=%H", `-${options.last}`])).trim().split("\n")
  }
  if (options.ids === undefined) return (listed[name]?.commits ?? "").split(" ").filter((id) => id !== "")
  const lines = readFileSync(options.ids, "utf8").split("\n")
  return lines.filter((line) => line.startsWith(`${name} `)).flatMap((line) => line.trim().split(/\s+/).slice(1))
}

const reviewAll = async ({ name, path }: { readonly name: string; readonly path: string }) => {
  const clone = join(scratch, name.replaceAll("/", "+"))
  await git(scratch, ["clone", "--quiet", "--shared", "--no-checkout", path, clone])
  const found: Array<Finding> = []
  const commits = options.scope === "trees" ? [] : await idsOf(name, path)
  for (const id of commits) found.push(...(await review(clone, name, "commits", id)))
  const trees = (options.scope === "commits" ? "" : (listed[name]?.trees ?? "")).split(" ").filter((id) => id !== "")
  for (const id of trees) found.push(...(await review(clone, name, "trees", id)))
  console.error(`${name}: ${commits.length} commits, ${trees.length} trees, ${found.length} findings`)
  rmSync(clone, { recursive: true, force: true })
  const reviews = [
    ...commits.map((id) => reviewOf("commits", name, id)),
    ...trees.map((id) => reviewOf("trees", name, id))
  ]
  return { commits, reviews, found }
}

/** Repositories in parallel, one review at a time in each; the order of the answer is that of the question. */
const everything = async () => {
  const outcomes: Array<Awaited<ReturnType<typeof reviewAll>>> = []
  let next = 0
  const worker = async () => {
    for (let at = next++; at < asked.length; at = next++) outcomes[at] = await reviewAll(asked[at]!)
  }
  await Promise.all(Array.from({ length: Math.max(1, Math.min(Number(options.jobs), cpus().length)) }, worker))
  return outcomes
}

/** The first `size` findings of each rule in an order that knows nothing but the seed and the place. */
const sampleOf = (findings: ReadonlyArray<Finding>, size: number): ReadonlySet<Finding> => {
  const drawn = new Set<Finding>()
  const once = [...new Map(findings.map((finding) => [sameCodeOf(finding), finding] as const)).values()]
  for (const [, ofRule] of Map.groupBy(once, ({ rule }) => rule)) {
    const order = new Map(ofRule.map((finding) => [finding, Bun.hash(`${options.seed} ${placeOf(finding)}`)]))
    const sorted = ofRule.toSorted((a, b) => (order.get(a)! < order.get(b)! ? -1 : 1))
    for (const finding of sorted.slice(0, size)) drawn.add(finding)
  }
  return drawn
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
const tally = (verdicts: ReadonlyArray<Verdict | undefined>) => {
  const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length
  return { right: count("true"), wrong: count("false"), arguable: count("arguable") }
}

try {
  const outcomes = await everything()
  if (options.last !== undefined) {
    for (const [at, { name }] of asked.entries()) console.log(`${name} ${outcomes[at]?.commits.join(" ")}`)
  }
  const findings = outcomes
    .flatMap(({ found }) => found)
    .filter(({ rule }) => options.rule === undefined || rule === options.rule)
  const judged = new Map(known.map((judgement) => [placeOf(judgement), judgement]))
  const verdictOf = (finding: Finding) => judged.get(placeOf(finding))?.verdict

  const inCommits = findings.filter(({ scope }) => scope === "commits")
  const inTrees = findings.filter(({ scope }) => scope === "trees")
  const sample = sampleOf(inTrees, Number(options.sample))

  const severities = new Map(findings.map(({ rule, severity }) => [rule, severity]))
  console.log("| rule | severity | commits: fired | true | false | arguable | trees: fired | true | false | arguable |")
  console.log("|---|---|---|---|---|---|---|---|---|---|")
  for (const rule of [...severities.keys()].sort(compare)) {
    const ofRule = (all: ReadonlyArray<Finding>) => all.filter((finding) => finding.rule === rule)
    const [a, b] = [ofRule(inCommits), ofRule(inTrees)]
    const [x, y] = [tally(a.map(verdictOf)), tally(b.filter((finding) => sample.has(finding)).map(verdictOf))]
    const cells = [a.length, x.right, x.wrong, x.arguable, b.length, y.right, y.wrong, y.arguable]
    console.log(`| ${rule} | ${severities.get(rule)} | ${cells.join(" | ")} |`)
  }

  const wanted = [...inCommits, ...inTrees.filter((finding) => sample.has(finding))].filter(
    (finding) => verdictOf(finding) === undefined && (options.low || finding.severity !== "low")
  )
  console.log(wanted.length === 0 ? "\nEverything asked for is judged." : `\n${wanted.length} are not judged yet:`)
  for (const { scope, repository, commit, rule, file, line, text } of wanted) {
    console.log([scope, repository, commit, rule, `${file}:${line}`, text].join("  "))
  }
  const placed = new Set(findings.map(placeOf))
  const reviewed = new Set(outcomes.flatMap(({ reviews }) => reviews))
  const silent = known.filter(
    (judgement) =>
      !placed.has(placeOf(judgement)) &&
      (options.rule === undefined || judgement.rule === options.rule) &&
      reviewed.has(reviewOf(judgement.scope, judgement.repository, judgement.commit))
  )
  const gone = tally(silent.map(({ verdict }) => verdict))
  console.log(
    `\nJudged once and silent now: ${gone.wrong} that were false, ${gone.arguable} arguable, ${gone.right} true.`
  )
  for (const { scope, repository, commit, rule, file, line } of silent.filter(({ verdict }) => verdict === "true")) {
    console.log([scope, repository, commit, rule, `${file}:${line}`].join("  "))
  }
  for (const problem of unread.sort(compare)) console.log(`not reviewed: ${problem}`)

  if (options.out !== undefined) {
    writeFileSync(options.out, "")
    for (const finding of findings) {
      const judgement = judged.get(placeOf(finding))
      const line = { ...finding, sampled: sample.has(finding), verdict: judgement?.verdict, reason: judgement?.reason }
      appendFileSync(options.out, `${JSON.stringify(line)}\n`)
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
