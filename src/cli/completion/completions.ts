/**
 * `dd completions SHELL`: a script that calls dd for completions, so that branches, rules, flows and runs are up to date.
 * If dd has none, the shell completes file names.
 */
import { Effect, FileSystem, Layer, Option } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { Git } from "../../services/change/Git.ts"
import { shippedRules } from "../../services/finding/RuleSet.ts"
import { directories } from "../record/findRun.ts"
import { formats } from "../review/render/Format.ts"
import { knownSkills } from "../review/skills.ts"
import { knownFlows, userExtensions } from "../run/flow.ts"
import { withEveryFlag } from "../system/invocation.ts"
import { writeOut } from "../system/writeOut.ts"
import { type Candidate, joined, nextOf } from "./complete.ts"

/** By shell. They call dd for what fits, so they are right for every version. */
export const completionScripts = {
  bash: `# Completion for dd and daydream in bash:
#   dd completions bash > ~/.local/share/bash-completion/completions/dd
#   ln -s dd ~/.local/share/bash-completion/completions/daydream
_dd_complete() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do COMPREPLY+=("$word"); done < <(
    "$1" completions bash -- "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null
  )
  [[ \${#COMPREPLY[@]} == 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -o default -F _dd_complete dd daydream
`,
  zsh: `#compdef dd daydream
# Completion for dd and daydream in zsh; the directory is one of your fpath, before compinit:
#   dd completions zsh > ~/.zsh/completions/_dd
_dd() {
  local line word
  local -a closed closed_shown open open_shown
  for line in "\${(@f)$("\${(Q)words[1]}" completions zsh -- "\${(@Q)words[1,CURRENT]}" 2>/dev/null)}"; do
    word=\${line%%$'\\t'*}
    if [[ $word == *= ]]; then
      open+=("$word"); open_shown+=("\${line/$'\\t'/  }")
    elif [[ -n $word ]]; then
      closed+=("$word"); closed_shown+=("\${line/$'\\t'/  }")
    fi
  done
  if (( $#closed + $#open )); then
    (( $#closed )) && compadd -l -d closed_shown -a closed
    (( $#open )) && compadd -l -S '' -d open_shown -a open
  else
    compset -P '*='
    _files
  fi
}
if [[ "\${funcstack[1]}" == _dd ]]; then _dd "$@"; else compdef _dd dd daydream; fi
`,
  fish: `# Completion for dd and daydream in fish:
#   dd completions fish > ~/.config/fish/completions/dd.fish
#   ln -s dd.fish ~/.config/fish/completions/daydream.fish
function __dd_complete
    set -l typed (commandline -opc)
    set -l token (commandline -ct)
    set -l found ($typed[1] completions fish -- $typed $token 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        set -l path (string replace -r '^[^=]*=' '' -- $token)
        set -l before (string sub -l (math (string length -- $token) - (string length -- $path)) -- $token)
        for each in (__fish_complete_path $path)
            echo $before$each
        end
    end
end
for name in dd daydream
    complete -c $name -e
    complete -c $name -f -a '(__dd_complete)'
end
`
}

/** A static script by Effect's generator, adapted to both program names and to `dd completions`. */
const powershell = (tree: Completions.CommandDescriptor): string =>
  ["dd", "daydream"]
    .map((name) => Completions.generate(name, "powershell", { ...tree, name }))
    .join("\n")
    .replaceAll(/--completions (\w+)/g, "completions $1")

/** Values that the command tree does not list. */
const known = Effect.fnUntraced(function* (command: string, name: string) {
  switch (name) {
    case "base":
    case "branch":
    case "commit":
      return yield* refs
    case "flow":
      return yield* knownFlows
    case "name":
      return command === "flow show" ? yield* knownFlows : []
    case "skill":
      return yield* knownSkills(null)
    case "rule":
      return shippedRules.map(({ id }) => id)
    case "id":
      return command === "rules show" || command === "explain" ? shippedRules.map(({ id }) => id) : []
    case "stack":
      return [...new Set(shippedRules.map(({ stack }) => stack))]
    case "run":
    case "replay":
      return yield* runs
    case "output":
      return command === "review" ? formats.map((format) => `${format}=`) : []
    default:
      return []
  }
})

const refs = Effect.gen(function* () {
  const git = yield* Git
  const all = yield* git.refs(yield* git.open("."), ["refs/heads/", "refs/remotes/", "refs/tags/"])
  return ["HEAD", ...all.map(({ name }) => name.replace(/^refs\/(?:heads|remotes|tags)\//, ""))]
})

const runs = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.forEach(yield* directories, (directory) => Effect.option(fs.readDirectory(directory)))
  return ["latest", ...new Set(names.flatMap(Option.getOrElse((): ReadonlyArray<string> => [])))]
})

/** The shell would run a branch named `$(x)`. */
const isPlain = ({ word }: Candidate): boolean => /^[\p{L}\p{N}_./@+%=,:-]+$/u.test(word)

const candidates = Effect.fnUntraced(function* (tree: Completions.CommandDescriptor, words: ReadonlyArray<string>) {
  const next = nextOf(tree, words)
  if (next._tag === "Words") return next.words
  const values = yield* Effect.option(known(next.command, next.of))
  return Option.getOrElse(values, () => []).map((value) => ({ word: next.before + value, description: "" }))
})

/** `tree` is a function, because this command is a part of the tree. */
export const completionsCommand = (tree: () => Command.Command.Any) =>
  Command.make(
    "completions",
    {
      shell: Argument.Literals("shell", ["bash", "zsh", "fish", "powershell"]).pipe(
        Argument.withDescription("Shell to complete for")
      ),
      words: Argument.String("word").pipe(
        Argument.withDescription("Command line to complete, after --; used by the scripts"),
        Argument.atLeast(0)
      )
    },
    Effect.fnUntraced(function* ({ shell, words: pieces }) {
      const descriptor = withEveryFlag(Completions.fromCommand(tree()))
      if (pieces.length === 0)
        return yield* writeOut(shell === "powershell" ? powershell(descriptor) : completionScripts[shell])
      const { cut, words } = shell === "bash" ? joined(pieces) : { cut: 0, words: pieces }
      const current = words.at(-1) ?? ""
      const fitting = (yield* candidates(descriptor, words)).filter(
        (each) => each.word.startsWith(current) && isPlain(each)
      )
      const lines = fitting.map(({ description, word }) => `${word.slice(cut)}\t${description}\n`)
      yield* writeOut(lines.join(""))
    })
  ).pipe(
    Command.withDescription("Print a shell completion script"),
    Command.withExamples([
      { command: "dd completions bash > ~/.local/share/bash-completion/completions/dd" },
      { command: "dd completions zsh > ~/.zsh/completions/_dd" },
      { command: "dd completions fish > ~/.config/fish/completions/dd.fish" }
    ]),
    Command.provide(Layer.merge(Git.layer, userExtensions))
  )
