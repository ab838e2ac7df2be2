/**
 * Fixes findings in the fix tree, in at most three rounds: edits that a rule can prove are applied as they are, the rest is
 * left to a model, one call for the findings of a file, in a branch of the tree. Each round ends with a check of every
 * finding; an edit that causes another finding or a syntax error is taken back. In the end a file of which nothing is
 * fixed has its reviewed state.
 *
 * A group that fails keeps its edits as a patch and does not stop the others.
 */
import { Context, Effect, Result } from "effect"
import { type Change, lineCounts } from "../../domain/change/Change.ts"
import type { Diff } from "../../domain/change/Diff.ts"
import { markedInAttributes } from "../../domain/change/PathKind.ts"
import { parseDiff } from "../../domain/change/parseDiff.ts"
import { isSame } from "../../domain/fix/ApplyPlan.ts"
import { type FixGroup, groupsOf, type Judged } from "../../domain/fix/FixGroup.ts"
import {
  addedTo,
  type Counts,
  countsOf,
  type FixRound,
  openAfter,
  outcomesOf,
  withOwnEdits
} from "../../domain/fix/FixRound.ts"
import { isFixed, type Outcome } from "../../domain/fix/Outcome.ts"
import type { FileMeasures } from "../../domain/fix/quality.ts"
import { recordOfFinding } from "../../domain/fix/recordOfFinding.ts"
import { slugOf } from "../../domain/fix/slugOf.ts"
import { Agent } from "../agent/Agent.ts"
import { textOf } from "../agent/runtime/WritableTree.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import { ClaimVerifier } from "./ClaimVerifier.ts"
import type { Tree } from "./FixTree.ts"
import { TreeReview } from "./TreeReview.ts"

export interface FixRequest {
  readonly change: Change
  readonly intent: string
  readonly judged: ReadonlyArray<Judged>
  readonly tree: Tree
  /** The output of tests that a fix made worse; "" the first time. */
  readonly trouble: string
}

export interface Fixed {
  /** One for each finding, in their order. */
  readonly outcomes: ReadonlyArray<Outcome>
  readonly rounds: number
  /** Edits of groups that failed, by path. */
  readonly partial: ReadonlyMap<string, Uint8Array>
  /** Files that agents changed beside their own, and that were taken back. */
  readonly outside: ReadonlyArray<string>
  /** Of each file that differs from the reviewed state. */
  readonly measures: ReadonlyArray<FileMeasures>
}

const mostRounds = 3

/** How many files are fixed at the same time. */
export const GroupsAtOnce = Context.Reference<number>("dd/services/fix/fixFindings/GroupsAtOnce", {
  defaultValue: () => 4
})

const readText = (tree: Tree, path: string) =>
  Effect.map(tree.read(path), (bytes) => (bytes === null ? null : textOf(bytes)))

/** The agent works in a branch, of which only the group's own file is taken. */
const ask = Effect.fnUntraced(function* (
  { change, intent, tree, trouble }: FixRequest,
  group: FixGroup,
  round: number
) {
  const agent = yield* Agent
  const onFailure = yield* FailPolicy
  const { findings, path } = group
  const name = `${slugOf(path)}-${round}`
  const branch = yield* tree.branch(name)
  const task = {
    _tag: "Fix",
    change,
    intent,
    path,
    findings: findings.map(({ finding, verdict }) => ({
      id: finding.id,
      record: recordOfFinding(finding),
      verdict
    })),
    tree: { root: branch.repository.root, allow: [] },
    trouble
  } as const
  const asked = yield* Effect.result(
    agent.invoke(task, { phase: "fix", fork: `fix-${slugOf(path)}` }, { outcomes: [] })
  )
  const changed = yield* branch.changed
  if (Result.isFailure(asked)) {
    const { _tag: error, message } = asked.failure
    yield* onFailure.degrade({ step: "fix", error, detail: `${path}: ${message}` })
    const partial = changed.length === 0 ? null : yield* branch.patch
    return { group, failure: `${error}: ${message}`, partial, outside: [], said: [], diff: "" }
  }
  const isOwn = changed.includes(path)
  const diff = isOwn ? new TextDecoder().decode(yield* branch.patch) : ""
  if (isOwn) yield* tree.write(path, yield* branch.read(path))
  return {
    group,
    failure: null,
    partial: null,
    outside: changed.filter((each) => each !== path),
    said: asked.success.outcomes,
    diff
  }
})

/** What the rules say of the tree now; files that became worse are restored. */
const check = Effect.fnUntraced(function* (
  { change, tree }: FixRequest,
  before: Counts,
  was: ReadonlyMap<string, Uint8Array | null>
) {
  const review = yield* TreeReview
  const worse = new Map<string, string>()
  for (const path of yield* tree.changed) {
    const old = was.get(path) ?? null
    const [from, to] = [old === null ? "" : (textOf(old) ?? ""), (yield* readText(tree, path)) ?? ""]
    if (from === to) continue
    if ((yield* review.hasSyntaxError(path, to)) && !(yield* review.hasSyntaxError(path, from))) {
      worse.set(path, "the fix has a syntax error")
    }
  }
  const findings = yield* review.findings(tree, change)
  const after = countsOf(findings)
  for (const { file, rule } of findings) {
    if (addedTo(before, after, file, rule) > 0 && was.has(file) && !worse.has(file)) {
      worse.set(file, `the fix causes another finding of ${rule}`)
    }
  }
  for (const path of worse.keys()) yield* tree.write(path, was.get(path) ?? null)
  return { worse, found: new Set(findings.map(({ fingerprint }) => fingerprint)), after }
})

/** Edits of rules are the same in every round, so they are applied in the first one. */
const round = Effect.fnUntraced(function* (
  request: FixRequest,
  groups: ReadonlyArray<FixGroup>,
  before: Counts,
  number: number
) {
  const agent = yield* Agent
  const verifier = yield* ClaimVerifier
  const { tree, trouble } = request
  const was = new Map<string, Uint8Array | null>()
  for (const { path } of groups) was.set(path, yield* tree.read(path))
  const notes = new Map<number, string>()
  const tried = new Set<number>()
  for (const group of number === 1 && trouble === "" ? groups : []) {
    const own = withOwnEdits((yield* readText(tree, group.path)) ?? "", group)
    for (const id of own.applied) tried.add(id)
    for (const [id, reason] of own.refused) notes.set(id, reason)
    if (own.applied.size > 0) yield* tree.write(group.path, new TextEncoder().encode(own.edited))
  }
  const left = agent.hasModel("fix")
    ? groups.map((group) => ({
        ...group,
        findings: group.findings.filter(({ finding }) => !tried.has(finding.id))
      }))
    : []
  const asked = yield* Effect.forEach(
    left.filter(({ findings }) => findings.length > 0),
    (group) => ask(request, group, number),
    { concurrency: yield* GroupsAtOnce }
  )
  const failures = new Map<string, string>()
  const elsewhere = new Set<string>()
  for (const { failure, group, outside, said } of asked) {
    for (const { finding } of group.findings) tried.add(finding.id)
    for (const { issue_id, note, status } of said) if (status === "not_fixed") notes.set(issue_id, note)
    if (outside.length > 0) elsewhere.add(group.path)
    if (failure !== null) failures.set(group.path, failure)
  }
  const { after, found, worse } = yield* check(request, before, was)
  const root = { root: tree.repository.root, allow: [] }
  const made = asked.flatMap(({ diff, failure, group: { findings, path } }) => {
    const own = findings.flatMap(({ finding }) => (finding.source === "model" ? [finding] : []))
    const isJudged = failure === null && diff !== "" && !worse.has(path) && own.length > 0
    return isJudged ? [{ tree: root, path, diff, findings: own }] : []
  })
  const verdicts = new Map((yield* verifier.verifyFixes(request, made)).map((verdict) => [verdict.issue_id, verdict]))
  const changed = new Set(yield* tree.changed)
  const seen: FixRound = { tried, notes, changed, before, after, found, worse, failures, verdicts, elsewhere }
  const edited = new Set<string>()
  for (const [path, bytes] of was) if (!isSame(bytes, yield* tree.read(path))) edited.add(path)
  return { asked, edited, failures, outcomes: groups.flatMap((group) => outcomesOf(group, seen)) }
})

/** Otherwise edits that fix nothing would be applied, and those of an earlier round after a fix that was taken back. */
const restore = Effect.fnUntraced(function* (tree: Tree, groups: ReadonlyArray<FixGroup>, outcomes: Iterable<Outcome>) {
  const fixed = new Set([...outcomes].filter(isFixed).map(({ path }) => path))
  const vain = new Set(groups.map(({ path }) => path).filter((path) => !fixed.has(path)))
  for (const { before, path } of yield* tree.files) if (vain.has(path)) yield* tree.write(path, before)
})

const measuresOf = Effect.fnUntraced(function* (tree: Tree) {
  const review = yield* TreeReview
  const { files } = Result.getOrElse(parseDiff(yield* tree.patch), (): Diff => ({ files: [] }))
  const complexity = (path: string, bytes: Uint8Array | null) =>
    Effect.map(review.complexity(path, (bytes === null ? null : textOf(bytes)) ?? ""), (points) => points ?? 0)
  return yield* Effect.forEach(
    yield* tree.files,
    Effect.fnUntraced(function* ({ after, before, path }) {
      const { added, deleted: removed } = lineCounts({ files: files.filter((file) => file.path === path) })
      const measures: FileMeasures = {
        path,
        before: yield* complexity(path, before),
        after: yield* complexity(path, after),
        removed,
        added
      }
      return measures
    })
  )
})

export const fixFindings = Effect.fn("Fixer.fix")(function* (request: FixRequest) {
  const agent = yield* Agent
  const review = yield* TreeReview
  const { judged, tree } = request
  const present = new Set<string>()
  for (const path of new Set(judged.map(({ finding }) => finding.file))) {
    if ((yield* readText(tree, path)) !== null) present.add(path)
  }
  const attributes = (yield* readText(tree, ".gitattributes")) ?? ""
  const marks = [markedInAttributes(attributes), markedInAttributes(attributes, "linguist-vendored")]
  const { groups, refused } = groupsOf(
    judged,
    (path) => present.has(path),
    (path) => marks.some((isMarked) => isMarked(path))
  )
  const outcomes = new Map(refused.map((each) => [each.id, each]))
  const partial = new Map<string, Uint8Array>()
  const outside = new Set<string>()
  const before = countsOf(yield* review.findings(tree, request.change))
  let open = groups
  let rounds = 0
  while (open.length > 0 && rounds < mostRounds) {
    const ended = yield* round(request, open, before, ++rounds)
    for (const each of ended.outcomes) {
      // A round without an edit says nothing new of the edits of the rounds before it.
      const isSilent = each.status === "changed" || each.status === "unresolved"
      if (!isSilent || ended.edited.has(each.path) || !outcomes.has(each.id)) outcomes.set(each.id, each)
    }
    for (const { group, outside: others, partial: patch } of ended.asked) {
      for (const path of others) outside.add(path)
      if (patch !== null) partial.set(group.path, patch)
    }
    if (!agent.hasModel("fix")) break
    open = openAfter(
      open.filter(({ path }) => !ended.failures.has(path)),
      outcomes
    )
  }
  yield* restore(tree, groups, outcomes.values())
  const fixed: Fixed = {
    outcomes: judged.flatMap(({ finding }) => outcomes.get(finding.id) ?? []),
    rounds,
    partial,
    outside: [...outside].sort(),
    measures: yield* measuresOf(tree)
  }
  return fixed
})
