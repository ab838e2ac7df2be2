/** Runs SQL on a separate read-only connection. */
import { Database } from "bun:sqlite"
import { Effect, Layer } from "effect"
import { adviceFor, refusalOf } from "../../../domain/text/readOnlySql.ts"
import { ArchiveQuery, QueryFailed } from "../../../services/record/ArchiveQuery.ts"
import { faultOf } from "./sqliteFault.ts"

/** `path`: the index. */
export const layer = (path: string) =>
  Layer.succeed(
    ArchiveQuery,
    ArchiveQuery.of({
      run: Effect.fnUntraced(function* (sql) {
        const refusal = refusalOf(sql)
        if (refusal !== null) return yield* new QueryFailed({ reason: refusal })
        const attempt = <A>(run: () => A) =>
          Effect.try({ try: run, catch: (error) => queryFailed(faultOf(error).reason) })
        const database = yield* Effect.acquireRelease(
          attempt(() => new Database(path, { readonly: true })),
          (opened) => Effect.sync(() => opened.close())
        )
        const statement = yield* attempt(() => {
          database.run("PRAGMA busy_timeout = 5000")
          // Reading a database is enough to copy it into a new file (VACUUM INTO); this forbids that too.
          database.run("PRAGMA query_only = 1")
          return database.query<Readonly<Record<string, unknown>>, []>(sql)
        })
        const rows = yield* attempt(() => statement.iterate())
        return {
          columns: yield* attempt(() => statement.columnNames),
          next: (limit) =>
            attempt(() => {
              const page: Array<Readonly<Record<string, unknown>>> = []
              while (page.length < limit) {
                const { done, value } = rows.next()
                if (done === true) break
                page.push(value)
              }
              return page
            })
        }
      })
    })
  )

const queryFailed = (fault: string) => new QueryFailed({ reason: `${fault}${adviceFor(fault)}` })
