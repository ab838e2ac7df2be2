/**
 * What a night learns from real history. Run `bun scripts/bench/nightHistory.ts [options] REPOSITORY...` after `bun run build`; a
 * repository is the path of a clone or of a bare repository, with its history.
 *
 * For each repository: ranges of its history are reviewed, the oldest first, as if each were a branch. A finding is labelled by
 * what became of it: accepted if its line is gone from its file at the newest commit, rejected if it is still there; if the file is
 * gone, it gets no label. These are not the judgements of people, and they are noisy. Then one night runs, and the newest reviews,
 * from which it learned nothing, show what the learned suppressions would have hidden.
 *
 * The repositories are only read; clones and the archive are thrown away. Options: `--ranges N` (40), `--commits N` in each (50),
 * `--binary FILE` another build than `dist/dd`, `--keep DIR` keeps the archives there.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { parseArgs } from "node:util"

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
  return { clone, home }
}

const night = ({ clone, home }: { readonly clone: string; readonly home: string }) => {
  const out = join(home, "night")
  const { exitCode, stderr } = run(
    [values.binary, "dream", "start", "--no-keep-awake", "--output-dir", out],
    clone,
    home
  )
  if (exitCode !== 0) return console.log(`  the night ended with ${exitCode}: ${stderr.trim()}`)
  const [id = ""] = readdirSync(out).filter((each) => /^\d{8}T/.test(each))
  console.log(readFileSync(join(out, id, "summary.md"), "utf8"))
}

try {
  for (const path of positionals) night(learnFrom(path, basename(path.replace(/\/repo$/, ""))))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
