/** Asks which files to add to a pack and which to leave out: the user decides where the budget cannot hold both. */
import { Effect, Stdio } from "effect"
import { Prompt } from "effect/cli"
import type { ContextPack } from "../../domain/pack/ContextPack.ts"
import { oneLine, visiblePath } from "../../domain/text/Printable.ts"
import { UsageWrong } from "../review/reviewFlags.ts"

export interface FileChoice {
  readonly exclude: ReadonlyArray<string>
  readonly focus: ReadonlyArray<string>
}

export const noChoice: FileChoice = { exclude: [], focus: [] }

const mostAsked = 30

export const askForFiles = Effect.fnUntraced(function* (pack: ContextPack) {
  const stdio = yield* Stdio.Stdio
  if (!((yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal))) {
    return yield* new UsageWrong({ reason: "--interactive asks on a terminal, and this is none", command: "pack" })
  }
  const large = [...pack.changed, ...pack.related].toSorted((a, b) => b.tokens - a.tokens).slice(0, mostAsked)
  const over = new Set(pack.relatedOmitted.flatMap(({ path, reason }) => (reason === "over-budget" ? [path] : [])))
  const left = pack.ranked.filter(({ path }) => over.has(path)).slice(0, mostAsked)
  const exclude = yield* ask("Leave out (the largest files of the pack)", large)
  const focus = yield* ask(
    "Add (the closest files that did not fit)",
    left.map(({ estimatedTokens, path }) => ({ path, tokens: estimatedTokens }))
  )
  const choice: FileChoice = exclude.length + focus.length === 0 ? noChoice : { exclude, focus }
  return choice
})

const ask = (message: string, files: ReadonlyArray<{ readonly path: string; readonly tokens: number }>) =>
  files.length === 0
    ? Effect.succeed<ReadonlyArray<string>>([])
    : Prompt.run(
        Prompt.MultiSelect({
          message,
          choices: files.map(({ path, tokens }) => ({
            title: oneLine(`${visiblePath(path)}  ${tokens} tokens`),
            value: path
          }))
        })
      )
