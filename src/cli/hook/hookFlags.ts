/** The flags of the hooks that git calls; `dd hook install` writes them into the hook. */
import { Effect, Option } from "effect"
import type { Command } from "effect/cli"
import { backends } from "../../domain/run/BackendChoice.ts"
import { quoted } from "../../domain/system/shellQuote.ts"
import { UsageWrong } from "../review/reviewFlags.ts"
import { choiceFlag, optionalNumberFlag, switchFlag, textFlag } from "../text/flags.ts"

/** In seconds. */
const usualBudget = 20

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
  budget: optionalNumberFlag(
    "budget",
    "SECONDS",
    `Continue without the review after this time; default: ${usualBudget}`,
    1
  ),
  inCi: switchFlag("in-ci", "Also review if CI=true")
}
export type HookFlags = Command.Command.Config.Infer<typeof hookFlags>

export const budgetOf = ({ budget }: HookFlags): number => Option.getOrElse(budget, () => usualBudget)

export const checkModel = ({ backend, model }: HookFlags, command: string) =>
  Option.isSome(model) && Option.isNone(backend)
    ? Effect.fail(new UsageWrong({ reason: "--model needs --backend", command }))
    : Effect.void

/** As words of a shell; null: none is given. */
export const hookWords = ({ backend, budget, failOn, inCi, model, modelStops }: HookFlags): string | null => {
  const valued: Readonly<Record<string, Option.Option<string | number>>> = {
    "--fail-on": failOn,
    "--backend": backend,
    "--model": model,
    "--budget": budget
  }
  const words = [
    ...Object.entries(valued).flatMap(([name, value]) =>
      Option.isNone(value) ? [] : [name, quoted(String(value.value))]
    ),
    ...(modelStops ? ["--model-stops"] : []),
    ...(inCi ? ["--in-ci"] : [])
  ]
  return words.length === 0 ? null : words.join(" ")
}
