/** `dd review --replay RUN`: finds the recorded run, and the change that it reviewed. */
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
  /** The path of its own trajectory. */
  readonly path: string
}

export const replayOf = (run: Option.Option<string>, target: string, allRepos: boolean) =>
  Option.match(run, {
    onNone: () => Effect.succeed(null),
    onSome: () =>
      Effect.gen(function* () {
        const trajectories = yield* Trajectories
        // Replays are also recorded; `latest` is the newest run that is not a replay.
        const isFirst = (path: string) =>
          trajectories.read(path).pipe(
            Effect.map(({ root }) => root.extra?.backend !== "replay"),
            Effect.orElseSucceed(() => true)
          )
        const path = yield* findRun(run, { target, allRepos, counts: isFirst })
        const { root, siblings } = yield* trajectories.read(path)
        const replay: Replay = { recording: recordingOf(root, [...siblings.values()]), path }
        if (replay.recording.calls.size === 0) {
          return yield* new UsageWrong({ reason: `--replay: ${path} contains no agent calls` })
        }
        return replay
      }).pipe(Effect.provide(Trajectories.layer.pipe(Layer.provide(Proc.layer))))
  })

/**
 * The change that was recorded: the same commits, the working tree against the same base, or the archived patch. With the
 * recorded description if the commits are the same.
 */
export const recordedSelection = Effect.fnUntraced(function* (
  { path, recording }: Replay,
  target: string,
  flag = "--replay"
) {
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
          reason: `${flag}: the change that ${recording.sessionId} reviewed (${recording.description}) is not in this repository; choose one with --base, --commit or --diff-file`
        })
    )
  )
})

const isSha = (revision: string): boolean => /^[0-9a-f]{40,64}$/.test(revision)

/** The patch in the directory of an archived run. */
const keptPatch = Effect.fnUntraced(function* (record: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = paths.join(paths.dirname(record), "diff.patch")
  const text = yield* fs.readFile(file)
  const selection: Selection = { _tag: "Patch", origin: file, text }
  return { selection, description: null }
})

/** A replay must not be mistaken for a new review. */
export const replayNotes = ({ recording }: Replay, change: Change): ReadonlyArray<string> => {
  const { backend, costUsd, description, model, sessionId } = recording
  const who = [backend, model].filter((each) => each !== "").join(", ")
  const cost = costUsd === null || costUsd === 0 ? "" : ` It cost ${dollars(costUsd)} then.`
  return [
    `Replayed from the recorded run ${sessionId}${who === "" ? "" : ` (${who})`}: no model was called, and nothing was spent.${cost}`,
    ...(description === "" || description === change.description
      ? []
      : [`The recording is of ${description}; this is ${change.description}.`])
  ]
}
