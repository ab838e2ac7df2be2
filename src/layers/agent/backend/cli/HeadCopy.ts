/**
 * A directory outside the repository with the head side of the change, which a coding CLI reads, and with the changed
 * files as they were before it, in `.dd/before`.
 *
 * The repository's own working tree is hostile: a CLI started in it reads its settings, hooks, servers and instructions
 * whatever its flags are. The copy contains nothing of that kind: no `.git`, no files that configure tools, no links,
 * only text, with secrets redacted and line numbers unchanged. It is created at first use, and removed with its scope
 * or, after a kill, by the next run. Docs: docs/decisions/0020.
 */
import { Effect, Fiber, FileSystem, Path, Schema, Scope } from "effect"
import { compareText } from "../../../../domain/text/compareText.ts"
import { foldersAbove } from "../../../../domain/text/foldersAbove.ts"
import { Sources } from "../../../../services/change/Sources.ts"
import { Redactor } from "../../../../services/secret/Redactor.ts"
import { systemErrorText } from "../../../../services/system/systemErrorText.ts"
import { type CopyPlace, temporaryCopy } from "../../../system/temporaryCopy.ts"

export class HeadNotCopied extends Schema.TaggedError<HeadNotCopied>()("HeadNotCopied", { reason: Schema.String }) {
  override get message() {
    return `no copy of the files under review could be made: ${this.reason}`
  }
}

export interface HeadFiles {
  readonly directory: string
  /** Next to the copy, for files that dd passes to a CLI. */
  readonly own: string
  readonly written: number
  readonly omitted: number
  /** Of the base side. */
  readonly before: number
}

/** In the copy. */
export const beforeFolder = ".dd/before"

export interface HeadCopyOptions extends CopyPlace {
  /** Changed paths: they are copied first, then the files near them. */
  readonly changed: ReadonlyArray<string>
  /** Paths of the base side to copy as well. */
  readonly before: ReadonlyArray<string>
  readonly mostFiles?: number
  readonly mostBytes?: number
}

const mostFiles = 5000
/** Of all texts together. */
const mostBytes = 32_000_000
/** Files that are read together. */
const batch = 250

/**
 * The first use of the result makes the copy, once. `files` waits until it is complete; `bare` is an empty directory
 * next to it, for tasks that need no files.
 */
export const make = Effect.fnUntraced(function* (options: HeadCopyOptions) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const sources = yield* Sources
  const redactor = yield* Redactor
  const scope = yield* Effect.scope

  const directory = Effect.gen(function* () {
    const own = yield* temporaryCopy(options)
    const [files, bare] = [paths.join(own, "files"), paths.join(own, "bare")]
    for (const made of [files, bare]) yield* fs.makeDirectory(made, { mode: 0o700 })
    return { own, files, bare }
  }).pipe(
    Effect.provideService(FileSystem.FileSystem, fs),
    Effect.provideService(Path.Path, paths),
    Effect.mapError((error) =>
      error._tag === "PlatformError" ? new HeadNotCopied({ reason: systemErrorText(error) }) : error
    )
  )

  const write = (root: string, path: string, text: string) =>
    fs.makeDirectory(paths.dirname(paths.join(root, path)), { recursive: true, mode: 0o700 }).pipe(
      Effect.andThen(fs.writeFileString(paths.join(root, path), text, { mode: 0o600, flag: "wx" })),
      Effect.as(true),
      // Names that are invalid on this disk, or exist in another case.
      Effect.orElseSucceed(() => false)
    )

  const copy = Effect.fnUntraced(function* ({ files: root, own }: { readonly files: string; readonly own: string }) {
    const all = yield* sources.headPaths
    const wanted = nearestFirst(all.filter(isCopied), options.changed).slice(0, options.mostFiles ?? mostFiles)
    let written = 0
    let before = 0
    let bytes = 0
    for (const path of options.before.filter(isCopied)) {
      const source = yield* sources.base(path)
      if (source._tag !== "Text" || bytes + source.text.length > (options.mostBytes ?? mostBytes)) continue
      if (!(yield* write(root, `${beforeFolder}/${path}`, redactor.text(source.text)))) continue
      bytes += source.text.length
      before++
    }
    for (let from = 0; from < wanted.length && bytes < (options.mostBytes ?? mostBytes); from += batch) {
      const some = wanted.slice(from, from + batch)
      yield* sources.preload(some)
      for (const path of some) {
        const source = yield* sources.head(path)
        if (source._tag !== "Text" || bytes + source.text.length > (options.mostBytes ?? mostBytes)) continue
        if (!(yield* write(root, path, redactor.text(source.text)))) continue
        bytes += source.text.length
        written++
      }
    }
    return { directory: root, own, written, omitted: all.length - written, before } satisfies HeadFiles
  })

  // An interrupted task does not interrupt the copy, which is made for all tasks.
  const begun = yield* Effect.cached(
    Effect.gen(function* () {
      const made = yield* Effect.forkIn(Effect.provideService(directory, Scope.Scope, scope), scope)
      const copied = yield* Effect.forkIn(Effect.flatMap(Fiber.join(made), copy), scope)
      return { made, copied }
    })
  )
  return {
    files: Effect.flatMap(begun, ({ copied }) => Fiber.join(copied)),
    bare: Effect.flatMap(begun, ({ made }) =>
      Effect.map(
        Fiber.join(made),
        ({ bare, own }): HeadFiles => ({ directory: bare, own, written: 0, omitted: 0, before: 0 })
      )
    )
  }
})

/** Names of files and folders that configure coding tools, in lower case. A path that contains one is not copied. */
const configuring: ReadonlySet<string> = new Set([
  ".git",
  ".gitmodules",
  ".claude",
  ".claude.json",
  ".claude-plugin",
  ".mcp.json",
  "claude.md",
  "claude.local.md",
  ".codex",
  "codex.md",
  "agents.md",
  "agents.override.md",
  "agent.md",
  ".agents",
  ".pi",
  "gemini.md",
  ".gemini",
  ".cursor",
  ".cursorrules",
  "copilot-instructions.md",
  ".ripgreprc",
  ".daydream"
])

/** Whether this path may be in the copy: not if it could lead out of it or configures coding tools. */
export const isCopied = (path: string): boolean => {
  const names = path.split("/")
  return (
    !path.includes("\0") &&
    names.every((name) => name !== "" && name !== "." && name !== ".." && !configuring.has(name.toLowerCase()))
  )
}

/** Changed paths, then those that share the most folders with one, in the order of their names. */
export const nearestFirst = (paths: ReadonlyArray<string>, changed: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = new Set(changed)
  const folders = new Set(changed.flatMap(foldersAbove))
  const nearness = new Map(
    paths.map((path) => [path, own.has(path) ? Number.POSITIVE_INFINITY : depthIn(path, folders)] as const)
  )
  return paths.toSorted((a, b) => (nearness.get(b) ?? 0) - (nearness.get(a) ?? 0) || compareText(a, b))
}

const depthIn = (path: string, folders: ReadonlySet<string>): number => {
  const above = foldersAbove(path)
  const nearest = above.find((folder) => folders.has(folder))
  return nearest === undefined ? 0 : nearest.split("/").length
}
