/** What was learned and applies to the changed files. Reads no file if nothing was learned. */
import { Effect } from "effect"
import type { LearnedFact } from "../../domain/brief/Learned.ts"
import { learnedFacts } from "../../domain/brief/learnedFacts.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { type PathHabits, pathHabitsAmong } from "../../domain/code/habits/pathHabits.ts"
import { textHabits } from "../../domain/code/habits/textHabits.ts"
import { Sources } from "../change/Sources.ts"
import { LearnedArtifacts } from "./LearnedArtifacts.ts"

const filesRead = 100

export const learnedOf = Effect.fn("brief.learnedOf")(function* (change: Change) {
  const files = change.diff.files.filter(({ binary, newPath }) => newPath !== null && !binary).slice(0, filesRead)
  const paths = files.map(({ path }) => path)
  const artifacts = yield* (yield* LearnedArtifacts)(paths)
  const none: ReadonlyArray<LearnedFact> = []
  if (artifacts.length === 0) return none
  const sources = yield* Sources
  yield* sources.preload(paths)
  const ofPath = pathHabitsAmong(yield* sources.headPaths)
  return learnedFacts(artifacts, yield* Effect.forEach(files, (file) => habitsOn(file, ofPath)))
})

const habitsOn = Effect.fnUntraced(function* ({ newPath, oldPath, path }: DiffFile, ofPath: PathHabits) {
  const sources = yield* Sources
  const habits = (of: string | null, text: string | null) =>
    of === null ? [] : [...ofPath(of), ...textHabits(of, text ?? "")]
  const textOf = (side: "base" | "head", of: string | null) =>
    of === null
      ? Effect.succeed(null)
      : Effect.map(sources[side](of), (source) => (source._tag === "Text" ? source.text : null))
  const [before, after] = [yield* textOf("base", oldPath), yield* textOf("head", newPath)]
  return { path, before: habits(oldPath, before), after: habits(newPath, after) }
})
