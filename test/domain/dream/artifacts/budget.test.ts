import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import type { Artifact } from "../../../../src/domain/dream/Artifact.ts"
import {
  artifactsText,
  bytesOfFile,
  limits,
  removalOrder,
  withinBudget
} from "../../../../src/domain/dream/artifacts/budget.ts"
import { sealedText } from "../../../../src/domain/dream/artifacts/sealedText.ts"
import { it } from "../../../support/effect.ts"

const Given = Schema.Array(
  Schema.Struct({
    type: Schema.Literals(["DreamPlaybook", "RepairPattern", "ProjectConvention", "SuccessfulSequence"]),
    confidence: Schema.Literals([0.2, 0.4, 0.49, 0.5, 0.7, 0.9]),
    created: Schema.Literals([1, 2, 3, 4]),
    used: Schema.NullOr(Schema.Literals([2, 3, 5])),
    sessions: Schema.Literals([1, 2, 9]),
    letter: Schema.Literals(["a", "é", "😀", "\n"]),
    length: Schema.Literals([0, 30, 100, 300, 700, 2100]),
    pinned: Schema.Literals([false, false, false, true])
  })
).check(Schema.isMinLength(10), Schema.isMaxLength(120))
type Given = (typeof Given)["Type"]

const artifacts = (given: Given): ReadonlyArray<Artifact> =>
  given.map(({ confidence, created, length, letter, pinned, sessions, type, used }, at) => {
    const text = `x${letter.repeat(length)}`
    const envelope = {
      v: 2 as const,
      id: `id_${String(at).padStart(3, "0")}`,
      key: `k${at}`,
      confidence,
      stats: { s: sessions, f: 0, sessions },
      created_at: created,
      last_seen_at: created,
      last_used_at: used,
      uses: used === null ? 0 : 1,
      helped: 0,
      hurt: 0,
      sources: ["s"],
      origin: "hook" as const,
      ...(pinned ? { pinned: true as const } : {})
    }
    switch (type) {
      case "DreamPlaybook":
        return { type, trigger: "t", sequence: [text, "b"], source_sessions: sessions, ...envelope }
      case "RepairPattern":
        return { type, error_signature: text, fix_action: "fix", occurrences: sessions, ...envelope }
      case "ProjectConvention":
        return { type, domain: "testing", pattern: text, evidence_count: sessions, ...envelope }
      default:
        return { type, label: "l", steps: ["a", text], avg_trust_delta: 0, occurrences: sessions, ...envelope }
    }
  })

const bytes = (text: string) => new TextEncoder().encode(text).length
const ids = (list: ReadonlyArray<Artifact>) => list.map(({ id }) => id)

describe("the budget", () => {
  it.prop("is never exceeded, in bytes of the file as it is written", Given, (given) => {
    const { kept, removed } = withinBudget(artifacts(given))
    expect(bytes(sealedText("0".repeat(64), artifactsText(kept)))).toBe(bytesOfFile(kept))
    expect(bytesOfFile(kept)).toBeLessThanOrEqual(32 * 1024)
    expect(kept.length).toBeLessThanOrEqual(50)
    for (const artifact of kept) {
      expect(bytes(JSON.stringify(artifact))).toBeLessThanOrEqual(2 * 1024)
      expect(kept.filter(({ type }) => type === artifact.type).length).toBeLessThanOrEqual(20)
    }
    expect(ids([...kept, ...removed.map(({ artifact }) => artifact)]).sort()).toEqual(ids(artifacts(given)).sort())
  })

  it.prop("keeps the same artifacts in whatever order they are given", Given, (given) => {
    const all = artifacts(given)
    expect(withinBudget(all.toReversed())).toEqual(withinBudget(all))
  })

  it.prop("applied twice changes nothing more", Given, (given) => {
    const { kept } = withinBudget(artifacts(given))
    expect(withinBudget(kept)).toEqual({ kept, removed: [] })
  })

  it.prop("a use never makes an artifact go that would have stayed", Given, (given) => {
    const all = artifacts(given)
    const { kept } = withinBudget(all)
    for (const { id } of kept.slice(0, 5)) {
      const used = all.map((artifact) => (artifact.id === id ? { ...artifact, last_used_at: 9 } : artifact))
      expect(ids(withinBudget(used).kept)).toContain(id)
    }
  })

  it.prop("nothing is removed that is better than what stays, of the same type and size", Given, (given) => {
    const { kept, removed } = withinBudget(
      artifacts(given.map((each) => ({ ...each, length: 30 as const, letter: "a" as const })))
    )
    const order = ids(removalOrder([...kept, ...removed.map(({ artifact }) => artifact)]))
    for (const { artifact } of removed) {
      for (const other of kept) {
        if (other.type === artifact.type) expect(order.indexOf(artifact.id)).toBeLessThan(order.indexOf(other.id))
      }
    }
  })

  test("doubtful ones go first, then those not used for longest, pinned ones last", () => {
    const one = (over: Partial<Given[number]>): Given[number] => ({
      type: "RepairPattern",
      confidence: 0.9,
      created: 1,
      used: null,
      sessions: 1,
      letter: "a",
      length: 0,
      pinned: false,
      ...over
    })
    const order = removalOrder(
      artifacts([
        one({ confidence: 0.9, used: 5 }),
        one({ confidence: 0.4, used: 5 }),
        one({ confidence: 0.2, pinned: true }),
        one({ confidence: 0.7, used: 3, sessions: 2 }),
        one({ confidence: 0.7, created: 3, sessions: 1 }),
        one({ confidence: 0.2, used: 5 })
      ])
    )
    expect(ids(order)).toEqual(["id_005", "id_001", "id_004", "id_003", "id_000", "id_002"])
  })

  const repair = (at: number, over: Partial<Artifact>): Artifact => ({
    type: "RepairPattern",
    error_signature: `error ${at}`,
    fix_action: `fix ${at}`,
    occurrences: 1,
    ...{ v: 2, id: `rp_${at}`, key: `${at}`, confidence: 0.66, stats: { s: 1, f: 0, sessions: 1 } },
    ...{
      created_at: 10,
      last_seen_at: 10,
      last_used_at: null,
      uses: 0,
      helped: 0,
      hurt: 0,
      sources: [],
      origin: "hook"
    },
    ...(over as object)
  })

  test("a convention that sessions follow stays before repairs of one session", () => {
    const conventions = [0, 1, 2].map(
      (at): Artifact => ({
        ...repair(at, { confidence: 0.97, created_at: 1, last_seen_at: 20, stats: { s: 34, f: 0, sessions: 34 } }),
        ...{
          type: "ProjectConvention",
          domain: "testing",
          pattern: `convention ${at}`,
          evidence_count: 34,
          id: `cv_${at}`
        }
      })
    )
    const others = [...Array(20).keys()].map((at) => repair(at, { last_seen_at: 11 + (at % 9) }))
    const sequences = [...Array(30).keys()].map(
      (at): Artifact => ({
        ...repair(at, { last_seen_at: 15, id: `sq_${at}` }),
        ...(at < 15
          ? { type: "DreamPlaybook", trigger: `${at}`, sequence: [`${at}`], source_sessions: 1 }
          : { type: "SuccessfulSequence", label: `${at}`, steps: [`${at}`], avg_trust_delta: 1, occurrences: 1 })
      })
    )
    const { kept, removed } = withinBudget([...conventions, ...others, ...sequences])
    expect(removed).toHaveLength(3)
    expect(kept).toEqual(expect.arrayContaining(conventions))
  })

  test("twenty repairs with one advice leave room for other ones", () => {
    const same = [...Array(20).keys()].map((at) =>
      repair(at, { fix_action: "create the missing directory with mkdir -p", last_seen_at: 20 + at })
    )
    const others = [...Array(10).keys()].map((at) => repair(100 + at, {}))
    const { kept, removed } = withinBudget([...same, ...others])
    expect(kept).toEqual(expect.arrayContaining(others))
    expect(ids(removed.map(({ artifact }) => artifact))).toEqual(ids(same.slice(0, 10)))
    expect(withinBudget(same).kept).toHaveLength(20)
  })

  test("one that is too long is shortened, and refused if its key alone is too long", () => {
    const [long] = artifacts([
      {
        type: "RepairPattern",
        confidence: 0.9,
        created: 1,
        used: null,
        sessions: 1,
        letter: "😀",
        length: 2100,
        pinned: false
      }
    ])
    const { kept } = withinBudget([long!])
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toMatch(/\\ud[89a-f]/)
    const { removed } = withinBudget([{ ...long!, key: "k".repeat(limits.each) }])
    expect(removed.map(({ reason }) => reason)).toEqual(["it has more than 2048 bytes"])
  })

  test("one into which very many were merged is kept, and names as many of them as have room", () => {
    const [one] = artifacts([
      {
        type: "RepairPattern",
        confidence: 0.9,
        created: 1,
        used: null,
        sessions: 1,
        letter: "a",
        length: 700,
        pinned: false
      }
    ])
    const merged = Array.from({ length: 300 }, (_, at) => `the ${at}th error, in other words than the one before`)
    const { kept, removed } = withinBudget([{ ...one!, merged }])
    expect(removed).toEqual([])
    expect(kept[0]!.merged!.length).toBeGreaterThan(10)
    expect(kept[0]!.merged).toEqual(merged.slice(0, kept[0]!.merged!.length))
    expect(withinBudget(kept).kept).toEqual(kept)
  })
})
