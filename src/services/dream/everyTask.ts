/** The ten analyses of a session, in the order in which they run. What each one finds is decided in `domain/dream/tasks`. */
import { Effect } from "effect"
import { packetOf } from "../../domain/dream/packet/packetOf.ts"
import type { RepositoryView } from "../../domain/dream/RepositoryView.ts"
import { commandCounts, commandSuggestions } from "../../domain/dream/tasks/commandFrequency.ts"
import { conventionsOf, countRepository, type RepositoryHabits } from "../../domain/dream/tasks/conventions.ts"
import { errorClusters } from "../../domain/dream/tasks/errorClusters.ts"
import { pairsOfSession, relatedFiles } from "../../domain/dream/tasks/fileRelationships.ts"
import { injectionEffects, injectionValues } from "../../domain/dream/tasks/injectionEffects.ts"
import { phaseArc } from "../../domain/dream/tasks/phaseArc.ts"
import {
  episodesOf,
  injectedInVain,
  type Observed,
  observedIn,
  repairContributions
} from "../../domain/dream/tasks/repairs.ts"
import { reviewedLoops } from "../../domain/dream/tasks/reviewedLoops.ts"
import { trustTrajectory } from "../../domain/dream/tasks/trustTrajectory.ts"
import { sequenceContributions, workflowsOf } from "../../domain/dream/tasks/workflows.ts"
import { plural } from "../../domain/text/plural.ts"
import type { DreamTask, TaskInput } from "./DreamTasks.ts"
import { inParts } from "./inParts.ts"

/** Repairs that were known or given to the assistant and did not help count against themselves. */
const repairs = Effect.fnUntraced(function* ({ artifacts, profiles, session }: TaskInput) {
  const observed: Array<Observed> = []
  for (const episode of episodesOf(session.steps)) {
    observed.push(observedIn(episode, session))
    if (observed.length % 32 === 0) yield* Effect.yieldNow
  }
  const known = new Set([
    ...artifacts.map(({ key }) => key),
    ...profiles.flatMap(({ contributions }) => contributions.flatMap(({ key, s }) => (s > 0 ? [key] : [])))
  ])
  const found = repairContributions(observed, known)
  const worked = found.filter(({ s }) => s > 0)
  const inVain = injectedInVain(session, artifacts).filter(({ key }) => !found.some((each) => each.key === key))
  return {
    part: {},
    contributions: [...found, ...inVain.map((repair) => ({ ...repair, s: 0, f: 1 }))],
    summary: worked.length === 0 ? "" : plural(worked.length, "repair")
  }
})

/** The habits of a repository are counted once for each commit. */
const counted = new WeakMap<ReadonlyArray<string>, RepositoryHabits>()

const habitsOf = Effect.fnUntraced(function* (repository: RepositoryView) {
  const habits = counted.get(repository.files) ?? (yield* inParts(countRepository(repository)))
  counted.set(repository.files, habits)
  return habits
})

export const everyTask: ReadonlyArray<DreamTask> = [
  {
    place: 1,
    name: "phase arc",
    version: 1,
    about: "the phases of the session, with turns and times",
    always: true,
    budget: 100,
    run: ({ session }) =>
      Effect.sync(() => {
        const arc = phaseArc(session)
        return { part: { arc }, contributions: [], summary: arc.map(({ phase }) => phase).join(", ") }
      })
  },
  {
    place: 2,
    name: "error clusters",
    version: 4,
    about: "errors that occur twice in the session, or in more than one session",
    always: false,
    budget: 100,
    run: ({ profiles, session }) =>
      Effect.sync(() => {
        const part = errorClusters(session.steps, profiles)
        const summary = part.clusters.length === 0 ? "" : `${part.clusters.length} recurring`
        return { part, contributions: [], summary }
      })
  },
  {
    place: 3,
    name: "repair sequences",
    version: 4,
    about: "errors that were followed by changes and a successful run of the same check",
    always: false,
    budget: 500,
    run: repairs
  },
  {
    place: 4,
    name: "conventions",
    version: 2,
    about: "names, tests, imports, commits and commands that nine of ten files or more have in common",
    always: false,
    budget: 500,
    run: Effect.fn("dream.conventions")(function* (input) {
      const contributions = conventionsOf(input, yield* habitsOf(input.repository))
      const broken = contributions.filter(({ f }) => f > 0).length
      const followed = contributions.length - broken
      const summary = contributions.length === 0 ? "" : `${followed} conventions followed, ${broken} not`
      return { part: {}, contributions, summary }
    })
  },
  {
    place: 5,
    name: "loop analysis",
    version: 2,
    about: "whether the session escaped from its loops, and how",
    always: false,
    budget: 100,
    run: ({ session }) =>
      Effect.sync(() => {
        const loops = reviewedLoops(session)
        const open = loops.filter(({ resolved }) => !resolved).length
        const summary = loops.length === 0 ? "" : `${loops.length - open} resolved, ${open} unresolved`
        return { part: { loops }, contributions: [], summary }
      })
  },
  {
    place: 6,
    name: "trust trajectory",
    version: 1,
    about: "trust, focus and debt over the session, and the workflows after which trust rose",
    always: true,
    budget: 100,
    run: ({ session }) =>
      Effect.sync(() => {
        const trust = trustTrajectory(session)
        const contributions = sequenceContributions(workflowsOf(session), session.goal)
        return { part: { trust }, contributions, summary: `${trust.points[0]!.trust} to ${trust.end}` }
      })
  },
  {
    place: 7,
    name: "file relationships",
    version: 1,
    about: "pairs of files that are edited together in at least three turns of two sessions, or in three commits",
    always: false,
    budget: 500,
    run: Effect.fn("dream.fileRelationships")(function* ({ profiles, repository, session }) {
      const part = yield* inParts(pairsOfSession(session.steps))
      const related = relatedFiles([part, ...profiles], repository.commits)
      return { part, contributions: [], summary: related.length === 0 ? "" : `${related.length} related pairs` }
    })
  },
  {
    place: 8,
    name: "command frequency",
    version: 2,
    about: "the ten most frequent commands, and those that were always denied or never",
    always: false,
    budget: 100,
    run: ({ profiles, session }) =>
      Effect.sync(() => {
        const commands = commandCounts(session.steps)
        const denied = commandSuggestions([{ commands }, ...profiles]).filter(({ kind }) => kind === "always denied")
        const [first] = commands
        const rules = denied.map(({ rule }) => rule).join(", ")
        const summary = [
          ...(first === undefined ? [] : [`most often ${first.family}`]),
          ...(denied.length === 0 ? [] : [`always denied, suggested rule: deny ${rules}`])
        ].join("; ")
        return { part: { commands }, contributions: [], summary }
      })
  },
  {
    place: 9,
    name: "injection effectiveness",
    version: 2,
    about:
      "whether trust, focus, debt and errors were better than usual after an injection; a correlation, not a cause",
    always: false,
    budget: 100,
    run: Effect.fn("dream.injectionEffectiveness")(function* ({ profiles, session }) {
      const injections = yield* inParts(injectionValues(session, profiles))
      const summary = injectionEffects([{ injections }, ...profiles])
        .slice(0, 3)
        .map(({ mean, measured, of }) => `${of}: ${mean.toFixed(2)} of ${measured} (correlation)`)
        .join("; ")
      return { part: { injections }, contributions: [], summary }
    })
  },
  {
    place: 10,
    name: "resume packet",
    version: 6,
    about: "where the session stopped, for the next one",
    always: true,
    budget: 100,
    run: ({ artifacts, profiles, session }) =>
      Effect.sync(() => {
        const packet = packetOf({ artifacts, profiles, session })
        return { part: { packet }, contributions: [], summary: `${packet.items.length} notes` }
      })
  }
]
