/** The flags of the hooks that git calls. */
import type { Command } from "effect/cli"
import { backends } from "../../domain/run/BackendChoice.ts"
import { choiceFlag, numberFlag, switchFlag, textFlag } from "../text/flags.ts"

export const hookFlags = {
  failOn: choiceFlag(
    "fail-on",
    "SEVERITY",
    ["none", "low", "medium", "high"],
    "Stop on a new finding of at least this severity; default: fail_on of your settings, else high"
  ),
  backend: choiceFlag(
    "backend",
    "NAME",
    backends,
    "Then ask this backend too; default: static, whatever the settings name"
  ),
  model: textFlag("model", "NAME", "Use this model of --backend"),
  modelStops: switchFlag("model-stops", "Also stop on findings of a model; without it they are only shown"),
  budget: numberFlag("budget", "SECONDS", "Continue without the review after this time; default: 20", 1, 20),
  inCi: switchFlag("in-ci", "Also review if CI=true")
}
export type HookFlags = Command.Command.Config.Infer<typeof hookFlags>
