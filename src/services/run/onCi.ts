/** Does dd run in a job of continuous integration? */
import { Config, Effect, Option } from "effect"

export const onCi = Config.option(Config.String("CI")).pipe(
  Effect.orDie,
  Effect.map(Option.exists((value) => !["0", "false"].includes(value.trim().toLowerCase())))
)
