/** What to do first in the morning, in one sentence, and the commands for it. */
import { quoted } from "../../system/shellQuote.ts"
import { oneLine } from "../../text/Printable.ts"
import type { MorningPacket } from "../Packet.ts"
import type { CouncilSummary } from "./council.ts"
import { checkFlagged, type Flagged, rollbackOf } from "./flagged.ts"

export interface Morning {
  /** Why the night failed; null: it did not. */
  readonly failure: string | null
  /** Comes first: reviews use it already. */
  readonly flagged: Flagged | null
  /** Was something kept tonight that may make reviews worse? */
  readonly isUnsure: boolean
  readonly packets: ReadonlyArray<MorningPacket>
  readonly council: CouncilSummary | null
  /** The archived reviews of the repository, their findings without a label, and the labels. */
  readonly reviews: number
  /** Was something learned before tonight? Then there were reviews. */
  readonly hasLearned: boolean
  readonly unlabelled: number
  readonly labels: number
  /** The share of recent changes for which something was retrieved; null: unknown. */
  readonly coverage: number | null
  /** Does learned knowledge raise the rate of accepted findings? Null: unknown. */
  readonly escapeVelocity: boolean | null
  /** "" without one. */
  readonly goal: string
}

/** The first that applies. */
export const nextAction = (morning: Morning): string => {
  const [packet] = morning.packets
  const advice = morning.council?.recommended_first_action?.trim() ?? ""
  if (morning.flagged !== null) return checkFlagged(morning.flagged)
  if (morning.failure !== null) return "Read what failed, then run `dd dream start` again."
  if (packet !== undefined) {
    const second = advice === "" ? "" : `; the second opinion: ${oneLine(advice)}`
    return `Start with packet 1, "${packet.title}": \`${packet.morning_command}\`${second}`
  }
  if (advice !== "") return advice
  if (areMissing(morning)) {
    return "Restore the archive from a backup, run `dd archive rebuild-index`, and go back to what was learned with `dd dream rollback`; if the reviews were removed on purpose, review a change with `dd review`."
  }
  if (morning.reviews === 0) return "Review a change with `dd review`: a night learns from findings that people label."
  if (morning.labels === 0 && morning.unlabelled > 0) {
    return "Label a few findings: `dd archive label --next` shows those whose label teaches most."
  }
  if (morning.isUnsure) {
    return "Check what dd learned tonight with `dd dream why`: it was kept with a warning, see Degraded."
  }
  if (morning.coverage !== null && morning.coverage < 0.5) {
    return "Label more findings: for most recent changes, nothing that dd learned applies."
  }
  if (morning.escapeVelocity === false) {
    return "Look at what dd learned with `dd dream why`: it does not raise the share of accepted findings."
  }
  return morning.goal === "" ? "Nothing needs you this morning." : `Nothing is left to do for ${morning.goal}.`
}

/** Each is one line that a POSIX shell reads as it stands. */
export const recommendedCommands = (morning: Morning): ReadonlyArray<string> => [
  ...new Set([
    ...(morning.flagged === null ? [] : [rollbackOf(morning.flagged)]),
    ...morning.packets.map(({ morning_command }) => morning_command),
    ...(areMissing(morning) ? ["dd archive rebuild-index", "dd dream rollback"] : []),
    ...(morning.reviews === 0 && morning.failure === null ? ["dd review"] : []),
    ...(morning.isUnsure ? ["dd dream why"] : []),
    ...(morning.unlabelled > 0 ? ["dd archive label --next"] : []),
    ...(morning.failure === null
      ? []
      : [`dd dream start${morning.goal === "" ? "" : ` --goal=${quoted(morning.goal.replaceAll(/\s+/g, " "))}`}`])
  ])
]

const areMissing = ({ hasLearned, reviews }: Morning): boolean => reviews === 0 && hasLearned
