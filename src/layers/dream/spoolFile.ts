/** Appends events to the spool, and finds projects, with the files of Node. Throws errors of the system. */
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import { resolve } from "node:path"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { fileOf, largestFile, lineOf, type Place, placeIn, spoolOf } from "./spoolPlace.ts"

export const placeOf = (folder: string): Place => placeIn(resolve(folder).replaceAll("\\", "/"), textAt)

/** The project around a folder, with the root of its main working tree. */
export const projectAt = (folder: string): { readonly key: string; readonly root: string } => {
  const { main, project } = placeOf(folder)
  return { key: project, root: main }
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
    mkdirSync(spoolOf(home), { recursive: true, mode: 0o700 })
    const path = `${spoolOf(home)}/faults`
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > mostFaults) return
    const code = error instanceof Error ? ("code" in error ? String(error.code) : error.name) : "unknown"
    appendFileSync(path, `${at} ${code}\n`, { mode: 0o600 })
  } catch {
    // There is no place to count it: `dd doctor` tries to write to the spool.
  }
}
