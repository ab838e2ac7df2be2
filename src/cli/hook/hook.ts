/** `dd hook`: hooks of git and of coding assistants. `dd hook event` is handled before the command tree (`layers/dream/recordHookEvent.ts`). */

import { Config, Console, Effect, FileSystem, Option, Path } from "effect"
import { Command } from "effect/cli"
import {
  flagsOf,
  type HookSite,
  type HookStep,
  installation,
  isBroken,
  isInstalled,
  obstacle,
  ownCall,
  removal,
  textOf
} from "../../domain/hook/hookPlan.ts"
import { type HookName, hookNames, programIn } from "../../domain/hook/hookScript.ts"
import { visiblePath } from "../../domain/text/Printable.ts"
import { Git } from "../../services/change/Git.ts"
import { applySteps, hookSite } from "../../services/hook/hookSite.ts"
import {
  assistantFlags,
  assistantStatus,
  chosen,
  event,
  installAssistants,
  uninstallAssistants
} from "../dream/hook.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { FlagGroups } from "../system/HelpPage.ts"
import { nextOnPath, ownProgram } from "../system/handOver.ts"
import { writeOut } from "../system/writeOut.ts"
import { switchFlag } from "../text/flags.ts"
import { preCommit, prePush } from "./gitHooks.ts"
import { hookFlags, hookWords } from "./hookFlags.ts"

const gitFlags = {
  prePush: switchFlag("pre-push", "Review what git push sends, in the current repository"),
  preCommit: switchFlag("pre-commit", "Review staged changes before a commit"),
  dryRun: switchFlag("dry-run", "Show what would change in the hooks of git, and change nothing"),
  allRepositories: switchFlag("all-repositories", "Also write to a hooks directory that other repositories use")
}
const which = { ...gitFlags, ...assistantFlags }
const installFlags = { ...which, ...hookFlags }
type Which = Command.Command.Config.Infer<typeof which>

const hooksIn = ({ preCommit, prePush }: Which): ReadonlyArray<HookName> => [
  ...(prePush ? (["pre-push"] as const) : []),
  ...(preCommit ? (["pre-commit"] as const) : [])
]

/** Before anything is changed. */
const checkNamed = Effect.fnUntraced(function* (given: Which) {
  const named = yield* chosen(given)
  if (named.length > 0 && given.dryRun) return yield* new CallRefused({ reason: "--dry-run is for hooks of git only" })
  if (named.length > 0 || hooksIn(given).length > 0) return
  return yield* new CallRefused({
    reason: "name a hook of git (--pre-push, --pre-commit) or an assistant (--claude, --codex, --gemini)"
  })
})

const stepWords = (step: HookStep): string => {
  switch (step._tag) {
    case "Move":
      return `move ${visiblePath(step.from)} to ${visiblePath(step.to)}`
    case "Remove":
      return `remove ${visiblePath(step.path)}`
    case "Write":
      return `write ${visiblePath(step.path)}:\n${step.text
        .replaceAll(/^/gm, "  | ")
        .replace(/ {2}\| $/, "")
        .trimEnd()}`
  }
}

const notChanged = ({ path }: HookSite, reason: string) =>
  new CallRefused({ reason: `${visiblePath(path)} was not changed: ${reason}` })

/** Plans and applies for each hook that is named. */
const change = Effect.fnUntraced(function* (
  given: Which,
  planOf: (site: HookSite) => ReturnType<typeof removal>,
  words: { readonly done: string; readonly already: string }
) {
  const hooks = hooksIn(given)
  if (hooks.length === 0) return
  const repository = yield* Git.use((git) => git.open("."))
  for (const hook of hooks) {
    const site = yield* hookSite(repository, hook)
    const plan = planOf(site)
    if (plan._tag === "InSettings") {
      const missing = obstacle(site)
      if (missing !== null) return yield* notChanged(site, `dd is in the settings of ${plan.manager}, but ${missing}`)
      yield* Console.log(`${plan.manager}: ${words.already}`)
      continue
    }
    if (plan._tag === "Snippet") {
      yield* writeOut(`${plan.text}\n`)
      const reason = `${plan.manager} runs the hooks of this repository, and dd does not edit its settings; see standard output`
      return yield* notChanged(site, reason)
    }
    if (plan._tag === "Refused") return yield* notChanged(site, plan.reason)
    if (given.dryRun) {
      const shown =
        plan.steps.length === 0 ? [`${visiblePath(site.path)}: ${words.already}`] : plan.steps.map(stepWords)
      yield* Console.log(shown.join("\n"))
      continue
    }
    yield* applySteps(plan.steps)
    const moved = plan.steps.find((step) => step._tag === "Move")
    const chained = moved === undefined || moved.to === site.path ? "" : `; the hook that was there is ${moved.to}`
    yield* Console.log(
      `${visiblePath(site.path)}: ${plan.steps.length === 0 ? words.already : words.done + visiblePath(chained)}`
    )
  }
})

/** What the hook is told; null: as before. */
const flagsFor = Effect.fnUntraced(function* (given: Command.Command.Config.Infer<typeof installFlags>) {
  const asksModel = Option.isSome(given.backend) && given.backend.value !== "static"
  if (!asksModel && (given.modelStops || Option.isSome(given.model)))
    return yield* new CallRefused({ reason: "--model and --model-stops need a --backend that asks a model" })
  const words = hookWords(given)
  if (words === null) return null
  if (hooksIn(given).length === 0)
    return yield* new CallRefused({ reason: `${words} is for --pre-push or --pre-commit` })
  if (/\p{Cc}/u.test(words)) return yield* new CallRefused({ reason: "--model has a control character" })
  return words
})

const install = Command.make("install", installFlags).pipe(
  Command.withShortDescription("Install a hook of git, or record the sessions of an assistant"),
  Command.withDescription(`Install a hook of git, or record the sessions of an assistant.

  A hook of git that exists is kept and runs after dd, with the same input, arguments and exit
  code. Installing again changes nothing, and keeps the flags that the hook has unless others are
  given. dd hook uninstall restores the files byte for byte.`),
  Command.annotate(FlagGroups, {
    "GIT HOOKS": gitFlags,
    "FLAGS FOR THE HOOK": hookFlags,
    "CODING ASSISTANTS": assistantFlags
  }),
  Command.withHandler(
    Effect.fnUntraced(function* (given) {
      yield* checkNamed(given)
      const flags = yield* flagsFor(given)
      const wish = { program: ownProgram(), flags, allowsEverywhere: given.allRepositories }
      const done = flags === null ? "dd is installed" : `dd is installed with ${visiblePath(flags)}`
      yield* change(given, (site) => installation(site, wish), { done, already: "already installed" })
      yield* installAssistants(given)
    })
  ),
  Command.withExamples([
    { command: "dd hook install --pre-push", description: "Review each push of the current repository" },
    {
      command: "dd hook install --pre-push --budget 60 --fail-on medium",
      description: "Give it a minute, and let findings of medium severity stop a push"
    },
    { command: "dd hook install --claude", description: "Record the sessions of Claude Code in all projects" }
  ]),
  Command.provide(Git.layer)
)

const uninstall = Command.make("uninstall", which).pipe(
  Command.withDescription("Remove a hook of git, or dd's hooks from the settings of an assistant"),
  Command.annotate(FlagGroups, { "GIT HOOKS": gitFlags, "CODING ASSISTANTS": assistantFlags }),
  Command.withHandler(
    Effect.fnUntraced(function* (given) {
      yield* checkNamed(given)
      yield* change(given, (site) => removal(site, given.allRepositories), {
        done: "dd is removed",
        already: "had no hook of dd"
      })
      yield* uninstallAssistants(given)
    })
  ),
  Command.provide(Git.layer)
)

const status = Command.make("status").pipe(
  Command.withDescription(
    "Show the hooks of git that dd is in, which assistants dd records, and when it last heard of them"
  ),
  Command.withHandler(
    Effect.fnUntraced(function* () {
      const repository = yield* Git.use((git) => git.open(".")).pipe(
        Effect.catchTag("NotARepository", () => Effect.succeed(null))
      )
      const paths = yield* Path.Path
      for (const hook of repository === null ? [] : hookNames) {
        const words = yield* hookSite(repository!, hook).pipe(
          Effect.flatMap((site) => {
            const place = repository?.root == null ? site.path : paths.relative(repository.root, site.path)
            return statusWords(site, visiblePath(place.startsWith("..") ? site.path : place))
          }),
          Effect.catchTag("GitHookInaccessible", ({ message }) => Effect.succeed(`not known: ${visiblePath(message)}`))
        )
        yield* Console.log(`git ${hook}: ${words}`)
      }
      yield* assistantStatus
    })
  ),
  Command.provide(Git.layer)
)

/** Why the block cannot call dd; empty: it can. */
const withoutProgram = Effect.fnUntraced(function* (site: HookSite) {
  const program = programIn(textOf(site) ?? "")
  const fs = yield* FileSystem.FileSystem
  const info = program === null ? Option.none() : yield* Effect.option(fs.stat(program))
  if (Option.isSome(info) && info.value.type === "File" && (info.value.mode & 0o111) !== 0) return ""
  const searched = yield* Effect.orDie(Config.String("PATH").pipe(Config.withDefault("")))
  if (nextOnPath("daydream", searched, []) !== undefined) return ""
  return `, but there is no ${program === null ? "" : `${visiblePath(program)}, and no `}daydream on PATH`
})

const statusWords = Effect.fnUntraced(function* (site: HookSite, place: string) {
  const { aside, isEverywhere, manager, present, settings } = site
  const where = isEverywhere ? `${place}, for all repositories that use this directory` : place
  const missing = obstacle(site)
  const but = missing === null ? "" : `, but ${visiblePath(missing)}`
  const flags = flagsOf(site)
  const told = flags === "" ? "" : ` with ${visiblePath(flags)}`
  if (isInstalled(site)) {
    return `installed in ${where}${told}${but || (yield* withoutProgram(site))}${aside === null ? "" : asideWords(aside)}`
  }
  if (isBroken(site)) return `damaged: the last line of dd's block in ${where} is missing`
  if (ownCall(site) > 0) return `called in line ${ownCall(site)} of ${where}, which dd did not write${but}`
  if (manager === "lefthook" || manager === "pre-commit") {
    if (settings !== "None")
      return `${missing === null ? "installed" : "not installed: dd is"} in the settings of ${manager}${but || firstRefOnly(site)}`
    return missing === null ? `not installed; ${manager} runs the hooks` : `not installed; ${missing}`
  }
  return present._tag === "Absent" ? "not installed" : `not installed; another hook is in ${where}`
})

/** Its hook and dd's block in it get all refs; what its settings call gets those of one. */
const firstRefOnly = ({ hook, manager }: HookSite): string =>
  hook === "pre-push" && manager === "pre-commit"
    ? ", which reviews only one ref of a push; remove it there and install again to review all"
    : ""

const asideWords = ({ isExecutable, path }: NonNullable<HookSite["aside"]>): string =>
  isExecutable
    ? "; then the hook that was there runs"
    : `; the hook that was there does not run, because ${visiblePath(path)} is not executable`

export const hookCommand = Command.make("hook").pipe(
  Command.withDescription("Review what git pushes and commits; record sessions of coding assistants"),
  Command.withSubcommands([
    install,
    uninstall,
    status,
    { group: "CALLED BY GIT AND ASSISTANTS", commands: [prePush, preCommit, event] }
  ])
)
