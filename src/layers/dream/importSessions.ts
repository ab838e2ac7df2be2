/**
 * Imports the transcripts that assistants keep into the spool, redacted. Whatever was imported before, a session then is what its
 * transcript tells now: what is new is added, and what was rewound is removed. An event that several sessions of a project have,
 * because one began with a copy of another, is in one of them. A session that hooks have recorded is left as it is, because its
 * events would be doubled.
 */
import { Clock, Effect, FileSystem, Path } from "effect"
import { hookEvent } from "../../domain/dream/hookPayload.ts"
import { importMark, isImported, type SessionEvent, sessionKey } from "../../domain/dream/SessionEvent.ts"
import { sessionEvents } from "../../domain/dream/sessionEvents.ts"
import { eventKeepers, type SessionHistory } from "../../domain/dream/transcripts/eventKeepers.ts"
import { type PastEvent, type PastSession, textIn, withEdges } from "../../domain/dream/transcripts/transcript.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { importEvents } from "./appendEvents.ts"
import { placeOf } from "./spoolFile.ts"
import { digest, fileOf, spoolOf } from "./spoolPlace.ts"
import { type LeftOut, pastSession, type Transcript, transcriptFiles } from "./transcriptFiles.ts"

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
  /** `recorded`: by hooks. `copied`: it has only events of other sessions. */
  readonly state: "imported" | "unchanged" | "recorded" | "copied"
  /** That are new. */
  readonly events: number
  /** Events that other sessions keep. */
  readonly copied: number
  readonly unreadable: number
}

export interface Import {
  readonly sessions: ReadonlyArray<Imported>
  readonly skipped: ReadonlyArray<LeftOut>
}

export const importSessions = Effect.fnUntraced(function* (options: ImportOptions) {
  const now = yield* Clock.currentTimeMillis
  const { claude, codex, home, project, since } = options
  const { found, skipped } = yield* transcriptFiles(claude, codex, project)
  const sessions: Array<Imported> = []
  const leaveOut = (transcripts: ReadonlyArray<Transcript>, reason: LeftOut["reason"]) =>
    skipped.push(...transcripts.map(({ path }) => ({ path, reason })))
  const isMeant = ({ changedAt }: Transcript) => since === null || changedAt >= since
  for (const [project, own] of Map.groupBy(found, ({ project }) => project)) {
    if (!own.some(isMeant)) continue
    const known: Array<Known> = []
    // Also those that are not meant: others may have copies of their events.
    for (const parts of Map.groupBy(own, sessionKey).values()) {
      const { past, unreadable } = yield* pastSession(parts)
      leaveOut(unreadable, "cannot be read")
      const one = past === null ? null : yield* knownOf(home, parts, past)
      if (one !== null) known.push(one)
      else if (past !== null) leaveOut(parts, "has no events")
    }
    const keepers = eventKeepers([...known, ...(yield* othersIn(home, project, known))])
    for (const one of known.filter(({ parts }) => parts.some(isMeant))) {
      const { imported, isFull } = yield* importOne(options, one, keepers, now)
      sessions.push(imported)
      if (isFull) leaveOut(one.parts, "is too long")
    }
  }
  const result: Import = { sessions, skipped }
  return result
})

/** A session with transcripts, without its texts. `session` of its history: the file in the spool. */
interface Known extends SessionHistory {
  readonly parts: ReadonlyArray<Transcript>
  readonly start: SessionEvent
  /** The ids of the imported events in the spool, in their order. */
  readonly kept: ReadonlySet<string>
  readonly isHooked: boolean
  readonly unreadable: number
}

/** Null without events. */
const knownOf = Effect.fnUntraced(function* (home: string, parts: ReadonlyArray<Transcript>, past: PastSession) {
  const [start] = yield* recordable(parts, past, withEdges(past.session, past.events, 0).slice(0, 1))
  if (start === undefined) return null
  const file = fileOf(home, start).path
  const kept = yield* eventsIn(file)
  const ids = new Set(kept.map(({ id }) => id))
  // A mere end is a mark of the user, or of hooks that were installed meanwhile: nothing would be doubled.
  const ofHooks = kept.filter((event) => !isImported(event) && event.kind !== "session_end")
  const firstOfHooks = ofHooks[0]
  // By its call too: the clock may have been set.
  const calls = new Set(ofHooks.flatMap(({ call }) => call ?? []))
  const isOfHooks = ({ at, payload }: PastEvent) =>
    firstOfHooks !== undefined && (at >= firstOfHooks.at || calls.has(textIn(payload, "tool_use_id")))
  const first = past.events.findIndex(isOfHooks)
  const events = past.events.map((event, place) => {
    const id = idOf(event.key)
    return { id, at: event.at, isRecorded: ids.has(id) || (first >= 0 && place >= first) }
  })
  const known: Known = {
    session: file,
    // What hooks did not record of their session is not recorded now.
    events: firstOfHooks === undefined ? events : events.filter(({ isRecorded }) => isRecorded),
    parts,
    start,
    kept: new Set(kept.filter(isImported).map(({ id }) => id)),
    isHooked: firstOfHooks !== undefined,
    unreadable: past.unreadable
  }
  return known
})

/** None if there is no such file, or if it cannot be read. */
const eventsIn = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return sessionEvents(yield* fs.readFileString(file).pipe(Effect.orElseSucceed(() => ""))).events
})

/** The imported sessions of the project whose transcripts are gone. */
const othersIn = Effect.fnUntraced(function* (home: string, project: string, known: ReadonlyArray<Known>) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = `${spoolOf(home)}/${project}`
  const names = (yield* fs.exists(folder)) ? yield* fs.readDirectory(folder) : []
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => paths.join(folder, name))
  const others: Array<SessionHistory> = []
  for (const session of files.filter((file) => known.every((one) => one.session !== file))) {
    const imported = (yield* eventsIn(session)).filter(isImported)
    others.push({ session, events: imported.map(({ at, id }) => ({ id, at, isRecorded: true })) })
  }
  return others
})

const importOne = Effect.fnUntraced(function* (
  { home, writes }: ImportOptions,
  { isHooked, kept, parts, session: file, start, unreadable }: Known,
  keepers: ReadonlyMap<string, string>,
  now: number
) {
  const imported: Imported = {
    session: start.session,
    host: start.host === "codex" ? "codex" : "claude",
    project: start.project,
    state: "recorded",
    events: 0,
    copied: 0,
    unreadable
  }
  const { past } = isHooked ? { past: null } : yield* pastSession(parts)
  if (past === null) return { imported, isFull: false }
  const own = past.events.filter(({ key }) => keepers.get(idOf(key)) === file)
  const told =
    own.length > 0 || kept.size === 0
      ? withEdges(past.session, own, now)
      : // Recorded before, and a mere copy: its evidence goes, and the session stays.
        withEdges(past.session, past.events, now).slice(0, 1)
  const isLonger = [...kept].every((id, at) => told[at] !== undefined && id === idOf(told[at].key))
  const given = isLonger ? told.slice(kept.size) : told
  let isFull = false
  let written: ReadonlyArray<PastEvent> = given
  if (writes && given.length > 0) {
    const events = yield* recordable(parts, past, given)
    // The user may have marked its end, and hooks may have begun meanwhile.
    const others = isLonger ? [] : (yield* eventsIn(file)).filter((event) => !isImported(event))
    const all = [...events, ...others].toSorted((a, b) => a.at - b.at)
    const count = yield* importEvents(home, isLonger ? events : all, isLonger)
    isFull = count < all.length
    if (isFull) written = given.slice(0, count)
  }
  const fresh = written.filter(({ key }) => !kept.has(idOf(key))).length
  const state = own.length === 0 ? "copied" : isLonger && fresh === 0 ? "unchanged" : "imported"
  const result: Imported = { ...imported, state, events: fresh, copied: past.events.length - own.length }
  return { imported: result, isFull }
})

const idOf = (key: string): string => `${importMark}${digest(key).slice(0, 23)}`

const recordable = Effect.fnUntraced(function* (
  [transcript]: ReadonlyArray<Transcript>,
  { cwd, session }: PastSession,
  events: ReadonlyArray<PastEvent>
) {
  const { text: redact } = yield* Redactor
  const place = placeOf(cwd)
  return events.flatMap(({ at, branch, key, payload }) => {
    const given = { session_id: session, cwd, ...payload }
    const moment = { ...place, branch, head: () => null, id: idOf(key), at, redact, digest }
    return hookEvent(transcript?.host ?? "claude", given, moment) ?? []
  })
})
