/**
 * What hiding and finding secrets costs. Run `bun scripts/bench/secrets.ts`.
 *
 * MB a second for ordinary source and for texts made against each pattern, and how much longer four times the text
 * takes: 4 is linear, 16 would be quadratic.
 */
import { Glob } from "bun"
import { findSecrets, maskSecrets } from "../../src/domain/Secret.ts"
import { hostilePieces, repeated, secretPieces } from "../../test/support/hostileSecrets.ts"

const small = 256 * 1024

const milliseconds = (text: string): number => {
  const runs = [0, 1, 2].map(() => {
    const started = performance.now()
    maskSecrets(text)
    findSecrets(text)
    return performance.now() - started
  })
  return Math.min(...runs)
}

const report = (name: string, whole: string): void => {
  const times = milliseconds(whole)
  const quarter = milliseconds(whole.slice(0, whole.length / 4))
  const speed = whole.length / 1_000_000 / (times / 1000)
  console.log(`${name.padEnd(34)} ${speed.toFixed(1).padStart(8)} MB/s   ×${(times / quarter).toFixed(1)}`)
}

const sources = await Promise.all(
  [...new Glob("src/**/*.ts").scanSync({ cwd: `${import.meta.dir}/../..`, absolute: true })].map((path) =>
    Bun.file(path).text()
  )
)
const ordinary = sources.join("\n")
report("ordinary source", repeated(ordinary, 4 * small).slice(0, 4 * small))
for (const piece of [...hostilePieces, ...secretPieces]) report(JSON.stringify(piece), repeated(piece, 4 * small))
