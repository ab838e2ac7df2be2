/** Errors of SQLite as messages for users, and whether the file is damaged or busy. */
import { Predicate } from "effect"

export interface SqliteFault {
  readonly kind: "damaged" | "busy" | "other"
  readonly reason: string
}

const byCode: Readonly<Record<string, string>> = {
  SQLITE_BUSY: "other processes have kept it locked for more than 5 s",
  SQLITE_LOCKED: "other processes have kept it locked for more than 5 s",
  SQLITE_FULL: "no space left on the device",
  SQLITE_READONLY: "it cannot be written (read-only)",
  SQLITE_CANTOPEN: "it cannot be opened",
  SQLITE_PERM: "permission denied",
  SQLITE_IOERR: "the disk failed to read or write it",
  SQLITE_CORRUPT: "it is damaged; dd archive rebuild-index replaces it",
  SQLITE_NOTADB: "it is not a database; dd archive rebuild-index replaces it"
}

const kinds: Readonly<Record<string, SqliteFault["kind"]>> = {
  SQLITE_BUSY: "busy",
  SQLITE_LOCKED: "busy",
  SQLITE_CORRUPT: "damaged",
  SQLITE_NOTADB: "damaged"
}

/** `error` is of `bun:sqlite`, or has such a cause. */
export const faultOf = (error: unknown): SqliteFault => {
  let at = error
  for (let depth = 0; depth < 6 && !hasCode(at); depth++) {
    at = Predicate.hasProperty(at, "reason") ? at.reason : Predicate.hasProperty(at, "cause") ? at.cause : at
  }
  const code = hasCode(at) ? at.code : ""
  // SQLITE_BUSY_SNAPSHOT, SQLITE_IOERR_WRITE: the kind is the prefix.
  const known = Object.keys(byCode).find((name) => code.startsWith(name))
  const message = at instanceof Error ? at.message : String(at)
  return {
    kind: (known === undefined ? undefined : kinds[known]) ?? "other",
    reason: (known === undefined ? undefined : byCode[known]) ?? message
  }
}

const hasCode = (error: unknown): error is { readonly code: string } =>
  Predicate.hasProperty(error, "code") && typeof error.code === "string" && error.code.startsWith("SQLITE_")
