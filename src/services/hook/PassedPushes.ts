/**
 * Remembers reviews of pushes that passed, so that the same push is not reviewed twice. Only complete reviews without
 * anything to report are remembered. It is a cache: if it cannot be read or written, the push is reviewed.
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
      ? Effect.succeed<ReadonlyArray<string>>([])
      : Effect.map(Effect.option(fs.readFileString(file)), (text) =>
          Option.getOrElse(text, () => "")
            .split("\n")
            .filter((line) => /^[0-9a-f]{64}$/.test(line))
        )
  return {
    keyOf: (parts: ReadonlyArray<unknown>) =>
      Effect.orDie(digestHex(sha256, new TextEncoder().encode(JSON.stringify(parts)))),
    has: (key: string) => Effect.map(read, (keys) => keys.includes(key)),
    add: Effect.fnUntraced(function* (key: string) {
      if (file === null) return
      const keys = (yield* read).filter((known) => known !== key)
      yield* Effect.option(writeWhole(file, `${[...keys, key].slice(-mostKept).join("\n")}\n`))
    })
  }
})
