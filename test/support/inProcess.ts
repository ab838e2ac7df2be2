/**
 * dd in the process of the test, through the edge that the binary uses: arguments, environment, directory and standard input
 * go in, exit code and output come out. Without the start of a process, several times as fast as the binary.
 *
 * The environment and the directory belong to the process, so a run that begins while another one has not ended is a
 * process of its own: runs at the same time are at the same time. What only a process can break (signals, pipes, terminals,
 * restarts, the version of a build, coreutils' operands, `hook event`, workers) needs `binary.ts`.
 */

import { runInside } from "../../src/cli/app.ts"
import { dd as tree } from "../../src/cli/dd.ts"
import { reviewOnly } from "../../src/cli/review/reviewOnly.ts"
import { giveStreams } from "../../src/layers/system/process/givenStreams.ts"
import { daydream, dd } from "./binary.ts"
import { type Ended, run as runProcess, systemPath, temporary } from "./process.ts"

/** Like `run` of `process.ts`, but a command that begins with `dd` or `daydream` runs here. */
export const run: typeof runProcess = (command, options = {}) => {
  const [program = "", ...args] = command
  const isProcess = processes.some((words) => args.join(" ").startsWith(words))
  if ((program !== dd && program !== daydream) || isProcess || isBusy) return runProcess(command, options)
  isBusy = true
  return runDd(args, options).finally(() => {
    isBusy = false
  })
}

/** Commands that start the program a second time, or that are handled before there is a command tree. */
const processes = ["archive query", "hook event", "hook install", "dream worker", "self-update"]

let isBusy = false

const runDd = async (
  args: ReadonlyArray<string>,
  options: NonNullable<Parameters<typeof runProcess>[1]>
): Promise<Ended> => {
  const directory = process.cwd()
  const environment = { ...process.env }
  const written: Record<1 | 2, Array<Uint8Array>> = { 1: [], 2: [] }
  const text = (descriptor: 1 | 2) => new TextDecoder().decode(Buffer.concat(written[descriptor]))
  const input = new TextEncoder().encode(options.stdin ?? "")
  setEnvironment({ ...temporary, ...(options.env ?? { PATH: systemPath }) })
  process.chdir(options.cwd ?? "/")
  giveStreams({ input, write: (descriptor, bytes) => written[descriptor].push(Uint8Array.from(bytes)) })
  try {
    const status = await runInside(args[0] === "review" ? reviewOnly : tree, args)
    const isVerbose = args.includes("-v") || args.includes("--verbose")
    return { status, signal: null, stdout: text(1), stderr: isVerbose ? text(2) : text(2).replace(progress, "") }
  } finally {
    giveStreams(null)
    process.chdir(directory)
    setEnvironment(environment)
  }
}

/** What a review prints every ten seconds to a pipe: on a slow machine, it appears in any run. */
const progress = /^ {2,}(?:\d+ min )?\d+(?:\.\d)? s {2}\S.*\n/gm

const setEnvironment = (environment: Readonly<Record<string, string | undefined>>) => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}
