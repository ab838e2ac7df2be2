/** The coverage ledger: every file of the diff gets exactly one of three states; an unread file is never shown as clean. */

import { compareText } from "../text/compareText.ts"

export interface FileCoverage {
  readonly path: string
  readonly status: "reviewed" | "skipped" | "unread"
  /** Why it was skipped or not read; for a reviewed file, the part that was not checked, or "". */
  readonly reason: string
}

export interface Coverage {
  readonly filesInDiff: number
  readonly filesReviewed: number
  readonly files: ReadonlyArray<FileCoverage>
}

/** A file in a language without rules: only checks of any text apply to it. */
export const withoutRules = (language: string, isOff = false): Omit<FileCoverage, "path"> => ({
  status: "skipped",
  reason: `${noRules} ${language}${isOff ? " are enabled" : ""}; searched only for secrets, conflict markers, hidden characters and prompt injection`
})

export const isWithoutRules = ({ reason, status }: FileCoverage): boolean =>
  status === "skipped" && reason.startsWith(noRules)

const noRules = "no rules for"

const strength = { reviewed: 2, skipped: 1, unread: 0 } as const

/** One entry for each path of the diff, sorted by path: the strongest status that a reviewer reported, else unread. */
export const ledger = (paths: ReadonlyArray<string>, reported: ReadonlyArray<FileCoverage>): Coverage => {
  const best = new Map<string, FileCoverage>()
  for (const entry of reported) {
    const known = best.get(entry.path)
    if (known === undefined || strength[entry.status] > strength[known.status]) best.set(entry.path, entry)
  }
  const files = [...new Set(paths)]
    .sort(compareText)
    .map((path): FileCoverage => best.get(path) ?? { path, status: "unread", reason: "no reviewer reported on it" })
  return { filesInDiff: files.length, filesReviewed: files.filter((f) => f.status === "reviewed").length, files }
}
