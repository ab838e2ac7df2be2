/**
 * Sets aside the findings a user asked not to see, and shows by what and why.
 *
 * Comments are read on the head side, `.daydreamignore` on the base side. A comment the change itself adds
 * is honoured and noted: whoever reads the review sees that the change silenced it.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { baselineFileName, readBaseline } from "../domain/Baseline.ts"
import type { Change } from "../domain/Change.ts"
import type { Finding, Suppressed } from "../domain/Finding.ts"
import { HunkIndex } from "../domain/HunkIndex.ts"
import { type IgnoreEntry, ignoreFileName, readIgnoreFile } from "../domain/IgnoreFile.ts"
import { isFingerprint, namesFinding, namesRule } from "../domain/RulePattern.ts"
import { didYouMean, nearest } from "../domain/Suggestion.ts"
import { type Suppressions, suppressionsIn } from "../domain/Suppression.ts"
import { RuleSet, shippedRules } from "./RuleSet.ts"
import { Sources } from "./Sources.ts"

export class IgnoreFileInvalid extends Schema.TaggedError<IgnoreFileInvalid>()("IgnoreFileInvalid", {
  path: Schema.String,
  line: Schema.Int,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path}:${this.line} (base): ${this.problem}`
  }
}

export interface Silenced {
  readonly kept: ReadonlyArray<Finding>
  readonly suppressed: ReadonlyArray<Suppressed>
  /** Sentences the reader should know. */
  readonly notes: ReadonlyArray<string>
}

export class Suppressor extends Context.Service<
  Suppressor,
  {
    readonly sift: (findings: ReadonlyArray<Finding>, change: Change) => Effect.Effect<Silenced, IgnoreFileInvalid>
  }
>()("dd/services/Suppressor") {
  static readonly layer = Layer.effect(
    Suppressor,
    Effect.gen(function* () {
      const sources = yield* Sources
      const ids = new Set([...shippedRules, ...(yield* RuleSet).rules].map(({ id }) => id))

      const ignored = Effect.fnUntraced(function* (change: Change) {
        // A patch alone can say anything of a base it does not have; only a repository's base is policy.
        if (change.base._tag === "Unknown") return { entries: [], notes: [] }
        const file = yield* sources.base(ignoreFileName)
        if (file._tag === "Absent") return { entries: [], notes: [] }
        if (file._tag !== "Text")
          return { entries: [], notes: [`${ignoreFileName} could not be read and was not used`] }
        const read = readIgnoreFile(file.lines)
        if (Result.isFailure(read) && edits(change)) {
          // The change that mends a broken file must be reviewable.
          const { line, problem } = read.failure
          return { entries: [], notes: [`${ignoreFileName}:${line} (base) was not used: ${problem}`] }
        }
        if (Result.isFailure(read)) return yield* new IgnoreFileInvalid({ path: ignoreFileName, ...read.failure })
        return { entries: read.success, notes: [] }
      })

      const comments = Effect.fnUntraced(function* (path: string) {
        const file = yield* sources.head(path)
        return file._tag === "Text" ? suppressionsIn(path, file.lines) : { found: [], malformed: [] }
      })

      /** A change may not quietly put its own findings into the baseline. */
      const excused = Effect.fnUntraced(function* (findings: ReadonlyArray<Finding>, change: Change) {
        if (!change.diff.files.some((file) => file.path === baselineFileName)) return []
        const file = yield* sources.base(baselineFileName)
        const before = file._tag === "Text" ? Result.getOrElse(readBaseline(file.text), () => nothing) : nothing
        const count = findings.filter((finding) => !finding.new && !before.has(finding.fingerprint)).length
        if (count === 0) return []
        const known = count === 1 ? "1 finding counts" : `${count} findings count`
        return [`${known} as known only because this change adds to ${baselineFileName}`]
      })

      const sift = Effect.fn("Suppressor.sift")(function* (findings: ReadonlyArray<Finding>, change: Change) {
        const { entries, notes } = yield* ignored(change)
        const hunks = new HunkIndex(change.diff)
        const files = new Map<string, Suppressions>()
        for (const path of new Set(findings.map((finding) => finding.file))) files.set(path, yield* comments(path))

        const kept: Array<Finding> = []
        const suppressed: Array<Suppressed> = []
        for (const finding of findings) {
          const by = byComment(finding, files.get(finding.file), hunks) ?? byIgnoreFile(finding, entries)
          if (by === null) kept.push(finding)
          else suppressed.push({ finding, ...by })
        }
        const known = yield* excused(kept, change)
        const unknown = mistaken(kept, files, hunks, new Set([...ids, ...findings.map(({ rule }) => rule)]))
        return { kept, suppressed, notes: [...notes, ...known, ...remarks(change, suppressed, files), ...unknown] }
      })

      return Suppressor.of({ sift })
    })
  )
}

const nothing: ReadonlySet<string> = new Set()

const edits = (change: Change): boolean =>
  change.diff.files.some((file) => file.path === ignoreFileName || file.oldPath === ignoreFileName)

const byComment = (
  finding: Finding,
  file: Suppressions | undefined,
  hunks: HunkIndex
): Omit<Suppressed, "finding"> | null => {
  const said = file?.found.find(
    ({ target, patterns }) => target === finding.line && patterns.some((pattern) => namesFinding(pattern, finding))
  )
  return said === undefined
    ? null
    : { by: `${finding.file}:${said.line}`, reason: said.reason, addedByChange: hunks.isAdded(finding.file, said.line) }
}

/**
 * Comments that name a rule nobody has, where somebody will wonder: they are new, or what they should silence is
 * still there. Others may have been written for another's rules.
 */
const mistaken = (
  kept: ReadonlyArray<Finding>,
  files: ReadonlyMap<string, Suppressions>,
  hunks: HunkIndex,
  ids: ReadonlySet<string>
): ReadonlyArray<string> => {
  const places = new Set(kept.map(({ file, line }) => `${line}:${file}`))
  const isKnown = (pattern: string) => isFingerprint(pattern) || [...ids].some((id) => namesRule(pattern, id))
  return [...files].flatMap(([path, { found }]) =>
    found
      .filter(({ line, target }) => hunks.isAdded(path, line) || places.has(`${target}:${path}`))
      .flatMap(({ line, patterns }) =>
        patterns
          .filter((pattern) => !isKnown(pattern))
          .map(
            (pattern) =>
              `${path}:${line}: this dd-ignore comment names ${pattern}, and there is no such rule${didYouMean(nearest(pattern, ids))}`
          )
      )
  )
}

const byIgnoreFile = (finding: Finding, entries: ReadonlyArray<IgnoreEntry>): Omit<Suppressed, "finding"> | null => {
  const entry = entries.find(({ covers }) => covers(finding))
  return entry === undefined
    ? null
    : { by: `${ignoreFileName}:${entry.line}`, reason: entry.reason, addedByChange: false }
}

const remarks = (
  change: Change,
  suppressed: ReadonlyArray<Suppressed>,
  files: ReadonlyMap<string, Suppressions>
): ReadonlyArray<string> => [
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
