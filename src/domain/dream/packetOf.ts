/**
 * Makes the resume packet of a session (task 10). Pure, without Effect: `dd hook event` makes one after a compaction.
 *
 * Nothing of a tool's output enters a packet: an error is named by its command and its code, and a path or a command only if
 * it cannot be read as a sentence. Source: seed 001, reference warden §4.
 */
import { oneLine } from "../text/Printable.ts"
import { type Artifact, type DreamPlaybook, type RepairPattern, subjectOf } from "./Artifact.ts"
import type { PacketItem, ResumePacket } from "./ResumePacket.ts"
import { shellEdit } from "./repository/shellEdit.ts"
import type { SessionProfile } from "./SessionProfile.ts"
import type { SessionStep, SessionView } from "./SessionView.ts"
import { lexicalSearch } from "./similar/alike.ts"

export interface PacketInput {
  readonly session: Omit<SessionView, "samples">
  readonly artifacts: ReadonlyArray<Artifact>
  /** Of other sessions, newest first: whether their packets helped. */
  readonly profiles: ReadonlyArray<Pick<SessionProfile, "injections">>
}

export const packetOf = ({ artifacts, profiles, session }: PacketInput): ResumePacket => {
  const open = unresolvedErrors(session.steps)
  const edited = editedLast(session)
  const items = [
    ...open.map((error) => errorItem(error, edited)),
    ...loopItems(session, edited),
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
    head: session.head,
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
  readonly folder: string
  readonly trigger: string | null
  /** The trigger, if it may be shown. */
  readonly code: string | null
  readonly masked: string
  readonly times: number
  /** Those that the error of the last run names and that the session edited or read. */
  readonly files: ReadonlyArray<string>
}

/** Checks and commands whose last run failed, the latest first. */
const unresolvedErrors = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<OpenError> => {
  const open = new Map<string, OpenError>()
  // An error names files also as another directory sees them, and some that do not exist.
  const touched = new Set(steps.flatMap(filesOf))
  for (const { action, error, family, folder, named, result } of steps) {
    if (action !== "run" || family === null || !isPlainCommand(family)) continue
    // A run in a folder covers those below it.
    const isCovered = (other: OpenError) =>
      other.family === family && (folder === "" || `${other.folder}/`.startsWith(`${folder}/`))
    if (result === "ok") for (const [key, other] of open) if (isCovered(other)) open.delete(key)
    if (result !== "failed") continue
    const key = `${folder}\n${family}`
    const times = (open.get(key)?.times ?? 0) + 1
    open.delete(key)
    const trigger = error?.trigger ?? null
    open.set(key, {
      family,
      folder: isPlainPath(folder) ? folder : "",
      trigger,
      code: plainCode(trigger),
      masked: error?.masked ?? "",
      times,
      files: named.filter((file) => touched.has(file))
    })
  }
  return [...open.values()].toReversed().slice(0, mostErrors)
}

const mostErrors = 4
const mostFiles = 6
/** Files by which an item is dropped when they change. */
const mostWatched = 12

/** A path without spaces: no sentence. */
const isPlainPath = (path: string): boolean => /^[\p{L}\p{N}_./:@+()[\]~$=,-]{1,120}$/u.test(path)

/** A program with at most two words, each without spaces and quotes. */
export const isPlainCommand = (family: string): boolean =>
  family.length <= 80 && /^[a-z][\w.+-]*(?: [\w./:@+-]+){0,2}$/.test(family)

/** The code of an error, if its form leaves no room for words, or if it is a name that languages define. */
const plainCode = (trigger: string | null): string | null => {
  const code = trigger?.split(":").at(-1) ?? ""
  return /^(?:[A-Z]{1,5}\d{2,5}|E[A-Z]{3,10})$/.test(code) || standardErrors.has(code) ? trigger : null
}

const standardErrors = new Set(
  [
    "TypeError ReferenceError SyntaxError RangeError EvalError URIError AggregateError AssertionError",
    "ValueError KeyError IndexError NameError AttributeError ImportError ModuleNotFoundError IndentationError OSError",
    "FileNotFoundError PermissionError RuntimeError NotImplementedError ZeroDivisionError UnicodeDecodeError RecursionError",
    "NullPointerException IllegalArgumentException IllegalStateException ClassCastException IndexOutOfBoundsException",
    "NoSuchElementException UnsupportedOperationException IOException RuntimeException NoMethodError ArgumentError"
  ].flatMap((names) => names.split(" "))
)

const errorItem = ({ code, family, files, folder, times }: OpenError, edited: Edited): PacketItem => ({
  kind: "unresolved",
  text: `\`${family}\`${folder === "" ? "" : ` in ${folder}`} failed ${times === 1 ? "at its last run" : `${times} times in a row`}${code === null ? "" : ` (${code})`}`,
  commands: [family],
  ...asLeft([...files, ...edited.files])
})

/** The files that a step edited or read. */
const filesOf = ({ action, files, result }: SessionStep): ReadonlyArray<string> =>
  action === "edit" || (action === "read" && result === "ok") ? files : []

/** An item about these files as the session left them: if one of them was changed meanwhile, it may be resolved. */
const asLeft = (files: ReadonlyArray<string>): Pick<PacketItem, "files" | "unchanged"> =>
  files.length === 0 ? {} : { files: [...new Set(files)].slice(0, mostWatched), unchanged: true }

/** Of each kind the latest that is open, with what it is about: the files of its steps and the last command. */
const loopItems = ({ loops, steps }: PacketInput["session"], edited: Edited): ReadonlyArray<PacketItem> => {
  const open = new Map(loops.filter(({ closedAt }) => closedAt === null).map((loop) => [loop.kind, loop]))
  return [...open.values()].slice(0, 2).map(({ firstStep, kind }) => {
    const repeated = steps.slice(firstStep - 1).toReversed()
    const files = repeated.flatMap(filesOf)
    const command = repeated.find(({ family }) => family !== null && isPlainCommand(family))?.family ?? null
    return {
      kind: "unresolved",
      text: `the session ended in a loop: ${kind}`,
      ...(command === null ? {} : { commands: [command] }),
      ...asLeft([...files, ...edited.files])
    }
  })
}

interface Edited {
  /** The latest first. */
  readonly files: ReadonlyArray<string>
  readonly isUnchecked: boolean
}

/** The files edited after the last commit. */
const editedLast = ({ milestones, steps }: PacketInput["session"]): Edited => {
  const commit = milestones.findLast(({ what }) => what === "commit")?.step ?? 0
  const edits = steps.filter(({ action, result, step }) => action === "edit" && result === "ok" && step > commit)
  const checked = milestones.findLast(({ what }) => what !== "commit" && what !== "deploy")?.step ?? 0
  const files = [...new Set(edits.toReversed().flatMap((step) => step.files))].filter(isPlainPath).slice(0, mostFiles)
  const isUnchecked = steps.slice(checked).some(isEdit)
  return { files, isUnchecked }
}

/** Of an assistant's tool or of the shell. */
const isEdit = ({ action, command, result }: SessionStep): boolean =>
  result === "ok" && (action === "edit" || (action === "run" && command !== null && shellEdit.test(command)))

const activeItems = ({ files, isUnchecked }: Edited): ReadonlyArray<PacketItem> =>
  files.map((file) => ({
    kind: "active",
    text: file,
    files: [file],
    ...(isUnchecked ? { asLeft: "not checked after the last edit" } : {})
  }))

const goalItem = ({ goal }: PacketInput["session"]): ReadonlyArray<PacketItem> => {
  const words = oneLine(goal).slice(0, 160).toWellFormed()
  return words === "" || words.startsWith("<") ? [] : [{ kind: "goal", text: words }]
}

const verifiedItem = ({ milestones, steps }: PacketInput["session"]): ReadonlyArray<PacketItem> => {
  const last = milestones.findLast(({ what }) => what !== "commit" && what !== "deploy")
  const family = last === undefined ? null : (steps[last.step - 1]?.family ?? null)
  if (last === undefined || family === null || !isPlainCommand(family)) return []
  return [
    { kind: "verified", text: `\`${family}\` passed at step ${last.step} of ${steps.length}`, commands: [family] }
  ]
}

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
  return (error: OpenError): ReadonlyArray<FoundRepair> => {
    const same = repairs.filter((repair) =>
      [subjectOf(repair), ...(repair.merged ?? [])].some((each) => each === error.masked || each === error.trigger)
    )
    const found = same.length > 0 ? same : search(error.masked).slice(0, 1)
    return found.map((repair) => ({ error, repair, isSame: same.length > 0 }))
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
      const after = `after \`${error.family}\` failed${error.code === null ? "" : ` (${error.code})`}`
      const sessions = `${repair.stats.sessions} ${repair.stats.sessions === 1 ? "session" : "sessions"}`
      const helped = isSame ? `this helped in ${sessions}` : `this helped with a similar error in ${sessions}`
      const isPlaybook = repair.type === "DreamPlaybook"
      const steps = isPlaybook ? repair.sequence : repair.fix_action.split(", then ")
      return {
        kind: isPlaybook ? "playbook" : "repair",
        text: shortened(`${after}, ${helped}: ${isPlaybook ? repair.sequence.join("; ") : repair.fix_action}`),
        commands: [error.family, ...steps.flatMap(commandsIn)],
        artifact: repair.id
      }
    })
}

/** The command of a step in the words of `stepWords.ts`. */
const commandsIn = (step: string): ReadonlyArray<string> => {
  const command = /^(?:run|install the dependencies with) (.+)$/.exec(step)?.[1]
  return command === undefined ? [] : [command]
}

/** At most three conventions: those about the kinds of files that were edited, and those about all files. */
const conventionItems = (artifacts: ReadonlyArray<Artifact>, { files }: Edited): ReadonlyArray<PacketItem> => {
  const endings = new Set(files.flatMap((file) => /\.\w+$/.exec(file) ?? []))
  return artifacts
    .flatMap((artifact) => {
      if (artifact.type !== "ProjectConvention") return []
      const named = artifact.pattern.match(/\.[a-z]\w*\b/g) ?? []
      const isAboutOthers = named.length > 0 && !named.some((ending) => endings.has(ending))
      return isAboutOthers ? [] : [artifact]
    })
    .toSorted((a, b) => b.confidence - a.confidence)
    .slice(0, 3)
    .map(({ domain, id, pattern }) => {
      const command = domain === "commands" ? /`(.+)`/.exec(pattern)?.[1] : undefined
      const commands = command === undefined ? {} : { commands: [command] }
      return { kind: "convention", text: shortened(pattern), ...commands, artifact: id }
    })
}

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
