/**
 * Turns a path that a model wrote into a path of the repository, or refuses it with a reason.
 *
 * The result has no empty, `.` or `..` part, no control character, and no part that a file system treats as `.git`.
 * Nothing is decoded: `%2e` is three characters of a name.
 */
import { Result } from "effect"

const longestPath = 4096

export const repositoryPath = (written: string): Result.Result<string, string> =>
  Result.flatMap(repositoryFolder(written), (path) =>
    path === "" || /\/\.?$/.test(written)
      ? Result.fail("this names a folder, not a file; list_files shows what is in it")
      : Result.succeed(path)
  )

/** The root is "". */
export const repositoryFolder = (written: string): Result.Result<string, string> => {
  if (written.length > longestPath) return Result.fail(`a path has at most ${longestPath} characters`)
  if (hasControl.test(written)) return Result.fail("a path has no control characters")
  if (isElsewhere.test(written)) return Result.fail(fromRoot)
  const parts = written.split("/").filter((part) => part !== "" && part !== ".")
  if (parts.some((part) => part.split("\\").includes(".."))) {
    return Result.fail(`a path may not lead out of the repository; ${fromRoot}`)
  }
  if (parts.some(isGitFolder)) return Result.fail("git's own files are not shown; use history")
  return Result.succeed(parts.join("/"))
}

const fromRoot = "paths begin at the root of the repository, like src/main.ts"

const hasControl = /[\x00-\x1f\x7f]/
/** An absolute path, a drive, a network path, a home directory or a URL. */
const isElsewhere = /^(?:\/|\\\\|[a-z]:[\\/]|~[\w.-]*(?:\/|$)|[a-z][a-z0-9+.-]+:\/\/)/i

/** Includes other spellings that Windows (`.git.`, `GIT~1`, `.git::$DATA`) and macOS (ignored characters) accept. */
export const isGitFolder = (part: string): boolean =>
  part.split("\\").some((name) =>
    /^(?:\.git|git~\d+)$/i.test(
      name
        .normalize("NFKC")
        .replace(ignored, "")
        .replace(/:.*$/s, "")
        .replace(/[. ]+$/, "")
    )
  )

/** HFS+ ignores these when it compares names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g
