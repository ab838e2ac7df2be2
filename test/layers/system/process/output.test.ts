import { describe, expect, test } from "bun:test"
import { closeSync, constants, openSync, readSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { counterexample } from "../../../support/effect.ts"
import { run, scratch, systemPath } from "../../../support/process.ts"
import { unblock } from "../../../support/unblock.ts"

const output = JSON.stringify(join(import.meta.dir, "../../../../src/layers/system/process/output.ts"))

/** Prints the document that each line of standard input asks for, and then on standard error a line. */
const printer = `
if (process.argv[2] === "streams") process.stdout.isTTY
if (process.argv[2] === "no poll") Object.defineProperty(process, "platform", { value: "unknown" })
const { write, print } = await import(${output})
${String(piece)}
for await (const line of console) {
  for (const [at, size] of JSON.parse(line).entries()) write(1, piece(at, size)).catch(() => process.exit(1))
  setTimeout(() => print(2, "still running\\n"), 1)
}
`

/** Bytes in which each repeated, lost or moved part shows. */
function piece(at: number, size: number): string {
  let text = ""
  for (let line = 0; text.length < size; line++) text += `${at}:${line}\n`
  return text.slice(0, size)
}

const Case = Schema.Struct({
  pieces: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300_000 }))),
  reads: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })))
})

/** A pipe whose other end reads when it is told to, and a process that prints into it. */
const printing = async (isBlocking: boolean, ...args: ReadonlyArray<string>) => {
  const place = scratch()
  const fifo = join(place.path, "fifo")
  const script = join(place.path, "printer.ts")
  writeFileSync(script, printer)
  await run(["mkfifo", fifo])
  const ours = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK)
  const theirs = openSync(fifo, constants.O_RDWR)
  const child = Bun.spawn([process.execPath, script, ...args], {
    env: { PATH: systemPath },
    stdin: "pipe",
    stdout: theirs,
    stderr: "pipe"
  })
  if (!isBlocking) expect(unblock(theirs)).toBe(true)
  closeSync(theirs)
  const words = child.stderr.getReader()

  const ask = (pieces: ReadonlyArray<number>) => {
    child.stdin.write(`${JSON.stringify(pieces)}\n`)
    child.stdin.flush()
  }

  /** What comes, `sizes` bytes at a time, until `length` bytes have come or nothing more will. */
  const read = async (length: number, sizes: ReadonlyArray<number>): Promise<string> => {
    const chunks: Array<Buffer> = []
    for (let have = 0, turn = 0; have < length; turn++) {
      const isOver = child.exitCode !== null
      const chunk = Buffer.alloc(Math.min(sizes[turn % sizes.length]!, length - have))
      const came = readNow(ours, chunk)
      have += came
      chunks.push(chunk.subarray(0, came))
      if (came === 0 && isOver) break
      if (came === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    return Buffer.concat(chunks).toString()
  }

  const close = async () => {
    child.stdin.end()
    await child.exited
    const rest = readNow(ours, Buffer.alloc(1))
    closeSync(ours)
    place[Symbol.dispose]()
    return rest
  }
  return { ask, read, close, said: async () => new TextDecoder().decode((await words.read()).value) }
}

const readNow = (descriptor: number, into: Buffer): number => {
  try {
    return readSync(descriptor, into)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return 0
    throw error
  }
}

describe.each([
  ["a pipe", [true]],
  ["a pipe that does not block", [false]],
  ["a pipe that does not block, on a system without poll", [false, "no poll"]],
  ["a pipe that the engine's own streams have taken", [true, "streams"]]
] as const)("what is printed into %s", (_, [isBlocking, ...args]) => {
  test("arrives once, complete and in order, whatever its size and the reader's", async () => {
    const pipe = await printing(isBlocking, ...args)
    const failure = await Effect.runPromise(
      counterexample(Case, ({ pieces, reads }) =>
        Effect.promise(async () => {
          pipe.ask(pieces)
          const whole = pieces.map((size, at) => piece(at, size)).join("")
          return (await pipe.read(whole.length, reads)) === whole
        })
      )
    )
    expect(failure).toBeUndefined()
    expect(await pipe.close()).toBe(0)
  })

  test("does not block the process while there is no reader", async () => {
    const pipe = await printing(isBlocking, ...args)
    pipe.ask([1_000_000])
    expect(await pipe.said()).toBe("still running\n")
    expect(await pipe.read(1_000_000, [65_536])).toBe(piece(0, 1_000_000))
    expect(await pipe.close()).toBe(0)
  })
})
