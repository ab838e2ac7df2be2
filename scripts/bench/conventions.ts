/**
 * Prints the conventions (task 4) and the related files (task 7) that dd finds in repositories, to be read and judged:
 * `bun scripts/bench/conventions.ts ~/some-project ...`. As if one session had edited every file and added nothing.
 */
import { Effect, Layer } from "effect"
import { subjectHabits } from "../../src/domain/code/habits/subjectHabits.ts"
import type { SessionStep } from "../../src/domain/dream/SessionView.ts"
import { conventionsOf, countRepository } from "../../src/domain/dream/tasks/conventions.ts"
import { relatedFiles } from "../../src/domain/dream/tasks/fileRelationships.ts"
import { viewOfSession } from "../../src/domain/dream/viewOfSession.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { Git } from "../../src/services/change/Git.ts"
import { inParts } from "../../src/services/dream/inParts.ts"
import { RepositoryViews } from "../../src/services/dream/RepositoryViews.ts"

const about = Effect.fnUntraced(function* (root: string) {
  const started = performance.now()
  const { notes, view } = yield* (yield* RepositoryViews).of(root, [])
  const read = performance.now()
  const known = yield* inParts(countRepository(view))
  const counted = performance.now()
  const empty = viewOfSession([
    { v: 1, id: "1", host: "dd", session: "s", project: "p", root, cwd: root, at: 0, kind: "session_start" }
  ])!
  const steps = view.files.map(
    (path, at): SessionStep => ({
      step: at + 1,
      named: [],
      turn: 1,
      at,
      endedAt: at,
      tool: "Edit",
      action: "edit",
      result: "ok",
      family: null,
      command: null,
      folder: "",
      scope: [],
      purpose: null,
      files: [path],
      args: null,
      output: null,
      error: null,
      agent: null
    })
  )
  const written = view.subjects.find((subject) => subjectHabits(subject).length > 0)
  const session = { ...empty, steps, commits: written === undefined ? [] : [written] }
  const found = conventionsOf({ session, artifacts: [], repository: view }, known)
  const [reading, counting] = [read - started, counted - read].map((ms) => `${ms.toFixed(0)} ms`)
  console.log(`\n# ${root}: ${view.files.length} files, read in ${reading}, counted in ${counting}${notes.join("; ")}`)
  for (const { body, key, repository } of found) {
    if (body.type === "ProjectConvention")
      console.log(`${body.pattern}  [${key}] ${repository?.s ?? 0} for, ${repository?.f ?? 0} against`)
  }
  for (const { commits, files, share } of relatedFiles([], view.commits).slice(0, 15))
    console.log(`together: ${files.join(" + ")}  ${commits} commits, ${share.toFixed(2)}`)
})

await Effect.runPromise(
  Effect.forEach(process.argv.slice(2), about).pipe(
    Effect.provide(
      RepositoryViews.layer.pipe(Layer.provide([Git.layer, Platform.layer]), Layer.provide(Platform.layer))
    )
  )
)
