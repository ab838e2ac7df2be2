/**
 * The directory of one night: its report, its iterations, its packets and its log.
 *
 * A file is written next to its place, flushed, renamed over it, and its directory is flushed: a reader, and the next start of a
 * machine that lost power, find the old file or the new one. The directory and those in it are no links, and neither are
 * those on the way of one that is given relative to the working directory. Directories have mode 0700, files 0600. Secrets and names of users are hidden, but not
 * in the paths that the contract asks for. All drafts are in the directory itself, so that its next use finds those of a killed night.
 */
import { Context, Effect, FileSystem, Layer, Option, Path, Random, Runtime, Schema } from "effect"
import contract from "../../../docs/night.md" with { type: "text" }
import { type MorningPacket, packetFileName } from "../../domain/night/Packet.ts"
import type { IterationFile } from "../../domain/night/rehydration.ts"
import { packetsMarkdown, summaryMarkdown } from "../../domain/night/report/summaryMarkdown.ts"
import {
  encodeIteration,
  encodeSummary,
  type IterationSummary,
  type Summary,
  type SummaryFields,
  summaryOf
} from "../../domain/night/Summary.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { Redactor } from "../secret/Redactor.ts"
import { systemErrorCode, systemErrorText } from "../system/systemErrorText.ts"
import { NightFileUnusable } from "./NightFileUnusable.ts"

/** A directory in which a night may not write. */
export class OutputRefused extends Schema.TaggedError<OutputRefused>()("OutputRefused", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `no report can be written to ${this.path}: ${this.reason}`
  }
}

export class NightFiles extends Context.Service<
  NightFiles,
  {
    /** Absolute. */
    readonly directory: string
    /** Of the log. */
    readonly logPath: string
    /** Of the document that describes nights and their reports, written with each report. */
    readonly contractPath: string
    /** The files that it wrote or found so far, by the names of the contract. */
    readonly artifacts: Effect.Effect<Readonly<Record<string, string>>>
    /** Finds the files that a run, which was killed, wrote: those of its directory since its start (milliseconds since 1970). */
    readonly find: (run: string, since: number) => Effect.Effect<void>
    /** Writes `summary.json` and, made from it, `summary.md`. */
    readonly report: (summary: SummaryFields) => Effect.Effect<void, NightFileUnusable>
    /** Writes `iter-N.json`, and the marker of an iteration that counts and was flagged. */
    readonly iteration: (run: string, iteration: IterationSummary) => Effect.Effect<void, NightFileUnusable>
    /** The files of the iterations of a run, by name. */
    readonly iterations: (run: string) => Effect.Effect<ReadonlyArray<IterationFile>, NightFileUnusable>
    /** Replaces `morning-packets/`, and gives the packets with their places and without secrets. */
    readonly packets: (
      packets: ReadonlyArray<MorningPacket>
    ) => Effect.Effect<ReadonlyArray<MorningPacket>, NightFileUnusable>
    /** Any other document, such as `council/synthesis.json`, without secrets. Gives its place. */
    readonly document: (name: string, value: unknown) => Effect.Effect<string, NightFileUnusable>
    /** Adds a line to the log. */
    readonly log: (line: string) => Effect.Effect<void, NightFileUnusable>
  }
>()("dd/services/night/NightFiles") {
  /** Creates the directory. `pointer`: the file that names the newest one that has a report; null: there is none. */
  static readonly layer = (directory: string, pointer: string | null) =>
    Layer.effect(
      NightFiles,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        const redactor = yield* Redactor
        const top = yield* ownDirectory(directory)
        const at = (name: string) => paths.join(top, name)
        const written = <A, E, R>(path: string, self: Effect.Effect<A, E, R>) =>
          Effect.mapError(self, NightFileUnusable.of(path))

        const sync = (path: string) =>
          Effect.scoped(Effect.flatMap(fs.open(path), (file) => file.sync)).pipe(
            // Some file systems cannot flush a directory.
            Effect.catchIf(
              (error) => ["EINVAL", "EISDIR", "EPERM"].includes(systemErrorCode(error)),
              () => Effect.void
            )
          )

        /** Creates the directories of a name in `top`. */
        const folderOf = Effect.fnUntraced(function* (name: string) {
          let folder = top
          for (const part of name.split("/").slice(0, -1)) {
            folder = paths.join(folder, part)
            yield* Effect.catchIf(
              fs.makeDirectory(folder, { mode: 0o700 }),
              (error) => systemErrorCode(error) === "EEXIST",
              () => Effect.void
            )
            const isLink = Option.isSome(yield* Effect.option(fs.readLink(folder)))
            if (isLink) return yield* new NightFileUnusable({ path: folder, reason: "it is a link" })
          }
          return folder
        })

        const replace = Effect.fnUntraced(function* (target: string, text: string, beside: string) {
          const draft = `${beside}.${yield* Random.nextIntBetween(0, 2 ** 32)}.draft`
          yield* fs.open(draft, { flag: "wx", mode: 0o600 }).pipe(
            Effect.flatMap((file) => Effect.andThen(file.writeAll(new TextEncoder().encode(text)), file.sync)),
            Effect.scoped,
            Effect.andThen(fs.rename(draft, target)),
            Effect.onError(() => Effect.option(fs.remove(draft, { force: true })))
          )
          yield* sync(paths.dirname(target))
        })

        const artifacts = new Map<string, string>()
        const keep = (name: string) => void artifacts.set(artifactKey(name), at(name))

        const write = Effect.fnUntraced(function* (name: string, text: string) {
          const target = at(name)
          yield* written(target, Effect.andThen(folderOf(name), replace(target, text, at(draftStem))))
          keep(name)
          return target
        })

        let isNamed = false
        /** Once there is a report. */
        const name = Effect.fnUntraced(function* (pointer: string) {
          if (isNamed) return
          const folder = fs.makeDirectory(paths.dirname(pointer), { recursive: true, mode: 0o700 })
          yield* written(pointer, Effect.andThen(folder, replace(pointer, `${top}\n`, pointer)))
          isNamed = true
        })

        const report = Effect.fn("NightFiles.report")(function* (fields: SummaryFields) {
          const summary = withPathsOf(fields, redactor.value(summaryOf(fields)))
          if (summary === null) {
            return yield* new NightFileUnusable({ path: at("summary.json"), reason: secretsLeft })
          }
          yield* write("summary.json", encodeSummary(summary))
          yield* write("summary.md", summaryMarkdown(summary))
          if (!artifacts.has("contract")) yield* write(contractName, contract)
          if (pointer !== null) yield* name(pointer)
        })

        /** Numbers and names: of its texts, only these two may have a secret. */
        const withoutSecrets = (given: IterationSummary): IterationSummary => ({
          ...given,
          ...(given.error === undefined ? {} : { error: redactor.text(given.error) }),
          ...(given.degraded === undefined ? {} : { degraded: given.degraded.map(redactor.text) })
        })

        const iteration = Effect.fn("NightFiles.iteration")(function* (run: string, given: IterationSummary) {
          yield* write(`${run}/iterations/iter-${given.index}.json`, encodeIteration(withoutSecrets(given)))
          if (given.status !== "halted-on-regression-post-commit") return
          yield* write(`${run}/iterations/committed-but-flagged.iter-${given.index}.marker`, "")
        })

        const iterations = Effect.fn("NightFiles.iterations")(function* (run: string) {
          const folder = at(`${run}/iterations`)
          const names = yield* written(
            folder,
            Effect.catchIf(
              fs.readDirectory(folder),
              (error) => systemErrorCode(error) === "ENOENT",
              () => Effect.succeed([])
            )
          )
          const numbered = names
            .flatMap((name) => {
              const index = /^iter-([1-9]\d*)\.json$/.exec(name)?.[1]
              return index === undefined ? [] : [{ name, index: Number(index) }]
            })
            .toSorted((a, b) => a.index - b.index)
          for (const { name } of numbered) keep(`${run}/iterations/${name}`)
          return yield* Effect.forEach(numbered, ({ name }) =>
            Effect.map(Effect.option(fs.readFileString(paths.join(folder, name))), (text) => ({
              name,
              text: Option.getOrNull(text)
            }))
          )
        })

        const packets = Effect.fn("NightFiles.packets")(function* (given: ReadonlyArray<MorningPacket>) {
          const folder = at("morning-packets")
          const shown = redactor.value(given)
          if (typeof shown === "string") return yield* new NightFileUnusable({ path: folder, reason: secretsLeft })
          yield* written(folder, fs.remove(folder, { recursive: true, force: true }))
          for (const [key, path] of artifacts) if (paths.dirname(path) === folder) artifacts.delete(key)
          const placed = shown.map((packet) => ({
            ...packet,
            artifact_path: paths.join(folder, packetFileName(packet))
          }))
          for (const packet of placed) {
            yield* write(`morning-packets/${packetFileName(packet)}`, `${encoded(packet)}\n`)
          }
          yield* write("morning-packets/index.json", `${encoded({ packets: placed })}\n`)
          if (placed.length > 0) yield* write("morning-packets/index.md", packetsMarkdown(placed))
          return placed
        })

        const find = Effect.fn("NightFiles.find")(function* (run: string, since: number) {
          for (const folder of ["", "council/", "morning-packets/", `${run}/iterations/`]) {
            const names = Option.getOrElse(yield* Effect.option(fs.readDirectory(at(folder))), () => [])
            for (const name of names.filter((each) => /\.(?:json|log|marker|md)$/.test(each))) {
              const info = yield* Effect.option(fs.stat(at(`${folder}${name}`)))
              const time = Option.getOrNull(Option.flatMap(info, ({ mtime }) => mtime))?.getTime() ?? 0
              // The directory may have documents of earlier nights.
              if (time > since - clockTick) keep(`${folder}${name}`)
            }
          }
        })

        const log = (line: string) => {
          const place = at(logName)
          keep(logName)
          return fs.open(place, { flag: "a", mode: 0o600 }).pipe(
            Effect.flatMap((file) =>
              file.writeAll(new TextEncoder().encode(`${redactor.text(line.replaceAll(/[\r\n]+/g, " "))}\n`))
            ),
            Effect.scoped,
            (self) => written(place, self)
          )
        }

        return NightFiles.of({
          directory: top,
          logPath: at(logName),
          contractPath: at(contractName),
          artifacts: Effect.sync(() => Object.fromEntries([...artifacts].sort(([a], [b]) => compareText(a, b)))),
          find,
          report,
          iteration,
          iterations,
          packets,
          document: (name, value) => write(name, `${encoded(redactor.value(value))}\n`),
          log
        })
      })
    )
}

/** Beside the lock of a corpus: the directory with one directory for each run, and the file that names the newest one. */
export const nightPlaces = (lockPath: string) => {
  const folder = lockPath.replace(/[\\/][^\\/]*$/, "")
  return { runs: `${folder}/runs`, latest: `${folder}/latest` }
}

/** The paths that the contract asks for are kept whole; null if the summary could not be redacted. */
const withPathsOf = (fields: SummaryFields, redacted: Summary | string): Summary | null => {
  if (typeof redacted === "string") return null
  const { artifacts, morning_packets: packets, output_dir, repo_root } = fields
  const { lock_path, log_path, process_contract_doc, report_contract_doc } = fields.runtime
  return {
    ...redacted,
    ...{ artifacts, output_dir, repo_root },
    runtime: { ...redacted.runtime, lock_path, log_path, process_contract_doc, report_contract_doc },
    ...(redacted.morning_packets === undefined
      ? {}
      : {
          morning_packets: redacted.morning_packets.map((packet, nth) => {
            const path = packets?.[nth]?.artifact_path
            return path === undefined ? packet : { ...packet, artifact_path: path }
          })
        })
  }
}

/** File systems give a file the time of the last tick of the kernel's clock (ms). */
const clockTick = 10

const logName = "overnight.log"
const contractName = "contract.md"
const secretsLeft = "its secrets could not be hidden"

/** Its name in the contract: `council_claude` for `council/claude.json`, `iteration_2` for `RUN/iterations/iter-2.json`. */
const artifactKey = (name: string): string => {
  const known: Readonly<Record<string, string>> = {
    "summary.md": "summary_markdown",
    "summary.json": "summary_json",
    [logName]: "overnight_log",
    [contractName]: "contract",
    "retrieval-bench.json": "retrieval_live",
    "morning-packets/index.json": "morning_packets_json",
    "morning-packets/index.md": "morning_packets_markdown"
  }
  const [, of, index] = /\/iterations\/(iter|committed-but-flagged\.iter)-(\d+)\.\w+$/.exec(name) ?? []
  const [, packet] = /^morning-packets\/(\d+)-/.exec(name) ?? []
  if (of !== undefined) return `${of === "iter" ? "iteration" : "committed_but_flagged"}_${index}`
  if (packet !== undefined) return `morning_packet_${Number(packet)}`
  return known[name] ?? name.replace(/\.json$/, "").replaceAll(/[/-]/g, "_")
}

const encoded = (value: unknown): string => JSON.stringify(value, null, 2)

/**
 * Creates the directory of a night, and its parents, or removes the drafts of a killed one. Refuses one that leads elsewhere, and one
 * with files of another kind.
 */
const ownDirectory = Effect.fnUntraced(function* (given: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const refused = (reason: string) => new OutputRefused({ path: given, reason })
  const settled = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.mapError(self, (error) => refused(systemErrorText(error)))
  if (given === "") return yield* refused("it has no name")
  const top = paths.resolve(yield* settled(fs.realPath(".")), given)
  if (Option.isSome(yield* Effect.option(fs.readLink(top)))) return yield* refused("it is a link")
  const known = yield* Effect.option(fs.readDirectory(top))
  if (Option.exists(known, (names) => names.length > 0 && !names.some(isOfNight))) {
    return yield* refused("it has files that no night wrote")
  }
  yield* settled(fs.makeDirectory(top, { recursive: true, mode: 0o700 }))
  const real = yield* settled(fs.realPath(top))
  if (!paths.isAbsolute(given) && real !== top) return yield* refused(`it leads through a link to ${real}`)
  yield* settled(fs.chmod(real, 0o700))
  const drafts = (yield* settled(fs.readDirectory(real))).filter(isDraft)
  yield* settled(Effect.forEach(drafts, (name) => fs.remove(paths.join(real, name), { force: true })))
  return real
})

const draftStem = "dd-night"
const isDraft = (name: string): boolean => /^dd-night\.\d+\.draft$/.test(name)

/** A night that was killed at once leaves only the draft of its first report. */
const isOfNight = (name: string): boolean => name === "summary.json" || name === "overnight.log" || isDraft(name)
