/** Labels from a pull request, against a real index in a directory. */
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { markerText } from "../../src/domain/forge/Marker.ts"
import type { Discussion, PullRequest } from "../../src/domain/forge/PullRequest.ts"
import { type LabelObservation, labelsOf, type Outcome } from "../../src/domain/record/LabelObservation.ts"
import { labelPullRequest } from "../../src/programs/labelPullRequest.ts"
import { Forge } from "../../src/services/forge/Forge.ts"
import { ForgeUnavailable } from "../../src/services/forge/ForgeError.ts"
import { ArchiveIndex } from "../../src/services/record/ArchiveIndex.ts"
import { makePlace, observation, row, using } from "../support/archive.ts"
import { it } from "../support/effect.ts"
import { fingerprint, headSha, thread } from "../support/forges.ts"

const pullRequest: PullRequest = {
  number: 7,
  state: "merged",
  author: "ada",
  baseSha: "b".repeat(40),
  headSha,
  mergedAt: "2030-01-02T03:04:05Z"
}
const marked = `x\n\n${markerText({ kind: "finding", fingerprint: fingerprint(1), rule: "py/bare-except" })}`
const discussion: Discussion = {
  threads: [thread("1", [marked], { isResolved: true })],
  reviews: [{ id: "1", author: "grace", isOwn: false, body: "", commit: headSha }],
  comments: []
}

const refused = Effect.die("not asked for here")
const forgeWith = (read: Forge["Service"]["discussion"]) =>
  Layer.succeed(
    Forge,
    Forge.of({
      pullRequest: refused,
      files: refused,
      discussion: read,
      review: () => refused,
      reply: () => refused,
      close: () => refused,
      update: () => refused
    })
  )

const labelled = (over: Partial<PullRequest> = {}, read: Forge["Service"]["discussion"] = Effect.succeed(discussion)) =>
  labelPullRequest({ repository: "Acme/Shop", pullRequest: { ...pullRequest, ...over } }).pipe(
    Effect.provide(forgeWith(read))
  )

const ofPull = { pr_number: 7, pr_repo: "acme/shop" }

/** Run `n` of another pull request, with the verdict of some reviewers on a day. */
const verdict = (n: number, outcome: Outcome, login: string, day: string) =>
  observation(n, outcome, `${day}T00:00:00Z`, {
    source: "auto",
    reviewer_logins: JSON.stringify([login]),
    valid_at: `${day}T00:00:00.000000Z`
  })

const stored = Effect.flatMap(ArchiveIndex, (index) => index.labels([row(1).session_id], null)).pipe(
  Effect.map(({ observations }) => observations.map((each) => JSON.parse(each.reward_json ?? "null")))
)

const promise = <E>(title: string, body: Effect.Effect<unknown, E, Effect.Services<ReturnType<typeof labelled>>>) =>
  it.live(title, () => Effect.flatMap(makePlace, (place) => using(place, body)))

const filled = (observations: ReadonlyArray<LabelObservation>, others: ReadonlyArray<number> = []) =>
  Effect.flatMap(ArchiveIndex, (index) =>
    Effect.andThen(
      index.add([row(1, ofPull), ...others.map((n) => row(n))]),
      index.addLabels({ observations, findings: [] }, () => Effect.void)
    )
  )

describe("the expected verdict of the reviewers", () => {
  const days = Array.from({ length: 10 }, (_, n) => n + 2)
  const eight = days.map((n) => verdict(n, n <= 9 ? "contested" : "accepted", "grace", "2029-12-01"))

  promise(
    "is the mean of ten other runs in the repository, known before the merge",
    Effect.gen(function* () {
      yield* filled(eight, days)
      yield* labelled()
      expect(yield* stored).toEqual([
        { false_positive_penalty: 0, posterior_cost: 0.4, outcome_prior: 0.4, outcome_prior_n: 10 }
      ])
    })
  )

  promise(
    "does not count what became true later, other reviewers, or unknown verdicts; a person's label replaces a verdict",
    Effect.gen(function* () {
      const others = [...days, 20, 21, 22]
      yield* filled(
        [
          ...eight,
          verdict(20, "rejected", "grace", "2030-01-03"),
          verdict(21, "rejected", "zoe", "2029-12-01"),
          verdict(22, "unknown", "grace", "2029-12-01"),
          observation(2, "rejected", "2029-12-02T00:00:00Z")
        ],
        others
      )
      yield* labelled()
      expect(yield* stored).toMatchObject([{ outcome_prior: 0.45, outcome_prior_n: 10 }])
    })
  )
})

describe("labels from a pull request", () => {
  promise(
    "are the same for a name of the repository in another case, and not for another number or commit",
    Effect.gen(function* () {
      const index = yield* ArchiveIndex
      yield* index.add([
        row(1, ofPull),
        row(2, { pr_number: 8, pr_repo: "acme/shop" }),
        row(3, { pr_number: 7, pr_repo: "acme/other" }),
        row(4, { head_sha: "c".repeat(40) }),
        row(5, { pr_number: 7, pr_repo: null })
      ])
      const { added } = yield* labelled()
      expect(added.observations.map(({ session_id }) => session_id).sort()).toEqual([
        row(1).session_id,
        row(5).session_id
      ])
    })
  )

  promise(
    "have the time of the label if the forge names no valid time of the merge",
    Effect.gen(function* () {
      yield* filled([])
      const { added } = yield* labelled({ mergedAt: "soon" })
      const [only] = added.observations
      expect(only?.valid_at).toBe(only?.observed_at ?? "")
    })
  )

  promise(
    "are none, and nothing is read, while the pull request is open",
    Effect.gen(function* () {
      yield* filled([])
      const labels = yield* labelled({ state: "open", mergedAt: null }, refused)
      expect(labels).toMatchObject({ outcome: null, runs: 1, added: { observations: [], findings: [] } })
    })
  )

  promise(
    "are none if the discussion cannot be read",
    Effect.gen(function* () {
      yield* filled([])
      const error = yield* Effect.flip(labelled({}, Effect.fail(new ForgeUnavailable({ detail: "502" }))))
      expect(error._tag).toBe("ForgeUnavailable")
      expect(yield* stored).toEqual([])
    })
  )

  promise(
    "are added again only for other evidence",
    Effect.gen(function* () {
      yield* filled([])
      yield* labelled()
      expect((yield* labelled()).added.observations).toEqual([])
      const more = { ...discussion, threads: [...discussion.threads, thread("2", [marked], { isResolved: true })] }
      const again = Effect.succeed({
        ...more,
        reviews: [...discussion.reviews, { id: "2", author: "zoe", isOwn: false, body: "", commit: headSha }]
      })
      const { added } = yield* labelled({}, again)
      expect(added.observations).toMatchObject([{ labels: labelsOf("accepted"), reviewer_logins: '["grace","zoe"]' }])
    })
  )
})
