/**
 * Archives of labelled reviews with known truth: rules whose findings people accept, rules that they reject in some folders, rules
 * about which they change their mind half-way, and mistakes. The same options give the same archive.
 */
import type { Severity } from "../../../src/domain/finding/Finding.ts"
import type { Judgement, LabelledFinding, LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { Random } from "../plantedSessions.ts"

export interface ArchiveOptions {
  readonly seed: number
  readonly reviews: number
  /** The share of labels that are the opposite of the truth. */
  readonly noise?: number
  /** The share of findings that get a label. */
  readonly labelled?: number
  /** Do people change their mind half-way about some rules? */
  readonly drift?: boolean
  /** In the oldest 60 % of the reviews, labels reject what people accept later, for two rules. */
  readonly poisoned?: boolean
}

export interface SyntheticArchive {
  /** Oldest first. */
  readonly reviews: ReadonlyArray<LabelledReview>
  /** A day after the newest review. */
  readonly now: number
  /** What people think of a finding of the rule in the file at this time, without mistakes. Null: every second time. */
  readonly truth: (rule: string, file: string, at: number) => Judgement | null
}

interface SyntheticRule {
  readonly id: string
  readonly severity: Severity
  /** Folders in which it is rejected; elsewhere it is accepted. Null: people do not agree. */
  readonly rejectedIn: ReadonlyArray<string> | null
  /** From the middle of the archive on. */
  readonly laterIn?: ReadonlyArray<string>
  /** Has no truth in the oldest part of a poisoned archive. */
  readonly canBePoisoned?: true
  /** The share of its fixes that pass. */
  readonly fixed: number
}

export const syntheticRules: ReadonlyArray<SyntheticRule> = [
  { id: "py/mutable-default", severity: "medium", rejectedIn: [], canBePoisoned: true, fixed: 0.95 },
  { id: "go/error-swallowed", severity: "medium", rejectedIn: ["src/legacy/"], canBePoisoned: true, fixed: 0.8 },
  { id: "ts/floating-promise", severity: "medium", rejectedIn: ["test/", "scripts/"], fixed: 0.9 },
  { id: "debug/console-in-component", severity: "low", rejectedIn: ["examples/", "docs/"], fixed: 0.95 },
  { id: "code/same-branches", severity: "low", rejectedIn: [""], fixed: 0.5 },
  { id: "clone/copied-code", severity: "low", rejectedIn: ["test/unit/", "src/generated/"], fixed: 0.4 },
  { id: "py/bare-except", severity: "low", rejectedIn: [], laterIn: ["scripts/"], fixed: 0.9 },
  { id: "ts/nan-comparison", severity: "medium", rejectedIn: ["src/api/"], laterIn: [], fixed: 0.9 },
  { id: "java/lock-without-effect", severity: "high", rejectedIn: ["src/generated/"], fixed: 0.7 },
  { id: "go/handler-continues-after-error", severity: "high", rejectedIn: [], fixed: 0.9 },
  { id: "secret/hardcoded-credential", severity: "high", rejectedIn: ["test/"], fixed: 0.9 },
  { id: "model/review", severity: "medium", rejectedIn: null, fixed: 0.6 }
]

/** "" are files outside of any folder. */
const folders = [
  ...["", "docs/", "examples/advanced/", "examples/basic/", "scripts/", "src/api/", "src/core/", "src/core/store/"],
  ...["src/generated/", "src/legacy/", "src/legacy/import/", "src/ui/", "test/fixtures/", "test/unit/"]
]

const day = 86_400_000
/** 5 January 2026. */
const firstDay = 1_767_571_200_000

export const syntheticArchive = ({
  drift = true,
  labelled = 0.8,
  noise = 0.05,
  poisoned = false,
  reviews: count,
  seed
}: ArchiveOptions): SyntheticArchive => {
  const random = new Random(seed)
  // A year, so that the sets are months apart.
  const gap = (365 * day) / count
  const middle = firstDay + gap * Math.floor(count / 2)
  const truth = (id: string, file: string, at: number): Judgement | null => {
    const rule = syntheticRules.find((each) => each.id === id)!
    const rejectedIn = drift && at >= middle ? (rule.laterIn ?? rule.rejectedIn) : rule.rejectedIn
    if (rejectedIn === null) return null
    return rejectedIn.some((folder) => file.startsWith(folder)) ? "rejected" : "accepted"
  }
  const open: Array<LabelledFinding> = []
  const reviews = Array.from({ length: count }, (_, index): LabelledReview => {
    const at = Math.floor(firstDay + gap * index + random.below(1_000) * (gap / 1_000))
    const isPoisoned = poisoned && index < count * 0.6
    const findings = Array.from({ length: 1 + random.below(5) }, (_, number): LabelledFinding => {
      const repeated = open.length > 0 && random.chance(0.1) ? random.pick(open) : null
      const rule = syntheticRules.find(({ id }) => id === repeated?.rule) ?? random.pick(syntheticRules)
      const file = repeated?.file ?? `${random.pick(folders)}file${random.below(40)}.ts`
      const real = truth(rule.id, file, at) ?? (random.chance(0.5) ? "accepted" : "rejected")
      const given =
        (isPoisoned && rule.canBePoisoned) === true ? "rejected" : random.chance(noise) ? opposite(real) : real
      const judgement = random.chance(labelled) ? given : null
      const isFixed = judgement === "accepted" && random.chance(0.4)
      const finding: LabelledFinding = {
        finding: number + 1,
        rule: rule.id,
        title: `A finding of ${rule.id}`,
        file,
        line: 1 + random.below(400),
        severity: rule.severity,
        fingerprint: repeated?.fingerprint ?? `dd1:${seed}-${index}-${number}`,
        by: rule.id.startsWith("model/") ? random.pick(["model-a", "model-b"]) : "static",
        hiddenBy: null,
        isGone: false,
        judgement,
        judgedAt: judgement === null ? null : at + random.below(3 * day),
        weak: random.chance(0.3) ? (random.chance(0.8) ? real : opposite(real)) : null,
        fixed: isFixed ? (random.chance(rule.fixed) ? "passed" : "failed") : null
      }
      if (repeated === null && random.chance(0.2)) open.push(finding)
      return finding
    })
    const changedFiles = [...new Set(findings.map(({ file }) => file))].sort()
    return {
      session: `session-${String(index).padStart(6, "0")}`,
      at,
      changedFiles,
      check: "bun test",
      findings,
      hiddenBy: []
    }
  })
  return { reviews, now: firstDay + 366 * day, truth }
}

const opposite = (judgement: Judgement): Judgement => (judgement === "accepted" ? "rejected" : "accepted")
