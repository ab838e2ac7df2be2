/**
 * A probe of the long haul: does what later commits did support a packet? If they changed the lines of several findings of its rule that
 * nobody labelled, its confidence rises by one step. It never falls.
 */
import { plural } from "../../text/plural.ts"
import type { Generation } from "../Generation.ts"
import type { LabelledReview } from "../LabelledReview.ts"
import type { MorningPacket } from "../Packet.ts"

/** So many changed lines support a packet. */
const leastSupport = 3
const next: Readonly<Record<string, string>> = { low: "medium", medium: "high" }

export const corroborated = (
  packets: ReadonlyArray<MorningPacket>,
  generation: Generation,
  reviews: ReadonlyArray<LabelledReview>
): ReadonlyArray<MorningPacket> => {
  const items = [...generation.suppressions, ...generation.conventions, ...generation.playbooks]
  const unlabelled = reviews.flatMap(({ findings }) => findings).filter(({ judgement }) => judgement === null)
  return packets.map((packet) => {
    const subject = packet.dd?.subject ?? ""
    const rule = items.find(({ id }) => id === subject)?.rule ?? subject
    const own = unlabelled.filter((finding) => finding.rule === rule)
    const changed = own.filter(({ weak }) => weak === "accepted").length
    if (changed < leastSupport) return packet
    const line = `later commits changed ${changed} of ${plural(own.length, "finding")} of this rule that nobody labelled`
    const confidence = next[packet.confidence ?? ""] ?? packet.confidence
    return {
      ...packet,
      ...(confidence === undefined ? {} : { confidence }),
      evidence: [...(packet.evidence ?? []), line]
    }
  })
}
