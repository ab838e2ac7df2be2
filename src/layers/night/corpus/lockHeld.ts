/**
 * Whether a run holds the lock of a corpus, without taking it: a reader of the database is refused while its writer lives. Null if
 * the file cannot tell.
 */
import { Effect } from "effect"
import { faultOf } from "../../record/archive/sqliteFault.ts"

export const lockHeld = Effect.fnUntraced(function* (path: string) {
  const { Database } = yield* Effect.promise(() => import("bun:sqlite"))
  const read = Effect.try({
    try: () => {
      const database = new Database(path, { readonly: true })
      try {
        database.query("SELECT count(*) FROM sqlite_schema").get()
      } finally {
        database.close()
      }
      return false
    },
    catch: faultOf
  })
  return yield* read.pipe(
    Effect.map((held): boolean | null => held),
    Effect.catch(({ kind }) => Effect.succeed(kind === "busy" ? true : null))
  )
})
