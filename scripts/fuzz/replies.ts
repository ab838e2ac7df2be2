/**
 * Feeds damaged replies through everything that reads one: salvage, mending, decoding, the words about what is wrong.
 * Run `bun scripts/fuzz/replies.ts [count] [seed]`.
 *
 * Nothing may throw or take long; a whole reply must be read; and of a damaged one nothing may come out that was not in
 * it: above all no empty list where there were findings. Prints what became of them, and exits with 1 on any failure.
 */
import { Result } from "effect"
import { damagedReply, isEmptied, seeded } from "../../test/support/damagedReplies.ts"
import { readReply } from "../../test/support/readReply.ts"

const [count = "10000", seed = "1"] = process.argv.slice(2)
const random = seeded(Number(seed))
const outcomes = new Map<string, number>()
const failures: Array<string> = []
let longest = 0

for (let n = 0; n < Number(count); n++) {
  const reply = damagedReply(random)
  const started = performance.now()
  const read = Result.try({ try: () => readReply(reply.task, reply.text), catch: (cause) => cause })
  const took = performance.now() - started
  longest = Math.max(longest, took)
  const outcome = Result.isFailure(read) ? `threw: ${read.failure}` : read.success.outcome
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  if (Result.isFailure(read)) failures.push(`#${n} ${reply.task} threw ${read.failure}`)
  else if (reply.isWhole && outcome !== "read")
    failures.push(`#${n} ${reply.task} is whole and was not read (${outcome})`)
  else if (isEmptied(read.success, reply)) {
    failures.push(
      `#${n} ${reply.task} had ${reply.items} items and was read as none: ${JSON.stringify(reply.text.slice(0, 200))}`
    )
  }
  if (took > 1_000) failures.push(`#${n} ${reply.task} took ${took.toFixed(0)} ms for ${reply.text.length} characters`)
}

for (const [outcome, times] of outcomes) console.log(`${String(times).padStart(7)} ${outcome}`)
console.log(`${count} replies, seed ${seed}; the longest took ${longest.toFixed(1)} ms; ${failures.length} failures`)
for (const failure of failures.slice(0, 20)) console.log(failure)
if (failures.length > 0) process.exit(1)
