/**
 * Which rules somebody switched off: in the settings files of the working tree, committed or not, in the user's own, or in the
 * environment. A file that cannot be read switches nothing off.
 */
import { Effect, FileSystem, Option, Path, Result } from "effect"
import { namesRule } from "../../domain/finding/RulePattern.ts"
import { readSettingsFile } from "../../domain/text/SettingsFile.ts"
import { repositoryFileNames, settingsTable, userSettings } from "../run/Settings.ts"
import { readWorktreeFile } from "../system/worktreeFile.ts"

/** In bytes. */
const largestFile = 256_000

export const switchedOffRules = Effect.fn("switchedOffRules")(function* (root: string) {
  const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
  const named = yield* Effect.forEach(repositoryFileNames, (name) =>
    Effect.map(readWorktreeFile(platform, root, name, largestFile), (file) =>
      file._tag === "File" ? disabledIn(new TextDecoder().decode(file.bytes), settingsTable(name)) : []
    )
  )
  const own = Option.getOrNull(yield* Effect.option(userSettings))
  const patterns = [...named.flat(), ...(own?.rulesDisable.map(({ value }) => value) ?? [])]
  return (rule: string): boolean => patterns.some((pattern) => namesRule(pattern, rule))
})

const disabledIn = (text: string, table: string): ReadonlyArray<string> =>
  (Result.getOrElse(readSettingsFile(text, table), () => null) ?? []).flatMap(({ key, value }) =>
    key === "rules.disable" && Array.isArray(value) ? value.filter((each) => typeof each === "string") : []
  )
