import { describe, expect, test } from "bun:test"
import { CryptoHasher } from "bun"
import type { Generation } from "../../../../src/domain/night/Generation.ts"
import type { LabelledFinding, LabelledReview } from "../../../../src/domain/night/LabelledReview.ts"
import { confidenceOf, packetFileName, packetId } from "../../../../src/domain/night/Packet.ts"
import { day, type MorningFacts } from "../../../../src/domain/night/report/conditions.ts"
import { packetsOf, stillHolding } from "../../../../src/domain/night/report/packets.ts"
import {
  calibrationOf,
  conventionOf,
  generationOf,
  labelledReview,
  playbookOf,
  suppressionOf
} from "../../../support/night/labelled.ts"
import vectors from "../../../support/night/vectors.json"

const digest = (text: string): string => new CryptoHasher("sha256").update(text).digest("hex")
const now = Date.UTC(2026, 10, 20)

let number = 0
/** A review of yesterday with one finding of each judgement. */
const labelled = (
  rule: string,
  judgements: ReadonlyArray<LabelledFinding["judgement"]>,
  given: Partial<LabelledFinding> = {},
  at = now - day
): LabelledReview =>
  labelledReview(
    `session-${String(number++).padStart(4, "0")}`,
    judgements.map((judgement, n) => ({
      rule,
      judgement,
      judgedAt: judgement === null ? null : at,
      fingerprint: `${rule}-${number}-${n}`,
      ...given
    })),
    { at, hiddenBy: [] }
  )

const nothing: Partial<Generation> = {}
const facts = (
  reviews: ReadonlyArray<LabelledReview>,
  generation: Parameters<typeof generationOf>[0] = nothing as never,
  given: Partial<MorningFacts> = {}
): MorningFacts => ({
  now,
  reviews,
  generation: generationOf(generation),
  missingFolders: new Set(),
  agents: "",
  isSwitchedOff: () => false,
  ...given
})

const some = [labelled("py/other", ["accepted"])]
const split = [labelled("py/split", ["accepted", "accepted", "accepted", "rejected", "rejected", "rejected"])]
const found = (given: MorningFacts) => packetsOf(given, {}, digest).packets

describe("a morning packet", () => {
  for (const { id, parts } of vectors.packet_id) {
    test(`of ${JSON.stringify(parts)} has the id ${id}`, () => expect(packetId(parts, digest)).toBe(id))
  }

  test("is as sure as its labels: five, two or fewer, or a check that gives the same each time", () => {
    expect([5, 2, 1, 0].map((labels) => confidenceOf(labels, false))).toEqual(["high", "medium", "low", "low"])
    expect(confidenceOf(0, true)).toBe("high")
  })

  test("has a file whose name is short and has no character of a path", () => {
    expect(
      packetFileName({ id: "dream-0011223344556677", rank: 2, title: "../Decide: `x`/é whether it is wanted at all" })
    ).toBe("02-decide-x-whether-it-is-wanted-at-all-00112233.json")
    expect(packetFileName({ id: "dream-0011223344556677", rank: 3, title: "…" })).toBe("03-packet-00112233.json")
  })
})

describe("the packets of a morning", () => {
  test("ask for a decision on a rule that people contest, with the labels", () => {
    const [packet] = found(facts(split))
    expect(packet).toMatchObject({
      title: "Decide whether py/split is wanted",
      confidence: "high",
      why_now: "People accepted 3 of its findings and rejected 3, in 1 review.",
      dd: { condition: "contested-rule", subject: "py/split", nights: 1 },
      target_files: ["src/app.py"]
    })
    expect(packet?.evidence).toHaveLength(6)
    expect(packet?.evidence?.at(-1)).toBe("and 1 more")
    expect(packet?.evidence?.slice(0, 5).map((line) => line.split(": ")[1])).toEqual([
      "accepted",
      "rejected",
      "accepted",
      "rejected",
      "accepted"
    ])
    expect(packet?.morning_command).toBe(`dd dream do ${packet?.id}`)
    expect(packet?.id).toMatch(/^dream-[0-9a-f]{16}$/)
  })

  test("do not ask about a rule on which one person once differed", () => {
    expect(found(facts([labelled("py/x", ["accepted", "accepted", "accepted", "accepted", "rejected"])]))).toEqual([])
  })

  test("do not ask about what a suppression decides", () => {
    const older = { file: "test/b.py" }
    const accepted = labelled("py/split", ["accepted", "accepted"], older, now - 90 * day)
    const rejected = labelled("py/split", ["rejected", "rejected", "rejected"], { file: "test/a.py" })
    expect(found(facts([accepted, rejected]))).toHaveLength(1)
    const suppressions = [suppressionOf("py/split", "test/", { since: 0, expires: now + 60 * day })]
    const packets = found(facts([accepted, rejected], { suppressions }))
    expect(packets.filter(({ dd }) => dd?.condition === "contested-rule")).toEqual([])
  })

  test("do not ask about a rule that people want in some folders and not in others", () => {
    const side = (judgement: "accepted" | "rejected", folder: string, count: number) =>
      labelled(
        "py/split",
        Array.from({ length: count }, () => judgement),
        { file: `${folder}a.py` }
      )
    const sides = [side("accepted", "src/api/", 100), side("rejected", "test/", 60)]
    expect(found(facts(sides))).toEqual([])
    const [packet] = found(facts([...sides, labelled("py/split", ["accepted", "rejected", "accepted", "rejected"])]))
    expect(packet?.why_now).toStartWith("People accepted 2 of its findings and rejected 2")
  })

  test("ask for labels of what reviews of today report: not of what is gone, hidden or switched off", () => {
    const open = (rule: string, count: number, given: Partial<LabelledFinding> = {}) =>
      labelled(
        rule,
        Array.from({ length: count }, () => null),
        given
      )
    const reviews = [
      ...some,
      ...[open("py/gone", 9, { isGone: true }), open("py/hidden", 9), open("py/off", 9), open("py/open", 6)]
    ]
    const suppressions = [suppressionOf("py/hidden", "", { since: 0, expires: now + 60 * day })]
    const [packet] = found(facts(reviews, { suppressions }, { isSwitchedOff: (rule) => rule === "py/off" }))
    expect(packet).toMatchObject({ title: "Label 6 findings", dd: { condition: "label-request" } })
    expect(packet?.why_now).toStartWith("6 findings of the last 60 days have no label. Labels of py/open teach most")
  })

  test("do not ask about a rule that was switched off", () => {
    expect(found(facts(split, undefined, { isSwitchedOff: (rule) => rule === "py/split" }))).toEqual([])
  })

  test("count a finding that several reviews repeat once, with its newest label", () => {
    const same = { fingerprint: "same" }
    const reviews = [
      labelled("py/x", ["accepted"], same, now - 3 * day),
      labelled("py/x", ["rejected"], same, now - 2 * day),
      labelled("py/x", [null], same, now - day)
    ]
    expect(found(facts(reviews))).toEqual([])
  })

  const cases: ReadonlyArray<[string, MorningFacts, string, MorningFacts]> = [
    [
      "a suppressed finding that people accepted since",
      facts([labelled("py/s", ["accepted"], { severity: "high" })], {
        suppressions: [suppressionOf("py/s", "", { since: now - 5 * day, expires: now + 60 * day })]
      }),
      "Check whether py/s in this repository should stay hidden",
      facts([labelled("py/s", ["accepted"]), labelled("py/s", ["rejected"], {}, now - day / 2)], {
        suppressions: [suppressionOf("py/s", "", { since: now, expires: now + 60 * day })]
      })
    ],
    [
      "a suppression whose newest label accepts what it hides",
      facts([labelled("py/s", ["rejected", "rejected"], {}, now - 2 * day), labelled("py/s", ["accepted"])], {
        suppressions: [suppressionOf("py/s", "", { since: now, expires: now + 60 * day })]
      }),
      "Check whether py/s in this repository should stay hidden",
      facts([labelled("py/s", ["accepted"], {}, now - 2 * day), labelled("py/s", ["rejected", "rejected"])], {
        suppressions: [suppressionOf("py/s", "", { since: now, expires: now + 60 * day })]
      })
    ],
    [
      "a suppression of what many people accepted before",
      facts([labelled("py/s", ["accepted", "accepted", ...Array.from({ length: 8 }, () => "rejected" as const)])], {
        suppressions: [suppressionOf("py/s", "", { since: now, expires: now + 60 * day })]
      }),
      "Check whether py/s in this repository should stay hidden",
      facts([labelled("py/s", ["accepted", "accepted", ...Array.from({ length: 9 }, () => "rejected" as const)])], {
        suppressions: [suppressionOf("py/s", "", { since: now, expires: now + 60 * day })]
      })
    ],
    [
      "a suppression that is about to end",
      facts(some, { suppressions: [suppressionOf("py/s", "a/", { expires: now + 14 * day })] }),
      "Decide whether to hide py/s in a/ any longer",
      facts(some, { suppressions: [suppressionOf("py/s", "a/", { expires: now + 15 * day })] })
    ],
    [
      "fixes that fail their check",
      facts(some, { playbooks: [playbookOf("py/p", { passed: 1, failed: 2 })] }),
      "Find out why fixes of py/p fail",
      facts(some, { playbooks: [playbookOf("py/p", { passed: 2, failed: 2 })] })
    ],
    [
      "a convention that people agree on",
      facts(some, { conventions: [conventionOf("py/c", "a/", { maturity: "established", accepted: 9, rejected: 1 })] }),
      "Add a line on py/c in a/ to AGENTS.md",
      facts(
        some,
        { conventions: [conventionOf("py/c", "a/", { maturity: "established", accepted: 9, rejected: 1 })] },
        { agents: "# Rules\nAvoid\n  py/c" }
      )
    ],
    [
      "a model whose findings people accept less often",
      facts([labelled("py/d", ["rejected"], { by: "new" })], {
        calibration: [calibrationOf("py/d", 0.9, "old"), calibrationOf("py/d", 0.3, "new")]
      }),
      "Compare the findings of py/d by new with earlier ones",
      facts([labelled("py/d", ["rejected"], { by: "new" })], {
        calibration: [calibrationOf("py/d", 0.5, "old"), calibrationOf("py/d", 0.4, "new")]
      })
    ],
    [
      "a folder that is gone",
      facts(some, { conventions: [conventionOf("py/c", "gone/")] }, { missingFolders: new Set(["gone/"]) }),
      "Say where gone/ went: what dd learned there applies to nothing",
      facts(some, { conventions: [conventionOf("py/c", "gone/")] })
    ],
    [
      "findings without a label",
      facts([...some, labelled("py/l", [null, null, null, null, null])]),
      "Label 5 findings",
      facts([...some, labelled("py/l", [null, null, null, null])])
    ]
  ]
  test("on a learned item names the findings behind it, those that matter, and the file to edit", () => {
    const reviews = ["accepted", "accepted", "accepted", "accepted", "accepted", "rejected", "accepted"].map(
      (judgement, nth) => labelled("py/c", [judgement as "accepted"], { file: `a/f${nth}.py` }, now - nth * day)
    )
    const evidence = reviews.map(({ session }) => ({ session, finding: 1 }))
    const item = conventionOf("py/c", "a/", { maturity: "established", accepted: 9, rejected: 1, evidence })
    const packet = found(facts(reviews, { conventions: [item] })).find(({ dd }) => dd?.subject === item.id)
    expect(packet?.target_files?.slice(0, 3)).toEqual(["AGENTS.md", "a/f0.py", "a/f5.py"])
    expect(packet?.evidence?.slice(0, 2).map((line) => line.split(": ")[1])).toEqual(["accepted", "rejected"])
    expect(packet?.evidence?.at(-1)).toBe("and 2 more")
  })

  for (const [name, holding, title, settled] of cases) {
    test(`tell of ${name}, until that is settled`, () => {
      const packets = found(holding)
      expect(packets.map((packet) => packet.title)).toContain(title)
      expect(stillHolding(holding, packets)).toEqual(packets)
      expect(found(settled).map((packet) => packet.title)).not.toContain(title)
      expect(stillHolding(settled, packets)).toEqual([])
    })
  }

  test("keep their ids while their numbers change", () => {
    const more = [...split, labelled("py/split", ["accepted"])]
    const [[before], [after]] = [found(facts(split)), found(facts(more))]
    expect(after?.id).toBe(before!.id)
    expect(after?.why_now).not.toBe(before!.why_now)
  })

  const many = ["a", "b", "c", "d"].map((name) =>
    labelled(`py/${name}`, ["accepted", "accepted", "rejected", "rejected"], {
      severity: name === "a" ? "high" : "medium"
    })
  )

  test("are at most three, the most severe first", () => {
    const packets = found(facts(many))
    expect(packets).toHaveLength(3)
    expect(packets.map(({ rank }) => rank)).toEqual([1, 2, 3])
    expect(packets[0]!.title).toBe("Decide whether py/a is wanted")
  })

  test("tell of a missing folder once, with all rules of which something was learned there and below it", () => {
    const learned = {
      suppressions: ["py/a", "py/b", "py/c"].map((rule) => suppressionOf(rule, "gone/", { expires: now + 90 * day })),
      conventions: [conventionOf("py/d", "gone/deep/"), conventionOf("py/e", "here/")]
    }
    const packets = found(facts(some, learned, { missingFolders: new Set(["gone/deep/", "gone/"]) }))
    expect(packets.map(({ dd, title, why_now }) => [dd?.subject, title, why_now])).toEqual([
      [
        "gone/",
        "Say where gone/ went: what dd learned there applies to nothing",
        "The folder is not in the repository, and 18 labels on py/a, py/b, py/c, py/d were given there."
      ]
    ])
  })

  test("begin with a suppression that hides what somebody accepted, before housekeeping", () => {
    const sure = labelled("py/a", ["accepted"], { file: "src/a.py", severity: "low", judgedAt: now }, now - 40 * day)
    const busy = Array.from({ length: 20 }, () => labelled("py/g", [null, null], { file: "gone/g.py" }))
    const learned = {
      suppressions: [
        suppressionOf("py/a", "src/", { expires: now + 90 * day }),
        suppressionOf("py/g", "gone/", { expires: now + 90 * day })
      ]
    }
    const open = labelled("py/h", [null, null, null, null, null])
    const packets = found(facts([...busy, sure, open], learned, { missingFolders: new Set(["gone/"]) }))
    expect(packets.map(({ dd }) => dd?.condition)).toEqual([
      ...(["suppression-contradicted", "anchors-broken", "label-request"] as const)
    ])
  })

  test("grow older while nothing changes, and after three nights come after the others", () => {
    let ages = {}
    // A second night of the same day is no other night.
    const nights = [1, 2, 2, 3, 4].map((each) => {
      const night = packetsOf(facts(many, undefined, { now: now + each * day }), ages, digest)
      ages = night.ages
      return night.packets
    })
    expect(nights[3]!.find(({ title }) => title.includes("py/a"))).toMatchObject({
      rank: 1,
      queue_backed: true,
      dd: { nights: 3 }
    })
    const other = facts(
      [...many, labelled("py/e", ["accepted", "accepted", "rejected", "rejected"], { severity: "low" })],
      undefined,
      { now: now + 5 * day }
    )
    expect(packetsOf(other, ages, digest).packets[0]).toMatchObject({
      title: "Decide whether py/e is wanted",
      queue_backed: false,
      dd: { nights: 1 }
    })
  })

  test("are young again when their numbers change", () => {
    const { ages } = packetsOf(facts(split), {}, digest)
    const more = packetsOf(facts([...split, labelled("py/split", ["accepted"])]), ages, digest)
    expect(more.packets[0]).toMatchObject({ queue_backed: true, dd: { nights: 1 } })
  })

  for (const [name, reviews, note] of [
    [
      "the reviews that dd learned from are gone",
      [],
      "No review of this repository is archived any more, although dd learned from reviews: they are missing."
    ],
    [
      "nothing has a label",
      [labelled("py/x", [null, null, null, null, null, null])],
      "No finding has a label of a person yet, so there was nothing to learn from."
    ],
    [
      "there was no review for long",
      [labelled("py/x", ["accepted", "accepted", "rejected", "rejected"], {}, now - 91 * day)],
      "No review was archived in the last 90 days, so there are no packets; the next review brings back those that still hold."
    ]
  ] as const) {
    test(`are none, with a note, if ${name}`, () => {
      const before = { "dream-1": { why: "People disagree.", nights: 2 } }
      expect(packetsOf(facts(reviews), before, digest)).toEqual({ packets: [], ages: before, note })
    })
  }

  test("are the same for the same facts", () => {
    expect(packetsOf(facts(many), {}, digest)).toEqual(packetsOf(facts(many), {}, digest))
  })

  test("never tell of faults of the night itself, which are in its report", () => {
    for (const [line] of vectors.degraded_escalates) {
      expect(found(facts(some)).some(({ title }) => title.includes(String(line)))).toBe(false)
    }
  })

  test("show text from elsewhere on one line without control characters", () => {
    const rule = "py/x\n\u001b[31m# evil"
    const [packet] = found(
      facts([labelled(rule, ["accepted", "accepted", "rejected", "rejected"], { file: "a\u202e\nb.py" })])
    )
    expect(packet?.title).toBe("Decide whether py/x # evil is wanted")
    expect(packet?.evidence?.[0]).toStartWith("a<U+202E> b.py:3")
  })
})
