/** Artifacts that are alike in other words: found by a text, or by each other. Pure; its figures are in docs/dream.md. */
import { type Artifact, subjectOf } from "../Artifact.ts"
import { withoutDetails } from "../artifacts/details.ts"
import { codeOf, errorSignature } from "../errorSignature.ts"
import { codesIn, lexicalVector, similarity } from "./lexicalVector.ts"

/** The least cosine. On the pairs of the building half, nine of ten that reach it mean the same. */
export const alikeFrom = 0.7

/** What to do, in words that any session shares. */
export const adviceOf = (given: Artifact): string => {
  const artifact = withoutDetails(given)
  switch (artifact.type) {
    case "DreamPlaybook":
      return artifact.sequence.join(", ")
    case "RepairPattern":
      return artifact.fix_action
    case "ProjectConvention":
      return artifact.pattern
    case "SuccessfulSequence":
      return artifact.steps.join(", ")
  }
}

/** Those whose subject has at least this cosine with a text, the most alike first. `subjects`: their vectors, in order. */
export const mostAlike = <A extends Artifact>(
  artifacts: ReadonlyArray<A>,
  text: Float32Array,
  subjects: ReadonlyArray<Float32Array>,
  least: number
): ReadonlyArray<A> =>
  artifacts
    .map((artifact, at) => ({ artifact, cosine: similarity(text, subjects[at]!) }))
    .filter(({ cosine }) => cosine >= least)
    .sort((a, b) => b.cosine - a.cosine || b.artifact.confidence - a.artifact.confidence)
    .map(({ artifact }) => artifact)

/** Those with an error code that a text has, or one of the same mistake, and those with the text in their words. */
export const namedBy = <A extends Artifact>(artifacts: ReadonlyArray<A>, text: string) => {
  const code = codeOf(errorSignature(text, null)?.trigger ?? "")
  const codes = codesIn(text)
  const words = text.trim().toLowerCase()
  const isExact = (artifact: A) => code !== null && codeOf(triggerOf(artifact)) === code
  return {
    byCode: [
      ...artifacts.filter(isExact),
      ...artifacts.filter((artifact) => !isExact(artifact) && !codes.isDisjointFrom(codesIn(wordsOf(artifact))))
    ],
    byWords: artifacts.filter((artifact) => words !== "" && wordsOf(artifact).toLowerCase().includes(words))
  }
}

const wordsOf = (artifact: Artifact): string => `${subjectOf(artifact)}\n${adviceOf(artifact)}`

const triggerOf = (artifact: Artifact): string => {
  const subject = subjectOf(artifact)
  return artifact.type === "RepairPattern" ? (errorSignature(subject, null)?.trigger ?? "") : subject
}

/** The same by lexical vectors. Those of the artifacts are computed once, for the first text. */
export const lexicalSearch = <A extends Artifact>(artifacts: ReadonlyArray<A>) => {
  let subjects: ReadonlyArray<Float32Array> | null = null
  return (text: string): ReadonlyArray<A> => {
    subjects ??= artifacts.map((artifact) => lexicalVector(subjectOf(artifact)))
    return mostAlike(artifacts, lexicalVector(text), subjects, alikeFrom)
  }
}

/** Pairs of one type that are about the same and advise the same, the most alike first. */
export const alikePairs = (artifacts: ReadonlyArray<Artifact>): ReadonlyArray<readonly [Artifact, Artifact]> => {
  const known = artifacts.map((artifact) => ({
    artifact,
    subject: lexicalVector(subjectOf(artifact)),
    advice: lexicalVector(adviceOf(artifact))
  }))
  return known
    .flatMap((a, at) =>
      known.slice(at + 1).flatMap((b) => {
        const cosine = Math.min(similarity(a.subject, b.subject), similarity(a.advice, b.advice))
        const isPair = a.artifact.type === b.artifact.type && cosine >= alikeFrom
        return isPair ? [{ pair: [a.artifact, b.artifact] as const, cosine }] : []
      })
    )
    .sort((a, b) => b.cosine - a.cosine)
    .map(({ pair }) => pair)
}
