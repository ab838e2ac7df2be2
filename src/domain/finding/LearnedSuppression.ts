/**
 * A suppression that dd learned from labels: findings of one rule in one folder that people rejected. A review hides what it
 * matches and names its evidence; `--no-learned` shows everything.
 */
import { Schema } from "effect"
import { isInFolder, rootFiles } from "../text/foldersAbove.ts"
import { atLeast, type Finding, Severity } from "./Finding.ts"

/** A label that something was learned from: session id, number of the finding. It resolves while the archive has the label. */
export const LabelRef = Schema.Struct({ session: Schema.String, finding: Schema.Int })
export type LabelRef = typeof LabelRef.Type

export const LearnedSuppression = Schema.Struct({
  /** `sup-` and 16 hex digits of the digest of rule and folder: equal on each night. */
  id: Schema.String,
  rule: Schema.String,
  /** With a slash at the end; "" is the whole repository, "./" the files of its root directory. */
  folder: Schema.String,
  /** Rejected findings, and accepted ones, that it would have hidden when it was learned. */
  rejected: Schema.Int,
  accepted: Schema.Int,
  evidence: Schema.Array(LabelRef),
  /** Milliseconds since 1970. It hides nothing from `expires` on. */
  since: Schema.Int,
  expires: Schema.Int,
  /** The highest of the rejected findings: it hides nothing above. Absent: no limit. */
  severity: Schema.optionalKey(Severity)
})
export type LearnedSuppression = typeof LearnedSuppression.Type

/** Secrets, and the claims of models, whose rule does not tell what they report. */
const isAlwaysShown = (rule: string): boolean => rule.startsWith("secret/") || rule.startsWith("model/")

export const hides = (
  suppression: Pick<LearnedSuppression, "expires" | "folder" | "rule" | "severity">,
  finding: Pick<Finding, "file" | "rule" | "severity">,
  now: number
): boolean =>
  finding.rule === suppression.rule &&
  !isAlwaysShown(finding.rule) &&
  isInFolder(finding.file, suppression.folder) &&
  (suppression.severity === undefined || atLeast(suppression.severity, finding.severity)) &&
  now < suppression.expires

export const folderWords = (folder: string): string =>
  folder === "" ? "this repository" : folder === rootFiles ? "files of the root directory" : folder
