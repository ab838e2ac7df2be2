import { describe, expect, test } from "bun:test"
import type { ProjectConvention } from "../../../../src/domain/dream/Artifact.ts"
import {
  type ArtifactBase,
  artifactId,
  emptyBase,
  withMark,
  withSessions
} from "../../../../src/domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../../../src/domain/dream/artifacts/artifactsOf.ts"
import type { SessionProfile } from "../../../../src/domain/dream/SessionProfile.ts"
import { digest } from "../../../../src/layers/dream/spoolPlace.ts"
import { it } from "../../../support/effect.ts"
import {
  convention,
  day,
  firstDay,
  History,
  playbook,
  profileOf,
  profilesOf,
  repair,
  seen,
  sequence
} from "../../../support/sessionProfiles.ts"

const today = (firstDay + 365) * day
const baseOf = (profiles: ReadonlyArray<SessionProfile>, now = today) => withSessions(emptyBase, profiles, now, digest)
const learned = (profiles: ReadonlyArray<SessionProfile>, now = today) =>
  artifactsOf(baseOf(profiles, now), now, digest)
const sessions = (count: number, over: (at: number) => Partial<SessionProfile>) =>
  Array.from({ length: count }, (_, at) => profileOf(`s${at}`, over(at)))

describe("confidence", () => {
  const oneRepair = [seen("r", repair("ENOENT", "mkdir -p"))]
  const repaired = (count: number) =>
    learned(
      sessions(count, () => ({ contributions: oneRepair })),
      firstDay * day
    )[0]

  test("grows with the sessions that observed the same", () => {
    expect([1, 3, 5].map((count) => repaired(count)?.confidence)).toEqual([0.7, 0.85, 0.9])
    expect(repaired(3)).toMatchObject({
      occurrences: 3,
      stats: { s: 3, f: 0, sessions: 3 },
      sources: ["s0", "s1", "s2"]
    })
  })

  test("falls with time: evidence of 90 days ago counts half", () => {
    const [now] = learned([profileOf("s", { contributions: oneRepair })], (firstDay + 90) * day)
    expect(now).toMatchObject({ confidence: 0.6, stats: { s: 0.5, f: 0, sessions: 1 } })
  })

  test("falls with failures, and what was sure once stays until the budget removes it", () => {
    const failing = sessions(4, (at) => ({
      endedAt: (firstDay + at) * day,
      contributions: [seen("r", repair("ENOENT", "mkdir -p"), at === 0 ? 1 : 0, at === 0 ? 0 : 1)]
    }))
    const [artifact] = learned(failing, (firstDay + 4) * day)
    expect(artifact?.confidence).toBeLessThan(0.5)
    expect(artifact?.stats.sessions).toBe(1)
  })

  test("what never was sure is not learned", () => {
    expect(learned([profileOf("s", { contributions: [seen("r", repair("a", "b"), 1, 1)] })])).toEqual([])
  })

  test("a sequence needs two sessions, and has the mean gain of trust", () => {
    const found = (count: number) =>
      learned(
        sessions(count, (at) => ({
          contributions: [{ ...seen("q", sequence("fix", "read", "edit", "test")), trustDelta: 10 + at * 4 }]
        })),
        firstDay * day
      )
    expect(found(1)).toEqual([])
    expect(found(2)[0]).toMatchObject({ occurrences: 2, avg_trust_delta: 12 })
  })
})

describe("artifacts of one key", () => {
  test("a repair keeps the files and commands that all its sessions have", () => {
    const observed = (...files: ReadonlyArray<string>) =>
      files.map((file, at) =>
        profileOf(`s${at}`, {
          contributions: [
            seen("key", playbook("error:typescript:TS2345", `edit the test (${file})`, "run tsc (tsc -b)"))
          ]
        })
      )
    const sequences = (profiles: ReadonlyArray<ReturnType<typeof profileOf>>) =>
      artifactsOf(withSessions(emptyBase, profiles, firstDay * day, digest), firstDay * day, digest).map((artifact) => [
        artifact.type === "DreamPlaybook" && artifact.sequence,
        artifact.stats.sessions
      ])
    expect(sequences(observed("a.test.ts", "a.test.ts"))).toEqual([
      [["edit the test (a.test.ts)", "run tsc (tsc -b)"], 2]
    ])
    const mixed = observed("a.test.ts", "b.test.ts", "a.test.ts")
    expect(sequences(mixed)).toEqual([[["edit the test", "run tsc (tsc -b)"], 3]])
    expect(sequences(mixed.toReversed())).toEqual(sequences(mixed))
  })

  test("a slot has one convention, and a competing value lowers it", () => {
    const spec = seen("testing:suffix", convention("testing", ".spec.ts"), 8)
    const suffix = seen("testing:suffix", convention("testing", ".test.ts"), 10)
    const alone = learned([profileOf("a", { contributions: [suffix] })], firstDay * day)
    const both = learned(
      [
        profileOf("a", { contributions: [suffix] }),
        profileOf("b", { contributions: [spec], endedAt: (firstDay + 1) * day })
      ],
      (firstDay + 1) * day
    )
    expect(both).toHaveLength(1)
    const [first] = both as ReadonlyArray<ProjectConvention>
    expect(first).toMatchObject({ pattern: ".test.ts", evidence_count: 10, sources: ["a"] })
    expect(first!.confidence).toBeLessThan(0.6)
    expect(alone[0]?.confidence).toBeGreaterThan(0.9)
    expect(alone[0]?.id).toBe(first!.id)
  })

  test("what the repository shows is counted once, as the latest session saw it", () => {
    const suffix = (s: number, f: number) => ({
      ...seen("testing:suffix", convention("testing", ".test.ts"), 1),
      repository: { s, f }
    })
    const found = learned(
      sessions(3, (at) => ({ endedAt: firstDay * day + at, contributions: [suffix(40 + at, 1)] })),
      firstDay * day
    )
    expect(found[0]).toMatchObject({ evidence_count: 45, stats: { s: 45, f: 1, sessions: 3 } })
  })

  test("two repairs of one trigger are both kept", () => {
    const two = [seen("t a", playbook("t", "a", "b")), seen("t c", playbook("t", "c", "d"))]
    expect(learned([profileOf("s", { contributions: two })], firstDay * day)).toHaveLength(2)
  })

  test("at most five sources, the newest first", () => {
    const many = learned(
      sessions(8, (at) => ({ endedAt: (firstDay + at) * day, contributions: [seen("r", repair("a", "b"))] }))
    )
    expect(many[0]?.sources).toEqual(["s7", "s6", "s5", "s4", "s3"])
  })

  test("uses, and whether they helped, come from the injections of sessions", () => {
    const id = artifactId("RepairPattern", "r", digest)
    const use = (value: -1 | 0 | 1 | null) => ({ id: "i", sources: ["repair"], artifacts: [id], value })
    const [used] = learned([
      profileOf("a", { contributions: [seen("r", repair("a", "b"))], injections: [use(1), use(0)] }),
      profileOf("b", { endedAt: (firstDay + 3) * day, turns: 0, injections: [use(-1), use(null)] })
    ])
    expect(used).toMatchObject({ uses: 4, helped: 1, hurt: 1, last_used_at: ((firstDay + 3) * day) / 1000 })
  })
})

describe("marks", () => {
  const id = artifactId("RepairPattern", "r", digest)
  const contributions = [seen("r", repair("a", "b"))]
  const marked = (mark: "pin" | "forget", at: number, profiles: ReadonlyArray<SessionProfile>) =>
    artifactsOf(withSessions(withMark(baseOf([]), id, mark, at, digest), profiles, today, digest), today, digest)

  test("what is forgotten does not come back from sessions that began before", () => {
    const before = profileOf("a", { contributions })
    const after = profileOf("b", { contributions, endedAt: (firstDay + 9) * day })
    expect(marked("forget", firstDay * day, [before])).toEqual([])
    expect(marked("forget", firstDay * day, [before, after])[0]?.sources).toEqual(["b"])
    const folded = withMark(baseOf([before]), id, "forget", firstDay * day, digest)
    expect(artifactsOf(folded, today, digest)).toEqual([])
  })

  describe("of the same in other words", () => {
    const one = seen("r1", repair("ENOENT", "mkdir -p build"))
    const other = seen("r2", repair("no such folder", "mkdir -p build"))
    const [from, into] = ["r2", "r1"].map((key) => artifactId("RepairPattern", key, digest)) as [string, string]
    const profiles = [
      ...sessions(2, () => ({ contributions: [one] })),
      ...["a", "b", "c"].map((name) => profileOf(name, { contributions: [other] }))
    ]
    const merge = (base: ArtifactBase, artifact = from, to = into) =>
      withMark(base, artifact, { mergeInto: to }, 5, digest)
    const artifacts = (base: ArtifactBase) => artifactsOf(base, firstDay * day, digest)

    test("a merge counts the sessions of both, and keeps what the other was about", () => {
      const [merged, ...rest] = artifacts(merge(baseOf(profiles)))
      expect(rest).toEqual([])
      expect(merged).toMatchObject({
        id: into,
        error_signature: "ENOENT",
        merged: ["no such folder"],
        stats: { s: 5, sessions: 5 }
      })
    })

    test("a merge undone leaves everything as it was, whenever the sessions came", () => {
      const before = artifacts(baseOf(profiles))
      const unmerged = withMark(merge(baseOf(profiles.slice(0, 3))), into, "unmerge", 6, digest)
      expect(artifacts(withSessions(unmerged, profiles, today, digest))).toEqual(before)
    })

    test("later sessions count for the merged one, and a second merge takes the first one along", () => {
      const third = seen("r3", repair("missing directory", "mkdir -p build"))
      const base = withSessions(
        merge(baseOf(profiles)),
        [profileOf("d", { contributions: [other, third] })],
        today,
        digest
      )
      const top = artifactId("RepairPattern", "r3", digest)
      expect(artifacts(base).find(({ id }) => id === into)?.stats.sessions).toBe(6)
      const all = artifacts(merge(base, into, top))
      expect(all.map(({ id, stats }) => [id, stats.sessions])).toEqual([[top, 7]])
    })

    test("merges are undone one by one, with the pins that were there before", () => {
      const third = seen("r3", repair("missing directory", "mkdir -p build"))
      const top = artifactId("RepairPattern", "r3", digest)
      const all = [...profiles, profileOf("d", { contributions: [third] })]
      const first = withMark(baseOf(all), from, "pin", 4, digest)
      const second = merge(first)
      const both = merge(second, into, top)
      expect(artifacts(both)).toMatchObject([{ id: top, stats: { sessions: 6 } }])
      const oneUndone = withMark(both, top, "unmerge", 6, digest)
      expect(artifacts(oneUndone)).toEqual(artifacts(second))
      expect(artifacts(withMark(oneUndone, into, "unmerge", 7, digest))).toEqual(artifacts(first))
      expect(artifacts(first).map(({ id, pinned }) => [id, pinned])).toContainEqual([from, true])
    })

    test("what is merged into one that was merged itself counts for the last of them, and no merge goes in a circle", () => {
      const top = artifactId("RepairPattern", "r3", digest)
      const base = merge(merge(baseOf(profiles), into, top), from, into)
      expect(artifacts(base)).toMatchObject([{ id: top, stats: { sessions: 5 } }])
      expect(merge(base, top, from)).toEqual(base)
    })

    test("what is forgotten takes along what was merged into it", () => {
      const forgotten = withMark(merge(baseOf(profiles)), into, "forget", today, digest)
      expect(
        artifacts(withSessions(forgotten, [profileOf("e", { contributions: [one, other] })], today, digest))
      ).toEqual([])
    })

    test("conventions that are merged do not count against each other", () => {
      const named = [
        seen("style", convention("style", "two spaces")),
        seen("tabs", convention("style", "indent with two spaces"))
      ]
      const base = baseOf(sessions(6, (at) => ({ contributions: [named[at % 2]!] })))
      const ids = ["style", "tabs"].map((key) => artifactId("ProjectConvention", key, digest))
      expect(artifacts(merge(base, ids[1], ids[0]))).toMatchObject([{ id: ids[0], stats: { s: 6, f: 0 } }])
    })
  })

  test("what is pinned is marked until it is forgotten", () => {
    expect(marked("pin", 0, [profileOf("a", { contributions })])[0]?.pinned).toBe(true)
    const pinned = withMark(baseOf([]), id, "pin", 0, digest)
    expect(withMark(pinned, id, "unpin", 0, digest)).toEqual(baseOf([]))
    expect(withMark(pinned, id, "forget", 7, digest).marks).toEqual({ pinned: [], forgotten: { [id]: 7 } })
  })
})

describe("laws of the evidence", () => {
  it.prop("the order of the sessions does not matter", History, (history) => {
    const profiles = profilesOf(history)
    expect(baseOf(profiles.toReversed())).toEqual(baseOf(profiles))
    expect(learned(profiles.toReversed())).toEqual(learned(profiles))
  })

  it.prop("a second pass over the same sessions changes nothing", History, (history) => {
    const profiles = profilesOf(history)
    expect(withSessions(baseOf(profiles), profiles, today, digest)).toEqual(baseOf(profiles))
  })

  it.prop("it does not matter which sessions were added earlier", History, (history) => {
    const profiles = profilesOf(history)
    for (const count of [1, 3, 7]) {
      const early = baseOf(profiles.slice(0, count), (firstDay + 200) * day)
      expect(withSessions(early, profiles, today, digest)).toEqual(baseOf(profiles))
    }
  })

  it.prop("more successes never lower the confidence", History, (history) => {
    const profiles = profilesOf(history)
    const more = [
      ...profiles,
      profileOf("more", { endedAt: today, contributions: [seen("r1", repair("ENOENT: no such file", "mkdir -p"), 2)] })
    ]
    const repairOf = (all: ReadonlyArray<SessionProfile>) =>
      learned(all).find(({ type }) => type === "RepairPattern")?.confidence ?? 0
    expect(repairOf(more)).toBeGreaterThanOrEqual(repairOf(profiles))
  })
})
