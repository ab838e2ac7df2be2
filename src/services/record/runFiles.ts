/** Copies the files of a run into its bundle, and reads the data for the evaluation. */
import { Effect, FileSystem, Option, Result, Schema } from "effect"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { EvaluationInput } from "../../domain/record/Evaluation.ts"
import type { StackRecords } from "../../domain/record/recordsOfFindings.ts"
import { descriptorOf, type Trajectory } from "../../domain/record/Trajectory.ts"
import { placesOf } from "../../domain/run/TrajectoryPlaces.ts"
import { handoff, partialFixes, recommendedPatch } from "../review/fixFiles.ts"
import { redactedPatch } from "../review/redactedPatch.ts"
import { Redactor } from "../secret/Redactor.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import type { BundleDraft } from "./Bundles.ts"
import { Trajectories } from "./Trajectories.ts"

/** Notes why a file is not in the bundle; null if it is. */
type Note = (name: string) => (reason: string | null) => void

/** A value for each file below the artifacts that changes when the file is written again. */
export type FileMarks = ReadonlyMap<string, string>

/** Marks of the regular files that a bundle can contain. */
export const fileMarks = Effect.fnUntraced(function* (directory: string | null, note: Note) {
  const fs = yield* FileSystem.FileSystem
  const marks = new Map<string, string>()
  if (directory === null) return marks
  const infoOf = (name: string) => Effect.map(Effect.option(fs.lstat(`${directory}/${name}`)), Option.getOrNull)
  const names = ["diff.patch", recommendedPatch, handoff]
  for (const folder of ["deep", partialFixes]) {
    if ((yield* infoOf(folder))?.type !== "Directory") continue
    const found = yield* Effect.result(fs.readDirectory(`${directory}/${folder}`))
    if (Result.isFailure(found)) note(folder)(systemErrorText(found.failure))
    else names.push(...found.success.toSorted().map((name) => `${folder}/${name}`))
  }
  for (const name of names) {
    const info = yield* infoOf(name)
    if (info?.type !== "File") continue
    const time = Option.getOrUndefined(info.mtime)?.getTime()
    marks.set(name, `${Option.getOrUndefined(info.ino)} ${time} ${info.size}`)
  }
  return marks
})

export interface RunRecord {
  readonly root: Trajectory | null
  /** By descriptor. */
  readonly siblings: ReadonlyMap<string, Trajectory>
}

/** Copies the first trajectory or journal that exists, with its siblings. */
export const copyTrajectories = Effect.fnUntraced(function* (path: string | null, draft: BundleDraft, note: Note) {
  const fs = yield* FileSystem.FileSystem
  const trajectories = yield* Trajectories
  const none: RunRecord = { root: null, siblings: new Map() }
  if (path === null) return none
  const { document, journal, siblingsName } = placesOf(path)
  for (const [from, name] of [
    [document, "trajectory.json"],
    [`${document}.partial`, "trajectory.json.partial"],
    [journal, "trajectory.jsonl.partial"]
  ] as const) {
    const info = Option.getOrNull(yield* Effect.option(fs.stat(from)))
    if (info === null) continue
    note(name)(yield* draft.document(from, name))
    if (Number(info.size) > largestRead) {
      note("evaluation.json")("the trajectory is too long to be evaluated")
      return none
    }
    const read = yield* Effect.result(trajectories.read(from))
    if (read._tag === "Failure") {
      note(name)(read.failure.message)
      return none
    }
    const { root, siblings } = read.success
    const directory = document.slice(0, document.lastIndexOf("/") + 1)
    // A journal contains its siblings. A document refers to them by their path relative to itself.
    yield* Effect.forEach(
      from === journal ? [] : siblings.keys(),
      (sibling) => {
        const target = siblingsName + sibling.slice(sibling.lastIndexOf("/"))
        return Effect.map(draft.document(directory + sibling, target), note(target))
      },
      { concurrency: 8, discard: true }
    )
    const byName = new Map([...siblings].map(([path, sibling]) => [descriptorOf(sibling) ?? path, sibling]))
    return { root, siblings: byName } satisfies RunRecord
  }
  note("trajectory.json")("the run has none")
  return none
})

const largestRead = 64 << 20

export interface ArtifactFiles {
  readonly hasPatch: boolean
  readonly report: string | null
  readonly ledger: ReadonlyArray<FileCoverage>
  /** Null if no artifacts were kept. */
  readonly records: ReadonlyArray<StackRecords> | null
  readonly dedup: EvaluationInput["dedup"]
  readonly verdicts: ReadonlyArray<string> | null
  readonly formatValid: boolean
}

const noArtifacts: ArtifactFiles = {
  hasPatch: false,
  report: null,
  ledger: [],
  records: null,
  dedup: null,
  verdicts: null,
  formatValid: true
}

/** Copies the artifacts that differ from `before`: those that the run wrote. */
export const copyArtifacts = Effect.fnUntraced(function* (
  directory: string | null,
  draft: BundleDraft,
  note: Note,
  before: FileMarks
) {
  if (directory === null) return noArtifacts
  const fs = yield* FileSystem.FileSystem
  const redactor = yield* Redactor
  const now = yield* fileMarks(directory, note)
  const own = new Set([...now.keys()].filter((name) => now.get(name) !== before.get(name) && !name.endsWith(".draft")))
  const deep = [...own].filter((name) => name.startsWith("deep/"))
  const texts = own.has(handoff) ? [...deep, handoff] : deep
  for (const name of texts) note(name)(yield* draft.text(`${directory}/${name}`, name))
  // It was redacted when it was written; a patch that is redacted again may not apply.
  if (own.has("diff.patch")) note("diff.patch")(yield* draft.document(`${directory}/diff.patch`, "diff.patch"))
  for (const name of own) {
    if (name !== recommendedPatch && !name.startsWith(`${partialFixes}/`)) continue
    const patch = yield* Effect.option(fs.readFile(`${directory}/${name}`))
    if (Option.isNone(patch)) note(name)("it cannot be read")
    else yield* draft.bytes(name, yield* redactedPatch(patch.value, redactor.inPieces()))
  }
  const textOf = (name: string) =>
    own.has(name)
      ? Effect.map(Effect.option(fs.readFileString(`${directory}/${name}`)), Option.getOrNull)
      : Effect.succeed(null)
  const report = yield* textOf("deep/review-output.md")
  if (report !== null) {
    note("review-output.md")(yield* draft.text(`${directory}/deep/review-output.md`, "review-output.md"))
  }

  const records: Array<StackRecords> = []
  const verdictText = yield* textOf("deep/recommendation-verdicts.json")
  let formatValid = verdictText === null || isJson(verdictText)
  for (const name of deep) {
    const stack = /^deep\/stack-(.+)-records\.json$/.exec(name)?.[1]
    const text = stack === undefined ? null : yield* textOf(name)
    if (stack === undefined || text === null) continue
    formatValid &&= isJson(text)
    records.push({ stack, records: Option.getOrElse(decodeRecords(text), () => []) })
  }
  const verdicts = Option.getOrNull(decodeVerdicts(verdictText))
  return {
    hasPatch: own.has("diff.patch"),
    report,
    ledger: Option.getOrElse(decodeLedger(yield* textOf("deep/coverage.json")), () => []),
    records,
    dedup: Option.getOrNull(decodeDedup(yield* textOf("deep/dedup-candidates.json"))),
    verdicts: verdicts?.verdicts.map(({ verdict }) => verdict) ?? null,
    formatValid
  } satisfies ArtifactFiles
})

/** None for a text that is absent or does not fit. */
const decodeJson = <S extends Schema.Codec<unknown, unknown>>(schema: S) =>
  Schema.decodeUnknownOption(Schema.fromJsonString(schema))

const decodeAny = decodeJson(Schema.Unknown)
const isJson = (text: string): boolean => Option.isSome(decodeAny(text))

const decodeRecords = decodeJson(Schema.Array(ReviewRecord))
const decodeVerdicts = decodeJson(Schema.Struct({ verdicts: Schema.Array(Schema.Struct({ verdict: Schema.String })) }))
const decodeDedup = decodeJson(
  Schema.Struct({
    record_alt_pairs: Schema.Array(Schema.Struct({ similarity: Schema.Finite })),
    record_duplicate_pairs: Schema.Array(Schema.Unknown)
  })
)
const decodeLedger = decodeJson(
  Schema.Array(
    Schema.Struct({
      path: Schema.String,
      status: Schema.Literals(["reviewed", "skipped", "unread"]),
      reason: Schema.String
    })
  )
)
