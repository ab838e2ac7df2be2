import { describe, expect } from "bun:test"
import type { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import { longestHold } from "../../../src/domain/secret/RedactionStream.ts"
import { tokenFormats } from "../../../src/domain/secret/tokenFormats.ts"
import { RedactedEvents } from "../../../src/services/agent/RedactedEvents.ts"
import { redactionFailed, redactorFrom, redactorOf } from "../../../src/services/secret/Redactor.ts"
import { it } from "../../support/effect.ts"
import { answered, asked, result, started, text, thinks, tool, turnEnd } from "../../support/journal.ts"
import { sampleOf } from "../../support/sampleOf.ts"

const github = `ghp_${"aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"}`

const redactor = redactorOf({})

const said = (events: ReadonlyArray<RunEvent | typeof redactionFailed>, call: number): string =>
  events
    .map((each) =>
      each !== redactionFailed && each._tag === "Agent" && each.call === call && each.event._tag === "Text"
        ? each.event.text
        : ""
    )
    .join("")

describe("the events of a run, redacted", () => {
  it("come at once and in order; an agent's text is complete at the end of its turn", () => {
    const events = new RedactedEvents(redactor)
    const told = [started(), asked(1), text(1, "a\nb\nc"), thinks(1, "x"), tool(1, "t"), text(1, "d"), turnEnd(1)]
    const kept = told.flatMap((event) => events.of(event))
    expect(kept).toEqual([
      started(),
      asked(1),
      text(1, "a\n"),
      thinks(1, "x"),
      tool(1, "t"),
      text(1, ""),
      text(1, "b\ncd"),
      turnEnd(1)
    ])
    expect([...events.of(result(1, "t")), ...events.of(answered(1)), ...events.flush]).toEqual([
      result(1, "t"),
      answered(1)
    ])
  })

  for (const [how, end] of [
    ["its turn", turnEnd(1)],
    ["its call", answered(1, "failed")],
    ["its call, of which another begins,", asked(1)]
  ] as const) {
    it(`release the text of an agent, and of no other, when ${how} ends`, () => {
      const events = new RedactedEvents(redactor)
      const halves = [text(1, github.slice(0, 9)), text(2, github.slice(0, 9)), text(1, github.slice(9))]
      expect(
        said(
          halves.flatMap((event) => events.of(event)),
          1
        )
      ).toBe("")
      expect(events.of(end)).toEqual([text(1, "[REDACTED_API_KEY]"), end])
      expect(events.flush).toEqual([text(2, "[REDACTED_CREDENTIAL]")])
      expect(events.flush).toEqual([])
    })
  }

  it("do not mix the texts of two agents", () => {
    const events = new RedactedEvents(redactor)
    const [a, b] = [github.slice(0, 12), github.slice(12)]
    const kept = [text(1, a), text(2, "fine "), text(1, b), text(2, "indeed")].flatMap((event) => events.of(event))
    const all = [...kept, ...events.flush]
    expect([said(all, 1), said(all, 2)]).toEqual(["[REDACTED_API_KEY]", "fine indeed"])
  })

  it("show no part of a token of any form, wherever it is cut in two", () => {
    const hidden = "It says\n\nuse [REDACTED_API_KEY] now"
    for (const { pattern } of tokenFormats) {
      const whole = `It says\n\nuse ${sampleOf(pattern)} now`
      for (let at = 0; at < whole.length; at++) {
        const events = new RedactedEvents(redactor)
        const begin = said(events.of(text(1, whole.slice(0, at))), 1)
        const rest = [...events.of(text(1, whole.slice(at))), ...events.of(turnEnd(1))]
        expect([whole, at, hidden.startsWith(begin), begin + said(rest, 1)]).toEqual([whole, at, true, hidden])
      }
    }
  })

  it("hide the first half of a possible secret where an agent was cut off, and no ordinary word", () => {
    const cut = (words: string) => {
      const events = new RedactedEvents(redactor)
      return [...events.of(text(1, words)), ...events.of(answered(1, "interrupted"))].slice(1, -1)
    }
    const hidden = "It is [REDACTED_CREDENTIAL]"
    for (const { pattern } of tokenFormats) {
      const token = sampleOf(pattern)
      for (let at = Math.ceil(token.length / 2); at < token.length; at += 5) {
        const half = token.slice(0, at)
        // What the form begins with is no secret.
        if (/\d/.test(half)) expect(JSON.stringify(cut(`It is ${half}`))).not.toContain(half.slice(-20))
      }
    }
    expect(cut("It is a1B2c3D4e5")).toEqual([text(1, hidden)])
    for (const words of ["It is a1B2c3D4e5 ", "I am at it", "because of something", "on line 1234567890", "in v2.0"]) {
      expect(cut(words)).toEqual([text(1, words)])
    }
  })

  it("retain at most `longestHold` characters of a call", () => {
    const events = new RedactedEvents(redactor)
    let given = 0
    let out = 0
    for (let i = 0; i < 100; i++) {
      const piece = "word ".repeat(4000)
      given += piece.length
      out += said(events.of(text(1, piece)), 1).length
      // A piece is looked at when a quarter of what is held has come again.
      expect(given - out).toBeLessThanOrEqual((longestHold * 5) / 4 + piece.length)
    }
  })

  it("report nothing where redaction fails", () => {
    const broken = new RedactedEvents(
      redactorFrom(() => {
        throw new Error("no")
      })
    )
    const kept = [started(), text(1, "secret\n\n\n"), text(1, "secret"), turnEnd(1)].flatMap((event) =>
      broken.of(event)
    )
    expect(JSON.stringify(kept)).not.toContain("secret")
    expect(said(kept, 1)).toBe(redactionFailed)
  })
})
