/**
 * The files of archived runs: the bundle `runs/<session>/`, and `labels/<session>.jsonl` apart from it, so that labels
 * survive when the index is lost or the run is archived again.
 *
 * A bundle is created in `drafts/` and renamed. Its content is redacted; only regular files are copied. Directories have
 * mode 0700, files 0600.
 */
import { Clock, Context, Effect, FileSystem, Layer, Option, Path, type PlatformError, Schema, type Scope } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { FindingLabel } from "../../domain/record/FindingLabel.ts"
import { LabelObservation } from "../../domain/record/LabelObservation.ts"
import { decodeManifest, type RunManifest } from "../../domain/record/RunManifest.ts"
import { isSessionId, type SessionId } from "../../domain/run/SessionId.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { Redactor } from "../secret/Redactor.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import type { Labels } from "./ArchiveIndex.ts"

export class BundleNotWritten extends Schema.TaggedError<BundleNotWritten>()("BundleNotWritten", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} could not be written: ${this.reason}`
  }
}

/** A bundle before it is published. Names have forward slashes. */
export interface BundleDraft {
  readonly json: (name: string, value: unknown) => Effect.Effect<void, BundleNotWritten>
  /** Redacted already, or with nothing to redact. */
  readonly bytes: (name: string, bytes: Uint8Array) => Effect.Effect<void, BundleNotWritten>
  /** Copies a file of the run and redacts it again, because anybody may have written it. Returns why it failed, or null. */
  readonly text: (from: string, name: string) => Effect.Effect<string | null>
  /** Copies a document of dd's recorder unchanged, whatever its size. */
  readonly document: (from: string, name: string) => Effect.Effect<string | null>
  /** In bytes. */
  readonly size: Effect.Effect<number>
  /** Renames the draft to the bundle, and replaces an existing one. */
  readonly publish: Effect.Effect<void, BundleNotWritten>
}

export class Bundles extends Context.Service<
  Bundles,
  {
    /** Of the archive. */
    readonly directory: string
    /** Relative to the archive. */
    readonly pathOf: (session: SessionId) => string
    /** Removed when the scope closes, unless it was published. */
    readonly createDraft: (session: SessionId) => Effect.Effect<BundleDraft, BundleNotWritten, Scope.Scope>
    /** In order. */
    readonly sessions: Effect.Effect<ReadonlyArray<SessionId>>
    readonly manifest: (session: SessionId) => Effect.Effect<Option.Option<RunManifest>>
    /** A text file of a bundle; none when it has no such file. */
    readonly read: (session: SessionId, name: string) => Effect.Effect<Option.Option<string>>
    /** Whether the run has a bundle, complete or not. */
    readonly exists: (session: SessionId) => Effect.Effect<boolean>
    /** In bytes. */
    readonly size: (session: SessionId) => Effect.Effect<number>
    readonly remove: (session: SessionId) => Effect.Effect<void, BundleNotWritten>
    /** Returns when the labels are on disk. */
    readonly addLabels: (labels: Labels) => Effect.Effect<void, BundleNotWritten>
    readonly labels: (session: SessionId) => Effect.Effect<Labels>
    readonly labelled: Effect.Effect<ReadonlyArray<SessionId>>
    /** Removes the drafts of processes that ended long ago. */
    readonly sweep: Effect.Effect<void>
  }
>()("dd/services/record/Bundles") {
  static readonly layer = (directory: string) =>
    Layer.effect(
      Bundles,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        const redactor = yield* Redactor
        const random = yield* SecureRandom
        const at = (...parts: ReadonlyArray<string>) => paths.join(directory, ...parts)
        const failed = (path: string) => (error: PlatformError.PlatformError) =>
          new BundleNotWritten({ path, reason: systemErrorText(error) })
        const makeDirectory = (path: string) => fs.makeDirectory(path, { recursive: true, mode: 0o700 })

        const createDraft = Effect.fnUntraced(function* (session: SessionId) {
          const draft = at("drafts", `${session}.${yield* random.uuidV4()}`)
          const target = at("runs", session)
          // The error names the directory, not the draft, so that the same failure has the same message.
          yield* makeDirectory(draft).pipe(Effect.mapError(failed(at("drafts"))))
          yield* Effect.addFinalizer(() => Effect.option(fs.remove(draft, { recursive: true, force: true })))
          let size = 0
          const made = new Set<string>()

          const placeFor = Effect.fnUntraced(function* (name: string) {
            const path = paths.join(draft, name)
            const parent = paths.dirname(path)
            if (parent !== draft && !made.has(parent)) {
              yield* makeDirectory(parent)
              made.add(parent)
            }
            return path
          })
          const put = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
            yield* fs.writeFile(yield* placeFor(name), bytes, { mode: 0o600, flag: "wx" })
            size += bytes.length
          })
          const bytes: BundleDraft["bytes"] = (name, content) => put(name, content).pipe(Effect.mapError(failed(name)))

          const copied = Effect.fnUntraced(function* (
            from: string,
            limit: number,
            copy: (info: FileSystem.File.Info) => Effect.Effect<void, PlatformError.PlatformError>
          ) {
            const info = yield* fs.lstat(from)
            if (info.type !== "File") return "it is not a regular file"
            if (Number(info.size) > limit) return `it is larger than ${limit / 1024 / 1024} MiB`
            yield* copy(info)
            return null
          })
          const reasonOf = (error: PlatformError.PlatformError) => Effect.succeed(systemErrorText(error))

          const draftOf: BundleDraft = {
            json: (name, value) => bytes(name, utf8.encode(`${JSON.stringify(redactor.value(value), null, 2)}\n`)),
            bytes,
            text: (from, name) =>
              copied(from, largestText, () =>
                Effect.flatMap(fs.readFileString(from), (text) =>
                  put(name, utf8.encode(redacted(name, text, redactor)))
                )
              ).pipe(Effect.catch(reasonOf)),
            document: (from, name) =>
              copied(from, Number.POSITIVE_INFINITY, (info) =>
                Effect.gen(function* () {
                  const path = yield* placeFor(name)
                  yield* fs.copyFile(from, path)
                  yield* fs.chmod(path, 0o600)
                  size += Number(info.size)
                })
              ).pipe(Effect.catch(reasonOf)),
            size: Effect.sync(() => size),
            publish: Effect.gen(function* () {
              yield* makeDirectory(at("runs"))
              const isFree = Option.isNone(yield* Effect.option(fs.lstat(target)))
              if (isFree) return yield* fs.rename(draft, target)
              // The old bundle is moved away first, and back if the new one cannot be renamed.
              const old = `${draft}.old`
              yield* fs.rename(target, old)
              yield* fs.rename(draft, target).pipe(Effect.onError(() => Effect.option(fs.rename(old, target))))
              yield* fs.remove(old, { recursive: true, force: true })
            }).pipe(Effect.mapError(failed(target)))
          }
          return draftOf
        })

        const namesIn = (path: string) =>
          Effect.map(Effect.option(fs.readDirectory(path)), (names) => Option.getOrElse(names, () => []))
        const readText = (path: string) => Effect.option(fs.readFileString(path))

        const labels = Effect.fnUntraced(function* (session: SessionId) {
          const text = Option.getOrElse(yield* readText(at("labels", `${session}.jsonl`)), () => "")
          const lines = text.split("\n").flatMap((line) => Option.toArray(decodeLabelLine(line)))
          return {
            observations: lines.flatMap((each) => ("run" in each && each.run.session_id === session ? [each.run] : [])),
            findings: lines.flatMap((each) =>
              "finding" in each && each.finding.session_id === session ? [each.finding] : []
            )
          } satisfies Labels
        })

        const addLabels = Effect.fnUntraced(function* ({ findings, observations }: Labels) {
          const lines = [
            ...observations.map((run) => [run.session_id, encodeLabelLine({ run })] as const),
            ...findings.map((finding) => [finding.session_id, encodeLabelLine({ finding })] as const)
          ]
          for (const [session, line] of lines) {
            const path = at("labels", `${session}.jsonl`)
            yield* makeDirectory(at("labels")).pipe(
              Effect.andThen(fs.open(path, { flag: "a", mode: 0o600 })),
              // The leading newline ends a line that a kill left incomplete.
              Effect.flatMap((file) => Effect.andThen(file.writeAll(utf8.encode(`\n${line}\n`)), file.sync)),
              Effect.scoped,
              Effect.mapError(failed(path))
            )
          }
        })

        const sweep = Effect.gen(function* () {
          for (const name of yield* namesIn(at("drafts"))) {
            const info = Option.getOrNull(yield* Effect.option(fs.stat(at("drafts", name))))
            const now = yield* Clock.currentTimeMillis
            const age = now - (Option.getOrUndefined(info?.mtime ?? Option.none())?.getTime() ?? now)
            if (age > longestRun) yield* Effect.option(fs.remove(at("drafts", name), { recursive: true, force: true }))
          }
        })

        return Bundles.of({
          directory,
          pathOf: (session) => `runs/${session}`,
          createDraft,
          sessions: Effect.map(namesIn(at("runs")), (names) =>
            names.flatMap((name) => (isSessionId(name) ? [name] : [])).sort(compareText)
          ),
          manifest: (session) =>
            Effect.map(readText(at("runs", session, "manifest.json")), (text) =>
              // A manifest with another session id does not count.
              text.pipe(
                Option.flatMap(decodeManifest),
                Option.filter(({ session_id }) => session_id === session)
              )
            ),
          exists: (session) => Effect.map(Effect.option(fs.lstat(at("runs", session))), Option.isSome),
          size: Effect.fnUntraced(function* (session) {
            const names = yield* Effect.option(fs.readDirectory(at("runs", session), { recursive: true }))
            const sizes = yield* Effect.forEach(
              Option.getOrElse(names, () => []),
              (name) =>
                Effect.map(Effect.option(fs.lstat(at("runs", session, name))), (info) =>
                  Option.match(info, {
                    onNone: () => 0,
                    onSome: ({ size, type }) => (type === "File" ? Number(size) : 0)
                  })
                )
            )
            return sizes.reduce((sum, size) => sum + size, 0)
          }),
          read: (session, name) => readText(at("runs", session, name)),
          remove: (session) =>
            Effect.forEach([at("runs", session), at("labels", `${session}.jsonl`)], (path) =>
              fs.remove(path, { recursive: true, force: true }).pipe(Effect.mapError(failed(path)))
            ),
          addLabels,
          labels,
          labelled: Effect.map(namesIn(at("labels")), (names) =>
            names
              .flatMap((name) => (name.endsWith(".jsonl") ? [name.slice(0, -".jsonl".length)] : []))
              .filter(isSessionId)
          ),
          sweep
        })
      })
    )
}

/** The directory of a run's trajectory until it is archived, where the run has no other. */
export const recordDraft = (archive: string, session: SessionId): string => `${archive}/drafts/${session}.record`

const utf8 = new TextEncoder()

/** Of an artifact in text. */
const largestText = 32 << 20

/** No run takes longer than a day. */
const longestRun = 24 * 60 * 60 * 1000

const LabelLine = Schema.Union([Schema.Struct({ run: LabelObservation }), Schema.Struct({ finding: FindingLabel })])
const decodeLabelLine = Schema.decodeUnknownOption(Schema.fromJsonString(LabelLine))
const encodeLabelLine = Schema.encodeSync(Schema.fromJsonString(LabelLine))

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** JSON stays JSON, and unchanged if there is nothing to redact. */
const redacted = (name: string, text: string, redactor: Redactor["Service"]): string => {
  const value = name.endsWith(".json") ? parseJson(text) : Option.none()
  if (Option.isNone(value)) return redactor.text(text)
  const safe = JSON.stringify(redactor.value(value.value))
  return safe === JSON.stringify(value.value) ? text : `${safe}\n`
}
