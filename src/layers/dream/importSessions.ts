/**
 * Imports the transcripts that assistants keep into the spool, redacted. A second import adds only what is new; a session that
 * hooks have recorded is left as it is, because its events would be doubled.
 */
import { Glob } from "bun"
import { Clock, Effect, FileSystem, Option, Path } from "effect"
import { claudeTranscript } from "../../domain/dream/claudeTranscript.ts"
import { codexRollout } from "../../domain/dream/codexRollout.ts"
import { hookEvent } from "../../domain/dream/hookPayload.ts"
import type { SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { sessionEvents } from "../../domain/dream/sessionEvents.ts"
import { type PastSession, parsed } from "../../domain/dream/transcript.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { appendEvents } from "./appendEvents.ts"
import { placeOf } from "./spoolFile.ts"
import { digest, fileOf } from "./spoolPlace.ts"

export interface ImportOptions {
  /** dd's own directory. */
  readonly home: string
  /** Where Claude Code and Codex keep their files. */
  readonly claude: string
  readonly codex: string
  /** Null: all projects. */
  readonly project: string | null
  /** Only transcripts changed since then, in milliseconds since 1970; null: all. */
  readonly since: number | null
  /** False: nothing is written. */
  readonly writes: boolean
}

export interface Imported {
  readonly session: string
  readonly host: "claude" | "codex"
  readonly project: string
  /** `recorded`: by hooks. */
  readonly state: "imported" | "unchanged" | "recorded"
  /** That are new. */
  readonly events: number
  readonly unreadable: number
}

export interface Import {
  readonly sessions: ReadonlyArray<Imported>
  /** Files that could not be read, or that are no transcripts. */
  readonly skipped: ReadonlyArray<string>
}

export const importSessions = Effect.fnUntraced(function* (options: ImportOptions) {
  const now = yield* Clock.currentTimeMillis
  const sessions: Array<Imported> = []
  const skipped: Array<string> = []
  for (const found of yield* transcripts(options)) {
    const imported = yield* Effect.result(importOne(options, found, now))
    if (imported._tag === "Failure" || imported.success === null) skipped.push(found.path)
    else sessions.push(imported.success)
  }
  const result: Import = { sessions, skipped }
  return result
})

interface Transcript {
  readonly host: "claude" | "codex"
  readonly path: string
}

/** Of the project, the oldest change first. */
const transcripts = Effect.fnUntraced(function* ({ claude, codex, project, since }: ImportOptions) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const filesIn = (folder: string, form: RegExp) =>
    // Links between folders are not followed: they may form a circle.
    Effect.try(() => [...new Glob("**/*.jsonl").scanSync({ cwd: folder, dot: true })].sort(compareText)).pipe(
      Effect.map((names) => names.filter((name) => form.test(name)).map((name) => paths.join(folder, name))),
      // An assistant that is not used here has no folder.
      Effect.orElseSucceed((): ReadonlyArray<string> => [])
    )
  const all = [
    ...(yield* filesIn(paths.join(claude, "projects"), /^[^/\\]+[/\\][^/\\]+\.jsonl$/)).map(
      (path) => ["claude", path] as const
    ),
    ...(yield* filesIn(paths.join(codex, "sessions"), /rollout-[^/\\]*\.jsonl$/)).map(
      (path) => ["codex", path] as const
    )
  ]
  const found: Array<Transcript & { readonly changedAt: number }> = []
  for (const [host, path] of all) {
    const info = Option.getOrNull(yield* Effect.option(fs.stat(path)))
    const changedAt = Option.match(info?.mtime ?? Option.none(), { onNone: () => 0, onSome: (at) => at.getTime() })
    if (info?.type !== "File" || (since !== null && changedAt < since)) continue
    if (project !== null && (yield* projectIn(path)) !== project) continue
    found.push({ host, path, changedAt })
  }
  return found.toSorted((a, b) => a.changedAt - b.changedAt)
})

/** The project of the first folder that the file names; null without one. */
const projectIn = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const start = yield* Effect.flatMap(fs.open(path), (file) => file.readAlloc(64 * 1024)).pipe(
    Effect.scoped,
    Effect.map(Option.getOrElse(() => new Uint8Array())),
    Effect.orElseSucceed(() => new Uint8Array())
  )
  const [folder] = /(?<="cwd":\s?)"(?:[^"\\]|\\.)+"/.exec(new TextDecoder().decode(start)) ?? []
  const cwd = folder === undefined ? undefined : parsed(folder)
  return typeof cwd === "string" ? placeOf(cwd).project : null
})

const importOne = Effect.fnUntraced(function* (
  { home, writes }: ImportOptions,
  { host, path }: Transcript,
  now: number
) {
  const fs = yield* FileSystem.FileSystem
  const { text: redact } = yield* Redactor
  const text = yield* fs.readFileString(path)
  const past = host === "claude" ? claudeTranscript(text, yield* subagentsOf(path), now) : codexRollout(text, now)
  const events = past === null ? [] : eventsOf(past, host, redact)
  const [first] = events
  if (past === null || first === undefined) return null
  const file = fileOf(home, first).path
  const kept = (yield* fs.exists(file)) ? sessionEvents(yield* fs.readFileString(file)).events : []
  const known = new Set(kept.map(({ id }) => id))
  const isRecorded = kept.some(({ id }) => !id.startsWith(mark))
  const fresh = isRecorded ? [] : events.filter(({ id }) => !known.has(id))
  if (writes) yield* appendEvents(home, fresh)
  const imported: Imported = {
    session: first.session,
    host,
    project: first.project,
    state: isRecorded ? "recorded" : fresh.length > 0 ? "imported" : "unchanged",
    events: fresh.length,
    unreadable: past.unreadable
  }
  return imported
})

/** Begins the ids of imported events: those of hooks are hexadecimal digits. */
const mark = "t"

const eventsOf = (
  past: PastSession,
  host: "claude" | "codex",
  redact: (text: string) => string
): ReadonlyArray<SessionEvent> => {
  const place = placeOf(past.cwd)
  return past.events.flatMap(({ at, branch, key, payload }) => {
    const id = `${mark}${digest(`${past.session}\n${key}`).slice(0, 23)}`
    const given = { session_id: past.session, cwd: past.cwd, ...payload }
    const event = hookEvent(host, given, { ...place, branch, head: () => null, id, at, redact, digest })
    return event === null ? [] : [event]
  })
}

/** The files beside a transcript of Claude Code, by the ids of the subagents. */
const subagentsOf = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = paths.join(path.replace(/\.jsonl$/, ""), "subagents")
  const names = yield* fs.readDirectory(folder).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
  const found = new Map<string, string>()
  for (const name of names) {
    const id = /^agent-(.+)\.jsonl$/.exec(name)?.[1]
    if (id !== undefined) found.set(id, yield* fs.readFileString(paths.join(folder, name)))
  }
  return found
})
