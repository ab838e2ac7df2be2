/** `list_files`: the entries of a folder, or the files that match a pattern, on either side. */
import { Effect, Schema } from "effect"
import type { Change } from "../../../domain/change/Change.ts"
import { globFault, pathGlob } from "../../../domain/text/PathGlob.ts"
import { plural } from "../../../domain/text/plural.ts"
import { readActionOf, refused } from "../runtime/Action.ts"
import { Ordinal, optional, type SideName, side } from "../runtime/actionInput.ts"
import { pageOf } from "../runtime/answerText.ts"
import type { ShownFiles } from "../runtime/ShownFiles.ts"

const Input = Schema.Struct({
  path: optional(Schema.String, "A folder, from the repository's root. Default: the root."),
  glob: optional(
    Schema.String,
    'Lists every file below the folder that it names, at any depth: "*.ts", "src/**/*.test.ts", "*.{yml,yaml}".'
  ),
  side,
  from: optional(Ordinal, "First entry. Default 1.")
})

export const listFiles = (files: ShownFiles, change: Change) => {
  const statuses = {
    head: new Map(change.diff.files.flatMap((file) => (file.newPath === null ? [] : [[file.newPath, file.status]]))),
    base: new Map(change.diff.files.flatMap((file) => (file.oldPath === null ? [] : [[file.oldPath, file.status]])))
  }

  const fileEntry = (which: SideName, path: string): string => {
    const status = statuses[which].get(path)
    return status === undefined ? files.path(path) : `${files.path(path)}\t${status} by this change`
  }

  /** Folders and files directly in a folder, by name. */
  const entriesIn = (
    which: SideName,
    folder: string,
    paths: ReadonlyArray<string>,
    submodules: ReadonlyArray<string>
  ): ReadonlyArray<string> => {
    const start = folder === "" ? 0 : folder.length + 1
    const entries = new Map<string, { files: number; changed: number } | "submodule" | null>()
    for (const path of paths) {
      const slash = path.indexOf("/", start)
      if (slash < 0) entries.set(path, null)
      else {
        const name = path.slice(0, slash + 1)
        const counted = entries.get(name)
        const known = counted == null || counted === "submodule" ? { files: 0, changed: 0 } : counted
        known.files++
        if (statuses[which].has(path)) known.changed++
        entries.set(name, known)
      }
    }
    for (const path of submodules) {
      const slash = path.indexOf("/", start)
      const name = slash < 0 ? path : path.slice(0, slash + 1)
      if (path.startsWith(folder === "" ? "" : `${folder}/`) && !entries.has(name)) {
        entries.set(name, slash < 0 ? "submodule" : { files: 0, changed: 0 })
      }
    }
    return [...entries].map(([name, inside]) => {
      if (inside === "submodule") return `${files.path(name)}/\tsubmodule: another repository`
      if (inside === null) return fileEntry(which, name)
      const changed = inside.changed === 0 ? "" : `, ${inside.changed} changed`
      return `${files.path(name)}\t${plural(inside.files, "file")}${changed}`
    })
  }

  return readActionOf({
    name: "list_files",
    description: `A folder's entries, one a line: files, and folders (ending in "/") with the number of files in them; with glob, all matching files. Marks those that the change touched. If more follow, the last line gives the next value of from.`,
    input: Input,
    act: Effect.fn("Action.listFiles")(function* (input: typeof Input.Type) {
      const which = input.side ?? "head"
      const fault = input.glob == null ? null : globFault(input.glob)
      if (fault !== null) return yield* refused(`glob: ${fault}`)
      const folder = yield* files.findFolder(which, input.path ?? "")
      const all = yield* files.paths(which)
      if (all.includes(folder)) return fileEntry(which, folder)
      const below = folder === "" ? all : all.filter((path) => path.startsWith(`${folder}/`))
      const matches = input.glob == null ? null : pathGlob(input.glob)
      const within = folder === "" ? 0 : folder.length + 1
      const entries =
        matches === null
          ? entriesIn(which, folder, below, yield* files.submodules)
          : below.filter((path) => matches(path.slice(within))).map((path) => fileEntry(which, path))
      const where = folder === "" ? "the root" : `${files.path(folder)}/`
      const what = input.glob == null ? where : `${files.words(input.glob)} in ${where}`
      if (entries.length === 0) return `${what} (${which}): no file`
      const { more, shown } = yield* pageOf(`${what} (${which})`, entries, input.from ?? 1, (entry) => entry)
      const unknown = change.head._tag === "Unknown" ? ["[only a patch is known: these are the files it names]"] : []
      return [`${what} (${which}), ${plural(entries.length, "entry", "entries")}`, ...shown, ...unknown, ...more].join(
        "\n"
      )
    })
  })
}
