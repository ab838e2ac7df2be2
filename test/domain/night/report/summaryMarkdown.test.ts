import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { crashed } from "../../../../src/domain/night/report/crashed.ts"
import { summaryMarkdown } from "../../../../src/domain/night/report/summaryMarkdown.ts"
import { type Summary, summaryOf } from "../../../../src/domain/night/Summary.ts"
import golden from "../../../support/night/golden-v1.json"
import { failedNight, firstNight, goodNight, haltedNight } from "../../../support/night/nights.ts"
import { iteration, night } from "../../../support/night/summaries.ts"

const of = (given: Parameters<typeof night>[0]): string => summaryMarkdown(summaryOf(night(given)))
const headings = (text: string) => text.split("\n").filter((line) => line.startsWith("## "))

describe("summary.md", () => {
  for (const [name, summary] of Object.entries({ firstNight, goodNight, haltedNight, failedNight })) {
    test(`of the ${name.replace("Night", "")} night reads as in ${name}.md`, () => {
      const expected = readFileSync(join(import.meta.dir, "../../../support/night", `${name}.md`), "utf8")
      expect(summaryMarkdown(summary)).toBe(expected)
    })
  }

  test("has its sections in the order of the contract", () => {
    expect(headings(summaryMarkdown(haltedNight))).toEqual([
      "## DreamScape",
      "## Health",
      "## Yield",
      "## Long haul",
      "## What ran",
      "## Morning packets",
      "## Dream Council",
      "## Degraded",
      "## First move",
      "## Recommended"
    ])
  })

  test("leaves out the sections that have nothing to say", () => {
    expect(headings(of({ next_action: "Rest." }))).toEqual(["## Health", "## What ran", "## First move"])
  })

  test("reads reports of version 1", () => {
    const text = summaryMarkdown(golden as Summary)
    expect(text).toContain("- Learned items that were shown: 40 %")
    expect(text).toContain("- Knowledge raises the share of accepted findings: yes")
    expect(text).toContain("- What was learned for recent changes: failed, the night went on (gate set not labelled)")
  })

  test("says that the night has only begun, and after a kill that it was killed", () => {
    const planned = summaryOf(night({ status: "planned", steps: [{ name: "ingest", status: "pending" }] }))
    expect(summaryMarkdown(planned)).toContain("The night has begun and has not reported yet.")
    const text = summaryMarkdown(crashed(planned))
    expect(text).toContain("- Status: failed (killed)")
    expect(text).toContain("- Reading labels: skipped")
    expect(text).toContain("Run `dd dream start` again")
  })

  test("names each outcome of an iteration in words", () => {
    const text = of({
      iterations: [
        iteration(1, { status: "degraded" }),
        iteration(2, { status: "rolled-back-pre-commit", error: "the disk is full" }),
        iteration(3, { status: "halted-on-regression-post-commit" }),
        iteration(4, { status: "failed", error: "the archive is gone" })
      ]
    })
    expect(text).toContain("- Iteration 1: could not be measured, nothing was changed, 42.5s")
    expect(text).toContain("- Iteration 2: failed, nothing was changed: the disk is full, 42.5s")
    expect(text).toContain("- Iteration 3: kept, but a check failed afterwards, 42.5s")
    expect(text).toContain("- Iteration 4: failed: the archive is gone, 42.5s")
  })

  test("says why the machine was not kept awake", () => {
    const runtime = { ...night().runtime, keep_awake_mode: "unsupported", keep_awake_note: "the machine may sleep" }
    expect(of({ runtime })).toContain("- Keep awake: no, the machine may sleep\n")
    expect(of({ runtime: { ...runtime, keep_awake: false } })).toContain("- Keep awake: not asked for\n")
  })

  const hostile = "x`$(touch /tmp/p)` <img src=x> [a](http://b) @ada\n# Heading \u202e\u001b[31m"

  test("makes text from elsewhere inert", () => {
    const packet = goodNight.morning_packets![0]!
    const text = of({
      goal: hostile,
      degraded: [hostile],
      next_action: hostile,
      morning_packets: [{ ...packet, title: hostile, why_now: hostile, evidence: [hostile] }]
    })
    expect(text).not.toContain("<img")
    // As code, which nobody follows.
    expect(text.replaceAll("`[a](http://b`", "")).not.toContain("](http")
    expect(text).not.toMatch(/^# Heading/m)
    expect(text).not.toMatch(/[\u202e\u001b]/)
    expect(text).not.toMatch(/[^`]@ada/)
  })

  test("shows no command with characters that a shell interprets", () => {
    const text = of({
      recommended: [
        'ao rpi phased "Repair $(touch /tmp/p)"',
        "dd dream start --goal='a $(b)'",
        "rm -rf ~; true",
        "dd dream report"
      ]
    })
    expect(text).toEndWith(
      "```\ndd dream start --goal='a $(b)'\ndd dream report\n```\n\n2 commands with characters that a shell interprets: see summary.json.\n"
    )
  })

  test("says what is known about the goal: at most ten items with their ids, and where the evidence is", () => {
    const hidden = { id: "sup-1", rule: "py/bare-except", folder: "src/gen/", rejected: 7, accepted: 1, evidence: [] }
    const convention = (n: number) => ({ id: `con-${n}`, rule: "py/x", folder: "", text: `Avoid ${n}.`, evidence: [] })
    const conventions = Array.from({ length: 11 }, (_, n) => convention(n))
    const text = of({
      ...{ goal: "src/gen", artifacts: { briefing: "/out/briefing.json" } },
      briefing: { goal: "src/gen", suppressions: [hidden], conventions, playbooks: [] }
    })
    expect(text).toContain(
      "## What is known about the goal\n\n- Findings of py/bare-except in src/gen/ are hidden: people rejected 7 of 8 (sup-1)\n- Avoid 0. (con-0)\n"
    )
    expect(text).toContain("- Avoid 8. (con-8)\n- and 2 more\n- With the evidence: `/out/briefing.json`\n")
  })

  test("says in plain words why a change was not kept", () => {
    const text = of({
      degraded: ["iteration 1: calibration of the same items dropped 0.0903 on average, below floor 0.05"],
      plateau_reason: "iteration 2: 2 consecutive iterations below epsilon 0.0298"
    })
    expect(text).toContain("same items dropped by 0.0903 on average, more than the 0.05 that is allowed\n")
    expect(text).toContain("2 iterations in a row changed the fitness by less than 0.0298\n")
  })

  test("shows the first 20 lines of a long list, and how many are left", () => {
    expect(of({ degraded: Array.from({ length: 23 }, (_, n) => `fault ${n}`) })).toContain(
      "- fault 19\n- and 3 more in summary.json\n"
    )
  })
})
