/** Four nights, whose reports are golden files beside this one. */
import { type Summary, spanOf, summaryOf } from "../../../src/domain/night/Summary.ts"
import { bedtime, extras, iteration, night } from "./summaries.ts"

const metric = (value: number, n: number, lo: number, hi: number) => ({ value, n, lo, hi, state: "ok" })
const few = (n: number) => ({ value: null, n, lo: 0, hi: 1, state: "insufficient" })
const dormant = { value: null, n: 0, lo: 0, hi: 1, state: "dormant" }

const metrics = {
  suppression_precision: metric(0.97, 34, 0.85, 0.99),
  suppression_recall: metric(0.61, 54, 0.48, 0.73),
  retrieval_recall: few(11),
  retrieval_precision: few(11),
  ranking_ap: metric(0.83, 76, 0.75, 0.9),
  calibration: metric(0.34, 76, 0.2, 0.47),
  playbook_success: dormant,
  evidence_integrity: metric(1, 29, 0.88, 1),
  non_redundancy: metric(1, 29, 0.88, 1)
}

const steps = [
  { name: "ingest", status: "done", note: "63 reviews, 214 labels" },
  { name: "iteration-1", status: "done" },
  { name: "iteration-2", status: "done" },
  { name: "morning-packets", status: "done", note: "2 packets" }
] as const

const decide = {
  id: "dream-0d9fa4d5f2e0d7a1",
  rank: 1,
  title: "Decide whether py/mutable-default is wanted",
  type: "task",
  severity: "high",
  confidence: "high",
  why_now: "People accepted 7 of its findings and rejected 6, in 11 reviews.",
  evidence: [
    "shop/cart.py:12, review 3f2c91aa, finding 2: accepted",
    "shop/tests/conftest.py:40, review 91aa00c4, finding 1: rejected",
    "and 11 more labels"
  ],
  target_files: ["shop/cart.py", "shop/tests/conftest.py"],
  likely_tests: [],
  morning_command: "dd dream do dream-0d9fa4d5f2e0d7a1",
  queue_backed: true,
  dd: { condition: "contested-rule", subject: "py/mutable-default", nights: 2 }
} as const

const agents = {
  id: "dream-8fb20ef63ced4145",
  rank: 2,
  title: "Write a convention on sh/unquoted in scripts/ into AGENTS.md",
  type: "docs",
  severity: "low",
  confidence: "high",
  why_now: "People accepted 12 of 12 findings of sh/unquoted in scripts/.",
  evidence: [],
  target_files: [],
  likely_tests: [],
  morning_command: "dd dream do dream-8fb20ef63ced4145",
  queue_backed: false,
  dd: { condition: "convention-mature", subject: "con-0011223344556677", nights: 1 }
} as const

const firstMove =
  'Start with packet 1, "Decide whether py/mutable-default is wanted": `dd dream do dream-0d9fa4d5f2e0d7a1`'
const labelFirst = "Label a few findings: `dd archive label --next` shows those whose label teaches most."

const loop = {
  source: "dd",
  generation_before: 3,
  generation_after: 5,
  reviews: 63,
  ingested: 214,
  promoted: 2,
  expired: 1,
  updated: 1,
  contested: 1,
  suppressions: 8,
  conventions: 19,
  playbooks: 2,
  calibrated_rules: 31,
  added: [
    "Findings of py/mutable-default in shop/generated/ are hidden: people rejected 9 of 9",
    "A convention on sh/unquoted in scripts/: people accepted 12 of 12"
  ],
  removed: ["Findings of ts/floating-promise in web/ are hidden: people rejected 7 of 8"],
  changed: ["How to fix go/error-swallowed: 7 of 8 fixes passed (before: 6 of 6 fixes passed)"]
}

/** Nothing is labelled yet. */
export const firstNight: Summary = summaryOf(
  night({
    ...spanOf(bedtime, bedtime + 640),
    steps: [
      { name: "ingest", status: "done", note: "12 reviews, 0 labels" },
      { name: "morning-packets", status: "skipped", note: "no labels" }
    ],
    close_loop: {
      ...loop,
      generation_before: 0,
      generation_after: 0,
      reviews: 12,
      ingested: 0,
      promoted: 0,
      expired: 0,
      updated: 0,
      contested: 0,
      suppressions: 0,
      conventions: 0,
      playbooks: 0,
      calibrated_rules: 0,
      added: [],
      removed: [],
      changed: []
    },
    dreamscape: {
      weather: "steady",
      visibility: "limited",
      council: "single-voice",
      first_move: labelFirst
    },
    yield: { packet_count_before: 0, packet_count_after: 0, confidence_mix: {}, council_action_delta: "" },
    long_haul: { enabled: false, active: false },
    morning_packets: [],
    iterations: [],
    next_action: labelFirst,
    recommended: ["dd archive label --next"],
    dd: { ...extras, halt_kind: "no-proposals", notes: ["no finding of this repository has a label of a person"] }
  })
)

export const goodNight: Summary = summaryOf(
  night({
    steps,
    close_loop: loop,
    metrics_health: { metrics },
    dreamscape: {
      weather: "steady",
      visibility: "clear",
      council: "single-voice",
      tension: "Decide whether py/mutable-default is wanted",
      first_move: firstMove
    },
    yield: {
      packet_count_before: 1,
      packet_count_after: 2,
      queue_backed_count: 1,
      queue_backed_won: true,
      synthetic_count: 1,
      bead_sync_count: 0,
      top_packet_confidence_before: "high",
      top_packet_confidence_after: "high",
      confidence_mix: { high: 2 },
      council_completed_count: 0,
      council_failed_count: 0,
      council_timeout_count: 0,
      council_recommended_kind: "",
      council_action_delta: ""
    },
    long_haul: { enabled: false, active: false },
    morning_packets: [decide, agents],
    iterations: [
      iteration(1, {
        fitness_before: { composite: 0.712 },
        fitness_after: { composite: 0.744 },
        fitness_delta: 0.032
      }),
      iteration(2, {
        fitness_before: { composite: 0.744 },
        fitness_after: { composite: 0.751 },
        fitness_delta: 0.007
      })
    ],
    fitness_delta: { composite: 0.039, suppression_precision: 0, suppression_recall: 0.11, calibration: 0.02 },
    next_action: firstMove,
    recommended: [decide.morning_command, agents.morning_command, "dd archive label --next"],
    dd: {
      ...extras,
      halt_kind: "no-proposals",
      generation_before: 3,
      generation_after: 5,
      gate_set: "gate-5b7c1e2f",
      notes: []
    }
  })
)

export const haltedNight: Summary = summaryOf(
  night({
    goal: "findings in scripts/",
    steps: [
      { name: "ingest", status: "done", note: "63 reviews, 214 labels" },
      { name: "iteration-1", status: "done" },
      { name: "iteration-2", status: "halted-on-regression-pre-commit" },
      { name: "packet-corroboration", status: "done" },
      { name: "council-claude", status: "done" },
      { name: "council-codex", status: "done" },
      { name: "council-gemini", status: "soft-fail", note: "gemini council timed out after 3m0s" },
      { name: "morning-packets", status: "done", note: "1 packet" }
    ],
    close_loop: { ...loop, generation_after: 4, promoted: 2, expired: 0, removed: [], updated: 0, changed: [] },
    metrics_health: { metrics },
    dreamscape: {
      weather: "storm-front",
      visibility: "clear",
      council: "mixed",
      tension: "codex prefers research: Read the 6 rejected findings first",
      first_move: firstMove
    },
    yield: {
      packet_count_before: 1,
      packet_count_after: 1,
      queue_backed_count: 1,
      queue_backed_won: true,
      synthetic_count: 0,
      confidence_mix: { high: 1 },
      council_completed_count: 2,
      council_failed_count: 1,
      council_timeout_count: 1,
      council_recommended_kind: "",
      council_action_delta: ""
    },
    long_haul: {
      enabled: true,
      active: true,
      trigger_reason: "knowledge brief unavailable",
      exit_reason: "no additional long-haul probes available",
      probe_count: 2,
      zero_delta_probe_streak: 1
    },
    morning_packets: [decide],
    council: {
      requested_runners: ["claude", "codex", "gemini"],
      completed_runners: ["claude", "codex"],
      failed_runners: ["gemini"],
      consensus_policy: "majority",
      consensus_kind: "",
      recommended_first_action: "",
      reports: [],
      disagreements: [
        "claude prefers repair: Disable the rule in tests",
        "codex prefers research: Read the 6 rejected findings first"
      ],
      wildcard_ideas: ["claude: Ask the author of conftest.py"]
    },
    iterations: [
      iteration(1, { fitness_before: { composite: 0.712 }, fitness_after: { composite: 0.744 }, fitness_delta: 0.032 }),
      iteration(2, {
        status: "halted-on-regression-pre-commit",
        fitness_before: { composite: 0.744 },
        fitness_after: { composite: 0.688 },
        fitness_delta: -0.056
      })
    ],
    fitness_delta: { composite: 0.032 },
    regression_reason:
      "iteration 2: suppression_precision fell by 0.12 (floor 0.02), and the same findings show it (p = 0.01)",
    degraded: ["gemini council timed out after 3m0s"],
    next_action: firstMove,
    recommended: [decide.morning_command],
    dd: {
      ...extras,
      halt_kind: "regression",
      generation_before: 3,
      generation_after: 4,
      gate_set: "gate-5b7c1e2f"
    }
  })
)

export const failedNight: Summary = summaryOf(
  night({
    ...spanOf(bedtime, bedtime + 4_000),
    status: "failed",
    steps: [
      { name: "ingest", status: "failed", note: "the index of the archive is damaged" },
      { name: "morning-packets", status: "skipped" }
    ],
    degraded: ["ingest: the index of the archive is damaged; dd archive rebuild-index makes it again"],
    failure_reason: "the index of the archive is damaged",
    next_action: "Read what failed, then run `dd dream start` again.",
    recommended: ["dd archive rebuild-index", "dd dream start"],
    dd: extras
  })
)
