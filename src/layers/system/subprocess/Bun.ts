/**
 * Processes by `Bun.spawn`: a call takes a third of the time measured with Node's streams, and dd calls git a dozen
 * times before it prints anything.
 */

import { FFIType, ptr } from "bun:ffi"
import { Effect, Layer } from "effect"
import { concatBytes } from "../../../domain/text/concatBytes.ts"
import {
  type Collected,
  type Collecting,
  type Command,
  type Conversation,
  NotStarted,
  type Start,
  Subprocess
} from "../../../services/system/Subprocess.ts"
import { openLibc } from "../process/libc.ts"
import { endProgram, exitCodeOf, isMissing } from "./child.ts"
import { listen } from "./group.ts"
import { type MemoryFile, openMemoryFile } from "./memoryFile.ts"

/** The time between asking a program to end and killing it. */
const endGrace = "1 second"

/** How long an interruption that has reached a program may take to reach dd. */
const interruptionDelay = "500 millis"

const run = (command: Command) =>
  Effect.acquireUseRelease(
    started(command, command.input ?? "ignore", pipes),
    (child) =>
      Effect.promise(() => finished(child, command)).pipe(
        Effect.tap(({ refused }) => (refused ? Effect.void : interruptedWith(child))),
        Effect.map(({ code }) => code)
      ),
    ended
  )

const collectFromFiles = (command: Collecting, files: Outputs<MemoryFile>) =>
  Effect.acquireUseRelease(
    started(command, command.input ?? "ignore", {
      stdout: files.stdout.descriptor,
      stderr: files.stderr.descriptor
    }),
    (child) =>
      Effect.promise(() => child.exited).pipe(
        Effect.andThen(interruptedWith(child)),
        Effect.andThen(
          Effect.sync((): Collected => {
            const { bytes, isCut } = files.stdout.read()
            return { exitCode: exitCodeOf(child), output: bytes, stderr: files.stderr.read().bytes, isCut }
          })
        )
      ),
    ended
  )

const collectFromPipes = Effect.fnUntraced(function* (command: Collecting) {
  const [output, stderr] = [collector(command.maxOutput), collector(command.maxStderr)]
  const exitCode = yield* run({
    ...command,
    onOutput: (chunk) => {
      output.push(chunk)
      command.onOutput?.(chunk)
      return !output.isCut()
    },
    onStderr: stderr.push
  })
  const collected: Collected = {
    exitCode,
    output: output.bytes(),
    stderr: stderr.bytes(),
    isCut: output.isCut()
  }
  return collected
})

const collect = (openFile: typeof openMemoryFile) => (command: Collecting) =>
  Effect.acquireUseRelease(
    // What is written to a file cannot be seen as it arrives.
    Effect.sync(() => (command.onOutput === undefined ? filesFor(command, openFile) : null)),
    (files) => (files === null ? collectFromPipes(command) : collectFromFiles(command, files)),
    (files) =>
      Effect.sync(() => {
        files?.stdout.close()
        files?.stderr.close()
      })
  )

/** `openFile` returns null on systems without such files; output is then read through pipes. */
export const layerWith = (openFile: typeof openMemoryFile): Layer.Layer<Subprocess> =>
  Layer.succeed(Subprocess, {
    run,
    collect: collect(openFile),
    converse: (command) => Effect.map(Effect.acquireRelease(started(command, "pipe", pipes), ended), conversationWith),
    listen
  })

export const layer = layerWith(openMemoryFile)

interface Outputs<A> {
  readonly stdout: A
  readonly stderr: A
}

const pipes: Outputs<"pipe"> = { stdout: "pipe", stderr: "pipe" }

/** Both files, or neither. */
const filesFor = (
  { maxStderr, maxOutput }: Collecting,
  openFile: typeof openMemoryFile
): Outputs<MemoryFile> | null => {
  const stdout = openFile(maxOutput)
  const stderr = stdout === null ? null : openFile(maxStderr)
  if (stdout !== null && stderr !== null) return { stdout, stderr }
  stdout?.close()
  return null
}

/** Keeps the first bytes of its input. */
const collector = (limit: number) => {
  const chunks: Array<Uint8Array> = []
  let given = 0
  const push = (chunk: Uint8Array) => {
    if (given < limit) chunks.push(chunk.subarray(0, limit - given))
    given += chunk.length
  }
  return { push, isCut: () => given > limit, bytes: () => concatBytes(chunks) }
}

type Input = Uint8Array | "ignore" | "pipe"
type Child<In extends Input, Out extends "pipe" | number> = Bun.Subprocess<In, Out, Out>

const started = <In extends Input, Out extends "pipe" | number>(
  { arguments: args, directory, environment, maxMemory, program }: Start,
  input: In,
  outputs: Outputs<Out>
) =>
  Effect.try({
    try: (): Child<In, Out> => {
      const child = Bun.spawn([program, ...args], { cwd: directory, env: environment, stdin: input, ...outputs })
      if (maxMemory !== undefined) limitMemory(child.pid, maxMemory)
      return child
    },
    catch: (cause) => new NotStarted({ program, missing: isMissing(cause, program), cause })
  })

const conversationWith = (child: Child<"pipe", "pipe">): Conversation => {
  const output = child.stdout.getReader()
  // A full pipe would block the program.
  child.stderr.pipeTo(new WritableStream()).catch(() => undefined)
  // @effect-diagnostics-next-line asyncFunction:off
  const exchange = async (input: Uint8Array, take: (chunk: Uint8Array) => boolean): Promise<boolean> => {
    try {
      // Not awaited, because the program may print before it reads the rest. A broken pipe is detected below.
      for (const sent of [child.stdin.write(input), child.stdin.flush()]) {
        void Promise.resolve(sent).catch(() => undefined)
      }
      for (;;) {
        const { done, value } = await output.read()
        if (done) return false
        if (take(value)) return true
      }
    } catch {
      // Its input is closed, so it has ended.
      return false
    }
  }
  return {
    exchange: (input, take) =>
      Effect.promise(() => exchange(input, take)).pipe(
        Effect.tap((isAnswered) => (isAnswered ? Effect.void : interruptedWith(child)))
      )
  }
}

/**
 * A terminal sends Ctrl-C to a program and to dd, and the program may end first. That is not a failure of the program,
 * so its end is reported only after dd has had time to be interrupted.
 */
const interruptedWith = (child: Child<Input, "pipe" | number>) =>
  Effect.suspend(() =>
    child.signalCode === "SIGINT" || child.signalCode === "SIGTERM" ? Effect.sleep(interruptionDelay) : Effect.void
  )

// Plain promises: the streams are Bun's own, and only the child itself can be interrupted.
// @effect-diagnostics-next-line asyncFunction:off
const finished = async (child: Child<Uint8Array | "ignore", "pipe">, { onStderr, onOutput }: Command) => {
  let refused = false
  // @effect-diagnostics-next-line asyncFunction:off
  const read = async () => {
    for await (const chunk of child.stdout) {
      if (onOutput(chunk)) continue
      refused = true
      return child.kill()
    }
  }
  // @effect-diagnostics-next-line asyncFunction:off
  const listen = async () => {
    for await (const chunk of child.stderr) onStderr(chunk)
  }
  await Promise.all([read(), listen(), child.exited])
  return { code: exitCodeOf(child), refused }
}

const ended = (child: Child<Input, "pipe" | number>) =>
  endProgram(child, child.exited, endGrace, (signal) => child.kill(signal))

/** Limits the memory that a program can allocate, in bytes, without mapped files. Only on Linux. */
const limitMemory = (pid: number, bytes: number): void => {
  libc ??= open()
  const limit = BigUint64Array.of(BigInt(bytes), BigInt(bytes))
  libc?.prlimit(pid, RLIMIT_DATA, ptr(limit), null)
}

const open = () =>
  process.platform === "linux"
    ? (openLibc({
        prlimit: { args: [FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 }
      }) ?? null)
    : null

/** Undefined before the first limit. */
let libc: ReturnType<typeof open> | undefined

const RLIMIT_DATA = 2
