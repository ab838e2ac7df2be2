import { Effect } from "effect"
import type { replies } from "../../src/domain/agent/Task.ts"
import { backendContract, blocked } from "./backendContract.ts"
import { everyTask } from "./builders.ts"
import * as Scripted from "./ScriptedBackend.ts"

const said = {
  Intent: { intent: "Open a file." },
  Alternatives: { issues: [] },
  StackReview: { review: "", issues: [] },
  ParseReview: { issues: [] },
  Arbitrate: { findings: [{ arb_id: 1, keep: true }] },
  Merge: { notes: [] },
  Verify: {
    verdicts: [{ issue_id: 1, evidence: "src/a.py:2", unverified_assumptions: [], verdict: "consistent" }]
  },
  Fix: { outcomes: [{ issue_id: 1, note: "Closed it.", status: "fixed" }] }
} satisfies Record<keyof typeof replies, object>

const answer: Scripted.Script = (task) => Effect.succeed(said[task._tag])

backendContract("scripted", {
  tasks: everyTask,
  answering: Scripted.layer(answer),
  blocking: (block) => Scripted.layer(() => blocked(block)),
  usingTools: Scripted.layer(answer, {
    tools: [
      { name: "read", input: { path: "src/a.py" }, output: "f = open(p)" },
      { name: "search", input: "open", output: "src/a.py:2" }
    ]
  })
})

backendContract("scripted, in prose,", {
  tasks: everyTask,
  answering: Scripted.layer((task) => Effect.succeed(`Here it is:\n${JSON.stringify(said[task._tag])}\n`)),
  blocking: (block) => Scripted.layer(() => blocked(block)),
  prose: true
})
