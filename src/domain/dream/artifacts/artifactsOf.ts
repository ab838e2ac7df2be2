/**
 * The artifacts of a project, computed from its evidence: pure, the same for every order of the sessions.
 */
import { type Artifact, subjectOf } from "../Artifact.ts"
import { confidenceOf, decayed, type Evidence, isSupported } from "../confidence.ts"
import {
  type ArtifactBase,
  artifactId,
  artifactOfEntry,
  type Digest,
  dayOf,
  type Entry,
  type Observed,
  together,
  wordingOf
} from "./ArtifactBase.ts"

/** Those with enough evidence, in order of their ids. `now`: milliseconds since 1970. */
export const artifactsOf = (base: ArtifactBase, now: number, digest: Digest): ReadonlyArray<Artifact> => {
  const byId = Map.groupBy(base.entries, (entry) => artifactOfEntry(base, entry, digest))
  return [...byId]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id, entries]) => {
      const own = Map.groupBy(entries, ({ body, key }) => artifactId(body.type, key, digest))
      const ids = [id, ...[...own.keys()].filter((each) => each !== id).sort()].filter((each) => own.has(each))
      const parts = ids.map((each) => settled(own.get(each)!, dayOf(now)))
      const entry = parts.reduce(together)
      return wasSupported(entry) ? [artifactOf(base, id, entry, dayOf(now), parts.slice(1))] : []
    })
}

/**
 * One entry for all wordings of a key. A convention has one value for its slot, and what confirms another value counts
 * against it; of other types, the wording with most successes stands for all.
 */
export const settled = (entries: ReadonlyArray<Entry>, today: number): Entry => {
  const [best, ...others] = [...entries].sort(
    (a, b) => evidenceAt(b, today).s - evidenceAt(a, today).s || (wordingOf(a.body) < wordingOf(b.body) ? -1 : 1)
  )
  if (best!.body.type !== "ProjectConvention") return others.reduce(together, best!)
  const contrary = others.map(
    (other): Entry => ({
      ...other,
      days: other.days.map(({ day, s }) => ({ day, s: 0, f: s, sessions: 0 })),
      repository: other.repository === null ? null : { ...other.repository, s: 0, f: other.repository.s },
      sources: []
    })
  )
  return contrary.reduce(together, best!)
}

/** On a day. */
export const evidenceAt = ({ days, repository }: Pick<Entry, "days" | "repository">, day: number): Evidence =>
  [...days, ...(repository === null ? [] : [{ ...repository, day: dayOf(repository.at) }])].reduce(
    (sum, observed) => {
      const { f, s } = decayed(observed, day - observed.day)
      return { s: sum.s + s, f: sum.f + f }
    },
    { s: 0, f: 0 }
  )

/** On any day: what was once sure enough is kept, with what it is worth now, until the budget removes it. */
const wasSupported = ({ body, days, repository }: Entry): boolean =>
  days.some(({ day }) => {
    const until = days.filter((observed) => observed.day <= day)
    const shown = repository !== null && dayOf(repository.at) <= day ? repository : null
    const evidence = evidenceAt({ days: until, repository: shown }, day)
    const items = total(until, "s") + total(until, "f") + (shown === null ? 0 : shown.s + shown.f)
    return isSupported(body.type, { ...evidence, items, sessions: total(until, "sessions") })
  })

const total = (days: ReadonlyArray<Observed>, of: "f" | "s" | "sessions"): number =>
  days.reduce((sum, day) => sum + day[of], 0)

/** `merged`: what was merged into it. */
const artifactOf = (
  base: ArtifactBase,
  id: string,
  entry: Entry,
  today: number,
  merged: ReadonlyArray<Entry>
): Artifact => {
  const { body, days, first, key, last, origin, sources, trust } = entry
  const { f, s } = evidenceAt(entry, today)
  const sessions = total(days, "sessions")
  const seen = Math.round(total(days, "s") + (entry.repository?.s ?? 0))
  const { [id]: used = { last: 0, uses: 0, helped: 0, hurt: 0 } } = base.uses
  const envelope = {
    v: 2 as const,
    id,
    key,
    confidence: rounded(confidenceOf({ s, f })),
    stats: { s: rounded(s), f: rounded(f), sessions },
    created_at: seconds(first),
    last_seen_at: seconds(last),
    last_used_at: used.uses === 0 ? null : seconds(used.last),
    uses: used.uses,
    helped: used.helped,
    hurt: used.hurt,
    sources: sources.map(({ session }) => session),
    origin,
    ...(base.marks.pinned.includes(id) ? { pinned: true as const } : {}),
    ...(merged.length === 0 ? {} : { merged: merged.map(({ body }) => subjectOf(body)) })
  }
  switch (body.type) {
    case "DreamPlaybook":
      return { ...body, source_sessions: sessions, ...envelope }
    case "RepairPattern":
      return { ...body, occurrences: seen, ...envelope }
    case "ProjectConvention":
      return { ...body, evidence_count: seen, ...envelope }
    case "SuccessfulSequence":
      return {
        ...body,
        avg_trust_delta: rounded(trust[1] === 0 ? 0 : trust[0] / trust[1]),
        occurrences: seen,
        ...envelope
      }
  }
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)
const rounded = (value: number): number => Math.round(value * 1000) / 1000
