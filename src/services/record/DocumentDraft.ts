/**
 * A trajectory document on its way to the disk: steps go in one by one, the file appears whole under its name.
 *
 * Written beside the target under a name of its own, synced and renamed over it; a link under either name is replaced,
 * never followed. Only what is not yet on disk is held. When the scope closes nothing is left but the document.
 */
import { Effect, FileSystem, type PlatformError, Random, type Scope } from "effect"

const enough = 256 * 1024
const utf8 = new TextEncoder()

export class DocumentDraft {
  readonly target: string
  readonly #head: () => unknown
  #begun = false
  #steps = 0
  #pending: Array<string> = []
  #size = 0
  #isPublished = false
  #file: { readonly file: FileSystem.File; readonly path: string } | null = null

  /** `head` is asked when the first bytes are saved: it names the model that has answered by then. */
  constructor(target: string, head: () => unknown) {
    this.target = target
    this.#head = head
  }

  step(json: string): void {
    this.#put(this.#steps === 0 ? json : `,\n    ${json}`)
    this.#steps++
  }

  end(tail: unknown): void {
    this.#begin()
    this.#put(`\n  ],\n${fieldsOf(tail)}\n}\n`)
  }

  get isFull(): boolean {
    return this.#size > enough
  }

  /** Brings to the disk what is not there yet. */
  get save(): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Scope.Scope> {
    return Effect.suspend(() => {
      this.#begin()
      const bytes = utf8.encode(this.#pending.join(""))
      this.#pending = []
      this.#size = 0
      return Effect.flatMap(this.#open, ({ file }) => file.writeAll(bytes))
    })
  }

  /** Everything is on the disk and outlives a power loss. */
  get settle(): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Scope.Scope> {
    return Effect.andThen(
      this.save,
      Effect.flatMap(this.#open, ({ file }) => file.sync)
    )
  }

  /** The settled document stands under its name. */
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
      // A name of its own: two that make the same document do not meet before the rename.
      const path = `${this.target}.${yield* Random.nextIntBetween(0, 2 ** 32)}.draft`
      yield* Effect.addFinalizer(() =>
        this.#isPublished ? Effect.void : Effect.option(fs.remove(path, { force: true }))
      )
      this.#file = { file: yield* fs.open(path, { flag: "wx", mode: 0o600 }), path }
      return this.#file
    })
  }

  #begin(): void {
    if (this.#begun) return
    this.#begun = true
    const head = `{\n${fieldsOf(this.#head())},\n  "steps": [\n    `
    this.#pending.unshift(head)
    this.#size += head.length
  }

  #put(text: string): void {
    this.#pending.push(text)
    this.#size += text.length
  }
}

/** An object's fields, a line each; a step is a line too, so that documents can be compared. */
const fieldsOf = (value: unknown): string =>
  Object.entries(typeof value === "object" && value !== null ? value : {})
    .map(([name, field]) => `  ${JSON.stringify(name)}: ${JSON.stringify(field)}`)
    .join(",\n")
