/**
 * The findings of some rules in real history. Run `bun scripts/bench/history.ts RULES COUNT REPOSITORY...` after `bun run build`.
 *
 * Reviews the last COUNT commits except merges, of each repository with the compiled binary and prints every finding
 * of the rules whose ids begin with one of RULES (`clone/,drift/`), to be judged by reading the code. Nothing is written
 * into the repositories.
 */
import { basename, join } from "node:path"

const binary = join(import.meta.dir, "../../dist/dd")
const [prefixes = "", count = "60", ...repositories] = process.argv.slice(2)
if (repositories.length === 0) {
  console.error("usage: bun scripts/bench/history.ts RULES COUNT REPOSITORY...")
  process.exit(2)
}
const wanted = prefixes.split(",")
/** Rules that are off by default are enabled by their areas. */
const areas = [...new Set(wanted.map((each) => `${each.split("/")[0]}/*`))].join(",")

interface Shown {
  readonly rule: string
  readonly severity: string
  readonly file: string
  readonly line: number
  readonly description: string
}

const findingsOf = (repository: string, sha: string): ReadonlyArray<Shown> | null => {
  const child = Bun.spawnSync(
    [binary, "review", repository, "--commit", sha, "--format", "json", "--fail-on", "none", "--no-archive"],
    {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      env: { ...process.env, DD_RULES_ENABLE: areas }
    }
  )
  try {
    const { findings }: { findings: ReadonlyArray<Shown> } = JSON.parse(child.stdout.toString())
    return findings.filter(({ rule }) => wanted.some((prefix) => rule.startsWith(prefix)))
  } catch {
    return null
  }
}

for (const repository of repositories) {
  const listed = Bun.spawnSync(["git", "-C", repository, "log", "--no-merges", "--format=%h", "-n", count])
  const commits = listed.stdout
    .toString()
    .split("\n")
    .filter((sha) => sha !== "")
  const failed: Array<string> = []
  for (const sha of commits) {
    const findings = findingsOf(repository, sha)
    if (findings === null) {
      failed.push(sha)
      continue
    }
    for (const { description, file, line, rule, severity } of findings) {
      console.log(`${basename(repository)} ${sha} ${rule} ${severity} ${file}:${line} ${description}`)
    }
  }
  const missed = failed.length === 0 ? "" : `, not ${failed.length}: ${failed.slice(0, 3).join(" ")}`
  console.log(`${basename(repository)}: ${commits.length - failed.length} commits reviewed${missed}`)
}
