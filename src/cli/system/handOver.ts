/**
 * Replaces this process by coreutils' `dd`: the next `dd` on PATH gets the same arguments, environment and open files.
 *
 * Every import costs start-up time here.
 */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs"
import { delimiter } from "node:path"
import { flushed, print } from "../../layers/system/process/output.ts"
import { becomeProgram, isTerminal } from "./exec.ts"

/** Exit code of a shell that does not find a command. */
const notFound = 127

/** Exit code of a shell that cannot run a command. */
const notRunnable = 126

/** Used if PATH is not set. */
const defaultPath = "/usr/bin:/bin"

/** Lists the programs already tried, so that two copies of this program, or a script that calls it, cannot loop. */
const triedVariable = "DD_HANDED_OVER"

/** Every Bun program is larger (bytes), so a smaller executable cannot be another copy of this one. */
const smallestBunProgram = 32 * 1024 * 1024

/** Exits with 127 if there is no other `dd`, with 126 if it cannot be run. */
export const handOver = async (args: ReadonlyArray<string>): Promise<never> => {
  const tried = [...(process.env[triedVariable]?.split(",") ?? []), identityOf(ownProgram()) ?? ownProgram()]
  const name = process.platform === "win32" ? "dd.exe" : "dd"
  const next = nextOnPath(name, process.env.PATH ?? defaultPath, tried)
  if (next === undefined) {
    const call = ["dd", ...args].join(" ")
    print(2, `dd: "${call}" is a call of coreutils' dd, which is not on PATH (this dd is the code reviewer daydream)\n`)
    await flushed(2)
    process.exit(notFound)
  }
  const mark = next.mayReturn ? [...tried, next.identity].join(",") : undefined
  becomeProgram(next.path, args, { [triedVariable]: mark })
  return await runAsChild(next.path, args, mark)
}

/** This program, as a file. */
export const ownProgram = (): string => process.execPath

/** A program on PATH: `identity` is the same under each of its names; `mayReturn`: it could be, or call, this one. */
type Candidate = { readonly path: string; readonly identity: string; readonly mayReturn: boolean }

/** The first executable file `name` in `searchPath` that is not in `tried`. */
export const nextOnPath = (name: string, searchPath: string, tried: ReadonlyArray<string>): Candidate | undefined => {
  for (const directory of searchPath.split(delimiter)) {
    // An empty entry is the current directory. Joined by hand: a normalised "./dd" would lose its slash.
    const path = `${directory || "."}/${name}`
    const identity = identityOf(path)
    if (identity === undefined || tried.includes(identity) || !isExecutable(path)) continue
    return { path, identity, mayReturn: mayReturn(path) }
  }
  return undefined
}

/** Device and inode of a regular file; undefined for anything else. */
export const identityOf = (path: string): string | undefined => {
  try {
    const found = statSync(path, { bigint: true })
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined
  } catch {
    return undefined
  }
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** True for a script, for a program as large as this one, and for one that cannot be read. */
const mayReturn = (path: string): boolean => {
  try {
    if (statSync(path).size >= smallestBunProgram) return true
    const head = Buffer.alloc(2)
    const file = openSync(path, "r")
    readSync(file, head)
    closeSync(file)
    return head.toString("latin1") === "#!"
  } catch {
    return true
  }
}

/** For systems without exec: a child with the same streams, signals passed on, and the same end. */
export const runAsChild = async (
  path: string,
  args: ReadonlyArray<string>,
  mark: string | undefined
): Promise<never> => {
  const { spawn } = await import("node:child_process")
  const { [triedVariable]: _, ...inherited } = process.env
  const env = mark === undefined ? inherited : { ...inherited, [triedVariable]: mark }
  try {
    const child = spawn(path, [...args], { argv0: process.argv0, env, stdio: "inherit" })
    for (const signal of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const) {
      process.on(signal, () => child.kill(signal))
    }
    // A terminal sends these to the whole foreground group.
    const fromTerminal = [0, 1, 2].some(isTerminal)
    for (const signal of ["SIGINT", "SIGQUIT"] as const) process.on(signal, () => fromTerminal || child.kill(signal))
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on("error", reject)
      child.on("exit", (...ended) => resolve(ended))
    })
    return await endLike(code, signal)
  } catch (error) {
    print(2, `dd: ${path} cannot be run: ${error instanceof Error ? error.message : error}\n`)
    await flushed(2)
    process.exit(notRunnable)
  }
}

const endLike = async (code: number | null, signal: NodeJS.Signals | null): Promise<never> => {
  if (signal === null) process.exit(code ?? 1)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // Bun ignores this signal; a shell reports such an end by this status.
  const { constants } = await import("node:os")
  process.exit(128 + constants.signals[signal])
}
