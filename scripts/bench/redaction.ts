/**
 * How much ordinary source the redactor changes, and how many secrets are found in it outside of tests. Run
 * `bun scripts/bench/redaction.ts DIRECTORY [--list FILE]`.
 *
 * DIRECTORY holds git repositories; the text files of each HEAD are read from the object store, up to a megabyte each.
 * Prints lines, changed lines and their rate for each repository and for each marker; `--list` writes every changed
 * line with what became of it, and prints each found secret, to be judged by a person.
 */
import { readdirSync } from "node:fs"
import { isGeneratedPath, isTestPath } from "../../src/domain/change/PathKind.ts"
import { longestLine } from "../../src/domain/finding/Claims.ts"
import { plainRedaction } from "../../src/domain/secret/Redaction.ts"
import { findSecrets } from "../../src/domain/secret/Secret.ts"
import { isFullOfHashes } from "../../src/rules/secret/checks.ts"

const [directory = ".", flag, list] = process.argv.slice(2)
const environment = { ...process.env, GIT_NO_LAZY_FETCH: "1" }

const git = (repository: string, args: ReadonlyArray<string>, stdin?: string): Buffer =>
  Bun.spawnSync(["git", "-C", `${directory}/${repository}`, ...args], {
    env: environment,
    ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin) })
  }).stdout

function* texts(repository: string): Generator<{ readonly path: string; readonly text: string }> {
  const entries = git(repository, ["ls-tree", "-r", "-z", "HEAD"])
    .toString()
    .split("\0")
    .map((entry) => /^100\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry))
    .filter((entry) => entry !== null)
  const all = git(repository, ["cat-file", "--batch"], entries.map(([, id]) => `${id}\n`).join(""))
  let at = 0
  for (const [, , path = ""] of entries) {
    const headEnd = all.indexOf(10, at)
    const [, kind, size = "0"] = all.subarray(at, headEnd).toString().split(" ")
    at = headEnd + 1
    if (kind === "missing") continue
    const bytes = all.subarray(at, at + Number(size))
    at += Number(size) + 1
    if (bytes.length <= 1_000_000 && !bytes.subarray(0, 8000).includes(0)) yield { path, text: bytes.toString() }
  }
}

const changed: Array<string> = []
const markers = new Map<string, number>()
let lines = 0
let found = 0
let megabytes = 0
let spent = 0
for (const repository of readdirSync(directory).sort()) {
  const before = { lines, changed: changed.length }
  for (const { path, text } of texts(repository)) {
    megabytes += text.length / 1_000_000
    const start = process.cpuUsage().user
    const redacted = plainRedaction.text(text)
    spent += (process.cpuUsage().user - start) / 1_000_000
    const were = text.split("\n")
    lines += were.length
    const isSearched = !isTestPath(path) && !isGeneratedPath(path) && !isFullOfHashes(path)
    for (const [i, line] of isSearched ? were.entries() : []) {
      const secrets = line.length > longestLine ? [] : findSecrets(line)
      found += secrets.length
      if (flag !== "--list") continue
      for (const { name } of secrets)
        console.log(`${repository}/${path}:${i + 1}\t${name}\t${line.trim().slice(0, 200)}`)
    }
    if (redacted === text) continue
    const are = redacted.split("\n")
    for (const [i, line] of were.entries()) {
      const is = are[i] ?? ""
      if (is === line) continue
      const marker = /\[REDACTED_(?!USER\]:)[A-Z_]+\]/.exec(is)?.[0] ?? "(more of a private key)"
      markers.set(marker, (markers.get(marker) ?? 0) + 1)
      changed.push(`${repository}/${path}:${i + 1}\t${line.trim().slice(0, 240)}\t=>\t${is.trim().slice(0, 240)}`)
    }
  }
  const [read, hidden] = [lines - before.lines, changed.length - before.changed]
  console.log(`${repository.padEnd(28)} ${String(read).padStart(9)} lines ${String(hidden).padStart(6)} changed`)
}
for (const [marker, count] of [...markers].sort((a, b) => b[1] - a[1])) console.log(`${marker.padEnd(28)} ${count}`)
console.log(
  `${found} secrets found; ${lines} lines, ${changed.length} changed: ${((changed.length / lines) * 10_000).toFixed(2)} in 10,000; ` +
    `${megabytes.toFixed(0)} MB at ${(megabytes / spent).toFixed(1)} MB for a second of processor time`
)
if (flag === "--list" && list !== undefined) await Bun.write(list, `${changed.join("\n")}\n`)
