/**
 * Feeds sources that nobody would write through every grammar and every rule. Run `bun scripts/fuzz/sources.ts [count] [first]`.
 *
 * Each is a changed file beside one that is not. There must be an answer, within 10 s of processor time and 700 MB, and nothing may be thrown but
 * the limits that are made for it. A second process reviews, so that one that hangs can be ended. What the sources before have
 * left to be collected counts as well, so a source that takes too much memory is reviewed again in a process of its own, and
 * that decides. Prints figures, and exits with 1 on any failure.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { catalogue } from "../../src/rules/catalogue.ts"
import { damagedSource } from "../../test/support/damagedSources.ts"
import { reviewBy } from "../../test/support/rules.ts"

const mostMs = 10_000
const mostMegabytes = 700

interface Answer {
  readonly seed: number
  readonly ms: number
  readonly megabytes: number
  readonly records: number
  readonly problems: ReadonlyArray<string>
}

/** The largest the process was since this was last asked; 0 where the system does not tell. */
const peakMegabytes = (): number => {
  if (process.platform !== "linux") return 0
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))
  writeFileSync("/proc/self/clear_refs", "5")
  return Math.round(Number(peak?.[1] ?? 0) / 1024)
}

if (process.send !== undefined) {
  process.on("message", async (seed: number) => {
    const { base, head, path } = damagedSource(seed)
    // What the sources before have left behind is not this one's.
    Bun.gc(true)
    peakMegabytes()
    const started = process.cpuUsage()
    const other = path.replace("/a.", "/b.")
    const { problems, records } = await reviewBy(catalogue, { [path]: [base, head], [other]: [null, "a(b)\n"] }).catch(
      (cause) => ({ problems: [`threw ${cause}`], records: [] })
    )
    const { system, user } = process.cpuUsage(started)
    const ms = (system + user) / 1000
    process.send?.({ seed, ms, megabytes: peakMegabytes(), records: records.length, problems } satisfies Answer)
  })
} else {
  const [count = "20000", first = "0"] = process.argv.slice(2)
  const end = Number(first) + Number(count)
  const figures = { records: 0, stopped: 0, slowest: 0, largest: 0 }
  const large: Array<number> = []
  let failed = 0
  const fail = (seed: number, what: string) => {
    const { grammar, head, kind } = damagedSource(seed)
    failed++
    console.log(
      `${seed}: ${what} (${grammar}, ${kind}, ${head.length} characters: ${JSON.stringify(head.slice(0, 60))})`
    )
  }
  const judge = ({ megabytes, ms, problems, records, seed }: Answer, isAlone: boolean) => {
    if (megabytes > mostMegabytes && !isAlone) {
      large.push(seed)
      return
    }
    figures.records += records
    figures.slowest = Math.max(figures.slowest, ms)
    figures.largest = Math.max(figures.largest, megabytes)
    if (ms > mostMs) fail(seed, `took ${(ms / 1000).toFixed(1)} s`)
    if (megabytes > mostMegabytes) fail(seed, `took ${megabytes} MB`)
    const [thrown] = problems.filter((problem) => !problem.includes("its syntax tree was not read to the end"))
    if (thrown !== undefined) fail(seed, thrown)
    figures.stopped += problems.length > 0 ? 1 : 0
  }

  /** One process for at most `most` sources; returns the first that is left. */
  const reviewFrom = (start: number, most: number): Promise<number> =>
    new Promise((resolve) => {
      let seed = start
      let timer: Timer | undefined
      const child = Bun.spawn([process.execPath, import.meta.path], {
        ipc: (answer: Answer) => {
          clearTimeout(timer)
          judge(answer, most === 1)
          seed++
          if (seed >= end || seed - start >= most) child.kill()
          else ask()
        },
        onExit: () => {
          clearTimeout(timer)
          resolve(seed)
        },
        stdio: ["ignore", "ignore", "inherit"]
      })
      const ask = () => {
        timer = setTimeout(() => {
          fail(seed, "no answer")
          seed++
          child.kill("SIGKILL")
        }, 60 * mostMs)
        child.send(seed)
      }
      ask()
    })

  const began = performance.now()
  for (let seed = Number(first); seed < end; ) seed = await reviewFrom(seed, 1_000)
  for (const seed of large) await reviewFrom(seed, 1)
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  console.log(
    `${count} sources in ${seconds} s: ${figures.records} findings, ${figures.stopped} with a rule that was stopped`
  )
  console.log(`slowest ${(figures.slowest / 1000).toFixed(1)} s, largest ${figures.largest} MB, ${failed} failures`)
  process.exit(failed === 0 ? 0 : 1)
}
