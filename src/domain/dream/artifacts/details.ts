/**
 * Details of the steps of repairs: the file or the command of the session, in brackets after the words that any session shares.
 * They are no part of what makes two repairs the same, and only those that all sessions have are kept.
 */
import type { ArtifactBody } from "../Artifact.ts"

/** Null: it has none, or several. */
export const detailed = (words: string, detail: string | null): string =>
  detail === null || words.endsWith(` ${detail}`) ? words : `${words} (${detail})`

export const withoutDetail = (step: string): string => step.replace(/ \([^()]*\)$/, "")

const separator = ", then "

const mapSteps = (body: ArtifactBody, step: (words: string, at: number) => string): ArtifactBody => {
  switch (body.type) {
    case "DreamPlaybook":
      return { ...body, sequence: body.sequence.map(step) }
    case "RepairPattern":
      return { ...body, fix_action: body.fix_action.split(separator).map(step).join(separator) }
    default:
      return body
  }
}

export const withoutDetails = (body: ArtifactBody): ArtifactBody => mapSteps(body, withoutDetail)

/** The first, with the details that the other one has, too. They differ in details at most. */
export const withSharedDetails = (body: ArtifactBody, other: ArtifactBody): ArtifactBody => {
  const others: Array<string> = []
  mapSteps(other, (words) => {
    others.push(words)
    return words
  })
  return mapSteps(body, (words, at) => (others[at] === words ? words : withoutDetail(words)))
}
