/** `dd rules test FILE...`: applies rules to whole files, as if every line were added. Writes nothing. */

import { Effect, FileSystem, Layer, Path, Stdio } from "effect"
import { Argument, Command } from "effect/cli"
import { layerWebCrypto as layerSecureRandom, SecureRandom } from "effect/crypto/SecureRandom"
import { version } from "../../../package.json" with { type: "json" }
import type { Change } from "../../domain/change/Change.ts"
import { addedFiles } from "../../domain/change/creationPatch.ts"
import { overLimit } from "../../domain/change/remote/whyUnread.ts"
import { isFileRule, type Rule } from "../../domain/finding/Rule.ts"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import { SessionId } from "../../domain/run/SessionId.ts"
import { plural } from "../../domain/text/plural.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { type ReviewRequest, review } from "../../programs/review.ts"
import { Git } from "../../services/change/Git.ts"
import { maxBytes } from "../../services/change/Sources.ts"
import { shippedRules } from "../../services/finding/RuleSet.ts"
import { allUserRules } from "../../services/run/userRules.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { type Format, render } from "../review/render/Format.ts"
import { presentableOf } from "../review/reviewOutput.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { canShowColour } from "../system/colour.ts"
import { exitCodes } from "../system/exitCode.ts"
import { presentable } from "../system/failure.ts"
import { Outcome } from "../system/outcome.ts"
import { fitted, lineWidth } from "../system/terminal.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag, repeatedFlag } from "../text/flags.ts"
import { ruleById } from "./enabledRules.ts"
import { filesBelow } from "./filesBelow.ts"
import { findRule } from "./findRule.ts"
import { ownRulesNote, ruleFileDegradations } from "./ruleNotes.ts"

const formats = ["text", "json", "markdown", "sarif", "rdjsonl", "gitlab", "github"] as const

const flags = {
  files: Argument.String("file").pipe(
    Argument.withDescription("File to check, or a directory with files"),
    Argument.atLeast(1)
  ),
  rule: repeatedFlag("rule", "ID", "Apply only this rule; repeatable"),
  format: formatFlag(formats)
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

const test = Effect.fnUntraced(function* (values: FlagValues) {
  const { text: redact } = yield* Redactor
  const root = yield* rootHere
  const { files, outside } = yield* readAll(values.files, root)
  const added = addedFiles(files)
  if (added._tag === "Failure") return yield* new CallRefused({ reason: added.failure.message })
  const names = [...files.keys()]
  const what =
    names.length === 1 ? presentable(shownOutside(outside)(names[0] ?? ""), redact) : plural(names.length, "file")
  yield* testChange(values, additionOf(added.success, `${what}, every line treated as added`), outside).pipe(
    Effect.provide(ReviewLive.userRules.pipe(Layer.provideMerge(ReviewLive.sourcesOfFiles({ files, root }))))
  )
})

/** The change that adds files to an empty tree. */
export const additionOf = (files: Pick<Change, "diff" | "patch">, description: string): Change => ({
  description,
  base: { _tag: "Empty" },
  head: { _tag: "Worktree" },
  branch: null,
  commits: [],
  ...files
})

const testChange = Effect.fnUntraced(function* (values: FlagValues, change: Change, outside: ReadonlySet<string>) {
  const own = yield* allUserRules
  const rules = yield* chosen([...shippedRules, ...own.loaded.map(({ rule }) => rule)], values.rule)
  const sessionId = SessionId.make(yield* SecureRandom.use((random) => random.uuidV4()))
  const request: ReviewRequest = {
    sessionId,
    flow: "deep",
    change,
    ignored: [],
    startAt: "review",
    findingsOut: null,
    fixing: null,
    proving: null,
    loop: null,
    feedback: null,
    known: new Set(),
    tinyThreshold: 0,
    wantsBrief: false,
    reviewedBy: () => [],
    notes: [
      `Applied ${plural(rules.length, "rule")} for single files; no model.`,
      ...ownRulesNote(rules, "working tree")
    ],
    missing: ruleFileDegradations(own.problems)
  }
  const live = ReviewLive.layer<never>({
    sessionId,
    flow: request.flow,
    backend: "static",
    archive: null,
    replay: null,
    resumed: null,
    answering: null,
    fixing: null,
    loop: null,
    skill: null,
    maxCost: null,
    timeout: null,
    repository: null,
    change,
    rules,
    fanout: 2,
    home: null,
    usesLearned: false,
    pricesFile: null,
    writes: false,
    version,
    trajectory: null,
    pullRequest: null,
    watchers: []
  })
  yield* show(values, request, rules, outside).pipe(Effect.provide(live), Effect.scoped)
})

/** A change has no absolute paths, so those of files outside of the root lose their slash until they are shown. */
const shownOutside =
  (outside: ReadonlySet<string>) =>
  (path: string): string =>
    outside.has(path) ? `/${path}` : path

const show = Effect.fnUntraced(function* (
  values: FlagValues,
  request: ReviewRequest,
  rules: ReadonlyArray<Rule>,
  outside: ReadonlySet<string>
) {
  const { result } = yield* review(request)
  const terminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  const code = result.findings.length > 0 ? exitCodes.findings : exitCodes.pass
  const format: Format = values.format
  const colour = yield* canShowColour(1)
  const report = render(format, yield* presentableOf(result, format === "text" && colour), {
    version,
    rule: ruleById(rules),
    width: yield* lineWidth(terminal),
    colour,
    all: true,
    files: null,
    here: { path: shownOutside(outside), description: (text) => text, prose: (text) => text },
    shown: 0,
    exitCode: code,
    exitReason: exitReason(result)
  })
  yield* writeOut(format === "text" ? yield* fitted(report) : report)
  if (code !== exitCodes.pass) return yield* new Outcome({ code })
})

/** Null if the report says all: so many rules checked so many files, without a finding. */
const exitReason = ({ coverage, findings, status }: ReviewResult): string | null => {
  if (findings.length > 0) return `Failed: ${plural(findings.length, "finding")}.`
  if (status !== "complete") return "Not every rule was applied to every file."
  return coverage.filesReviewed === 0 ? "No rule was applied to a file." : null
}

/** Rules that need only one version of a file; fails if `ids` names another rule. */
export const chosen = Effect.fnUntraced(function* (rules: ReadonlyArray<Rule>, ids: ReadonlyArray<string>) {
  if (ids.length === 0) return rules.filter(isFileRule)
  return yield* Effect.forEach([...new Set(ids)], (id) =>
    Effect.flatMap(findRule(rules, id), (rule) =>
      isFileRule(rule)
        ? Effect.succeed(rule)
        : Effect.fail(
            new CallRefused({
              reason: `${rule.id} compares two versions of a file; only dd review applies it`
            })
          )
    )
  )
})

/** The root of the current working tree; null outside of one. */
export const rootHere = Effect.gen(function* () {
  const git = yield* Git
  return (yield* git.open(".")).root
}).pipe(Effect.catch(() => Effect.succeed(null)))

/** The files by path: from the root of the repository, else from the current directory, else absolute. */
const readAll = Effect.fnUntraced(function* (given: ReadonlyArray<string>, root: string | null) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const { text: redact } = yield* Redactor
  const files = new Map<string, Uint8Array>()
  const outside = new Set<string>()
  const read = Effect.fnUntraced(function* (file: string) {
    const wrong = (why: string) => new CallRefused({ reason: `${presentable(file, redact)}: ${why}` })
    const { size, type } = yield* fs.stat(file).pipe(Effect.mapError((error) => wrong(systemErrorText(error))))
    if (type !== "File") return yield* wrong("it is not a regular file")
    if (size > maxBytes) return yield* wrong(`too large: ${overLimit(Number(size))}`)
    const real = yield* fs.realPath(file).pipe(Effect.mapError((error) => wrong(systemErrorText(error))))
    const inside = paths.relative(root ?? paths.resolve("."), real)
    const isOutside = inside.startsWith("..") || paths.isAbsolute(inside)
    const name = (isOutside ? real.replace(/^\/+/, "") : inside).split(paths.sep).join("/")
    if (isOutside && real.startsWith("/")) outside.add(name)
    files.set(name, yield* fs.readFile(file).pipe(Effect.mapError((error) => wrong(systemErrorText(error)))))
  })
  for (const { file, isBelow } of yield* filesBelow(given)) {
    yield* isBelow
      ? Effect.catchTag(read(file), "CallRefused", ({ message }) => Effect.logWarning(`left out: ${message}`))
      : read(file)
  }
  if (files.size === 0)
    return yield* new CallRefused({ reason: `no files in ${presentable(given.join(", "), redact)}` })
  return { files, outside }
})

export const testCommand = Command.make("test", flags).pipe(
  Command.withShortDescription("Apply rules to whole files"),
  Command.withDescription(`Apply rules to whole files, as if every line were added.

  Includes your own rules and those in .daydream/rules of the working tree, but no rules that
  compare two versions of a file.

  Exit codes: 0 no findings, 1 findings, 2 usage.`),
  Command.withExamples([
    { command: "dd rules test src/app.py", description: "Apply all rules to one file" },
    { command: "dd rules test src", description: "Apply them to all files in a directory" },
    { command: "dd rules test --rule repo/no-legacy-client src/*.py", description: "Try a new rule" }
  ]),
  Command.withHandler(test),
  Command.provide(Layer.merge(layerSecureRandom, Git.layer))
)
