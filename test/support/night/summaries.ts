/** Summaries of nights, as a run would report them. */
import type { IterationSummary, SummaryFields } from "../../../src/domain/night/Summary.ts"
import { spanOf } from "../../../src/domain/night/Summary.ts"

/** 2026-01-31, 01:30 UTC. */
export const bedtime = Date.UTC(2026, 0, 31, 1, 30)
const run = "20260131T013000Z"
const directory = `/home/ada/.daydream/night/5b7c/runs/${run}`

export const extras: NonNullable<SummaryFields["dd"]> = {
  halt_kind: null,
  budget_exhausted: false,
  generation_before: 0,
  generation_after: 0,
  gate_set: null,
  throughput_stalled: false,
  sealed_looks: 0,
  notes: []
}

/** A night that took as long as it took, with nothing in it. */
export const night = (given: Partial<SummaryFields> = {}, minutes = 12): SummaryFields => ({
  mode: "dream.local-bedtime",
  run_id: run,
  goal: "",
  repo_root: "/home/ada/shop",
  output_dir: directory,
  status: "done",
  dry_run: false,
  ...spanOf(bedtime, bedtime + minutes * 60_000),
  runtime: {
    keep_awake: true,
    keep_awake_mode: "systemd-inhibit",
    requested_timeout: "8h",
    effective_timeout: "8h0m0s",
    lock_path: "/home/ada/.daydream/night/5b7c/lock",
    log_path: `${directory}/overnight.log`,
    process_contract_doc: "docs/dream.md",
    report_contract_doc: "docs/dream.md"
  },
  steps: [],
  artifacts: { summary_json: `${directory}/summary.json`, summary_markdown: `${directory}/summary.md` },
  recommended: [],
  next_action: "Nothing needs you this morning.",
  ...given
})

export const iteration = (index: number, given: Partial<IterationSummary> = {}): IterationSummary => ({
  id: `${run}-iter-${index}`,
  index,
  ...spanOf(bedtime + index * 60_000, bedtime + index * 60_000 + 42_500),
  status: "done",
  fitness_delta: 0,
  ...given
})
