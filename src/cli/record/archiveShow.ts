/** `dd archive show RUN`. */
import { Effect, Option, Path, Schema } from "effect"
import { Command } from "effect/cli"
import { Evaluation } from "../../domain/record/Evaluation.ts"
import { decodeFindingsFile } from "../../domain/review/FindingsFile.ts"
import * as PagerProgram from "../../layers/system/pager/Program.ts"
import { openArchive, withEnd } from "../../programs/archive.ts"
import { ArchiveIndex } from "../../services/record/ArchiveIndex.ts"
import { Bundles } from "../../services/record/Bundles.ts"
import { Trajectories } from "../../services/record/Trajectories.ts"
import { showText } from "../system/showText.ts"
import { writeOut } from "../system/writeOut.ts"
import { jsonFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { archivedRun, runArgument } from "./archiveFlags.ts"
import { allReposFlag } from "./findRun.ts"
import { runStory } from "./RunStory.ts"
import { terminalPage } from "./terminalPage.ts"

const decodeEvaluation = Schema.decodeUnknownOption(Schema.fromJsonString(Evaluation))

export const archiveShow = Command.make("show", {
  run: runArgument,
  allRepos: allReposFlag,
  json: jsonFlag
}).pipe(
  Command.withDescription("Show a run: its steps with time and cost, its findings, and what was dropped and why"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allRepos, json, run }) {
      yield* openArchive()
      const index = yield* ArchiveIndex
      const bundles = yield* Bundles
      const trajectories = yield* Trajectories
      const paths = yield* Path.Path
      const row = yield* withEnd(yield* archivedRun(run, allRepos))
      const session = row.session_id
      const labels = yield* index.labels([session], null)
      const manifest = Option.getOrNull(yield* bundles.manifest(session))
      const findings = Option.getOrNull(
        Option.flatMap(yield* bundles.read(session, "findings.json"), decodeFindingsFile)
      )
      if (json) {
        const evaluation = Option.getOrNull(
          Option.flatMap(yield* bundles.read(session, "evaluation.json"), decodeEvaluation)
        )
        return yield* writeOut(
          `${plainJson({ schema_version: 1, run: row, manifest, findings, evaluation, labels }, 2)}\n`
        )
      }
      const directory = paths.join(bundles.directory, bundles.pathOf(session))
      const record = yield* trajectories.find(directory, []).pipe(
        Effect.flatMap((file) => trajectories.read(file)),
        Effect.catchTags({
          TrajectoryNotFound: () => Effect.succeed("absent" as const),
          TrajectoryUnreadable: () => Effect.succeed("unreadable" as const)
        })
      )
      const story = { row, manifest, findings, labels, directory, record }
      yield* showText(runStory(story, yield* terminalPage))
    })
  ),
  Command.provide(PagerProgram.layer),
  Command.withExamples([{ command: "dd archive show latest", description: "The last review" }])
)
