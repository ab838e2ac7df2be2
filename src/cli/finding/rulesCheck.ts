/** `dd rules check`: whether rule files are valid, and whether each rule fits its examples. */

import { Console, Effect, FileSystem, Layer, Path, Result, Runtime, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { addedFiles } from "../../domain/change/creationPatch.ts"
import { repositoryRuleFolder, type UserExample } from "../../domain/finding/UserRule.ts"
import { printable } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { Git } from "../../services/change/Git.ts"
import { StaticReviewer } from "../../services/finding/StaticReviewer.ts"
import { allUserRules, compileRules, isRuleFile, type LoadedRule, type RuleText } from "../../services/run/userRules.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { presentable } from "../system/failure.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { filesBelow } from "./filesBelow.ts"
import { additionOf, rootHere } from "./rulesTest.ts"

/** At least one rule file is not valid or does not fit its examples; the report has been printed. */
export class RuleCheckFailed extends Schema.TaggedError<RuleCheckFailed>()("RuleCheckFailed", {
  broken: Schema.Int,
  of: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 1
  override get message() {
    return `${this.broken} of ${plural(this.of, "rule file")} failed the check`
  }
}

interface CheckedFile {
  readonly file: string
  /** Null if the file could not be read as a rule. */
  readonly id: string | null
  readonly passed: boolean
  readonly examples: { readonly bad: number; readonly good: number }
  readonly problems: ReadonlyArray<{ readonly line: number | null; readonly key: string; readonly problem: string }>
}

const flags = {
  files: Argument.String("file").pipe(
    Argument.withDescription("Rule file; default: all in ~/.daydream/rules and .daydream/rules"),
    Argument.atLeast(0)
  ),
  format: formatFlag(["text", "json"])
}

const check = Effect.fnUntraced(function* ({ files, format }: Command.Command.Config.Infer<typeof flags>) {
  const { text: redact } = yield* Redactor
  const root = yield* rootHere
  const { loaded, problems } = yield* Effect.gen(function* () {
    return files.length === 0 ? yield* allUserRules : yield* compileRules(yield* readAll(files, root))
  }).pipe(
    Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(ReviewLive.sourcesOfFiles({ files: new Map(), root }))))
  )

  const checked = yield* Effect.forEach(loaded, checkedRule)
  const unread = [...Map.groupBy(problems, ({ file }) => file)].map(
    ([file, found]): CheckedFile => ({
      file: presentable(file, redact),
      id: null,
      passed: false,
      examples: { bad: 0, good: 0 },
      problems: found.map(({ line, key, problem }) => ({
        line,
        key: presentable(key, redact),
        problem: presentable(problem, redact)
      }))
    })
  )
  const all = [...unread, ...checked]
  yield* format === "json"
    ? writeOut(`${plainJson({ schema_version: 1, files: all })}\n`)
    : Console.log(reportText(all, redact))
  const broken = all.filter(({ passed }) => !passed).length
  if (broken > 0) return yield* new RuleCheckFailed({ broken, of: all.length })
})

/** Applies the rule to each of its examples, each a file that a change has just added. */
const checkedRule = Effect.fnUntraced(function* (loaded: LoadedRule) {
  const { text: redact } = yield* Redactor
  const { written } = loaded
  const of = (kind: UserExample["kind"]) => written.examples.filter((example) => example.kind === kind).length
  const wrong = yield* Effect.forEach(written.examples, (example) => exampleProblems(loaded, example))
  const none = "no example shows what it reports; add [[bad]] with text = '''...'''"
  const problems = [
    ...(of("bad") === 0 ? [{ line: null, key: "bad", problem: none }] : []),
    ...wrong.flat().map((problem) => ({ line: null, key: "", problem }))
  ]
  const result: CheckedFile = {
    file: presentable(written.file, redact),
    id: written.id,
    passed: problems.length === 0,
    examples: { bad: of("bad"), good: of("good") },
    problems
  }
  return result
})

const exampleProblems = Effect.fnUntraced(function* ({ rule }: LoadedRule, { kind, number, path, text }: UserExample) {
  const { text: redact } = yield* Redactor
  const files = new Map([[path, new TextEncoder().encode(text)]])
  const added = addedFiles(files)
  if (Result.isFailure(added)) return [`${kind} example ${number}: ${presentable(added.failure.message, redact)}`]
  const change = additionOf(added.success, "an example")
  const { coverage, problems, records } = yield* StaticReviewer.use((reviewer) => reviewer.review(change, [path])).pipe(
    Effect.provide(ReviewLive.staticReviewer([rule], files))
  )
  const [failed] = problems
  if (failed !== undefined) return [`${kind} example ${number}: ${presentable(failed.message, redact)}`]
  if (kind === "good") {
    return records.map(({ line }) => `good example ${number} is reported at line ${line}`)
  }
  if (records.length > 0) return []
  const reasons = coverage
    .flatMap(({ reason }) => (reason === "" ? [] : [` (${presentable(reason, redact)})`]))
    .join("")
  return [`bad example ${number} is not reported${reasons}`]
})

const readAll = Effect.fnUntraced(function* (typed: ReadonlyArray<string>, root: string | null) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { text: redact } = yield* Redactor
  const files = yield* filesBelow(typed)
  const written = files.filter(({ file, isBelow }) => !isBelow || isRuleFile(paths.basename(file)))
  return yield* Effect.forEach(written, ({ file }) =>
    fs.readFileString(file).pipe(
      Effect.mapError(
        (error) => new CallRefused({ reason: `${presentable(file, redact)}: ${systemErrorText(error)}` })
      ),
      Effect.map((text): RuleText => {
        const folder = root === null ? null : paths.join(root, repositoryRuleFolder)
        const area = paths.dirname(paths.resolve(file)) === folder ? "repo" : "user"
        return { area, file, name: paths.basename(file), text }
      })
    )
  )
})

const reportText = (files: ReadonlyArray<CheckedFile>, redact: Redactor["Service"]["text"]): string => {
  if (files.length === 0) return "no rule files in ~/.daydream/rules or .daydream/rules"
  const block = ({ file, id, passed, examples, problems }: CheckedFile): string => {
    const counts = `${plural(examples.bad, "bad example")}, ${examples.good} good`
    if (passed) return `${file}: ${id} passed (${counts})`
    const lines = problems.map(
      ({ line, key, problem }) => `  ${line === null ? "" : `line ${line}: `}${key === "" ? "" : `${key}: `}${problem}`
    )
    return [`${file}: ${id === null ? "broken" : `${id} failed`}`, ...lines].join("\n")
  }
  return printable(redact(files.map(block).join("\n")))
}

export const checkCommand = Command.make("check", flags).pipe(
  Command.withShortDescription("Check rule files and their examples"),
  Command.withDescription(`Check rule files: each must be valid, report its bad examples and not report its good ones.

  Without FILE, checks ~/.daydream/rules (DD_HOME) and .daydream/rules of the working tree.

  Exit codes: 0 all passed, 1 some failed, 2 usage.`),
  Command.withExamples([
    { command: "dd rules check", description: "Check all rule files" },
    { command: "dd rules check .daydream/rules/no-legacy-client.toml", description: "Check one file" }
  ]),
  Command.withHandler(check),
  Command.provide(Git.layer)
)
