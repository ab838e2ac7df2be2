/** The skills of `--skill`. */
import { Effect } from "effect"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import * as SkillDirectory from "../../layers/agent/skills/Directory.ts"
import { choosableSkills, Skills } from "../../services/agent/Skills.ts"
import { daydreamHome } from "../../services/run/Settings.ts"
import { claudeDirectory } from "./answeringOf.ts"
import { UsageWrong } from "./reviewFlags.ts"

/** The names that can be chosen. `reviewed`: the repository, whose skills are not the user's. */
export const knownSkills = Effect.fnUntraced(function* (reviewed: string | null) {
  const place = { home: yield* daydreamHome, claude: yield* claudeDirectory, reviewed, chosen: null }
  const { skills } = yield* Effect.flatMap(Skills, ({ found }) => found).pipe(
    Effect.provide(SkillDirectory.layer(place))
  )
  return choosableSkills(skills)
})

export const checkSkill = Effect.fnUntraced(function* (name: string, reviewed: string | null) {
  const known = yield* knownSkills(reviewed)
  if (known.includes(name)) return
  return yield* new UsageWrong({
    reason: `--skill: unknown skill "${name}"${didYouMean(nearest(name, known))}; known: ${known.join(", ")}`
  })
})
