/** What the packets of a morning are decided by, as it is now: the labels, what was learned, and the repository. */
import { Clock, Effect, FileSystem, Option, Path } from "effect"
import type { Generation } from "../../domain/night/Generation.ts"
import type { LabelledReview } from "../../domain/night/LabelledReview.ts"
import type { MorningFacts } from "../../domain/night/report/conditions.ts"
import { foldersOfFile } from "../../domain/text/foldersAbove.ts"
import { Git } from "../change/Git.ts"
import type { Repository } from "../change/openRepository.ts"
import { readWorktreeFile } from "../system/worktreeFile.ts"

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
    missingFolders: yield* missingFolders(repository, generation),
    agents: yield* agentsText(repository.root)
  } satisfies MorningFacts
})

/** The text of `AGENTS.md`; "" if there is none, or none that may be read. */
export const agentsText = Effect.fnUntraced(function* (root: string) {
  const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
  const file = yield* readWorktreeFile(platform, root, "AGENTS.md", largestAgents)
  return file._tag === "File" ? new TextDecoder().decode(file.bytes) : ""
})

/** None if the files of the commit cannot be listed. */
const missingFolders = Effect.fnUntraced(function* (repository: Repository, generation: Generation) {
  const head = repository.head.sha
  const wanted = new Set([...generation.suppressions, ...generation.conventions].map(({ folder }) => folder))
  wanted.delete("")
  if (head === null || wanted.size === 0) return new Set<string>()
  const files = yield* Effect.option((yield* Git).lsTree(repository, head))
  if (Option.isNone(files)) return new Set<string>()
  const known = new Set(files.value.flatMap(({ path }) => foldersOfFile(path)))
  return new Set([...wanted].filter((folder) => !known.has(folder)))
})
