/**
 * Fixes findings in the fix tree, in at most three rounds: edits that a rule can prove are applied as they are, the rest is
 * left to a model, one call for the findings of a file, in a branch of the tree. Each round ends with a check of every
 * finding; an edit that causes another finding or a syntax error is taken back.
 *
 * A group that fails keeps its edits as a patch and does not stop the others. Source: reference §3.14.
 */
import { Context, Effect, Layer, Result } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import type { Verdict } from "../../domain/finding/Verdict.ts"
import { applyEdits, type Edit, editOf } from "../../domain/fix/Edit.ts"
import { type FixGroup, groupsOf, type Judged, outcomeOf } from "../../domain/fix/FixGroup.ts"
import { isOpen, type Outcome } from "../../domain/fix/Outcome.ts"
import { recordOfFinding } from "../../domain/fix/recordOfFinding.ts"
import { slugOf } from "../../domain/fix/slugOf.ts"
import { Agent } from "../agent/Agent.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import type { FixTreeFailed, Tree } from "./FixTree.ts"
import { TreeReview } from "./TreeReview.ts"
import { Verifier } from "./Verifier.ts"

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
}

const mostRounds = 3
/** Source: seed 000. */
const groupsAtOnce = 4

export class Fixer extends Context.Service<
  Fixer,
  { readonly fix: (request: FixRequest) => Effect.Effect<Fixed, FixTreeFailed> }
>()("dd/services/fix/Fixer") {
  static readonly layer = Layer.effect(
    Fixer,
    Effect.gen(function* () {
      const agent = yield* Agent
      const review = yield* TreeReview
      const verifier = yield* Verifier
      const onFailure = yield* FailPolicy

      const textOf = (tree: Tree, path: string) =>
        Effect.map(tree.read(path), (bytes) => (bytes === null ? null : decoded(bytes)))

      /** Applies the edits of a group; findings whose edit does not fit are returned. */
      const edit = Effect.fnUntraced(function* (tree: Tree, { findings, path }: FixGroup) {
        const text = yield* textOf(tree, path)
        const taken: Array<Edit> = []
        const refused: Array<Outcome> = []
        let edited = text ?? ""
        for (const { finding } of findings) {
          const own = editOf(finding)
          if (own === null) continue
          const applied = applyEdits(text ?? "", [...taken, own])
          if (Result.isFailure(applied)) refused.push(outcomeOf(finding, "unresolved", applied.failure))
          else {
            taken.push(own)
            edited = applied.success
          }
        }
        if (text !== null && taken.length > 0) yield* tree.write(path, encoder.encode(edited))
        return refused
      })

      /** The agent works in a branch, of which only the group's own file is taken. */
      const ask = Effect.fnUntraced(function* (
        { change, intent, tree, trouble }: FixRequest,
        { findings, path }: FixGroup,
        round: number
      ) {
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
          return { failure: `${error}: ${message}`, partial, outside: [], said: [], diff: "" }
        }
        const diff = new TextDecoder().decode(yield* branch.patch)
        if (changed.includes(path)) yield* tree.write(path, yield* branch.read(path))
        return {
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
        const worse = new Map<string, string>()
        for (const path of yield* tree.changed) {
          const old = was.has(path) ? (was.get(path) ?? null) : null
          const [from, to] = [old === null ? "" : (decoded(old) ?? ""), (yield* textOf(tree, path)) ?? ""]
          if (from === to) continue
          if ((yield* review.hasSyntaxError(path, to)) && !(yield* review.hasSyntaxError(path, from))) {
            worse.set(path, "the fix has a syntax error")
          }
        }
        const after = yield* review.findings(tree, change)
        const counts = countsOf(after)
        for (const { file, rule } of after) {
          const isMore = (counts.get(countKey(file, rule)) ?? 0) > (before.get(countKey(file, rule)) ?? 0)
          if (isMore && was.has(file) && !worse.has(file)) worse.set(file, `the fix causes another finding of ${rule}`)
        }
        for (const path of worse.keys()) yield* tree.write(path, was.get(path) ?? null)
        return { worse, found: new Set(after.map(({ fingerprint }) => fingerprint)), counts }
      })

      const fix = Effect.fn("Fixer.fix")(function* (request: FixRequest) {
        const { judged, tree } = request
        const paths = [...new Set(judged.map(({ finding }) => finding.file))]
        const present = new Set<string>()
        for (const path of paths) if ((yield* textOf(tree, path)) !== null) present.add(path)
        const { groups, refused } = groupsOf(judged, (path) => present.has(path))
        const outcomes = new Map(refused.map((each) => [each.id, each]))
        const settle = (all: ReadonlyArray<Outcome>) => {
          for (const each of all) outcomes.set(each.id, each)
        }
        const partial = new Map<string, Uint8Array>()
        const failures: Record<string, string> = {}
        const outside = new Set<string>()
        const before = countsOf(yield* review.findings(tree, request.change))
        const hasModel = agent.hasModel("fix")

        let open: ReadonlyArray<FixGroup> = groups
        let rounds = 0
        while (open.length > 0 && rounds < mostRounds) {
          rounds++
          const was = new Map<string, Uint8Array | null>()
          for (const { path } of open) was.set(path, yield* tree.read(path))
          const notes = new Map<number, string>()
          // An edit of a rule is the same in every round.
          if (rounds === 1 && request.trouble === "") {
            for (const group of open) {
              for (const each of yield* edit(tree, group)) notes.set(each.id, each.detail)
            }
          }
          const forModel = open.flatMap((group) => {
            const own = group.findings.filter(
              ({ finding }) => rounds > 1 || request.trouble !== "" || editOf(finding) === null || notes.has(finding.id)
            )
            return own.length === 0 ? [] : [{ ...group, findings: own }]
          })
          const asked = hasModel
            ? yield* Effect.forEach(
                forModel,
                (group) => Effect.map(ask(request, group, rounds), (answer) => ({ group, ...answer })),
                { concurrency: groupsAtOnce }
              )
            : []
          const failed = new Set<string>()
          for (const { failure, group, outside: others, partial: patch, said } of asked) {
            for (const path of others) outside.add(path)
            for (const { issue_id, note, status } of said) if (status === "not_fixed") notes.set(issue_id, note)
            if (failure === null) continue
            failed.add(group.path)
            failures[group.path] = failure
            if (patch !== null) partial.set(group.path, patch)
          }
          const { counts, found, worse } = yield* check(request, before, was)
          const toModel = new Set(
            hasModel ? forModel.flatMap(({ findings }) => findings.map(({ finding }) => finding.id)) : []
          )
          const isTried = (finding: Finding) =>
            toModel.has(finding.id) || (rounds === 1 && editOf(finding) !== null && !notes.has(finding.id))
          const changed = new Set(yield* tree.changed)
          const made = asked.flatMap(({ diff, failure, group: { findings, path } }) => {
            const own = findings.flatMap(({ finding }) => (finding.source === "model" ? [finding] : []))
            const isJudged = failure === null && diff !== "" && !worse.has(path) && own.length > 0
            return isJudged ? [{ path, findings: own, diff }] : []
          })
          const verdicts = new Map(
            (yield* verifier.verifyFixes(request, made)).map((verdict) => [verdict.issue_id, verdict])
          )
          for (const { findings, path } of open) {
            /** The findings of a rule that are left, beside those that were not tried. */
            const left = (rule: string) => {
              const own = findings.filter(({ finding }) => finding.rule === rule && isTried(finding)).length
              return (counts.get(countKey(path, rule)) ?? 0) - (before.get(countKey(path, rule)) ?? 0) + own
            }
            settle(
              findings.map(({ finding }) =>
                judge(finding, {
                  isTried: isTried(finding),
                  isEdited: changed.has(path),
                  // The fingerprint of a finding changes with the lines around it.
                  isFound: left(finding.rule) > 0 && found.has(finding.fingerprint),
                  note: notes.get(finding.id) ?? "",
                  worse: worse.get(path) ?? null,
                  verdict: verdicts.get(finding.id) ?? null,
                  failure: failed.has(path) ? (failures[path] ?? "") : null,
                  isElsewhere: asked.some(({ group, outside: others }) => group.path === path && others.length > 0)
                })
              )
            )
          }
          if (!hasModel) break
          open = open
            .filter(({ path }) => !failed.has(path))
            .flatMap((group) => {
              const left = group.findings.filter(({ finding }) => {
                const outcome = outcomes.get(finding.id)
                return outcome !== undefined && isOpen(outcome)
              })
              return left.length === 0 ? [] : [{ ...group, findings: left }]
            })
        }
        const fixed: Fixed = {
          outcomes: judged.flatMap(({ finding }) => outcomes.get(finding.id) ?? []),
          rounds,
          partial,
          outside: [...outside].sort()
        }
        return fixed
      })

      return Fixer.of({ fix })
    })
  )
}

/** How many findings a rule has in a file. */
type Counts = ReadonlyMap<string, number>

const countKey = (file: string, rule: string): string => `${rule}\0${file}`

const countsOf = (findings: ReadonlyArray<Finding>): Counts => {
  const counts = new Map<string, number>()
  for (const { file, rule } of findings) counts.set(countKey(file, rule), (counts.get(countKey(file, rule)) ?? 0) + 1)
  return counts
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Null for bytes that are no UTF-8 text. */
const decoded = (bytes: Uint8Array): string | null =>
  bytes.includes(0)
    ? null
    : Result.getOrElse(
        Result.try(() => strict.decode(bytes)),
        () => null
      )

interface Seen {
  /** Was an edit of a rule applied, or a model asked? */
  readonly isTried: boolean
  readonly isEdited: boolean
  /** Does its rule still report it? */
  readonly isFound: boolean
  /** Why its edit did not fit, or what the agent says. */
  readonly note: string
  readonly worse: string | null
  readonly failure: string | null
  /** On the claim of a model, after its fix. */
  readonly verdict: Verdict | null
  /** Did the agent change other files? */
  readonly isElsewhere: boolean
}

/** The outcome of one finding after a round. */
export const judge = (finding: Finding, seen: Seen): Outcome => {
  const { failure, isEdited, isElsewhere, isFound, isTried, note, verdict, worse } = seen
  if (!isTried) {
    return editOf(finding) === null || note === ""
      ? outcomeOf(finding, "no-fix", noModel)
      : outcomeOf(finding, "unresolved", note)
  }
  if (worse !== null) return outcomeOf(finding, "regressed", worse)
  if (failure !== null) return outcomeOf(finding, "failed", failure)
  if (finding.source === "static" && !isFound) return outcomeOf(finding, "resolved")
  if (note !== "") return outcomeOf(finding, "unresolved", note)
  if (!isEdited && isElsewhere) return outcomeOf(finding, "wrong-target", "other files were changed, not its own")
  if (finding.source === "model" && isEdited) {
    if (verdict?.verdict === "consistent")
      return outcomeOf(finding, "unresolved", `it still holds: ${verdict.evidence}`)
    if (verdict?.verdict === "contradicts") return outcomeOf(finding, "resolved", verdict.evidence)
    return outcomeOf(finding, "changed")
  }
  return outcomeOf(finding, "unresolved", isEdited ? `${finding.rule} still reports it` : "its code was not changed")
}

const noModel = "it has no mechanical fix; a model can try it (--backend)"
