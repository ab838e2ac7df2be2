/**
 * A program with everything it starts: one process group, which is ended together.
 *
 * The program leads a separate session (`detached`), so the group has its number, a terminal's Ctrl-C does not reach
 * it, and a signal to the group also reaches its children. When the program has ended, the rest of the group is killed:
 * a grandchild that keeps the pipe open would block dd forever. When dd is killed, a guard ends the group.
 */
import { Effect } from "effect"
import { EndGrace, type ListenCommand, type ListenedProgram, NotStarted } from "../../../services/system/Subprocess.ts"
import { endProgram, exitCodeOf, isMissing } from "./child.ts"

/** How long to wait for output of a process outside the group that keeps the pipe open. */
const drain = "1 second"

interface Leader {
  readonly child: Bun.Subprocess<Uint8Array, "pipe", "pipe">
  /** Resolves when the program and its group have ended. */
  readonly over: Promise<number>
}

export const listen = (command: ListenCommand) =>
  Effect.gen(function* () {
    const grace = yield* EndGrace
    const leader = yield* Effect.acquireRelease(start(command), ({ child, over }) =>
      endProgram(child, over, grace, (name) => signal(child.pid, name))
    )
    return programOf(leader)
  })

const start = ({ arguments: args, directory, environment, input, onStderr, program }: ListenCommand) =>
  Effect.try({
    try: (): Leader => {
      const child = Bun.spawn([program, ...args], {
        cwd: directory,
        env: environment,
        stdin: input,
        stdout: "pipe",
        stderr: "pipe",
        detached: true
      })
      void readAll(child.stderr, onStderr)
      const guard = guardOf(child.pid)
      const over = child.exited.then(() => {
        guard?.kill("SIGKILL")
        signal(child.pid, "SIGKILL")
        return exitCodeOf(child)
      })
      return { child, over }
    },
    catch: (cause) => new NotStarted({ program, missing: isMissing(cause, program), cause })
  })

/** A shell whose input ends with dd, however dd ends; then it ends the group. Null: there is no shell. */
const guardOf = (group: number): Bun.Subprocess<"pipe", "ignore", "ignore"> | null => {
  const script = `read -r _; kill -s TERM -- -${group}; sleep 1; kill -s KILL -- -${group}`
  try {
    const guard = Bun.spawn(["/bin/sh", "-c", script], {
      ...{ cwd: "/", env: {}, detached: true, stdin: "pipe", stdout: "ignore", stderr: "ignore" }
    })
    guard.unref()
    return guard
  } catch {
    return null
  }
}

/** Signals the group; an empty one has already ended. */
const signal = (group: number, name: "SIGTERM" | "SIGKILL"): void => {
  try {
    process.kill(-group, name)
  } catch (cause) {
    // ESRCH: no process is left. EPERM: only zombies are, on macOS.
    if (!(cause instanceof Error && "code" in cause && (cause.code === "ESRCH" || cause.code === "EPERM"))) throw cause
  }
}

// @effect-diagnostics-next-line asyncFunction:off
const readAll = async (stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<void> => {
  try {
    for await (const chunk of stream) take(chunk)
  } catch {
    // The pipe broke when the program ended: its output has been read.
  }
}

const programOf = ({ child, over }: Leader): ListenedProgram => {
  const ended = Effect.promise(() => over)
  const output = child.stdout.getReader()
  const chunk = Effect.promise(() =>
    output.read().then(
      ({ value }) => value ?? null,
      () => null
    )
  )
  const silence = Effect.as(Effect.andThen(ended, Effect.sleep(drain)), null)
  return { next: Effect.raceFirst(chunk, silence), ended }
}
