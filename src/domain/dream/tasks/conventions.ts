/**
 * Task 4: the conventions of a project.
 *
 * A convention is a habit (`domain/code/habits`) that the repository has and a session followed: at least five items, at
 * least nine of ten with the same value, and every file, commit and command of the session that has the slot. A session says
 * nothing of slots that it did not work in. It also counts for and against the conventions that are known already. Of commands,
 * each session tells what succeeded; whether that is enough is decided over all sessions, whatever their order (`isSupported`).
 */
import {
  domainOf,
  evidenceOf,
  type Habit,
  HabitCounts,
  habitKey,
  habitOf,
  leadingValue,
  type ValueCounts
} from "../../code/habits/Habit.ts"
import { habitSentence } from "../../code/habits/habitSentence.ts"
import { type PathHabits, pathHabitsAmong } from "../../code/habits/pathHabits.ts"
import { subjectHabits } from "../../code/habits/subjectHabits.ts"
import { textHabits } from "../../code/habits/textHabits.ts"
import { compareText } from "../../text/compareText.ts"
import type { Artifact, Contribution } from "../Artifact.ts"
import { readCommand } from "../commandFamily.ts"
import { confidenceOf, emitThreshold, isCommon } from "../confidence.ts"
import type { RepositoryView } from "../RepositoryView.ts"
import { lockFiles } from "../repository/projectTasks.ts"
import { evenly, sampledFiles } from "../repository/sampledFiles.ts"
import type { SessionStep, SessionView } from "../SessionView.ts"

/** Of one session, those with the most evidence. */
const mostConventions = 20

/** The habits of a repository, counted. */
export interface RepositoryHabits {
  readonly counts: HabitCounts
  readonly files: ReadonlySet<string>
  readonly ofPath: PathHabits
}

/** Counts in parts, so that the caller can stop or yield between two of them. */
export function* countRepository(repository: RepositoryView): Generator<void, RepositoryHabits> {
  const counts = new HabitCounts()
  const ofPath = pathHabitsAmong(repository.files)
  yield
  for (const [at, path] of evenly(repository.files, mostFiles).entries()) {
    for (const habit of ofPath(path)) counts.add(habit)
    if (at % filesOfPart === 0) yield
  }
  for (const [at, path] of sampledFiles(repository.files).entries()) {
    for (const habit of textHabits(path, repository.text(path) ?? "")) counts.add(habit)
    if (at % textsOfPart === 0) yield
  }
  for (const subject of repository.subjects) for (const habit of subjectHabits(subject)) counts.add(habit)
  return { counts, files: new Set(repository.files), ofPath }
}

/** Of a larger repository, so many files at even distances are counted. */
const mostFiles = 20_000
const filesOfPart = 500
const textsOfPart = 20

export interface ConventionsInput {
  readonly session: SessionView
  readonly artifacts: ReadonlyArray<Artifact>
  readonly repository: RepositoryView
}

export const conventionsOf = (input: ConventionsInput, known: RepositoryHabits): ReadonlyArray<Contribution> => {
  const own = ownHabits(input, known)
  const stored = Map.groupBy(
    input.artifacts.flatMap((artifact) => (artifact.type === "ProjectConvention" ? (habitOf(artifact.key) ?? []) : [])),
    ({ slot }) => slot
  )
  const inSlots = [...own.touched].map(
    (slot): SlotEvidence => ({
      slot,
      own: own.created.of(slot),
      added: own.added.of(slot),
      repository: known.counts.of(slot)
    })
  )
  const found = inSlots.flatMap((slot) => {
    const leading = leadingIn(slot)
    const values = new Set((stored.get(slot.slot) ?? []).map(({ value }) => value))
    if (leading !== null) values.add(leading)
    return [...values].flatMap((value) => contributionOf(slot, value) ?? [])
  })
  return [...withoutRepeated(found), ...commandsOf(input)]
    .toSorted((a, b) => evidenceIn(b) - evidenceIn(a) || compareText(a.key, b.key))
    .slice(0, mostConventions)
}

/** The items of a slot, by where they come from. */
interface SlotEvidence {
  readonly slot: string
  /** Everything that the session created. */
  readonly own: ValueCounts
  /** The part of it that the repository does not have. */
  readonly added: ValueCounts
  readonly repository: ValueCounts
}

/** The value that the session supports; null if it does not hold, or the session broke it. */
const leadingIn = ({ added, own, repository, slot }: SlotEvidence): string | null => {
  const all = sum(added, repository)
  const value = leadingValue(all)
  if (value === null || habitSentence({ slot, value }) === null) return null
  const evidence = evidenceOf(all, value)
  const holds = isCommon(evidence) && confidenceOf(evidence) >= emitThreshold
  return holds && evidenceOf(own, value).f === 0 ? value : null
}

const contributionOf = ({ added, repository, slot }: SlotEvidence, value: string): Contribution | null => {
  const pattern = habitSentence({ slot, value })
  if (pattern === null) return null
  const known = evidenceOf(repository, value)
  return {
    key: habitKey({ slot, value }),
    body: { type: "ProjectConvention", domain: domainOf(slot), pattern },
    ...evidenceOf(added, value),
    ...(known.s + known.f > 0 ? { repository: known } : {})
  }
}

const evidenceIn = ({ repository, s }: Contribution): number => s + (repository?.s ?? 0)

/** What holds for a folder is not repeated for the folders in it. */
const withoutRepeated = (found: ReadonlyArray<Contribution>): ReadonlyArray<Contribution> => {
  const keys = new Set(found.map(({ key }) => key))
  return found.filter(({ key }) => {
    const habit = habitOf(key)
    const [domain, ending, folder = ""] = habit?.slot.split(":") ?? []
    if (habit === null || domain !== "naming" || folder === "") return true
    const above = folder.split("/").map((_, depth, parts) => parts.slice(0, depth).join("/"))
    return !above.some((each) => keys.has(habitKey({ slot: `naming:${ending}:${each}`, value: habit.value })))
  })
}

const sum = (a: ValueCounts, b: ValueCounts): ValueCounts => {
  const all = new Map(a)
  for (const [value, count] of b) all.set(value, (all.get(value) ?? 0) + count)
  return all
}

/** The habits of the files and commits of a session. */
const ownHabits = ({ repository, session }: ConventionsInput, { files, ofPath }: RepositoryHabits) => {
  const [created, added] = [new HabitCounts(), new HabitCounts()]
  const touched = new Set<string>()
  const edited = editedFiles(session.steps)
  const ofEdited = pathHabitsAmong(edited.keys())
  for (const [path, isNew] of edited) {
    const known = ofPath(path)
    const text = repository.text(path)
    // A new test may be beside a new source.
    const isLoneTest = known.length === 1 && domainOf(known[0]!.slot) === "testing"
    const habits = [...(isLoneTest ? ofEdited(path) : known), ...(text === null ? [] : textHabits(path, text))]
    for (const habit of habits) {
      touched.add(habit.slot)
      if (isNew || !files.has(path)) created.add(habit)
      if (!files.has(path)) added.add(habit)
    }
  }
  const known = new Set(repository.subjects)
  for (const subject of session.commits) {
    for (const habit of subjectHabits(subject)) {
      touched.add(habit.slot)
      created.add(habit)
      if (!known.has(subject)) added.add(habit)
    }
  }
  return { touched, created, added }
}

/** The files that a session edited, and whether it wrote each one before it read it: then it is the author. */
const editedFiles = (steps: ReadonlyArray<SessionStep>): ReadonlyMap<string, boolean> => {
  const edited = new Map<string, boolean>()
  const seen = new Set<string>()
  for (const { action, files, result, tool } of steps) {
    if (result !== "ok") continue
    for (const path of files) {
      if (action === "edit" && !edited.has(path)) edited.set(path, tool === "Write" && !seen.has(path))
      seen.add(path)
    }
  }
  return edited
}

const purposes = ["test", "build", "check"] as const

/**
 * Which command serves a purpose, and which program manages packages; only of commands that succeeded. All values of a slot have
 * one key, so that they count against each other.
 */
const commandsOf = ({ repository, session }: ConventionsInput): ReadonlyArray<Contribution> => {
  const counts = new HabitCounts()
  for (const { family, result } of session.steps) {
    if (result === "ok" && family !== null) for (const habit of habitsOfCommand(family)) counts.add(habit)
  }
  const locked = repository.files.flatMap((path) => lockFiles[path] ?? [])
  return ["commands:manager", ...purposes.map((purpose) => `commands:${purpose}`)].flatMap((slot) =>
    [...counts.of(slot)].flatMap(([value, s]) => {
      const pattern = habitSentence({ slot, value })
      // The root has the lock file of another manager, and none of this one.
      const isOther = slot === "commands:manager" && locked.length > 0 && !locked.includes(value)
      if (pattern === null || isOther) return []
      const body = { type: "ProjectConvention" as const, domain: domainOf(slot), pattern }
      return [{ key: slot, body, s, f: 0 }]
    })
  )
}

const habitsOfCommand = (family: string): ReadonlyArray<Habit> => {
  const purpose = purposes.find((each) => each === readCommand(family)?.purpose)
  const manager = /^(?:npm|pnpm|yarn|bun|uv|poetry|pdm|pipenv)(?= )/.exec(family)?.[0]
  return [
    ...(purpose === undefined ? [] : [{ slot: `commands:${purpose}`, value: family }]),
    ...(manager === undefined ? [] : [{ slot: "commands:manager", value: manager }])
  ]
}
