/**
 * `dd dream do`: shows a morning packet with what is needed to settle it, after checking that it is still worth doing. It writes
 * nothing.
 */
import { Effect, Layer, Runtime, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import type { MorningPacket } from "../../domain/night/Packet.ts"
import { casesOf } from "../../domain/night/report/conditions.ts"
import type { Summary } from "../../domain/night/Summary.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import * as ArchiveLive from "../../layers/ArchiveLive.ts"
import { openArchive } from "../../programs/archive.ts"
import { Git } from "../../services/change/Git.ts"
import { Corpus } from "../../services/night/Corpus.ts"
import { LabelledReviews } from "../../services/night/LabelledReviews.ts"
import { morningFacts } from "../../services/night/morningFacts.ts"
import { archiveDirectory } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { DreamUsage } from "../dream/dreamHome.ts"
import { rootsOf } from "../record/findRun.ts"
import { writeOut } from "../system/writeOut.ts"
import { listed } from "../text/Tally.ts"
import { corpusHere } from "./corpusHere.ts"
import { fromFlag, reportFrom } from "./latestReport.ts"
import { foreignGuide, guideOf, packetText } from "./PacketGuide.ts"

export class PacketUnknown extends Schema.TaggedError<PacketUnknown>()("PacketUnknown", {
  packet: Schema.String,
  run: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    const has = this.known.length === 0 ? "" : `: it has ${listed(this.known)}`
    return `the night ${this.run} has no packet ${oneLine(this.packet)}${has}`
  }
}

const packet = Argument.String("packet").pipe(
  Argument.withDescription("The id of a morning packet, its beginning, or its number in the report")
)

export const doCommand = Command.make("do", { packet, from: fromFlag }).pipe(
  Command.withDescription("Show what a morning packet needs, if it is still worth doing; changes nothing"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ from, packet }) {
      const summary = yield* reportFrom(from)
      const found = yield* packetIn(summary, packet)
      const { words } = yield* Redactor
      yield* writeOut(words(`${[...packetText(found), "", ...(yield* guide(found))].join("\n")}\n`))
    })
  ),
  Command.withExamples([
    { command: "dd dream do dream-0d9fa4d5f2e0d7a1", description: "The packet with this id" },
    { command: "dd dream do 1", description: "The first packet of the newest report" }
  ])
)

const packetIn = Effect.fnUntraced(function* ({ morning_packets: packets = [], run_id }: Summary, given: string) {
  const wanted = given.trim().toLowerCase()
  const matching = packets.filter(
    ({ id, rank }) =>
      String(rank) === wanted || (wanted.length > 3 && (id.startsWith(wanted) || id.startsWith(`dream-${wanted}`)))
  )
  const [only] = matching
  if (only !== undefined && matching.length === 1) return only
  return yield* new PacketUnknown({ packet: given, run: oneLine(run_id), known: packets.map(({ id }) => oneLine(id)) })
})

const guide = Effect.fnUntraced(function* (packet: MorningPacket) {
  const { dd } = packet
  if (dd === undefined) return foreignGuide(packet)
  const facts = yield* factsHere
  const found = casesOf(facts).find(({ condition, subject }) => condition === dd.condition && subject === dd.subject)
  return found === undefined
    ? ["It is settled: what made it worth doing no longer holds."]
    : [...(found.why === packet.why_now ? [] : [`Now: ${found.why}`, ""]), ...guideOf(found, facts)]
})

const factsHere = Effect.gen(function* () {
  const directory = yield* archiveDirectory
  if (directory === null) {
    return yield* new DreamUsage({ reason: "there is no home directory: set HOME, DD_HOME or DAYDREAM_ARCHIVE_DIR" })
  }
  const repository = yield* (yield* Git).open(".")
  const { root } = repository
  if (root === null) return yield* new DreamUsage({ reason: "this repository has no working tree: run dd in one" })
  const archive = ArchiveLive.layer(directory)
  const labels = LabelledReviews.layer(repository, yield* rootsOf()).pipe(Layer.provideMerge(archive))
  const reviews = yield* Effect.andThen(
    openArchive(),
    LabelledReviews.use(({ read }) => read)
  ).pipe(Effect.provide(labels))
  const generation = yield* Effect.provide(
    Corpus.use(({ current }) => current),
    corpusHere
  )
  return yield* morningFacts({ ...repository, root }, generation, reviews.reviews)
})
