/**
 * Files as if a change had just added them: the given text is their head side, and they have no base.
 *
 * All other files of the repository (its ignore file, its rules) are read from the working tree under `root`, without
 * following a link out of it.
 */
import { Effect, FileSystem, Layer, Path } from "effect"
import { compareText } from "../../../domain/text/compareText.ts"
import { noHistory } from "../../../services/change/History.ts"
import { Sources, type SourceText, sourceText } from "../../../services/change/Sources.ts"
import { readWorktreeFile } from "../../../services/system/worktreeFile.ts"

export interface Options {
  /** Path to bytes. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** The working tree around them; null if there is none. */
  readonly root: string | null
}

export const layer = ({ files, root }: Options) =>
  Layer.effect(
    Sources,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const texts = new Map([...files].map(([path, bytes]) => [path, sourceText(bytes)]))

      const onDisk = Effect.fnUntraced(function* (path: string) {
        if (root === null) return absent
        const file = yield* readWorktreeFile({ fs, paths }, root, path, maxBytes)
        return file._tag === "File" ? sourceText(file.bytes) : file
      })

      const baseFolder = Effect.fn("Sources.baseFolder")(function* (folder: string) {
        if (root === null) return []
        return yield* fs.readDirectory(paths.join(root, folder)).pipe(
          Effect.map((names) => names.map((name) => `${folder}/${name}`).sort(compareText)),
          Effect.catch((error) =>
            error.reason._tag === "NotFound"
              ? Effect.succeed([])
              : Effect.as(Effect.logWarning(`${folder} could not be listed: ${error.reason._tag}`), [])
          )
        )
      })

      const head = (path: string) => Effect.succeed(texts.get(path) ?? absent)
      const base = (path: string) => (texts.has(path) ? Effect.succeed(absent) : onDisk(path))

      return Sources.of({
        head,
        base,
        preload: () => Effect.void,
        headPaths: Effect.succeed([...files.keys()].sort(compareText)),
        baseFolder,
        submodules: Effect.succeed([]),
        containing: () => Effect.succeed(null),
        passing: (which, paths) => Effect.forEach(paths, which === "head" ? head : base),
        blobOf: () => Effect.succeed(null),
        history: noHistory,
        mentioning: () => Effect.succeed([]),
        soon: () => Effect.void,
        places: () => Effect.succeed([]),
        incomplete: () => Effect.void,
        failures: Effect.succeed([])
      })
    })
  )

/** For the other files: a settings file, a rule. */
const maxBytes = 1_000_000

const absent: SourceText = { _tag: "Absent" }
