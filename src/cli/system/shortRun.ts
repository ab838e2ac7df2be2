/**
 * Starts the program once more, tuned for a run of a few hundred milliseconds: docs/decisions/0021.
 *
 * Left to itself the engine optimises code that is about to be over, on the cores that git and the parsers want. It reads
 * its options when it starts and never again, so the process becomes itself once more with them in its environment.
 */
import { becomeProgram } from "./exec.ts"

/**
 * When the engine's upper compilers begin: later than a short review lasts, early enough for a long one. And how many
 * bytes may be made before garbage is collected for the first time, more than a short review makes; which share of the
 * processor's time a timer may spend on it before that, for each megabyte; and by how much of its size the heap grows at
 * most before the next time.
 */
const options = {
  BUN_JSC_smallHeapSize: "67108864",
  BUN_JSC_largeHeapSize: "134217728",
  BUN_JSC_percentCPUPerMBForEdenTimer: "0.0002",
  BUN_JSC_heapGrowthMaxIncrease: "0.5",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeSoon: "20000",
  BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: "20000000",
  BUN_JSC_thresholdForOMGOptimizeSoon: "20000000"
}

/** Returns where it is done already, where the user has said something else, and where there is no such way. */
export const tuneForShortRun = (args: ReadonlyArray<string>): void => {
  // Elsewhere the files a shell hands over, as in `--diff-file <(git diff)`, would be closed on the way.
  if (process.platform !== "linux") return
  const names = Object.entries(options)
  if (names.every(([name, value]) => process.env[name] === value)) {
    // Done: nobody whom this process starts is meant.
    for (const [name] of names) delete process.env[name]
    return
  }
  if (names.every(([name]) => process.env[name] === undefined)) becomeProgram(process.execPath, args, options)
}
