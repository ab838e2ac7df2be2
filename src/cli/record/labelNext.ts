/**
 * `dd archive label --next`: the findings whose labels teach most. On a terminal, each takes one key, and its label is stored before
 * the next one is shown; elsewhere they are listed with the commands that label them.
 */
import { type Cause, Clock, Console, Effect, Option, Queue, Result, Stdio, Terminal } from "effect"
import { version } from "../../../package.json" with { type: "json" }
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import { parseDiff } from "../../domain/change/parseDiff.ts"
import { hunkLines } from "../../domain/finding/hunkLines.ts"
import { emptyGeneration } from "../../domain/night/Generation.ts"
import type { LabelledReview } from "../../domain/night/LabelledReview.ts"
import { type LabelRequest, labelRequests } from "../../domain/night/labelRequests.ts"
import { isAskable } from "../../domain/night/report/conditions.ts"
import type { Outcome } from "../../domain/record/LabelObservation.ts"
import { isSessionId } from "../../domain/run/SessionId.ts"
import { oneLine, visibleCode } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { findRun, labelRun } from "../../programs/archive.ts"
import { Git } from "../../services/change/Git.ts"
import { Corpus } from "../../services/night/Corpus.ts"
import { LabelledReviews } from "../../services/night/LabelledReviews.ts"
import { switchedOffRules } from "../../services/night/switchedOffRules.ts"
import { Bundles } from "../../services/record/Bundles.ts"
import { corpusHere } from "../night/corpusHere.ts"
import { writeOut } from "../system/writeOut.ts"
import { plainJson } from "../text/plainJson.ts"
import { rootsOf } from "./findRun.ts"

/** `most`: how many findings. Of the repository around the current directory. */
export const labelNext = Effect.fnUntraced(function* (most: number, json: boolean) {
  const repository = yield* (yield* Git).open(".")
  const { reviews } = yield* LabelledReviews.use(({ read }) => read).pipe(
    Effect.provide(LabelledReviews.layer(repository, yield* rootsOf()))
  )
  const codeOf = yield* codeReader
  // What reviews use decides what they hide; without a corpus that can be read, nothing is hidden.
  const corpus = yield* Effect.option(
    Effect.provide(
      Corpus.use(({ current }) => current),
      corpusHere
    )
  )
  const isOpen = isAskable({
    generation: Option.getOrElse(corpus, () => emptyGeneration("")),
    isSwitchedOff: repository.root === null ? () => false : yield* switchedOffRules(repository.root),
    now: yield* Clock.currentTimeMillis
  })
  const asked = yield* Effect.forEach(labelRequests(reviews, most, isOpen), (request) =>
    Effect.map(codeOf(request), (code) => ({ ...request, code }))
  )
  if (json) return yield* writeOut(`${plainJson({ schema_version: 1, ...countsOf(reviews), requests: asked }, 2)}\n`)
  if (asked.length === 0) return yield* Console.log(nothingText(reviews))
  const { stdinIsTerminal, stdoutIsTerminal } = yield* Stdio.Stdio
  if ((yield* stdinIsTerminal) && (yield* stdoutIsTerminal)) return yield* ask(asked)
  yield* Console.log(
    `${headText(reviews)}\n\n${asked.map((each, at) => [...linesOf(each, at + 1), `   ${commandOf(each)}`].join("\n")).join("\n\n")}`
  )
})

interface Asked extends LabelRequest {
  /** The line in the reviewed change; null: the archive does not have it. */
  readonly code: string | null
}

const countsOf = (reviews: ReadonlyArray<LabelledReview>) => {
  const findings = reviews.flatMap(({ findings }) => findings)
  return { findings: findings.length, labelled: findings.filter(({ judgement }) => judgement !== null).length }
}

const headText = (reviews: ReadonlyArray<LabelledReview>): string => {
  const { findings, labelled } = countsOf(reviews)
  return `Labels of these findings teach most; ${labelled} of ${plural(findings, "finding")} ${labelled === 1 ? "has" : "have"} one.`
}

const nothingText = (reviews: ReadonlyArray<LabelledReview>): string =>
  countsOf(reviews).findings === 0
    ? "No archived review of this repository has a finding."
    : "Every finding of this repository in the archive has a label, is hidden, or is no longer in the code."

const linesOf = ({ code, file, judged, line, reported, rule, severity, session, title }: Asked, at: number) => [
  `${at}. ${severity} ${oneLine(rule)}: ${oneLine(title)}`,
  `   ${oneLine(file)}:${line}${code === null ? "" : `: ${visibleCode(oneLine(code)).trim()}`}`,
  `   run ${session.slice(0, 8)}; ${plural(reported, "finding")} of this rule, ${judged === 0 ? "none" : judged} labelled`
]

const commandOf = ({ finding, session }: Asked): string =>
  `dd archive label ${session.slice(0, 8)} --finding ${finding} --outcome accepted (or rejected, contested)`

const codeReader = Effect.gen(function* () {
  const bundles = yield* Bundles
  const diffs = new Map<string, ReturnType<typeof parseDiff>>()
  return Effect.fnUntraced(function* ({ file, line, session }: LabelRequest) {
    if (!isSessionId(session)) return null
    if (!diffs.has(session)) {
      const patch = Option.getOrElse(yield* bundles.read(session, "diff.patch"), () => "")
      diffs.set(session, parseDiff(new TextEncoder().encode(patch)))
    }
    const diff = diffs.get(session)
    const found = diff === undefined || Result.isFailure(diff) ? undefined : filesOfDiff(diff.success).at(file)
    return found === undefined ? null : (hunkLines(found).get(line) ?? null)
  })
})

const outcomeOfKey: Readonly<Record<string, Exclude<Outcome, "unknown">>> = {
  a: "accepted",
  r: "rejected",
  c: "contested"
}

const ask = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>) {
  const keys = yield* (yield* Terminal.Terminal).readInput
  let labelled = 0
  for (const [at, each] of asked.entries()) {
    yield* Console.log(linesOf(each, at + 1).join("\n"))
    yield* writeOut("   a accept, r reject, c contested, s skip, q quit: ")
    const key = yield* nextKey(keys)
    const outcome = outcomeOfKey[key]
    if (outcome !== undefined) {
      const run = yield* findRun(each.session, null)
      yield* labelRun(run, { outcome, finding: each.finding, note: null, validAt: null, by: `dd/${version}` })
      labelled++
    }
    yield* writeOut(`${outcome ?? (key === "s" ? "skipped" : "quit")}\n\n`)
    if (key === "q") break
  }
  const next = labelled === 0 ? "" : "; dd dream start learns from labels"
  yield* writeOut(`${plural(labelled, "finding")} labelled${next}\n`)
}, Effect.scoped)

/** Other keys do nothing; Escape, Ctrl-C and a closed terminal quit. */
const nextKey = (keys: Queue.Dequeue<Terminal.UserInput, Cause.Done>) =>
  Effect.gen(function* () {
    for (;;) {
      const { key } = yield* Queue.take(keys)
      if (!key.ctrl && !key.meta && (key.name in outcomeOfKey || key.name === "s" || key.name === "q")) return key.name
    }
  }).pipe(Effect.orElseSucceed(() => "q"))
