/** Settings of a repository come from the files in it that the user trusts. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer } from "effect"
import { IsTrusted } from "../services/run/Settings.ts"
import { TrustedFiles } from "../services/run/TrustedFiles.ts"

export const trustedFiles = TrustedFiles.layer.pipe(Layer.provide(layerDigest))

/** `root`: of the repository, with links resolved; null without a working tree. */
export const trustIn = (root: string | null) =>
  Layer.effect(
    IsTrusted,
    Effect.gen(function* () {
      const { isTrusted } = yield* TrustedFiles
      return (name: string, text: string) =>
        root === null
          ? Effect.succeed(false)
          : isTrusted(root, name, text).pipe(
              Effect.catch(({ message }) => Effect.as(Effect.logWarning(`${message}; nothing is trusted`), false))
            )
    })
  ).pipe(Layer.provide(trustedFiles))
