/** `symbols`: what names mean and who uses them, as the symbol index tells of the head side. */
import { Effect, Result, Schema } from "effect"
import type { Change } from "../../../domain/change/Change.ts"
import { signatureText } from "../../../domain/code/brokenUses.ts"
import { type Answer, type DefinitionPlace, qualifiedName } from "../../../domain/code/CodeQuery.ts"
import type { Definition } from "../../../domain/code/Symbol.ts"
import { CodeQueries } from "../../code/CodeQueries.ts"
import { Ordinal, optional, readActionOf } from "../runtime/actionOf.ts"
import { answered, count, fitting, refused } from "../runtime/answerText.ts"
import type { ShownFiles } from "../runtime/ShownFiles.ts"

const kinds = ["definitions", "references", "callers", "callees", "tests", "importers", "changes_with"] as const

const Input = Schema.Struct({
  kind: Schema.Literals(kinds).annotate({
    description:
      "definitions: where name is defined. references, callers, callees, tests: of the definition of name. importers: files that import path. changes_with: files that usually change together with path."
  }),
  name: optional(Schema.String, 'A name as it is written: "total", "Cart.total". Not for importers and changes_with.'),
  path: optional(Schema.String, "The file: of importers and changes_with; else the file the definition stands in."),
  line: optional(Ordinal, "A line of the definition, where path has several of that name."),
  from: optional(Ordinal, "First entry, for the next page. Default 1.")
})
type Input = typeof Input.Type

const mostEntries = 200
const longestName = 300
const patience = "20 seconds"

export const makeSymbols = Effect.fnUntraced(function* (files: ShownFiles, change: Change) {
  const queries = yield* CodeQueries

  const defined = ({ definition, path }: DefinitionPlace): string =>
    `${files.path(path)}:${linesOf(definition)}\t${definition.kind} ${files.words(signatureOf(definition))}`

  const listed = (title: string, { found, omitted }: Answer<string>, from: number) => {
    const notices = omitted.slice(0, 5).map((each) => `[not looked at: ${files.words(each)}]`)
    if (found.length === 0) return answered([`${title}: none found`, ...notices].join("\n"))
    if (from > found.length) return refused(`${title}: ${count(found.length, "entry", "entries")}, none from ${from}`)
    const page = found.slice(from - 1, from - 1 + mostEntries)
    const shown = page.slice(0, fitting(page))
    const next = from + shown.length
    const rest = next <= found.length ? [`[${found.length - next + 1} more: ask again from ${next}]`] : []
    return answered([`${title}: ${found.length}`, ...shown, ...notices, ...rest].join("\n"))
  }

  /** The one definition that is meant, or words that say which there are. */
  const definitionOf = Effect.fnUntraced(function* (name: string, { line, path }: Input) {
    const { found } = yield* queries.definitionsOf(name)
    const here = found.filter(
      (each) =>
        (path == null || each.path === path || files.path(each.path) === path) &&
        (line == null || (each.definition.line <= line && line <= each.definition.endLine))
    )
    const [only] = here
    if (only !== undefined && here.length === 1) return Result.succeed(only)
    if (found.length === 0) {
      return Result.fail(`no definition of ${files.words(name)} was found; grep finds other places where it stands`)
    }
    const offered = (here.length === 0 ? found : here).slice(0, 20).map(defined)
    const why =
      here.length === 0
        ? `${files.words(name)} is not defined there, but in`
        : `${count(here.length, "definition")} of ${files.words(name)}: say which with path and line`
    return Result.fail([why, ...offered].join("\n"))
  })

  const aboutFile = Effect.fnUntraced(function* (input: Input) {
    if (input.path == null) return refused(`${input.kind} is of a file: say which one with path`)
    const found = yield* files.find("head", input.path)
    if (Result.isFailure(found)) return refused(found.failure)
    const path = found.success
    const name = files.path(path)
    if (input.kind === "importers") {
      const { found, omitted } = yield* queries.importersOf(path)
      return listed(`files that import ${name}`, { found: found.map(files.path), omitted }, input.from ?? 1)
    }
    const together = yield* queries.changesWith([path])
    const lines = together.map((each) => `${files.path(each.other)}\t${each.together} of ${each.commits} commits`)
    return listed(`files that change together with ${name}`, { found: lines, omitted: [] }, input.from ?? 1)
  })

  const aboutName = Effect.fnUntraced(function* (input: Input, name: string) {
    const from = input.from ?? 1
    if (input.kind === "definitions") {
      const { found, omitted } = yield* queries.definitionsOf(name)
      return listed(`definitions of ${files.words(name)}`, { found: found.map(defined), omitted }, from)
    }
    const one = yield* definitionOf(name, input)
    if (Result.isFailure(one)) return refused(one.failure)
    const place = one.success
    const of = `of ${files.words(qualifiedName(place.definition))} (${files.path(place.path)}:${place.definition.line})`
    switch (input.kind) {
      case "references": {
        const { found, omitted } = yield* queries.referencesTo(place)
        const lines = found.map((each) => `${files.path(each.path)}:${each.line}\t${each.kind}${sureness(each)}`)
        return listed(`references ${of}`, { found: lines, omitted }, from)
      }
      case "callers": {
        const { found, omitted } = yield* queries.callersOf(place)
        const lines = found.map((each) => {
          const who = each.definition === null ? "top of the file" : files.words(qualifiedName(each.definition))
          return `${files.path(each.path)}:${each.lines.join(",")}\t${who}${sureness(each)}`
        })
        return listed(`callers ${of}`, { found: lines, omitted }, from)
      }
      case "callees": {
        const { found, omitted } = yield* queries.calleesOf(place)
        const lines = found.map((each) => `${defined(each)}\tcalled at ${each.lines.join(",")}${sureness(each)}`)
        return listed(`callees ${of}`, { found: lines, omitted }, from)
      }
      default: {
        const { found, omitted } = yield* queries.testsOf(place)
        const how = { use: "uses it", import: "imports its file", name: "is named after its file" }
        const lines = found.map((each) => `${files.path(each.path)}\t${how[each.by]}`)
        return listed(`tests ${of}`, { found: lines, omitted }, from)
      }
    }
  })

  return readActionOf({
    name: "symbols",
    description:
      'Definitions, uses and neighbours of code after the change, one a line as "PATH:LINE<tab>WHAT". "possible" means that only the name was found, in a file that may mean it. Where more follow, the last line says from where to ask again.',
    input: Input,
    act: Effect.fn("Action.symbols")(
      function* (input: Input) {
        if (change.head._tag === "Unknown") {
          return refused("only a patch is known: there is no code around it to ask; diff and read_file show the patch")
        }
        if (input.kind === "importers" || input.kind === "changes_with") return yield* aboutFile(input)
        if (input.name == null || input.name.trim() === "")
          return refused(`${input.kind} is of a name: say which with name`)
        if (input.name.length > longestName || /[\0-\x1f\x7f]/.test(input.name))
          return refused("this is not a name of code")
        return yield* aboutName(input, input.name)
      },
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.succeed(refused(`this took longer than ${patience}; grep answers sooner`))
      })
    )
  })
})

const linesOf = ({ endLine, line }: Definition): string => (endLine > line ? `${line}-${endLine}` : String(line))

const signatureOf = ({ container, name, signature }: Definition): string => {
  const full = qualifiedName({ container, name })
  return signature === null ? full : `${signature.async ? "async " : ""}${signatureText(full, signature)}`
}

const sureness = ({ certain }: { readonly certain: boolean }): string => (certain ? "" : " (possible)")
