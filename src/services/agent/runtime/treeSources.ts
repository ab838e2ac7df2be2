/**
 * The sources of a change, with the files of a temporary working tree as the head side, so that an agent reads what it has
 * written. Symbols, history and the base side are those of the change.
 */
import { Effect, FileSystem, identity, Path } from "effect"
import type { Worktree } from "../../../domain/agent/Task.ts"
import { compareText } from "../../../domain/text/compareText.ts"
import { maxBytes, Sources, type SourceText, sourceText } from "../../change/Sources.ts"
import { readWorktreeFile } from "../../system/worktreeFile.ts"

/** `path`: the file that the agent may create or delete. */
export const treeSources = Effect.fnUntraced(function* ({ root }: Worktree, path: string) {
  const sources = yield* Sources
  const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
  const top = yield* Effect.match(platform.fs.realPath(root), { onFailure: () => root, onSuccess: identity })

  const read = Effect.fnUntraced(function* (name: string, limit: number) {
    const file = yield* readWorktreeFile(platform, top, name, limit)
    const text: SourceText = file._tag === "File" ? sourceText(file.bytes, limit) : file
    return text
  })

  const headPaths = Effect.gen(function* () {
    const others = (yield* sources.headPaths).filter((each) => each !== path)
    const exists = (yield* read(path, maxBytes))._tag !== "Absent"
    return exists ? [...others, path].toSorted(compareText) : others
  })

  return Sources.of({
    ...sources,
    head: (name) => read(name, maxBytes),
    preload: (_, base = []) => sources.preload([], base),
    headPaths,
    passing: (which, names, limit) =>
      which === "head" ? Effect.forEach(names, (name) => read(name, limit)) : sources.passing(which, names, limit),
    containing: (which, literals, options) =>
      Effect.map(sources.containing(which, literals, options), (found) =>
        found === null || which === "base" ? found : [...new Set([...found, path])]
      )
  })
})
