/**
 * Objects from one `git cat-file` for each repository: starting a process takes ten times as long as one request.
 *
 * The processes end with the scope. One that ended, was too slow or was interrupted during an answer is not used again;
 * the caller requests in another way the objects that it did not deliver.
 */
import { Effect, type Scope, ScopedCache, Semaphore } from "effect"
import type { Conversation, NotStarted } from "../system/Subprocess.ts"
import { type GitStart, GitTimeout } from "./gitCall.ts"
import type { BlobReader } from "./gitOutput.ts"

export const makeGitObjects = Effect.fnUntraced(function* (
  converse: (call: GitStart) => Effect.Effect<Conversation, NotStarted, Scope.Scope>
) {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const conversations = yield* ScopedCache.make({ lookup: converse, capacity: 16 })

  /** Passes these objects to `reader`; not all of them if the process fails. */
  const read = (call: GitStart, oids: ReadonlyArray<string>, reader: BlobReader) =>
    Effect.gen(function* () {
      if (oids.length === 0) return
      let isAnswered = false
      const asking = Effect.gen(function* () {
        const { exchange } = yield* ScopedCache.get(conversations, call)
        yield* exchange(new TextEncoder().encode(`${oids.join("\n")}\n`), (chunk) => {
          reader.push(chunk)
          isAnswered = reader.answered >= oids.length
          return isAnswered
        })
      })
      yield* asking.pipe(
        Effect.timeoutOption(yield* GitTimeout),
        Effect.ensuring(Effect.suspend(() => (isAnswered ? Effect.void : ScopedCache.invalidate(conversations, call))))
      )
    }).pipe(
      Effect.catch(() => Effect.void),
      oneAtATime.withPermits(1)
    )

  return { read }
})
