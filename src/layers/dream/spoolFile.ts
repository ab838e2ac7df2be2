/**
 * Appends events to the spool: one line with one write, so that lines of several processes do not mix. Loads neither Effect
 * nor SQLite, because it runs at every call of a tool. Throws errors of the system.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"

/** In bytes. A session that writes more is recorded no further. */
const largestFile = 32 * 1024 * 1024
/** In bytes: a longer line could be divided by the system. */
const longestLine = 16 * 1024

export const digest = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex")

/** The directory of dd's own files; null if the environment names none, or a relative one. */
export const homeIn = (environment: Readonly<Record<string, string | undefined>>): string | null => {
  const own = environment.DD_HOME ?? ""
  const home = environment.HOME ?? environment.USERPROFILE ?? ""
  const place = own !== "" ? own : home === "" ? "" : join(home, ".daydream")
  return isAbsolute(place) ? place : null
}

export interface Place {
  /** The root of the working tree; the folder itself outside of a repository. */
  readonly root: string
  /** Equal for all working trees of a repository. */
  readonly project: string
  readonly branch: string | null
  readonly head: string | null
}

/** Reads the files of git, and starts no process. */
export const placeOf = (folder: string): Place => {
  const found = gitAround(folder)
  if (found === null) return { root: resolve(folder), project: projectKey(resolve(folder)), branch: null, head: null }
  return { root: found.root, project: projectKey(found.main), ...checkedOut(found.git, found.common) }
}

/** The project around a folder, with the root of its main working tree. */
export const projectAt = (folder: string): { readonly key: string; readonly root: string } => {
  const root = gitAround(folder)?.main ?? resolve(folder)
  return { key: projectKey(root), root }
}

interface GitAround {
  readonly root: string
  readonly git: string
  readonly common: string
  /** The main working tree; the repository itself if it is bare. */
  readonly main: string
}

const gitAround = (folder: string): GitAround | null => {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const git = gitFolder(at)
    if (git !== null) {
      const common = commonFolder(git)
      return { root: at, git, common, main: basename(common) === ".git" ? dirname(common) : common }
    }
    if (dirname(at) === at) return null
  }
}

/** The name of the folder, to be read by people, and sixteen digits of the digest of its path. */
const projectKey = (path: string): string =>
  `${
    basename(path)
      .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
      .replace(/^[.-]+/, "")
      .slice(0, 40) || "root"
  }-${digest(path).slice(0, 16)}`

const gitFolder = (at: string): string | null => {
  const path = join(at, ".git")
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined) return null
  if (info.isDirectory()) return path
  const to = /^gitdir: (.+)$/m.exec(textAt(path) ?? "")?.[1]
  return to === undefined ? null : resolve(at, to.trim())
}

/** Of a linked working tree, the folder that it shares with the others. */
const commonFolder = (git: string): string => {
  const common = textAt(join(git, "commondir"))
  return common === null ? git : resolve(git, common.trim())
}

const checkedOut = (git: string, common: string): Pick<Place, "branch" | "head"> => {
  const head = (textAt(join(git, "HEAD")) ?? "").trim()
  const name = /^ref: (\S+)$/.exec(head)?.[1]
  if (name === undefined) return { branch: null, head: isObject(head) ? head : null }
  const loose = (textAt(join(common, name)) ?? "").trim()
  const packed = isObject(loose)
    ? loose
    : ((textAt(join(common, "packed-refs")) ?? "").split("\n").find((line) => line.endsWith(` ${name}`)) ?? "").slice(
        0,
        40
      )
  return { branch: name.replace(/^refs\/heads\//, ""), head: isObject(packed) ? packed : null }
}

const isObject = (text: string): boolean => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)

const textAt = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

export const spoolOf = (home: string): string => join(home, "spool")

/** A session's id comes from outside: one that is no plain name becomes its digest. */
export const fileName = (session: string): string =>
  /^[A-Za-z0-9_-]{1,80}$/.test(session) ? session : digest(session).slice(0, 32)

export const append = (home: string, event: SessionEvent): void => {
  const folder = join(spoolOf(home), event.project)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const line = Buffer.from(`${JSON.stringify(shortened(event))}\n`)
  const file = openSync(join(folder, `${fileName(event.session)}.jsonl`), "a", 0o600)
  try {
    if (fstatSync(file).size + line.length > largestFile)
      throw Object.assign(new Error("the file of the session is full"), { code: "SPOOL_FULL" })
    // A line that a full disk cut off must not join this one.
    const written = writeSync(file, line)
    if (written < line.length) writeSync(file, "\n")
  } finally {
    closeSync(file)
  }
}

/** Without the parts that are long, if the line would be too long. */
const shortened = (event: SessionEvent): SessionEvent => {
  if (Buffer.byteLength(JSON.stringify(event)) < longestLine) return event
  const { command, error, files: _, ...rest } = event
  return {
    ...rest,
    ...(command === undefined ? {} : { command: command.slice(0, 500) }),
    ...(error === undefined ? {} : { error: error.slice(0, 500) })
  }
}
