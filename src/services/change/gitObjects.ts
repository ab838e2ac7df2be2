/**
 * Objects from one `git cat-file` a repository, which is asked again and again: starting one takes ten times as long.
 *
 * It ends with the scope. A process that ended, was too slow or was interrupted in the middle of an answer is not asked
 * again; what it left unanswered is for the caller to ask for in some other way.
 */
import { Effect, Exit, Scope, Semaphore } from "effect"
import type { Conversation, NotStarted } from "../system/Subprocess.ts"
import { type GitStart, GitTimeout } from "./gitCall.ts"
import type { BlobReader } from "./gitOutput.ts"

interface Talk {
  readonly conversation: Conversation
  readonly scope: Scope.Closeable
}

export const makeGitObjects = Effect.fnUntraced(function* (
  converse: (call: GitStart) => Effect.Effect<Conversation, NotStarted, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  const talks = new Map<string, Talk>()

  const talkIn = Effect.fnUntraced(function* (key: string, call: GitStart) {
    const known = talks.get(key)
    if (known !== undefined) return known
    const own = yield* Scope.fork(scope)
    const talk: Talk = { conversation: yield* Scope.provide(converse(call), own), scope: own }
    talks.set(key, talk)
    return talk
  })

  const end = (key: string, { scope }: Talk) =>
    Effect.suspend(() => {
      talks.delete(key)
      return Scope.close(scope, Exit.void)
    })

  /** What `reader` has got of these objects; not all of them when the process fails. */
  const read = (call: GitStart, oids: ReadonlyArray<string>, reader: BlobReader) =>
    Effect.gen(function* () {
      if (oids.length === 0) return reader.blobs
      const key = `${call.directory}\n${call.filters.join("\n")}`
      const talk = yield* talkIn(key, call)
      const input = new TextEncoder().encode(`${oids.join("\n")}\n`)
      let isAnswered = false
      yield* talk.conversation
        .exchange(input, (chunk) => {
          reader.push(chunk)
          isAnswered = reader.answered >= oids.length
          return isAnswered
        })
        .pipe(
          Effect.timeoutOption(yield* GitTimeout),
          Effect.ensuring(Effect.suspend(() => (isAnswered ? Effect.void : end(key, talk))))
        )
      return reader.blobs
    }).pipe(
      Effect.catch(() => Effect.succeed(reader.blobs)),
      oneAtATime.withPermits(1)
    )

  return { read }
})
