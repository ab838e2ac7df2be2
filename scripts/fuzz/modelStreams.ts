/**
 * Damaged streams through the decoders of models: `bun scripts/fuzz/modelStreams.ts [streams] [first seed]`.
 *
 * So many (10,000) through each decoder, each made from its number. One line a protocol; ends with status 1 when one
 * threw, told events out of order, or said of a cut call that it is whole, and names its number.
 */
import { judged, protocols } from "../../test/support/damagedStreams.ts"

const streams = Number(process.argv[2] ?? 10_000)
const first = Number(process.argv[3] ?? 0)

let failed = 0
for (const protocol of protocols) {
  let slowest = 0
  const wrong: Array<string> = []
  const began = performance.now()
  for (let seed = first; seed < first + streams; seed++) {
    const at = performance.now()
    try {
      const fault = judged(protocol, seed)
      if (fault !== null) wrong.push(`${seed}: ${fault}`)
    } catch (error) {
      wrong.push(`${seed}: threw ${String(error)}`)
    }
    slowest = Math.max(slowest, performance.now() - at)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${protocol.padEnd(10)} ${streams} streams in ${seconds} s, slowest ${slowest.toFixed(1)} ms, ${wrong.length} wrong`
  )
  for (const line of wrong.slice(0, 5)) console.log(`  ${line}`)
  failed += wrong.length
}
process.exit(failed === 0 ? 0 : 1)
