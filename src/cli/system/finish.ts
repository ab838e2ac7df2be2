/** Ends the process: writes everything printed, and fails if the result could not be written. */
import { flushed, print } from "../../layers/system/process/output.ts"

export interface Ending {
  readonly code: number
  readonly words: string
}

/** How long an interrupted dd waits for standard error (ms). */
const longestWait = 250

/** Returns the exit code. After an interruption, what standard output has not accepted is not written. */
export const finish = async ({ code, words }: Ending): Promise<number> => {
  if (code === 130 || code === 143) {
    if (words !== "") print(2, words)
    await Promise.race([flushed(2), new Promise((resolve) => setTimeout(resolve, longestWait))])
    return code
  }
  const fault = await flushed(1)
  // Loaded only after a fault, because it slows the start.
  const lost = fault === undefined ? undefined : (await import("./writeOut.ts")).outputFault(fault)
  const isLost = lost?._tag === "OutputNotWritten"
  const message = isLost ? `dd: error: ${lost.message}\n` : words
  if (message !== "") print(2, message)
  await flushed(2)
  return isLost ? 3 : code
}
