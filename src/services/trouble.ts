/** What went wrong with a file or a stream, in a user's words: "no space left on device". */
import { Predicate } from "effect"
import type { PlatformError } from "effect/PlatformError"

const byCode: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or directory",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "too many links",
  EMFILE: "too many open files",
  EEXIST: "it is there already"
}

/** The system's own code (`ENOSPC`), or "" when there is none. */
export const codeOf = (error: PlatformError): string => {
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : ""
}

export const troubleOf = (error: PlatformError): string => byCode[codeOf(error)] ?? (codeOf(error) || error.reason._tag)
