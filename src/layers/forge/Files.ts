/**
 * A pull request in a directory, for trying what would be posted: `pull-request.json` is what was reviewed,
 * `discussion.json` everything that was posted.
 *
 * Other programs may edit `discussion.json`, for example to resolve a thread.
 */
import { Effect, FileSystem, Layer, Path, Schema } from "effect"
import type { Diff } from "../../domain/change/Diff.ts"
import { type Comment, Discussion, type PullRequest } from "../../domain/forge/PullRequest.ts"
import { Forge } from "../../services/forge/Forge.ts"
import { ForgeFilesFailed, ForgeNotFound } from "../../services/forge/ForgeError.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"

export interface FilesPlace {
  readonly directory: string
  readonly pullRequest: PullRequest
  readonly diff: Diff
}

export const layer = (place: FilesPlace) => Layer.effect(Forge, make(place))

const make = Effect.fnUntraced(function* ({ diff, directory, pullRequest }: FilesPlace) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const platform = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const file = paths.join(directory, "discussion.json")
  const failed = (error: unknown) => new ForgeFilesFailed({ file, reason: systemErrorText(error) })

  const write = (name: string, value: unknown) =>
    writeWhole(paths.join(directory, name), `${JSON.stringify(value, null, 2)}\n`).pipe(
      Effect.provideContext(platform),
      Effect.mapError(failed)
    )

  const discussion = Effect.gen(function* () {
    return (yield* fs.exists(file)) ? yield* decode(yield* fs.readFileString(file)) : none
  }).pipe(Effect.mapError(failed))

  const edit = (change: (given: Discussion) => Discussion) =>
    Effect.flatMap(discussion, (given) => write("discussion.json", change(given)))

  yield* write("pull-request.json", pullRequest)

  return Forge.of({
    pullRequest: Effect.succeed(pullRequest),
    files: Effect.succeed(diff.files),
    discussion,
    review: ({ body, comments, headSha }) =>
      edit((given) => ({
        ...given,
        threads: [
          ...given.threads,
          ...comments.map(({ anchor: { line, path, side }, body }, at) => ({
            id: String(given.threads.length + at + 1),
            path,
            line,
            side,
            isOutdated: false,
            isResolved: false,
            resolvedBy: null,
            comments: [own(body)] as const
          }))
        ],
        reviews: [...given.reviews, { id: String(given.reviews.length + 1), ...own(body), commit: headSha }]
      })),
    reply: Effect.fnUntraced(function* ({ id }, body) {
      const { threads } = yield* discussion
      if (!threads.some((thread) => thread.id === id)) return yield* new ForgeNotFound({ what: `thread ${id}` })
      yield* edit((given) => ({
        ...given,
        threads: given.threads.map((thread) =>
          thread.id === id ? { ...thread, comments: [...thread.comments, own(body)] } : thread
        )
      }))
    }),
    close: ({ id }) =>
      edit((given) => ({
        ...given,
        threads: given.threads.map((thread) =>
          thread.id === id ? { ...thread, isResolved: true, resolvedBy: login } : thread
        )
      })),
    update: (id, body) =>
      edit((given) => ({
        ...given,
        reviews: given.reviews.map((review) => (review.id === id ? { ...review, body } : review))
      }))
  })
})

const login = "dd"
const none: Discussion = { threads: [], reviews: [], comments: [] }
const own = (body: string): Comment => ({ author: login, isOwn: true, body })
const decode = Schema.decodeEffect(Schema.fromJsonString(Discussion))
