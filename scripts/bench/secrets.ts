/**
 * What hiding and finding secrets costs. Run `bun scripts/bench/secrets.ts`.
 *
 * MB for a second of processor time, for ordinary source (hidden, found, hidden with an environment of secrets, hidden
 * in pieces) and for texts made against each pattern, and how much longer four times the text takes: 4 is linear, 16
 * would be quadratic. Then the made-up tokens of `test/support/tokenShapes.tsv` that are not found.
 */
import { Glob } from "bun"
import { plainRedaction, type Redaction, redactionOf } from "../../src/domain/secret/Redaction.ts"
import { redactionStream } from "../../src/domain/secret/RedactionStream.ts"
import { findSecrets } from "../../src/domain/secret/Secret.ts"
import { hostilePieces, repeated, secretPieces } from "../../test/support/hostileSecrets.ts"
import { madeTokens } from "../../test/support/tokenShapes.ts"

const small = 256 * 1024

const milliseconds = (work: (text: string) => void, text: string): number => {
  const runs = [0, 1, 2].map(() => {
    const before = process.cpuUsage().user
    work(text)
    return Math.max(1, process.cpuUsage().user - before) / 1000
  })
  return Math.min(...runs)
}

const report = (name: string, work: (text: string) => void, whole: string): void => {
  const times = milliseconds(work, whole)
  const quarter = milliseconds(work, whole.slice(0, whole.length / 4))
  const speed = whole.length / 1_000_000 / (times / 1000)
  console.log(`${name.padEnd(42)} ${speed.toFixed(1).padStart(8)} MB/s   ×${(times / quarter).toFixed(1)}`)
}

const inPieces = (redaction: Redaction) => (text: string) => {
  const stream = redactionStream(redaction)
  for (let at = 0; at < text.length; at += 65_536) stream.push(text.slice(at, at + 65_536))
  stream.end()
}

const sources = await Promise.all(
  [...new Glob("src/**/*.ts").scanSync({ cwd: `${import.meta.dir}/../..`, absolute: true })].map((path) =>
    Bun.file(path).text()
  )
)
const ordinary = sources.join("\n")
const text = repeated(ordinary, 16 * small).slice(0, 16 * small)
// Ten secrets, as a machine that builds and deploys has them.
const secrets = Array.from({ length: 10 }, (_, i) => `${i}q8Zr2LmX0vB7nT4kW9sH1dJ6yU3cF5gA2eKp${i * 7919}`)
report("ordinary source, hidden", plainRedaction.text, text)
report("... with ten secrets of the environment", redactionOf({ secrets, users: ["somebody"] }).text, text)
report("... in pieces of 64 KiB", inPieces(plainRedaction), text)
report("... found", findSecrets, text)
for (const piece of [...hostilePieces, ...secretPieces]) {
  report(JSON.stringify(piece), plainRedaction.text, repeated(piece, 4 * small))
}

const made = (await Promise.all([1, 2, 3, 4, 5].map(madeTokens))).flat()
const lines = made.flatMap((token) => token.lines.map((line) => ({ service: token.service, line })))
const missed = lines.filter(({ line }) => findSecrets(line).length === 0)
console.log(`${lines.length - missed.length} of ${lines.length} lines with made-up tokens are found`)
for (const [service, those] of Map.groupBy(missed, ({ service }) => service))
  console.log(`${service}: ${those.length} missed`)
