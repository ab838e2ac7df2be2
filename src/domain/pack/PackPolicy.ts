/** What the user and the repository say about the files of a pack. Patterns are those of `PathGlob`. */
import { pathGlob } from "../text/PathGlob.ts"
import { hiddenReason, type OmissionReason, relatedReason } from "./Omission.ts"

export interface PackPolicy {
  readonly exclude: ReadonlyArray<string>
  /** Files that no filter leaves out, except those with secrets. */
  readonly include: ReadonlyArray<string>
  /** Paths, or names of definitions, that matter as much as the change. */
  readonly focus: ReadonlyArray<string>
}

export const noPolicy: PackPolicy = { exclude: [], include: [], focus: [] }

/** Why a file is left out because of its name; null if it is not. */
export const filterOf = ({ exclude, include }: PackPolicy) => {
  const excludes = exclude.map(pathGlob)
  const includes = include.map(pathGlob)
  const isExcluded = (path: string) => excludes.some((matches) => matches(path))
  const isIncluded = (path: string) => includes.some((matches) => matches(path))
  const isSecret = (reason: OmissionReason | null) => reason === "filtered:env" || reason === "filtered:secret"
  const decide = (path: string, reason: OmissionReason | null): OmissionReason | null => {
    if (isExcluded(path)) return "filtered:config-exclude"
    return isIncluded(path) && !isSecret(reason) ? null : reason
  }
  return {
    changed: (path: string) => decide(path, hiddenReason(path)),
    related: (path: string) => decide(path, relatedReason(path)),
    isIncluded
  }
}
