/** Settings of a repository come from the files in it that the user trusts. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Effect, Layer } from "effect"
import { IsTrusted } from "../services/run/Settings.ts"
import { isTrusted } from "../services/run/trustedFiles.ts"
import { withServices } from "../services/system/withServices.ts"

/** By digests of their texts. */
export const digests = layerDigest

/** `root`: of the repository, with links resolved; null without a working tree. */
export const trustIn = (root: string | null) =>
  Layer.effect(
    IsTrusted,
    Effect.map(
      withServices({ isTrusted }),
      (files) => (name: string, text: string) =>
        root === null
          ? Effect.succeed(false)
          : files
              .isTrusted(root, name, text)
              .pipe(
                Effect.catch(({ message }) => Effect.as(Effect.logWarning(`${message}; nothing is trusted`), false))
              )
    )
  ).pipe(Layer.provide(digests))
