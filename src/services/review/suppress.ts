/**
 * Removes the findings that a user asked not to see, and those that dd learned to hide from labels; reports by what and why.
 *
 * Comments are read on the head side, `.daydreamignore` on the base side. A comment that the change itself adds is
 * applied and noted, so that a reader sees what the change suppresses.
 */
import { Clock, Effect, Result, Schema } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import { deletedLines } from "../../domain/change/deletedLines.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import { HunkIndex } from "../../domain/change/HunkIndex.ts"
import { baselineFileName, readBaseline } from "../../domain/finding/Baseline.ts"
import { addedLines, recordOf } from "../../domain/finding/Claims.ts"
import { type Finding, ReviewRecord, type Suppressed } from "../../domain/finding/Finding.ts"
import { modelRules } from "../../domain/finding/Fingerprint.ts"
import { type IgnoreEntry, ignoreFileName, readIgnoreFile } from "../../domain/finding/IgnoreFile.ts"
import { folderWords, hides, type LearnedSuppression } from "../../domain/finding/LearnedSuppression.ts"
import type { MergedItem } from "../../domain/finding/MergedItem.ts"
import { isFileRule, matchOf, type RepositoryRule, type Rule } from "../../domain/finding/Rule.ts"
import { isFingerprint, namesFinding, namesRule, unknownRule } from "../../domain/finding/RulePattern.ts"
import { type Suppressions, suppressionsIn, withoutSuppression } from "../../domain/finding/Suppression.ts"
import { lexiconOf } from "../../languages/comments.ts"
import { Sources } from "../change/Sources.ts"
import { Learned } from "../finding/Learned.ts"
import { RuleSet, shippedRules } from "../finding/RuleSet.ts"

export class IgnoreFileInvalid extends Schema.TaggedError<IgnoreFileInvalid>()("IgnoreFileInvalid", {
  path: Schema.String,
  line: Schema.Int,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path}:${this.line} (base): ${this.problem}`
  }
}

const unusedSuppressionRule = "dd/unused-suppression"

const idsOf = (rules: ReadonlyArray<Rule>): ReadonlySet<string> =>
  new Set([...[...shippedRules, ...rules].map(({ id }) => id), ...Object.values(modelRules)])

const ignored = Effect.fnUntraced(function* (change: Change) {
  const sources = yield* Sources
  // A bare patch can claim any content of a base that it does not include; only the base of a repository is
  // trusted.
  if (change.base._tag === "Unknown") return { entries: [], notes: [] }
  const file = yield* sources.base(ignoreFileName)
  if (file._tag === "Absent") return { entries: [], notes: [] }
  if (file._tag !== "Text") return { entries: [], notes: [`${ignoreFileName} could not be read and was not used`] }
  const read = readIgnoreFile(file.lines)
  if (Result.isFailure(read) && edits(change)) {
    // The change that fixes a broken file must be reviewable.
    const { line, problem } = read.failure
    return { entries: [], notes: [`${ignoreFileName}:${line} (base) was not used: ${problem}`] }
  }
  if (Result.isFailure(read)) return yield* new IgnoreFileInvalid({ path: ignoreFileName, ...read.failure })
  return { entries: read.success, notes: [] }
})

const comments = Effect.fnUntraced(function* (path: string) {
  const sources = yield* Sources
  const file = yield* sources.head(path)
  return file._tag === "Text" ? suppressionsIn(file.lines, lexiconOf(path)) : { found: [], malformed: [] }
})

/** A change must not add its own findings to the baseline unnoticed. */
const baselineNotes = Effect.fnUntraced(function* (findings: ReadonlyArray<Finding>, change: Change) {
  const sources = yield* Sources
  if (!change.diff.files.some((file) => file.path === baselineFileName)) return []
  const file = yield* sources.base(baselineFileName)
  const before = file._tag === "Text" ? Result.getOrElse(readBaseline(file.text), () => nothing) : nothing
  const count = findings.filter((finding) => !finding.new && !before.has(finding.fingerprint)).length
  if (count === 0) return []
  const known = count === 1 ? "1 finding counts" : `${count} findings count`
  return [`${known} as known only because this change adds to ${baselineFileName}`]
})

/** The notes are sentences for the reader. */
export const suppress = Effect.fn("Suppressor.apply")(function* (findings: ReadonlyArray<Finding>, change: Change) {
  const { rules } = yield* RuleSet
  const { entries, notes } = yield* ignored(change)
  const { suppressions } = yield* yield* Learned
  const now = yield* Clock.currentTimeMillis
  const hunks = new HunkIndex(change.diff)
  const files = new Map<string, Suppressions>()
  for (const path of new Set(findings.map((finding) => finding.file))) files.set(path, yield* comments(path))

  const kept: Array<Finding> = []
  const suppressed: Array<Suppressed> = []
  for (const finding of findings) {
    const by =
      byComment(finding, files.get(finding.file), hunks) ??
      byIgnoreFile(finding, entries) ??
      byLearned(finding, suppressions, now)
    if (by === null) kept.push(finding)
    else suppressed.push({ finding, ...by })
  }
  const known = yield* baselineNotes(kept, change)
  const all = new Set([...idsOf(rules), ...findings.map(({ rule }) => rule)])
  const unknown = [...mistakenEntries(entries, all), ...mistaken(kept, files, hunks, all)]
  yield* Effect.forEach(unknown, (note) => Effect.logWarning(note), { discard: true })
  return { kept, suppressed, notes: [...notes, ...known, ...remarks(change, suppressed, files), ...unknown] }
})

/** Why a comment's pattern suppresses nothing; null if it suppresses something or this cannot be determined. */
const whyUnused = (
  pattern: string,
  { path, line: target, isNew }: Target,
  claims: ReadonlyArray<ClaimedLine>,
  rules: ReadonlyArray<Rule>
) => {
  if (isFingerprint(pattern)) return null
  const unknown = unknownRule(pattern, new Set([...idsOf(rules), ...claims.map(({ rule }) => rule)]))
  if (unknown !== null) return `${pattern}: ${unknown}`
  // Rules report nothing on lines that are old or only moved.
  if (!isNew) return null
  const named = claims.filter(({ rule }) => namesRule(pattern, rule))
  if (named.some(({ line }) => line === target)) return null
  const isNamed = ({ id }: { readonly id: string }) => namesRule(pattern, id)
  // Other rules look beyond the line, or are not enabled in this review.
  const candidates = [...new Set([...shippedRules, ...rules])].filter(isNamed)
  const isJudged = candidates.length > 0 && candidates.every((rule) => isFileRule(rule) && rules.includes(rule))
  return isJudged ? `${pattern} reports nothing on line ${target} of ${path}` : null
}

/**
 * Comments in changed files that suppress none of these claims: those that the change adds, and notes about the
 * others.
 */
export const unusedSuppressions = Effect.fn("Suppressor.unused")(function* (
  items: ReadonlyArray<MergedItem>,
  change: Change,
  coverage: ReadonlyArray<FileCoverage>
) {
  const sources = yield* Sources
  const { rules } = yield* RuleSet
  const ids = idsOf(rules)
  const unusedRule = rules.find(
    (rule): rule is RepositoryRule => rule._tag === "Repository" && rule.id === unusedSuppressionRule
  )
  const records: Array<ReviewRecord> = []
  const notes: Array<string> = []
  const deleted = deletedLines(change.diff)
  const whole = coverage.filter(({ reason, status }) => status === "reviewed" && reason === "")
  for (const path of new Set(whole.map(({ path }) => path))) {
    const file = filesOfDiff(change.diff).at(path)
    const source = yield* sources.head(path)
    if (file === undefined || source._tag !== "Text") continue
    const { found } = suppressionsIn(source.lines, lexiconOf(path))
    if (found.length === 0) continue
    const added = new Set(addedLines(file).map(({ line }) => line))
    const isNew = (line: number) => added.has(line) && !deleted.hasMostOf([source.lines[line - 1] ?? ""])
    const claims = items.flatMap(
      ({ record, merged }): ReadonlyArray<ClaimedLine> =>
        record.file === path ? [record, ...merged].map(({ line, rule }) => ({ line, rule: rule ?? "" })) : []
    )
    for (const { line, patterns, target } of found) {
      const at = { path, line: target, isNew: isNew(target) }
      if (!at.isNew && !isNew(line)) continue
      const reasons = patterns.flatMap((pattern) => whyUnused(pattern, at, claims, rules) ?? [])
      // A comment with an unknown rule is meant for another one.
      const isOfNoUse =
        reasons.length === patterns.length && patterns.every((pattern) => unknownRule(pattern, ids) === null)
      const text = source.lines[line - 1] ?? ""
      const suggestion = isOfNoUse ? withoutSuppression(text) : null
      for (const why of reasons) {
        if (!isNew(line)) notes.push(`${path}:${line}: this dd-ignore comment suppresses nothing: ${why}`)
        else if (unusedRule !== undefined) records.push(unusedRecord(unusedRule, path, { line, suggestion, text }, why))
      }
    }
  }
  yield* Effect.forEach(notes, (note) => Effect.logWarning(note), { discard: true })
  return { records, notes }
})

const nothing: ReadonlySet<string> = new Set()

interface ClaimedLine {
  readonly line: number
  readonly rule: string
}

/** The line a comment applies to. */
interface Target {
  readonly path: string
  readonly line: number
  readonly isNew: boolean
}

const unusedRecord = (
  rule: RepositoryRule,
  path: string,
  { line, suggestion, text }: { readonly line: number; readonly suggestion: string | null; readonly text: string },
  why: string
) => {
  const comment = /dd-ignore(?:-next-line)?(?:\s+[\w/*,-]+)*/.exec(text)
  const range = comment === null ? { line } : matchOf(line, comment)
  const claim = suggestion === null ? range : { ...range, suggestion }
  return ReviewRecord.make({ ...recordOf(rule, claim, path, undefined), description: `${rule.title}: ${why}.` })
}

/** Entries of the ignore file that name an unknown rule. */
const mistakenEntries = (entries: ReadonlyArray<IgnoreEntry>, ids: ReadonlySet<string>): ReadonlyArray<string> =>
  entries.flatMap(({ line, pattern }) => {
    const unknown = pattern === null ? null : unknownRule(pattern, ids)
    return unknown === null ? [] : [`${ignoreFileName}:${line}: ${pattern}: ${unknown}`]
  })

const edits = (change: Change): boolean =>
  change.diff.files.some((file) => file.path === ignoreFileName || file.oldPath === ignoreFileName)

const byComment = (
  finding: Finding,
  file: Suppressions | undefined,
  hunks: HunkIndex
): Omit<Suppressed, "finding"> | null => {
  const comment = file?.found.find(
    ({ target, patterns }) => target === finding.line && patterns.some((pattern) => namesFinding(pattern, finding))
  )
  return comment === undefined
    ? null
    : {
        ...suppressedAt(finding.file, comment.line),
        reason: comment.reason,
        addedByChange: hunks.isAdded(finding.file, comment.line)
      }
}

/** Existing comments that name an unknown rule, if a finding is on their line. `unused` reports the new ones. */
const mistaken = (
  kept: ReadonlyArray<Finding>,
  files: ReadonlyMap<string, Suppressions>,
  hunks: HunkIndex,
  ids: ReadonlySet<string>
): ReadonlyArray<string> => {
  const places = new Set(kept.map(({ file, line }) => `${line}:${file}`))
  return [...files].flatMap(([path, { found }]) =>
    found
      .filter(({ line, target }) => !hunks.isAdded(path, line) && places.has(`${target}:${path}`))
      .flatMap(({ line, patterns }) =>
        patterns.flatMap((pattern) => {
          const unknown = unknownRule(pattern, ids)
          return unknown === null ? [] : [`${path}:${line}: dd-ignore comment: ${pattern}: ${unknown}`]
        })
      )
  )
}

const byIgnoreFile = (finding: Finding, entries: ReadonlyArray<IgnoreEntry>): Omit<Suppressed, "finding"> | null => {
  const entry = entries.find(({ covers }) => covers(finding))
  return entry === undefined
    ? null
    : { ...suppressedAt(ignoreFileName, entry.line), reason: entry.reason, addedByChange: false }
}

const suppressedAt = (file: string, line: number) => ({ by: `${file}:${line}`, place: { file, line } })

const byLearned = (
  finding: Finding,
  suppressions: ReadonlyArray<LearnedSuppression>,
  now: number
): Omit<Suppressed, "finding"> | null => {
  const found = suppressions.find((suppression) => hides(suppression, finding, now))
  if (found === undefined) return null
  const { accepted, folder, id, rejected } = found
  const counts = `people rejected ${rejected} of ${rejected + accepted} findings of this rule in ${folderWords(folder)}`
  return {
    by: `learned ${id}`,
    place: null,
    learned: id,
    reason: `${counts}; dd dream why ${id}`,
    addedByChange: false
  }
}

const learnedNote = (suppressed: ReadonlyArray<Suppressed>): ReadonlyArray<string> => {
  const count = suppressed.filter(({ place }) => place === null).length
  if (count === 0) return []
  return [
    `${count === 1 ? "1 finding is" : `${count} findings are`} hidden by what dd learned from labels; --no-learned shows all`
  ]
}

const remarks = (
  change: Change,
  suppressed: ReadonlyArray<Suppressed>,
  files: ReadonlyMap<string, Suppressions>
): ReadonlyArray<string> => [
  ...learnedNote(suppressed),
  ...(edits(change) ? [`This change edits ${ignoreFileName}; its version before the change was used.`] : []),
  ...new Set(
    suppressed
      .filter(({ addedByChange }) => addedByChange)
      .map(({ finding, by, reason }) => `${by}: this change itself suppresses ${finding.rule} (${reason})`)
  ),
  ...[...files].flatMap(([path, { malformed }]) =>
    malformed.map(({ line, problem }) => `${path}:${line}: this dd-ignore comment does nothing: ${problem}`)
  )
]
