/** `symbols`: where names are defined and who uses them, from the symbol index of the head side. */
import { Effect, Schema } from "effect"
import type { Change } from "../../../domain/change/Change.ts"
import { signatureText } from "../../../domain/code/brokenUses.ts"
import { type Answer, type DefinitionPlace, qualifiedName } from "../../../domain/code/CodeQuery.ts"
import type { Definition } from "../../../domain/code/Symbol.ts"
import { plural } from "../../../domain/text/plural.ts"
import { changesWith } from "../../brief/companions.ts"
import { Sources } from "../../change/Sources.ts"
import { CodeQueries } from "../../code/CodeQueries.ts"
import { readActionOf, refused } from "../runtime/Action.ts"
import { Ordinal, optional } from "../runtime/actionInput.ts"
import { pageOf } from "../runtime/answerText.ts"
import type { ShownFiles } from "../runtime/ShownFiles.ts"

const kinds = ["definitions", "references", "callers", "callees", "tests", "importers", "changes_with"] as const

const Input = Schema.Struct({
  kind: Schema.Literals(kinds).annotate({
    description:
      "definitions: where name is defined. references, callers, callees, tests: of the definition of name. importers: files that import path. changes_with: files that usually change together with path."
  }),
  name: optional(Schema.String, 'A name as it is written: "total", "Cart.total". Not for importers and changes_with.'),
  path: optional(Schema.String, "The file: of importers and changes_with; else the file of the definition."),
  line: optional(Ordinal, "A line of the definition, where path has several of that name."),
  from: optional(Ordinal, "First entry, for the next page. Default 1.")
})
type Input = typeof Input.Type

const longestName = 300
const timeLimit = "20 seconds"

export const makeSymbols = Effect.fnUntraced(function* (files: ShownFiles, change: Change) {
  const queries = yield* CodeQueries
  const sources = yield* Sources

  const definitionLine = ({ definition, path }: DefinitionPlace): string =>
    `${files.path(path)}:${linesOf(definition)}\t${definition.kind} ${files.words(signatureOf(definition))}`

  const renderList = Effect.fnUntraced(function* <A>(
    title: string,
    { found, omitted }: Answer<A>,
    { from }: Input,
    render: (entry: A) => string
  ) {
    const notices = omitted.slice(0, 5).map((each) => `[not searched: ${files.words(each)}]`)
    if (found.length === 0) return [`${title}: none found`, ...notices].join("\n")
    const { more, shown } = yield* pageOf(title, found, from ?? 1, render)
    return [`${title}: ${found.length}`, ...shown, ...notices, ...more].join("\n")
  })

  /** Finds the definition; if there are several, refuses with a list of them. */
  const definitionOf = Effect.fnUntraced(function* (name: string, { line, path }: Input) {
    const { found } = yield* queries.definitionsOf(name)
    const here = found.filter(
      (each) =>
        (path == null || each.path === path || files.path(each.path) === path) &&
        (line == null || (each.definition.line <= line && line <= each.definition.endLine))
    )
    const [only] = here
    if (only !== undefined && here.length === 1) return only
    if (found.length === 0) {
      return yield* refused(`no definition of ${files.words(name)} was found; grep finds other places where it occurs`)
    }
    const offered = (here.length === 0 ? found : here).slice(0, 20).map(definitionLine)
    const why =
      here.length === 0
        ? `${files.words(name)} is not defined there, but in`
        : `${plural(here.length, "definition")} of ${files.words(name)}: choose one with path and line`
    return yield* refused([why, ...offered].join("\n"))
  })

  const aboutFile = Effect.fnUntraced(function* (input: Input) {
    if (input.path == null) return yield* refused(`${input.kind} needs a file: name it with path`)
    const path = yield* files.find("head", input.path)
    const name = files.path(path)
    if (input.kind === "importers") {
      return yield* renderList(`files that import ${name}`, yield* queries.importersOf(path), input, files.path)
    }
    return yield* renderList(
      `files that change together with ${name}`,
      yield* Effect.provideService(changesWith(path), Sources, sources),
      input,
      ({ commits, file, together }) => `${files.path(file)}\t${together} of ${plural(commits, "commit")}`
    )
  })

  const aboutName = Effect.fnUntraced(function* (input: Input, name: string) {
    if (input.kind === "definitions") {
      return yield* renderList(
        `definitions of ${files.words(name)}`,
        yield* queries.definitionsOf(name),
        input,
        definitionLine
      )
    }
    const place = yield* definitionOf(name, input)
    const of = `of ${files.words(qualifiedName(place.definition))} (${files.path(place.path)}:${place.definition.line})`
    switch (input.kind) {
      case "references":
        return yield* renderList(
          `references ${of}`,
          yield* queries.referencesTo(place),
          input,
          (each) => `${files.path(each.path)}:${each.line}\t${each.kind}${certainty(each)}`
        )
      case "callers":
        return yield* renderList(`callers ${of}`, yield* queries.callersOf(place), input, (each) => {
          const caller = each.definition === null ? "top of the file" : files.words(qualifiedName(each.definition))
          return `${files.path(each.path)}:${each.lines.join(",")}\t${caller}${certainty(each)}`
        })
      case "callees":
        return yield* renderList(
          `callees ${of}`,
          yield* queries.calleesOf(place),
          input,
          (each) => `${definitionLine(each)}\tcalled at ${each.lines.join(",")}${certainty(each)}`
        )
      default:
        return yield* renderList(
          `tests ${of}`,
          yield* queries.testsOf(place),
          input,
          (each) => `${files.path(each.path)}\t${testReasons[each.by]}`
        )
    }
  })

  return readActionOf({
    name: "symbols",
    description:
      'Definitions, uses and neighbours of code after the change, one a line as "PATH:LINE<tab>WHAT". "possible" means that only the name was found, in a file that may mean it. If more follow, the last line gives the next value of from.',
    input: Input,
    act: Effect.fn("Action.symbols")(
      function* (input: Input) {
        if (change.head._tag === "Unknown") {
          return yield* refused("only a patch is known, without the code around it; diff and read_file show the patch")
        }
        if (input.kind === "importers" || input.kind === "changes_with") return yield* aboutFile(input)
        if (input.name == null || input.name.trim() === "")
          return yield* refused(`${input.kind} needs a name: give it with name`)
        if (input.name.length > longestName || /[\0-\x1f\x7f]/.test(input.name))
          return yield* refused("this is not a name of code")
        return yield* aboutName(input, input.name)
      },
      Effect.timeoutOrElse({
        duration: timeLimit,
        orElse: () => Effect.fail(refused(`this took longer than ${timeLimit}; grep is faster`))
      })
    )
  })
})

const testReasons = { use: "uses it", import: "imports its file", name: "is named after its file" }

const linesOf = ({ endLine, line }: Definition): string => (endLine > line ? `${line}-${endLine}` : String(line))

const signatureOf = ({ container, name, signature }: Definition): string => {
  const full = qualifiedName({ container, name })
  return signature === null ? full : `${signature.async ? "async " : ""}${signatureText(full, signature)}`
}

const certainty = ({ certain }: { readonly certain: boolean }): string => (certain ? "" : " (possible)")
