/**
 * The figures of a session while it goes on: trust, focus, debt, unresolved errors.
 *
 * Trust and focus are from 0 to 100. Both are computed from counts, and have no memory of their own: the time of a sample does not
 * depend on the length of the session.
 */
import type { SessionStep } from "./SessionView.ts"

export class SessionFigures {
  errors = 0
  /** Edits since the last build, test or check that succeeded. */
  debt = 0
  milestones = 0
  private switches = 0
  private readsSinceEdit = 0
  private periodsSinceMilestone = 0
  /** The turns of the latest denials. */
  private denials: Array<number> = []
  private turn = 0
  /** Failures in a row, by folder and command family. */
  private readonly failing = new Map<string, number>()
  private deadEnds = 0
  private readonly seenFolders = new Set<string>()
  private readonly folders: Array<string> = []
  /** How often each is among these. */
  private readonly timesOfFolder = new Map<string, number>()

  add(step: SessionStep): void {
    this.turn = step.turn
    if (step.result === "denied") this.denials.push(step.turn)
    if (step.action === "edit" && step.result === "ok") {
      this.debt++
      this.readsSinceEdit = 0
    }
    if (step.action === "read") this.readsSinceEdit++
    for (const file of step.files) this.visit(file, step.action === "read")
    if (step.action !== "run" || step.family === null) return
    const check = `${step.folder}\n${step.family}`
    if (step.result === "failed") {
      this.errors++
      const times = (this.failing.get(check) ?? 0) + 1
      this.failing.set(check, times)
      if (times === failuresOfDeadEnd) this.deadEnds++
    }
    if (step.result === "ok") {
      this.errors = Math.max(0, this.errors - 1)
      if ((this.failing.get(check) ?? 0) >= failuresOfDeadEnd) this.deadEnds--
      this.failing.delete(check)
    }
  }

  /** `isCheck`: a build, a test or a check, not a commit. */
  reach(isCheck: boolean): void {
    this.milestones++
    this.errors = 0
    if (!isCheck) return
    this.debt = 0
    this.periodsSinceMilestone = 0
    this.switches = 0
  }

  endPeriod(): void {
    this.periodsSinceMilestone++
  }

  get trust(): number {
    if (this.denials.length > 0) this.denials = this.denials.filter((turn) => turn > this.turn - 10)
    const isCareful = this.readsSinceEdit < 3 && this.debt < 3
    return within(
      100 -
        5 * this.errors -
        3 * this.debt -
        2 * this.switches -
        4 * this.deadEnds -
        this.periodsSinceMilestone -
        3 * this.denials.length +
        (this.milestones > 0 ? 10 : 0) +
        (isCareful ? 5 : 0)
    )
  }

  get focus(): number {
    return within(
      100 -
        Math.min(40, 10 * Math.max(0, this.timesOfFolder.size - 3)) -
        Math.min(30, 8 * this.switches) -
        Math.min(30, 5 * Math.max(0, this.readsSinceEdit - 5))
    )
  }

  private visit(file: string, isRead: boolean): void {
    const folder = file.slice(0, Math.max(0, file.lastIndexOf("/")))
    if (isRead && !this.seenFolders.has(folder) && this.folders.length > 0 && this.folders.at(-1) !== folder)
      this.switches++
    this.seenFolders.add(folder)
    this.folders.push(folder)
    this.timesOfFolder.set(folder, (this.timesOfFolder.get(folder) ?? 0) + 1)
    const left = this.folders.length > foldersOfFocus ? this.folders.shift() : undefined
    if (left === undefined) return
    const times = this.timesOfFolder.get(left)! - 1
    if (times > 0) this.timesOfFolder.set(left, times)
    else this.timesOfFolder.delete(left)
  }
}

const failuresOfDeadEnd = 3
/** Of the latest files. */
const foldersOfFocus = 30

const within = (value: number): number => Math.max(0, Math.min(100, value))
