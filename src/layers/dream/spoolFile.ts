/** Appends events to the spool, and finds projects, with the files of Node. Throws errors of the system. */
import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { resolve } from "node:path"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { faultLine } from "../../services/dream/spoolFaults.ts"
import { fileOf, largestFile, lineOf, longestLine, type Place, placeIn, spoolOf } from "./spoolPlace.ts"

export const placeOf = (folder: string): Place => placeIn(resolve(folder).replaceAll("\\", "/"), textAt)

/** The project around a folder, with the root of its main working tree; null outside of a repository. */
export const projectAt = (folder: string): { readonly key: string; readonly root: string } | null => {
  const { main, project } = placeOf(folder)
  return main === null ? null : { key: project, root: main }
}

/**
 * The place where the session of an event began, if that is another project: a session has one, wherever its commands change
 * the directory to. Null if the session is recorded here, or nowhere.
 */
export const startOf = (home: string, event: SessionEvent): Place | null => {
  const { path } = fileOf(home, event)
  if (existsSync(path)) return null
  const projects = existsSync(spoolOf(home)) ? readdirSync(spoolOf(home)) : []
  const starts = projects.flatMap((project) => firstEventIn(fileOf(home, { ...event, project }).path))
  const [start] = starts
    .filter(({ host, session }) => host === event.host && session === event.session)
    .sort((a, b) => a.at - b.at)
  if (start === undefined) return null
  const place = placeOf(start.root)
  // The working tree may be gone.
  return place.project === start.project
    ? place
    : { root: start.root, project: start.project, main: start.main ?? null, branch: null, head: () => null }
}

/** Nothing if there is no such file, or its first line was cut off. */
const firstEventIn = (path: string): ReadonlyArray<SessionEvent> => {
  try {
    const file = openSync(path, "r")
    try {
      const bytes = Buffer.alloc(longestLine + 1)
      const [, line = ""] = bytes.toString("utf8", 0, readSync(file, bytes)).split("\n")
      const event: SessionEvent = JSON.parse(line)
      return event.v === 1 ? [event] : []
    } finally {
      closeSync(file)
    }
  } catch {
    return []
  }
}

export const textAt = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

/** One line with one write, so that lines of several processes do not mix. */
export const append = (home: string, event: SessionEvent): void => {
  const { folder, path } = fileOf(home, event)
  const file = opened(folder, path)
  try {
    const line = lineOf(event)
    if (fstatSync(file).size > largestFile) throw fault("SPOOL_FULL", "the file of the session is full")
    if (writeSync(file, line) < Buffer.byteLength(line)) throw fault("SPOOL_CUT", "the line was cut off")
  } finally {
    closeSync(file)
  }
}

/** The number of events that were appended until the file was full. */
export const appendAll = (home: string, events: ReadonlyArray<SessionEvent>): number => {
  let count = 0
  try {
    for (const event of events) {
      append(home, event)
      count++
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "SPOOL_FULL")) throw error
  }
  return count
}

/** Writes the file of a session at once, so that a reader sees the old one or the new one; as many events as are appended. */
export const replaceAll = (home: string, events: ReadonlyArray<SessionEvent>): number => {
  const [first] = events
  if (first === undefined) return 0
  const { path } = fileOf(home, first)
  const lines = events.map(lineOf)
  const draft = `${path}.${process.pid}.draft`
  let bytes = 0
  const fitting = lines.filter((line) => {
    const fits = bytes <= largestFile
    bytes += Buffer.byteLength(line)
    return fits
  })
  try {
    writeFileSync(draft, fitting.join(""), { flag: "wx", mode: 0o600 })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return fitting.length
}

const fault = (code: string, words: string) => Object.assign(new Error(words), { code })

/** The folder exists at all events but the first of a project. */
const opened = (folder: string, path: string): number => {
  try {
    return openSync(path, "a", 0o600)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return openSync(path, "a", 0o600)
  }
}

/** Standard input. */
export const input = (): string => readFileSync(0, "utf8")

/** Faults are counted up to this size of their file, in bytes. */
const mostFaults = 64 * 1024

/** Counts an event that could not be recorded. Never throws. `at`: milliseconds since 1970. */
export const countFault = (home: string, at: number, error: unknown): void => {
  try {
    const folder = spoolOf(home)
    const file = opened(folder, `${folder}/faults`)
    try {
      const { size } = fstatSync(file)
      if (size > mostFaults) return
      const code = error instanceof Error ? ("code" in error ? String(error.code) : error.name) : "unknown"
      try {
        writeSync(file, faultLine(at, code))
      } catch {
        // It grows by a NUL, for which a full disk needs no room.
        ftruncateSync(file, size + 1)
      }
    } finally {
      closeSync(file)
    }
  } catch {
    // There is no place to count it: `dd doctor` tries to write to the spool.
  }
}
