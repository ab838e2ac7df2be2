/** What every forge does. Each implementation runs it in its own test. */
import { describe, expect } from "bun:test"
import { Effect, type Layer, type Scope } from "effect"
import type { Anchor } from "../../src/domain/forge/Anchor.ts"
import type { Thread } from "../../src/domain/forge/PullRequest.ts"
import { Forge } from "../../src/services/forge/Forge.ts"
import { it } from "./effect.ts"
import { headSha } from "./forges.ts"

const anchor = (line: number, over: Partial<Anchor> = {}): Anchor => ({
  path: "a.py",
  side: "RIGHT",
  startLine: line,
  line,
  ...over
})

/**
 * The pull request #7 is open, its head is `headSha` and its diff is `patchOf("a.py")`. `asAda`: resolves the first thread
 * as the person Ada.
 */
export interface ForgeWorld {
  readonly layer: Layer.Layer<Forge, Error>
  readonly asAda: Effect.Effect<void>
}

export const forgeContract = (name: string, makeWorld: Effect.Effect<ForgeWorld, never, Scope.Scope>) => {
  const promise = (title: string, body: (world: ForgeWorld) => Effect.Effect<void, unknown, Forge>) =>
    it.live(title, () =>
      Effect.gen(function* () {
        const world = yield* makeWorld
        yield* Effect.provide(body(world), world.layer)
      })
    )
  const bodiesOf = ({ comments }: Thread) => comments.map(({ body }) => body)

  describe(`the forge ${name}`, () => {
    promise("has the pull request and its diff", () =>
      Effect.gen(function* () {
        const forge = yield* Forge
        expect(yield* forge.pullRequest).toMatchObject({ number: 7, state: "open", headSha, mergedAt: null })
        const [file, ...others] = yield* forge.files
        expect([file?.path, file?.status, file?.hunks.length, others.length]).toEqual(["a.py", "modified", 2, 0])
        expect(yield* forge.discussion).toEqual({ threads: [], reviews: [], comments: [] })
      })
    )

    promise("keeps a review with its comments, as written", () =>
      Effect.gen(function* () {
        const forge = yield* Forge
        const body = "**äöü** 🙂\n\n```py\n`x`\n```\n\n<!-- dd:summary -->"
        yield* forge.review({
          headSha,
          body,
          comments: [
            { anchor: anchor(2), body: "one" },
            { anchor: anchor(4, { startLine: 3 }), body: "two" },
            { anchor: anchor(2, { side: "LEFT" }), body: "three" }
          ]
        })
        yield* forge.review({ headSha, body: "again", comments: [] })
        const { reviews, threads } = yield* forge.discussion
        expect(reviews.map((review) => [review.body, review.isOwn, review.commit])).toEqual([
          [body, true, headSha],
          ["again", true, headSha]
        ])
        const shapes = threads.map((thread) => [thread.path, thread.line, thread.side, ...bodiesOf(thread)])
        expect(shapes).toEqual([
          ["a.py", 2, "RIGHT", "one"],
          ["a.py", 4, "RIGHT", "two"],
          ["a.py", 2, "LEFT", "three"]
        ])
        for (const thread of threads) {
          expect(thread).toMatchObject({ isResolved: false, isOutdated: false, resolvedBy: null })
          expect(thread.comments[0].isOwn).toBe(true)
        }
      })
    )

    promise("replies in a thread and closes it, and no other", () =>
      Effect.gen(function* () {
        const forge = yield* Forge
        const comments = [1, 2, 3].map((line) => ({ anchor: anchor(line), body: `on ${line}` }))
        yield* forge.review({ headSha, body: "x", comments })
        const [, second] = (yield* forge.discussion).threads
        for (const reply of ["first", "second", "third"]) yield* forge.reply(second!, reply)
        yield* forge.close(second!)
        const { threads } = yield* forge.discussion
        expect(threads.map(bodiesOf)).toEqual([["on 1"], ["on 2", "first", "second", "third"], ["on 3"]])
        expect(threads.map(({ isResolved }) => isResolved)).toEqual([false, true, false])
        expect(threads[1]!.resolvedBy).toBe(threads[1]!.comments[0].author)
      })
    )

    promise("tells who resolved a thread", ({ asAda }) =>
      Effect.gen(function* () {
        const forge = yield* Forge
        yield* forge.review({ headSha, body: "x", comments: [{ anchor: anchor(1), body: "on 1" }] })
        yield* asAda
        const [thread] = (yield* forge.discussion).threads
        expect([thread?.isResolved, thread?.resolvedBy]).toEqual([true, "ada"])
      })
    )

    promise("replaces the text of a review, and of no other", () =>
      Effect.gen(function* () {
        const forge = yield* Forge
        for (const body of ["one", "two", "three"]) yield* forge.review({ headSha, body, comments: [] })
        const [, second] = (yield* forge.discussion).reviews
        yield* forge.update(second!.id, "zwei")
        expect((yield* forge.discussion).reviews.map(({ body }) => body)).toEqual(["one", "zwei", "three"])
      })
    )
  })
}
