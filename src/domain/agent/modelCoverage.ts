/** The files that a model has reviewed: it saw every changed line of them and reports them as reviewed. */

import { type FileCoverage, isWithoutRules } from "../change/Coverage.ts"
import type { DiffFile, Hunk } from "../change/Diff.ts"
import { isMachineWritten } from "../change/PathKind.ts"
import { changedLines, type SeenLines, unseen } from "../change/SeenLines.ts"
import { someNames } from "../text/plural.ts"

export interface ModelReading {
  readonly seen: ReadonlyArray<SeenLines>
  /** The coverage that the model reports, by path. */
  readonly reported: ReadonlyMap<string, FileCoverage>
}

/** `proven`: the coverage of dd's rules; a file that they skip needs no review, unless they lack its language. */
export const modelCoverage = (
  files: ReadonlyArray<DiffFile>,
  { reported, seen }: ModelReading,
  proven: ReadonlyArray<FileCoverage>
): ReadonlyArray<FileCoverage> => {
  const byRules = new Map(proven.map((entry) => [entry.path, entry]))
  const left = new Map(unseen(files, seen).map((file) => [file.path, file]))
  return files.map((file): FileCoverage => {
    const { hunks, path } = file
    const rules = byRules.get(path)
    if (rules !== undefined && (isSkipped(rules) || hunks.length === 0)) return rules
    const unread = (reason: string): FileCoverage => ({ path, status: "unread", reason })
    if (file.unread !== undefined) return unread(file.unread)
    const rest = left.get(path)
    if (rest !== undefined) {
      return isMachineWritten(path)
        ? { path, status: "skipped", reason: "generated or vendored: not shown to the model" }
        : unread(unseenWords(rest, file))
    }
    return reportedCoverage(path, reported)
  })
}

const isSkipped = (entry: FileCoverage): boolean => entry.status === "skipped" && !isWithoutRules(entry)

/** The coverage that a reviewer reports; a file that it does not name is unread. */
export const reportedCoverage = (path: string, reported: ReadonlyMap<string, FileCoverage>): FileCoverage => {
  const word = reported.get(path)
  // The reason of a reviewed file describes a partial review, but every changed line was seen.
  if (word?.status === "reviewed") return { path, status: "reviewed", reason: "" }
  const why = word === undefined ? "not reported as read by its reviewer" : "not read by its reviewer"
  return { path, status: "unread", reason: word?.reason || why }
}

/** The files that a further agent has to review: unread ones, reduced to the unseen lines if there are any. */
export const remainingOf = (
  files: ReadonlyArray<DiffFile>,
  seen: ReadonlyArray<SeenLines>,
  coverage: ReadonlyArray<FileCoverage>
): ReadonlyArray<DiffFile> => {
  const unread = new Set(coverage.filter(({ status }) => status === "unread").map(({ path }) => path))
  const left = new Map(unseen(files, seen).map((file) => [file.path, file]))
  return files
    .filter(
      ({ hunks, path, unread: why }) => unread.has(path) && hunks.length > 0 && (why === undefined || left.has(path))
    )
    .map((file) => left.get(file.path) ?? file)
}

const unseenWords = (rest: DiffFile, file: DiffFile): string => {
  if (changedLines([rest]) === changedLines([file])) return "not shown to the model, and the model did not read it"
  const { hunks } = rest
  const all = file.hunks.length
  return `the model did not see ${hunks.length} of ${all} ${all === 1 ? "hunk" : "hunks"} whole (${someNames(hunks.map(placeOf), 3)})`
}

const placeOf = ({ newCount, newStart, oldCount, oldStart }: Hunk): string => {
  const [start, count] = newCount === 0 ? [oldStart, oldCount] : [newStart, newCount]
  return count <= 1 ? `line ${start}` : `lines ${start}-${start + count - 1}`
}
