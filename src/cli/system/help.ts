/** `dd help [COMMAND]`, the same as `dd COMMAND --help`, and what `--help` means after an unknown command. */
import { Effect } from "effect"
import { Argument, CliConfig, CliError, Command, Completions, GlobalFlag } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { nearest } from "../../domain/text/Suggestion.ts"

/** `tree` is a function, because this command is a part of the tree. */
export const helpCommand = (tree: () => Command.Command.Any) =>
  Command.make(
    "help",
    {
      command: Argument.String("command").pipe(
        Argument.withDescription("Command to describe, such as rules show"),
        Argument.atLeast(0)
      )
    },
    Effect.fnUntraced(function* ({ command }) {
      const path = ["dd"]
      let { subcommands } = Completions.fromCommand(tree())
      for (const subcommand of command) {
        const found = subcommands.find(({ name }) => name === subcommand)
        if (found === undefined) {
          const suggestion = nearest(
            subcommand,
            subcommands.map(({ name }) => name)
          )
          const suggestions = suggestion === null ? [] : [suggestion]
          const error = new CliError.UnknownSubcommand({ subcommand, parent: path, suggestions })
          return yield* new CliError.ShowHelp({ commandPath: path, errors: [error] })
        }
        path.push(subcommand)
        subcommands = found.subcommands
      }
      const { builtIns } = yield* CliConfig.CliConfig
      yield* GlobalFlag.Help.run(true, { builtIns, command: tree(), commandPath: path, version })
    })
  ).pipe(
    Command.withDescription("Show the help of a command"),
    Command.withExamples([{ command: "dd help rules show", description: "The same as dd rules show --help" }])
  )

/** Arguments without `--help` if they name an unknown command: it is then an error, not a question about its parent. */
export const withoutHelpOfUnknown = (tree: Command.Command.Any, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!args.some(isHelp)) return args
  let { subcommands } = Completions.fromCommand(tree)
  for (const word of args.filter((arg) => !arg.startsWith("-"))) {
    if (subcommands.length === 0) break
    const found = subcommands.find(({ name }) => name === word)
    if (found === undefined) return args.filter((arg) => !isHelp(arg))
    subcommands = found.subcommands
  }
  return args
}

const isHelp = (arg: string): boolean => arg === "--help" || arg === "-h"
