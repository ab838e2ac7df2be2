/** The transcripts that Claude Code and Codex keep: where they are, and the sessions that they tell of. */
import { Cause, Effect, FileSystem, Option, Path, Stream } from "effect"
import { claudeTranscript, namedByClaude } from "../../domain/dream/transcripts/claudeTranscript.ts"
import { codexRollout, namedByCodex } from "../../domain/dream/transcripts/codexRollout.ts"
import { cutLines, linesOf, type PastSession } from "../../domain/dream/transcripts/transcript.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { systemErrorCode } from "../../services/system/systemErrorText.ts"
import { placeOf } from "./spoolFile.ts"

export interface Transcript {
  readonly host: "claude" | "codex"
  readonly path: string
  readonly project: string
  readonly session: string
  /** Milliseconds since 1970. */
  readonly changedAt: number
}

export interface LeftOut {
  readonly path: string
  readonly reason: "names no session" | "has no events" | "cannot be read" | "is too long"
}

/** `claude`, `codex`: the folders of the assistants. `project`: null for all. The oldest change first. */
export const transcriptFiles = Effect.fnUntraced(function* (claude: string, codex: string, project: string | null) {
  const paths = yield* Path.Path
  const skipped: Array<LeftOut> = []
  const found: Array<Transcript> = []
  for (const [host, folder, depth] of [
    // A folder for each working directory; below it, folders of sessions.
    ["claude", paths.join(claude, "projects"), 1],
    // By year, month and day.
    ["codex", paths.join(codex, "sessions"), 3]
  ] as const) {
    const files = yield* filesBelow(folder, depth)
    for (const path of files.unreadable) skipped.push({ path, reason: "cannot be read" })
    for (const path of files.found) {
      const opened = yield* Effect.result(openingOf(host, path))
      if (opened._tag === "Failure" || opened.success === null) skipped.push({ path, reason: "cannot be read" })
      else if (Option.isNone(opened.success.named)) skipped.push({ path, reason: "names no session" })
      else {
        const { changedAt, named } = opened.success
        const own = placeOf(named.value.cwd).project
        if (project === null || own === project)
          found.push({ host, path, project: own, session: named.value.session, changedAt })
      }
    }
  }
  return { found: found.toSorted((a, b) => a.changedAt - b.changedAt), skipped }
})

interface Files {
  readonly found: ReadonlyArray<string>
  readonly unreadable: ReadonlyArray<string>
}

/** Follows links; the depth ends circles of them. */
const filesBelow: (folder: string, depth: number) => Effect.Effect<Files, never, FileSystem.FileSystem | Path.Path> =
  Effect.fnUntraced(function* (folder: string, depth: number) {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const names = yield* Effect.result(fs.readDirectory(folder))
    if (names._tag === "Failure") {
      // An assistant that is not used here has no folder, and a file beside folders is none.
      const isAbsent = ["ENOENT", "ENOTDIR", "ELOOP"].includes(systemErrorCode(names.failure))
      return { found: [], unreadable: isAbsent ? [] : [folder] }
    }
    const below: Array<Files> = []
    for (const name of names.success.toSorted(compareText)) {
      const path = paths.join(folder, name)
      if (/\.jsonl(?:\.zst)?$/.test(name)) below.push({ found: [path], unreadable: [] })
      else if (depth > 0) below.push(yield* filesBelow(path, depth - 1))
    }
    return { found: below.flatMap(({ found }) => found), unreadable: below.flatMap(({ unreadable }) => unreadable) }
  })

/** What the first lines tell, as far as they are needed; null for what is no file, as reading a FIFO does not end. */
const openingOf = Effect.fnUntraced(function* (host: Transcript["host"], path: string) {
  const fs = yield* FileSystem.FileSystem
  const { mtime, type } = yield* fs.stat(path)
  if (type !== "File") return null
  const named = host === "claude" ? namedByClaude : namedByCodex
  return {
    changedAt: Option.match(mtime, { onNone: () => 0, onSome: (at) => at.getTime() }),
    named: yield* piecesOf(path).pipe(
      Stream.splitLines,
      Stream.flatMap((line) => Stream.fromIterable(linesOf(line).lines.flatMap((fields) => named(fields) ?? []))),
      Stream.runHead
    )
  }
})

/** The session of these files; null if none of them tells of one. */
export const pastSession = Effect.fnUntraced(function* (transcripts: ReadonlyArray<Transcript>) {
  const parts: Array<PastSession> = []
  const unreadable: Array<Transcript> = []
  for (const transcript of transcripts) {
    const { host, path } = transcript
    const read = Effect.gen(function* () {
      const text = yield* textOf(path)
      return host === "claude" ? claudeTranscript(text, yield* subagentsOf(path)) : codexRollout(text)
    })
    const part = yield* Effect.result(read)
    if (part._tag === "Failure") unreadable.push(transcript)
    else if (part.success !== null) parts.push(part.success)
  }
  const [first, ...more] = parts
  if (first === undefined) return { past: null, unreadable }
  const events = parts.flatMap(({ events }) => events)
  const past: PastSession = {
    ...first,
    // A line may be written twice.
    events: [
      ...new Map(
        (more.length === 0 ? events : events.toSorted((a, b) => a.at - b.at)).map((event) => [event.key, event])
      ).values()
    ],
    unreadable: parts.reduce((sum, part) => sum + part.unreadable, 0)
  }
  return { past, unreadable }
})

/** Codex compresses old rollouts. */
const isCompressed = (path: string): boolean => path.endsWith(".zst")

const textOf = (path: string) => Stream.mkString(piecesOf(path))

/** The text of a file, with a line that is too long cut, so that it is no JSON and is counted as unreadable. */
const piecesOf = (path: string) =>
  Stream.fromReadableStream({
    evaluate: (): ReadableStream<Uint8Array> => {
      const bytes = Bun.file(path).stream()
      return isCompressed(path) ? bytes.pipeThrough(new DecompressionStream("zstd")) : bytes
    },
    onError: (cause) => new Cause.UnknownError(cause)
  }).pipe(
    Stream.decodeText,
    Stream.mapAccum(
      () => 0,
      (lineLength, piece) => {
        const cut = cutLines(piece, lineLength)
        return [cut.lineLength, [cut.text]]
      }
    )
  )

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
