/** No directory for artifacts: a bare patch, a bare repository, or a directory that cannot be written. */
import { Effect, Layer, Option } from "effect"
import { Artifacts } from "../../../services/review/Artifacts.ts"

/** `refused`: why requested files cannot be kept; null if none were requested. */
export const nowhere = (refused: string | null) =>
  Artifacts.of({
    directory: null,
    runDirectory: null,
    notice: refused,
    refused: refused !== null,
    write: () => Effect.void,
    read: () => Effect.succeed(Option.none()),
    remove: () => Effect.void,
    list: () => Effect.succeed([])
  })

export const layer = Layer.succeed(Artifacts, nowhere(null))
