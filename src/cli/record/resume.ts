/** `dd review --resume RUN`: finds the interrupted run, its agents, and the change that it reviewed. */
import { Effect, FileSystem, Layer, Option, Path, Schema } from "effect"
import { usageEvents } from "../../domain/agent/earlierAgent.ts"
import type { Change } from "../../domain/change/Change.ts"
import { type Recording, recordingOf } from "../../domain/record/Recording.ts"
import { AgentArgs, changeDigest } from "../../layers/agent/backend/agentIdentity.ts"
import { contextsIn } from "../../layers/agent/memory/File.ts"
import * as Proc from "../../layers/system/process/Proc.ts"
import type { ResumedRun } from "../../services/agent/ResumedRun.ts"
import { Trajectories } from "../../services/record/Trajectories.ts"
import { UsageWrong } from "../review/reviewFlags.ts"
import { findRun } from "./findRun.ts"

export interface Resumable {
  readonly run: ResumedRun
  readonly recording: Recording
  /** The path of its own trajectory. */
  readonly path: string
  /** The digest of its change. */
  readonly change: string | null
}

const decodeArgs = Schema.decodeUnknownOption(AgentArgs)

export const resumableRun = (given: Option.Option<string>, target: string) =>
  Option.isNone(given)
    ? Effect.succeed(null)
    : Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        const refused = (reason: string) => new UsageWrong({ reason: `--resume: ${reason}` })
        const trajectories = yield* Trajectories
        const path = yield* findRun(given, { target })
        const writer = yield* trajectories.writerOf(path)
        const { root, siblings } = yield* trajectories.read(path)
        const session = root.session_id
        if (writer !== null) {
          return yield* refused(
            `the run ${session} is still running (process ${writer.pid}); wait until it ends, stop it with kill ${writer.pid}, or name another run`
          )
        }
        if (!path.endsWith(".partial") && root.extra?.status !== "inconclusive") {
          return yield* refused(`the run ${session} has ended; there is nothing to resume`)
        }
        const directory = paths.dirname(path)
        const agents = paths.join(directory, "agents")
        const logs = (yield* contextsIn(agents)).flatMap(({ args, context, refs }) =>
          Option.toArray(Option.map(decodeArgs(args), (read) => ({ ...read, context, used: usageEvents(refs) })))
        )
        const [first] = logs
        if (first === undefined) {
          return yield* refused(
            `the run ${session} has no agents to continue in ${agents}; run the review without --resume`
          )
        }
        // Without its own logs, the new run would ask all agents again.
        yield* Effect.mapError(fs.access(paths.dirname(directory), { writable: true }), () =>
          refused(`${paths.dirname(directory)} cannot be written; make it writable, or run the review without --resume`)
        )
        const recording = recordingOf(root, [...siblings.values()])
        const run: ResumedRun = {
          session,
          by: { backend: recording.backend, model: recording.model },
          agents,
          nonce: first.nonce,
          contexts: new Map(logs.map(({ context, used }) => [context, used])),
          answered: new Set(),
          continued: new Set()
        }
        const resumable: Resumable = {
          run,
          recording,
          path,
          change: logs.find(({ change }) => change !== null)?.change ?? null
        }
        return resumable
      }).pipe(Effect.provide(Trajectories.layer.pipe(Layer.provide(Proc.layer))))

/** What an interrupted review has left, for the end of a sentence. */
export const leftBy = Effect.fnUntraced(function* (root: string, session: string, canResume: boolean) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const directory = paths.join(".daydream", "runs", session)
  const exists = (...names: ReadonlyArray<string>) =>
    Effect.orElseSucceed(fs.exists(paths.join(root, directory, ...names)), () => false)
  if (!(yield* exists())) return ""
  if (!canResume || !(yield* exists("agents"))) return `; its record is kept in ${directory}`
  return `; what its agents did is kept in ${directory}, and dd review --resume ${session} continues it, with the other flags of this run`
})

/** Fails if the change is not the one that the run reviewed. */
export const checkResumed = ({ change: known, recording, run }: Resumable, change: Change) =>
  known === null || known === changeDigest(change)
    ? Effect.void
    : Effect.fail(
        new UsageWrong({
          reason: `--resume: the run ${run.session} reviewed ${recording.description}, and the change is not the same now; restore it, choose it with the flags of that run, or run the review without --resume`
        })
      )
