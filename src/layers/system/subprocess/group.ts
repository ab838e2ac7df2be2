/**
 * A program with everything it starts: one process group, ended as one.
 *
 * The program leads a session of its own (`detached`), so the group has its number, a terminal's Ctrl-C does not reach
 * it, and a signal to the group reaches what it started as well. When the program has ended, what it left behind in the
 * group is killed: a grandchild that holds the pipe open would block dd forever.
 */
import { Effect } from "effect"
import { EndPatience, type Listened, type Listening, NotStarted } from "../../../services/system/Subprocess.ts"
import { endProgram, exitCodeOf, isMissing } from "./child.ts"

/** How long to wait for output that only a process outside the group can still hold open. */
const drain = "1 second"

interface Leader {
  readonly child: Bun.Subprocess<Uint8Array, "pipe", "pipe">
  /** When the program has ended, and the group with it. */
  readonly over: Promise<number>
}

export const listen = (command: Listened) =>
  Effect.gen(function* () {
    const grace = yield* EndPatience
    const leader = yield* Effect.acquireRelease(start(command), ({ child, over }) =>
      endProgram(child, over, grace, (name) => signal(child.pid, name))
    )
    return listeningTo(leader)
  })

const start = ({ arguments: args, directory, environment, input, onComplaint, program }: Listened) =>
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
      void hear(child.stderr, onComplaint)
      const over = child.exited.then(() => {
        signal(child.pid, "SIGKILL")
        return exitCodeOf(child)
      })
      return { child, over }
    },
    catch: (cause) => new NotStarted({ program, missing: isMissing(cause, program), cause })
  })

/** To the group; one that is empty has ended already. */
const signal = (group: number, name: "SIGTERM" | "SIGKILL"): void => {
  try {
    process.kill(-group, name)
  } catch (cause) {
    // ESRCH: no process is left. EPERM: only zombies are, on macOS.
    if (!(cause instanceof Error && "code" in cause && (cause.code === "ESRCH" || cause.code === "EPERM"))) throw cause
  }
}

// @effect-diagnostics-next-line asyncFunction:off
const hear = async (stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<void> => {
  try {
    for await (const chunk of stream) take(chunk)
  } catch {
    // The pipe broke with the program: what was printed has been read.
  }
}

const listeningTo = ({ child, over }: Leader): Listening => {
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
