/**
 * The user's skill files, which replace dd's review profiles.
 *
 * A port: `layers/agent/skills/Directory.ts` reads them from the user's own folders, never from a repository.
 */
import { Context, Effect, Layer } from "effect"
import type { Skill } from "../../domain/agent/SkillFile.ts"

export interface FoundSkills {
  /** In order of precedence. */
  readonly skills: ReadonlyArray<Skill>
  readonly problems: ReadonlyArray<string>
}

export class Skills extends Context.Service<
  Skills,
  {
    readonly found: Effect.Effect<FoundSkills>
  }
>()("dd/services/agent/Skills") {
  static readonly layerNone = Layer.succeed(Skills, { found: Effect.succeed({ skills: [], problems: [] }) })
}
