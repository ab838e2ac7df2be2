/** Where the files of a pack are written: `.daydream/pack/` of the repository, or a directory that the user names. */
import { randomUUID } from "node:crypto"
import { Effect, Path, Runtime, Schema } from "effect"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { writeWhole } from "../../services/system/writeWhole.ts"
import { OwnFiles } from "../system/OwnFiles.ts"

export class PackNotWritten extends Schema.TaggedError<PackNotWritten>()("PackNotWritten", {
  directory: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `the pack was not written to ${this.directory}: ${this.reason}; use --output DIR or --stdout`
  }
}

/** Each file is replaced atomically. Returns the directory. */
export const writeFiles = Effect.fnUntraced(function* (
  place: { readonly root: string } | { readonly directory: string },
  files: ReadonlyMap<string, string>
) {
  const paths = yield* Path.Path
  if ("directory" in place) {
    for (const [name, content] of files) {
      yield* Effect.mapError(
        writeWhole(paths.join(place.directory, name), content),
        (error) => new PackNotWritten({ directory: place.directory, reason: systemErrorText(error) })
      )
    }
    return place.directory
  }
  const own = new OwnFiles(place.root, ".daydream", randomUUID())
  const directory = paths.join(own.top, "pack")
  yield* Effect.try({
    try: () => {
      own.ensure("pack")
      for (const [name, content] of files) own.replace(paths.join("pack", name), content)
    },
    catch: (error) => new PackNotWritten({ directory, reason: systemErrorText(error) })
  })
  return directory
})
