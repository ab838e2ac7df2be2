/**
 * The `sarif` format, version 2.1.0, within the limits of GitHub code scanning.
 *
 * Suppressed findings are results with `suppressions`; what could not be done is a notification, so that a viewer never
 * shows an aborted review as a clean one.
 */
import { byImportance, type Finding, type Severity, type Suppressed } from "../../../domain/finding/Finding.ts"
import { ignoreFileName } from "../../../domain/finding/IgnoreFile.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import { plural } from "../../../domain/text/plural.ts"
import { pathBytes } from "../../../domain/text/quotePath.ts"
import { jsonDocument } from "../../text/plainJson.ts"
import { explanationOf, placeWords, replacementOf } from "./Explanation.ts"
import { headlineOf } from "./Headline.ts"
import { occurrences } from "./Occurrence.ts"
import type { Presentable } from "./Presentable.ts"
import { documentation, type RenderContext } from "./RenderContext.ts"

/** A file with more results is refused. */
export const mostResults = 25_000

export const renderSarif = (review: Presentable, context: RenderContext): string => {
  const result = review.exact()
  const findings = [...result.findings].sort(byImportance)
  const suppressed = [...result.suppressed].sort((a, b) => byImportance(a.finding, b.finding))
  const claims: ReadonlyArray<Claim> = [
    ...findings.map((finding) => ({ finding, suppression: undefined })),
    ...suppressed.map((suppression) => ({ finding: suppression.finding, suppression }))
  ]
  const kept = claims.slice(0, mostResults)
  const ids = [...new Set(kept.map(({ finding }) => finding.rule))].sort(compareText)
  const indexOf = new Map(ids.map((id, index) => [id, index]))
  // The most severe first.
  const worst = new Map(kept.toReversed().map(({ finding }) => [finding.rule, finding.severity]))
  const nth = occurrences(kept.map(({ finding }) => finding))
  return jsonDocument({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "dd",
            version: context.version,
            semanticVersion: context.version,
            rules: ids.map((id) => ruleOf(id, worst.get(id) ?? "low", context))
          }
        },
        automationDetails: { id: `dd/${result.run.flow}/`, description: { text: plainText(result.run.description) } },
        invocations: [invocation(result, claims.length - kept.length, context)],
        originalUriBaseIds: { [root]: { description: { text: "The root of the repository." } } },
        columnKind: "utf16CodeUnits",
        results: kept.map((claim, index) =>
          resultOf(claim, indexOf.get(claim.finding.rule) ?? -1, nth[index] ?? 1, context)
        )
      }
    ]
  })
}

interface Claim {
  readonly finding: Finding
  readonly suppression: Suppressed | undefined
}

const root = "%SRCROOT%"
const levels: Record<Severity, "error" | "warning" | "note"> = { high: "error", medium: "warning", low: "note" }

/** As GitHub code scanning divides them: from 7.0 high, from 4.0 medium. */
const securitySeverities: Record<Severity, string> = { high: "8.0", medium: "5.0", low: "2.0" }

/** Weaknesses that an attacker can use; other numbers are defects. */
const weaknesses = new Set(
  [22, 59, 78, 79, 88, 89, 94, 116, 295, 312, 321, 327, 338, 502, 532, 540, 601, 777, 798, 915, 916, 1357, 1427].map(
    (number) => `CWE-${number}`
  )
)

const isAboutSecurity = (id: string, reference: string): boolean =>
  /^(?:secret|injection|ci)\//.test(id) || weaknesses.has(reference)

const ruleOf = (id: string, severity: Severity, context: RenderContext) => {
  const words = context.rule(id)
  if (words === undefined) return { id }
  return {
    id,
    shortDescription: { text: plainText(words.title) },
    fullDescription: { text: plainText(words.why) },
    help: { text: plainText([words.why, words.fix, words.reference].filter((text) => text !== "").join("\n\n")) },
    helpUri: documentation(words),
    properties: isAboutSecurity(id, words.reference)
      ? { tags: ["security"], "security-severity": securitySeverities[severity] }
      : undefined
  }
}

type Place = Pick<Finding, "column" | "endColumn" | "endLine" | "file" | "line">

/** A region without columns covers whole lines. */
const regionOf = ({ column, endColumn, endLine, line }: Place) => ({
  startLine: line,
  ...(column === null || endColumn === null ? {} : { startColumn: column }),
  endLine: Math.max(line, endLine),
  ...(column === null || endColumn === null ? {} : { endColumn })
})

const locationOf = (place: Place) => ({
  physicalLocation: {
    artifactLocation: { uri: uriOf(place.file), uriBaseId: root },
    region: place.line === 0 ? undefined : regionOf(place)
  }
})

const resultOf = ({ finding, suppression }: Claim, ruleIndex: number, nth: number, context: RenderContext) => ({
  ruleId: finding.rule,
  ruleIndex,
  level: levels[finding.severity],
  message: { text: plainText([finding.title, ...explanationOf(finding, context)].join("\n\n")) },
  locations: [locationOf(finding)],
  relatedLocations: finding.related.map((place) => ({
    // A region would show the line that is there now.
    ...locationOf({ ...place, line: place.deleted === undefined ? place.line : 0, endLine: place.line }),
    message: { text: plainText(placeWords(place)) }
  })),
  // GitHub computes `primaryLocationLineHash` itself and rejects any other value under that name.
  partialFingerprints: { "dd/v1": finding.fingerprint, "ddPrimaryLocation/v1": `${finding.fingerprint}:${nth}` },
  fixes: fixesOf(finding, context),
  suppressions: suppression === undefined ? undefined : [suppressionOf(suppression)],
  properties: {
    confidence: finding.confidence,
    source: finding.source,
    stack: finding.stack,
    lens: finding.lens,
    new: finding.new
  }
})

/** A region without columns ends before the last line break, which stays unless the lines are deleted. */
const fixesOf = (finding: Finding, context: RenderContext) => {
  const text = replacementOf(finding)
  if (text === null) return undefined
  const { endLine, file, line, rule, title } = finding
  const lines = { startLine: line, endLine: Math.max(line, endLine) }
  const replacement =
    text === ""
      ? { deletedRegion: { startLine: line, startColumn: 1, endLine: lines.endLine + 1, endColumn: 1 } }
      : { deletedRegion: lines, insertedContent: { text } }
  return [
    {
      description: { text: plainText(context.rule(rule)?.fix ?? title) },
      artifactChanges: [{ artifactLocation: { uri: uriOf(file), uriBaseId: root }, replacements: [replacement] }]
    }
  ]
}

const suppressionOf = ({ addedByChange, by, place, reason }: Suppressed) => ({
  kind: place !== null && place.file !== ignoreFileName ? "inSource" : "external",
  justification: plainText(
    `${reason === "" ? "No reason given" : reason} (${by}${addedByChange ? ", added by the change under review" : ""})`
  )
})

const invocation = (result: ReviewResult, leftOut: number, context: RenderContext) => {
  const unread = result.coverage.files.filter((file) => file.status === "unread")
  const notifications = [
    ...(result.status === "complete" ? [] : [{ level: "warning", message: { text: plainText(headlineOf(result)) } }]),
    ...result.degraded.map(({ step, error, detail }) => ({
      descriptor: { id: error },
      level: "warning",
      message: { text: plainText(`${step}: ${detail === "" ? error : detail}`) }
    })),
    ...unread.map(({ path, reason }) => ({
      level: "warning",
      message: { text: plainText(`Not reviewed: ${reason}`) },
      locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(path), uriBaseId: root } } }]
    })),
    ...(leftOut === 0
      ? []
      : [
          {
            level: "warning",
            message: { text: `${plural(leftOut, "result")} left out: a file contains at most ${mostResults}.` }
          }
        ])
  ]
  return {
    executionSuccessful: result.status !== "inconclusive",
    exitCode: context.exitCode,
    startTimeUtc: result.run.startedAt,
    toolExecutionNotifications: notifications
  }
}

/** In a SARIF message `[text](target)` is a link; untrusted text must not become one. */
const plainText = (text: string): string => text.replaceAll("](", "] (")

/** A relative URI reference: every byte but unreserved ones and slashes is encoded. */
const uriOf = (path: string): string =>
  Array.from(pathBytes(path), (byte) => {
    const character = String.fromCharCode(byte)
    return /[\w.!~*'()/-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }).join("")
