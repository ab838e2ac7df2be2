/** How a program ended, why it did not start, and how to end it. */
import { constants } from "node:os"
import { type Duration, Effect } from "effect"

/** A missing directory is also ENOENT; only the message of a missing program contains its name. */
export const isMissing = (cause: unknown, program: string): boolean =>
  cause instanceof Error && /not found/i.test(cause.message) && cause.message.includes(program)

/** 128 plus the signal's number for a program ended by a signal. */
export const exitCodeOf = (child: Pick<Bun.Subprocess, "exitCode" | "signalCode">): number => {
  const signal = typeof child.signalCode === "string" ? constants.signals[child.signalCode] : 0
  return child.exitCode ?? 128 + signal
}

/** Sends SIGTERM to a running program, and SIGKILL after `grace`; waits for its end. */
export const endProgram = (
  child: Pick<Bun.Subprocess, "exitCode" | "signalCode">,
  exited: Promise<number>,
  grace: Duration.Input,
  send: (signal: "SIGTERM" | "SIGKILL") => void
): Effect.Effect<number> =>
  Effect.suspend(() => {
    const end = Effect.promise(() => exited)
    if (child.exitCode !== null || child.signalCode !== null) return end
    send("SIGTERM")
    return Effect.timeoutOrElse(end, {
      duration: grace,
      orElse: () => {
        send("SIGKILL")
        return end
      }
    })
  })
