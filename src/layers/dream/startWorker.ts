/**
 * Starts the worker from a hook, detached, if none is seen to live. Never prints, never fails, and keeps nobody waiting. Costs
 * one call of the system while a worker lives. Loads no Effect, except to read settings that mention the worker.
 */
import { closeSync, mkdirSync, openSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { switchWord } from "../../domain/run/switchWord.ts"

export const workerPlaces = (home: string) => {
  const folder = join(home, "dream")
  return {
    folder,
    /** Names the worker; the time of its last change is the last sign of life. */
    lock: join(folder, "worker.lock"),
    status: join(folder, "worker.json"),
    /** What summaries of a model cost on the last day with one. */
    spent: join(folder, "synthesis.json"),
    /** The time of its last change is when somebody asked for a pass. */
    wake: join(folder, "worker.wake"),
    /** When a worker was last started. */
    started: join(folder, "worker.started")
  }
}

/** A worker that showed no sign of life for so long is not counted on, in milliseconds. */
export const longestSilence = 90_000
/** So long after a start, no other worker is started, in milliseconds. */
const timeToStart = 10_000

type Environment = Readonly<Record<string, string | undefined>>

/** `home`: dd's own directory. */
export const startWorker = async (home: string, environment: Environment): Promise<void> => {
  try {
    const { folder, lock, started } = workerPlaces(home)
    const now = performance.timeOrigin + performance.now()
    if (now - changedAt(lock) < longestSilence || (await isOff(home, environment))) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!mayStart(started, now)) return
    Bun.spawn([...ownCommand(), "dream", "worker"], {
      cwd: "/",
      detached: true,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore"
    }).unref()
  } catch {
    // The next event tries again; `dd dream status` shows that no worker runs.
  }
}

/** Asks the worker for a pass now, and starts one if there is none. */
export const wakeWorker = async (home: string, environment: Environment): Promise<void> => {
  await startWorker(home, environment)
  try {
    writeFileSync(workerPlaces(home).wake, "", { mode: 0o600 })
  } catch {
    // The worker makes its pass at the end of its cycle.
  }
}

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Of several events at once, only one starts a worker. */
const mayStart = (path: string, now: number): boolean => {
  try {
    closeSync(openSync(path, "wx", 0o600))
    return true
  } catch {
    if (now - changedAt(path) < timeToStart) return false
    utimesSync(path, now / 1_000, now / 1_000)
    return true
  }
}

/** `DD_DREAM_WORKER=0`, or `worker = "off"` in the table `dream` of the user's settings. What is no switch turns nothing on. */
const isOff = async (home: string, environment: Environment): Promise<boolean> => {
  const variable = environment.DD_DREAM_WORKER
  if (variable !== undefined && variable !== "") return switchWord(variable) !== "on"
  const text = textOf(join(home, "config.toml"))
  return text.includes("worker") && (await import("./workerSwitch.ts")).isOffIn(text)
}

/** "" without settings. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** A compiled binary contains the program; otherwise it is the file that Bun was started with. */
const ownCommand = (): ReadonlyArray<string> => [
  process.execPath,
  ...(Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/.test(Bun.main) ? [] : [Bun.main])
]
