/**
 * dd's static review beside `ast-grep scan`, over the same files and with as many patterns. Run
 * `bun scripts/bench/astGrep.ts REPOSITORY LANGUAGE [AST_GREP]` (python, typescript, tsx, go, rust, java, elixir, ruby).
 *
 * The files of that language are committed alone, as if all of their lines were new: dd then reviews every line, with
 * everything else it does (git, the diff, the report). ast-grep gets one call pattern for each syntax rule dd has for the
 * language; none matches, so that neither is slowed down by printing. The times are read as a ratio, never alone. AST_GREP
 * is its program; without it the npm package @ast-grep/cli is installed into a directory that is removed afterwards.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { grammarOf } from "../../src/languages/languages.ts"
import { catalogue } from "../../src/rules/catalogue.ts"
import { median } from "./timed.ts"

const binary = join(import.meta.dir, "../../dist/dd")
const [repository, grammar, given] = process.argv.slice(2)
const languages: Readonly<Partial<Record<Grammar, string>>> = {
  python: "Python",
  typescript: "TypeScript",
  tsx: "Tsx",
  go: "Go",
  rust: "Rust",
  java: "Java",
  elixir: "Elixir",
  ruby: "Ruby"
}
const language = Object.entries(languages).find(([name]) => name === grammar)?.[1]
if (repository === undefined || language === undefined) {
  console.error(
    "usage: bun scripts/bench/astGrep.ts REPOSITORY python|typescript|tsx|go|rust|java|elixir|ruby [AST_GREP]"
  )
  process.exit(2)
}

const scratch = mkdtempSync(join(tmpdir(), "dd-ast-grep-"))
const files = join(scratch, "files")

const run = (command: ReadonlyArray<string>, cwd: string): { readonly ms: number; readonly output: string } => {
  const started = performance.now()
  const child = Bun.spawnSync([...command], { cwd, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
  const ms = performance.now() - started
  if (child.exitCode > 1) throw new Error(`${command[0]}: ${child.stderr.toString().slice(0, 300)}`)
  return { ms, output: child.stdout.toString() }
}

const git = (...args: ReadonlyArray<string>): string =>
  run(["git", "-c", "user.name=dd", "-c", "user.email=dd@example.invalid", ...args], files).output

try {
  mkdirSync(files)
  run(["git", "clone", "--quiet", "--no-hardlinks", repository, files], scratch)
  git("checkout", "--quiet", "--orphan", "alone")
  for (const path of git("ls-files", "-z").split("\0")) {
    if (path !== "" && grammarOf(path) !== grammar) git("rm", "--quiet", "-f", "--", path)
  }
  git("commit", "--quiet", "--no-verify", "--message", "alone")
  const kept = git("ls-files", "-z")
    .split("\0")
    .filter((path) => path !== "")
  const lines = kept.reduce((sum, path) => sum + readFileSync(join(files, path), "utf8").split("\n").length, 0)

  const patterns = catalogue.filter((rule) => rule._tag === "Syntax" && rule.grammars.some((each) => each === grammar))
  const rules = join(scratch, "rules")
  mkdirSync(rules)
  for (const at of patterns.keys()) {
    const rule = {
      id: `p${at}`,
      language,
      message: "m",
      severity: "warning",
      rule: { pattern: `never_called_${at}($A, $B)` }
    }
    writeFileSync(join(rules, `p${at}.yml`), JSON.stringify(rule))
  }
  const config = join(scratch, "sgconfig.yml")
  writeFileSync(config, JSON.stringify({ ruleDirs: ["rules"] }))
  if (given === undefined) run(["npm", "install", "--silent", "--prefix", scratch, "@ast-grep/cli@0.51.1"], scratch)
  const astGrep = given ?? join(scratch, "node_modules/.bin/ast-grep")

  const dd = [binary, "review", "--commit", "HEAD", "--format", "json", "--fail-on", "none", "--no-archive"]
  const other = [astGrep, "scan", "--config", config, "."]
  const times: Array<readonly [number, number]> = []
  for (let round = 0; round < 6; round++) times.push([run(dd, files).ms, run(other, files).ms])
  // The first round warms the disk's cache.
  const measured = times.slice(1)
  const [ours, theirs] = [median(measured.map(([ms]) => ms)), median(measured.map(([, ms]) => ms))]
  console.log(
    `${kept.length} ${grammar} files, ${lines} lines, ${patterns.length} patterns, median of ${measured.length} pairs`
  )
  console.log(`  ast-grep scan ${theirs.toFixed(0)} ms`)
  console.log(`  dd review     ${ours.toFixed(0)} ms   ${(ours / theirs).toFixed(2)} x ast-grep`)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
