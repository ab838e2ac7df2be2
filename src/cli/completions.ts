/** `dd completions SHELL`: a completion script made from the command tree itself. */
import { Console } from "effect"
import { Argument, Command, Completions } from "effect/cli"

const shells = ["bash", "zsh", "fish", "powershell"] as const

/** The tree is handed in when the script is asked for, since this command is a part of it. */
export const completionsCommand = (tree: () => Command.Command.Any) =>
  Command.make(
    "completions",
    {
      shell: Argument.Literals("shell", shells).pipe(Argument.withDescription("bash, zsh, fish or powershell"))
    },
    ({ shell }) => Console.log(Completions.generate("dd", shell, Completions.fromCommand(tree())))
  ).pipe(
    Command.withDescription("Print a shell completion script"),
    Command.withExamples([{ command: "dd completions bash > ~/.local/share/bash-completion/completions/dd" }])
  )
