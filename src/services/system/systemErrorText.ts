/** The text of a system error for users: "no space left on the device". */
import { Predicate } from "effect"

const byCode: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links form a loop",
  EMFILE: "too many open files",
  EEXIST: "it exists already"
}

/** By the kinds of the platform, for errors without a code. */
const byKind: Readonly<Record<string, string>> = {
  AlreadyExists: "it exists already",
  BadResource: "it is not a file that can be read",
  Busy: "another program uses it",
  NotFound: "no such file or directory",
  PermissionDenied: "permission denied",
  TimedOut: "it took too long",
  UnexpectedEof: "it ends too early",
  Unknown: "the system names no reason"
}

/** The system error code (`ENOSPC`) of an error or of a PlatformError around it; "" if there is none. */
export const systemErrorCode = (error: unknown): string => {
  if (hasText(error, "code")) return error.code
  const cause = Predicate.hasProperty(error, "reason") ? error.reason : error
  return Predicate.hasProperty(cause, "cause") && hasText(cause.cause, "code") ? cause.cause.code : ""
}

/** The text of a system error; of any other error, its message or the platform's kind. */
export const systemErrorText = (error: unknown): string => {
  const code = systemErrorCode(error)
  if (code !== "") return byCode[code] ?? code
  if (Predicate.hasProperty(error, "reason") && hasText(error.reason, "_tag")) {
    return hasText(error.reason, "description")
      ? error.reason.description
      : (byKind[error.reason._tag] ?? error.reason._tag)
  }
  return hasText(error, "message") ? error.message : String(error)
}

const hasText = <K extends string>(value: unknown, key: K): value is Readonly<Record<K, string>> =>
  Predicate.hasProperty(value, key) && Predicate.isString(value[key])
