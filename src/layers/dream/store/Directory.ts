/**
 * The dream store as files: `artifacts.json`, `resume.json`, `base.json` and `profiles/SESSION.json` below
 * `.daydream/cross-session/`, readable only by the user, ignored by git.
 *
 * Profiles and the base are what is known; the other two are computed from them. A session is counted from its profile until
 * the base has its id. The profile is written last: until then the session counts as not analysed, and is analysed again.
 * Files that dd did not seal, and those of another version, are moved aside when something is written, and never deleted.
 */

import { Clock, Effect, FileSystem, Layer, Option, Path, Result, Schema, type Scope } from "effect"
import { Artifact } from "../../../domain/dream/Artifact.ts"
import {
  ArtifactBase,
  type ArtifactMark,
  emptyBase,
  withMark,
  withSessions
} from "../../../domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../../domain/dream/artifacts/artifactsOf.ts"
import { artifactsText, isMarked, withinBudget } from "../../../domain/dream/artifacts/budget.ts"
import {
  type SynthesisAnswer,
  validSummaries,
  withAnswer,
  withoutSummary
} from "../../../domain/dream/artifacts/synthesis.ts"
import { ResumePacket } from "../../../domain/dream/packet/ResumePacket.ts"
import { sessionKey } from "../../../domain/dream/SessionEvent.ts"
import { mostProfiles, SessionProfile } from "../../../domain/dream/SessionProfile.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import {
  DreamNotStored,
  type DreamProject,
  DreamStore,
  type KeptArtifacts,
  type ProjectMemory
} from "../../../services/dream/DreamStore.ts"
import { systemErrorText } from "../../../services/system/systemErrorText.ts"
import { withServices } from "../../../services/system/withServices.ts"
import * as Lock from "../../review/artifacts/Lock.ts"
import { OwnFiles } from "../../system/OwnFiles.ts"
import { dreamKey, largestSealed, madeDreamKey, sealed, storeFolder, unsealed } from "../seal.ts"
import { digest, fileName } from "../spoolPlace.ts"

const mostPackets = 5

const names = { artifacts: "artifacts.json", resume: "resume.json", base: "base.json", profiles: "profiles" }
const profileName = (profile: SessionProfile): string => `${names.profiles}/${fileName(profile)}.json`

const formats = {
  artifacts: Schema.fromJsonString(Schema.Struct({ v: Schema.Literal(2), artifacts: Schema.Array(Artifact) })),
  resume: Schema.fromJsonString(Schema.Struct({ v: Schema.Literal(1), packets: Schema.Array(ResumePacket) })),
  base: Schema.fromJsonString(ArtifactBase),
  profile: Schema.fromJsonString(SessionProfile)
}

/** `home`: dd's own directory, which has the key. `most`: profiles that are kept. */
export const layer = (home: string, most = mostProfiles) =>
  Layer.effect(
    DreamStore,
    Effect.map(withServices(methods(home, most)), (made) => DreamStore.of(made))
  )

/** A file that was read: its value, its text, or why it is refused. */
interface Found<A> {
  readonly name: string
  readonly value: A | null
  readonly text: string | null
  readonly refusal: string | null
}

interface State {
  readonly profiles: ReadonlyArray<Found<SessionProfile>>
  readonly base: Found<ArtifactBase>
  readonly artifacts: Found<(typeof formats.artifacts)["Type"]>
  readonly resume: Found<(typeof formats.resume)["Type"]>
}

const methods = (home: string, most: number) => {
  /** Files as they were last read: what is unchanged is not decoded again. */
  const known = new Map<string, Found<unknown>>()

  const load = Effect.fnUntraced(function* <A>(project: DreamProject, name: string, format: Schema.Codec<A, string>) {
    const fs = yield* FileSystem.FileSystem
    const path = (yield* Path.Path).join(project.root, ...storeFolder, name)
    const nothing = { name, value: null, text: null, refusal: null }
    const refused = (refusal: string, text: string | null = null): Found<A> => ({ ...nothing, text, refusal })
    const read = yield* fs.lstat(path).pipe(
      Effect.flatMap((info) =>
        info.type !== "File" || info.size > largestSealed ? Effect.succeed(null) : fs.readFileString(path)
      ),
      Effect.result
    )
    if (Result.isFailure(read)) {
      return read.failure.reason._tag === "NotFound" ? nothing : refused(systemErrorText(read.failure))
    }
    const text = read.success
    if (text === null) return refused("it is not a regular file of a store")
    const before = known.get(path)
    // The name of the path and the format belong together.
    if (before !== undefined && before.text === text) return before as Found<A>
    const key = Result.try({ try: () => dreamKey(home), catch: systemErrorText })
    if (Result.isFailure(key)) return refused(`the key of the seals cannot be read: ${key.failure}`)
    const content = key.success === null ? null : unsealed({ key: key.success, project: project.key, name }, text)
    if (content === null) return refused("it is not sealed by your dd for this project", text)
    const value = Option.getOrNull(Schema.decodeOption(format)(content))
    if (value === null) return refused("it has a format of another version of dd", text)
    const found: Found<A> = { name, value, text, refusal: null }
    known.set(path, found)
    return found
  })

  const state = Effect.fnUntraced(function* (project: DreamProject) {
    const fs = yield* FileSystem.FileSystem
    const folder = (yield* Path.Path).join(project.root, ...storeFolder, names.profiles)
    const listed = Option.getOrElse(yield* Effect.option(fs.readDirectory(folder)), () => [])
    const files = listed.filter((name) => name.endsWith(".json")).sort()
    const found: State = {
      profiles: yield* Effect.forEach(files, (name) => load(project, `${names.profiles}/${name}`, formats.profile)),
      base: yield* load(project, names.base, formats.base),
      artifacts: yield* load(project, names.artifacts, formats.artifacts),
      resume: yield* load(project, names.resume, formats.resume)
    }
    return found
  })

  const read = Effect.fn("DreamStore.read")(function* (project: DreamProject) {
    return memoryOf(yield* state(project))
  })

  const artifacts = Effect.fn("DreamStore.artifacts")(function* (project: DreamProject) {
    const found = yield* load(project, names.artifacts, formats.artifacts)
    const kept: KeptArtifacts = { artifacts: found.value?.artifacts ?? [], refused: refusals([found]) }
    return kept
  })

  /** `change`: the profiles and the base that replace those of the state. */
  const write = Effect.fnUntraced(function* (
    project: DreamProject,
    change: (memory: ProjectMemory, now: number) => Pick<ProjectMemory, "base" | "profiles">
  ) {
    const now = yield* Clock.currentTimeMillis
    const store = yield* opened(home, project)
    const before = yield* state(project)
    const moved = yield* Effect.forEach(everyFile(before), (file) =>
      file.refusal === null
        ? Effect.succeed([])
        : Effect.map(store.aside(file.name), (to) => [`${file.name}: ${file.refusal}; moved to ${to}`])
    )
    const changed = change(memoryOf(before), now)
    const profiles = changed.profiles.toSorted(newestFirst)
    const old = profiles.slice(most)
    const base = withSessions(changed.base, old, now, digest)
    const kept = profiles.slice(0, most)
    const budgeted = withinBudget(
      artifactsOf(withSessions(base, kept, now, digest), now, digest),
      validSummaries(base, digest)
    )
    for (const { artifact, reason } of budgeted.removed) {
      if (!isMarked(artifact)) continue
      const mark = artifact.pinned ? "the pinned artifact" : "the artifact that others were merged into,"
      yield* Effect.logWarning(`${mark} ${artifact.id} is not kept: ${reason}`)
    }
    const packets = packetsOf(kept)
    yield* store.replace(before.base, jsonText(base))
    yield* store.replace(before.artifacts, artifactsText(budgeted.kept))
    yield* store.replace(before.resume, jsonText({ v: 1, packets }))
    const files = new Map(before.profiles.map((file) => [file.name, file]))
    for (const profile of kept) {
      const name = profileName(profile)
      const file = files.get(name) ?? { name, value: null, text: null, refusal: null }
      if (file.value !== profile) yield* store.replace(file, jsonText(profile))
    }
    for (const profile of old) yield* store.remove(profileName(profile))
    const memory: ProjectMemory = {
      profiles: kept,
      base,
      artifacts: budgeted.kept,
      packets,
      isWhole: true,
      refused: moved.flat()
    }
    return memory
  }, Effect.scoped)

  return {
    read,
    artifacts,
    put: Effect.fn("DreamStore.put")(function* (project: DreamProject, profile: SessionProfile) {
      return yield* write(project, ({ base, profiles }) => ({
        base,
        profiles: [...profiles.filter((other) => sessionKey(other) !== sessionKey(profile)), profile]
      }))
    }),
    restore: Effect.fn("DreamStore.restore")(function* (project: DreamProject) {
      return yield* write(project, (memory) => memory)
    }),
    mark: Effect.fn("DreamStore.mark")(function* (
      project: DreamProject,
      artifact: string,
      mark: ArtifactMark | "plain"
    ) {
      return yield* write(project, ({ base, profiles }, now) => ({
        base: mark === "plain" ? withoutSummary(base, artifact) : withMark(base, artifact, mark, now, digest),
        profiles
      }))
    }),
    summarise: Effect.fn("DreamStore.summarise")(function* (project: DreamProject, answer: SynthesisAnswer) {
      return yield* write(project, ({ base, profiles }, now) => ({
        base: withAnswer(base, answer, now, digest),
        profiles
      }))
    })
  }
}

/** Of values that have the form of their format. */
const jsonText = (value: unknown): string => JSON.stringify(value)

const everyFile = ({ artifacts, base, profiles, resume }: State): ReadonlyArray<Found<unknown>> => [
  artifacts,
  resume,
  base,
  ...profiles
]

const refusals = (files: ReadonlyArray<Found<unknown>>): ReadonlyArray<string> =>
  files.flatMap(({ name, refusal }) => (refusal === null ? [] : [`${name}: ${refusal}`]))

const memoryOf = (state: State): ProjectMemory => {
  const profiles = state.profiles.flatMap(({ value }) => value ?? []).sort(newestFirst)
  const refused = refusals(everyFile(state))
  const isComputed = state.artifacts.value !== null && state.resume.value !== null
  return {
    profiles,
    base: state.base.value ?? emptyBase,
    artifacts: state.artifacts.value?.artifacts ?? [],
    packets: state.resume.value?.packets ?? [],
    isWhole: refused.length === 0 && (isComputed || profiles.length === 0),
    refused
  }
}

const newestFirst = (a: SessionProfile, b: SessionProfile): number =>
  b.endedAt - a.endedAt || compareText(sessionKey(a), sessionKey(b))

const packetsOf = (profiles: ReadonlyArray<SessionProfile>): ReadonlyArray<ResumePacket> =>
  profiles.flatMap(({ packet }) => packet ?? []).slice(0, mostPackets)

interface OpenStore {
  /** Writes the content if the file has another one. */
  readonly replace: (file: Found<unknown>, content: string) => Effect.Effect<void, DreamNotStored>
  readonly remove: (name: string) => Effect.Effect<void, DreamNotStored>
  /** Returns the new name. */
  readonly aside: (name: string) => Effect.Effect<string, DreamNotStored>
}

/** The directories, the key and the lock, for as long as the scope is open. */
const opened = Effect.fnUntraced(function* (
  home: string,
  project: DreamProject
): Effect.fn.Return<OpenStore, DreamNotStored, FileSystem.FileSystem | Path.Path | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = paths.join(project.root, ...storeFolder)
  const failed = (path: string) => (cause: unknown) => new DreamNotStored({ path, reason: systemErrorText(cause) })
  const attempt = <A, E, R>(path: string, self: Effect.Effect<A, E, R>) => Effect.mapError(self, failed(path))

  const [top, ...below] = [...storeFolder, names.profiles]
  yield* Effect.try({
    try: () => new OwnFiles(project.root, top!, "dream").ensure(below.join("/")),
    catch: failed(folder)
  })
  const key = yield* Effect.try({ try: () => madeDreamKey(home), catch: failed(paths.join(home, "dream.key")) })
  yield* locked(folder)

  const sync = (path: string) => Effect.scoped(Effect.flatMap(fs.open(path), (file) => file.sync))
  const replace: OpenStore["replace"] = (file, content) => {
    const path = paths.join(folder, file.name)
    const text = sealed({ key, project: project.key, name: file.name }, content)
    if (file.refusal === null && file.text === text) return Effect.void
    const draft = `${path}.draft`
    // A draft of a killed process, or a link of a hostile repository.
    return attempt(path, fs.remove(draft, { force: true, recursive: true })).pipe(
      Effect.andThen(
        attempt(
          path,
          Effect.scoped(
            Effect.flatMap(fs.open(draft, { flag: "wx", mode: 0o600 }), (open) =>
              Effect.andThen(open.writeAll(new TextEncoder().encode(text)), open.sync)
            )
          ).pipe(
            Effect.andThen(fs.rename(draft, path)),
            Effect.andThen(sync(paths.dirname(path))),
            Effect.onError(() => Effect.option(fs.remove(draft, { force: true })))
          )
        )
      )
    )
  }
  const aside: OpenStore["aside"] = Effect.fnUntraced(function* (name) {
    const taken = new Set(yield* attempt(folder, fs.readDirectory(paths.dirname(paths.join(folder, name)))))
    for (let at = 1; ; at++) {
      const to = `${name}.aside-${at}`
      if (taken.has(paths.basename(to))) continue
      yield* attempt(paths.join(folder, name), fs.rename(paths.join(folder, name), paths.join(folder, to)))
      return to
    }
  })
  return {
    replace,
    aside,
    remove: (name) => attempt(paths.join(folder, name), fs.remove(paths.join(folder, name), { force: true }))
  }
})

/** Waits for another process of dd, up to five seconds. */
const locked = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = paths.join(folder, "lock")
  for (let tries = 0; tries < 100; tries++) {
    const attempt = crypto.randomUUID()
    if (yield* Lock.acquire(path, attempt)) {
      // Of killed processes.
      const drafts = (yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])).filter(isDraftOfLock)
      return yield* Effect.forEach(drafts, (name) =>
        Effect.option(fs.remove(paths.join(folder, name), { force: true }))
      )
    }
    // Where no file can be created, there is no lock to wait for.
    yield* Effect.mapError(
      Lock.ensurePossible(path, attempt),
      (cause) => new DreamNotStored({ path, reason: systemErrorText(cause) })
    )
    yield* Effect.sleep("50 millis")
  }
  return yield* new DreamNotStored({
    path: folder,
    reason: "another process of dd has been writing there for five seconds"
  })
})

const isDraftOfLock = (name: string): boolean => /^lock\..*\.draft$/.test(name)
