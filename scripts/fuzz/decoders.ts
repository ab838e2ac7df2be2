/**
 * Feeds damaged streams to the decoders of models and coding CLIs. Run `bun scripts/fuzz/decoders.ts [count] [first]`, for
 * count (10,000) streams for each decoder, from the seed first (0).
 *
 * A decoder must not throw, take long, emit what was not in the stream, emit events out of order, or end a call as whole
 * that was cut off. Prints one line for each decoder with the seeds that failed, and exits with 1 on any failure.
 */
import { judgedLines } from "../../test/support/cli/damagedLines.ts"
import { cliNames } from "../../test/support/cli/protocols.ts"
import { judged, protocols } from "../../test/support/damagedStreams.ts"

/** In milliseconds, for one stream. */
const longest = 1000

const [count = "10000", first = "0"] = process.argv.slice(2)

/** The fault in the result of one stream; null when there is none. */
type Check = (seed: number) => string | null

const checks: ReadonlyArray<readonly [string, Check]> = [
  ...protocols.map((name): readonly [string, Check] => [name, (seed) => judged(name, seed)]),
  ...cliNames.map((name): readonly [string, Check] => [name, (seed) => judgedLines(name, seed)])
]

let failed = 0
for (const [name, check] of checks) {
  let slowest = 0
  const faults: Array<string> = []
  const began = performance.now()
  for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
    const started = performance.now()
    try {
      const fault = check(seed)
      if (fault !== null) faults.push(`${seed}: ${fault}`)
    } catch (error) {
      faults.push(`${seed}: threw ${String(error)}`)
    }
    const took = performance.now() - started
    if (took > longest) faults.push(`${seed}: ${took.toFixed(0)} ms`)
    slowest = Math.max(slowest, took)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const pace = `${count} streams in ${seconds} s, slowest ${slowest.toFixed(1)} ms`
  console.log(`${name.padEnd(10)} ${pace}, ${faults.length} failed`)
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`)
  failed += faults.length
}
process.exit(failed === 0 ? 0 : 1)
