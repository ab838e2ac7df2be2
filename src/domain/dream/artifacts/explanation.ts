/** Where an artifact comes from, what its confidence is made of, and when it would be removed. Pure. */

import type { Artifact } from "../Artifact.ts"
import { decayed, type Evidence } from "../confidence.ts"
import { sessionKey } from "../SessionEvent.ts"
import type { SessionProfile } from "../SessionProfile.ts"
import { type ArtifactBase, artifactOfEntry, type Digest, dayOf, wordingOf } from "./ArtifactBase.ts"
import { evidenceAt } from "./artifactsOf.ts"
import { removalOrder } from "./budget.ts"

/** What one session observed. */
export interface Witness {
  readonly session: string
  readonly host: SessionProfile["host"]
  /** Milliseconds since 1970. */
  readonly at: number
  readonly s: number
  readonly f: number
  /** What its observations count now: 1 is all. */
  readonly weight: number
  /** What the repository showed to it, in addition. */
  readonly repository: Evidence | null
  /** It observed another value of the slot, or another wording. */
  readonly differs: boolean
}

export interface Explanation {
  /** Those with a profile, newest first. */
  readonly witnesses: ReadonlyArray<Witness>
  /** Sessions whose profile left the store. */
  readonly older: (Evidence & { readonly sessions: number; readonly from: number; readonly to: number }) | null
  /** 1: the first to be removed when a limit is reached. */
  readonly place: number
  readonly of: number
}

export const explanationOf = (
  artifact: Artifact,
  memory: {
    readonly artifacts: ReadonlyArray<Artifact>
    readonly base: ArtifactBase
    readonly profiles: ReadonlyArray<SessionProfile>
  },
  now: number,
  digest: Digest
): Explanation => {
  const isIt = ({ body, key }: { readonly body: { readonly type: Artifact["type"] }; readonly key: string }) =>
    artifactOfEntry(memory.base, { body, key }, digest) === artifact.id
  const entries = memory.base.entries.filter(isIt)
  const days = entries.flatMap((entry) => entry.days)
  const witnesses = memory.profiles
    .filter((profile) => memory.base.folded[sessionKey(profile)] === undefined)
    .flatMap((profile) =>
      profile.contributions.filter(isIt).map(
        ({ body, f, repository, s }): Witness => ({
          session: profile.session,
          host: profile.host,
          at: profile.endedAt,
          s,
          f,
          weight: decayed({ s: 1, f: 0 }, dayOf(now) - dayOf(profile.endedAt)).s,
          repository: repository ?? null,
          differs: !isSameWording(body, artifact)
        })
      )
    )
  const sum = entries
    .map((entry) => evidenceAt(entry, dayOf(now)))
    .reduce((a, b) => ({ s: a.s + b.s, f: a.f + b.f }), { s: 0, f: 0 })
  const order = removalOrder(memory.artifacts)
  return {
    witnesses,
    older:
      days.length === 0
        ? null
        : {
            ...sum,
            sessions: days.reduce((total, { sessions }) => total + sessions, 0),
            from: Math.min(...entries.map(({ first }) => first)),
            to: Math.max(...entries.map(({ last }) => last))
          },
    place: order.findIndex(({ id }) => id === artifact.id) + 1,
    of: order.length
  }
}

/** The artifact has the fields of the body, among others. */
const isSameWording = (body: Parameters<typeof wordingOf>[0], artifact: Artifact): boolean =>
  wordingOf(body) ===
  wordingOf(
    Object.fromEntries(Object.entries(artifact).filter(([name]) => name in body)) as Parameters<typeof wordingOf>[0]
  )
