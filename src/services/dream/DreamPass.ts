/**
 * Analyses the recorded sessions that are due: all tasks over each of them, and what they found into the dream store.
 *
 * A task that fails, has a defect or exceeds its time loses only its own part: the earlier one is kept, and the fault is in the
 * profile and in the report. A session is stored at once or not at all, so a pass may be interrupted or killed at any time and
 * the next one goes on. One that cannot be analysed or stored is tried as often as a task that fails. Projects take turns,
 * session by session. A pass waits while hooks write. A session that did not change is neither read nor analysed again.
 */

import { Clock, Context, Effect, Exit, Layer, Option } from "effect"
import {
  type Analysed,
  endOf,
  interleaved,
  isDue,
  isPast,
  mostTries,
  pulseOf,
  pulseOutcome,
  type SessionPulse
} from "../../domain/dream/dueSessions.ts"
import { sessionKey } from "../../domain/dream/SessionEvent.ts"
import type { ProfilePart, SessionProfile } from "../../domain/dream/SessionProfile.ts"
import type { SessionView } from "../../domain/dream/SessionView.ts"
import type { PassFault, PassReport } from "../../domain/dream/WorkerStatus.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { DreamProjects, isFound, type ProjectFault } from "./DreamProjects.ts"
import { type DreamProject, DreamStore, type ProjectMemory } from "./DreamStore.ts"
import { type DreamTask, DreamTasks, type TaskInput, type TaskOutput } from "./DreamTasks.ts"
import { RepositoryViews } from "./RepositoryViews.ts"
import { reasonOf } from "./reasonOf.ts"
import { Spool, type SpoolFile, type SpoolOpening } from "./Spool.ts"
import { Synthesis } from "./Synthesis.ts"

/** What is known of a file without reading it again. */
interface Known {
  readonly file: SpoolFile
  /** Null: there is nothing to analyse in it. */
  readonly pulse: SessionPulse | null
  readonly analysed: Analysed | null
  /** How often in a row it could not be analysed or stored. */
  readonly failures: number
}

/** A file that has to be read, with what its first line tells. */
interface Candidate {
  readonly file: SpoolFile
  readonly opening: SpoolOpening | null
}

interface OpenProject {
  readonly project: DreamProject
  memory: ProjectMemory
}

const make = Effect.gen(function* () {
  const spool = yield* Spool
  const store = yield* DreamStore
  const projects = yield* DreamProjects
  const repositories = yield* RepositoryViews
  const tasks = yield* DreamTasks
  const synthesis = yield* Synthesis
  const known = new Map<string, Known>()
  const note = (file: SpoolFile, found: Partial<Known> = {}) =>
    known.set(file.path, { pulse: null, analysed: null, failures: 0, ...found, file })
  /** What is known of the file as it is now. */
  const knownOf = (file: SpoolFile): Known | null => {
    const before = known.get(file.path)
    return before?.file.size === file.size && before.file.changedAt === file.changedAt ? before : null
  }
  let lastProject = ""

  const candidatesOf = Effect.fnUntraced(function* (
    files: ReadonlyArray<SpoolFile>,
    tasks: ReadonlyArray<DreamTask>,
    now: number
  ) {
    const found: Array<Candidate> = []
    for (const file of files) {
      const before = knownOf(file)
      if (before !== null && !isWaiting(before, tasks, now)) continue
      found.push({ file, opening: yield* spool.opening(file) })
    }
    const startOf = ({ file, opening }: Candidate) => opening?.at ?? file.changedAt
    return found.toSorted((a, b) => startOf(a) - startOf(b))
  })

  const openProject = Effect.fnUntraced(function* (key: string, candidates: ReadonlyArray<Candidate>) {
    const project = yield* projects.find(
      key,
      candidates.flatMap(({ opening }) => opening?.roots ?? [])
    )
    if (!isFound(project)) return project
    const opened: OpenProject = { project, memory: yield* store.read(project) }
    return opened
  })

  /** Of the session's own working tree, or of the main one if that is gone. */
  const repositoryOf = Effect.fnUntraced(function* ({ project }: OpenProject, { root, steps }: SessionView) {
    const isThere = isFound(yield* projects.find(project.key, [root]))
    const touched = [...new Set(steps.flatMap(({ files }) => files))]
    return yield* repositories.of(isThere ? root : project.root, touched)
  })

  const run = Effect.fn("DreamPass.run")(function* (budget: number) {
    const began = yield* monotonicMillis
    const now = yield* Clock.currentTimeMillis
    const files = yield* spool.files
    for (const path of known.keys()) if (!files.some((file) => file.path === path)) known.delete(path)

    const written = files.filter(({ changedAt }) => now - changedAt < recently).slice(0, mostWatched)
    let patience = 0
    /** Waits until no hook has written for a quarter of a second; two seconds at most in one session. */
    const quiet = Effect.gen(function* () {
      for (let pause = 100; patience > 0; pause = Math.min(500, pause * 2)) {
        if ((yield* Clock.currentTimeMillis) - (yield* spool.lastChange(written)) >= quietAfter) return
        patience -= pause
        yield* Effect.sleep(pause)
      }
    })

    const analysed: Array<string> = []
    const faults: Array<PassFault> = []
    const failed = new Set<string>()
    const notes = new Set<string>()

    const analyse = Effect.fnUntraced(function* (at: OpenProject, { file, opening }: Candidate) {
      if (!at.memory.isWhole) at.memory = yield* store.restore(at.project)
      if (opening !== null && at.memory.base.folded[opening.key] !== undefined) return void note(file)
      const spooled = yield* spool.read(file)
      if (spooled === null) return void note(file)
      const { events, view } = spooled
      const now = yield* Clock.currentTimeMillis
      const pulse = pulseOf(view, events)
      const { profiles } = at.memory
      const previous = profiles.find((profile) => sessionKey(profile) === sessionKey(view)) ?? null
      if (previous === null && isPast(pulse, at.memory.base, now)) return void note(file)
      if (!isDue(pulse, previous, tasks, now)) return void note(file, { pulse, analysed: previous })
      const session = { ...view, outcome: pulseOutcome(pulse, now) }
      const { notes: missing, view: repository } = yield* repositoryOf(at, view)
      for (const note of missing) notes.add(`${file.project}: ${note}`)
      const others = profiles.filter((profile) => profile !== previous)
      const results: Array<TaskResult> = []
      let found: ProfilePart = {}
      for (const task of tasks) {
        yield* quiet
        const input = { session, profiles: others, artifacts: at.memory.artifacts, repository, found, now }
        const result = yield* resultOf(task, input)
        results.push(result)
        if (result.output !== null) found = { ...found, ...result.output.part }
        else faults.push({ project: file.project, session: view.session, task: task.name, reason: result.reason })
      }
      const profile = profileOf(session, previous, results, now)
      at.memory = yield* store.put(at.project, profile)
      note(file, { pulse, analysed: profile })
      analysed.push(view.session)
    })

    const queues = new Map<string, ReadonlyArray<Candidate>>()
    for (const [project, own] of projectsAfter(files, lastProject)) {
      queues.set(project, yield* candidatesOf(own, tasks, now))
    }
    const opened = new Map<string, OpenProject | ProjectFault>()
    const queue = interleaved([...queues.values()])
    let taken = 0
    for (const candidate of queue) {
      if (taken > 0 && (yield* monotonicMillis) - began >= budget) break
      taken++
      const { file } = candidate
      lastProject = file.project
      patience = longestWait
      yield* quiet
      if (!opened.has(file.project)) {
        opened.set(file.project, yield* openProject(file.project, queues.get(file.project) ?? []))
      }
      const at = opened.get(file.project) ?? "gone"
      if (typeof at === "string") {
        note(file)
        continue
      }
      const exit = yield* Effect.exit(analyse(at, candidate))
      if (Exit.isSuccess(exit)) continue
      faults.push({ project: file.project, session: sessionName(file), task: null, reason: reasonOf(exit.cause) })
      note(file, { failures: (knownOf(file)?.failures ?? 0) + 1 })
      failed.add(file.project)
    }
    // What a model answers about the others could not be stored either.
    const seen = [...opened].flatMap(([key, at]) => (typeof at === "string" || failed.has(key) ? [] : [at.project]))
    const synthesised = yield* synthesis.next(seen)
    const isOpen = ({ pulse }: Known) => pulse !== null && pulseOutcome(pulse, now) === "open"
    const report: PassReport = {
      analysed,
      left: queue.length - taken,
      open: [...known.values()].filter(isOpen).length,
      notes: [
        ...[...opened].flatMap(([project, at]) =>
          at === "gone" ? [`${project}: its repository is not where it was`] : []
        ),
        ...notes,
        ...synthesised.notes
      ],
      faults: [...faults, ...synthesised.faults]
    }
    return report
  })

  return { run }
})

export class DreamPass extends Context.Service<
  DreamPass,
  {
    /** `budget`: milliseconds after which no further session is begun; at least one is read. */
    readonly run: (budget: number) => Effect.Effect<PassReport>
  }
>()("dd/services/dream/DreamPass") {
  static readonly layer = Layer.effect(DreamPass, make)
}

/** In milliseconds. */
const quietAfter = 250
const longestWait = 2_000
/** Files that were changed in the last ten minutes are watched for writes of hooks. */
const recently = 600_000
const mostWatched = 4

/** Is there something to do about a file that has not changed? */
const isWaiting = ({ analysed, failures, pulse }: Known, tasks: ReadonlyArray<DreamTask>, now: number): boolean =>
  failures > 0 ? failures < mostTries : pulse !== null && isDue(pulse, analysed, tasks, now)

export interface TaskResult {
  readonly task: DreamTask
  /** Null: it failed, for this reason. */
  readonly output: TaskOutput | null
  readonly reason: string
}

const resultOf = (task: DreamTask, input: TaskInput): Effect.Effect<TaskResult> =>
  Effect.map(
    Effect.exit(
      Effect.timeoutOption(
        Effect.suspend(() => task.run(input)),
        task.budget
      )
    ),
    (exit) => {
      if (Exit.isFailure(exit)) return { task, output: null, reason: reasonOf(exit.cause) }
      return Option.match(exit.value, {
        onNone: () => ({ task, output: null, reason: `took longer than ${task.budget} ms` }),
        onSome: (output) => ({ task, output, reason: "" })
      })
    }
  )

const sessionName = ({ path }: SpoolFile): string => /([^/\\]*)\.jsonl$/.exec(path)?.[1] ?? path

/** The files of each project; the projects in order of their names, beginning after the one that was served last. */
export const projectsAfter = (
  files: ReadonlyArray<SpoolFile>,
  last: string
): ReadonlyArray<readonly [string, ReadonlyArray<SpoolFile>]> => {
  const projects = [...Map.groupBy(files, ({ project }) => project)].toSorted(([a], [b]) => compareText(a, b))
  const next = projects.findIndex(([project]) => project > last)
  return next <= 0 ? projects : [...projects.slice(next), ...projects.slice(0, next)]
}

/** What the tasks found in a session; the parts of those that failed are those of before. */
export const profileOf = (
  session: SessionView,
  previous: SessionProfile | null,
  results: ReadonlyArray<TaskResult>,
  now: number
): SessionProfile => {
  const failed = results.flatMap(({ output, reason, task }) => (output === null ? [{ reason, task }] : []))
  const done = results.flatMap(({ output, task }) => (output === null ? [] : [{ output, task }]))
  const before = failed.length === 0 ? null : previous
  const timesBefore = ({ name, version }: DreamTask): number => {
    const failure = previous?.events === session.events ? previous.failed?.[name] : undefined
    return failure?.version === version ? failure.times : 0
  }
  const kept = failed.flatMap(({ task: { name } }) => (before?.versions[name] === undefined ? [] : [name]))
  return {
    v: 1,
    session: session.session,
    host: session.host,
    root: session.root,
    branch: session.branch,
    head: session.head,
    outcome: session.outcome,
    startedAt: session.startedAt,
    endedAt: endOf(session),
    turns: session.turns,
    steps: session.steps.length,
    events: session.events,
    analysedAt: now,
    versions: Object.fromEntries([
      ...kept.map((name) => [name, before!.versions[name]!] as const),
      ...done.map(({ task }) => [task.name, task.version] as const)
    ]),
    summaries: Object.fromEntries(done.map(({ output, task }) => [task.name, output.summary])),
    ...(failed.length === 0
      ? {}
      : {
          failed: Object.fromEntries(
            failed.map(({ reason, task }) => [
              task.name,
              { version: task.version, times: timesBefore(task) + 1, reason }
            ])
          )
        }),
    ...partsOf(before),
    ...Object.assign({}, ...done.map(({ output }) => output.part)),
    contributions: [
      ...(before?.contributions.filter(({ task }) => kept.includes(task ?? "")) ?? []),
      ...done.flatMap(({ output, task }) => output.contributions.map((each) => ({ ...each, task: task.name })))
    ]
  }
}

const partsOf = (before: SessionProfile | null): Required<ProfilePart> => ({
  arc: before?.arc ?? [],
  clusters: before?.clusters ?? [],
  errors: before?.errors ?? [],
  loops: before?.loops ?? [],
  trust: before?.trust ?? null,
  pairs: before?.pairs ?? [],
  edits: before?.edits ?? {},
  commands: before?.commands ?? [],
  injections: before?.injections ?? [],
  packet: before?.packet ?? null
})
