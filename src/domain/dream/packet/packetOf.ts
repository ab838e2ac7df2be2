/**
 * Makes the resume packet of a session (task 10). Pure, without Effect: `dd hook event` makes one after a compaction.
 *
 * Nothing of a tool's output enters a packet: an error is named by its command and its code, and a path or a command only if
 * it cannot be read as a sentence.
 */

import { oneLine } from "../../text/Printable.ts"
import { plural } from "../../text/plural.ts"
import { type Artifact, type DreamPlaybook, type RepairPattern, subjectOf } from "../Artifact.ts"
import { withoutDetail } from "../artifacts/details.ts"
import { readCommand } from "../commandFamily.ts"
import { failingChecks } from "../failingChecks.ts"
import { shellEdit } from "../repository/shellEdit.ts"
import type { SessionProfile } from "../SessionProfile.ts"
import type { ErrorSignature, LoopKind, SessionStep, SessionView } from "../SessionView.ts"
import { failedIn, loopVerdicts, loopWindow } from "../sessionLoops.ts"
import { lexicalSearch } from "../similar/alike.ts"
import { conventionsForFiles } from "./conventionsForFiles.ts"
import { isPlainCommand, isPlainPath, plainTrigger, shownPath } from "./plainText.ts"
import type { PacketItem, ResumePacket } from "./ResumePacket.ts"

export interface PacketInput {
  readonly session: Omit<SessionView, "samples">
  readonly artifacts: ReadonlyArray<Artifact>
  /** Of other sessions, newest first: whether their packets helped. */
  readonly profiles: ReadonlyArray<Pick<SessionProfile, "injections">>
}

export const packetOf = ({ artifacts, profiles, session }: PacketInput): ResumePacket => {
  const loops = openLoops(session)
  const open = unresolvedErrors(session, loops)
  const edited = editedLast(session)
  const items = [
    ...open.map((error) => errorItem(error, edited)),
    ...loopItems(loops, session, edited),
    ...activeItems(edited),
    ...goalItem(session),
    ...verifiedItem(session),
    ...repairItems(artifacts, open),
    ...conventionItems(artifacts, edited),
    ...arcItem(session)
  ]
  return {
    session: session.session,
    host: session.host,
    root: session.root,
    branch: session.branch,
    // Without an end that was reported, it is the commit of the start.
    head: session.endedAt === null && session.milestones.some(({ what }) => what === "commit") ? null : session.head,
    startedAt: session.startedAt,
    endedAt: session.endedAt ?? session.lastAt,
    outcome: session.outcome,
    ...(isNewState(session) ? { isNewState: true as const } : {}),
    ...(hasNotHelped(profiles) ? { isShort: true as const } : {}),
    items
  }
}

/** A session in which nothing was edited and nothing failed leaves nothing to resume. */
export const hasSignal = ({ items }: ResumePacket): boolean =>
  items.some(({ kind }) => kind === "unresolved" || kind === "active")

const isNewState = ({ milestones, steps }: PacketInput["session"]): boolean =>
  milestones.length > 0 || steps.some(({ action, result }) => action === "edit" && result === "ok")

/** Did none of the last five packets whose effect was measured help? */
const hasNotHelped = (profiles: PacketInput["profiles"]): boolean => {
  const values = profiles
    .flatMap(({ injections }) => injections)
    .flatMap(({ sources, value }) => (value !== null && sources.includes("resume") ? [value] : []))
    .slice(0, measuredPackets)
  return values.length === measuredPackets && values.every((value) => value <= 0)
}

const measuredPackets = 5

interface OpenError {
  readonly family: string
  /** The trigger of its last failure, if it may be shown. */
  readonly code: string | null
  /** Of the last failure. */
  readonly error: ErrorSignature | null
  readonly text: string
  /** Those that its last failure names and that the session edited or read. */
  readonly files: ReadonlyArray<string>
}

/** Commands that fail until the end, the latest first, each with the loops in which it failed. */
const unresolvedErrors = (
  { steps }: PacketInput["session"],
  loops: ReadonlyArray<OpenLoop>
): ReadonlyArray<OpenError> => {
  // An error names files also as another directory sees them, and some that do not exist.
  const touched = new Set(steps.flatMap(filesOf))
  return failingChecks(steps)
    .flatMap(({ failures, folder, hasOtherRuns }): ReadonlyArray<OpenError> => {
      const last = failures.at(-1)!
      const { error, family } = last
      if (family === null || !isPlainCommand(family)) return []
      const times = failures.length === 1 ? "once" : `${failures.length} times`
      const inRow = failures.length === 1 ? "at its last run" : `${times} in a row`
      const code = plainTrigger(error?.trigger ?? null)
      const isSameCode = failures.every((failure) => failure.error?.trigger === error?.trigger)
      const files = last.named.filter((file) => touched.has(file))
      const names = files.filter(isPlainPath).slice(0, 3)
      const kinds = loops.flatMap((loop) => (loop.failed?.family === family ? [loop.kind] : []))
      const text = [
        `\`${family}\`${inFolder(folder)} failed `,
        hasOtherRuns ? `${times}, and no later run has shown that all of it passes` : inRow,
        isTriedElsewhere(last, steps) ? " with the edits" : "",
        code === null ? "" : isSameCode ? ` (${code})` : `, last with ${code}`,
        names.length === 0 ? "" : `; the error names ${names.join(", ")}`,
        kinds.length === 0 ? "" : `; ${loopWords}: ${kinds.join(", ")}`
      ]
      return [{ family, code, error, files, text: shortened(text.join("")) }]
    })
    .toReversed()
    .slice(0, mostErrors)
}

/** Did it run later without the edits, or in another repository? */
const isTriedElsewhere = ({ family, step }: SessionStep, steps: ReadonlyArray<SessionStep>): boolean =>
  steps.slice(step).some((each) => each.family === null && readCommand(each.command ?? "")?.family === family)

const loopWords = "the last steps were a loop"
const mostErrors = 4
const mostFiles = 6
/** Files by which an item is dropped when they change. */
const mostWatched = 12

const errorItem = ({ family, files, text }: OpenError, edited: Edited): PacketItem => ({
  kind: "unresolved",
  text,
  commands: [family],
  ...asLeft([...files, ...edited.files])
})

/** The files that a step edited or read. */
const filesOf = ({ action, files, result }: SessionStep): ReadonlyArray<string> =>
  action === "edit" || (action === "read" && result === "ok") ? files : []

/** An item about these files as the session left them: if one of them was changed meanwhile, it may be resolved. */
const asLeft = (files: ReadonlyArray<string>): Pick<PacketItem, "files" | "unchanged"> =>
  files.length === 0 ? {} : { files: [...new Set(files)].slice(0, mostWatched), unchanged: true }

interface OpenLoop {
  readonly kind: LoopKind
  readonly failed: SessionStep | undefined
  /** Without what came before the loop. */
  readonly repeated: ReadonlyArray<SessionStep>
}

/** Of each kind the latest in which the session was at its end; `likely failure` tells of the whole session. */
const openLoops = (session: PacketInput["session"]): ReadonlyArray<OpenLoop> => {
  const { loops, steps } = session
  const isResolved = loopVerdicts(session)
  const open = loops.filter((loop) => loop.closedAt === null && loop.kind !== "likely failure" && !isResolved(loop))
  return [...new Map(open.map((loop) => [loop.kind, loop])).values()].map((loop) => ({
    kind: loop.kind,
    failed: failedIn(loop, steps),
    repeated: steps.slice(loop.firstStep - 1)
  }))
}

/** Loops in which no command failed, one item for each command. */
const loopItems = (
  loops: ReadonlyArray<OpenLoop>,
  { steps }: PacketInput["session"],
  edited: Edited
): ReadonlyArray<PacketItem> => {
  const found = loops
    .filter(({ failed }) => failed === undefined)
    .flatMap(({ kind, repeated }) => {
      const command = repeated.findLast(({ family }) => family !== null && isPlainCommand(family))?.family ?? null
      // Twice the same is none yet.
      const times = steps.slice(-loopWindow).filter(({ family }) => family === command).length
      return command !== null && times < 3 ? [] : [{ kind, command, files: repeated.flatMap(filesOf) }]
    })
  return [...Map.groupBy(found, ({ command }) => command)].slice(0, 2).map(([command, same]) => ({
    kind: "unresolved",
    text: `${loopWords}${command === null ? "" : ` around \`${command}\``}: ${same.map(({ kind }) => kind).join(", ")}`,
    ...(command === null ? {} : { commands: [command] }),
    ...asLeft([...same.flatMap(({ files }) => files.toReversed()), ...edited.files])
  }))
}

interface Edited {
  /** The latest first. */
  readonly files: ReadonlyArray<string>
  /** No check has passed since these were edited. */
  readonly unchecked: ReadonlySet<string>
}

/** The files edited after the last commit. */
const editedLast = ({ milestones, steps }: PacketInput["session"]): Edited => {
  const commit = milestones.findLast(({ what }) => what === "commit")?.step ?? 0
  const edits = steps.filter(({ action, result, step }) => action === "edit" && result === "ok" && step > commit)
  const files = [...new Set(edits.toReversed().flatMap((step) => step.files))]
  const checks = milestones.filter(({ what }) => what !== "commit" && what !== "deploy")
  // Which files a command of the shell edits is not known.
  const shell = steps.findLast(({ command, result }) => result === "ok" && command !== null && shellEdit.test(command))
  const isChecked = (file: string) => {
    const edited = edits.findLast((edit) => edit.files.includes(file))?.step ?? 0
    return checks.some(({ step }) => {
      const { folder } = steps[step - 1]!
      return step > edited && step >= (shell?.step ?? 0) && `${file}/`.startsWith(folder === "" ? "" : `${folder}/`)
    })
  }
  return { files, unchecked: new Set(files.filter((file) => !isChecked(file))) }
}

const activeItems = ({ files, unchecked }: Edited): ReadonlyArray<PacketItem> => {
  const shown = Map.groupBy(files.slice(0, mostFiles), shownPath)
  const items = [...shown].map(
    ([text, same]): PacketItem => ({
      kind: "active",
      text: same.length === 1 ? text : `${same.length} times ${text}`,
      files: same,
      ...(same.every((file) => unchecked.has(file)) ? { asLeft: "no check has passed since" } : {})
    })
  )
  const more = files.slice(mostFiles)
  return more.length === 0 ? items : [...items, { kind: "active", text: `${plural(more.length, "other file")} before` }]
}

const goalItem = ({ goal }: PacketInput["session"]): ReadonlyArray<PacketItem> => {
  const words = oneLine(goal).slice(0, 160).toWellFormed()
  return words === "" || words.startsWith("<") ? [] : [{ kind: "goal", text: words }]
}

const verifiedItem = ({ milestones, steps }: PacketInput["session"]): ReadonlyArray<PacketItem> => {
  const last = milestones.findLast(({ what }) => what !== "commit" && what !== "deploy")
  const step = last === undefined ? undefined : steps[last.step - 1]
  if (step?.family == null || !isPlainCommand(step.family)) return []
  const { family, folder, scope } = step
  const parts = scope.every(isPlainPath) ? scope.slice(0, 3).join(" ") : "a part of what it covers"
  const text = `\`${family}\`${scope.length === 0 ? "" : ` on ${parts}`}${inFolder(folder)} passed at step ${step.step} of ${steps.length}`
  return [{ kind: "verified", text: shortened(text), commands: [family] }]
}

const inFolder = (folder: string): string => (folder === "" ? "" : ` in ${shownPath(folder)}`)

type Repair = DreamPlaybook | RepairPattern

const isRepair = (artifact: Artifact): artifact is Repair =>
  artifact.type === "DreamPlaybook" || artifact.type === "RepairPattern"

interface FoundRepair {
  readonly error: OpenError
  readonly repair: Repair
  readonly isSame: boolean
}

/** Those of this very error; if there are none, the one of the error that is most alike in other words. */
const repairsOf = (repairs: ReadonlyArray<Repair>) => {
  const search = lexicalSearch(repairs)
  return (open: OpenError): ReadonlyArray<FoundRepair> => {
    const { error } = open
    const same = repairs.filter((repair) =>
      [subjectOf(repair), ...(repair.merged ?? [])].some((each) => each === error?.masked || each === error?.trigger)
    )
    const found = same.length > 0 ? same : search(error?.masked ?? "").slice(0, 1)
    return found.map((repair) => ({ error: open, repair, isSame: same.length > 0 }))
  }
}

/** What has repaired these errors before, or errors like them: at most two, those of the same errors first, then the surest. */
const repairItems = (artifacts: ReadonlyArray<Artifact>, open: ReadonlyArray<OpenError>): ReadonlyArray<PacketItem> => {
  const found = open
    .flatMap(repairsOf(artifacts.filter(isRepair)))
    .toSorted((a, b) => Number(b.isSame) - Number(a.isSame) || b.repair.confidence - a.repair.confidence)
  return found
    .filter(({ repair }, at) => found.findIndex((each) => each.repair.id === repair.id) === at)
    .slice(0, 2)
    .map(({ error, isSame, repair }) => {
      const failed = `\`${error.family}\` failed${error.code === null ? "" : ` (${error.code})`}`
      const which = isSame ? "the same error" : "a similar error"
      const helped = `with ${which}, this helped in ${plural(repair.stats.sessions, "session")}`
      const isPlaybook = repair.type === "DreamPlaybook"
      const steps = isPlaybook ? repair.sequence : repair.fix_action.split(", then ")
      return {
        kind: isPlaybook ? "playbook" : "repair",
        text: shortened(`${failed}; ${helped}: ${isPlaybook ? repair.sequence.join("; ") : repair.fix_action}`),
        commands: [error.family, ...steps.flatMap(commandsIn)],
        artifact: repair.id
      }
    })
}

/** The command of a step in the words of `stepWords.ts`. */
const commandsIn = (step: string): ReadonlyArray<string> => {
  const command = /^(?:run|install the dependencies with) (.+)$/.exec(withoutDetail(step))?.[1]
  return command === undefined ? [] : [command]
}

const conventionItems = (artifacts: ReadonlyArray<Artifact>, { files }: Edited): ReadonlyArray<PacketItem> =>
  conventionsForFiles(artifacts, files, 3).map(({ domain, id, pattern }) => {
    const command = domain === "commands" ? /`(.+)`/.exec(pattern)?.[1] : undefined
    const commands = command === undefined ? {} : { commands: [command] }
    return { kind: "convention", text: shortened(pattern), ...commands, artifact: id }
  })

const arcItem = ({ activity, steps }: PacketInput["session"]): ReadonlyArray<PacketItem> => {
  if (steps.length === 0) return []
  const runs = activity.map(({ phase, step }, index) => {
    const until = activity[index + 1]?.step ?? steps.length + 1
    return `${phase} ${until - Math.max(1, step)}`
  })
  return [{ kind: "arc", text: `${runs.slice(-6).join(", ")} (steps)` }]
}

const shortened = (text: string): string => {
  const line = oneLine(text)
  return line.length <= 280 ? line : `${line.slice(0, 279).toWellFormed()}…`
}
