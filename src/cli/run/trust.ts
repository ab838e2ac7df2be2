/** `dd trust`: which repositories may name the command that runs their tests. Runs no code. */

import { Console, Effect, FileSystem, Layer, Option, Path, Result } from "effect"
import { Argument, Command } from "effect/cli"
import { printable, visiblePath } from "../../domain/text/Printable.ts"
import { readSettingsFile } from "../../domain/text/SettingsFile.ts"
import { digests } from "../../layers/TrustLive.ts"
import { Git } from "../../services/change/Git.ts"
import { repositoryFileNames, settingsTable } from "../../services/run/Settings.ts"
import { setTrusted, type TrustedRepository, trusted } from "../../services/run/trustedFiles.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { switchFlag } from "../text/flags.ts"

const path = Argument.String("path").pipe(
  Argument.withDescription("Path in the repository (default: the current directory)"),
  Argument.optional
)

/** Whoever trusts a command has seen all of it, as the shell reads it. */
const trust = Effect.fnUntraced(function* (root: string) {
  const { words } = yield* Redactor
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const texts = new Map<string, string>()
  const lines: Array<string> = []
  for (const name of repositoryFileNames) {
    const text = Option.getOrNull(yield* Effect.option(fs.readFileString(paths.join(root, name))))
    const named = text === null ? [] : commandsIn(text, settingsTable(name))
    if (text === null || named.length === 0) continue
    texts.set(name, text)
    for (const { key, line, value } of named) {
      const shown = `${name}:${line}: ${key} = ${visiblePath(String(value))}`
      if (words(shown) !== shown) {
        const reason = `${name}:${line}: a part of ${key} looks like a credential or a user name, and would be hidden here: remove it, or set ${key} in your own settings`
        return yield* new CallRefused({ reason })
      }
      lines.push(`  ${shown}`)
    }
  }
  if (texts.size === 0) {
    const reason = `nothing to trust in ${visiblePath(root)}: neither ${repositoryFileNames.join(" nor ")} sets test_command`
    return yield* new CallRefused({ reason })
  }
  yield* setTrusted(root, texts)
  return [`Trusted, until the file is edited: ${visiblePath(root)}`, ...lines].join("\n")
})

const commandsIn = (text: string, table: string) =>
  (Result.getOrElse(readSettingsFile(text, table), () => null) ?? []).filter(({ key }) => key === "test_command")

const listText = (repositories: ReadonlyArray<TrustedRepository>): string =>
  repositories.length === 0
    ? "no repository is trusted"
    : repositories
        .toSorted((a, b) => (a.root < b.root ? -1 : 1))
        .map(({ files, root }) => `${visiblePath(root)}  ${Object.keys(files).join(", ")}`)
        .join("\n")

export const trustCommand = Command.make("trust", {
  path,
  list: switchFlag("list", "List what is trusted"),
  remove: switchFlag("remove", "Trust the repository no longer")
}).pipe(
  Command.withDescription("Trust the test command in a repository's settings"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ list, path, remove }) {
      const { words } = yield* Redactor
      const say = (text: string) => Console.log(words(printable(text)))
      if (list) return yield* say(listText(yield* trusted))
      const target = Option.getOrElse(path, () => ".")
      const opened = yield* Effect.result((yield* Git).open(target))
      const paths = yield* Path.Path
      if (remove) {
        // The repository may have been deleted.
        const root = Result.isSuccess(opened) ? (opened.success.root ?? "") : paths.resolve(target)
        if (!(yield* trusted).some((each) => each.root === root)) {
          return yield* new CallRefused({
            reason: `${visiblePath(root)} is not trusted; dd trust --list shows what is`
          })
        }
        yield* setTrusted(root, new Map())
        return yield* say(`No longer trusted: ${visiblePath(root)}`)
      }
      const { root } = yield* Effect.fromResult(opened)
      if (root === null) return yield* new CallRefused({ reason: "a bare repository has no files to trust" })
      yield* say(yield* trust(root))
    })
  ),
  Command.withExamples([
    { command: "dd trust", description: "Trust the test_command in this repository's .daydream.toml" },
    { command: "dd trust --remove .", description: "Undo it" }
  ]),
  Command.provide(Layer.merge(digests, Git.layer))
)
