/**
 * A pull request on GitHub, through its REST API. Only the resolution of threads and the login of the token come from its
 * GraphQL API, because REST has neither.
 */
import { Effect, Layer, Schema } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type { Anchor } from "../../domain/forge/Anchor.ts"
import { Forge, type NewReview } from "../../services/forge/Forge.ts"
import { type ForgeError, ForgeRefused, ForgeUnexpected } from "../../services/forge/ForgeError.ts"
import { type GitHubHost, gitHubRequests } from "./gitHubRequest.ts"
import {
  CommentShapes,
  diffFileOf,
  discussionOf,
  FileShapes,
  IssueCommentShapes,
  idsOf,
  minimizeQuery,
  PullShape,
  pullRequestOf,
  ReviewShapes,
  resolveQuery,
  type ThreadShape,
  ThreadsShape,
  threadQuery
} from "./gitHubShapes.ts"

export interface GitHubPlace extends GitHubHost {
  readonly owner: string
  readonly name: string
  readonly number: number
}

/** It follows no redirect by itself, so that no other host gets the token. */
const client = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

export const layer = (place: GitHubPlace) => Layer.effect(Forge, make(place)).pipe(Layer.provide(client))

const make = Effect.fnUntraced(function* (place: GitHubPlace) {
  const { all, graphql, send } = yield* gitHubRequests(place)
  const { name, number, owner } = place
  const repository = `/repos/${owner}/${name}`
  const pull = `${repository}/pulls/${number}`
  const what = `pull request #${number} of ${owner}/${name}`
  const list = (at: string) => all({ method: "GET", at, what })

  const threads = Effect.gen(function* () {
    const found: Array<ThreadShape> = []
    for (let after: string | null = null; ; ) {
      const data: unknown = yield* graphql(threadQuery, { owner, name, number, after }, what)
      const { repository, viewer } = yield* read(ThreadsShape, data)
      const { nodes, pageInfo }: (typeof repository.pullRequest)["reviewThreads"] = repository.pullRequest.reviewThreads
      found.push(...nodes)
      if (!pageInfo.hasNextPage || pageInfo.endCursor === after) return { login: viewer.login, threads: found }
      after = pageInfo.endCursor
    }
  })

  return Forge.of({
    pullRequest: send({ method: "GET", at: pull, what }).pipe(
      Effect.flatMap(({ json }) => read(PullShape, json)),
      Effect.map(pullRequestOf)
    ),
    files: list(`${pull}/files`).pipe(
      Effect.flatMap((entries) => read(FileShapes, entries)),
      Effect.map((files) => files.map(diffFileOf))
    ),
    discussion: Effect.gen(function* () {
      const [resolution, comments, reviews, issueComments] = yield* Effect.all(
        [
          threads,
          Effect.flatMap(list(`${pull}/comments`), (entries) => read(CommentShapes, entries)),
          Effect.flatMap(list(`${pull}/reviews`), (entries) => read(ReviewShapes, entries)),
          Effect.flatMap(list(`${repository}/issues/${number}/comments`), (entries) =>
            read(IssueCommentShapes, entries)
          )
        ],
        { concurrency: 2 }
      )
      return discussionOf({ ...resolution, comments, reviews, issueComments })
    }),
    review: (review) => Effect.asVoid(send({ method: "POST", at: `${pull}/reviews`, body: reviewBody(review), what })),
    reply: (thread, body) =>
      Effect.asVoid(
        send({ method: "POST", at: `${pull}/comments/${idsOf(thread).comment}/replies`, body: { body }, what })
      ),
    close: Effect.fnUntraced(function* (thread) {
      const ids = idsOf(thread)
      const minimize = graphql(minimizeQuery, { id: ids.commentNode }, what)
      // The token of GitHub Actions may write comments, but not resolve threads.
      const close: Effect.Effect<unknown, ForgeError> =
        ids.thread === null
          ? minimize
          : graphql(resolveQuery, { id: ids.thread }, what).pipe(
              Effect.catchIf(
                (error) => error instanceof ForgeRefused,
                () => minimize
              )
            )
      yield* close
    }),
    update: (id, body) => Effect.asVoid(send({ method: "PUT", at: `${pull}/reviews/${id}`, body: { body }, what }))
  })
})

const read = <A>(schema: Schema.Decoder<A>, json: unknown): Effect.Effect<A, ForgeUnexpected> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(schema)(json),
    ({ message }) => new ForgeUnexpected({ detail: message.split("\n", 1)[0] ?? "" })
  )

const reviewBody = ({ body, comments, headSha }: NewReview) => ({
  commit_id: headSha,
  // Never an approval, and never a request for changes.
  event: "COMMENT",
  body,
  comments: comments.map(({ anchor, body }) => ({ ...placeOf(anchor), body }))
})

const placeOf = ({ line, path, side, startLine }: Anchor) => ({
  path,
  side,
  line,
  ...(startLine === line ? {} : { start_line: startLine, start_side: side })
})
