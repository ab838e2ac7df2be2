/**
 * Every sentence that the next session is told, and whether it is true. Run `bun scripts/bench/packetSentences.ts [SEED] [--all]`.
 *
 * The months of `plantedMonths` are replayed session by session, each packet made with what the sessions before it taught. Each
 * sentence is compared with the steps of its session by rules that share no code with those that made it. Printed are the forms
 * of the sentences with their numbers, and each false one; with `--all`, each sentence.
 */
import { Effect } from "effect"
import type { Artifact } from "../../src/domain/dream/Artifact.ts"
import { emptyBase, withSessions } from "../../src/domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../src/domain/dream/artifacts/artifactsOf.ts"
import { withinBudget } from "../../src/domain/dream/artifacts/budget.ts"
import { itemsThatHold, renderedPacket } from "../../src/domain/dream/packet/packetText.ts"
import type { SessionEvent } from "../../src/domain/dream/SessionEvent.ts"
import type { SessionProfile } from "../../src/domain/dream/SessionProfile.ts"
import type { SessionStep, SessionView } from "../../src/domain/dream/SessionView.ts"
import { viewOfSession } from "../../src/domain/dream/viewOfSession.ts"
import { tasks } from "../../src/layers/DreamLive.ts"
import { digest } from "../../src/layers/dream/spoolPlace.ts"
import { pass } from "../../test/support/dreamScores.ts"
import { plantedMonths } from "../../test/support/plantedMonths.ts"

const seed = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 1)
const isAll = process.argv.includes("--all")

interface Told {
  readonly session: SessionView
  readonly events: ReadonlyArray<SessionEvent>
  readonly artifacts: ReadonlyArray<Artifact>
}

const minutes = (words: string): number => {
  const [, count, unit] = /^(\d+) (min|h|days)$/.exec(words) ?? []
  return Number(count) * { min: 1, h: 60, days: 1_440 }[unit as "min"]
}
const isAbout = (words: string, milliseconds: number): boolean => {
  const unit = words.endsWith("min") ? 1 : words.endsWith(" h") ? 60 : 1_440
  return Math.abs(minutes(words) - milliseconds / 60_000) <= unit
}

/** Runs with a known or an unknown end. */
const runsOf = ({ steps }: SessionView, family: string, folder: string): ReadonlyArray<SessionStep> =>
  steps.filter((step) => step.family === family && step.folder === folder && !/denied|flight/.test(step.result))

const words = (text: string): ReadonlyArray<string> => text.split(", ")

/** Each begins a sentence; the answer is null for a true one, else what is wrong. */
const judges: Readonly<Record<string, (text: string, told: Told) => string | null>> = {
  "Not resolved": (text, { session }) => {
    const open = session.loops.filter(({ closedAt }) => closedAt === null).map(({ kind }) => kind)
    const loop = /the last steps were a loop(?: around `([^`]+)`)?: (.*)$/.exec(text)
    if (loop !== null) {
      if (!words(loop[2]!).every((kind) => open.some((each) => each === kind))) return "no such loop is open"
      const around = loop[1]
      if (around !== undefined && runsOf(session, around, "").length < 3) return "it ran less than three times"
      if (text.startsWith("the last steps")) return session.outcome === "clean" ? "the session ended as meant" : null
    }
    const check = /^`([^`]+)`(?: in (\S+))? failed (.*)$/.exec(text)
    if (check === null) return "unknown form"
    const [, family = "", folder = "", how = ""] = check
    const runs = runsOf(session, family, folder)
    const failed = (run: SessionStep | undefined) => run?.result === "failed"
    const inRow = runs.length - 1 - runs.findLastIndex((run) => !failed(run))
    const times = Number(/^(\d+) times/.exec(how)?.[1] ?? 1)
    const code = /\(error:(\S+)\)|last with error:(\S+?)(?:;|$)/.exec(how)
    const last = runs.findLast(failed)
    if (code !== null && last?.error?.trigger !== `error:${code[1] ?? code[2]}`)
      return "the last error has another code"
    const named = /; the error names ([^;]+)/.exec(how)?.[1]
    if (named !== undefined && !words(named).every((file) => last?.named.includes(file))) return "it names other files"
    if (how.startsWith("at its last run")) return failed(runs.at(-1)) ? null : "the last run did not fail"
    if (how.includes("in a row")) return inRow === times ? null : `${inRow} failed in a row`
    const passed = runs.findLast(({ result }) => result === "ok")
    const isWhole = passed !== undefined && passed.scope.length === 0 && passed.step > (last?.step ?? 0)
    return isWhole ? "all of it passed later" : runs.filter(failed).length >= times ? null : "it failed less often"
  },
  "Edited last": (text, { session }) => {
    if (/^\d+ other files? before$/.test(text)) return null
    const file = text.replace(/ \(no check has passed since\)$/, "")
    const commit = session.steps.findLast((step) => step.purpose === "commit" && step.result === "ok")?.step ?? 0
    const edits = session.steps.filter(
      (step) => step.action === "edit" && step.result === "ok" && step.files.includes(file)
    )
    const edit = edits.at(-1)
    if (edit === undefined || edit.step < commit) return "it was not edited after the last commit"
    const isChecked = session.steps.some(
      ({ purpose, result, step }) => step > edit.step && result === "ok" && /^(?:test|check|build)$/.test(purpose ?? "")
    )
    return file !== text &&
      isChecked &&
      !session.steps.some(({ command }) => /sed -i|>|git (?:pull|checkout)/.test(command ?? ""))
      ? "a check has passed since"
      : null
  },
  "The user had asked": (text, { events }) =>
    events
      .find(({ kind, text }) => kind === "prompt" && (text?.start.trim().length ?? 0) >= 10)
      ?.text?.start.startsWith(text)
      ? null
      : "not the first prompt",
  "Last check that passed": (text, { session }) => {
    const [, family, step, of] = /^`([^`]+)`(?: on .*?)?(?: in \S+)? passed at step (\d+) of (\d+)$/.exec(text) ?? []
    const at = session.steps[Number(step) - 1]
    const isIt = at?.family === family && at?.result === "ok" && Number(of) === session.steps.length
    const later = session.steps
      .slice(Number(step))
      .some(({ purpose, result }) => result === "ok" && /^(?:test|check|build)$/.test(purpose ?? ""))
    return isIt && !later ? null : "it is not the last one"
  },
  "Worked before": (text, { artifacts, session }) => {
    const found =
      /^`([^`]+)` failed(?: \((\S+)\))?; with (the same|a similar) error, this helped in (\d+) sessions?: (.*)$/.exec(
        text
      )
    if (found === null) return "unknown form"
    const [, family, , which, sessions, advice = ""] = found
    const last = session.steps.findLast((step) => step.family === family && step.result === "failed")
    const isGiven = artifacts.some((artifact) => {
      if (artifact.type !== "DreamPlaybook" && artifact.type !== "RepairPattern") return false
      const subject = artifact.type === "DreamPlaybook" ? artifact.trigger : artifact.error_signature
      const own = artifact.type === "DreamPlaybook" ? artifact.sequence.join("; ") : artifact.fix_action
      const isSame = subject === last?.error?.masked || subject === last?.error?.trigger
      return (
        own.startsWith(advice.replace(/…$/, "")) &&
        artifact.stats.sessions === Number(sessions) &&
        isSame === (which === "the same")
      )
    })
    return isGiven ? null : "nothing of this kind was learned"
  },
  "Convention of this project": (text, { artifacts, session }) => {
    if (!artifacts.some((artifact) => artifact.type === "ProjectConvention" && artifact.pattern === text))
      return "not learned"
    const edited = session.steps
      .filter(({ action, result }) => action === "edit" && result === "ok")
      .flatMap(({ files }) => files)
    const endings: ReadonlyArray<readonly [RegExp, RegExp]> = [
      [/TypeScript|\.ts\b/, /\.[cm]?tsx?$/],
      [/Python|\.py\b/, /\.py$/],
      [/\.tsx\b/, /\.tsx$/]
    ]
    const wanted = endings.filter(([named]) => named.test(text))
    return wanted.length === 0 || wanted.some(([, ending]) => edited.some((file) => ending.test(file)))
      ? null
      : "of other files"
  },
  "Course of the session": (text, { session }) => {
    const counts = [...text.matchAll(/ (\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0)
    return counts <= session.steps.length ? null : "more steps than it had"
  }
}

const headerFault = (line: string, { session }: Told, now: number): string | null => {
  const [, outcome, since, after] =
    / \(\w+\), (.*?) (\d+ (?:min|h|days)) ago, (\d+ (?:min|h|days)) after it began/.exec(line) ?? []
  if (since === undefined || after === undefined) return "unknown form"
  const ended = session.endedAt ?? session.lastAt
  if (
    outcome !==
    { clean: "ended", interrupted: "interrupted", failed: "ended by an error of the provider", open: "last active" }[
      session.outcome
    ]
  )
    return "another end"
  return isAbout(since, now - ended) && isAbout(after, ended - session.startedAt) ? null : "another time"
}

const forms = new Map<string, number>()
const wrong: Array<string> = []
let [packets, sentences] = [0, 0]

const judge = (line: string, fault: string | null, of: string) => {
  sentences++
  const form = line
    .replaceAll(/`[^`]+`/g, "`…`")
    .replaceAll(/\d+/g, "N")
    .replace(/^(Edited last: )\S+/, "$1FILE")
    .replace(/^(The user had asked: ).*/, "$1…")
    .replace(/(error names ).*?(?=;|$)/, "$1FILES")
    .replace(/error:\S+?(?=[);]|$)/, "CODE")
    .replace(/(this helped in N sessions?: ).*/, "$1…")
  forms.set(form, (forms.get(form) ?? 0) + 1)
  if (isAll || fault !== null)
    console.log(`${fault === null ? "true " : "FALSE"} ${of}: ${line}${fault === null ? "" : ` (${fault})`}`)
  if (fault !== null) wrong.push(line)
}

const replay = Effect.gen(function* () {
  for (const { month, name } of plantedMonths) {
    for (const restless of [0, 0.3]) {
      const planted = month(seed, restless)
      let profiles: ReadonlyArray<SessionProfile> = []
      let artifacts: ReadonlyArray<Artifact> = []
      for (const events of planted.sessions) {
        const session = viewOfSession(events)!
        const now = session.lastAt + 60_000
        const profile = yield* pass({ session, profiles, artifacts, repository: planted.repository, found: {}, now })
        const packet = profile.packet!
        const told: Told = { session, events, artifacts }
        const start = { root: packet.root, branch: packet.branch, head: packet.head, at: now + 3_600_000 }
        const facts = { changedAt: () => 0, text: () => null }
        // What the project defines is another subject: all commands are.
        const items = itemsThatHold({ ...packet, items: packet.items.map(({ commands: _, ...item }) => item) }, facts)
        const text = renderedPacket(packet, items, start)?.text
        if (text !== undefined) {
          packets++
          const [, header = "", ...lines] = text.split("\n")
          judge(
            header.replace(/^Session \S+/, "Session"),
            headerFault(header, told, start.at),
            `${name}, ${session.session}`
          )
          for (const line of lines) {
            const [, kind = "", words = ""] = /^- ([^:]+): (.*)$/.exec(line) ?? []
            judge(
              line.slice(2),
              judges[kind] === undefined ? "unknown kind" : judges[kind](words, told),
              `${name}, ${session.session}`
            )
          }
        }
        profiles = [profile, ...profiles]
        artifacts = withinBudget(artifactsOf(withSessions(emptyBase, profiles, now, digest), now, digest)).kept
      }
    }
  }
})

await Effect.runPromise(replay.pipe(Effect.provide(tasks)))
for (const [form, count] of [...forms].toSorted(([, a], [, b]) => b - a))
  console.log(`${String(count).padStart(6)} × ${form}`)
console.log(`${packets} packets, ${sentences} sentences, ${wrong.length} false`)
