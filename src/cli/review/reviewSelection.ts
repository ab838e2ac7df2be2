/** What the flags of `dd review` select for review. */
import { Effect, FileSystem, Option, type PlatformError, Stdio } from "effect"
import { isWithin, patchLimits } from "../../domain/change/boundPatch.ts"
import type { Selection } from "../../domain/change/Change.ts"
import { bytesAtMost } from "../../services/system/bytesAtMost.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { exclusive, type ReviewFlags, UsageWrong } from "./reviewFlags.ts"

export const selectionOf = Effect.fnUntraced(function* (
  flags: Pick<ReviewFlags, "base" | "branch" | "commit" | "diffFile" | "staged">
): Effect.fn.Return<Selection, UsageWrong | PlatformError.PlatformError, FileSystem.FileSystem | Stdio.Stdio> {
  yield* exclusive({
    "--base": Option.isSome(flags.base) && Option.isNone(flags.branch),
    "--branch": Option.isSome(flags.branch),
    "--staged": flags.staged,
    "--commit": Option.isSome(flags.commit),
    "--diff-file": Option.isSome(flags.diffFile)
  })
  if (Option.isSome(flags.branch)) {
    return { _tag: "Branch", branch: flags.branch.value, base: Option.getOrNull(flags.base) }
  }
  if (Option.isSome(flags.base)) return { _tag: "Base", base: flags.base.value }
  if (flags.staged) return { _tag: "Staged" }
  if (Option.isSome(flags.commit)) return { _tag: "Commit", commit: flags.commit.value }
  if (Option.isNone(flags.diffFile)) return { _tag: "Default" }
  const file = flags.diffFile.value
  const text = file === "-" ? yield* readStdin : yield* readPatch(file)
  if (!isWithin(text)) return yield* patchTooLarge(file)
  return { _tag: "Patch", origin: file === "-" ? "from standard input" : file, text }
})

const readPatch = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const unreadable = (error: unknown) => new UsageWrong({ reason: `--diff-file ${file}: ${systemErrorText(error)}` })
  const { size } = yield* Effect.mapError(fs.stat(file), unreadable)
  if (size > patchLimits.bytes) return yield* patchTooLarge(file)
  return yield* Effect.mapError(fs.readFile(file), unreadable)
})

const readStdin = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) return yield* new UsageWrong({ reason: "--diff-file - reads a patch from a pipe" })
  return yield* bytesAtMost(stdio.stdin, patchLimits.bytes)
})

/** A patch is kept in memory line by line: a larger one would need gigabytes. */
const patchTooLarge = (file: string) =>
  new UsageWrong({
    reason: `--diff-file ${file}: the patch has more than 40 MB or ${patchLimits.lines} lines; split it, or review the commits themselves`
  })
