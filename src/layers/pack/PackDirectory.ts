/** Where files are written: in a folder of `.daydream/` of the repository, or in a directory that the user names. */
import { randomUUID } from "node:crypto"
import { Effect, Path, Runtime, Schema } from "effect"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"
import { OwnFiles } from "../system/OwnFiles.ts"

export class FilesNotWritten extends Schema.TaggedError<FilesNotWritten>()("FilesNotWritten", {
  directory: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `no files were written to ${this.directory}: ${this.reason}; choose another directory with --output DIR`
  }
}

export type FilePlace = { readonly root: string } | { readonly directory: string }

/** Each file is replaced atomically. `folder`: its name below `.daydream/`. Returns the directory. */
export const writeFiles = Effect.fnUntraced(function* (
  place: FilePlace,
  folder: "pack" | "ask",
  files: ReadonlyMap<string, string>
) {
  const paths = yield* Path.Path
  if ("directory" in place) {
    for (const [name, content] of files) {
      yield* Effect.mapError(
        writeWhole(paths.join(place.directory, name), content),
        (error) => new FilesNotWritten({ directory: place.directory, reason: systemErrorText(error) })
      )
    }
    return place.directory
  }
  const own = new OwnFiles(place.root, ".daydream", randomUUID())
  const directory = paths.join(own.top, folder)
  yield* Effect.try({
    try: () => {
      own.ensure(folder)
      for (const [name, content] of files) own.replace(paths.join(folder, name), content)
    },
    catch: (error) => new FilesNotWritten({ directory, reason: systemErrorText(error) })
  })
  return directory
})
