/** A transcript that an assistant keeps of a session, read as the payloads that its hooks would have got. */
import { DateTime, Option } from "effect"
import { isSilent, silenceThatEnds } from "../viewOfSession.ts"

export type Fields = Readonly<Record<string, unknown>>

/** A payload without what all of them have: the session, its folder. */
export interface PastEvent {
  /** Equal at each reading and in each copy of the line; different for each other event. */
  readonly key: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly branch: string | null
  readonly payload: Fields
}

/** What a line tells of its session, if it names both. */
export interface NamedSession {
  readonly session: string
  readonly cwd: string
}

export interface PastSession extends NamedSession {
  readonly events: ReadonlyArray<PastEvent>
  /** Lines that are no JSON, as the last one may be written at this moment, or have no time. */
  readonly unreadable: number
}

/** In characters. A compressed file of some kilobytes may have a line of gigabytes. */
const longestLine = 32 * 1024 * 1024

/** The next piece of a text without what makes a line too long. `lineLength`: of the line at its start, and at its end. */
export const cutLines = (
  piece: string,
  lineLength: number,
  longest: number = longestLine
): { readonly text: string; readonly lineLength: number } => {
  let text = ""
  let length = lineLength
  for (let at = 0; ; ) {
    const newline = piece.indexOf("\n", at)
    const end = newline < 0 ? piece.length : newline
    text += piece.slice(at, Math.min(end, at + Math.max(0, longest - length)))
    if (newline < 0) return { text, lineLength: length + end - at }
    text += "\n"
    length = 0
    at = newline + 1
  }
}

/** The objects of a file with one in each line. */
export const linesOf = (text: string): { readonly lines: ReadonlyArray<Fields>; readonly unreadable: number } => {
  const lines: Array<Fields> = []
  let unreadable = 0
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const value = parsed(line)
    if (isFields(value)) lines.push(value)
    else unreadable++
  }
  return { lines, unreadable }
}

/** Undefined for a text that is no JSON. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const textIn = (fields: Fields, key: string): string => {
  const value = fields[key]
  return typeof value === "string" ? value : ""
}

export const fieldsIn = (fields: Fields, key: string): Fields => {
  const value = fields[key]
  return isFields(value) ? value : {}
}

/** Null without a time. */
export const timeIn = (fields: Fields): number | null =>
  DateTime.make(textIn(fields, "timestamp")).pipe(Option.map(DateTime.toEpochMillis), Option.getOrNull)

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * With the start before the first event. No transcript has the end: a session that ended its last turn and was silent for long
 * enough is over.
 */
export const withEdges = (session: string, events: ReadonlyArray<PastEvent>, now: number): ReadonlyArray<PastEvent> => {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return []
  const edge = (key: string, { at, branch }: PastEvent, hook_event_name: string, more: Fields): PastEvent => ({
    key: `${session} ${key}`,
    at,
    branch,
    payload: { hook_event_name, ...more }
  })
  const isOver = last.payload.hook_event_name === "Stop" && isSilent(last.at, silenceThatEnds, now)
  return [
    edge("start", first, "SessionStart", { source: "startup" }),
    ...events,
    ...(isOver ? [edge(`end ${last.key}`, last, "SessionEnd", { reason: "other" })] : [])
  ]
}
