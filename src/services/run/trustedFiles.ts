/**
 * The settings files of repositories that the user trusts: they may name a command that dd runs.
 *
 * A file is trusted by its text, in one repository: an edited file is not trusted, nor is the same file elsewhere. The
 * list is `trusted.json` in dd's own directory; without a home directory, nothing is trusted.
 */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
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

/** In dd's own directory; null without one. */
const placeOf = Effect.gen(function* () {
  const home = yield* daydreamHome
  return home === null ? null : { home, file: (yield* Path.Path).join(home, "trusted.json") }
})

const failed = (file: string) => (error: unknown) => new TrustNotKept({ reason: `${file}: ${systemErrorText(error)}` })

const digestOf = (text: string) => Digest.use(({ digestHex }) => digestHex(sha256, new TextEncoder().encode(text)))

export const trusted = Effect.gen(function* () {
  const place = yield* placeOf
  if (place === null) return []
  const { file } = place
  const text = yield* (yield* FileSystem.FileSystem).readFileString(file).pipe(
    Effect.asSome,
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeedNone
    ),
    Effect.mapError(failed(file))
  )
  if (Option.isNone(text)) return []
  const notReadable = () => new TrustNotKept({ reason: `${file} is damaged; remove it, then run dd trust again` })
  return (yield* Effect.mapError(decode(text.value), notReadable)).repositories
})

/** Replaces what was trusted in this repository; without files, nothing in it is trusted. */
export const setTrusted = Effect.fn("TrustedFiles.set")(function* (root: string, texts: ReadonlyMap<string, string>) {
  const fs = yield* FileSystem.FileSystem
  const place = yield* placeOf
  if (place === null) return yield* new TrustNotKept({ reason: "there is no home directory: set HOME or DD_HOME" })
  const others = (yield* trusted).filter((each) => each.root !== root)
  const files: Record<string, string> = {}
  for (const [name, text] of texts) files[name] = yield* digestOf(text)
  const repositories = texts.size === 0 ? others : [...others, { root, files }]
  yield* fs
    .makeDirectory(place.home, { recursive: true, mode: 0o700 })
    .pipe(
      Effect.andThen(writeWhole(place.file, `${encode({ schema_version: 1, repositories })}\n`)),
      Effect.andThen(fs.chmod(place.file, 0o600)),
      Effect.mapError(failed(place.file))
    )
})

export const isTrusted = Effect.fn("TrustedFiles.isTrusted")(function* (root: string, name: string, text: string) {
  const known = (yield* trusted).find((each) => each.root === root)?.files[name]
  return known !== undefined && known === (yield* digestOf(text))
})
