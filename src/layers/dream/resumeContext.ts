/**
 * The context that an assistant gets from dd at the start of a session: the notes on an earlier session, or after a compaction
 * those on this one. Loads neither Effect nor SQLite; reads a few small files and starts no process. Throws errors of the system.
 */
import { readFileSync, realpathSync, statSync } from "node:fs"
import { join } from "node:path"
import { packetOf } from "../../domain/dream/packet/packetOf.ts"
import {
  chosenPacket,
  itemsThatHold,
  type RenderedPacket,
  type RepositoryFacts,
  renderedPacket
} from "../../domain/dream/packet/packetText.ts"
import type { ItemKind, ResumePacket } from "../../domain/dream/packet/ResumePacket.ts"
import { type InjectionSource, type SessionEvent, sessionKey } from "../../domain/dream/SessionEvent.ts"
import { viewOfSession } from "../../domain/dream/viewOfSession.ts"
import { readSealed } from "./seal.ts"
import { digest, fileOf } from "./spoolPlace.ts"

export interface Injection {
  /** What the hook prints: the same shape for all assistants. */
  readonly output: string
  /** The event that records it. */
  readonly event: SessionEvent
}

/** Null if there is nothing to give. `start`: the event of the start that was recorded. */
export const resumeContext = (home: string, main: string | null, start: SessionEvent): Injection | null => {
  const found = contextFor(home, main, start)
  if (found === null) return null
  const { artifacts, kinds, text } = found
  const { call: _, id, reason: __, ...rest } = start
  return {
    output: `${JSON.stringify({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: text } })}\n`,
    event: {
      ...rest,
      id: digest(`injected ${id}`).slice(0, 24),
      kind: "injected",
      injection: {
        id: digest(text).slice(0, 16),
        sources: ["resume", ...[...kinds].flatMap((kind) => sourceOf[kind] ?? [])],
        artifacts,
        bytes: Buffer.byteLength(text)
      }
    }
  }
}

const sourceOf: Partial<Record<ItemKind, InjectionSource>> = {
  playbook: "playbook",
  repair: "repair",
  convention: "convention"
}

const contextFor = (home: string, main: string | null, event: SessionEvent): RenderedPacket | null => {
  const start = { root: event.root, branch: event.branch ?? null, head: event.head ?? null, at: event.at }
  const isOwn = (packet: ResumePacket) => sessionKey(packet) === sessionKey(event)
  const rendered = (packet: ResumePacket) =>
    renderedPacket(packet, itemsThatHold(packet, factsOf(event.root)), start, isOwn(packet))
  switch (event.reason) {
    case "startup":
    case "clear": {
      const others = main === null ? [] : storedPackets(home, event.project, main).filter((packet) => !isOwn(packet))
      const packet = chosenPacket(others, start)
      return packet === null ? null : rendered(packet)
    }
    case "compact": {
      const packet = packetOfNow(home, event)
      return packet === null ? null : rendered(packet)
    }
    default:
      // A resumed or forked session still has its context.
      return null
  }
}

/** Those that dd wrote itself; what the repository brings is not read. */
const storedPackets = (home: string, project: string, main: string): ReadonlyArray<ResumePacket> => {
  const content = readSealed(home, main, { project, name: "resume.json" })
  if (content === null) return []
  const stored: { readonly v: number; readonly packets: ReadonlyArray<ResumePacket> } = JSON.parse(content)
  return stored.v === 1 ? stored.packets : []
}

/** Of the session itself, whose summary may have lost it. */
const packetOfNow = (home: string, event: SessionEvent): ResumePacket | null => {
  const lines = readFileSync(fileOf(home, event).path, "utf8").split("\n")
  const view = viewOfSession(lines.flatMap(eventIn))
  return view === null ? null : packetOf({ session: view, artifacts: [], profiles: [] })
}

/** dd wrote the line; one that was cut off is left out. */
const eventIn = (line: string): ReadonlyArray<SessionEvent> => {
  try {
    const event: SessionEvent = JSON.parse(line)
    return event.v === 1 ? [event] : []
  } catch {
    return []
  }
}

const factsOf = (root: string): RepositoryFacts => ({
  changedAt: (path) => {
    const info = statSync(join(root, path), { throwIfNoEntry: false })
    if (info?.isFile() !== true) return null
    // A link, or a link above it, may lead out of the repository.
    return realpathSync(join(root, path)).startsWith(join(realpathSync(root), "/")) ? info.mtimeMs : null
  },
  text: (name) => {
    const path = join(root, name)
    const info = statSync(path, { throwIfNoEntry: false })
    return info?.isFile() === true && info.size <= largestManifest ? readFileSync(path, "utf8") : null
  }
})

/** In bytes. */
const largestManifest = 256 * 1024
