/**
 * What is worth a person's time in the morning: conditions on the labels and on what was learned, each of which can be checked again
 * at any time.
 *
 * A finding that several reviews repeat counts once, with its newest label. A label by a program is no evidence.
 */
import { DateTime } from "effect"
import { leastLabels } from "../../finding/Calibration.ts"
import { type Severity, severityRank } from "../../finding/Finding.ts"
import { folderWords, hides, type LearnedSuppression } from "../../finding/LearnedSuppression.ts"
import { compareText } from "../../text/compareText.ts"
import { isInFolder } from "../../text/foldersAbove.ts"
import { oneLine } from "../../text/Printable.ts"
import { plural } from "../../text/plural.ts"
import type { Opinion } from "../evidence/opinions.ts"
import { type Region, regionsOf } from "../evidence/regions.ts"
import type { Generation } from "../Generation.ts"
import type { LabelledFinding, LabelledReview } from "../LabelledReview.ts"
import { labelRequests } from "../labelRequests.ts"
import type { ConditionKind } from "../Packet.ts"
import { evidenceIn, type Labelled } from "./evidence.ts"

export interface MorningFacts {
  /** In milliseconds since 1970. */
  readonly now: number
  /** The one that counts in the morning. */
  readonly generation: Generation
  readonly reviews: ReadonlyArray<LabelledReview>
  /** Folders of learned items that are no longer in the repository. */
  readonly missingFolders: ReadonlySet<string>
  /** The text of `AGENTS.md`; "" if there is none. */
  readonly agents: string
  /** Did somebody switch the rule off? */
  readonly isSwitchedOff: (rule: string) => boolean
}

/** A condition that holds. */
export interface Case {
  readonly condition: ConditionKind
  /** A rule, a folder, or the id of a learned item: with the condition, it says what the case is about. */
  readonly subject: string
  readonly title: string
  /** The kind of work: `task`, `bug`, `docs`, `chore` or `pattern-fix`. */
  readonly type: string
  readonly severity: Severity
  /** The numbers behind it. */
  readonly why: string
  readonly evidence: ReadonlyArray<Labelled>
  /** The labels that support it, if `evidence` does not have them all. */
  readonly labels: number
  /** Does a check support it that gives the same result each time? */
  readonly repeatable: boolean
  /** The reviews of a week that it affects. */
  readonly perWeek: number
}

/** Finds the evidence of learned items. */
type Behind = ReturnType<typeof evidenceIn>

export const day = 86_400_000

/** Every case, in no order. */
export const casesOf = (facts: MorningFacts): ReadonlyArray<Case> => {
  const findings = newestFindings(facts.reviews)
  const behind = evidenceIn(facts.reviews)
  return [
    ...contestedRules(facts, findings),
    ...contradicted(facts, findings),
    ...expiring(facts, behind),
    ...failingPlaybooks(facts, behind),
    ...matureConventions(facts, behind),
    ...drifted(facts, findings),
    ...brokenAnchors(facts, behind),
    ...missingLabels(facts, findings)
  ]
}

/** Does the condition still hold? */
export const holds = (facts: MorningFacts, condition: string, subject: string): boolean =>
  casesOf(facts).some((each) => each.condition === condition && each.subject === subject)

/** Each finding once: the newest with a label, else the newest. */
export const newestFindings = (reviews: ReadonlyArray<LabelledReview>): ReadonlyArray<Labelled> => {
  const found = new Map<string, Labelled>()
  const all = reviews.flatMap(({ at, findings, session }) => findings.map((each) => ({ ...each, session, at })))
  for (const each of all.toSorted((a, b) => timeOf(a) - timeOf(b) || compareText(a.session, b.session))) {
    const key = each.fingerprint === "" ? `${each.session}#${each.finding}` : each.fingerprint
    if (each.judgement !== null || found.get(key)?.judgement == null) found.set(key, each)
  }
  return [...found.values()]
}

const timeOf = ({ at, judgedAt }: Labelled): number => judgedAt ?? at

const isAccepted = ({ judgement }: Labelled): boolean => judgement === "accepted"
const isRejected = ({ judgement }: Labelled): boolean => judgement === "rejected"

/** So many labels on either side, and so large a share of all, make a rule contested. */
const leastSplit = 2
const leastShare = 0.3

const contestedRules = (
  { generation, isSwitchedOff, now, reviews }: MorningFacts,
  findings: ReadonlyArray<Labelled>
) => {
  // Where a suppression hides the findings, or the rule is off, the question is decided.
  const open = findings.filter(
    (each) => !isSwitchedOff(each.rule) && !generation.suppressions.some((one) => hides(one, each, now))
  )
  return [...Map.groupBy(open, ({ rule }) => rule)].flatMap(([rule, of]): ReadonlyArray<Case> => {
    const agreed = agreedFolders(of)
    const evidence = of.filter(
      ({ file, judgement }) => judgement !== null && !agreed.some((folder) => isInFolder(file, folder))
    )
    const [accepted, rejected] = [evidence.filter(isAccepted).length, evidence.filter(isRejected).length]
    const contested = evidence.length - accepted - rejected
    const split = Math.min(accepted, rejected) + contested
    if (split < leastSplit || split / evidence.length < leastShare) return []
    return [
      {
        condition: "contested-rule",
        subject: rule,
        title: `Decide whether ${oneLine(rule)} is wanted`,
        type: "task",
        severity: highest(evidence),
        why: `People accepted ${accepted} of its findings and rejected ${rejected}${contested === 0 ? "" : `, and labelled ${contested} as contested`}, in ${plural(new Set(evidence.map(({ session }) => session)).size, "review")}.`,
        evidence,
        labels: evidence.length,
        repeatable: false,
        perWeek: perWeek(reviews, now, rule, "")
      }
    ]
  })
}

/** In a folder with so many labels of one kind, and so few others, people agree. */
const leastAgreeing = 3
const mostOthers = 0.2

const agreedFolders = (findings: ReadonlyArray<Labelled>): ReadonlyArray<string> => {
  const opinions = findings.flatMap((each): ReadonlyArray<Opinion> => {
    const { finding, judgement, session } = each
    if (judgement === null) return []
    return [{ ...each, ref: { session, finding }, value: judgement, at: timeOf(each), check: null }]
  })
  const isAgreed = ({ agreeing, others }: Region): boolean =>
    agreeing >= leastAgreeing && others < mostOthers * (agreeing + others)
  return (["accepted", "rejected"] as const).flatMap((judgement) =>
    regionsOf(opinions, judgement, isAgreed).map(({ folder }) => folder)
  )
}

/** A suppression is in doubt if people accept so large a share of what it hides, the newest of it, or anything since it hides. */
const doubtfulShare = 0.2

const contradicted = ({ generation, now, reviews }: MorningFacts, findings: ReadonlyArray<Labelled>) =>
  generation.suppressions.flatMap((item): ReadonlyArray<Case> => {
    const hidden = findings.filter((each) => each.judgement !== null && hides(item, each, now))
    const accepted = hidden.filter(isAccepted)
    const since = accepted.filter(({ judgedAt }) => (judgedAt ?? 0) > item.since)
    const isDoubtful = accepted.length >= leastSplit && accepted.length / hidden.length >= doubtfulShare
    const newest = hidden.reduce<Labelled | null>(
      (best, each) => (best !== null && timeOf(best) > timeOf(each) ? best : each),
      null
    )
    const endsAccepted = newest !== null && isAccepted(newest)
    if (since.length === 0 && !isDoubtful && !endsAccepted) return []
    const evidence = since.length > 0 ? since : accepted
    return [
      {
        condition: "suppression-contradicted",
        subject: item.id,
        title: `Check whether ${oneLine(item.rule)} in ${oneLine(folderWords(item.folder))} should stay hidden`,
        type: "bug",
        severity: highest(evidence),
        why:
          since.length > 0
            ? `dd hides these findings since ${dayOf(item.since)}, and people accepted ${since.length} of them after that.`
            : `dd hides these findings, and people accepted ${accepted.length} of the ${hidden.length} with a label${endsAccepted ? ", the newest included" : ""}.`,
        evidence,
        labels: evidence.length,
        repeatable: false,
        perWeek: hiddenPerWeek(reviews, now, item)
      }
    ]
  })

/** A suppression that ends so soon is a question. */
const soon = 14 * day

const expiring = ({ generation, now, reviews }: MorningFacts, behind: Behind) =>
  generation.suppressions.flatMap((item): ReadonlyArray<Case> => {
    if (item.expires <= now || item.expires - now > soon) return []
    return [
      {
        condition: "suppression-expiring",
        subject: item.id,
        title: `Decide whether to hide ${oneLine(item.rule)} in ${oneLine(folderWords(item.folder))} any longer`,
        type: "task",
        severity: "low",
        why: `dd hides these findings until ${dayOf(item.expires)}; people rejected ${item.rejected} and accepted ${item.accepted} of them.`,
        evidence: behind(item.evidence),
        labels: item.rejected + item.accepted,
        repeatable: false,
        perWeek: hiddenPerWeek(reviews, now, item)
      }
    ]
  })

const failingPlaybooks = ({ generation, now, reviews }: MorningFacts, behind: Behind) =>
  generation.playbooks.flatMap((item): ReadonlyArray<Case> => {
    if (item.failed < 2 || item.failed <= item.passed) return []
    return [
      {
        condition: "playbook-failing",
        subject: item.id,
        title: `Find out why fixes of ${oneLine(item.rule)} fail`,
        type: "pattern-fix",
        severity: "medium",
        why: `${item.failed} of ${plural(item.failed + item.passed, "fix", "fixes")} that dd made did not pass ${item.check === null ? "their check" : oneLine(item.check)}.`,
        evidence: behind(item.evidence).filter(({ fixed }) => fixed === "failed"),
        labels: 0,
        repeatable: true,
        perWeek: perWeek(reviews, now, item.rule, "")
      }
    ]
  })

/** A convention with so many labels, nearly all of which agree, is worth a line that people read. */
const matureLabels = 8
const matureShare = 0.9

const matureConventions = ({ agents, generation, now, reviews }: MorningFacts, behind: Behind) =>
  generation.conventions.flatMap((item): ReadonlyArray<Case> => {
    const all = item.accepted + item.rejected
    const isMature = item.maturity === "established" && all >= matureLabels && item.accepted / all >= matureShare
    if (!isMature || spaced(agents).includes(spaced(item.text))) return []
    return [
      {
        condition: "convention-mature",
        subject: item.id,
        title: `Add a line on ${oneLine(item.rule)} in ${oneLine(folderWords(item.folder))} to AGENTS.md`,
        type: "docs",
        severity: "low",
        why: `People accepted ${item.accepted} of ${plural(all, "finding")} of this rule.`,
        evidence: behind(item.evidence),
        labels: all,
        repeatable: false,
        perWeek: perWeek(reviews, now, item.rule, item.folder)
      }
    ]
  })

const spaced = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

/** A difference between the acceptance of two models that is worth a look. */
const leastDrift = 0.3

const drifted = ({ generation, now, reviews }: MorningFacts, findings: ReadonlyArray<Labelled>) =>
  [...Map.groupBy(generation.calibration, ({ rule }) => rule)].flatMap(([rule, all]): ReadonlyArray<Case> => {
    const known = all.filter(({ accepted, rejected }) => accepted + rejected >= leastLabels)
    const of = findings.filter((each) => each.rule === rule)
    const last = of.reduce<Labelled | null>((best, each) => (best === null || each.at > best.at ? each : best), null)
    const newest = known.find(({ by }) => by === last?.by)
    const before = known.filter((each) => each !== newest)
    if (newest === undefined || before.length === 0) return []
    const sum = (key: "accepted" | "rejected") => before.reduce((total, each) => total + each[key], 0)
    const rate = sum("accepted") / (sum("accepted") + sum("rejected"))
    const current = newest.accepted / (newest.accepted + newest.rejected)
    if (Math.abs(current - rate) < leastDrift) return []
    const evidence = of.filter(({ by, judgement }) => by === newest.by && judgement !== null)
    return [
      {
        condition: "calibration-drift",
        subject: rule,
        title: `Compare the findings of ${oneLine(rule)} by ${oneLine(newest.by)} with earlier ones`,
        type: "task",
        severity: "medium",
        why: `People accept ${percent(current)} of them (${plural(newest.accepted + newest.rejected, "label")}); before, it was ${percent(rate)} (${plural(sum("accepted") + sum("rejected"), "label")}).`,
        evidence,
        labels: newest.accepted + newest.rejected,
        repeatable: false,
        perWeek: perWeek(reviews, now, rule, "")
      }
    ]
  })

/** A missing folder is one case, however much was learned there and in the folders below it. */
const brokenAnchors = ({ generation, missingFolders, now, reviews }: MorningFacts, behind: Behind) => {
  const outermost = [...missingFolders].filter(
    (folder) => ![...missingFolders].some((other) => other !== folder && folder.startsWith(other))
  )
  return outermost.flatMap((folder): ReadonlyArray<Case> => {
    const items = learnedBelow(generation, folder)
    const labels = items.reduce((sum, { accepted, rejected }) => sum + accepted + rejected, 0)
    const rules = [...new Set(items.map(({ rule }) => rule))].sort(compareText)
    if (items.length === 0) return []
    return [
      {
        condition: "anchors-broken",
        subject: folder,
        title: `Say where ${oneLine(folderWords(folder))} went: what dd learned there applies to nothing`,
        type: "chore",
        severity: "low",
        why: `The folder is not in the repository, and ${plural(labels, "label")} on ${oneLine(rules.join(", "))} were given there.`,
        evidence: behind(items.flatMap(({ evidence }) => evidence)),
        labels,
        repeatable: true,
        perWeek: Math.max(...rules.map((rule) => perWeek(reviews, now, rule, folder)))
      }
    ]
  })
}

/** Folders of what was learned that are not among those of the repository; null: those are not known, and none is missing. */
export const missingFolders = (
  { conventions, suppressions }: Generation,
  folders: ReadonlySet<string> | null
): ReadonlySet<string> =>
  new Set(
    [...suppressions, ...conventions]
      .map(({ folder }) => folder)
      .filter((folder) => folder !== "" && folders?.has(folder) === false)
  )

/** What applies to a folder and those below it. */
export const learnedBelow = ({ conventions, suppressions }: Generation, folder: string) =>
  [...suppressions, ...conventions].filter((item) => item.folder.startsWith(folder))

/** Is the label of a finding worth asking for: does a review of today report it? */
export const isAskable =
  ({ generation, isSwitchedOff, now }: Pick<MorningFacts, "generation" | "isSwitchedOff" | "now">) =>
  (finding: LabelledFinding): boolean =>
    !finding.isGone &&
    !isSwitchedOff(finding.rule) &&
    !generation.suppressions.some((each) => hides(each, finding, now))

/** `dd dream do` asks for so many. */
export const mostRequests = 10

/** How few findings of so late are too few to ask for labels. */
const leastUnlabelled = 5
const recent = 60 * day

/** Those that `dd archive label --next` asks for. */
const missingLabels = (facts: MorningFacts, findings: ReadonlyArray<Labelled>): ReadonlyArray<Case> => {
  const { now, reviews } = facts
  const isOpen = isAskable(facts)
  const open = findings.filter((each) => each.judgement === null && now - each.at < recent && isOpen(each))
  const requests = labelRequests(reviews, mostRequests, isOpen)
  const [first] = requests
  if (first === undefined || open.length < leastUnlabelled) return []
  const keyOf = ({ finding, session }: Pick<Labelled, "finding" | "session">) => `${session}#${finding}`
  const asked = new Set(requests.map(keyOf))
  return [
    {
      condition: "label-request",
      subject: "findings",
      title: `Label ${plural(requests.length, "finding")}`,
      type: "task",
      severity: "low",
      why: `${plural(open.length, "finding")} of the last ${recent / day} days have no label. Labels of ${oneLine(first.rule)} teach most: it has ${plural(first.judged, "label")} on ${plural(first.reported, "finding")}.`,
      evidence: findings.filter((each) => asked.has(keyOf(each))),
      labels: 0,
      repeatable: true,
      perWeek: 1
    }
  ]
}

const weeks = 4

/** The reviews of a week, over the last four, with a finding of the rule in the folder. */
const perWeek = (reviews: ReadonlyArray<LabelledReview>, now: number, rule: string, folder: string): number =>
  lately(reviews, now).filter(({ findings }) =>
    findings.some((each) => each.rule === rule && isInFolder(each.file, folder))
  ).length / weeks

const hiddenPerWeek = (reviews: ReadonlyArray<LabelledReview>, now: number, { id }: LearnedSuppression): number =>
  lately(reviews, now).filter(({ hiddenBy }) => hiddenBy.includes(id)).length / weeks

const lately = (reviews: ReadonlyArray<LabelledReview>, now: number): ReadonlyArray<LabelledReview> =>
  reviews.filter(({ at }) => now - at < weeks * 7 * day)

const highest = (findings: ReadonlyArray<Labelled>): Severity =>
  findings.reduce<Severity>(
    (best, { severity }) => (severityRank[severity] < severityRank[best] ? severity : best),
    "low"
  )

const percent = (value: number): string => `${Math.round(value * 100)} %`

export const dayOf = (milliseconds: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(milliseconds)).slice(0, 10)
