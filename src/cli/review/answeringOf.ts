/** How models are reached: the user's own settings, and variables that hold keys. */
import { Config, Effect, Option, Path } from "effect"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"

/** Claude's own directory; null if there is none. */
export const claudeDirectory = Effect.gen(function* () {
  const paths = yield* Path.Path
  const read = (name: string) => Effect.orDie(Config.option(Config.String(name)))
  const given = Option.getOrElse(yield* read("CLAUDE_CONFIG_DIR"), () => "").trim()
  const home = Option.getOrElse(yield* read("HOME"), () => "").trim()
  const directory = given === "" ? paths.join(home, ".claude") : given
  return paths.isAbsolute(directory) ? directory : null
})

/** `skill`: the one that every reviewer uses; null: each has its own. */
export const answeringOf = Effect.fnUntraced(function* (settings: ReviewSettings, skill: string | null = null) {
  const { anthropic, fanout, instructions, openai, packPolicy, piProvider, backendChoice } = settings
  const names = [anthropic.keyEnv.value, openai.keyEnv.value]
  const values = yield* Effect.forEach(names, (name) =>
    Effect.map(Effect.orDie(Config.option(Config.String(name))), (value) => [name, Option.getOrNull(value)] as const)
  )
  // An empty variable counts as unset; the line end of a file is not part of a key.
  const variables = new Map(values.map(([name, value]) => [name, value?.trim() || null]))
  return {
    anthropic,
    openai,
    piProvider,
    backendChoice,
    packPolicy,
    fanout: fanout.origin._tag === "Default" ? null : fanout.value,
    claude: yield* claudeDirectory,
    skill,
    instructions: instructions.value ?? "",
    variable: (name: string) => variables.get(name) ?? null
  }
})
