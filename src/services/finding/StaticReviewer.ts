/**
 * Reviews a change by rules alone: no model, no network, the same answer every time.
 *
 * Reports lines that the change adds, and for rules of whole files lines that it makes wrong. Every requested file is in
 * `coverage`, with what was not looked at in its reason. A rule that throws, or takes longer than it may, is left out and
 * named in `problems`; it takes nothing else down.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { FileCoverage } from "../../domain/change/Coverage.ts"
import { type DiffFile, isReviewedBefore } from "../../domain/change/Diff.ts"
import { deletedLines } from "../../domain/change/deletedLines.ts"
import type { Grammar } from "../../domain/change/Grammar.ts"
import { isGeneratedPath, isLockfile, isTestPath, isWithinFixtures } from "../../domain/change/PathKind.ts"
import { firstTestLine } from "../../domain/change/TestFile.ts"
import { ecosystemOf } from "../../domain/code/Manifest.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import type { Captures, Rows, SyntaxNode } from "../../domain/code/Syntax.ts"
import {
  type AddedLine,
  addedLines,
  appliesTo,
  codeOnlyOf,
  distinctClaims,
  grammarsOf,
  inText,
  lineClaims,
  longestLine,
  mostClaims,
  recordOf,
  syntaxClaims,
  untouchedAsOne,
  withoutEdited
} from "../../domain/finding/Claims.ts"
import { withoutMirrors } from "../../domain/finding/comparison/mirrors.ts"
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { ChangeRule, Claim, Rule, RuleChange, RuleFile, SyntaxRule } from "../../domain/finding/Rule.ts"
import { numbered } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { plural } from "../../domain/text/plural.ts"
import { kindOf } from "../../languages/fileKinds.ts"
import { readingOf } from "../../languages/reading.ts"
import { runsOf } from "../../languages/tree.ts"
import { catalogue } from "../../rules/catalogue.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { readTexts } from "../change/readTexts.ts"
import { Sources, type SourceText } from "../change/Sources.ts"
import {
  type ParsedFile,
  type QueriesTooSlow,
  type QueryInvalid,
  SyntaxParser,
  TreeNotRead
} from "../code/SyntaxParser.ts"
import { withServices } from "../system/withServices.ts"
import { RuleSet } from "./RuleSet.ts"
import { type BothSides, type IsOld, reportedBefore } from "./reportedBefore.ts"
import { filesMarkedGenerated, notReviewed, skipReason, withoutRulesFor } from "./skipReasons.ts"

/** A defect of a rule, not of the change. */
export class RuleFailed extends Schema.TaggedError<RuleFailed>()("RuleFailed", {
  rule: Schema.String,
  file: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    const said = this.cause instanceof Error ? this.cause.message : ""
    const why = said === "" ? "" : `: ${said}`
    const what = this.cause instanceof TreeNotRead ? "was stopped" : "failed"
    return `the rule ${this.rule} ${what} on ${this.file} and was left out there${why}`
  }
  /** What was not checked, for the headline. */
  get unchecked() {
    return `${this.rule} on ${this.file}`
  }
}

/** A rule claims more in a file than is listed. */
export class ClaimsCut extends Schema.TaggedError<ClaimsCut>()("ClaimsCut", {
  rule: Schema.String,
  file: Schema.String
}) {
  override get message() {
    return `at most ${mostClaims} findings are listed of ${this.rule} in ${this.file}`
  }
  get unchecked() {
    return `findings of ${this.rule} after the first ${mostClaims} in a file`
  }
}

export interface StaticReview {
  /** By path, line and rule, numbered from 1. */
  readonly records: ReadonlyArray<ReviewRecord>
  readonly coverage: ReadonlyArray<FileCoverage>
  /** Ids of the rules that were applied to at least one file, sorted. */
  readonly rulesApplied: ReadonlyArray<string>
  /** The first failure or limit of each rule that has one. */
  readonly problems: ReadonlyArray<Problem>
}

type Problem = RuleFailed | ClaimsCut

/** What some of the rules came to on one file, or one rule on the change. */
interface Part {
  readonly records: ReadonlyArray<ReviewRecord>
  readonly problems: ReadonlyArray<Problem>
  readonly applied: ReadonlyArray<Rule>
}

/** The rules of a run, by how they are applied. */
interface RuleGroups {
  readonly lines: ReadonlyArray<Extract<Rule, { _tag: "Line" }>>
  readonly changes: ReadonlyArray<Extract<Rule, { _tag: "Change" }>>
  readonly byGrammar: ReturnType<typeof rulesByGrammar>
  /** The grammars that a rule is for. */
  readonly ofLanguages: ReadonlySet<Grammar>
}

export class StaticReviewer extends Context.Service<
  StaticReviewer,
  {
    /** Line and syntax rules on those of the change's files; paths the change does not have are not answered. */
    readonly review: (change: Change, files: ReadonlyArray<string>) => Effect.Effect<StaticReview>
    /** Rules that look at the change as a whole; its coverage is empty, for it reads no file on its own account. */
    readonly reviewChange: (change: Change) => Effect.Effect<StaticReview>
  }
>()("dd/services/finding/StaticReviewer") {
  static readonly layer = Layer.effect(
    StaticReviewer,
    Effect.gen(function* () {
      const { rules } = yield* RuleSet
      const groups: RuleGroups = {
        lines: rules.filter((rule) => rule._tag === "Line"),
        changes: rules.filter((rule) => rule._tag === "Change"),
        byGrammar: rulesByGrammar(rules),
        ofLanguages: new Set(rules.flatMap((rule) => grammarsOf(rule) ?? []))
      }

      return StaticReviewer.of(
        yield* withServices({
          review: (change: Change, paths: ReadonlyArray<string>) => review(groups, change, paths),
          reviewChange: (change: Change) => reviewChange(groups, change)
        })
      )
    })
  )
}

const read = Effect.fnUntraced(function* (diff: DiffFile) {
  const sources = yield* Sources
  const head = yield* diff.newPath === null ? absent : sources.head(diff.newPath)
  const base = yield* diff.oldPath === null ? absent : sources.base(diff.oldPath)
  const before = ruleFile(diff, base, base, diff.oldPath ?? diff.path)
  const known: Read = { diff, head, has: wordsOf(head), file: ruleFile(diff, head, base), before }
  return known
})

const preload = Effect.fnUntraced(function* (files: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  yield* sources.preload(
    files.map(({ newPath }) => newPath).filter(isPath),
    files.map(({ oldPath }) => oldPath).filter(isPath)
  )
})

/** Each rule's matches; a rule that could not be asked is left out alone. */
const matchesOf = Effect.fnUntraced(function* (parsed: ParsedFile, rules: ReadonlyArray<SyntaxRule>, file: RuleFile) {
  const rows = addedRows(file)
  const types = new Set(rules.flatMap(({ pattern }) => (pattern._tag === "Nodes" ? pattern.types : [])))
  const nodes = yield* Effect.result(parsed.nodes([...types], rows))
  const ofType = Map.groupBy(Result.isSuccess(nodes) ? nodes.success : [], ({ type }) => type)
  const [matches, problems] = yield* Effect.partition(rules, (rule) => {
    const { pattern, wholeFile } = rule
    const found: Effect.Effect<ReadonlyArray<Captures>, QueryInvalid | QueriesTooSlow | TreeNotRead> = pattern._tag ===
    "Query"
      ? parsed.query(pattern.query, pattern.owner, rows)
      : wholeFile === true
        ? Effect.map(parsed.nodes(pattern.types), (all) => all.map((node) => ({ claim: [node] })))
        : Effect.map(Effect.fromResult(nodes), () => nodesAmong(ofType, pattern.types))
    return found.pipe(
      Effect.map((matches): RuleMatches => [rule, matches]),
      Effect.mapError((cause) => new RuleFailed({ rule: rule.id, file: file.path, cause }))
    )
  })
  return { matches: new Map(matches), problems }
})

const reviewSyntax = Effect.fnUntraced(function* (
  { byGrammar }: RuleGroups,
  { file, has }: Read,
  own: string,
  { reportedBefore }: Introduced
) {
  const parser = yield* SyntaxParser
  const grammar = file.code?.grammar ?? null
  const inGrammar = grammar === null ? [] : (byGrammar.get(grammar) ?? [])
  // No syntax rule applies to such a file, so everything applicable has run.
  if (grammar === null || inGrammar.length === 0) return whole
  const seen = codeOnlyOf(file)
  const text = seen === file ? own : (seen.head ?? []).join("\n")
  const applied = inGrammar.filter((rule) => appliesTo(rule, file))
  const isTouched = addedLines(file.diff).length > 0
  const wanted = applied.filter((rule) => (isTouched || rule.wholeFile === true) && mayMatch(rule, has))
  if (wanted.length === 0) return { ...whole, applied }
  const parsed = yield* Effect.result(parser.parse(grammar, text))
  if (Result.isFailure(parsed)) {
    return { ...whole, status: "unread" as const, reason: `line rules only: ${parsed.failure.message}` }
  }
  const { matches, problems } = yield* matchesOf(parsed.success, wanted, file)
  const parts = yield* Effect.forEach(wanted, (rule) => {
    const found = matches.get(rule) ?? []
    // Most rules match nothing, and each question to the tree takes time.
    if (found.length === 0) return Effect.succeed(claimed(rule, file, () => []))
    return parsed.success
      .read(() =>
        Result.try({
          try: () => syntaxClaims(rule, searched(rule, seen), found),
          catch: (cause) => cause
        })
      )
      .pipe(
        Effect.flatMap(Effect.fromResult),
        Effect.flatMap((claims) =>
          claims.length === 0
            ? Effect.succeed([])
            : Effect.map(reportedBefore(rule, file.path), (isOld) =>
                untouchedAsOne(
                  seen,
                  claims.filter(({ node }) => !isOld(file.path, node))
                )
              )
        ),
        Effect.map((claims) => claimed(rule, file, () => claims)),
        Effect.catch((cause) => Effect.succeed(failed(rule, file.path, cause)))
      )
  })
  return {
    ...whole,
    ...joined([{ ...nothing, problems }, ...parts]),
    applied,
    reason: parsed.success.root.hasError ? "syntax rules did not apply where it could not be parsed" : ""
  }
}, Effect.scoped)

/** The file as the rule gets it: a rule for whole files claims any line, and what is new is decided afterwards. */
const searched = ({ wholeFile }: SyntaxRule, file: RuleFile): RuleFile =>
  wholeFile === true ? { ...file, isAdded: () => true } : file

const reviewFile = Effect.fnUntraced(function* (groups: RuleGroups, read: Read, introduced: Introduced) {
  const { diff, file, head } = read
  const { path } = diff
  const refusal = notReviewed(head, file, introduced.isMarkedGenerated)
  if (refusal !== null) return { ...nothing, coverage: { path, ...refusal } }
  const added = addedLines(diff)
  if (diff.hunks.length === 0) return { ...nothing, coverage: reviewed(path, "") }

  const fresh = added.filter(({ text }) => !introduced.isMoved(text))
  const applied = groups.lines.filter((rule) => appliesTo(rule, file))
  const parts = yield* Effect.forEach(applied, (rule) =>
    Effect.sync(() =>
      claimed(rule, file, () => {
        const claims = lineClaims(rule, file, fresh)
        return isAboutValues(rule) ? claims : withoutEdited(rule, read, claims)
      })
    )
  )
  const syntax =
    head._tag === "Text"
      ? yield* reviewSyntax(groups, read, head.text, introduced)
      : { ...whole, reason: "line rules only: only the patch is known" }
  const all = joined([...parts, syntax])
  const refused = withoutLanguageRules(read, groups, all.applied)
  if (refused !== null) return { ...all, coverage: { path, ...refused } }
  const note = file.code?.note ?? ""
  const reasons = [note, syntax.reason, unfinished(all.problems), longLines(added), limited(all.problems)]
  return {
    ...all,
    coverage: { path, status: syntax.status, reason: reasons.filter((each) => each !== "").join("; ") }
  }
})

const review = Effect.fn("StaticReviewer.review")(function* (
  groups: RuleGroups,
  change: Change,
  paths: ReadonlyArray<string>
) {
  const sources = yield* Sources
  const parser = yield* SyntaxParser
  const given = new Set(paths)
  const diffs = change.diff.files.filter((file) => given.has(file.path))
  yield* preload(diffs.filter((file) => skipReason(file) === null))
  const files = yield* Effect.forEach(
    diffs.filter((file) => skipReason(file) === null),
    read
  )
  const known = new Map(files.map((file) => [file.diff, file]))
  const deleted = deletedLines(change.diff)
  const readable = change.diff.files.filter((diff) =>
    diff.status === "deleted" ? isReviewedBefore(diff) : skipReason(diff) === null
  )
  const introduced: Introduced = {
    isMarkedGenerated: yield* filesMarkedGenerated,
    isMoved: deleted.has,
    reportedBefore: reportedBefore(parser, (path) => {
      const isFew = readable.length <= filesCompared
      const files = isFew ? readable : readable.filter((diff) => diff.path === path)
      return { name: isFew ? "" : path, files: Effect.provideService(Effect.forEach(files, read), Sources, sources) }
    })
  }
  const parts = yield* forEachFile("rules", diffs, (diff) => {
    const file = known.get(diff)
    if (diff.unread !== undefined && diff.hunks.length === 0 && skipReason(diff) === null)
      return Effect.succeed(notRead(diff.path, diff.unread))
    if (file !== undefined) return Effect.map(reviewFile(groups, file, introduced), (part) => inPart(diff, part))
    const reason = skipReason(diff) ?? ""
    return Effect.succeed({ ...nothing, coverage: { path: diff.path, status: "skipped" as const, reason } })
  })
  const lines = new Map(files.map(({ diff, file }) => [diff.path, file.head ?? []]))
  const { records, ...rest } = summary(parts)
  const all = yield* sources.headPaths
  const claimedFiles = new Set(records.map(({ file }) => file))
  const fixtures = new Set([...claimedFiles].filter((path) => isWithinFixtures([path], all)))
  const written = records.filter((record) => isSecret(record) || !fixtures.has(record.file))
  const reported = withoutMirrors(written, (path) => lines.get(path) ?? [])
  const coverage = parts.map(({ coverage }) => (fixtures.has(coverage.path) ? asTestData(coverage) : coverage))
  return { ...rest, records: numbered(reported), coverage }
})

const reviewChange = Effect.fn("StaticReviewer.reviewChange")(function* ({ changes }: RuleGroups, change: Change) {
  const sources = yield* Sources
  const diffs = change.diff.files
  yield* preload(diffs)
  const files = (yield* Effect.forEach(diffs, read)).map(({ file }) => file)
  const headPaths = new Set(yield* sources.headPaths)
  const manifests = diffs.filter(({ path }) => ecosystemOf(path) !== null)
  const folders = new Set(manifests.flatMap(({ path }) => foldersAbove(path)))
  const locks = [...headPaths].filter((path) => isLockfile(path) && folders.has(folderOf(path)))
  const lockfiles = yield* readTexts(sources, locks)
  const parts = yield* Effect.forEach(changes, (rule) =>
    Effect.sync(() => claimedOnChange(rule, { files, headPaths, lockfiles }))
  )
  return { ...summary(parts), coverage: [] }
})

/** Why the rules of the language of a file did not run; null if they did, and for a file that is not code. */
const withoutLanguageRules = (
  { file, head }: Read,
  { ofLanguages }: RuleGroups,
  applied: ReadonlyArray<Rule>
): Omit<FileCoverage, "path"> | null => {
  const kind = kindOf(file.path, head._tag === "Text" ? head.lines : null)
  const isUsers = applied.some((rule) => !shipped.has(rule.id))
  if (kind === null || isUsers || (file.code !== null && ofLanguages.has(file.code.grammar))) return null
  const reading = head._tag === "Text" ? readingOf(file.path, head.lines) : null
  if (reading === null && kind.isDocument) return null
  return typeof reading === "string" ? { status: "unread", reason: reading } : withoutRulesFor(kind)
}

/** In a larger change, code that moves between files counts as new: comparing all files for each rule takes too long. */
const filesCompared = 60

/** A changed file with what its head side is. */
interface Read extends BothSides {
  readonly diff: DiffFile
  readonly head: SourceText
  /** Is the word in the head side's text? */
  readonly has: (word: string) => boolean
}

/** What the change introduces, in whatever file it was before. */
interface Introduced {
  readonly isMarkedGenerated: (path: string) => boolean
  readonly isMoved: (line: string) => boolean
  readonly reportedBefore: (rule: SyntaxRule, path: string) => Effect.Effect<IsOld>
}

/** Rules share words, and each is looked for in the text once. */
const wordsOf = (source: SourceText): Read["has"] => {
  const known = new Map<string, boolean>()
  return (word) => {
    const already = known.get(word)
    if (already !== undefined) return already
    const found = source._tag === "Text" && source.text.includes(word)
    known.set(word, found)
    return found
  }
}

const isSecret = ({ rule }: ReviewRecord): boolean => rule?.startsWith("secret/") === true

/** Does it report what a line contains, such as a secret or an instruction, so that an edit brings in another one? */
const isAboutValues = ({ id }: Rule): boolean => /^(?:secret|injection)\//.test(id)

/** The runs of added lines: nothing outside them can be claimed. */
const addedRows = ({ diff }: RuleFile): ReadonlyArray<Rows> => runsOf(addedLines(diff).map(({ line }) => line - 1))

type RuleMatches = readonly [rule: SyntaxRule, matches: ReadonlyArray<Captures>]

/** The nodes of these types in source order, each as a match of its own. */
const nodesAmong = (
  ofType: ReadonlyMap<string, ReadonlyArray<SyntaxNode>>,
  types: ReadonlyArray<string>
): ReadonlyArray<Captures> =>
  types
    .flatMap((type) => ofType.get(type) ?? [])
    .sort((a, b) => a.startIndex - b.startIndex)
    .map((claim) => ({ claim: [claim] }))

const mayMatch = ({ keywords }: SyntaxRule, has: Read["has"]): boolean => keywords.length === 0 || keywords.some(has)

const absent = Effect.succeed<SourceText>({ _tag: "Absent" })

const shipped: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

const isPath = (path: string | null): path is string => path !== null

const rulesByGrammar = (rules: ReadonlyArray<Rule>): ReadonlyMap<Grammar, ReadonlyArray<SyntaxRule>> => {
  const byGrammar = new Map<Grammar, Array<SyntaxRule>>()
  for (const rule of rules) {
    if (rule._tag !== "Syntax") continue
    for (const grammar of rule.grammars) byGrammar.set(grammar, [...(byGrammar.get(grammar) ?? []), rule])
  }
  return byGrammar
}

/** A changed file as rules see it. */
export const ruleFile = (diff: DiffFile, head: SourceText, base: SourceText, path = diff.path): RuleFile => {
  const code = readingOf(path, head._tag === "Text" ? head.lines : null)
  const added = new Set(addedLines(diff).map(({ line }) => line))
  return {
    path,
    diff,
    code: typeof code === "string" ? null : code,
    head: head._tag === "Text" ? head.lines : null,
    base: base._tag === "Text" ? base.lines : null,
    isTest: isTestPath(diff.path) || isGeneratedPath(diff.path),
    testsFrom: head._tag === "Text" ? firstTestLine(diff.path, head.lines) : Number.POSITIVE_INFINITY,
    isAdded: (line) => added.has(line)
  }
}

const asTestData = (coverage: FileCoverage): FileCoverage => {
  const reasons = ["test data: only secrets are reported", coverage.reason].filter((reason) => reason !== "")
  return { ...coverage, reason: reasons.join("; ") }
}

const reviewed = (path: string, reason: string): FileCoverage => ({ path, status: "reviewed", reason })

/** A note on rules that did not check the whole file. */
const unfinished = (problems: ReadonlyArray<Problem>): string => {
  const ids = [...new Set(problems.flatMap(({ _tag, rule }) => (_tag === "RuleFailed" ? [rule] : [])))]
  if (ids.length === 0) return ""
  const more = ids.length > rulesNamed ? ` and ${ids.length - rulesNamed} more` : ""
  return `not checked by ${ids.slice(0, rulesNamed).join(", ")}${more}`
}

const rulesNamed = 3

const longLines = (added: ReadonlyArray<AddedLine>): string => {
  const count = added.filter(({ text }) => text.length > longestLine).length
  return count === 0
    ? ""
    : `${plural(count, "added line")} of more than ${longestLine} characters ${count === 1 ? "was" : "were"} not read`
}

/** A note on rules that may have further findings. */
const limited = (problems: ReadonlyArray<Problem>): string => {
  const ids = problems.flatMap(({ _tag, rule }) => (_tag === "ClaimsCut" ? [rule] : []))
  return ids.length === 0 ? "" : `at most ${mostClaims} findings are listed of ${ids.join(", ")}`
}

/** What could be seen of it was reviewed; the rest is unread, and so is the file. */
const inPart = <A extends { readonly coverage: FileCoverage }>({ path, unread }: DiffFile, part: A): A =>
  unread === undefined ? part : { ...part, coverage: { path, status: "unread", reason: unread } }

const notRead = (path: string, reason: string) => ({
  ...nothing,
  coverage: { path, status: "unread" as const, reason }
})

const nothing: Part = { records: [], problems: [], applied: [] }

const joined = (parts: ReadonlyArray<Part>): Part => ({
  records: parts.flatMap(({ records }) => records),
  problems: parts.flatMap(({ problems }) => problems),
  applied: parts.flatMap(({ applied }) => applied)
})

/** The whole file was checked. */
const whole = { ...nothing, status: "reviewed" as FileCoverage["status"], reason: "" }

/** The rule's records, or how it failed: a rule is pure and has no error channel, so its defects are thrown. */
const attempt = (rule: Rule, path: string, records: () => Omit<Part, "applied">): Part => {
  const outcome = Result.try({
    try: records,
    catch: (cause) => failed(rule, path, cause)
  })
  return Result.isSuccess(outcome) ? { ...outcome.success, applied: [rule] } : outcome.failure
}

/** The records of the first claims on a file. */
const recorded = (
  rule: Rule,
  file: string,
  claims: ReadonlyArray<Claim>,
  record: (claim: Claim) => ReviewRecord
): Omit<Part, "applied"> => {
  const all = distinctClaims(claims)
  const problems = all.length > mostClaims ? [new ClaimsCut({ rule: rule.id, file })] : []
  return { records: all.slice(0, mostClaims).map(record), problems }
}

const failed = (rule: Rule, file: string, cause: unknown): Part => ({
  records: [],
  problems: [new RuleFailed({ rule: rule.id, file, cause })],
  applied: [rule]
})

const claimed = (rule: Rule, file: RuleFile, claims: () => ReadonlyArray<Claim>): Part =>
  attempt(rule, file.path, () => {
    const found = claims()
    if (found.length === 0) return nothing
    const textAt = lineTexts(file)
    const codeAt = file.code?.placeOf === undefined ? textAt : lineTexts(codeOnlyOf(file))
    return recorded(rule, file.path, found.map(inText(file)), (claim) =>
      recordOf(rule, claim, file.path, textAt(claim.line), codeAt(claim.line))
    )
  })

const claimedOnChange = (rule: ChangeRule, change: RuleChange): Part =>
  attempt(rule, "the change", () => {
    const byPath = Map.groupBy(rule.check(change), ({ path }) => path)
    const files = new Map(change.files.map((file) => [file.path, file]))
    const parts = [...byPath].map(([path, claims]) => {
      const file = files.get(path)
      const textAt = file === undefined ? () => undefined : lineTexts(file)
      return recorded(rule, path, claims, (claim) => recordOf(rule, claim, path, textAt(claim.line)))
    })
    return joined(parts.map((part) => ({ ...part, applied: [] })))
  })

/** The head side's line, from the file or, where only the diff is known, from its hunks. */
const lineTexts = (file: RuleFile): ((line: number) => string | undefined) => {
  const { head } = file
  if (head !== null) return (line) => head[line - 1]
  const added = new Map(addedLines(file.diff).map(({ line, text }) => [line, text]))
  return (line) => added.get(line)
}

/** All parts as one review: records in order and numbered, each rule's first failure only. */
const summary = (parts: ReadonlyArray<Part>): Omit<StaticReview, "coverage"> => {
  const { applied, problems, records } = joined(parts)
  const sorted = records.toSorted(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || compareText(a.rule ?? "", b.rule ?? "")
  )
  const firstOfRule = new Map(problems.toReversed().map((problem) => [problem.rule, problem]))
  return {
    records: numbered(sorted),
    rulesApplied: [...new Set(applied.map(({ id }) => id))].sort(compareText),
    problems: problems.filter((problem) => firstOfRule.get(problem.rule) === problem)
  }
}
