/**
 * Damaged streams through the decoders of coding CLIs: `bun scripts/fuzz/cliStreams.ts [streams] [first seed]`.
 *
 * So many (10,000) through each decoder, each made from its number. One line a CLI; ends with status 1 when one threw,
 * said what was not said, or took a second for a stream, and names its number.
 */
import { judgedLines } from "../../test/support/cli/damagedLines.ts"
import { cliNames } from "../../test/support/cli/protocols.ts"

const streams = Number(process.argv[2] ?? 10_000)
const first = Number(process.argv[3] ?? 0)
/** In milliseconds: a decoder that some input makes slow takes seconds for it. */
const patience = 1000

let failed = 0
for (const name of cliNames) {
  let slowest = 0
  const wrong: Array<string> = []
  const began = performance.now()
  for (let seed = first; seed < first + streams; seed++) {
    const at = performance.now()
    try {
      const fault = judgedLines(name, seed)
      if (fault !== null) wrong.push(`${seed}: ${fault}`)
    } catch (error) {
      wrong.push(`${seed}: threw ${String(error)}`)
    }
    const took = performance.now() - at
    if (took > patience) wrong.push(`${seed}: ${took.toFixed(0)} ms`)
    slowest = Math.max(slowest, took)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${name.padEnd(6)} ${streams} streams in ${seconds} s, slowest ${slowest.toFixed(1)} ms, ${wrong.length} wrong`
  )
  for (const line of wrong.slice(0, 5)) console.log(`  ${line}`)
  failed += wrong.length
}
process.exit(failed === 0 ? 0 : 1)
