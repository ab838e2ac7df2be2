/** `dd symbols`: where a name is defined and who uses it, from the symbol index of one side. */
import { Console, Effect, Layer, Option, Path, Stdio } from "effect"
import { Argument, Command } from "effect/cli"
import type { Change, Selection } from "../../domain/change/Change.ts"
import { askedParts } from "../../domain/code/CodeQuery.ts"
import { visiblePath } from "../../domain/text/Printable.ts"
import * as CodeLive from "../../layers/CodeLive.ts"
import * as TreeSitter from "../../layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { layerTimeout } from "../../services/change/gitCall.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { Sources } from "../../services/change/Sources.ts"
import { SymbolIndex } from "../../services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../services/code/SyntaxTrees.ts"
import { daydreamHome } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import * as Progress from "../review/Progress.ts"
import { shown, treatmentsOf, wordsFor } from "../review/render/Presentable.ts"
import { exclusive, UsageWrong } from "../review/reviewFlags.ts"
import { openAround, targetOf } from "../review/reviewTarget.ts"
import { canShowColour } from "../system/colour.ts"
import { exitCodes } from "../system/exitCode.ts"
import { hereIn } from "../system/here.ts"
import { Outcome } from "../system/outcome.ts"
import { lineWidth } from "../system/terminal.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag, switchFlag, textFlag } from "../text/flags.ts"
import { jsonDocument } from "../text/plainJson.ts"
import { publishedSchema } from "../text/publishedSchema.ts"
import { SymbolsJson } from "./SymbolsJson.ts"
import { symbolsText } from "./SymbolsText.ts"
import { symbolsOf } from "./symbolsOf.ts"

const flags = {
  name: Argument.String("name").pipe(
    Argument.withDescription("Name as you write it: total, Cart.total, shop.cart.total, cart::total"),
    Argument.optional
  ),
  target: Argument.String("target").pipe(
    Argument.withDescription("Repository, or path in it with the definitions; default: the current repository"),
    Argument.optional
  ),
  commit: textFlag("commit", "SHA", "Read this commit instead of the working tree"),
  branch: textFlag("branch", "BRANCH", "Read this branch instead of the working tree"),
  inside: textFlag("in", "PATH", "Only definitions in this file or folder"),
  format: formatFlag(["text", "json"]),
  printSchema: switchFlag("print-schema", "Print the JSON schema of --format json")
}

type Flags = Command.Command.Config.Infer<typeof flags>

const longestName = 300

const usageWrong = (reason: string) => new UsageWrong({ reason, command: "symbols" })

const handler = Effect.fnUntraced(function* (given: Flags) {
  if (given.printSchema) return yield* writeOut(publishedSchema(SymbolsJson))
  const name = Option.getOrElse(given.name, () => "").trim()
  if (name === "") return yield* usageWrong("the name is missing; write dd symbols NAME")
  if (askedParts(name).name === "" || name.length > longestName || /[\x00-\x1f\x7f]/.test(name)) {
    return yield* usageWrong("this is not a name of code")
  }
  yield* exclusive({ "--commit": Option.isSome(given.commit), "--branch": Option.isSome(given.branch) }, "symbols")
  yield* TreeSitter.begin
  const target = yield* targetOf(Option.getOrElse(given.target, () => "."))
  const repository = yield* openAround(target)
  const change = yield* Changes.use((changes) =>
    Effect.flatMap(headOf(repository, given), (head) => changes.resolve(repository, head))
  )
  const facts = ReviewLive.blobFacts(repository, yield* daydreamHome)
  const sources = ReviewLive.sources(repository, change, facts)
  yield* show(name, given, repository, change).pipe(Effect.provide(live.pipe(Layer.provideMerge(sources))))
})

/** A selection without commits, so that only uncommitted edits are compared. */
const headOf = Effect.fnUntraced(function* (repository: Repository, { branch, commit }: Flags) {
  const git = yield* Git
  const { sha } = repository.head
  const named = Option.isSome(commit) ? yield* git.resolve(repository, commit.value) : Option.getOrNull(branch)
  const selection: Selection =
    named !== null
      ? { _tag: "Branch", branch: named, base: named }
      : sha === null
        ? { _tag: "Default" }
        : { _tag: "Base", base: sha }
  return selection
})

const show = Effect.fnUntraced(function* (name: string, given: Flags, repository: Repository, change: Change) {
  const isWanted = yield* wantedPaths(given, repository)
  const symbols = yield* symbolsOf(name, isWanted, change).pipe(Progress.during("symbols"))
  const { text: redact } = yield* Redactor
  const words = wordsFor(redact)
  const path = given.format === "json" ? redact : (text: string) => visiblePath(redact(visiblePath(redact(text))))
  const presented = shown(symbols, { ...treatmentsOf(words), path, signature: words.line, omitted: words.line })
  if (given.format === "json") yield* writeOut(jsonDocument(presented))
  else {
    const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
    const page = {
      width: yield* lineWidth(isTerminal),
      colour: yield* canShowColour(1),
      here: isTerminal ? yield* hereIn(repository) : null,
      most: isTerminal ? placesOnTerminal : Number.POSITIVE_INFINITY
    }
    yield* Console.log(symbolsText(presented, page).join("\n"))
  }
  if (symbols.definitions.length > 0) return
  const isUnread = (yield* (yield* Sources).failures).length > 0
  return yield* new Outcome({ code: isUnread ? exitCodes.inconclusive : exitCodes.findings })
})

const placesOnTerminal = 12

/** Tells whether a path is in the target and in `--in`. */
const wantedPaths = Effect.fnUntraced(function* ({ inside, target }: Flags, repository: Repository) {
  const paths = yield* Path.Path
  const all = yield* (yield* Sources).headPaths
  const fromRoot = Effect.fnUntraced(function* (typed: string) {
    return repository.root === null ? typed : paths.relative(repository.root, (yield* targetOf(typed)).path)
  })
  const wanted: Array<string> = []
  if (Option.isSome(target)) {
    const folder = yield* fromRoot(target.value)
    if (folder !== "" && repository.root !== null) wanted.push(folder)
  }
  if (Option.isSome(inside)) {
    // Relative to the current directory or, as paths are printed in a pipe, to the root of the repository.
    const fromTop = paths.relative("/", paths.resolve("/", inside.value))
    const found = [yield* fromRoot(inside.value), fromTop].find((folder) => all.some(isWithin(folder)))
    wanted.push(found ?? inside.value)
  }
  const missing = wanted.find((folder) => !all.some(isWithin(folder)))
  if (missing !== undefined) return yield* usageWrong(`the repository has no file or folder ${missing}`)
  return (path: string) => wanted.every((folder) => isWithin(folder)(path))
})

const isWithin = (folder: string) => (path: string) => folder === "" || path === folder || path.startsWith(`${folder}/`)

/** Sources and their facts are left open. */
const live = CodeLive.codeQueries.pipe(
  Layer.provide(SymbolIndex.layer),
  Layer.provideMerge(SyntaxTrees.layer),
  Layer.provide(TreeSitter.layer)
)

export const symbolsCommand = Command.make("symbols", flags).pipe(
  Command.withShortDescription("Show where a name is defined and used"),
  Command.withDescription(`Show where a name is defined and used: definitions, references, importers, callers, callees, tests.

  Reads the working tree, or another commit or branch. A use is certain if it was resolved to the
  definition; it is possible if only the name matches, in a file that may use it. The last lines
  list what was not searched. Uses no model and runs nothing of the repository.

  Exits with 1 if there is no definition, and with 4 if none was found but a part could not be read.`),
  Command.withExamples([
    { command: "dd symbols Cart.total", description: "Show the method total of Cart" },
    { command: "dd symbols total --in src/cart.py", description: "Show the definitions of total in one file" },
    { command: "dd symbols total --commit v1.2 --format json", description: "Read another commit, print JSON" }
  ]),
  Command.withHandler(handler),
  Command.provide(Layer.mergeAll(Changes.layer.pipe(Layer.provideMerge(Git.layer)), layerTimeout))
)
