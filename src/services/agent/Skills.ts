/**
 * The user's skill files, which replace dd's review profiles.
 *
 * A port: `layers/agent/skills/Directory.ts` reads them from the user's own folders, never from a repository.
 */
import { Context, Effect, Layer } from "effect"
import type { Skill } from "../../domain/agent/SkillFile.ts"
import { structureStack } from "../../domain/finding/MergedItem.ts"
import { builtInProfiles } from "../../prompts/profiles.ts"

export interface FoundSkills {
  /** In order of precedence. */
  readonly skills: ReadonlyArray<Skill>
  readonly problems: ReadonlyArray<string>
}

export class Skills extends Context.Service<
  Skills,
  {
    readonly found: Effect.Effect<FoundSkills>
    /** The name of the skill that replaces those of all detected stacks; null: there is none. */
    readonly chosen: string | null
  }
>()("dd/services/agent/Skills") {
  static readonly layerNone = Layer.succeed(Skills, {
    found: Effect.succeed({ skills: [], problems: [] }),
    chosen: null
  })
}

/** The names that can be chosen: dd's own profiles, and skills of the user. The structure reviewer always has its own. */
export const choosableSkills = (skills: ReadonlyArray<Skill>): ReadonlyArray<string> => [
  ...new Set([
    ...[...builtInProfiles.keys()].filter((name) => name !== structureStack),
    ...skills.flatMap(({ name, text }) => (text === "" ? [] : [name]))
  ])
]
