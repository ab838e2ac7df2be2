/**
 * Writes the findings of a run to one file for another command, atomically.
 *
 * The format is the artifact of reference §7.4 (schema_version 1) with dd's own fingerprints; the repository and the
 * pull request are null until a forge is known. A given path that cannot be written is an error.
 */
import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { type Change, sideText } from "../../domain/change/Change.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import { Redactor } from "../secret/Redactor.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { writeWhole } from "../system/writeWhole.ts"

export class FindingsNotWritten extends Schema.TaggedError<FindingsNotWritten>()("FindingsNotWritten", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the findings could not be written to ${this.path}: ${this.reason}`
  }
}

export class FindingsOut extends Context.Service<
  FindingsOut,
  {
    readonly write: (
      path: string,
      change: Change,
      findings: ReadonlyArray<Finding>
    ) => Effect.Effect<void, FindingsNotWritten>
  }
>()("dd/services/review/FindingsOut") {
  static readonly layer = Layer.effect(
    FindingsOut,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const redactor = yield* Redactor
      const platform = Context.make(FileSystem.FileSystem, fs).pipe(Context.add(Path.Path, yield* Path.Path))

      const write = Effect.fn("FindingsOut.write")(function* (
        path: string,
        change: Change,
        findings: ReadonlyArray<Finding>
      ) {
        yield* writeWhole(path, documentOf(findingsArtifact(change, findings, redactor.text))).pipe(
          Effect.provideContext(platform),
          Effect.mapError((error) => new FindingsNotWritten({ path, reason: systemErrorText(error) }))
        )
      })

      return FindingsOut.of({ write })
    })
  )
}

const documentOf = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

export const findingsArtifact = (
  change: Change,
  findings: ReadonlyArray<Finding>,
  redact: (text: string) => string
) => ({
  schema_version: 1,
  repo: null,
  pr_number: null,
  head_sha: change.head._tag === "Commit" ? change.head.sha : sideText(change.head),
  run_info: null,
  findings: findings.map((finding) => ({
    fingerprint: finding.fingerprint,
    path: finding.file,
    line: finding.line === 0 ? null : finding.line,
    placement: finding.line === 0 || finding.lens === "cross-stack" ? "body" : "inline",
    title: redact(finding.title),
    body: redact([finding.description, finding.rationale].filter((text) => text !== "").join("\n\n")),
    severity: finding.severity,
    confidence: finding.confidence,
    is_cross_stack: finding.lens === "cross-stack"
  }))
})
