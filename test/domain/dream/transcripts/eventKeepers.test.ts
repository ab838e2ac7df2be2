import { describe, expect, test } from "bun:test"
import { eventKeepers, type SessionHistory } from "../../../../src/domain/dream/transcripts/eventKeepers.ts"

/** One event a second; those in capitals are recorded. */
const history = (session: string, events: string): SessionHistory => ({
  session,
  events: [...events].map((letter) => ({
    id: letter.toLowerCase(),
    at: letter.toLowerCase().charCodeAt(0),
    isRecorded: letter !== letter.toLowerCase()
  }))
})
const kept = (...histories: ReadonlyArray<SessionHistory>) =>
  histories.map(({ events, session }) =>
    events
      .filter(({ id }) => eventKeepers(histories).get(id) === session)
      .map(({ id }) => id)
      .join("")
  )

describe("an event of several sessions is kept by one", () => {
  test("that began first, or went silent first, in any order", () => {
    expect(kept(history("fork", "abcx"), history("first", "abc"))).toEqual(["x", "abc"])
    expect(kept(history("late", "bcd"), history("first", "abcz"))).toEqual(["d", "abcz"])
    expect(kept(history("b", "ab"), history("a", "ab"))).toEqual(["", "ab"])
  })

  test("in which it is recorded already, whichever is older", () => {
    expect(kept(history("first", "abcz"), history("fork", "ABCx"))).toEqual(["z", "abcx"])
    expect(kept(history("first", "aBc"), history("fork", "Abcx"))).toEqual(["bc", "ax"])
  })
})
