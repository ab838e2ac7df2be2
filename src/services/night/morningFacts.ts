/** What the packets of a morning are decided by, as it is now: the labels, what was learned, and the repository. */
import { Clock, Effect, FileSystem, Option, Path } from "effect"
import type { Generation } from "../../domain/night/Generation.ts"
import type { LabelledReview } from "../../domain/night/LabelledReview.ts"
import { type MorningFacts, missingFolders } from "../../domain/night/report/conditions.ts"
import { foldersOfFile } from "../../domain/text/foldersAbove.ts"
import { Git } from "../change/Git.ts"
import type { Repository } from "../change/openRepository.ts"
import { readWorktreeFile } from "../system/worktreeFile.ts"
import { switchedOffRules } from "./switchedOffRules.ts"

/** In bytes. */
const largestAgents = 1 << 20

export const morningFacts = Effect.fn("morningFacts")(function* (
  repository: Repository & { readonly root: string },
  generation: Generation,
  reviews: ReadonlyArray<LabelledReview>
) {
  return {
    now: yield* Clock.currentTimeMillis,
    generation,
    reviews,
    missingFolders: missingFolders(generation, foldersIn(yield* filesOf(repository))),
    agents: yield* agentsText(repository.root),
    isSwitchedOff: yield* switchedOffRules(repository.root)
  } satisfies MorningFacts
})

/** The text of `AGENTS.md`; "" if there is none, or none that may be read. */
export const agentsText = Effect.fnUntraced(function* (root: string) {
  const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
  const file = yield* readWorktreeFile(platform, root, "AGENTS.md", largestAgents)
  return file._tag === "File" ? new TextDecoder().decode(file.bytes) : ""
})

/** The paths of the commit that is checked out; null if they cannot be listed. */
export const filesOf = Effect.fnUntraced(function* (repository: Repository) {
  const head = repository.head.sha
  if (head === null) return null
  const files = yield* Effect.option((yield* Git).lsTree(repository, head))
  return Option.getOrNull(Option.map(files, (entries) => entries.map(({ path }) => path)))
})

/** Each with a slash at the end. */
export const foldersIn = (files: ReadonlyArray<string> | null): ReadonlySet<string> | null =>
  files === null ? null : new Set(files.flatMap(foldersOfFile))
