/** How models are reached: the user's own settings, and variables that hold keys. */
import { Config, Effect, Option, Path } from "effect"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"

export const answeringOf = Effect.fnUntraced(function* (settings: ReviewSettings) {
  const paths = yield* Path.Path
  const { anthropic, fanout, openai, packPolicy, piProvider, backendChoice } = settings
  const names = [anthropic.keyEnv.value, openai.keyEnv.value, "CLAUDE_CONFIG_DIR", "HOME"]
  const values = yield* Effect.forEach(names, (name) =>
    Effect.map(Effect.orDie(Config.option(Config.String(name))), (value) => [name, Option.getOrNull(value)] as const)
  )
  // An empty variable counts as unset; the line end of a file is not part of a key.
  const variables = new Map(values.map(([name, value]) => [name, value?.trim() || null]))
  const claude = variables.get("CLAUDE_CONFIG_DIR") ?? paths.join(variables.get("HOME") ?? ".", ".claude")
  return {
    anthropic,
    openai,
    piProvider,
    backendChoice,
    packPolicy,
    fanout: fanout.origin._tag === "Default" ? null : fanout.value,
    claude: paths.isAbsolute(claude) ? claude : null,
    variable: (name: string) => variables.get(name) ?? null
  }
})
