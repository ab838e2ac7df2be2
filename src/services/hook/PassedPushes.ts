/**
 * Remembers reviews of pushes that passed, each with what it found in a few words, so that the same push is not reviewed
 * twice. Only complete reviews are remembered. It is a cache: if it cannot be read or written, the push is reviewed.
 */
import { Effect, FileSystem, Option, Path } from "effect"
import { Digest, sha256 } from "effect/crypto/Digest"
import { writeWhole } from "../system/writeWhole.ts"

const mostKept = 1000

/** `home`: dd's own directory; null: nothing is remembered. */
export const passedPushes = Effect.fnUntraced(function* (home: string | null) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { digestHex } = yield* Digest
  const file = home === null ? null : paths.join(home, "cache", "passed-pushes")
  const read =
    file === null
      ? Effect.succeed<ReadonlyArray<Passed>>([])
      : Effect.map(Effect.option(fs.readFileString(file)), (text) =>
          Option.getOrElse(text, () => "")
            .split("\n")
            .flatMap((line) => {
              const [, key, words] = /^([0-9a-f]{64}) ?(.{0,200})$/.exec(line) ?? []
              return key === undefined ? [] : [{ key, words: words ?? "" }]
            })
        )
  return {
    keyOf: (parts: ReadonlyArray<unknown>) =>
      Effect.orDie(digestHex(sha256, new TextEncoder().encode(JSON.stringify(parts)))),
    /** Null if it did not pass before. */
    find: (key: string) => Effect.map(read, (all) => all.find((each) => each.key === key) ?? null),
    /** `words`: one line. */
    add: Effect.fnUntraced(function* (added: Passed) {
      if (file === null) return
      const others = (yield* read).filter(({ key }) => key !== added.key)
      const lines = [...others, added].slice(-mostKept).map(({ key, words }) => `${key} ${words}\n`)
      yield* Effect.option(writeWhole(file, lines.join("")))
    })
  }
})

interface Passed {
  readonly key: string
  readonly words: string
}
