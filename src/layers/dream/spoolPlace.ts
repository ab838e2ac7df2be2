/**
 * Where the events of a session go, and as what line. Loads no module of the platform: `dd hook event` starts with this file,
 * and `node:fs` with `node:path` takes longer to load than an event takes to be written.
 */
import { type SessionEvent, sessionKey } from "../../domain/dream/SessionEvent.ts"

/** In bytes. A session that writes more is recorded no further. */
export const largestFile = 32 * 1024 * 1024
/** In bytes: a longer line could be divided by the system. */
export const longestLine = 16 * 1024

export const digest = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex")

/** The directory of dd's own files; null if the environment names none, or a relative one. */
export const homeIn = (environment: Readonly<Record<string, string | undefined>>): string | null => {
  const own = environment.DD_HOME ?? ""
  const home = environment.HOME ?? environment.USERPROFILE ?? ""
  const place = own !== "" ? own : home === "" ? "" : `${home}/.daydream`
  return place.startsWith("/") || place[1] === ":" ? place : null
}

export const spoolOf = (home: string): string => `${home}/spool`

export interface Place {
  /** The root of the working tree; the folder itself outside of a repository. */
  readonly root: string
  /** `projectKeyOf` the repository: equal for all its working trees. */
  readonly project: string
  /** The root of the main working tree, or the repository itself if it is bare; null outside of a repository. */
  readonly main: string | null
  readonly branch: string | null
  /** The commit that is checked out. */
  readonly head: () => string | null
}

/** The text of a file; null if there is none, or if it is no file. */
export type ReadText = (path: string) => string | null

/** Reads the files of git, and starts no process. `folder`: absolute, with `/` as separator. */
export const placeIn = (folder: string, read: ReadText): Place => {
  const start = plainPath(folder)
  for (let at = start; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const found = gitAt(at, read)
    if (found === null) continue
    const { common, head, isLinked } = found
    const isUsual = common.endsWith("/.git")
    const repository = isUsual ? common.slice(0, -"/.git".length) : common
    const name = head.startsWith("ref: ") ? head.slice("ref: ".length) : null
    return {
      root: at,
      project: projectKeyOf(repository),
      main: isUsual ? repository : isLinked ? (workTreeOf(common, read) ?? common) : at,
      branch: name === null ? null : name.startsWith(branches) ? name.slice(branches.length) : name,
      head: () => objectOf(name === null ? head : referred(common, name, read))
    }
  }
  const root = start === "" ? "/" : start
  return { root, project: projectKeyOf(root), main: null, branch: null, head: () => null }
}

const branches = "refs/heads/"

/** Without `.`, `..`, and a `/` at the end. */
const plainPath = (path: string): string => {
  if (!path.includes("/.") && !path.includes("//") && !path.endsWith("/")) return path
  const parts: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "." && part !== "") parts.push(part)
  }
  const plain = parts.join("/")
  return path.startsWith("/") && plain !== "" ? `/${plain}` : plain
}

/** The last name of a path, to be read by people, and sixteen digits of the digest of the path: a safe name of a directory. */
export const projectKeyOf = (path: string): string =>
  `${plainName(path.slice(path.lastIndexOf("/") + 1))}-${digest(path).slice(0, 16)}`

const plainName = (name: string): string =>
  (isPlain(name) && !name.startsWith(".") && !name.startsWith("-")
    ? name
    : name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "")
  ).slice(0, 40) || "root"

/** Has it only characters that a URL need not escape? A loop, because the first call of `encodeURIComponent` takes 60 µs. */
const isPlain = (name: string): boolean => {
  for (let at = 0; at < name.length; at++) if (!unescaped.includes(name[at]!)) return false
  return true
}

const unescaped = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()"

interface GitFiles {
  /** Of a linked working tree, the folder that it shares with the others. */
  readonly common: string
  readonly isLinked: boolean
  /** What the file HEAD has. */
  readonly head: string
}

const gitAt = (at: string, read: ReadText): GitFiles | null => {
  const own = read(`${at}/.git/HEAD`)
  if (own !== null) return { common: `${at}/.git`, isLinked: false, head: own.trim() }
  const link = read(`${at}/.git`)
  if (link === null) return null
  const to = /^gitdir: (.+)$/m.exec(link)?.[1]
  if (to === undefined) return null
  const git = from(at, to.trim())
  const head = read(`${git}/HEAD`)
  if (head === null) return null
  const common = read(`${git}/commondir`)
  return { common: common === null ? git : from(git, common.trim()), isLinked: common !== null, head: head.trim() }
}

/** The main working tree of a repository that is elsewhere: a submodule is one. Null if there is none. */
const workTreeOf = (common: string, read: ReadText): string | null => {
  const to = /^\s*worktree = (.+)$/m.exec(read(`${common}/config`) ?? "")?.[1]
  if (to === undefined) return null
  const tree = from(common, to.trim())
  return gitAt(tree, read)?.common === common ? tree : null
}

const from = (folder: string, path: string): string =>
  plainPath(path.startsWith("/") || path[1] === ":" ? path : `${folder}/${path}`)

const referred = (common: string, name: string, read: ReadText): string => {
  const loose = (read(`${common}/${name}`) ?? "").trim()
  if (objectOf(loose) !== null) return loose
  const lines = (read(`${common}/packed-refs`) ?? "").split("\n")
  return (lines.find((line) => line.endsWith(` ${name}`)) ?? "").slice(0, 40)
}

const objectOf = (text: string): string | null => (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text) ? text : null)

/** A session's id comes from outside: one that is no plain name becomes its digest. */
export const fileName = (session: Pick<SessionEvent, "host" | "session">): string => {
  const key = sessionKey(session)
  return key.length <= 80 && !key.includes(".") && isPlain(key) ? key : digest(key).slice(0, 32)
}

/** The file of the event's session, in its folder. */
export const fileOf = (home: string, event: Pick<SessionEvent, "host" | "project" | "session">) => {
  const folder = `${spoolOf(home)}/${event.project}`
  return { folder, path: `${folder}/${fileName(event)}.jsonl` }
}

/**
 * What is appended. The line break comes first, so that a line that a full disk or a killed process cut off does not join
 * this one.
 */
export const lineOf = (event: SessionEvent): string => {
  const line = `\n${JSON.stringify(event)}`
  if (new TextEncoder().encode(line).length < longestLine) return line
  const { command, error, files: _, ...rest } = event
  return `\n${JSON.stringify({
    ...rest,
    ...(command === undefined ? {} : { command: command.slice(0, 500) }),
    ...(error === undefined ? {} : { error: error.slice(0, 500) })
  })}`
}
