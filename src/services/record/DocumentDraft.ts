/**
 * Writes a trajectory document step by step: to a draft in the same directory, which is synced and renamed.
 *
 * A link under either name is replaced, never followed. Only data not yet on disk is in memory. An unpublished draft is
 * removed when the scope closes.
 */
import { Effect, FileSystem, type PlatformError, Random, type Scope } from "effect"

const mostHeld = 256 * 1024
const utf8 = new TextEncoder()

export class DocumentDraft {
  readonly target: string
  readonly #head: () => unknown
  #hasHead = false
  #steps = 0
  #pending: Array<string> = []
  #size = 0
  #isPublished = false
  #file: { readonly file: FileSystem.File; readonly path: string } | null = null

  /** `head` is called when the first bytes are written, and includes the model that has answered by then. */
  constructor(target: string, head: () => unknown) {
    this.target = target
    this.#head = head
  }

  step(json: string): void {
    this.#put(this.#steps === 0 ? json : `,\n    ${json}`)
    this.#steps++
  }

  end(tail: unknown): void {
    this.#addHead()
    this.#put(`\n  ],\n${fieldsOf(tail)}\n}\n`)
  }

  get isFull(): boolean {
    return this.#size > mostHeld
  }

  /** Writes the data in memory. */
  get save(): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Scope.Scope> {
    return Effect.suspend(() => {
      this.#addHead()
      const bytes = utf8.encode(this.#pending.join(""))
      this.#pending = []
      this.#size = 0
      return Effect.flatMap(this.#open, ({ file }) => file.writeAll(bytes))
    })
  }

  /** Writes everything and syncs the file. */
  get settle(): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Scope.Scope> {
    return Effect.andThen(
      this.save,
      Effect.flatMap(this.#open, ({ file }) => file.sync)
    )
  }

  /** Renames the settled draft. */
  get publish(): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Scope.Scope> {
    return Effect.gen({ self: this }, function* () {
      const fs = yield* FileSystem.FileSystem
      const { path } = yield* this.#open
      yield* fs.rename(path, this.target)
      this.#isPublished = true
    })
  }

  get #open() {
    return Effect.gen({ self: this }, function* () {
      if (this.#file !== null) return this.#file
      const fs = yield* FileSystem.FileSystem
      // Random, so that two processes that write the same document do not collide.
      const path = `${this.target}.${yield* Random.nextIntBetween(0, 2 ** 32)}.draft`
      yield* Effect.addFinalizer(() =>
        this.#isPublished ? Effect.void : Effect.option(fs.remove(path, { force: true }))
      )
      this.#file = { file: yield* fs.open(path, { flag: "wx", mode: 0o600 }), path }
      return this.#file
    })
  }

  #addHead(): void {
    if (this.#hasHead) return
    this.#hasHead = true
    const head = `{\n${fieldsOf(this.#head())},\n  "steps": [\n    `
    this.#pending.unshift(head)
    this.#size += head.length
  }

  #put(text: string): void {
    this.#pending.push(text)
    this.#size += text.length
  }
}

/** The fields of an object, one per line, so that documents can be compared. */
const fieldsOf = (value: unknown): string =>
  Object.entries(typeof value === "object" && value !== null ? value : {})
    .map(([name, field]) => `  ${JSON.stringify(name)}: ${JSON.stringify(field)}`)
    .join(",\n")
