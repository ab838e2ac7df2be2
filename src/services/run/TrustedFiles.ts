/**
 * The settings files of repositories that the user trusts: they may name a command that dd runs.
 *
 * A file is trusted by its text, in one repository: an edited file is not trusted, nor is the same file elsewhere. The
 * list is `trusted.json` in dd's own directory; without a home directory, nothing is trusted.
 */
import { Context, Effect, FileSystem, Layer, Option, Path, Schema } from "effect"
import { Digest, sha256 } from "effect/crypto/Digest"
import { systemErrorText } from "../system/systemErrorText.ts"
import { writeWhole } from "../system/writeWhole.ts"
import { daydreamHome } from "./Settings.ts"

export class TrustNotKept extends Schema.TaggedError<TrustNotKept>()("TrustNotKept", { reason: Schema.String }) {
  override get message() {
    return `the list of trusted repositories could not be used: ${this.reason}`
  }
}

const TrustedRepository = Schema.Struct({
  /** With links resolved. */
  root: Schema.String,
  /** The SHA-256 of each trusted file, by its name. */
  files: Schema.Record(Schema.String, Schema.String)
})
export type TrustedRepository = typeof TrustedRepository.Type

const Stored = Schema.fromJsonString(
  Schema.Struct({ schema_version: Schema.Literal(1), repositories: Schema.Array(TrustedRepository) })
)
const decode = Schema.decodeUnknownEffect(Stored)
const encode = Schema.encodeSync(Stored)

const fileName = "trusted.json"

export class TrustedFiles extends Context.Service<
  TrustedFiles,
  {
    readonly list: Effect.Effect<ReadonlyArray<TrustedRepository>, TrustNotKept>
    /** Replaces what was trusted in this repository; without files, nothing in it is trusted. */
    readonly set: (root: string, texts: ReadonlyMap<string, string>) => Effect.Effect<void, TrustNotKept>
    readonly isTrusted: (root: string, name: string, text: string) => Effect.Effect<boolean, TrustNotKept>
  }
>()("dd/services/run/TrustedFiles") {
  static readonly layer = Layer.effect(
    TrustedFiles,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const digest = yield* Digest
      const home = yield* daydreamHome
      const place = home === null ? null : paths.join(home, fileName)
      const failed = (error: unknown) => new TrustNotKept({ reason: `${place}: ${systemErrorText(error)}` })

      const digestOf = (text: string) => digest.digestHex(sha256, new TextEncoder().encode(text))

      const list = Effect.gen(function* () {
        if (place === null) return []
        const text = yield* fs.readFileString(place).pipe(
          Effect.asSome,
          Effect.catchIf(
            ({ reason }) => reason._tag === "NotFound",
            () => Effect.succeedNone
          ),
          Effect.mapError(failed)
        )
        if (Option.isNone(text)) return []
        const notReadable = () =>
          new TrustNotKept({ reason: `${place} is damaged; remove it, then run dd trust again` })
        return (yield* Effect.mapError(decode(text.value), notReadable)).repositories
      })

      const set = Effect.fn("TrustedFiles.set")(function* (root: string, texts: ReadonlyMap<string, string>) {
        if (home === null || place === null) {
          return yield* new TrustNotKept({ reason: "there is no home directory: set HOME or DD_HOME" })
        }
        const others = (yield* list).filter((each) => each.root !== root)
        const files: Record<string, string> = {}
        for (const [name, text] of texts) files[name] = yield* digestOf(text)
        const repositories = texts.size === 0 ? others : [...others, { root, files }]
        yield* fs
          .makeDirectory(home, { recursive: true, mode: 0o700 })
          .pipe(
            Effect.andThen(writeWhole(place, `${encode({ schema_version: 1, repositories })}\n`)),
            Effect.andThen(fs.chmod(place, 0o600)),
            Effect.mapError(failed)
          )
      })

      const isTrusted = Effect.fn("TrustedFiles.isTrusted")(function* (root: string, name: string, text: string) {
        const known = (yield* list).find((each) => each.root === root)?.files[name]
        return known !== undefined && known === (yield* digestOf(text))
      })

      const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      return TrustedFiles.of({
        list,
        set: (root, texts) => Effect.provide(set(root, texts), services),
        isTrusted
      })
    })
  )
}
