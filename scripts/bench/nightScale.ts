/**
 * How long a night takes over a large archive. Run `bun scripts/bench/nightScale.ts [runs...]` after `bun run build`; 2500, 5000 and
 * 10000 runs when absent.
 *
 * One real review is archived, and copied under other ids and times with five findings each, of which a person labelled every
 * third. The first night learns, the second one on the same labels changes nothing.
 */
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [2_500, 5_000, 10_000]
const dd = join(import.meta.dir, "../../dist/dd")
const scratch = mkdtempSync(join(tmpdir(), "dd-night-scale-"))

const rules = [
  "py/mutable-default",
  "py/loop-closure",
  "ts/floating-promise",
  "go/error-swallowed",
  "test/focused",
  "lost/reader"
]
const folders = ["src/", "src/api/", "src/generated/", "tests/", "lib/core/", "lib/vendor/"]

const measure = (runs: number) => {
  const home = join(scratch, String(runs))
  const repository = join(home, "shop")
  mkdirSync(repository, { recursive: true })
  const env = { PATH: process.env.PATH, HOME: home }
  const run = (...command: ReadonlyArray<string>) => {
    const { exitCode, stderr, stdout } = Bun.spawnSync([...command], { cwd: repository, env })
    if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr.toString()}`)
    return stdout.toString()
  }
  run("git", "init", "-q")
  writeFileSync(join(repository, "a.py"), "def load(rows=[]):\n    rows.append(1)\n    return rows\n")
  run("git", "add", "-A")
  run("git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first")
  run(dd, "review", "--commit", "HEAD", "--fail-on", "none")
  const archive = join(home, ".daydream/archive")
  const [first = ""] = readdirSync(join(archive, "runs"))
  const manifest = readFileSync(join(archive, "runs", first, "manifest.json"), "utf8")
  const file = JSON.parse(readFileSync(join(archive, "runs", first, "findings.json"), "utf8"))
  const [finding] = file.findings
  mkdirSync(join(archive, "labels"), { recursive: true })
  const begin = Date.parse("2026-01-01T00:00:00.000Z")
  for (let n = 0; n < runs; n++) {
    const id = crypto.randomUUID()
    const at = new Date(begin + n * 600_000).toISOString()
    const folder = join(archive, "runs", id)
    mkdirSync(folder)
    const own = JSON.parse(manifest.replaceAll(first, id))
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...own, archived_at: at }))
    const findings = Array.from({ length: 5 }, (_, index) => {
      const seed = n * 5 + index
      const place = { file: `${folders[seed % folders.length]}f${seed % 97}.py`, line: 1 + (seed % 300) }
      const fingerprint = `dd1:${seed.toString(16).padStart(16, "0")}`
      return {
        ...finding,
        ...place,
        id: index + 1,
        end_line: place.line,
        rule: rules[seed % rules.length],
        fingerprint
      }
    })
    writeFileSync(join(folder, "findings.json"), JSON.stringify({ ...file, session_id: id, findings }))
    for (const { file, fingerprint, id: number, line, rule } of findings.filter((_, index) => (n + index) % 3 === 0)) {
      const label = {
        ...{ session_id: id, finding: number, observed_at: at.replace("Z", "000Z"), valid_at: at.replace("Z", "000Z") },
        ...{ fingerprint, text_hash: "0".repeat(64), rule, file, line, end_line: line, note: null, source: "human" },
        verdict: file.startsWith("src/generated/") || number === 5 ? "rejected" : "accepted"
      }
      appendFileSync(join(archive, "labels", `${id}.jsonl`), `\n${JSON.stringify({ finding: label })}\n`)
    }
  }
  run(dd, "archive", "rebuild-index")
  const seconds = ["first", "second"].map(() => {
    const started = performance.now()
    run(dd, "dream", "start", "--no-keep-awake")
    return (performance.now() - started) / 1_000
  })
  const learned = run(dd, "dream", "rollback").trim().split("\n").at(-1) ?? ""
  console.log(`${runs} runs: first night ${seconds[0]?.toFixed(2)} s, second ${seconds[1]?.toFixed(2)} s; ${learned}`)
}

try {
  for (const size of sizes) measure(size)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
