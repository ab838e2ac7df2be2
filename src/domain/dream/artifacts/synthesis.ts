/**
 * Which artifacts a model is asked about, and which of its summaries are valid. Pure.
 *
 * The same artifact is not asked about twice: what was sent of it is remembered by its digest. Figures and sessions are not
 * sent, so new evidence for the same words changes nothing.
 */
import { Schema } from "effect"
import { type Artifact, ArtifactBody, type ModelSummary, subjectOf } from "../Artifact.ts"
import { lexicalSearch } from "../similar/alike.ts"
import { type ArtifactBase, type Digest, type Synthesis, wordingOf } from "./ArtifactBase.ts"
import { doubt } from "./budget.ts"
import { withoutDetails } from "./details.ts"

/** What a model is given of an artifact, beside its id. */
export const bodyOf = (artifact: Artifact): ArtifactBody => withoutDetails(decodeBody(artifact))
const decodeBody: (artifact: Artifact) => ArtifactBody = Schema.decodeUnknownSync(ArtifactBody)

export const inputDigest = (artifact: Artifact, digest: Digest): string =>
  digest(wordingOf(bodyOf(artifact))).slice(0, 16)

/** Of one request. */
const mostArtifacts = 30
const mostBytes = 16_000
/** Artifacts that may be the same as one that is asked about are sent with it. */
const mostAlike = 3

/** Those that no model was asked about, with others that are like them; empty: there is nothing to ask. */
export const artifactsToAsk = (
  artifacts: ReadonlyArray<Artifact>,
  { synthesis }: ArtifactBase,
  digest: Digest
): ReadonlyArray<Artifact> => {
  const chosen = new Set<Artifact>()
  let bytes = 0
  const add = (artifact: Artifact) => {
    const size = new TextEncoder().encode(wordingOf(bodyOf(artifact))).length
    if (chosen.has(artifact) || chosen.size === mostArtifacts || bytes + size > mostBytes) return
    chosen.add(artifact)
    bytes += size
  }
  const search = lexicalSearch(artifacts)
  for (const artifact of artifacts) {
    if (artifact.confidence < doubt || synthesis?.asked[artifact.id] === inputDigest(artifact, digest)) continue
    add(artifact)
    const alike = search(subjectOf(artifact)).filter(({ id, type }) => type === artifact.type && id !== artifact.id)
    for (const each of alike.slice(0, mostAlike)) add(each)
  }
  return [...chosen]
}

/** What a model answered to one request. */
export interface SynthesisAnswer {
  readonly asked: ReadonlyArray<Artifact>
  readonly summaries: ReadonlyArray<{ readonly ids: ReadonlyArray<string>; readonly text: string }>
  readonly model: string
  readonly costUsd: number | null
}

/** Ids that are remembered beyond the artifacts that exist now. */
const mostRemembered = 1_000

/** A new summary replaces those of the same artifacts. */
export const withAnswer = (base: ArtifactBase, answer: SynthesisAnswer, now: number, digest: Digest): ArtifactBase => {
  const { asked, summaries }: Synthesis = base.synthesis ?? { asked: {}, summaries: [] }
  const digests = new Map(answer.asked.map((artifact) => [artifact.id, inputDigest(artifact, digest)]))
  const replaced = new Set(answer.summaries.flatMap(({ ids }) => ids))
  const others = Object.entries(asked).filter(([id]) => !digests.has(id))
  return {
    ...base,
    synthesis: {
      asked: Object.fromEntries([...others, ...digests].slice(-mostRemembered)),
      summaries: [
        ...summaries.filter(({ of }) => !Object.keys(of).some((id) => replaced.has(id))),
        ...answer.summaries.map(({ ids, text }) => ({
          text,
          of: Object.fromEntries(ids.map((id) => [id, digests.get(id)!])),
          model: answer.model,
          at: now,
          costUsd: answer.costUsd
        }))
      ].slice(-mostRemembered)
    }
  }
}

/** By id. A summary is valid if all artifacts that it is about exist and are as the model was given them. */
export const validSummaries =
  ({ synthesis }: ArtifactBase, digest: Digest) =>
  (artifacts: ReadonlyArray<Artifact>): ReadonlyMap<string, ModelSummary> => {
    if (synthesis === undefined) return new Map()
    const digests = new Map(artifacts.map((artifact) => [artifact.id, inputDigest(artifact, digest)]))
    return new Map(
      synthesis.summaries.flatMap(({ at, costUsd, model, of, text }) => {
        const inputs = Object.entries(of)
        if (inputs.some(([id, input]) => digests.get(id) !== input)) return []
        return inputs.map(([id, input]) => {
          const same = inputs.flatMap(([other]) => (other === id ? [] : [other]))
          return [id, { text, same, model, at: Math.floor(at / 1_000), cost_usd: costUsd, input }] as const
        })
      })
    )
  }

/** Without the summaries of an artifact, which is not asked about again. */
export const withoutSummary = (base: ArtifactBase, id: string): ArtifactBase =>
  base.synthesis === undefined
    ? base
    : {
        ...base,
        synthesis: { ...base.synthesis, summaries: base.synthesis.summaries.filter(({ of }) => !Object.hasOwn(of, id)) }
      }
