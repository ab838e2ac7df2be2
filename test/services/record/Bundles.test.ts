import { describe, expect } from "bun:test"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { Bundles } from "../../../src/services/record/Bundles.ts"
import { makePlace, observation, session, using } from "../../support/archive.ts"
import { it } from "../../support/effect.ts"

const bundles = <A, E, R>(place: string, body: (bundles: Bundles["Service"]) => Effect.Effect<A, E, R>) =>
  using(place, Effect.flatMap(Bundles, body))

const utf8 = new TextEncoder()
const token = `ghp_${"A1b2C3d4E5f6".repeat(3)}`

describe("a bundle", () => {
  it.live("is absent until it is complete, and leaves nothing when it is abandoned", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      yield* bundles(place, ({ createDraft }) =>
        Effect.gen(function* () {
          const draft = yield* createDraft(session(1))
          yield* draft.bytes("deep/a.md", utf8.encode("one"))
          expect(existsSync(join(place, "runs"))).toBe(false)
          yield* draft.publish
          const other = yield* createDraft(session(2))
          yield* other.bytes("a.md", utf8.encode("never"))
        })
      )
      expect(readFileSync(join(place, "runs", session(1), "deep", "a.md"), "utf8")).toBe("one")
      expect(readdirSync(join(place, "runs"))).toEqual([session(1)])
      expect(readdirSync(join(place, "drafts"))).toEqual([])
    })
  )

  it.live("replaces an earlier bundle of the same run, and keeps its labels", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      const said = { observations: [observation(1, "accepted", "2026-01-01T00:00:00Z")], findings: [] }
      for (const text of ["one", "two"]) {
        yield* bundles(place, ({ createDraft, addLabels }) =>
          Effect.gen(function* () {
            const draft = yield* createDraft(session(1))
            yield* draft.bytes(`${text}.md`, utf8.encode(text))
            yield* draft.publish
            if (text === "one") yield* addLabels(said)
          })
        )
      }
      expect(readdirSync(join(place, "runs", session(1)))).toEqual(["two.md"])
      expect(yield* bundles(place, ({ labels }) => labels(session(1)))).toEqual(said)
    })
  )

  it.live("takes regular files alone, hides what is secret in them, and reports what it leaves out", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      const from = join(place, "..", "from")
      mkdirSync(join(from, "folder"), { recursive: true })
      writeFileSync(join(from, "note.md"), `token ${token}\n`, { mode: 0o644 })
      writeFileSync(join(from, "list.json"), JSON.stringify({ password: "hunter2", plain: [1] }), { mode: 0o644 })
      writeFileSync(join(from, "plain.json"), '{ "a":   1 }')
      symlinkSync(join(from, "note.md"), join(from, "link.md"))
      const reasons = yield* bundles(place, ({ createDraft }) =>
        Effect.gen(function* () {
          const draft = yield* createDraft(session(1))
          const names = ["note.md", "list.json", "plain.json", "link.md", "folder", "absent.md"]
          const reasons = yield* Effect.forEach(names, (name) => draft.text(join(from, name), name))
          yield* draft.publish
          return reasons
        })
      )
      expect(reasons.map((reason) => reason === null)).toEqual([true, true, true, false, false, false])
      const bundle = join(place, "runs", session(1))
      expect(readdirSync(bundle).toSorted()).toEqual(["list.json", "note.md", "plain.json"])
      expect(readFileSync(join(bundle, "note.md"), "utf8")).not.toContain(token)
      expect(JSON.parse(readFileSync(join(bundle, "list.json"), "utf8"))).toMatchObject({ plain: [1] })
      expect(readFileSync(join(bundle, "list.json"), "utf8")).not.toContain("hunter2")
      expect(readFileSync(join(bundle, "plain.json"), "utf8")).toBe('{ "a":   1 }')
      for (const name of readdirSync(bundle)) expect(statSync(join(bundle, name)).mode & 0o777).toBe(0o600)
    })
  )

  it.live("loses no label to a line that a kill has torn", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      const said = (outcome: "accepted" | "rejected", day: number) => ({
        observations: [observation(1, outcome, `2026-01-0${day}T00:00:00Z`)],
        findings: []
      })
      yield* bundles(place, ({ addLabels }) => addLabels(said("accepted", 1)))
      appendFileSync(join(place, "labels", `${session(1)}.jsonl`), '\n{"run":{"session_id":"0000')
      yield* bundles(place, ({ addLabels }) => addLabels(said("rejected", 2)))
      const { observations } = yield* bundles(place, ({ labels }) => labels(session(1)))
      expect(observations.map(({ labels }) => labels)).toEqual(['["accepted"]', '["rejected"]'])
    })
  )

  it.live("that was left half made a day ago is swept away, and a younger one is not", () =>
    Effect.gen(function* () {
      const place = yield* makePlace
      for (const name of ["old", "young"]) mkdirSync(join(place, "drafts", name), { recursive: true })
      utimesSync(join(place, "drafts", "old"), 1, 1)
      yield* bundles(place, ({ sweep }) => sweep)
      expect(readdirSync(join(place, "drafts"))).toEqual(["young"])
    })
  )
})
