/**
 * Restarts the program with engine options for a run of a few hundred milliseconds: docs/decisions/0021.
 *
 * By default the engine optimises code that soon ends, on cores that git and the parsers need. It reads its options only
 * when it starts, so the process executes itself again with them in its environment.
 */
import { becomeProgram } from "./exec.ts"

/**
 * The upper compilers start later than a short review ends. The heap may grow larger than a short review needs before
 * the first garbage collection; half of it is the memory of the parser. Timers, the engine's and Bun's, almost never
 * start one.
 */
const options = {
  BUN_GC_TIMER_DISABLE: "1",
  BUN_JSC_smallHeapSize: "67108864",
  BUN_JSC_largeHeapSize: "268435456",
  BUN_JSC_percentCPUPerMBForEdenTimer: "0.00001",
  BUN_JSC_percentCPUPerMBForFullTimer: "0.00001",
  BUN_JSC_heapGrowthMaxIncrease: "0.5",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeAfterLongWarmUp: "20000",
  BUN_JSC_thresholdForOptimizeSoon: "20000",
  BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: "20000000",
  BUN_JSC_thresholdForOMGOptimizeSoon: "20000000"
}

/** Returns if the options are already set, if the user has set others, or if the system does not support it. */
export const tuneForShortRun = (args: ReadonlyArray<string>): void => {
  // On other systems inherited files, as in `--diff-file <(git diff)`, would be closed.
  if (process.platform !== "linux") return
  const names = Object.entries(options)
  if (names.every(([name, value]) => process.env[name] === value)) {
    // Not for child processes.
    for (const [name] of names) delete process.env[name]
    return
  }
  if (names.every(([name]) => process.env[name] === undefined)) becomeProgram(process.execPath, args, options)
}
