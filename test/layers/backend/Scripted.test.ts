import { Effect } from "effect"
import type { replies } from "../../../src/domain/Task.ts"
import * as Scripted from "../../../src/layers/backend/Scripted.ts"
import { backendContract } from "../../support/backendContract.ts"
import { everyTask } from "../../support/builders.ts"

const said = {
  Intent: { intent: "Open a file." },
  Alternatives: { issues: [] },
  StackReview: { review: "", issues: [] },
  ParseReview: { issues: [] },
  Arbitrate: { findings: [{ arb_id: 1, keep: true }] },
  Merge: { notes: [] }
} satisfies Record<keyof typeof replies, object>

backendContract(
  "scripted",
  Scripted.layer((task) => Effect.succeed(said[task._tag])),
  everyTask
)
