/**
 * The packets of a morning: at most three cases, the most useful first. A packet that said the same for three nights without action
 * comes after the others.
 *
 * Without labels, and without recent reviews, there are none, and a note says why.
 */
import { Option, Schema } from "effect"
import { compareText } from "../../text/compareText.ts"
import { commandOf, confidenceOf, type MorningPacket, packetId } from "../Packet.ts"
import { type Case, casesOf, day, dayOf, holds, type MorningFacts } from "./conditions.ts"
import { evidenceLines, shownEvidence } from "./evidence.ts"

/** By the id of a packet: what it said last, for how many nights, and on which day. Nights of one day (UTC) are one. */
export const PacketAges = Schema.Record(
  Schema.String,
  Schema.Struct({
    why: Schema.String,
    nights: Schema.Int.check(Schema.isGreaterThan(0)),
    day: Schema.optionalKey(Schema.String)
  })
)
export type PacketAges = typeof PacketAges.Type

export const agesNote = "packets.json"
const Ages = Schema.fromJsonString(PacketAges)
const encode = Schema.encodeSync(Ages)
const decode = Schema.decodeUnknownOption(Ages)

/** Of a damaged note, packets are new again. `text`: none if it cannot be read; null: there is no note yet. */
export const readAges = (text: Option.Option<string | null>) => {
  if (Option.isSome(text) && text.value === null) return { ages: {}, note: [] }
  return Option.match(Option.flatMap(text, decode), {
    onNone: () => ({ ages: {}, note: [`${agesNote} could not be read: every packet counts as new`] }),
    onSome: (ages) => ({ ages, note: [] })
  })
}

export const writtenAges = (ages: PacketAges): string => `${encode(ages)}\n`

export interface Packets {
  readonly packets: ReadonlyArray<MorningPacket>
  /** Of every case that holds, shown or not; without recent reviews, as before. */
  readonly ages: PacketAges
  /** For the report: why there are none; null: there may be some. */
  readonly note: string | null
}

const mostPackets = 3
/** After so many nights without action, others come first. */
const patience = 3
/** Without a review for so long, nothing is urgent. */
const dormantAfter = 90 * day

/** `digest`: SHA-256 in hex. */
export const packetsOf = (
  facts: MorningFacts,
  before: PacketAges,
  digest: (text: string) => string,
  likelyTests: (files: ReadonlyArray<string>) => ReadonlyArray<string> = () => []
): Packets => {
  const note = dormantNote(facts)
  if (note !== null) return { packets: [], ages: before, note }
  const today = dayOf(facts.now)
  const aged = casesOf(facts).map((found) => {
    const id = packetId([found.condition, found.subject], digest)
    const last = before[id]
    return {
      found,
      id,
      isKnown: last !== undefined,
      nights: last?.why !== found.why ? 1 : last.nights + Number(last.day !== today)
    }
  })
  const packets = aged
    .toSorted(
      (a, b) =>
        Number(a.nights > patience) - Number(b.nights > patience) ||
        Number(hidesAccepted(b.found)) - Number(hidesAccepted(a.found)) ||
        worth(b.found) - worth(a.found) ||
        b.nights - a.nights ||
        compareText(a.id, b.id)
    )
    .slice(0, mostPackets)
    .map(({ found, id, isKnown, nights }, at): MorningPacket => {
      const files = shownEvidence(found.evidence).map(({ file }) => file)
      return {
        id,
        rank: at + 1,
        title: found.title,
        type: found.type,
        severity: found.severity,
        confidence: confidenceOf(found.labels, found.repeatable),
        source: "dd",
        why_now: found.why,
        evidence: evidenceLines(found.evidence),
        target_files: [...new Set([edits[found.condition] ?? [], files].flat())],
        likely_tests: likelyTests(files),
        morning_command: commandOf(id),
        queue_backed: isKnown,
        dd: { condition: found.condition, subject: found.subject, nights }
      }
    })
  return {
    packets,
    ages: Object.fromEntries(aged.map(({ found, id, nights }) => [id, { why: found.why, nights, day: today }])),
    note: null
  }
}

/** The packets whose condition still holds, with their ranks. One that dd did not make is kept. */
export const stillHolding = (
  facts: MorningFacts,
  packets: ReadonlyArray<MorningPacket>
): ReadonlyArray<MorningPacket> =>
  packets
    .filter(({ dd }) => dd === undefined || holds(facts, dd.condition, dd.subject))
    .map((packet, at) => ({ ...packet, rank: at + 1 }))

const dormantNote = ({ generation, now, reviews }: MorningFacts): string | null => {
  if (reviews.length === 0) {
    return generation.number === 0
      ? "No review of this repository is archived yet, so there was nothing to learn from."
      : "No review of this repository is archived any more, although dd learned from reviews: they are missing."
  }
  if (!reviews.some(({ findings }) => findings.some(({ judgement }) => judgement !== null))) {
    return "No finding has a label of a person yet, so there was nothing to learn from."
  }
  return reviews.some(({ at }) => now - at < dormantAfter)
    ? null
    : `No review was archived in the last ${dormantAfter / day} days, so there are no packets; the next review brings back those that still hold.`
}

const weights = { high: 3, medium: 2, low: 1 }

/** It comes first, even with few labels: reviews miss findings that people want. */
const hidesAccepted = ({ condition }: Case): boolean => condition === "suppression-contradicted"

/** A case without a review in the last weeks is worth a quarter of one a week. */
const worth = ({ labels, perWeek, repeatable, severity }: Case): number =>
  weights[severity] * weights[confidenceOf(labels, repeatable)] * (0.25 + perWeek)

/** What the work itself changes. */
const edits: Partial<Record<Case["condition"], string>> = { "convention-mature": "AGENTS.md" }
