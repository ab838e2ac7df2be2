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

/**
 * Arguments without `--help` if they name an unknown command: it is then an error, not a question about its parent. So are short flags
 * together, as in `-xh`, if one of them is unknown: without `-h` and `-V`, which would be answered first.
 */
export const withoutHelpOfUnknown = (tree: Command.Command.Any, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.includes("--") ? args.indexOf("--") : args.length
  const [words, operands] = [args.slice(0, end), args.slice(end)]
  if (!words.some(isAsking)) return args
  let command = Completions.fromCommand(tree)
  // `--color` is the only flag with a value that may be before the command.
  for (const word of words.filter((arg, at) => !arg.startsWith("-") && words[at - 1] !== "--color")) {
    if (command.subcommands.length === 0) break
    const found = command.subcommands.find(({ name }) => name === word)
    if (found === undefined) return [...words.filter((arg) => !isAsking(arg)), ...operands]
    command = found
  }
  const known = new Set([..."-hV", ...command.flags.flatMap(({ aliases }) => aliases)])
  const isUnknown = (arg: string) => !arg.startsWith("--") && [...arg].some((letter) => !known.has(letter))
  return [...words.map((arg) => (isAsking(arg) && isUnknown(arg) ? arg.replaceAll(/[hV]/g, "") : arg)), ...operands]
}

const isAsking = (arg: string): boolean => arg === "--help" || /^-[^-=]*[hV][^=]*$/.test(arg)
