/** `dd review --replay RUN`: which recorded run answers, and what it was a review of. */
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import type { Change, Selection } from "../../domain/change/Change.ts"
import { type Recording, recordingOf } from "../../domain/record/Recording.ts"
import * as Proc from "../../layers/system/process/Proc.ts"
import { Git } from "../../services/change/Git.ts"
import { Trajectories } from "../../services/record/Trajectories.ts"
import { UsageWrong } from "../review/reviewFlags.ts"
import { dollars } from "../text/amounts.ts"
import { findRun } from "./findRun.ts"

export interface Replay {
  readonly recording: Recording
  /** Where its own trajectory is. */
  readonly path: string
}

/** Null when none was asked for. */
export const replayOf = (run: Option.Option<string>, target: string, allRepos: boolean) =>
  Option.match(run, {
    onNone: () => Effect.succeed(null),
    onSome: () =>
      Effect.gen(function* () {
        const trajectories = yield* Trajectories
        // A replay says what was said before: the newest run is the one in which it was said.
        const isFirst = (path: string) =>
          trajectories.read(path).pipe(
            Effect.map(({ root }) => root.extra?.backend !== "replay"),
            Effect.orElseSucceed(() => true)
          )
        const path = yield* findRun(run, { target, allRepos, counts: isFirst })
        const { root, siblings } = yield* trajectories.read(path)
        const replay: Replay = { recording: recordingOf(root, [...siblings.values()]), path }
        if (replay.recording.calls.size === 0) {
          return yield* new UsageWrong({ reason: `--replay: in ${path} no agent was asked` })
        }
        return replay
      }).pipe(Effect.provide(Trajectories.layer.pipe(Layer.provide(Proc.layer))))
  })

/**
 * The change that the recording is of, where it can be had: the same commits, the working tree against the same base,
 * or the patch that the archive keeps beside the record. With the change's own description, where it is the same.
 */
export const recordedSelection = Effect.fnUntraced(function* ({ path, recording }: Replay, target: string) {
  const git = yield* Git
  const { base, head } = recording
  const repository = yield* Effect.option(git.open(target))
  const isHere = (revision: string | null) =>
    Option.isNone(repository) || revision === null || !isSha(revision)
      ? Effect.succeed(false)
      : Effect.map(Effect.option(git.resolve(repository.value, revision)), Option.isSome)
  const selection: Selection | null =
    head !== null && (yield* isHere(head))
      ? base === "empty"
        ? { _tag: "Commit", commit: head }
        : base !== null && (yield* isHere(base))
          ? { _tag: "Branch", branch: head, base }
          : null
      : base !== null && (yield* isHere(base)) && head === "worktree"
        ? { _tag: "Base", base }
        : head === "index"
          ? { _tag: "Staged" }
          : null
  if (selection !== null) return { selection, description: recording.description }
  return yield* keptPatch(path).pipe(
    Effect.mapError(
      () =>
        new UsageWrong({
          reason: `--replay: what ${recording.sessionId} reviewed (${recording.description}) is not here; say what to review with --base, --commit or --diff-file`
        })
    )
  )
})

const isSha = (revision: string): boolean => /^[0-9a-f]{40,64}$/.test(revision)

/** The patch in an archived run, beside its record. */
const keptPatch = Effect.fnUntraced(function* (record: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = paths.join(paths.dirname(record), "diff.patch")
  const text = yield* fs.readFile(file)
  const selection: Selection = { _tag: "Patch", origin: file, text }
  return { selection, description: null }
})

/** Nobody should take what a model said once for what it would say now. */
export const replayNotes = ({ recording }: Replay, change: Change): ReadonlyArray<string> => {
  const { backend, costUsd, description, model, sessionId } = recording
  const who = [backend, model].filter((each) => each !== "").join(", ")
  const cost = costUsd === null || costUsd === 0 ? "" : ` It cost ${dollars(costUsd)} then.`
  return [
    `Replayed from the recorded run ${sessionId}${who === "" ? "" : ` (${who})`}: nobody was asked, nothing was spent.${cost}`,
    ...(description === "" || description === change.description
      ? []
      : [`The recording is of ${description}; this is ${change.description}.`])
  ]
}
