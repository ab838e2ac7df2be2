/**
 * One read-only SQL statement on the archive, on a connection that cannot write.
 *
 * A port: `layers/record/archive/Query.ts` uses SQLite. A statement that never ends blocks its process, so it runs in a
 * process that can be ended (`SecondProcess`).
 */
import { Context, type Effect, Runtime, Schema, type Scope } from "effect"

export class QueryFailed extends Schema.TaggedError<QueryFailed>()("QueryFailed", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `the query was not run: ${this.reason}`
  }
}

export class QueryStopped extends Schema.TaggedError<QueryStopped>()("QueryStopped", { seconds: Schema.Finite }) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `the query was stopped after ${this.seconds} s; see --timeout`
  }
}

export interface Answer {
  readonly columns: ReadonlyArray<string>
  /** The next rows, at most `limit`; none at the end. */
  readonly next: (limit: number) => Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, QueryFailed>
}

export class ArchiveQuery extends Context.Service<
  ArchiveQuery,
  { readonly run: (sql: string) => Effect.Effect<Answer, QueryFailed, Scope.Scope> }
>()("dd/services/record/ArchiveQuery") {}
