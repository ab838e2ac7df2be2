/**
 * The artifacts of a review, by the names and shapes of reference §3.0, on top of `Artifacts`.
 *
 * Secrets are masked before anything is written. A file that cannot be written is degraded, never a failed
 * review; one that a resumed review needs and lacks is an error that names the earlier `--start-at`.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Digest, sha256 } from "effect/crypto/Digest"
import type { Change } from "../domain/Change.ts"
import type { FileCoverage } from "../domain/Coverage.ts"
import type { DedupCandidates } from "../domain/DedupCandidates.ts"
import type { Exploration } from "../domain/Exploration.ts"
import { type Dropped, Lens, ReviewRecord } from "../domain/Finding.ts"
import type { MergedItem } from "../domain/MergedItem.ts"
import type { StartAt } from "../domain/RunState.ts"
import { renderReport } from "../domain/report.ts"
import type { Stack } from "../domain/Stack.ts"
import { Alternative, type Contested, type StackRecords, type StackReport } from "../domain/Task.ts"
import { Artifacts, ArtifactUnreadable } from "./Artifacts.ts"
import { FailPolicy } from "./FailPolicy.ts"
import { Redactor } from "./Redactor.ts"

export class ResumeImpossible extends Schema.TaggedError<ResumeImpossible>()("ResumeImpossible", {
  startAt: Schema.String,
  missing: Schema.Array(Schema.String),
  /** The start point that makes what is missing. */
  earlier: Schema.String
}) {
  override get message() {
    return `--start-at ${this.startAt} needs ${this.missing.join(", ")} of an earlier review of this change; start at ${this.earlier}`
  }
}

/** What an earlier review of the same change left. */
export interface Resumed {
  readonly intent: string
  readonly alternatives: ReadonlyArray<Alternative>
  readonly records: ReadonlyArray<StackRecords>
  readonly items: ReadonlyArray<MergedItem>
  readonly coverage: ReadonlyArray<FileCoverage>
  readonly failures: Readonly<Record<string, string>>
}

/** `merged-items.json`: the FEEDBACK fields, lens and severity of the reference, and dd's own. */
const StoredItem = Schema.Struct({
  ...ReviewRecord.fields,
  lens: Lens,
  stacks: Schema.Array(Schema.String),
  related: Schema.Array(
    Schema.Struct({
      stack: Schema.String,
      id: Schema.Int,
      rule: Schema.NullOr(Schema.String),
      title: Schema.String,
      line: Schema.Int
    })
  )
})
const StoredItems = Schema.fromJsonString(Schema.Struct({ items: Schema.Array(StoredItem) }))
/** What reviewers said of the files they read, so that a resumed review has a ledger too. */
const StoredCoverage = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      path: Schema.String,
      status: Schema.Literals(["reviewed", "skipped", "unread"]),
      reason: Schema.String
    })
  )
)
const StoredFailures = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const StoredRecords = Schema.fromJsonString(Schema.Array(ReviewRecord))
const StoredAlternatives = Schema.fromJsonString(Schema.Array(Alternative))

export class ReviewFiles extends Context.Service<
  ReviewFiles,
  {
    /** Clears what an earlier review left and writes the diff with its key. */
    readonly begin: (change: Change) => Effect.Effect<void>
    readonly exploration: (exploration: Exploration) => Effect.Effect<void>
    readonly intent: (intent: string) => Effect.Effect<void>
    readonly alternatives: (alternatives: ReadonlyArray<Alternative>) => Effect.Effect<void>
    readonly reports: (
      reports: ReadonlyArray<StackReport>,
      failures: Readonly<Record<string, string>>
    ) => Effect.Effect<void>
    readonly records: (records: ReadonlyArray<StackRecords>) => Effect.Effect<void>
    /** What the arbiter is asked; with an empty list only the marker that the records are final. */
    readonly arbitration: (contested: ReadonlyArray<Contested>) => Effect.Effect<void>
    readonly merged: (
      items: ReadonlyArray<MergedItem>,
      candidates: DedupCandidates | null,
      dropped: ReadonlyArray<Dropped>
    ) => Effect.Effect<void>
    readonly resume: (
      change: Change,
      startAt: StartAt,
      stacks: ReadonlyArray<Stack>
    ) => Effect.Effect<Resumed, ResumeImpossible | ArtifactUnreadable>
  }
>()("dd/services/ReviewFiles") {
  static readonly layer = Layer.effect(
    ReviewFiles,
    Effect.gen(function* () {
      const artifacts = yield* Artifacts
      const onFailure = yield* FailPolicy
      const digest = yield* Digest
      const redactor = yield* Redactor

      const put = (name: string, content: string | Uint8Array) =>
        artifacts.write(name, content).pipe(onFailure.open("artifacts", undefined))
      const putText = (name: string, text: string) => put(name, redactor.text(text))
      const putJson = (name: string, value: unknown) => put(name, `${JSON.stringify(redactor.value(value), null, 2)}\n`)

      /** A resumed review writes over an earlier one's files: what it has nothing of must not stand as the earlier one left it. */
      const putOrRemove = (name: string, value: object | null) =>
        value === null ? artifacts.remove(name).pipe(onFailure.open("artifacts", undefined)) : putJson(name, value)

      /** What was made of earlier reviews of this change: records of a stack that failed this time would stand for it. */
      const forgetReviews = Effect.gen(function* () {
        const names = yield* artifacts.list("deep").pipe(onFailure.open("artifacts", []))
        for (const name of names.filter((each) => !understood.has(each))) {
          yield* artifacts.remove(`deep/${name}`).pipe(onFailure.open("artifacts", undefined))
        }
      })

      const keyOf = (change: Change) => digest.digestHex(sha256, change.patch)

      const begin = Effect.fn("ReviewFiles.begin")(function* (change: Change) {
        if (artifacts.directory === null) return
        for (const name of ["deep", "exploration"]) {
          yield* artifacts.remove(name).pipe(onFailure.open("artifacts", undefined))
        }
        yield* put("diff.patch", redactedPatch(change.patch, redactor.lines))
        yield* put("deep/diff-key", `${yield* keyOf(change)}\n`)
      })

      const read = Effect.fnUntraced(function* <A>(name: string, schema: Schema.Codec<A, string>) {
        const text = yield* artifacts.read(name)
        if (Option.isNone(text)) return Option.none<A>()
        return Option.some(
          yield* Schema.decodeEffect(schema)(text.value).pipe(
            Effect.mapError((error) => new ArtifactUnreadable({ name, reason: error.message }))
          )
        )
      })

      const resume = Effect.fn("ReviewFiles.resume")(function* (
        change: Change,
        startAt: StartAt,
        stacks: ReadonlyArray<Stack>
      ) {
        const key = Option.map(yield* artifacts.read("deep/diff-key"), (text) => text.trim())
        if (Option.getOrNull(key) !== (yield* keyOf(change))) {
          return yield* new ResumeImpossible({ startAt, missing: ["deep/diff-key (this change's)"], earlier: "review" })
        }
        const need = Effect.fnUntraced(function* <A>(name: string, earlier: StartAt, found: Option.Option<A>) {
          if (Option.isNone(found)) return yield* new ResumeImpossible({ startAt, missing: [name], earlier })
          return found.value
        })
        const reviewed = Effect.gen(function* () {
          const name = "deep/coverage.json"
          const coverage = yield* need(name, "per-stack", yield* read(name, StoredCoverage))
          const failures = yield* read("deep/per-stack-failures.json", StoredFailures)
          return { coverage, failures: Option.getOrElse(failures, () => noFailures) }
        })
        if (startAt === "fix") {
          const name = "deep/merged-items.json"
          const { items } = yield* need(name, "merge", yield* read(name, StoredItems))
          return { intent: "", alternatives: [], records: [], items: items.map(itemOf), ...(yield* reviewed) }
        }
        const intent = yield* need("deep/intent.md", "review", yield* artifacts.read("deep/intent.md"))
        const stored = "deep/alternatives.json"
        const alternatives = yield* need(stored, "review", yield* read(stored, StoredAlternatives))
        const known = { intent, alternatives, records: [], items: [], coverage: [], failures: noFailures }
        if (startAt !== "merge") return known

        const earlier = yield* reviewed
        const records: Array<StackRecords> = []
        for (const stack of stacks) {
          const name = recordsFile(stack.name)
          const found = yield* read(name, StoredRecords)
          if (Option.isNone(found) && stack.name in earlier.failures) continue
          records.push({ stack, records: yield* need(name, "per-stack", found) })
        }
        return { ...known, ...earlier, records }
      })

      return ReviewFiles.of({
        begin,
        resume,
        exploration: (exploration) =>
          Effect.forEach(explorationFiles(exploration), ([name, text]) => putText(`exploration/${name}`, text), {
            discard: true
          }),
        intent: (intent) => putText("deep/intent.md", intent),
        alternatives: (alternatives) => putJson("deep/alternatives.json", alternatives),
        reports: Effect.fnUntraced(function* (reports, failures) {
          yield* forgetReviews
          for (const { stack, review } of reports.filter(({ stack }) => failures[stack.name] === undefined))
            yield* putText(`deep/stack-${fileName(stack.name)}-review.md`, review)
          yield* putJson(
            "deep/coverage.json",
            reports.flatMap((report) => report.coverage)
          )
          const failed = Object.keys(failures).length > 0
          yield* putOrRemove("deep/per-stack-failures.json", failed ? sortedByKey(failures) : null)
        }),
        records: (all) =>
          Effect.forEach(all, ({ stack, records }) => putJson(recordsFile(stack.name), records), { discard: true }),
        arbitration: Effect.fnUntraced(function* (contested) {
          yield* putOrRemove("deep/arbiter-input.json", contested.length > 0 ? contested.map(arbiterInput) : null)
          yield* put("deep/arbiter-complete.marker", "")
        }),
        merged: Effect.fnUntraced(function* (items, candidates, dropped) {
          yield* putOrRemove("deep/dedup-candidates.json", candidates)
          yield* putOrRemove("deep/dropped-speculative.json", dropped.length > 0 ? droppedFile(dropped) : null)
          yield* putJson("deep/merged-items.json", { items: items.map(storedItem) })
          yield* putText("deep/review-output.md", renderReport(items))
        })
      })
    })
  )
}

/** What stands in `deep/` before anybody reviews. */
const understood: ReadonlySet<string> = new Set(["diff-key", "intent.md", "alternatives.json"])

const noFailures: Readonly<Record<string, string>> = {}

/** A stack name from an extension may hold anything; a file name may not. */
const fileName = (stack: string): string => stack.replace(/[^A-Za-z0-9._-]+/g, "-")
const recordsFile = (stack: string): string => `deep/stack-${fileName(stack)}-records.json`

const storedItem = ({ id, record, lens, stacks, related }: MergedItem): typeof StoredItem.Type => ({
  ...record,
  id,
  lens,
  stacks,
  related
})

const itemOf = ({ lens, stacks, related, ...record }: typeof StoredItem.Type): MergedItem => ({
  id: record.id,
  record: ReviewRecord.make(record),
  lens,
  stacks,
  related
})

const arbiterInput = ({ arbId, record }: Contested) => ({
  arb_id: arbId,
  file: record.file,
  line: record.line,
  severity: record.severity,
  confidence: record.confidence,
  description: record.description,
  rationale: record.rationale,
  evidence: record.evidence
})

const droppedFile = (dropped: ReadonlyArray<Dropped>) => ({
  dropped_count: dropped.length,
  dropped_ids: dropped.map(({ record }) => record.id),
  dropped_items: dropped.map(({ record, reason, stack }) => ({ ...record, stack, reason }))
})

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replace(/\|/g, "\\|").replace(/\s+/g, " ")).join(" | ")} |`)
    .join("\n")

const explorationFiles = (found: Exploration): ReadonlyArray<readonly [string, string]> => {
  const affected = table(
    ["file", "role", "what"],
    found.affectedFiles.map(({ path, role, summary }) => [path, role, summary])
  )
  const dependencies = table(
    ["source", "relationship", "target"],
    found.dependencies.map(({ source, relationship, target }) => [source, relationship, target])
  )
  const conventions = table(
    ["convention", "what", "stated in"],
    found.conventions.map(({ name, description, source }) => [name, description, source])
  )
  const omitted = found.omitted.map((reason) => `- ${reason}`).join("\n")
  const summary = [
    "# Exploration",
    `Tier: ${found.tier}. ${found.affectedFiles.length} affected files, ${found.dependencies.length} dependencies, ${found.conventions.length} conventions.`,
    ...(omitted === "" ? [] : [`## Not looked at\n\n${omitted}`])
  ].join("\n\n")
  return [
    ["summary.md", `${summary}\n`],
    ["affected_files.md", `# Affected files\n\n${affected}\n`],
    ["dependencies.md", `# Dependencies\n\n${dependencies}\n`],
    ["conventions.md", `# Conventions\n\n${conventions}\n`]
  ]
}

const sortedByKey = (record: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Byte for byte where there is no secret; a patch with one becomes UTF-8 text without it. */
export const redactedPatch = (bytes: Uint8Array, redact: Redactor["Service"]["lines"]): Uint8Array => {
  const lines = new TextDecoder().decode(bytes).split("\n")
  // Redacted without the column of signs: `+PASSWORD=x` is an assignment all the same.
  const sign = (line: string) => (/^[-+ ]/.test(line) ? line.slice(0, 1) : "")
  const bare = lines.map((line) => line.slice(sign(line).length))
  const safe = redact(bare)
  if (safe.every((line, i) => line === bare[i])) return bytes
  return new TextEncoder().encode(safe.map((line, i) => sign(lines[i] ?? "") + line).join("\n"))
}
