/**
 * The findings a project has already seen, kept in a file it commits: they are shown as known and fail nothing.
 *
 * One finding a line, sorted by fingerprint, so that two branches merge it like any other text. A secret in a title
 * is redacted: the file is committed.
 */
import { Result, Schema } from "effect"
import { compareText } from "../text/compareText.ts"
import { Finding } from "./Finding.ts"

/** At the root of the repository. */
export const baselineFileName = ".daydream-baseline.json"

const BaselineJson = Schema.fromJsonString(
  Schema.Struct({
    schema_version: Schema.Literal(1),
    findings: Schema.Array(
      Schema.Struct({
        fingerprint: Schema.String.check(Schema.isPattern(/^dd1:[0-9a-f]{16}$/)),
        // For people who read the file; a fingerprint alone is not readable.
        rule: Schema.String,
        file: Schema.String,
        title: Schema.String
      })
    )
  })
)

export interface BaselineFault {
  readonly line: number
  readonly problem: string
}

const decode = Schema.decodeUnknownResult(BaselineJson)

export const baselineText = (findings: ReadonlyArray<Finding>, redact: (text: string) => string): string => {
  const byFingerprint = new Map(findings.map((finding) => [finding.fingerprint, finding]))
  const lines = [...byFingerprint.values()]
    .sort((a, b) => compareText(a.fingerprint, b.fingerprint))
    .map(
      ({ fingerprint, rule, file, title }) => `    ${JSON.stringify({ fingerprint, rule, file, title: redact(title) })}`
    )
  const list = lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n  ]`
  return `{\n  "schema_version": 1,\n  "findings": ${list}\n}\n`
}

/** The fingerprints a baseline holds, or where it cannot be read. */
export const readBaseline = (text: string): Result.Result<ReadonlySet<string>, BaselineFault> => {
  const decoded = decode(text)
  return Result.isSuccess(decoded)
    ? Result.succeed(new Set(decoded.success.findings.map(({ fingerprint }) => fingerprint)))
    : Result.fail(faultOf(text))
}

/** Marks each finding as new or known; order and everything else stay. */
export const markKnown = (findings: ReadonlyArray<Finding>, known: ReadonlySet<string>): ReadonlyArray<Finding> =>
  findings.map((finding) => Finding.make({ ...finding, new: !known.has(finding.fingerprint) }))

/** The parser does not tell where it stopped; a baseline dd wrote has one finding a line, so the odd line is found. */
const faultOf = (text: string): BaselineFault => {
  const frame = /^(?:[{}\]]|"schema_version":\s*1,?|"findings":\s*\[\]?|"findings":\s*\[\s*\])?$/
  for (const [index, line] of text.split("\n").entries()) {
    const bare = line.trim()
    if (frame.test(bare)) continue
    const entry = `{"schema_version":1,"findings":[${bare.replace(/,$/, "")}]}`
    if (Result.isFailure(decode(entry))) {
      return { line: index + 1, problem: "this is not an entry of a baseline (dd review --write-baseline writes one)" }
    }
  }
  return { line: 1, problem: "this is not a baseline of schema_version 1" }
}
