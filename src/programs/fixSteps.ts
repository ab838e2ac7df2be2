/**
 * The fix half of a review, by the names of its steps in the flows: verdicts, the user's consent, fixes in a throw-away
 * tree, the project's tests, and the user's files. Decisions are in the services.
 */
import { Effect } from "effect"
import type { Change } from "../domain/change/Change.ts"
import { verdictsOn, withVerdicts } from "../domain/finding/Verdict.ts"
import { commitMessage } from "../domain/fix/commitMessage.ts"
import { editOf } from "../domain/fix/Edit.ts"
import { groupsOf, type Judged } from "../domain/fix/FixGroup.ts"
import { type FixReport, type FixWish, noFixes, type TestReport } from "../domain/fix/FixReport.ts"
import { compare, nextAction } from "../domain/fix/Heal.ts"
import { handoffText } from "../domain/fix/handoff.ts"
import { isFailed, isFixed } from "../domain/fix/Outcome.ts"
import { qualityWarnings } from "../domain/fix/quality.ts"
import { commandText, type TestCommand } from "../domain/fix/TestCommand.ts"
import type { TestResult } from "../domain/fix/TestResult.ts"
import { fixedFeedback } from "../domain/review/Feedback.ts"
import { goesOn } from "../domain/review/Loop.ts"
import type { RunState } from "../domain/review/RunState.ts"
import { RunEvent } from "../domain/run/RunEvent.ts"
import { type Advance, inOrder, isEnabled, proceed, type StepBody, stop } from "../domain/run/Step.ts"
import { plural } from "../domain/text/plural.ts"
import { Agent } from "../services/agent/Agent.ts"
import { Choices } from "../services/fix/Choices.ts"
import { FixTarget } from "../services/fix/FixTarget.ts"
import { FixTree, type FixTreeFailed, type Tree } from "../services/fix/FixTree.ts"
import { type Fixed, fixFindings } from "../services/fix/fixFindings.ts"
import { judgeByRules } from "../services/fix/judgeByRules.ts"
import { TestRunner } from "../services/fix/TestRunner.ts"
import { apply, commit as commitFixes, edited } from "../services/fix/userTree.ts"
import { conclude } from "../services/review/conclude.ts"
import { clearFixes, putFixes, putHandoff, putVerdicts } from "../services/review/fixFiles.ts"
import type { IgnoreFileInvalid } from "../services/review/suppress.ts"
import { FailPolicy } from "../services/run/FailPolicy.ts"
import { Recorder } from "../services/run/Recorder.ts"
import { withServices } from "../services/system/withServices.ts"

type FixStep = StepBody<RunState, IgnoreFileInvalid, never>

export const fixSteps = Effect.gen(function* () {
  const agent = yield* Agent
  const choices = yield* Choices
  const onFailure = yield* FailPolicy
  const recorder = yield* Recorder
  const target = yield* FixTarget
  const tests = yield* TestRunner
  const trees = yield* FixTree
  const user = yield* withServices({ apply, commit: commitFixes, edited })
  const call = yield* withServices({
    clearFixes,
    conclude,
    fixFindings,
    judgeByRules,
    putFixes,
    putHandoff,
    putVerdicts
  })

  /** The findings that are not suppressed and not in the baseline, with their verdicts. */
  const judgedOf = Effect.fnUntraced(function* (state: RunState) {
    const { findings } = yield* call.conclude(state)
    return findings.flatMap(
      (finding): ReadonlyArray<Judged> =>
        finding.new ? [{ finding, verdict: state.verdicts.get(finding.fingerprint) ?? null }] : []
    )
  })

  /** Ends the fix half; the review goes on to its report. */
  const abandon = (state: RunState, fix: FixReport, summary: string, code = 0) =>
    stop({ ...state, fixing: null, fix }, code, summary)

  /** A loop that cannot go on is not clean if its last pass had findings. */
  const loopCode = (state: RunState, findings: number): number => (state.loop !== null && findings > 0 ? 1 : 0)

  /** A tree that fails ends the fix half, and the review is reported. */
  const stepOf = (
    name: string,
    run: (
      state: RunState,
      fix: FixReport,
      fixing: FixWish,
      tree: Tree,
      /** Keeps what is known so far, for a tree that fails after it. */
      keep: (fix: FixReport) => void
    ) => Effect.Effect<Advance<RunState>, FixTreeFailed | IgnoreFileInvalid>
  ): FixStep => ({
    enabled: (state) => state.fixing !== null,
    run: (state) => {
      const { fixing } = state
      if (fixing === null) return Effect.succeed(proceed(state))
      const fix = state.fix ?? noFixes
      let known = fix
      const keep = (now: FixReport) => {
        known = now
      }
      return Effect.flatMap(trees.of(state.change), (tree) => run(state, fix, fixing, tree, keep)).pipe(
        Effect.catchTag("FixTreeFailed", ({ _tag: error, message }) =>
          Effect.as(
            onFailure.degrade({ step: name, error, detail: message }),
            abandon(state, { ...known, detail: message }, message, 1)
          )
        )
      )
    }
  })

  /** The claims of models have their verdicts already. */
  const verify = stepOf(
    "verify",
    Effect.fnUntraced(function* (state, _fix, _fixing, tree) {
      yield* call.clearFixes()
      const findings = (yield* judgedOf(state)).map(({ finding }) => finding)
      const ofRules = findings.filter(({ source }) => source === "static")
      const verdicts = withVerdicts(state.verdicts, ofRules, yield* call.judgeByRules(ofRules, state.change, tree))
      yield* call.putVerdicts(findings, verdicts)
      const judged = verdictsOn(findings, verdicts)
      const against = judged.filter(({ verdict: { verdict } }) => verdict === "contradicts").length
      const summary =
        findings.length === 0
          ? "no findings to verify"
          : `${judged.length} of ${findings.length} judged, ${against} contradicted`
      return proceed({ ...state, verdicts, fix: noFixes }, summary)
    })
  )

  const commandOf = (wish: FixWish, tree: Tree, paths: ReadonlyArray<string>) =>
    Effect.result(tests.find(tree.repository.root, wish.testCommand, paths))

  const fixGate = stepOf(
    "fix-gate",
    Effect.fnUntraced(function* (state, fix, fixing, tree) {
      const judged = yield* judgedOf(state)
      const { groups } = groupsOf(judged, () => true)
      const ready = groups.flatMap(({ findings }) =>
        findings.filter(({ finding }) => agent.hasModel("fix") || editOf(finding) !== null)
      )
      if (ready.length === 0) {
        const without = judged.length === 0 ? "no findings" : "no finding has a fix"
        return abandon(state, { ...fix, detail: without }, without, loopCode(state, judged.length))
      }
      if (fixing.attendance !== "interactive") return proceed(state, plural(ready.length, "finding"))
      const paths = groups.map(({ path }) => path)
      const command = yield* commandOf(fixing, tree, paths)
      const details = [
        ...judged.map(
          ({ finding, verdict }) =>
            `${finding.file}:${finding.line} ${finding.title} (${verdict?.verdict ?? "not verified"})`
        ),
        command._tag === "Failure"
          ? `Tests: none (${command.failure.message})`
          : `Tests: ${commandText(command.success)} (${command.success.from})`
      ]
      const question = `Fix ${plural(ready.length, "finding")} in a copy of the repository, and run its tests there?`
      return (yield* choices.confirm(question, details))
        ? proceed(state, plural(ready.length, "finding"))
        : abandon(state, { ...fix, detail: "declined" }, "declined", loopCode(state, ready.length))
    })
  )

  /** Runs the tests in a copy of the tree. */
  const runTests = Effect.fnUntraced(function* (step: "fix" | "test", tree: Tree, command: TestCommand) {
    const record = (ended: TestEnd) =>
      recorder.record(
        RunEvent.make({
          _tag: "TestsEnded",
          step,
          when: step === "fix" ? "before the fixes" : "after the fixes",
          command: commandText(command),
          outcome: ended.outcome,
          exitCode: ended.exitCode,
          durationMs: ended.durationMs,
          reason: ended.reason,
          output: ended.outcome === "passed" ? "" : ended.output.slice(-recordedOutput)
        })
      )
    return yield* tests.run(command, yield* tree.forTests).pipe(
      Effect.tap(record),
      Effect.onInterrupt(() => record(interrupted))
    )
  })

  const recommend = Effect.fnUntraced(function* (state: RunState, fix: FixReport, tree: Tree, fixed: Fixed) {
    // A repeated fix is of some findings only.
    const again = new Set(fixed.outcomes.map(({ id }) => id))
    const kept = fix.outcomes.filter(({ id }) => !again.has(id))
    const outcomes = [...kept, ...fixed.outcomes].toSorted((a, b) => a.id - b.id)
    const outside = [...new Set([...fix.outside, ...fixed.outside])].sort()
    const isStored = yield* call.putFixes({ patch: yield* tree.patch, outcomes, partial: fixed.partial, outside })
    const changed = yield* tree.changed
    return {
      ...state,
      fix: {
        ...fix,
        outcomes,
        outside,
        quality: qualityWarnings(fixed.measures, outcomes),
        rounds: fix.rounds + fixed.rounds,
        files: changed,
        isStored,
        patch: changed.length === 0 ? "none" : "recommended"
      }
    } satisfies RunState
  })

  const fix = stepOf(
    "fix",
    Effect.fnUntraced(function* (state, fix, fixing, tree) {
      const judged = yield* judgedOf(state)
      const paths = [...new Set(judged.map(({ finding }) => finding.file))]
      const command = yield* commandOf(fixing, tree, paths)
      const found = command._tag === "Success" ? command.success : null
      const baseline = found === null ? null : yield* runTests("fix", tree, found)
      const report: TestReport = {
        command: found,
        baseline,
        after: null,
        comparison: "unknown",
        heals: 0,
        reason:
          command._tag === "Failure"
            ? command.failure.message
            : baseline?.outcome === "environment"
              ? baseline.reason
              : ""
      }
      const fixed = yield* call.fixFindings({ change: state.change, intent: state.intent, judged, tree, trouble: "" })
      const next = yield* recommend(state, { ...fix, tests: report }, tree, fixed)
      const done = fixed.outcomes.filter(isFixed).length
      const summary = `${done} of ${fixed.outcomes.length} fixed`
      return next.fix.files.length === 0
        ? abandon(next, next.fix, summary, failedCode(next.fix) || loopCode(state, judged.length))
        : proceed(next, summary)
    })
  )

  const test = stepOf(
    "test",
    Effect.fnUntraced(function* (state, fix, fixing, tree, keep) {
      if (fix.tests === null || fix.tests.command === null) return proceed(state, fix.tests?.reason ?? "")
      const { baseline, command } = fix.tests
      const judged = yield* judgedOf(state)
      let current = { ...state, fix }
      for (let heals = 0; ; heals++) {
        // What the environment lacks, a fix cannot give.
        const after = baseline?.outcome === "environment" ? baseline : yield* runTests("test", tree, command)
        const comparison = compare(baseline, after)
        const report: TestReport = { ...fix.tests, after, comparison, heals, reason: after.reason }
        current = { ...current, fix: { ...current.fix, tests: report } }
        keep(current.fix)
        const action = nextAction({ comparison, attemptsMade: heals, mode: fixing.attendance })
        const next = action === "ask" ? yield* askAfterTests(report) : action
        if (next === "retest") continue
        if (next === "accept") return proceed(current, `tests ${comparison}`)
        if (next === "heal" && agent.hasModel("fix")) {
          const fixed = new Set(current.fix.outcomes.filter(isFixed).map(({ id }) => id))
          const again = judged.filter(({ finding }) => fixed.has(finding.id))
          const trouble = `${after.reason}\n${after.output}`
          const request = { change: state.change, intent: state.intent, judged: again, tree, trouble }
          current = yield* recommend(current, current.fix, tree, yield* call.fixFindings(request))
          continue
        }
        const titles = new Map(judged.map(({ finding }) => [finding.id, finding.title]))
        yield* call.putHandoff(handoffText({ report: current.fix, titles, patch: ".daydream/recommended.patch" }))
        return abandon(current, { ...current.fix, detail: stoppedBecause(report) }, `tests ${comparison}`, 1)
      }
    })
  )

  const messageOf = Effect.fnUntraced(function* (state: RunState) {
    const fixed = new Set((state.fix ?? noFixes).outcomes.filter(isFixed).map(({ id }) => id))
    const judged = yield* judgedOf(state)
    const findings = judged.flatMap(({ finding }) => (fixed.has(finding.id) ? [finding] : []))
    return commitMessage(
      findings,
      { ...target, ...(state.loop === null ? {} : { iteration: state.loop.pass }) },
      state.feedback === null ? null : fixedFeedback(state.feedback, findings)
    )
  })

  const askAfterTests = ({ after, comparison }: TestReport) =>
    choices.choose(
      "What now?",
      [
        `Tests after the fixes: ${after?.outcome ?? "not run"} (${comparison})`,
        ...(after?.output ?? "").split("\n").slice(-20)
      ],
      [
        { name: "stop", words: "Stop, and keep the fixes as a patch" },
        { name: "retest", words: "Run the tests again" },
        { name: "heal", words: "Let the model fix it, and run the tests again" },
        { name: "accept", words: "Go on without green tests" }
      ]
    )

  const commit = stepOf(
    "commit",
    Effect.fnUntraced(function* (state, fix, fixing, tree) {
      const applies =
        fixing.attendance === "yes" ||
        (fixing.attendance === "interactive" &&
          (yield* choices.confirm(
            `Apply the fixes to ${plural(fix.files.length, "file")} of your working tree?`,
            fix.files
          )))
      if (!applies) {
        return ended(
          state,
          { ...fix, detail: fixing.attendance === "interactive" ? "declined" : "nobody was asked; --yes applies them" },
          "kept as a patch"
        )
      }
      return yield* applyAndCommit(state, fix, fixing, tree)
    })
  )

  const ended = (state: RunState, fix: FixReport, summary: string) => {
    const code = failedCode(fix)
    const next = { ...state, fix }
    return code === 0 ? proceed(next, summary) : stop(next, code, summary)
  }

  /** Not interruptible, so that an interrupted run leaves no fixes that are not committed. */
  const applyAndCommit = Effect.fnUntraced(
    function* (
      state: RunState,
      fix: FixReport,
      fixing: FixWish,
      tree: Tree
    ): Effect.fn.Return<Advance<RunState>, IgnoreFileInvalid> {
      const { repository } = target
      if (repository === null) return ended(state, fix, "kept as a patch")
      const before = fixing.commits ? yield* Effect.result(user.edited(repository)) : null
      const applied = yield* Effect.result(user.apply(repository, tree))
      if (applied._tag === "Failure") {
        const { _tag: error, message } = applied.failure
        yield* onFailure.degrade({ step: "commit", error, detail: message })
        return stop({ ...state, fix: { ...fix, patch: "refused", detail: message } }, 1, message)
      }
      const { paths, undo } = applied.success
      const report: FixReport = { ...fix, patch: "applied", files: paths, detail: "" }
      if (before === null || paths.length === 0) return ended(state, report, `${plural(paths.length, "file")} changed`)
      const mixed = before._tag === "Success" ? paths.filter((path) => before.success.has(path)) : []
      const reason =
        before._tag === "Failure"
          ? before.failure.message
          : mixed.length > 0
            ? `${mixed.join(", ")} had uncommitted edits of yours`
            : null
      // The next pass of a loop needs a clean working tree.
      const notCommitted = Effect.fnUntraced(function* (why: string, summary: string) {
        const isBack = state.loop !== null && (yield* Effect.result(undo))._tag === "Success"
        const ends = isBack ? { ...fix, detail: `taken back: ${why}` } : { ...report, detail: why }
        return stop({ ...state, fix: ends }, 1, summary)
      })
      if (reason !== null) return yield* notCommitted(`not committed: ${reason}`, "not committed")
      const committed = yield* Effect.result(
        user.commit(repository, paths, yield* messageOf({ ...state, fix: report }))
      )
      if (committed._tag === "Failure") {
        const { _tag: error, message } = committed.failure
        yield* onFailure.degrade({ step: "commit", error, detail: message })
        return yield* notCommitted(message, message)
      }
      const { lacksSignature, sha } = committed.success
      const detail = lacksSignature ? "unsigned, although commit.gpgSign is set" : ""
      return ended(state, { ...report, commit: sha, detail }, `committed as ${sha.slice(0, 12)}`)
    },
    (self) => Effect.uninterruptible(self)
  )

  /** A loop commits on the current branch, and fixes committed files alone. */
  const preflight: FixStep = {
    enabled: (state) => state.loop !== null,
    run: Effect.fnUntraced(function* (state) {
      const { repository } = target
      const edited = repository === null ? null : yield* Effect.result(user.edited(repository))
      const refusal =
        edited === null
          ? "there is no repository to commit to"
          : edited._tag === "Failure"
            ? edited.failure.message
            : whyNoLoop(state.change, edited.success)
      if (refusal === null) return proceed(state)
      yield* onFailure.degrade({ step: "loop-preflight", error: "LoopRefused", detail: refusal })
      return stop({ ...state, fixing: null }, 1, "refused")
    })
  }

  /** The loop ends without a pass that found nothing. */
  const exhausted: FixStep = {
    enabled: ({ fix, loop }) => loop !== null && !goesOn(loop, 0, fix),
    run: Effect.fnUntraced(function* (state) {
      const { length } = yield* judgedOf(state)
      return length === 0 ? proceed(state) : stop(state, 1, "the last pass had findings")
    })
  }

  return {
    verify,
    "fix-gate": fixGate,
    fix,
    test,
    commit,
    "shallow-fix": inOrder(verify, fixGate, fix),
    "shallow-test": test,
    "loop-preflight": preflight,
    "commit-iteration": onlyIf(commit, ({ loop }) => loop !== null),
    "loop-exhausted": exhausted,
    "commit-gate": onlyIf(commit, ({ loop }) => loop === null)
  }
})

const onlyIf = (body: FixStep, isWanted: (state: RunState) => boolean): FixStep => ({
  ...body,
  enabled: (state) => isWanted(state) && isEnabled(body, state)
})

/** Files are named up to this number. */
const mostNamed = 5

/** Null if fixes can be committed one pass after the other. */
export const whyNoLoop = (
  { baseBranch, branch }: Pick<Change, "baseBranch" | "branch">,
  edited: ReadonlySet<string>
): string | null => {
  // Repositories inside this one, and files written by dd, are not edits.
  const dirty = [...edited].filter((path) => !path.endsWith("/") && !path.startsWith(".daydream/")).sort()
  if (dirty.length > 0) {
    const names = dirty.slice(0, mostNamed).join(", ")
    const more = dirty.length > mostNamed ? ` and ${dirty.length - mostNamed} more` : ""
    return `--loop needs a clean working tree: commit, stash or ignore ${names}${more}`
  }
  if (branch === null) return "--loop commits to a branch, and HEAD is detached: switch to a branch"
  if (baseBranch === undefined || baseBranch === branch) {
    return `--loop commits to ${branch}, which is its own base: switch to another branch, or choose a base with --base`
  }
  return null
}

type TestEnd = Pick<TestResult, "exitCode" | "output" | "reason"> & {
  readonly outcome: TestResult["outcome"] | "interrupted"
  readonly durationMs: number | null
}

const interrupted: TestEnd = { outcome: "interrupted", exitCode: null, durationMs: null, reason: "", output: "" }

/** How much of the output of failed tests is in the record, in characters. */
const recordedOutput = 4_000

/** 1 if a group failed, or the tests did not pass. */
const failedCode = ({ outcomes, tests }: FixReport): number => {
  const isRed = tests !== null && tests.after !== null && tests.comparison !== "green"
  return isRed || outcomes.some(isFailed) ? 1 : 0
}

const stoppedBecause = ({ after, comparison }: TestReport): string => {
  const why = after === null || after.outcome === "failed" ? "" : `: ${after.reason}`
  switch (comparison) {
    case "worse":
      return `the tests are worse than before the fixes${why}`
    case "environment":
      return `the tests could not do their work${why}`
    default:
      return `whether the tests are worse than before the fixes is not known${why}`
  }
}
