/** Whole processes in directories of their own, for tests that look at a program from outside. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The directories a child finds its programs in: real ones, without whatever the developer has put before them. */
export const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** How a child ended and what it said. `signal` is the name of the signal that killed it. */
export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | number | null
  readonly stdout: string
  readonly stderr: string
}

/** Every child gets the TMPDIR of the run, which is checked for leftovers at its end. */
export const temporary = process.env.TMPDIR === undefined ? {} : { TMPDIR: process.env.TMPDIR }

/** Runs a command with no other environment than the one given (PATH alone by default) and waits for its end. */
export const run = async (
  command: ReadonlyArray<string>,
  options: {
    readonly cwd?: string
    readonly env?: Record<string, string>
    readonly stdin?: string
  } = {}
): Promise<Ended> => {
  const child = Bun.spawn([...command], {
    cwd: options.cwd ?? "/",
    env: { ...temporary, ...(options.env ?? { PATH: systemPath }) },
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe"
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  await child.exited
  return { status: child.exitCode, signal: child.signalCode, stdout, stderr }
}

/** Root may write everywhere; what begins with this is denied as other users are. */
export const withoutRights: ReadonlyArray<string> =
  process.getuid?.() === 0 ? ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] : []

/** A new empty directory that is removed when the block that holds it ends (`using`), or the test does. */
export const scratch = (): { readonly path: string } & Disposable => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "dd-test-")))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A directory inside another, made on the way. */
export const inside = (directory: string, ...names: ReadonlyArray<string>): string => {
  const path = join(directory, ...names)
  mkdirSync(path, { recursive: true })
  return path
}

/** Is there such a process? One that has ended and that nobody has asked after yet is none. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return process.platform !== "linux"
  }
}
