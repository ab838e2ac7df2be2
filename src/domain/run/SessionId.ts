/** The id of a run: a UUID in lower case, because files and directories are named after it. */
import { Schema } from "effect"

export const SessionId = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, { expected: "a session id (a UUID in lower case)" })
).pipe(Schema.brand("dd/SessionId"))
export type SessionId = typeof SessionId.Type

export const isSessionId = Schema.is(SessionId)
