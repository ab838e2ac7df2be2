/**
 * Files below one directory of a hostile repository: no directory on the path may be a link, and a file is replaced by
 * rename, so a link planted under its name is replaced and never followed.
 *
 * Synchronous: a review writes some forty small files, and waiting for the thread pool took ten times as long as
 * writing them. Throws errors of the system, or a NotADirectory.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { Predicate, Schema } from "effect"
import { compareText } from "../../domain/text/compareText.ts"

export class NotADirectory extends Schema.TaggedError<NotADirectory>()("NotADirectory", { path: Schema.String }) {
  override get message() {
    return `${this.path} is not a directory of this repository (a link, or a file)`
  }
}

export class OwnFiles {
  /** The directory of all files. */
  readonly top: string
  readonly #root: string
  readonly #draft: string

  /** `name`: of the directory in `root`; `session`: distinguishes this run's drafts from those of others. */
  constructor(root: string, name: string, session: string) {
    this.top = join(root, name)
    this.#root = root
    this.#draft = `.${session}.draft`
  }

  /** Creates `name` and its parents; git ignores everything in them, even if they were deleted and created again. */
  ensure(name: string): string {
    let at = this.top
    for (const part of ["", ...name.split("/").filter((part) => part !== "" && part !== ".")]) {
      at = part === "" ? at : join(at, part)
      try {
        mkdirSync(at, { mode: 0o700 })
      } catch (error) {
        if (!hasCode(error, "EEXIST")) throw error
      }
      if (!lstatSync(at).isDirectory()) throw new NotADirectory({ path: relative(this.#root, at) })
      if (at === this.top && !this.has(".gitignore")) writeWhole(join(at, ".gitignore"), "*\n", this.#draft)
    }
    return at
  }

  /** A reader sees the old or the new content. */
  replace(name: string, content: string | Uint8Array): void {
    writeWhole(this.#place(name), content, this.#draft)
  }

  /** Null if there is none. */
  read(name: string): string | null {
    const at = this.#place(name)
    const info = known(at)
    if (info === null) return null
    if (!info.isFile()) throw new NotADirectory({ path: name })
    return readFileSync(at, "utf8")
  }

  has(name: string): boolean {
    return known(join(this.top, name)) !== null
  }

  /** Removes a file, or a directory with its content; succeeds if absent. */
  remove(name: string): void {
    rmSync(this.#place(name), { recursive: true, force: true })
  }

  /** Sorted, without drafts. */
  list(name: string): ReadonlyArray<string> {
    return readdirSync(this.ensure(name))
      .filter((each) => !each.endsWith(".draft"))
      .sort()
  }

  removeIfEmpty(name: string): void {
    const at = join(this.top, name)
    if (readdirSync(at).length === 0) rmSync(at, { recursive: true })
  }

  /**
   * Removes all but the newest directories in `name` whose names match `called`: never a link, and none that contains a
   * `needed` file.
   */
  prune(name: string, called: RegExp, kept: number, needed: string): void {
    const at = this.ensure(name)
    const names = readdirSync(at).filter((each) => called.test(each))
    if (names.length <= kept) return
    const directories = names.flatMap((each) => {
      const info = known(join(at, each))
      return info?.isDirectory() === true ? [{ each, changed: info.mtimeMs }] : []
    })
    const old = directories.sort((a, b) => b.changed - a.changed || compareText(a.each, b.each)).slice(kept)
    for (const { each } of old) {
      if (known(join(at, each, needed)) === null) rmSync(join(at, each), { recursive: true, force: true })
    }
  }

  #place(name: string): string {
    return join(this.ensure(dirname(name)), basename(name))
  }
}

const writeWhole = (target: string, content: string | Uint8Array, ending: string): void => {
  const draft = `${target}${ending}`
  try {
    writeFileSync(draft, content, { mode: 0o600, flag: "wx" })
    renameSync(draft, target)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** The entry itself, without following links; null if there is none. */
const known = (at: string): Stats | null => lstatSync(at, { throwIfNoEntry: false }) ?? null

const hasCode = (error: unknown, code: string): boolean => Predicate.hasProperty(error, "code") && error.code === code
