/**
 * Random runs of the compiled binary, judged from outside: `bun scripts/fuzz/runs.ts [RUNS] [SEED] REPOSITORY...`.
 *
 * Each run reviews a random commit of a copy of a repository in a random format, through a random reader of its output
 * and under a random fault: a signal, a git subcommand that fails, a file size limit, a home that cannot be written, a
 * model service that refuses, breaks off or stays silent, a coding CLI that is not installed.
 *
 * Prints one line a kind of run and every contradiction: output that a strict parser refuses, a document cut or written
 * twice, an exit code that is not documented or does not match the report, a status that claims more than happened, and
 * files left in the temporary directory. Exits with 1 when there is one.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import Ajv from "ajv/dist/2020"
import type { Asked } from "../../test/support/Asked.ts"
import { agreeable, startModel } from "../../test/support/modelServer.ts"
import type { ScriptedTurn, Trouble } from "../../test/support/scriptedTurn.ts"
import { git, shuffler } from "../bench/scratchClone.ts"

const [times = "1000", seed = "1", ...repositories] = process.argv.slice(2)
const dd = join(import.meta.dir, "../../dist/dd")
const place = mkdtempSync(join(tmpdir(), "dd-runs-"))
const shuffled = shuffler(Number(seed))
let drawn = 0
const upTo = (most: number): number => Number(Bun.hash(`${seed} ${drawn++}`) % BigInt(most))
const pick = <A>(list: ReadonlyArray<A>): A => list[upTo(list.length)]!

const formats = ["text", "json", "jsonl", "markdown", "sarif", "rdjsonl", "gitlab", "github"] as const
const readers = ["fast", "slow", "closing", "file", "full", "non-blocking"] as const
const faults = ["none", "none", "SIGINT", "SIGTERM", "git", "file size", "home", "model", "model", "no CLI"] as const
type Fault = (typeof faults)[number]

/** What a report of `--format json` says, as far as it is judged here. */
interface Report {
  readonly status: "complete" | "partial" | "inconclusive"
  readonly findings: ReadonlyArray<{ readonly rule: string; readonly file: string; readonly line: number | null }>
  readonly degraded: ReadonlyArray<{ readonly step: string }>
  readonly coverage: {
    readonly files_in_diff: number
    readonly files_reviewed: number
    readonly files: ReadonlyArray<{ readonly status: string; readonly reason: string | null }>
  }
}

const troubles: ReadonlyArray<Trouble | null> = [
  null,
  { status: 401 },
  { status: 404 },
  { status: 429 },
  { status: 500 },
  { cutAfter: 2, how: "cut" },
  { cutAfter: 2, how: "short" },
  { brokenAfter: 1 },
  { errorAfter: 2, error: "overloaded" }
]
let trouble: Trouble | null = null
/** One answer in three meets the trouble of the run. */
const answer = (asked: Asked, nth: number): ScriptedTurn => {
  const turn = agreeable(asked, nth)
  return trouble === null || nth % 3 !== 0 ? turn : { ...turn, trouble }
}
const server = await startModel(answer)

const readerCommand = (reader: (typeof readers)[number], out: string): string => {
  switch (reader) {
    case "fast":
    case "non-blocking":
      return `| cat > ${out}`
    case "slow":
      return `| perl -e 'while (sysread(STDIN, $b, 1 + int rand 9000)) { print $b; select undef, undef, undef, 0.003 }' > ${out}`
    case "closing":
      return `| head -c ${upTo(3000)} > ${out}`
    case "file":
      return `> ${out}`
    case "full":
      return "> /dev/full"
  }
}

/** A git that fails for one subcommand, first on PATH. */
const failingGit = (directory: string, subcommand: string): string => {
  const real = Bun.which("git")
  mkdirSync(directory)
  const script = `#!/bin/sh\nfor word in "$@"; do [ "$word" = ${subcommand} ] && { echo "fatal: made up" >&2; exit 128; }; done\nexec ${real} "$@"\n`
  writeFileSync(join(directory, "git"), script)
  chmodSync(join(directory, "git"), 0o755)
  return directory
}

const schema = JSON.parse(Bun.spawnSync([dd, "review", "--print-schema"]).stdout.toString()) as object
const fitsSchema = new Ajv({ strict: false, validateFormats: false }).compile(schema)

const unreadable = (format: (typeof formats)[number], text: string): string | null => {
  try {
    const lines = text.split("\n").slice(0, -1)
    if (text !== "" && !text.endsWith("\n")) return "does not end with a line end"
    switch (format) {
      case "json":
        return fitsSchema(JSON.parse(text)) ? null : JSON.stringify(fitsSchema.errors?.[0])
      case "jsonl": {
        const types = lines.map((line) => (JSON.parse(line) as { type: string }).type)
        const ends = types.filter((type) => type === "complete" || type === "error").length
        return types[0] === "context" && ends === 1 && /complete|error/.test(types.at(-1) ?? "")
          ? null
          : `lines are ${types.join(" ")}`
      }
      case "sarif":
        return (JSON.parse(text) as { version: string }).version === "2.1.0" ? null : "no version"
      case "gitlab":
        return Array.isArray(JSON.parse(text)) ? null : "no array"
      case "rdjsonl":
        lines.forEach((line) => {
          JSON.parse(line)
        })
        return null
      case "github":
        return lines.every((line) => /^::(?:error|warning|notice)/.test(line)) ? null : `a line is no annotation`
      case "text":
      case "markdown":
        return /[\u0000-\u0008\u000b-\u001f\u007f]/.test(text) ? "a control character" : null
    }
  } catch (error) {
    return String(error)
  }
}

const keyOf = ({ findings }: Report): string =>
  findings
    .map(({ rule, file, line }) => `${rule} ${file}:${line}`)
    .sort()
    .join("\n")

const healthy = new Map<string, Report>()
const wrong: Array<string> = []
const kinds = new Map<string, number>()

/** What contradicts itself in one run. */
const run = async (
  nth: number,
  clones: ReadonlyArray<{ readonly path: string; readonly commits: ReadonlyArray<string> }>
) => {
  const { path, commits } = pick(clones)
  const commit = pick(commits)
  const format = pick(formats)
  const fault: Fault = pick(faults)
  const reader = pick(readers)
  const failOn = pick(["none", "low"])
  const onInconclusive = pick(["pass", "fail"])
  const work = join(place, `run-${nth}`)
  const temporary = join(work, "tmp")
  mkdirSync(temporary, { recursive: true })
  rmSync(join(path, ".daydream"), { recursive: true, force: true })
  trouble = fault === "model" ? pick(troubles) : null
  const subcommand = pick([
    "cat-file",
    "diff",
    "diff-tree",
    "grep",
    "ls-tree",
    "ls-files",
    "rev-parse",
    "log",
    "merge-base"
  ])
  const withGit = fault === "git" ? `${failingGit(join(work, "bin"), subcommand)}:` : ""
  const backend = fault === "model" ? "anthropic" : fault === "no CLI" ? "codex" : "static"
  const env = {
    PATH: `${withGit}/usr/local/bin:/usr/bin:/bin`,
    HOME: fault === "home" ? pick(["/dev/null", "/proc", "relative/home"]) : work,
    TMPDIR: temporary,
    GIT_CONFIG_NOSYSTEM: "1",
    ANTHROPIC_API_KEY: "sk-ant-made-up",
    DD_ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`
  }
  const report = join(work, "report.json")
  const out = join(work, "out")
  const options = `--backend ${backend} --fail-on ${failOn} --on-inconclusive ${onInconclusive}`
  const review = `${dd} review --commit ${commit} --format ${format} --output json=${report} ${options}`
  const delay = (0.02 + upTo(600) / 1000).toFixed(3)
  const stopped = /^SIG/.test(fault) ? `timeout --preserve-status --foreground -s ${fault} ${delay} ${review}` : review
  const limited = fault === "file size" ? `( ulimit -f ${pick([0, 8, 64, 512])}; exec ${stopped} )` : stopped
  const begun =
    reader === "non-blocking"
      ? `perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK); exec @ARGV or die' ${limited.includes("ulimit") ? stopped : limited}`
      : limited
  const child = Bun.spawn(
    ["bash", "-c", `${begun} 2> ${work}/err ${readerCommand(reader, out)}; exit \${PIPESTATUS[0]}`],
    {
      cwd: path,
      env,
      stdin: "ignore",
      timeout: 120_000
    }
  )
  await child.exited
  const status = child.exitCode
  const stdout = existsSync(out) ? readFileSync(out, "utf8") : ""
  const stderr = readFileSync(join(work, "err"), "utf8")
  const kind = `${fault === "git" ? `git ${subcommand}` : fault === "model" ? `model ${JSON.stringify(trouble)}` : fault}`
  kinds.set(`${kind} -> ${status}`, (kinds.get(`${kind} -> ${status}`) ?? 0) + 1)
  const say = (what: string): void => {
    wrong.push(`${nth} ${basename(path)} ${commit.slice(0, 10)} ${format} ${reader} ${kind} exit ${status}: ${what}`)
  }

  const isWritten = existsSync(report) && readFileSync(report, "utf8") !== ""
  const whole = reader === "full" ? [3, ...(format === "rdjsonl" ? [0] : [])] : [0, 1, 4]
  const expected = /^SIG/.test(fault) ? [...whole, fault === "SIGINT" ? 130 : 143] : [0, 1, 2, 3, 4]
  if (status === null || !expected.includes(status)) say(`exit ${status} is not expected: ${stderr.slice(-300)}`)
  // Without a finding there is nothing to write in this format.
  if (fault === "none" && reader === "full" && format !== "rdjsonl" && status !== 3)
    say("a full device was not reported")
  if (fault === "none" && reader !== "full" && status !== null && status > 1) say(`failed: ${stderr.slice(-300)}`)
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(stderr)) say("a control character on stderr")
  // Under a file size limit the file that standard error goes to is limited as well.
  if ((status === 2 || status === 3) && fault !== "file size" && stderr.trim() === "") say("no word about the cause")
  if (/\bat \S+ \(|\/\$bunfs\/|RuntimeError|TypeError|undefined/.test(stderr)) say(`a trace: ${stderr.slice(0, 300)}`)
  if (reader !== "closing" && reader !== "full") {
    const hasAnswer = status === 0 || status === 1 || status === 4
    if (hasAnswer || (stdout !== "" && status !== 130 && status !== 143 && format !== "jsonl")) {
      const problem = stdout === "" && ["rdjsonl", "github"].includes(format) ? null : unreadable(format, stdout)
      if (problem !== null && (hasAnswer || stdout !== "")) say(`output: ${problem}`)
    }
    if (!hasAnswer && format === "json" && stdout !== "") {
      const problem = unreadable("json", stdout)
      if (problem !== null) say(`output: ${problem}`)
      else if (fault !== "file size" && (JSON.parse(stdout) as Report).status === "complete")
        say("complete, though it did not end well")
    }
  }
  if (isWritten) {
    const problem = unreadable("json", readFileSync(report, "utf8"))
    if (problem !== null) return say(`--output json: ${problem}`)
    const result = JSON.parse(readFileSync(report, "utf8")) as Report
    const { coverage, degraded } = result
    const unread = coverage.files.filter((file) => file.status === "unread").length
    if (result.status === "complete" && degraded.some(({ step }) => !/archive|artifacts|trajectory/.test(step)))
      say(`complete, and degraded: ${JSON.stringify(degraded)}`)
    if (result.status === "complete" && unread > 0) say(`complete, and ${unread} files unread`)
    if (coverage.files.length !== coverage.files_in_diff) say("coverage does not list every file")
    if (coverage.files.filter((file) => file.status === "reviewed").length !== coverage.files_reviewed)
      say("coverage miscounts")
    if (coverage.files.some((file) => file.status !== "reviewed" && (file.reason ?? "") === ""))
      say("a file without a reason")
    if (status === 0 && result.status !== "complete" && onInconclusive === "fail") say("passed, though not complete")
    if (status === 4 && result.status === "complete") say("inconclusive, though complete")
    if (result.status === "complete" && backend === "static") {
      const first = healthy.get(commit)
      if (first === undefined && fault === "none") healthy.set(commit, result)
      if (first !== undefined && keyOf(first) !== keyOf(result)) say(`other findings than a healthy run, and complete`)
    }
    if (backend === "codex") say("a report without a backend")
  } else if (status === 0 || status === 4) say("no report in --output")
  const left = readdirSync(temporary)
  if (left.length > 0) say(`left in the temporary directory: ${left.join(", ")}`)
  rmSync(work, { recursive: true, force: true })
}

try {
  const clones = repositories.map((repository, nth) => {
    const path = join(place, `clone-${nth}-${basename(repository.replace(/\/repo$/, ""))}`)
    git("clone", "--quiet", repository, path)
    const commits = git("-C", path, "log", "--no-merges", "-n", "400", "--format=%H").trim().split("\n")
    return { path, commits: shuffled(commits).slice(0, 25) }
  })
  for (const { path, commits } of clones) {
    for (const commit of commits) {
      const child = Bun.spawnSync([dd, "review", "--commit", commit, "--format", "json", "--no-archive"], { cwd: path })
      if (child.success) healthy.set(commit, JSON.parse(child.stdout.toString()) as Report)
    }
  }
  for (let nth = 0; nth < Number(times); nth++) await run(nth, clones)
  for (const [kind, count] of [...kinds].sort()) console.log(`  ${kind.padEnd(60)} ${count}`)
  console.log(`${times} runs, ${wrong.length} wrong`)
  for (const each of wrong) console.log(`  ${each}`)
} finally {
  await server.close()
  rmSync(place, { recursive: true, force: true })
}
process.exitCode = wrong.length === 0 ? 0 : 1
