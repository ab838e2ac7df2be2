/** Puts a fake CLI where PATH can find it, in a directory that says what it is to do. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Task } from "../../../src/domain/agent/Task.ts"
import type { CliName } from "./protocols.ts"

export interface Installed {
  readonly directory: string
  readonly play: (scenario: string) => void
  /** What it writes in its working directory in the scenarios that edit; null deletes a file. */
  readonly edits: (edits: Readonly<Record<string, string | null>>) => void
  /** What its nth process was started with. */
  readonly started: (turn?: number) => {
    readonly args: ReadonlyArray<string>
    readonly input: string
    readonly environment: Readonly<Record<string, string>>
    readonly cwd: string
    readonly files: ReadonlyArray<string>
  }
  readonly turns: () => number
  /** Processes that said who they are, each on a whole line: one may be writing. */
  readonly pids: () => ReadonlyArray<number>
}

const agreed = (id: number) => ({
  issue_id: id,
  evidence: "The code does what the claim says.",
  unverified_assumptions: [],
  verdict: "consistent"
})

/** What a model that finds nothing hands in for each task. */
export const noFindings = {
  Intent: { intent: "To change it." },
  Alternatives: { issues: [] },
  StackReview: { review: "Fine.", issues: [], coverage: [] },
  ParseReview: { issues: [] },
  Arbitrate: { findings: [] },
  Merge: { notes: [] },
  Verify: { verdicts: [1, 2].map(agreed) },
  Fix: { outcomes: [] }
} satisfies Record<Task["_tag"], object>

export const install = (
  directory: string,
  name: CliName,
  scenario: string,
  replies: Readonly<Record<string, object>> = noFindings
): Installed => {
  const program = join(directory, name)
  const fake = fileURLToPath(new URL("./fake.ts", import.meta.url))
  // Its own directory is the repository's, not the reviewed one's: no bunfig of either is read.
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' --config=/dev/null '${fake}' '${directory}' ${name} "$@"\n`
  )
  chmodSync(program, 0o755)
  writeFileSync(join(directory, "replies.json"), JSON.stringify(replies))
  writeFileSync(join(directory, "scenario"), scenario)
  const startedAt = (turn: number) => join(directory, `started-${turn}.json`)
  const pids = join(directory, "pids")
  return {
    directory,
    play: (next) => writeFileSync(join(directory, "scenario"), next),
    edits: (edits) => writeFileSync(join(directory, "edits.json"), JSON.stringify(edits)),
    started: (turn = 0) => JSON.parse(readFileSync(startedAt(turn), "utf8")),
    turns: () => {
      let turn = 0
      while (existsSync(startedAt(turn))) turn++
      return turn
    },
    pids: () => (existsSync(pids) ? readFileSync(pids, "utf8").split("\n").slice(0, -1).map(Number) : [])
  }
}
