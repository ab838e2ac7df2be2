/** `dd dream artifacts`: what was learned in a project, why, and what the user decides about it. */

import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { Artifact } from "../../domain/dream/Artifact.ts"
import { type ArtifactMark, withSessions } from "../../domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../domain/dream/artifacts/artifactsOf.ts"
import { bytesOfFile, limits } from "../../domain/dream/artifacts/budget.ts"
import { explanationOf } from "../../domain/dream/artifacts/explanation.ts"
import { alikePairs } from "../../domain/dream/similar/alike.ts"
import { oneLine, visiblePath } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { allNear, didYouMean } from "../../domain/text/Suggestion.ts"
import * as configuredEmbedder from "../../layers/dream/embedder/configuredEmbedder.ts"
import * as ProjectFolders from "../../layers/dream/ProjectFolders.ts"
import { placeOf, projectAt } from "../../layers/dream/spoolFile.ts"
import { digest, spoolOf } from "../../layers/dream/spoolPlace.ts"
import * as Directory from "../../layers/dream/store/Directory.ts"
import { DreamProjects, isFound } from "../../services/dream/DreamProjects.ts"
import { DreamStore, type ProjectMemory } from "../../services/dream/DreamStore.ts"
import { artifactsLike, type Embedder } from "../../services/dream/Embedder.ts"
import { Spool } from "../../services/dream/Spool.ts"
import { userSettings } from "../../services/run/Settings.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { tableText } from "../system/tableText.ts"
import { tableWidth } from "../system/terminal.ts"
import { writeOut } from "../system/writeOut.ts"
import { isoTime } from "../text/amounts.ts"
import { jsonFlag, switchFlag, textFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { artifactLines, artifactTitle, explanationLines } from "./ArtifactText.ts"
import { dreamHome } from "./dreamHome.ts"

const withStore = <A, E, R>(self: Effect.Effect<A, E, R | DreamStore>) =>
  Effect.flatMap(dreamHome, (home) => Effect.provide(self, Directory.layer(home)))

const here = Effect.suspend(() => {
  const project = projectAt(".")
  const reason = "this directory is in no git repository: dd learns nothing from sessions in it"
  return project === null ? Effect.fail(new CallRefused({ reason })) : Effect.succeed(project)
})

/** Projects with recorded sessions whose repository is still there. */
const everyProject = Effect.gen(function* () {
  const spool = yield* Spool
  const projects = yield* DreamProjects
  const around = placeOf(".")
  const roots = new Map([[around.project, [around.root]]])
  for (const file of yield* spool.files) {
    const opening = yield* spool.opening(file)
    roots.set(file.project, [...(roots.get(file.project) ?? []), ...(opening?.roots ?? [])])
  }
  const found = yield* Effect.forEach(roots, ([key, folders]) => projects.find(key, folders))
  return found.filter(isFound).toSorted((a, b) => (a.root < b.root ? -1 : 1))
}).pipe((self) =>
  Effect.flatMap(dreamHome, (home) => Effect.provide(self, [Spool.layer(spoolOf(home)), ProjectFolders.layer]))
)

const warnOf = (refused: ReadonlyArray<string>) =>
  Effect.forEach(refused, (words) => Effect.logWarning(`not used: ${oneLine(words)}`), { discard: true })

const withEmbedder = <A, E, R>(self: Effect.Effect<A, E, R | Embedder>) =>
  Effect.flatMap(userSettings, ({ embedder }) => Effect.provide(self, configuredEmbedder.layer(embedder)))

const list = Command.make("list", {
  allProjects: switchFlag("all-projects", "Of all projects, not only the one in the current directory"),
  like: textFlag(
    "like",
    "TEXT",
    "Only those about something like this, such as an error message; the most alike first"
  ),
  json: jsonFlag
}).pipe(
  Command.withDescription("List what was learned in this project, the most certain first"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allProjects, json, like }) {
      const now = yield* Clock.currentTimeMillis
      const projects = allProjects ? yield* everyProject : [yield* here]
      const found = yield* withStore(
        DreamStore.use((store) =>
          Effect.forEach(projects, (project) => Effect.map(store.read(project), (memory) => ({ project, memory })))
        )
      )
      for (const { memory } of found) yield* warnOf(memory.refused)
      const everything = found.flatMap(({ memory }) => memory.artifacts)
      const wanted = yield* Option.match(like, {
        onNone: () => Effect.succeed(everything),
        onSome: (text) => withEmbedder(artifactsLike(everything, text))
      })
      const rows = found.map(({ memory, project }) => {
        const all = learnedIn(memory, now)
        const left = all.filter(({ id }) => !memory.artifacts.some((kept) => kept.id === id)).length
        const artifacts = wanted.filter((one) => memory.artifacts.includes(one))
        const alike = alikePairs(artifacts).filter(([one, other]) => !isSame(one, other))
        return { project, left: Option.isSome(like) ? 0 : left, artifacts, alike }
      })
      if (json) {
        const listed = rows.map(({ alike, artifacts, left, project }) => ({
          project: project.key,
          root: project.root,
          bytes: artifacts.length === 0 ? 0 : bytesOfFile(artifacts),
          without_room: left,
          alike: alike.map((pair) => pair.map(({ id }) => id)),
          artifacts
        }))
        return yield* writeOut(`${plainJson({ schema_version: 1, projects: listed }, 2)}\n`)
      }
      const shown = rows.filter(({ artifacts, left }) => !allProjects || artifacts.length + left > 0)
      const none = (where: string) => (Option.isSome(like) ? `Nothing like that was learned ${where}.` : nothing(where))
      if (shown.length === 0) return yield* Console.log(none("in any project"))
      for (const [at, { alike, artifacts, left, project }] of shown.entries()) {
        if (allProjects) yield* Console.log(`${at === 0 ? "" : "\n"}${visiblePath(project.root)}`)
        yield* Console.log(artifacts.length === 0 ? none("in this project") : yield* listText(artifacts))
        for (const words of sameWords(artifacts)) yield* Console.log(words)
        for (const [one, other] of alike.slice(0, mostPairs)) {
          yield* Console.log(
            `${one.id.slice(0, shortId)} and ${other.id.slice(0, shortId)} may be the same; dd dream artifacts merge joins them`
          )
        }
        if (left > 0) yield* Console.log(`${plural(left, "other")} without room in the budget`)
      }
    })
  )
)

/** Pairs that are named. */
const mostPairs = 5

const isSame = ({ summary }: Artifact, { id }: Artifact): boolean => summary?.same.includes(id) ?? false

/** Artifacts that mean the same, as a model judged: one line for each group. */
const sameWords = (artifacts: ReadonlyArray<Artifact>): ReadonlyArray<string> => [
  ...new Set(
    artifacts.flatMap(({ id, summary }) => {
      if (summary === undefined || summary.same.length === 0) return []
      const ids = [id, ...summary.same].toSorted().map((each) => oneLine(each).slice(0, shortId))
      return [`${ids.join(", ")} mean the same, as ${oneLine(summary.model)} judged`]
    })
  )
]

const nothing = (where: string): string => `Nothing was learned ${where} yet. docs/dream.md says how dd learns.`

const listText = (artifacts: ReadonlyArray<Artifact>) => {
  const names = ["id", "sure", "sessions", "uses", "what"]
  const cells = artifacts.map((artifact) => [
    artifact.id.slice(0, shortId),
    artifact.confidence.toFixed(2),
    String(artifact.stats.sessions),
    String(artifact.uses),
    `${artifact.pinned ? "(pinned) " : ""}${artifact.summary === undefined ? artifactTitle(artifact) : `(by a model) ${oneLine(artifact.summary.text)}`}`
  ])
  const size = `${(bytesOfFile(artifacts) / 1024).toFixed(1)} of ${limits.total / 1024} KiB`
  return Effect.map(
    tableText(names, cells, new Set(["sure", "sessions", "uses"]), [{ name: "what", least: 24, isProse: true }]),
    (lines) => `${lines}\n${plural(artifacts.length, "artifact")}, ${size}`
  )
}

/** Of at most fifty artifacts, the beginning is as good as the whole. */
const shortId = 9

const artifact = Argument.String("artifact").pipe(Argument.withDescription("The id of an artifact, or its beginning"))

/** The only one whose id begins so. */
const chosen = Effect.fnUntraced(function* (artifacts: ReadonlyArray<Artifact>, given: string) {
  const found = artifacts.filter(({ id }) => id.startsWith(given))
  const exact = found.find(({ id }) => id === given)
  const only = exact ?? (found.length === 1 ? found[0] : undefined)
  if (only !== undefined && given !== "") return only
  const known = artifacts.map(({ id }) => id)
  const near = found.length > 1 ? found.map(({ id }) => id) : allNear(given, known)
  const reason =
    found.length > 1
      ? `${found.length} artifacts begin with "${oneLine(given)}": ${near.slice(0, 5).join(", ")}`
      : `no artifact of this project begins with "${oneLine(given)}"${near[0] === undefined ? "; dd dream artifacts list shows all" : didYouMean(near[0])}`
  return yield* new CallRefused({ reason })
})

const show = Command.make("show", { artifact, json: jsonFlag }).pipe(
  Command.withDescription("Show an artifact"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ artifact, json }) {
      const project = yield* here
      const { artifacts, refused } = yield* withStore(DreamStore.use((store) => store.artifacts(project)))
      yield* warnOf(refused)
      const one = yield* chosen(artifacts, artifact)
      if (json) return yield* writeOut(`${plainJson({ schema_version: 1, artifact: one }, 2)}\n`)
      yield* Console.log(artifactLines(one, yield* tableWidth).join("\n"))
    })
  )
)

const why = Command.make("why", { artifact, json: jsonFlag }).pipe(
  Command.withDescription("Explain an artifact: its confidence, the sessions it comes from, its uses"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ artifact, json }) {
      const project = yield* here
      const now = yield* Clock.currentTimeMillis
      const memory = yield* withStore(DreamStore.use((store) => store.read(project)))
      yield* warnOf(memory.refused)
      const one = yield* chosen(memory.artifacts, artifact)
      const explanation = explanationOf(one, memory, now, digest)
      if (json) {
        const { older, witnesses, ...place } = explanation
        const sessions = witnesses.map(({ at, ...witness }) => ({ ...witness, at: isoTime(at) }))
        const document = { schema_version: 1, artifact: one, sessions, older, removal: place }
        return yield* writeOut(`${plainJson(document, 2)}\n`)
      }
      const lines = explanationLines(one, explanation, bytesOfFile(memory.artifacts), yield* tableWidth)
      yield* Console.log(lines.join("\n"))
    })
  )
)

/** Also what has no room in the budget. */
const learnedIn = ({ base, profiles }: Pick<ProjectMemory, "base" | "profiles">, now: number) =>
  artifactsOf(withSessions(base, profiles, now, digest), now, digest)

const marking = (
  name: Extract<ArtifactMark, string> | "plain",
  description: string,
  words: (artifact: Artifact) => string
) =>
  Command.make(name, { artifact }).pipe(
    Command.withDescription(description),
    Command.withHandler(
      Effect.fnUntraced(function* ({ artifact }) {
        const project = yield* here
        yield* withStore(
          Effect.gen(function* () {
            const store = yield* DreamStore
            const memory = yield* store.read(project)
            const isKept = memory.artifacts.some(({ id }) => id.startsWith(artifact))
            const one = yield* chosen(
              isKept ? memory.artifacts : learnedIn(memory, yield* Clock.currentTimeMillis),
              artifact
            )
            const { refused } = yield* store.mark(project, one.id, name)
            yield* warnOf(refused)
            yield* Console.log(words(one))
          })
        )
      })
    )
  )

const mergeInto = Command.make("merge", {
  artifact,
  into: Argument.String("into").pipe(Argument.withDescription("The artifact that stays, of the same type"))
}).pipe(
  Command.withDescription("Count the sessions of an artifact for another one that means the same; unmerge undoes it"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ artifact, into }) {
      const project = yield* here
      yield* withStore(
        Effect.gen(function* () {
          const store = yield* DreamStore
          const { artifacts } = yield* store.artifacts(project)
          const [one, other] = [yield* chosen(artifacts, artifact), yield* chosen(artifacts, into)]
          if (one.id === other.id) return yield* new CallRefused({ reason: "an artifact cannot be merged into itself" })
          if (one.type !== other.type) {
            return yield* new CallRefused({ reason: `${one.id} is a ${one.type} and ${other.id} a ${other.type}` })
          }
          yield* warnOf((yield* store.mark(project, one.id, { mergeInto: other.id })).refused)
          yield* Console.log(`Merged into ${other.id.slice(0, shortId)}: ${artifactTitle(one)}`)
        })
      )
    })
  )
)

export const artifactsCommand = Command.make("artifacts").pipe(
  Command.withDescription("What was learned in a project: playbooks, repair patterns, conventions, sequences"),
  Command.withSubcommands([
    list,
    show,
    why,
    marking("pin", "Keep an artifact, whatever the budget", (one) => `Pinned: ${artifactTitle(one)}`),
    marking("unpin", "Undo pin", (one) => `No longer pinned: ${artifactTitle(one)}`),
    mergeInto,
    marking("unmerge", "Undo all merges into an artifact", (one) => `On its own again: ${artifactTitle(one)}`),
    marking("plain", "Remove what a model wrote about an artifact", (one) => `In dd's words: ${artifactTitle(one)}`),
    marking(
      "forget",
      "Remove an artifact; sessions until now do not bring it back",
      (one) => `Forgotten: ${artifactTitle(one)}`
    )
  ])
)
