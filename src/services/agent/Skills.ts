/**
 * The user's own words for reviewers: skill files that stand in for dd's review profiles.
 *
 * A port: `layers/agent/skills/Directory.ts` reads them from the user's own folders, never from a repository. Never fails: what
 * could not be read is in `problems`.
 */
import { Context, Effect, Layer } from "effect"
import type { Skill } from "../../domain/agent/SkillFile.ts"

export interface FoundSkills {
  /** Those that count first come first. */
  readonly skills: ReadonlyArray<Skill>
  readonly problems: ReadonlyArray<string>
}

export class Skills extends Context.Service<
  Skills,
  {
    /** Read once a run. */
    readonly found: Effect.Effect<FoundSkills>
  }
>()("dd/services/agent/Skills") {
  static readonly layerNone = Layer.succeed(Skills, { found: Effect.succeed({ skills: [], problems: [] }) })
}
