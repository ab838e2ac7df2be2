/**
 * The known findings of a project, in a file that it commits: they are shown as known and do not affect the exit code.
 *
 * One finding per line, sorted by fingerprint, so that branches can be merged. Secrets in titles are redacted, because
 * the file is committed.
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
        // For people who read the file.
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

/** The fingerprints of a baseline, or the line that cannot be read. */
export const readBaseline = (text: string): Result.Result<ReadonlySet<string>, BaselineFault> => {
  const decoded = decode(text)
  return Result.isSuccess(decoded)
    ? Result.succeed(new Set(decoded.success.findings.map(({ fingerprint }) => fingerprint)))
    : Result.fail(faultOf(text))
}

/** Marks each finding as new or known, and changes nothing else. */
export const markKnown = (findings: ReadonlyArray<Finding>, known: ReadonlySet<string>): ReadonlyArray<Finding> =>
  findings.map((finding) => Finding.make({ ...finding, new: !known.has(finding.fingerprint) }))

/** Finds the invalid line: the parser does not report it, but a baseline has one finding per line. */
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
  return { line: 1, problem: "this is not a baseline of schema_version 1 (dd review --write-baseline writes one)" }
}
