/**
 * Finds a program as the user's shell would, except where the repository under review could have put it: relative
 * entries of PATH are ignored, as are entries and programs inside that repository, with links resolved.
 */
import { Config, Effect, FileSystem, Option, Path } from "effect"
import { isInside } from "../../../system/isInside.ts"

export interface Found {
  readonly _tag: "Found"
  readonly path: string
  /** PATH without the ignored entries. */
  readonly searched: string
}

export interface NotFound {
  readonly _tag: "NotFound"
  /** Programs of that name that were ignored, each with the reason. */
  readonly ignored: ReadonlyArray<string>
}

/** `reviewed`: the root of the repository under review; null if there is none. */
export const findProgram = Effect.fnUntraced(function* (name: string, reviewed: string | null) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const path = yield* Effect.orDie(Config.String("PATH").pipe(Config.withDefault("")))
  const real = (file: string) => Effect.map(Effect.option(fs.realPath(file)), Option.getOrNull)
  const root = reviewed === null ? null : ((yield* real(reviewed)) ?? paths.resolve(reviewed))
  const isReviewed = (file: string) => root !== null && isInside(paths, root, file)

  const counted: Array<string> = []
  const ignored: Array<string> = []
  let found: string | null = null
  for (const entry of path.split(":")) {
    const candidate = paths.join(entry === "" ? "." : entry, name)
    const program = yield* real(candidate)
    const isProgram = program !== null && (yield* isExecutable(program))
    if (!paths.isAbsolute(entry)) {
      if (isProgram) ignored.push(`${candidate} (a relative entry of PATH)`)
      continue
    }
    const folder = (yield* real(entry)) ?? entry
    if (isReviewed(folder)) {
      if (isProgram) ignored.push(`${candidate} (inside the repository under review)`)
      continue
    }
    counted.push(entry)
    if (!isProgram || found !== null) continue
    if (isReviewed(program)) ignored.push(`${candidate} (a link into the repository under review)`)
    else found = candidate
  }
  const none: NotFound = { _tag: "NotFound", ignored }
  const one: Found = { _tag: "Found", path: found ?? "", searched: counted.join(":") }
  return found === null ? none : one
})

const isExecutable = (file: string) =>
  FileSystem.FileSystem.use((fs) =>
    Effect.map(
      Effect.option(fs.stat(file)),
      Option.match({ onNone: () => false, onSome: ({ mode, type }) => type === "File" && (mode & 0o111) !== 0 })
    )
  )
