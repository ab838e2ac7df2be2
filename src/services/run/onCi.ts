/** Does dd run in a job of continuous integration? */
import { Config, Effect } from "effect"

export const onCi = Config.String("CI").pipe(
  Effect.map((value) => !["0", "false"].includes(value.trim().toLowerCase())),
  Effect.orElseSucceed(() => false)
)
