/** Releases on a server in the layout of GitHub's: `latest/download/FILE` and `download/VERSION/FILE`. */
import { Effect, Layer } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import { bytesAtMost } from "../../../services/system/bytesAtMost.ts"
import { networkErrorText } from "../../../services/system/networkErrorText.ts"
import { Releases, ReleasesUnreachable } from "../../../services/update/Releases.ts"

/** In bytes: three times an archive. */
const largestFile = 150_000_000

export const layer = (url: string) =>
  Layer.effect(
    Releases,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const read = Effect.fnUntraced(
        function* (address: string) {
          const response = yield* client.get(address)
          if (response.status !== 200) {
            return yield* new ReleasesUnreachable({ address, detail: `the server answered ${response.status}` })
          }
          const bytes = yield* bytesAtMost(response.stream, largestFile)
          if (bytes.length > largestFile) return yield* new ReleasesUnreachable({ address, detail: "it is too large" })
          return bytes
        },
        Effect.scoped,
        Effect.provideService(HttpClient.TracerPropagationEnabled, false),
        (reading, address) =>
          reading.pipe(
            Effect.mapError((error) =>
              error._tag === "ReleasesUnreachable"
                ? error
                : new ReleasesUnreachable({ address, detail: networkErrorText(error) })
            ),
            Effect.timeoutOrElse({
              duration: "5 minutes",
              orElse: () => Effect.fail(new ReleasesUnreachable({ address, detail: "it took too long" }))
            })
          )
      )
      return Releases.of({
        newestSums: Effect.map(read(`${url}/latest/download/SHA256SUMS`), (bytes) => new TextDecoder().decode(bytes)),
        file: (version, name) => read(`${url}/download/${version}/${name}`)
      })
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))
