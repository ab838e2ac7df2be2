/** What every way of running a program must tell of it: why it did not start, and how it ended. */
import { constants } from "node:os"

/** A missing directory says ENOENT as well; only a missing program is named by its own name. */
export const isMissing = (cause: unknown, program: string): boolean =>
  cause instanceof Error && /not found/i.test(cause.message) && cause.message.includes(program)

/** 128 and the signal's number for a program that a signal ended. */
export const exitCodeOf = (child: Pick<Bun.Subprocess, "exitCode" | "signalCode">): number => {
  const signal = typeof child.signalCode === "string" ? constants.signals[child.signalCode] : 0
  return child.exitCode ?? 128 + signal
}
