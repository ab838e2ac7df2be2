/** Sentences at the top of a report: who reviewed, and which settings and rules applied. */
import { Option } from "effect"
import type { CostLimit } from "../../domain/agent/RunCost.ts"
import type { Change } from "../../domain/change/Change.ts"
import { repositoryRuleFolder } from "../../domain/finding/UserRule.ts"
import { type Loop, passWords } from "../../domain/review/Loop.ts"
import type { Pass } from "../../domain/review/Pass.ts"
import { type BackendChoice, everyAnswerer } from "../../domain/run/BackendChoice.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { originText } from "../../domain/run/Setting.ts"
import { plural } from "../../domain/text/plural.ts"
import { repositoryFileNames } from "../../services/run/Settings.ts"
import type { ReviewFlags } from "./reviewFlags.ts"

/** `reviewers`: the backends that reviewed files; `hasAnswered`: a reviewer has answered, whatever it covers. */
export const reviewersNote = (
  backendChoice: BackendChoice,
  rules: number,
  reviewers: ReadonlyArray<string>,
  hasAnswered: boolean
): string => {
  const extent = plural(rules, "rule")
  const models = reviewers.filter((name) => name !== "static")
  if (models.length > 0) return `Reviewed by ${models.join(", ")} and by static checks: ${extent}.`
  if (everyAnswerer(backendChoice).every(({ backend }) => backend === "static")) {
    return `Static checks only: ${extent}. For a review by a model, add --backend; dd doctor lists the backends.`
  }
  if (hasAnswered && reviewers.length === 0) {
    return `A model answered, but no file counts as reviewed by it: it saw or named none completely. Static checks: ${extent}.`
  }
  return `Static checks only: ${extent}. No model reviewed this change.`
}

/** Of `dd feedback`. */
export const feedbackNotes = (asksModel: boolean): ReadonlyArray<string> =>
  asksModel
    ? []
    : [
        "Without a model, only suggestions that replace the lines of their comment are applied. For the other comments, add --backend; dd doctor lists the backends."
      ]

export const costLimitOf = ({ maxCost: { origin, value } }: ReviewSettings): CostLimit => ({
  usd: value,
  isDefault: origin._tag === "Default"
})

/** Flags about a model, in a review without one. */
export const unusedFlagsNote = (flags: ReviewFlags): ReadonlyArray<string> => {
  const given = [
    ...(Option.isSome(flags.model) ? ["--model"] : []),
    ...(Option.isSome(flags.skill) ? ["--skill"] : []),
    ...(Option.isSome(flags.instructions) ? ["--instructions"] : []),
    ...(Option.isSome(flags.maxCost) ? ["--max-cost"] : [])
  ]
  if (given.length === 0) return []
  return [`${given.join(" and ")} had no effect: no model is used. Choose one with --backend.`]
}

/** What the passes of the loop did, a sentence each. */
export const passNotes = (loop: Loop | null, passes: ReadonlyArray<Pass>): ReadonlyArray<string> =>
  loop === null ? [] : passes.map((pass, at) => `${passWords(pass, at + 1, loop)}.`)

export const notArchivedNote =
  "This run is not archived: there is no home directory (HOME, DD_HOME or DAYDREAM_ARCHIVE_DIR)."

/** A change does not affect its own review. */
export const editedPolicyNotes = (change: Change): ReadonlyArray<string> =>
  [
    ...editedSettingsFiles(change).filter((name) => name === ".daydream.toml"),
    ...(change.diff.files.some(({ path, oldPath }) => isRepositoryRule(path) || isRepositoryRule(oldPath ?? ""))
      ? [repositoryRuleFolder]
      : [])
  ].map((edited) => `This change edits ${edited}; its version before the change was used.`)

const isRepositoryRule = (path: string): boolean => path.startsWith(`${repositoryRuleFolder}/`)

/** Settings files of the repository that the change edits. */
export const editedSettingsFiles = (change: Change): ReadonlyArray<string> =>
  repositoryFileNames.filter((name) => change.diff.files.some(({ path, oldPath }) => path === name || oldPath === name))

export const disabledRulesNote = ({ rulesDisable }: ReviewSettings): ReadonlyArray<string> =>
  rulesDisable.length === 0
    ? []
    : [`Rules not applied: ${rulesDisable.map(({ value, origin }) => `${value} (${originText(origin)})`).join(", ")}.`]
