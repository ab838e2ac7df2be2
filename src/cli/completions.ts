/** `dd completions SHELL`: a completion script made from the command tree itself. */
import { Console } from "effect"
import { Argument, Command, Completions } from "effect/cli"

/** One script for both names; the generator knows neither our way to print it nor the second name. */
const scriptOf = (shell: Completions.Shell, tree: Command.Command.Any): string =>
  ["dd", "daydream"]
    .map((name) => Completions.generate(name, shell, { ...Completions.fromCommand(tree), name }))
    .join("\n")
    .replaceAll(/--completions (\w+)/g, "completions $1")

const shells = ["bash", "zsh", "fish", "powershell"] as const

/** The tree is handed in when the script is asked for, since this command is a part of it. */
export const completionsCommand = (tree: () => Command.Command.Any) =>
  Command.make(
    "completions",
    {
      shell: Argument.Literals("shell", shells).pipe(Argument.withDescription("bash, zsh, fish or powershell"))
    },
    ({ shell }) => Console.log(scriptOf(shell, tree()))
  ).pipe(
    Command.withDescription("Print a shell completion script"),
    Command.withExamples([{ command: "dd completions bash > ~/.local/share/bash-completion/completions/dd" }])
  )
