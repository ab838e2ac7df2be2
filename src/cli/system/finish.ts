/** The end of the process: everything printed is written first, and a result that could not be written is no success. */
import { flushed, print } from "../../layers/system/process/output.ts"

export interface Ending {
  readonly code: number
  /** What went wrong, for standard error. */
  readonly words: string
}

/** How long an interrupted dd waits for a reader of standard error (ms). */
const longestWait = 250

/** Returns the exit code. After an interruption, what standard output has not accepted is not written. */
export const finish = async ({ code, words }: Ending): Promise<number> => {
  if (code === 130 || code === 143) {
    await Promise.race([flushed(2), new Promise((resolve) => setTimeout(resolve, longestWait))])
    return code
  }
  const fault = await flushed(1)
  // Loaded only when there is a fault, because it slows the start.
  const lost = fault === undefined ? undefined : (await import("./writeOut.ts")).outputFault(fault)
  const isLost = lost?._tag === "OutputNotWritten"
  const said = isLost ? `dd: ${lost.message}\n` : words
  if (said !== "") print(2, said)
  await flushed(2)
  return isLost ? 3 : code
}
