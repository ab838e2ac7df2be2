/**
 * Processes by `Bun.spawn`: measured, a call costs a third of what Node's streams make of it, and dd asks git a dozen
 * times before its first word.
 */
import { constants } from "node:os"
import { Effect, Layer } from "effect"
import { type Command, NotStarted, Subprocess } from "../../services/Subprocess.ts"

/** Between asking a program to end and ending it. */
const patience = "1 second"

export const layer: Layer.Layer<Subprocess> = Layer.succeed(Subprocess, {
  run: (command) =>
    Effect.acquireUseRelease(start(command), (child) => Effect.promise(() => finished(child, command)), ended)
})

type Child = Bun.Subprocess<Uint8Array | "ignore", "pipe", "pipe">

const start = ({ arguments: args, directory, environment, input, program }: Command) =>
  Effect.try({
    try: (): Child =>
      Bun.spawn([program, ...args], {
        cwd: directory,
        env: environment,
        stdin: input ?? "ignore",
        stdout: "pipe",
        stderr: "pipe"
      }),
    catch: (cause) => new NotStarted({ program, missing: isMissing(cause, program), cause })
  })

/** A missing directory says ENOENT as well; only a missing program is named by its own name. */
const isMissing = (cause: unknown, program: string): boolean =>
  cause instanceof Error && /not found/i.test(cause.message) && cause.message.includes(program)

// Plain promises: the streams are Bun's own, and nothing here can be interrupted but the child itself.
// @effect-diagnostics-next-line asyncFunction:off
const finished = async (child: Child, { onComplaint, onOutput }: Command): Promise<number> => {
  // @effect-diagnostics-next-line asyncFunction:off
  const read = async () => {
    for await (const chunk of child.stdout) if (!onOutput(chunk)) return child.kill()
  }
  // @effect-diagnostics-next-line asyncFunction:off
  const listen = async () => {
    for await (const chunk of child.stderr) onComplaint(chunk)
  }
  await Promise.all([read(), listen(), child.exited])
  return child.exitCode ?? 128 + Number(typeof child.signalCode === "string" ? constants.signals[child.signalCode] : 0)
}

const ended = (child: Child) =>
  Effect.suspend(() => {
    if (child.exitCode !== null || child.signalCode !== null) return Effect.void
    child.kill("SIGTERM")
    return Effect.promise(() => child.exited).pipe(
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => {
          child.kill("SIGKILL")
          return Effect.promise(() => child.exited)
        }
      })
    )
  })
