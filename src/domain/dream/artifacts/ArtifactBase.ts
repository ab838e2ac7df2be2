/**
 * The evidence of a project, from which its artifacts are computed: what sessions observed of each artifact, day by day, and
 * the decisions of the user. A session is counted once: its id stays when its profile has left the store.
 *
 * Adding sessions commutes: the order in which they are added does not change the sum.
 */

import { Schema } from "effect"
import { type Artifact, ArtifactBody, type Contribution } from "../Artifact.ts"
import { sessionKey } from "../SessionEvent.ts"
import type { SessionProfile } from "../SessionProfile.ts"
import { withoutDetails, withSharedDetails } from "./details.ts"

const Observed = Schema.Struct({
  /** Days since 1970. */
  day: Schema.Int,
  s: Schema.Finite,
  f: Schema.Finite,
  /** Those that confirmed it. */
  sessions: Schema.Int
})
export type Observed = (typeof Observed)["Type"]

/** What sessions observed of one artifact with one wording. */
const Entry = Schema.Struct({
  key: Schema.NonEmptyString,
  body: ArtifactBody,
  /** In order of the days. */
  days: Schema.Array(Observed),
  /** What the repository showed to the latest session, in addition; in milliseconds since 1970. */
  repository: Schema.NullOr(Schema.Struct({ at: Schema.Int, s: Schema.Finite, f: Schema.Finite })),
  /** Milliseconds since 1970. */
  first: Schema.Int,
  last: Schema.Int,
  /** The newest five, newest first. */
  sources: Schema.Array(Schema.Struct({ session: Schema.String, at: Schema.Int })),
  origin: Schema.Literals(["hook", "transcript", "dd-run"]),
  /** Sum and number of the gains of trust. */
  trust: Schema.Tuple([Schema.Finite, Schema.Int])
})
export type Entry = (typeof Entry)["Type"]

const Uses = Schema.Struct({
  /** Milliseconds since 1970. */
  last: Schema.Int,
  uses: Schema.Int,
  helped: Schema.Int,
  hurt: Schema.Int
})

/** Of artifacts, by id. */
const Marks = Schema.Struct({
  pinned: Schema.Array(Schema.String),
  /** When it was forgotten, in milliseconds since 1970: sessions that began before do not bring it back. */
  forgotten: Schema.Record(Schema.String, Schema.Int),
  /** The artifact that each was merged into, which may have been merged into another one later. */
  merged: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

/** What models were asked about artifacts, and what they wrote. */
const Synthesis = Schema.Struct({
  /** By id: the digest of what a model was given last. The same is not asked again. */
  asked: Schema.Record(Schema.String, Schema.String),
  summaries: Schema.Array(
    Schema.Struct({
      text: Schema.NonEmptyString,
      /** By id, the digests of what the model was given; the summary is valid as long as they are. */
      of: Schema.Record(Schema.String, Schema.String),
      model: Schema.String,
      /** Milliseconds since 1970. */
      at: Schema.Int,
      costUsd: Schema.NullOr(Schema.Finite)
    })
  )
})
export type Synthesis = (typeof Synthesis)["Type"]

export const ArtifactBase = Schema.Struct({
  v: Schema.Literal(1),
  /** The sessions that were added, by `sessionKey`, and the day on which each ended. */
  folded: Schema.Record(Schema.String, Schema.Int),
  entries: Schema.Array(Entry),
  uses: Schema.Record(Schema.String, Uses),
  marks: Marks,
  synthesis: Schema.optionalKey(Synthesis)
})
export type ArtifactBase = (typeof ArtifactBase)["Type"]

export const emptyBase: ArtifactBase = {
  v: 1,
  folded: {},
  entries: [],
  uses: {},
  marks: { pinned: [], forgotten: {} }
}

/** A user's decision about one artifact. */
export type ArtifactMark = "pin" | "unpin" | "forget" | "unmerge" | { readonly mergeInto: string }

export type Digest = (text: string) => string

const prefixes: Readonly<Record<Artifact["type"], string>> = {
  DreamPlaybook: "pb",
  RepairPattern: "rp",
  ProjectConvention: "cv",
  SuccessfulSequence: "sq"
}

/** Equal for the same type and key, in every project. */
export const artifactId = (type: Artifact["type"], key: string, digest: Digest): string =>
  `${prefixes[type]}_${digest(`${type}\0${key}`).slice(0, 12)}`

/** The artifact that an observation counts for. */
export const artifactOfEntry = (
  { marks: { merged = {} } }: ArtifactBase,
  { body, key }: { readonly body: Pick<ArtifactBody, "type">; readonly key: string },
  digest: Digest
): string => endOf(merged, artifactId(body.type, key, digest))

const endOf = (merged: Readonly<Record<string, string>>, artifact: string): string => {
  const into = merged[artifact]
  return into === undefined ? artifact : endOf(merged, into)
}

export const dayOf = (milliseconds: number): number => Math.floor(milliseconds / 86_400_000)

/** Ten half-lives: what is older counts less than a thousandth. */
const longestMemory = 900

/** Does what a session that ended on this day observed still count? */
export const isKept = (day: number, now: number): boolean => day >= dayOf(now) - longestMemory

/** The sum with these sessions; those that are in it already change nothing. */
export const withSessions = (
  base: ArtifactBase,
  profiles: ReadonlyArray<SessionProfile>,
  now: number,
  digest: Digest
): ArtifactBase => {
  const entries = new Map(base.entries.map((entry) => [identityOf(entry), entry]))
  const folded = new Map(Object.entries(base.folded).filter(([, day]) => isKept(day, now)))
  const uses = new Map(Object.entries(base.uses))
  for (const profile of profiles) {
    const day = dayOf(profile.endedAt)
    const session = sessionKey(profile)
    if (folded.has(session) || !isKept(day, now)) continue
    folded.set(session, day)
    for (const contribution of profile.contributions) {
      const { body, key } = contribution
      if (profile.startedAt <= (base.marks.forgotten[artifactId(body.type, key, digest)] ?? -1)) continue
      const entry = entryOf(profile, contribution)
      const known = entries.get(identityOf(entry))
      const shared = known === undefined ? entry.body : withSharedDetails(known.body, entry.body)
      entries.set(identityOf(entry), { ...(known === undefined ? entry : together(known, entry)), body: shared })
    }
    for (const { artifacts, value } of profile.injections) {
      for (const artifact of artifacts) {
        const { helped, hurt, last, uses: times } = uses.get(artifact) ?? { last: 0, uses: 0, helped: 0, hurt: 0 }
        uses.set(artifact, {
          last: Math.max(last, profile.endedAt),
          uses: times + 1,
          helped: helped + (value === 1 ? 1 : 0),
          hurt: hurt + (value === -1 ? 1 : 0)
        })
      }
    }
  }
  const young = [...entries.values()].flatMap((entry) => {
    const days = entry.days.filter(({ day }) => isKept(day, now))
    return days.length === 0 ? [] : [{ ...entry, days }]
  })
  return {
    ...base,
    folded: sorted(folded),
    entries: young.sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1)),
    uses: sorted(uses)
  }
}

export const withMark = (
  base: ArtifactBase,
  artifact: string,
  mark: ArtifactMark,
  now: number,
  digest: Digest
): ArtifactBase => {
  const { forgotten, merged = {}, pinned } = base.marks
  const marked = (marks: Partial<ArtifactBase["marks"]>) => ({ ...base, marks: { ...base.marks, ...marks } })
  const others = pinned.filter((id) => id !== artifact)
  if (typeof mark === "object") {
    const into = endOf(merged, mark.mergeInto)
    if (into === artifact) return base
    return marked({ merged: sorted(new Map([...Object.entries(merged), [artifact, into]])) })
  }
  switch (mark) {
    case "pin":
      return marked({ pinned: [...others, artifact].sort() })
    case "unpin":
      return marked({ pinned: others })
    case "unmerge":
      return marked({ merged: Object.fromEntries(Object.entries(merged).filter(([, into]) => into !== artifact)) })
    case "forget": {
      const gone = [artifact, ...Object.keys(merged).filter((part) => endOf(merged, part) === artifact)]
      const isLeft = (id: string) => !gone.includes(id)
      const dated = sorted(new Map([...Object.entries(forgotten), ...gone.map((id) => [id, now] as const)]))
      const entries = base.entries.filter((entry) => artifactOfEntry(base, entry, digest) !== artifact)
      const left = Object.fromEntries(Object.entries(merged).filter(([part]) => isLeft(part)))
      const marks = { pinned: pinned.filter(isLeft), forgotten: dated }
      return { ...marked(base.marks.merged === undefined ? marks : { ...marks, merged: left }), entries }
    }
  }
}

const entryOf = (profile: SessionProfile, { body, f, key, repository, s, trustDelta }: Contribution): Entry => {
  const confirms = s > 0 || (repository?.s ?? 0) > 0
  return {
    key,
    body,
    days: [{ day: dayOf(profile.endedAt), s, f, sessions: confirms ? 1 : 0 }],
    repository: repository === undefined ? null : { at: profile.endedAt, ...repository },
    first: profile.startedAt,
    last: profile.endedAt,
    sources: confirms ? [{ session: profile.session, at: profile.endedAt }] : [],
    origin: profile.host === "dd" ? "dd-run" : "hook",
    trust: trustDelta === undefined ? [0, 0] : [trustDelta, 1]
  }
}

const identityOf = ({ body, key }: Pick<Entry, "body" | "key">): string =>
  `${body.type}\0${key}\0${wordingOf(withoutDetails(body))}`

/** The body as text: equal bodies have equal texts, whatever the order of their fields. */
export const wordingOf = (body: ArtifactBody): string =>
  JSON.stringify(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Of two entries with the same key: the evidence of both, with the wording of the first. */
export const together = (a: Entry, b: Entry): Entry => {
  const days = new Map(a.days.map((each) => [each.day, each]))
  for (const each of b.days) {
    const known = days.get(each.day)
    days.set(
      each.day,
      known === undefined
        ? each
        : { day: each.day, s: known.s + each.s, f: known.f + each.f, sessions: known.sessions + each.sessions }
    )
  }
  return {
    ...a,
    days: [...days.values()].sort((x, y) => x.day - y.day),
    repository: latest(a.repository, b.repository),
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    sources: [...a.sources, ...b.sources]
      .sort((x, y) => y.at - x.at || (x.session < y.session ? -1 : 1))
      .slice(0, mostSources),
    origin: origins[Math.min(origins.indexOf(a.origin), origins.indexOf(b.origin))]!,
    trust: [a.trust[0] + b.trust[0], a.trust[1] + b.trust[1]]
  }
}

const latest = (a: Entry["repository"], b: Entry["repository"]): Entry["repository"] =>
  a === null || (b !== null && (b.at > a.at || (b.at === a.at && b.s > a.s))) ? b : a

const mostSources = 5

/** Of several, the one that is nearest to the assistant. */
const origins = ["hook", "transcript", "dd-run"] as const

const sorted = <A>(map: ReadonlyMap<string, A>): Readonly<Record<string, A>> =>
  Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)))
