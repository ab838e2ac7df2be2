/**
 * Damaged streams through decoders, each made from its number: one line a decoder, and an end with status 1 when one
 * threw, said what was not said, or took too long for a stream, with the number of the stream.
 */

/** In milliseconds: a decoder that some input makes slow takes seconds for it. */
const patience = 1000

/** `judged` tells what is wrong with a decoder's reading of one stream; null when nothing is. */
export const eachStream = <Name extends string>(
  names: ReadonlyArray<Name>,
  judged: (name: Name, seed: number) => string | null
): never => {
  const streams = Number(process.argv[2] ?? 10_000)
  const first = Number(process.argv[3] ?? 0)
  let failed = 0
  for (const name of names) {
    let slowest = 0
    const wrong: Array<string> = []
    const began = performance.now()
    for (let seed = first; seed < first + streams; seed++) {
      const at = performance.now()
      try {
        const fault = judged(name, seed)
        if (fault !== null) wrong.push(`${seed}: ${fault}`)
      } catch (error) {
        wrong.push(`${seed}: threw ${String(error)}`)
      }
      const took = performance.now() - at
      if (took > patience) wrong.push(`${seed}: ${took.toFixed(0)} ms`)
      slowest = Math.max(slowest, took)
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const pace = `${streams} streams in ${seconds} s, slowest ${slowest.toFixed(1)} ms`
    console.log(`${name.padEnd(10)} ${pace}, ${wrong.length} wrong`)
    for (const line of wrong.slice(0, 5)) console.log(`  ${line}`)
    failed += wrong.length
  }
  process.exit(failed === 0 ? 0 : 1)
}
