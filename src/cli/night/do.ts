/**
 * `dd dream do`: shows a morning packet with what is needed to settle it, after checking that it is still worth doing. It writes
 * nothing but the labels that the user gives.
 */

import { Console, Effect, Runtime, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import type { MorningPacket } from "../../domain/night/Packet.ts"
import { casesOf, mostRequests } from "../../domain/night/report/conditions.ts"
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
import { rootsOf } from "../record/findRun.ts"
import { labelNext } from "../record/labelNext.ts"
import { CallRefused } from "../system/CallRefused.ts"
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
  Command.withDescription("Show what a morning packet needs, if it is still worth doing; edits no file"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ from, packet }) {
      const summary = yield* reportFrom(from)
      const found = yield* packetIn(summary, packet)
      const { words } = yield* Redactor
      const show = (lines: ReadonlyArray<string>) => Console.log(words(lines.join("\n")))
      if (found.dd === undefined) return yield* show([...packetText(found), "", ...foreignGuide(found)])
      const archive = yield* archiveHere
      yield* Effect.gen(function* () {
        const { holding, lines } = yield* guide(found)
        yield* show([...packetText(found), "", ...lines])
        if (holding?.condition === "label-request") yield* labelNext(mostRequests, false)
      }).pipe(Effect.provide(archive))
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

/** The case as it is today; null: its condition no longer holds. */
const guide = Effect.fnUntraced(function* ({ dd, why_now }: MorningPacket) {
  const facts = yield* factsHere
  const holding =
    casesOf(facts).find(({ condition, subject }) => condition === dd?.condition && subject === dd.subject) ?? null
  if (holding === null) return { holding, lines: ["It is settled: what made it worth doing no longer holds."] }
  const change = holding.why === why_now ? [] : [`Now: ${holding.why}`, ""]
  return { holding, lines: [...change, ...guideOf(holding, facts)] }
})

const archiveHere = Effect.gen(function* () {
  const directory = yield* archiveDirectory
  if (directory !== null) return ArchiveLive.layer(directory)
  return yield* new CallRefused({ reason: "there is no home directory: set HOME, DD_HOME or DAYDREAM_ARCHIVE_DIR" })
})

const factsHere = Effect.gen(function* () {
  const repository = yield* (yield* Git).open(".")
  const { root } = repository
  if (root === null) return yield* new CallRefused({ reason: "this repository has no working tree: run dd in one" })
  yield* openArchive()
  const { reviews } = yield* LabelledReviews.use(({ read }) => read).pipe(
    Effect.provide(LabelledReviews.layer(repository, yield* rootsOf()))
  )
  const generation = yield* Effect.provide(
    Corpus.use(({ current }) => current),
    corpusHere
  )
  return yield* morningFacts({ ...repository, root }, generation, reviews)
})
