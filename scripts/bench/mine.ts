/**
 * Finds commits that introduced a bug, by the commits that fixed it. Run `bun scripts/bench/mine.ts REPOSITORY...`;
 * a repository is `owner/name=PATH`, a clone with its history.
 *
 * Prints lines of repository, introducing commit, fixing commit, kind and subject of the fix, separated by tabs:
 * `named` (the fix names the commit or pull request), `reverted` (the fix is a revert) or `blamed` (a small fix, and
 * git blame gives all lines it changes to one commit). Option: `--most N` (60) pairs a repository.
 */
import { parseArgs } from "node:util"

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { most: { type: "string", default: "60" }, commits: { type: "string", default: "8000" } }
})
const most = Number(options.most)

const git = (path: string, ...args: ReadonlyArray<string>): string => {
  const child = Bun.spawnSync(["git", "-C", path, ...args], { stdin: "ignore", stdout: "pipe", stderr: "ignore" })
  return child.exitCode === 0 ? child.stdout.toString() : ""
}

interface Commit {
  readonly sha: string
  readonly parents: ReadonlyArray<string>
  readonly time: number
  readonly subject: string
  readonly body: string
}

const historyOf = (path: string): ReadonlyArray<Commit> =>
  git(path, "log", "--format=%x1e%H%x00%P%x00%ct%x00%s%x00%b", "-n", options.commits!, "HEAD")
    .split("\x1e")
    .slice(1)
    .map((entry) => {
      const [sha = "", parents = "", time = "0", subject = "", body = ""] = entry.split("\0")
      return { sha, parents: parents.split(" ").filter(Boolean), time: Number(time), subject, body }
    })

const source = /\.(?:py|pyi|ts|tsx|js|jsx|mjs|cjs|vue|svelte|go|rs|java|ex|exs|swift|rb|kt)$/
const aside =
  /(?:^|\/)(?:tests?|__tests__|testdata|spec|docs?|examples?|fixtures?|changelog|news)(?:\/|$)|_test\.|\.test\.|\.spec\.|Tests?\.java$|conftest\.py$/i

interface Size {
  readonly files: ReadonlyArray<string>
  readonly lines: number
}

const sizeOf = (path: string, sha: string): Size => {
  const rows = git(path, "show", "--numstat", "--format=", "--no-renames", sha)
    .split("\n")
    .map((row) => row.split("\t"))
    .filter((row) => row.length === 3)
  return {
    files: rows.map(([, , file = ""]) => file).filter((file) => source.test(file) && !aside.test(file)),
    lines: rows.reduce(
      (sum, [added = "0", deleted = "0", file = ""]) =>
        source.test(file) && !aside.test(file) ? sum + (Number(added) || 0) + (Number(deleted) || 0) : sum,
      0
    )
  }
}

/** The one commit that all changed lines of a small fix come from; null if there are several. */
const blamed = (path: string, fix: Commit): string | null => {
  const size = sizeOf(path, fix.sha)
  if (size.files.length === 0 || size.files.length > 2 || size.lines > 16) return null
  const patch = git(path, "show", "--format=", "--no-renames", "-U0", fix.sha, "--", ...size.files)
  const origins = new Set<string>()
  let file = ""
  for (const line of patch.split("\n")) {
    if (line.startsWith("--- a/")) file = line.slice(6)
    const hunk = /^@@ -(\d+)(?:,(\d+))? /.exec(line)
    if (hunk === null) continue
    const count = hunk[2] === undefined ? 1 : Number(hunk[2])
    if (count === 0) continue
    const rows = git(path, "blame", "-w", "-s", "-l", "-L", `${hunk[1]},+${count}`, `${fix.sha}^`, "--", file)
    for (const row of rows.split("\n")) {
      const [sha = "", text = ""] = [row.slice(0, 40), row.slice(row.indexOf(")") + 1).trim()]
      if (row !== "" && !/^[\s{}()[\];,]*$/.test(text)) origins.add(sha)
    }
  }
  const [only, ...others] = origins
  return only !== undefined && others.length === 0 && !only.startsWith("^") ? only : null
}

const fixing =
  /^(?:\w+[:(] ?)?(?:bug|hot)?fix(?:es|ed|ing)?\b|\bfix(?:es|ed)? .*\b(?:bug|crash|regress|panic|race|leak|wrong|incorrect|null|nil|undefined|exception)/i
const harmless =
  /\b(?:typo|doc|docs|comment|lint|format|flaky|flake|test|tests|ci|build|warning|warnings|spelling|changelog|release|bench|style|types?)\b/i

for (const positional of positionals) {
  const [name = "", path = ""] = positional.split("=")
  const history = historyOf(path)
  const bySha = new Map(history.map((commit) => [commit.sha, commit]))
  const byPull = new Map<string, string>()
  for (const commit of history) {
    const pull = /\(#(\d+)\)$/.exec(commit.subject)?.[1]
    if (pull !== undefined && !byPull.has(pull)) byPull.set(pull, commit.sha)
  }
  const whole = (sha: string): string => git(path, "rev-parse", "--verify", "--quiet", `${sha}^{commit}`).trim()
  const pairs = new Map<string, { readonly fix: Commit; readonly kind: string }>()
  const keep = (introducing: string, fix: Commit, kind: string): void => {
    const commit = bySha.get(introducing)
    if (commit === undefined || commit.parents.length !== 1 || introducing === fix.sha || pairs.has(introducing)) return
    if (fix.time - commit.time > 4 * 365 * 86_400 || /^revert/i.test(commit.subject)) return
    const size = sizeOf(path, introducing)
    if (size.files.length === 0 || size.files.length > 25 || size.lines > 800) return
    pairs.set(introducing, { fix, kind })
  }
  for (const commit of history) {
    if (commit.parents.length !== 1) continue
    const text = `${commit.subject}\n${commit.body}`
    const named =
      /(?:introduced|regress(?:ed|ion)|broken?|caused)(?: (?:in|by|since|from|with))+ (?:commit |PR |pull request |https:\S+\/(?:commit|pull)\/)?(?:#(\d{2,6})\b|([0-9a-f]{7,40})\b)/i.exec(
        text
      )
    const fixes = /^Fixes: ([0-9a-f]{7,40})\b/m.exec(text)
    const reverted = /This reverts commit ([0-9a-f]{7,40})/.exec(text)
    if (named?.[1] !== undefined) keep(byPull.get(named[1]) ?? "", commit, "named")
    else if (named?.[2] !== undefined) keep(whole(named[2]), commit, "named")
    else if (fixes?.[1] !== undefined) keep(whole(fixes[1]), commit, "named")
    else if (reverted?.[1] !== undefined) keep(whole(reverted[1]), commit, "reverted")
  }
  let tried = 0
  for (const commit of history) {
    if (pairs.size >= most || tried > 400) break
    if (commit.parents.length !== 1 || !fixing.test(commit.subject) || harmless.test(commit.subject)) continue
    tried++
    const origin = blamed(path, commit)
    if (origin !== null) keep(origin, commit, "blamed")
  }
  for (const [introducing, { fix, kind }] of [...pairs].slice(0, most))
    console.log([name, introducing.slice(0, 12), fix.sha.slice(0, 12), kind, fix.subject].join("\t"))
}
