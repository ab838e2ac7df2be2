/** `dd dream status` and `dd dream tasks`: what the worker did, and what it knows of a project. Read only. */

import { Clock, Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { dayOf } from "../../domain/dream/artifacts/ArtifactBase.ts"
import { artifactsText, limits } from "../../domain/dream/artifacts/budget.ts"
import { isDue, isPast, pulseOf, pulseOutcome } from "../../domain/dream/dueSessions.ts"
import { sessionKey } from "../../domain/dream/SessionEvent.ts"
import type { SessionProfile } from "../../domain/dream/SessionProfile.ts"
import { type CommandSuggestion, commandSuggestions } from "../../domain/dream/tasks/commandFrequency.ts"
import type { PassFault, WorkerStatus } from "../../domain/dream/WorkerStatus.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import * as DreamLive from "../../layers/DreamLive.ts"
import { placeOf } from "../../layers/dream/spoolFile.ts"
import { DreamProjects, isFound } from "../../services/dream/DreamProjects.ts"
import { DreamStore } from "../../services/dream/DreamStore.ts"
import { type DreamTask, DreamTasks } from "../../services/dream/DreamTasks.ts"
import { rootsOf, Spool } from "../../services/dream/Spool.ts"
import { SynthesisModel } from "../../services/dream/SynthesisModel.ts"
import { WorkerProcess, type WorkerState } from "../../services/dream/WorkerProcess.ts"
import { writeOut } from "../system/writeOut.ts"
import { dollars, isoTime, moment, bytes as size } from "../text/amounts.ts"
import { jsonFlag, switchFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { dreamHome } from "./dreamHome.ts"

const allProjects = switchFlag("all-projects", "Of all projects, not only the one in the current directory")

const read = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.flatMap(dreamHome, (home) => Effect.provide(self, DreamLive.worker(home)))

const memoryOf = Effect.fnUntraced(function* (key: string, roots: ReadonlyArray<string>) {
  const here = placeOf(".")
  const project = yield* (yield* DreamProjects).find(key, [...(here.project === key ? [here.root] : []), ...roots])
  return isFound(project) ? { project, memory: yield* (yield* DreamStore).read(project) } : project
})

const projectStatus = Effect.fnUntraced(function* (key: string) {
  const now = yield* Clock.currentTimeMillis
  const tasks = yield* DreamTasks
  const { sessions, unreadable } = yield* (yield* Spool).sessions(key)
  const known = yield* memoryOf(
    key,
    sessions.flatMap(({ view }) => rootsOf(view))
  )
  const found = typeof known === "string" ? null : known
  const profiles = new Map((found?.memory.profiles ?? []).map((profile) => [sessionKey(profile), profile]))
  const pulses = sessions.map(({ events, view }) => pulseOf(view, events))
  const artifacts = found?.memory.artifacts ?? []
  const failed = [...profiles.values()].flatMap(({ failed }) => Object.entries(failed ?? {}))
  return {
    project: key,
    root: found?.project.root ?? null,
    repository: typeof known === "string" ? known : ("found" as const),
    folder: known === "outside" ? (sessions[0]?.view.root ?? placeOf(".").root) : null,
    sessions: sessions.length,
    open: pulses.filter((pulse) => pulseOutcome(pulse, now) === "open").length,
    due:
      found === null
        ? 0
        : pulses.filter((pulse) => {
            const profile = profiles.get(pulse.key) ?? null
            return (profile !== null || !isPast(pulse, found.memory.base, now)) && isDue(pulse, profile, tasks, now)
          }).length,
    analysed: new Set([...profiles.keys(), ...Object.keys(found?.memory.base.folded ?? {})]).size,
    artifacts: artifacts.length,
    artifact_bytes: artifacts.length === 0 ? 0 : new TextEncoder().encode(artifactsText(artifacts)).length,
    artifact_limit: limits.total,
    packets: found?.memory.packets.length ?? 0,
    suggested_rules: commandSuggestions(found?.memory.profiles ?? []),
    degraded: [...Map.groupBy(failed, ([task]) => task)].map(([task, failures]) => ({
      task,
      sessions: failures.length,
      reason: failures[0]?.[1].reason ?? ""
    })),
    unreadable_files: unreadable,
    refused: found?.memory.refused ?? []
  }
})
type ProjectStatus = Effect.Success<ReturnType<typeof projectStatus>>

const status = Command.make("status", { allProjects, json: jsonFlag }).pipe(
  Command.withDescription("Show whether the worker runs, its last pass, and what it knows of this project"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allProjects, json }) {
      const { projects, synthesis, worker } = yield* read(
        Effect.gen(function* () {
          const worker = yield* (yield* WorkerProcess).state
          const keys = allProjects
            ? [...new Set((yield* (yield* Spool).files).map(({ project }) => project))].toSorted()
            : [placeOf(".").project]
          return { worker, synthesis: yield* synthesisStatus, projects: yield* Effect.forEach(keys, projectStatus) }
        })
      )
      if (json) return yield* writeOut(`${plainJson(statusJson(worker, synthesis, projects), 2)}\n`)
      yield* Console.log(
        [...workerLines(worker), ...synthesisLines(synthesis), ...projects.flatMap(projectLines)].join("\n")
      )
    })
  )
)

/** What summaries of a model cost today, or why there are none; null: no model is configured. */
const synthesisStatus = Effect.gen(function* () {
  const model = yield* SynthesisModel
  const settings = yield* model.settings
  if (settings === null) return null
  const { backend, maxCostDay } = settings
  const spent = yield* model.spentOn(dayOf(yield* Clock.currentTimeMillis))
  return { backend, spent_usd: spent, limit_usd: maxCostDay, problem: null }
}).pipe(
  Effect.catchTag("SynthesisNotReady", ({ message }) =>
    Effect.succeed({ backend: null, spent_usd: null, limit_usd: null, problem: message })
  )
)
type SynthesisStatus = Effect.Success<typeof synthesisStatus>

const synthesisLines = (status: SynthesisStatus): ReadonlyArray<string> => {
  if (status === null) return []
  const { backend, limit_usd, problem, spent_usd } = status
  return problem === null
    ? [`Summaries by ${backend}: ${dollars(spent_usd)} of ${dollars(limit_usd)} spent today (UTC).`]
    : [oneLine(`No summaries by a model: ${problem}`)]
}

const statusJson = (
  { beatAt, running, status }: WorkerState,
  synthesis: SynthesisStatus,
  projects: ReadonlyArray<ProjectStatus>
) => ({
  schema_version: 1,
  worker: {
    running: running !== null,
    pid: running?.pid ?? null,
    heartbeat_at: running === null || beatAt === null ? null : isoTime(beatAt),
    last_pass: lastPassJson(status),
    faults: status?.faults.count ?? 0,
    latest_faults: (status?.faults.latest ?? []).map(({ at, ...fault }) => ({ at: isoTime(at), ...fault }))
  },
  synthesis,
  projects
})

const lastPassJson = (status: WorkerStatus | null) => {
  if (status === null || status.lastPass === null) return null
  const { at, took, ...rest } = status.lastPass
  return { at: isoTime(at), took_ms: took, ...rest }
}

const workerLines = ({ running, status }: WorkerState): ReadonlyArray<string> => {
  const last = status?.lastPass ?? null
  const pass =
    last === null
      ? "It has made no pass yet."
      : `Last pass ${moment(isoTime(last.at))} UTC, ${last.took} ms: ${plural(last.analysed, "session")} analysed, ${last.left} not reached.`
  const faults = status?.faults ?? { count: 0, latest: [] }
  return [
    running === null
      ? "No worker runs; the next session of an assistant starts one."
      : `The worker runs (process ${running.pid}).`,
    pass,
    ...(last?.notes ?? []).map((note) => `  ${oneLine(note)}`),
    ...(faults.count === 0 ? [] : [`${plural(faults.count, "fault")}, the latest:`]),
    ...faults.latest.slice(0, 5).map((fault) => `  ${moment(isoTime(fault.at))}  ${faultWords(fault)}`)
  ]
}

const faultWords = ({ project, reason, session, task }: PassFault): string =>
  oneLine([project, session, ...(task === null ? [] : [task]), reason].filter((word) => word !== "").join(", "))

const withoutRepository = ({ folder, project }: ProjectStatus): string =>
  folder === null
    ? `${project}: its repository is not where it was`
    : `${folder}: in no git repository; its sessions are recorded, nothing is learned from them`

const projectLines = (status: ProjectStatus): ReadonlyArray<string> => [
  "",
  oneLine(status.root ?? withoutRepository(status)),
  `  ${plural(status.sessions, "session")}: ${status.open} open, ${status.due} due, ${status.analysed} analysed`,
  `  ${plural(status.artifacts, "artifact")}: ${size(status.artifact_bytes)} of ${size(status.artifact_limit)}`,
  `  ${plural(status.packets, "resume packet")}`,
  ...(status.unreadable_files === 0
    ? []
    : [`  ${plural(status.unreadable_files, "file")} of sessions could not be read`]),
  ...status.degraded.map(({ reason, sessions, task }) =>
    oneLine(`  ${task} failed in ${plural(sessions, "session")}: ${reason}`)
  ),
  ...status.suggested_rules.map((suggestion) => `  ${oneLine(`suggested rule: ${ruleWords(suggestion)}`)}`),
  ...status.refused.map((words) => oneLine(`  not used: ${words}`))
]

const ruleWords = ({ kind, rule, sessions, times }: CommandSuggestion): string =>
  kind === "always denied"
    ? `deny ${rule}, denied ${plural(times, "time")} in ${plural(sessions, "session")}, never run`
    : `allow ${rule}, run ${plural(times, "time")} in ${plural(sessions, "session")}, never denied`

const tasks = Command.make("tasks", { json: jsonFlag }).pipe(
  Command.withDescription("List the analyses of a session, and what each found in the latest one of this project"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ json }) {
      const rows = yield* read(
        Effect.gen(function* () {
          const { project } = placeOf(".")
          const found = yield* memoryOf(project, [])
          const profiles = typeof found === "string" ? [] : found.memory.profiles
          const [latest] = profiles.toSorted((a, b) => b.analysedAt - a.analysedAt)
          return (yield* DreamTasks).map((task) => taskRow(task, latest ?? null))
        })
      )
      if (json) return yield* writeOut(`${plainJson({ schema_version: 1, tasks: rows }, 2)}\n`)
      yield* Console.log(rows.flatMap(taskLines).join("\n"))
    })
  )
)

const taskRow = ({ about, always, name, place, version }: DreamTask, latest: SessionProfile | null) => {
  const failed = latest?.failed?.[name]
  const summary = latest?.summaries?.[name]
  return {
    place,
    name,
    about,
    version,
    always_finds: always,
    last:
      latest === null || (failed === undefined && summary === undefined)
        ? null
        : {
            session: latest.session,
            analysed_at: isoTime(latest.analysedAt),
            version: latest.versions[name] ?? null,
            found: summary ?? "",
            failed: failed?.reason ?? null
          }
  }
}

const taskLines = ({ about, last, name, place, version }: ReturnType<typeof taskRow>): ReadonlyArray<string> => [
  `${String(place).padStart(2)}  ${name}, version ${version}`,
  `    ${about}`,
  ...Option.match(Option.fromNullishOr(last), {
    onNone: () => [],
    onSome: ({ failed, found, session }) => [
      oneLine(`    session ${session}: ${failed === null ? found || "nothing" : `failed: ${failed}`}`)
    ]
  })
]

export { status as statusCommand, tasks as tasksCommand }
