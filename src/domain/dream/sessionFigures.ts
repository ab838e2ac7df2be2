/**
 * The figures of a session while it goes on: trust, focus, debt, unresolved errors. Source: reference warden §1.3 to §1.5.
 *
 * Trust and focus are from 0 to 100. Both are computed from counts and have no memory of their own.
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
  private readonly denials: Array<number> = []
  private turn = 0
  /** Failures in a row, by command family. */
  private readonly failing = new Map<string, number>()
  private readonly seenFolders = new Set<string>()
  private folders: ReadonlyArray<string> = []

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
    if (step.result === "failed") {
      this.errors++
      this.failing.set(step.family, (this.failing.get(step.family) ?? 0) + 1)
    }
    if (step.result === "ok") {
      this.errors = Math.max(0, this.errors - 1)
      this.failing.delete(step.family)
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
    const deadEnds = [...this.failing.values()].filter((times) => times >= 3).length
    const denials = this.denials.filter((turn) => turn > this.turn - 10).length
    const isCareful = this.readsSinceEdit < 3 && this.debt < 3
    return within(
      100 -
        5 * this.errors -
        3 * this.debt -
        2 * this.switches -
        4 * deadEnds -
        this.periodsSinceMilestone -
        3 * denials +
        (this.milestones > 0 ? 10 : 0) +
        (isCareful ? 5 : 0)
    )
  }

  get focus(): number {
    const folders = new Set(this.folders).size
    return within(
      100 -
        Math.min(40, 10 * Math.max(0, folders - 3)) -
        Math.min(30, 8 * this.switches) -
        Math.min(30, 5 * Math.max(0, this.readsSinceEdit - 5))
    )
  }

  private visit(file: string, isRead: boolean): void {
    const folder = file.slice(0, Math.max(0, file.lastIndexOf("/")))
    if (isRead && !this.seenFolders.has(folder) && this.folders.length > 0 && this.folders.at(-1) !== folder)
      this.switches++
    this.seenFolders.add(folder)
    this.folders = [...this.folders.slice(-29), folder]
  }
}

const within = (value: number): number => Math.max(0, Math.min(100, value))
