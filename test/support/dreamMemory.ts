/** The ports of the Dream engine in memory: a spool that a test writes, a store that it reads, repositories without files. */
import { Effect, Layer } from "effect"
import { emptyBase } from "../../src/domain/dream/artifacts/ArtifactBase.ts"
import { type SessionEvent, sessionKey } from "../../src/domain/dream/SessionEvent.ts"
import { mostProfiles, type SessionProfile } from "../../src/domain/dream/SessionProfile.ts"
import { viewOfSession } from "../../src/domain/dream/viewOfSession.ts"
import { DreamProjects } from "../../src/services/dream/DreamProjects.ts"
import { type DreamNotStored, DreamStore, type ProjectMemory } from "../../src/services/dream/DreamStore.ts"
import { RepositoryViews } from "../../src/services/dream/RepositoryViews.ts"
import { rootsOf, Spool, type SpoolFile } from "../../src/services/dream/Spool.ts"

export class MemorySpool {
  readonly #events = new Map<string, { readonly project: string; events: Array<SessionEvent>; changedAt: number }>()
  /** Paths, in the order in which they were read. */
  readonly reads: Array<string> = []

  append(events: ReadonlyArray<SessionEvent>): void {
    for (const event of events) {
      const path = `/spool/${event.project}/${event.session}.jsonl`
      const file = this.#events.get(path) ?? { project: event.project, events: [], changedAt: 0 }
      file.events.push(event)
      this.#events.set(path, { ...file, changedAt: Math.max(file.changedAt, event.at) })
    }
  }

  get layer() {
    const read = ({ path }: SpoolFile) => {
      this.reads.push(path)
      const events = this.#events.get(path)?.events.slice() ?? []
      const view = viewOfSession(events)
      return view === null ? null : { view, events, unreadable: 0 }
    }
    const list = () =>
      [...this.#events].map(([path, { changedAt, events, project }]) => ({
        path,
        changedAt,
        project,
        size: events.length
      }))
    return Layer.succeed(
      Spool,
      Spool.of({
        files: Effect.sync(() => list().toSorted((a, b) => b.changedAt - a.changedAt)),
        opening: ({ path }) =>
          Effect.sync(() => {
            const first = this.#events.get(path)?.events[0]
            return first === undefined ? null : { key: sessionKey(first), roots: rootsOf(first), at: first.at }
          }),
        read: (file) => Effect.sync(() => read(file)),
        lastChange: (files) =>
          Effect.sync(() => Math.max(0, ...files.map(({ path }) => this.#events.get(path)?.changedAt ?? 0))),
        sessions: () => Effect.die("not used by a pass")
      })
    )
  }
}

/** Keeps profiles; artifacts are those that the test gives. */
export class MemoryStore {
  readonly #profiles = new Map<string, ReadonlyArray<SessionProfile>>()
  /** The profiles that were put, in order. */
  readonly puts: Array<SessionProfile> = []

  readonly #beforePut: Effect.Effect<void, DreamNotStored>

  constructor(beforePut: Effect.Effect<void, DreamNotStored> = Effect.void) {
    this.#beforePut = beforePut
  }

  of(project: string): ProjectMemory {
    const profiles = this.#profiles.get(project) ?? []
    const packets = profiles.flatMap(({ packet }) => (packet === null ? [] : [packet])).slice(0, 5)
    return { profiles, base: emptyBase, artifacts: [], packets, isWhole: true, refused: [] }
  }

  get layer() {
    return Layer.succeed(
      DreamStore,
      DreamStore.of({
        read: ({ key }) => Effect.sync(() => this.of(key)),
        artifacts: ({ key }) => Effect.sync(() => this.of(key)),
        put: ({ key }, profile) =>
          Effect.map(this.#beforePut, () => {
            this.puts.push(profile)
            const others = this.of(key).profiles.filter(({ session }) => session !== profile.session)
            const all = [profile, ...others].toSorted((a, b) => b.endedAt - a.endedAt)
            this.#profiles.set(key, all.slice(0, mostProfiles))
            return this.of(key)
          }),
        restore: ({ key }) => Effect.sync(() => this.of(key)),
        mark: ({ key }) => Effect.sync(() => this.of(key)),
        summarise: ({ key }) => Effect.sync(() => this.of(key))
      })
    )
  }
}

/** Every folder is there, except those in `missing`; their repositories are empty. */
export const memoryProjects = (missing: ReadonlyArray<string> = []) =>
  Layer.merge(
    Layer.succeed(
      DreamProjects,
      DreamProjects.of({
        find: (key, folders) => {
          const root = folders.find((folder) => !missing.includes(folder))
          return Effect.succeed(root === undefined ? "gone" : { key, root })
        }
      })
    ),
    Layer.succeed(
      RepositoryViews,
      RepositoryViews.of({ of: (root) => Effect.succeed({ view: { ...emptyView, root }, notes: [] }) })
    )
  )

const emptyView = {
  branch: "main",
  head: null,
  files: [],
  subjects: [],
  commits: [],
  commands: new Set<string>(),
  text: () => null
}
