/** Reviews for tests of what is learned from labels: each on a day of its own, no finding repeats another one. */
import { Schema } from "effect"
import type { Judgement, LabelledFinding, LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { Random } from "../plantedSessions.ts"
import { labelledReview } from "./labelled.ts"

/** Milliseconds since 1970. */
export const onDay = (day: number): number => 1_767_571_200_000 + day * 86_400_000

let fresh = 0

/** A review of this day. Without a judgement, a finding is not labelled. */
export const reviewOn = (
  session: string,
  day: number,
  findings: ReadonlyArray<Partial<LabelledFinding>>,
  check: string | null = null
): LabelledReview =>
  labelledReview(
    session,
    findings.map((each) => ({
      ...{ rule: "py/loop-closure", title: "Closure in a loop", file: "src/a.py", fingerprint: `dd1:fresh${fresh++}` },
      ...{ judgement: null, judgedAt: null },
      ...each
    })),
    { at: onDay(day), check }
  )

/** As many reviews as judgements, a day apart. */
export const judged = (
  judgements: ReadonlyArray<Judgement | null>,
  given: Partial<LabelledFinding> = {},
  name = "s"
): ReadonlyArray<LabelledReview> =>
  judgements.map((judgement, day) => reviewOn(`${name}${day}`, day, [{ ...given, judgement }]))

const rules = ["py/loop-closure", "ts/floating-promise", "secret/provider-token", "model/review"]
const folders = ["", "src/", "src/api/", "src/api/v1/", "test/", "test/unit/"]
/** Where `someReviews` has findings. A rule has one severity. */
export const places = rules.flatMap((rule) =>
  folders.flatMap((folder) =>
    ["a.ts", "b.ts"].map((name) => ({
      ...{ rule, folder, file: `${folder}${name}` },
      severity: rule === "ts/floating-promise" ? ("high" as const) : ("low" as const)
    }))
  )
)

const Count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))
export const SomeReviews = Schema.Struct({ seed: Count(1_000_000), reviews: Count(60) })
/** An index of `places`, and of a review. */
export const SomePlace = Count(places.length - 1)
export const SomeTurn = Count(60)

/** Few rules in few folders, so that labels meet. In most folders people agree on a rule; findings are repeated. */
export const someReviews = ({ reviews, seed }: (typeof SomeReviews)["Type"]): ReadonlyArray<LabelledReview> => {
  const random = new Random(seed)
  const rejected = new Map<string, number>()
  const shareOf = (key: string): number => {
    const share = rejected.get(key) ?? random.pick([0, 0.05, 0.5, 1, 1])
    rejected.set(key, share)
    return share
  }
  return Array.from({ length: reviews }, (_, index) =>
    reviewOn(
      `s${index}`,
      random.below(150),
      Array.from({ length: random.below(8) }, () => {
        const { file, folder, rule, severity } = random.pick(places)
        const isRejected = random.chance(shareOf(`${rule} ${folder}`))
        const judgement = random.chance(0.1)
          ? random.pick(["contested", null] as const)
          : isRejected
            ? "rejected"
            : "accepted"
        const fixed = random.pick(["passed", "failed", "passed", null] as const)
        return { rule, file, severity, judgement, fixed, fingerprint: `dd1:${rule}:${file}:${random.below(40)}` }
      })
    )
  )
}
