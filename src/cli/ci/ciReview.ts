/** `dd review --ci`: what the job is for, and the formats that its service shows. Loaded only for that. */
import { Effect, Option } from "effect"
import type { Degraded } from "../../domain/change/Degraded.ts"
import { ciServices } from "../../domain/ci/ciServices.ts"
import { ciRange } from "../../services/ci/ciRange.ts"
import { currentJob } from "../../services/ci/currentJob.ts"
import { deepenedRange } from "../../services/ci/deepenedRange.ts"
import { exclusive, type Output, type ReviewFlags, UsageWrong } from "../review/reviewFlags.ts"
import { openAround, targetOf } from "../review/reviewTarget.ts"
import { mayWriteAll } from "../system/mayWrite.ts"

/** Flags of the user have priority over the formats of the service. */
export const ciReview = Effect.fnUntraced(function* (flags: ReviewFlags, asked: ReadonlyArray<Output>) {
  if (!flags.ci) return yield* new UsageWrong({ reason: "--deepen requires --ci" })
  const others = {
    "--branch": Option.isSome(flags.branch),
    "--staged": flags.staged,
    "--commit": Option.isSome(flags.commit),
    "--diff-file": Option.isSome(flags.diffFile),
    "--resume": Option.isSome(flags.resume),
    "--replay": Option.isSome(flags.replay),
    "--loop": Option.isSome(flags.loop)
  }
  for (const [name, isGiven] of Object.entries(others)) yield* exclusive({ "--ci": true, [name]: isGiven })
  const current = yield* currentJob
  if (current === null) return yield* new UsageWrong({ reason: noJob })
  const { job, variable } = current
  const repository = yield* openAround(yield* targetOf(Option.getOrElse(flags.target, () => ".")))
  const base = Option.getOrNull(flags.base)
  const { missing, range } = yield* flags.deepen ? deepenedRange(repository, job, base) : ciRange(repository, job, base)
  const { file, format, summary } = job.service
  const page = summary === undefined ? "" : variable(summary)
  const own: ReadonlyArray<Output> = [
    ...(file === null ? [] : [file]),
    ...(page === "" ? [] : [{ format: "markdown", path: page, isAppended: true } as const])
  ]
  const unwritten: Array<Degraded> = []
  const outputs = [...asked]
  for (const output of own.filter(({ format }) => !asked.some((given) => given.format === format))) {
    const refused = yield* refusal(output)
    if (refused === null) outputs.push(output)
    else unwritten.push({ step: "output", error: "OutputNotWritten", detail: refused })
  }
  return {
    selection: range,
    missing: [...(missing === null ? [] : [missing]), ...unwritten],
    flags: { ...flags, format: Option.orElse(flags.format, () => Option.some(format)) },
    outputs
  }
})

/** Why a file that nobody asked for cannot be written; the review goes on without it. Null if it can. */
const refusal = ({ format, path }: Output) =>
  mayWriteAll([[`--output ${format}=`, path]]).pipe(
    Effect.as(null),
    Effect.catchTag("UsageWrong", ({ reason }) => Effect.succeed(`not written: ${reason}`))
  )

const noJob = `--ci: this is no job of a known service (${[...new Set(ciServices.map(({ name }) => name))].join(", ")}); choose what to review with --base or --commit`
