/**
 * A program with everything it starts: one process group, ended as one.
 *
 * The program leads a session of its own (`detached`), so the group has its number, a terminal's Ctrl-C does not reach
 * it, and a signal to the group reaches what it started as well. When the program has ended, what it left behind in the
 * group is killed: a grandchild that holds the pipe open would keep dd waiting for ever.
 */
import { type Duration, Effect } from "effect"
import { EndPatience, type Listened, type Listening, NotStarted } from "../../../services/system/Subprocess.ts"
import { exitCodeOf, isMissing } from "./child.ts"

/** How long output is waited for that only a process outside of the group can still hold open. */
const drain = "1 second"

interface Led {
  readonly child: Bun.Subprocess<Uint8Array, "pipe", "pipe">
  /** When the program has ended, and the group with it. */
  readonly over: Promise<number>
}

export const listen = (command: Listened) =>
  Effect.gen(function* () {
    const patience = yield* EndPatience
    const led = yield* Effect.acquireRelease(start(command), (each) => end(each, patience))
    return listeningTo(led)
  })

const start = ({ arguments: args, directory, environment, input, onComplaint, program }: Listened) =>
  Effect.try({
    try: (): Led => {
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
    // ESRCH: nobody is left. EPERM: only zombies are, on macOS.
    if (!(cause instanceof Error && "code" in cause && (cause.code === "ESRCH" || cause.code === "EPERM"))) throw cause
  }
}

// @effect-diagnostics-next-line asyncFunction:off
const hear = async (stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<void> => {
  try {
    for await (const chunk of stream) take(chunk)
  } catch {
    // The pipe broke with the program: what was said is heard.
  }
}

const listeningTo = ({ child, over }: Led): Listening => {
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

const end = ({ child, over }: Led, patience: Duration.Input) =>
  Effect.suspend(() => {
    if (child.exitCode !== null || child.signalCode !== null) return Effect.promise(() => over)
    signal(child.pid, "SIGTERM")
    return Effect.promise(() => over).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => {
          signal(child.pid, "SIGKILL")
          return Effect.promise(() => over)
        }
      })
    )
  })
