/**
 * One event of an assistant session: one line of the spool. Hooks, imported transcripts and dd's own runs all become these.
 *
 * This file imports nothing, because `dd hook event` must start without Effect; `sessionEvents.ts` decodes lines. Every text
 * is redacted and shortened before it is written. The order of the lines is the order of the events; turns and steps are
 * counted when they are read.
 */

/** Who holds the session: a coding assistant, or dd itself for its reviews and fixes. */
export type Host = "claude" | "codex" | "gemini" | "dd"

export type EventKind =
  | "session_start"
  | "prompt"
  /** The host tells that a background task ended. */
  | "task_end"
  /** A call of a tool begins; without a result it is in flight. */
  | "tool_pre"
  | "tool_ok"
  | "tool_fail"
  /** A call that was refused before it ran. */
  | "denied"
  /** Context that dd gave to the assistant. */
  | "injected"
  | "stop"
  /** The turn ended with an error of the provider. */
  | "stop_fail"
  | "subagent_stop"
  | "compact"
  | "session_end"

/** What a tool does, whatever its host calls it. */
export type ToolAction = "read" | "search" | "edit" | "run" | "other"

/** A text that is not kept: enough to compare it, and its redacted beginning. */
export interface Excerpt {
  /** Equal for equal texts: 16 hexadecimal digits of the SHA-256 of the length and the redacted first 20,000 characters. */
  readonly hash: string
  /** Bytes of the whole text in UTF-8. */
  readonly bytes: number
  readonly start: string
}

export interface SessionEvent {
  readonly v: 1
  /** Equal for the same event imported twice: the first 24 hexadecimal digits of a SHA-256. */
  readonly id: string
  readonly host: Host
  /** The host's id of the session; another host may have given the same one. */
  readonly session: string
  /** The subagent in which it happened. */
  readonly agent?: string
  /** `projectKeyOf` the repository. */
  readonly project: string
  /** The root of the working tree; linked working trees of a project have different ones. */
  readonly root: string
  /** The root of the main working tree, if that is another one: linked working trees are removed, and it stays. */
  readonly main?: string
  readonly cwd: string
  readonly branch?: string
  /** The commit that is checked out, at the start and the end of a session. */
  readonly head?: string
  /** Milliseconds since 1970, by dd's clock for hooks, by the transcript's for imports. */
  readonly at: number
  readonly kind: EventKind
  /** The source of a start, the reason of an end, the trigger of a compaction, as the host names it. */
  readonly reason?: string
  /** The host's id of the call; joins a beginning with its result. */
  readonly call?: string
  readonly tool?: string
  readonly action?: ToolAction
  /** Of a `run`. */
  readonly command?: string
  /** The timeout that the assistant gave the call, in milliseconds. */
  readonly timeout?: number
  /** Relative to `root`; absolute paths outside of it are left out. */
  readonly files?: ReadonlyArray<string>
  /** The hash of all arguments: equal calls have equal ones. */
  readonly args?: string
  /** Known for failures only. */
  readonly exit?: number
  readonly ms?: number
  /** Of a prompt or of the output of a command. */
  readonly text?: Excerpt
  /**
   * What the output says of a check whose exit code hides it, as in `npm test | tail`, or is not reported (`outputVerdict` of
   * the whole output); `unknown` also for a command that had not ended. Absent: the exit code decides.
   */
  readonly verdict?: "passed" | "failed" | "unknown"
  /**
   * The host's id of the background command that the call started. Of other events, the one that they tell of: `verdict` is that of
   * the command, absent while it runs.
   */
  readonly task?: string
  /** Of a failure: the redacted message, at most 2,000 characters. */
  readonly error?: string
  /** Did a person interrupt the call? */
  readonly interrupted?: true
  /** Background tasks that still run when the assistant stops. */
  readonly background?: number
  readonly injection?: InjectedContext
}

export type InjectionSource = "resume" | "playbook" | "repair" | "convention" | "sequence"

export interface InjectedContext {
  readonly id: string
  readonly sources: ReadonlyArray<InjectionSource>
  /** Ids of the artifacts that were given. */
  readonly artifacts: ReadonlyArray<string>
  readonly bytes: number
}

type Session = Pick<SessionEvent, "host" | "session">

/**
 * Identifies a session among those of all hosts: the id of a session of Claude Code, so that its files have the names of its
 * transcripts; of others, the id with the host.
 */
export const sessionKey = (session: Session): string =>
  session.host === "claude" && !session.session.includes("~") ? session.session : keyWithHost(session)

/** Names the host in any case. */
export const keyWithHost = ({ host, session }: Session): string => `${host}~${session}`

/** Begins the ids of imported events: those of hooks are hexadecimal digits. */
export const importMark = "t"

/** The reason of an end that the user marked. */
export const markedEnd = "dd session end"

export const isImported = ({ id }: Pick<SessionEvent, "id">): boolean => id.startsWith(importMark)

/** Did a hook record it? */
export const isOfHook = (event: Pick<SessionEvent, "id" | "reason">): boolean =>
  !isImported(event) && event.reason !== markedEnd
