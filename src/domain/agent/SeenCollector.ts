/** Collects the lines of the change that an agent sees in its prompt and in the results of its tools. */
import type { DiffFile } from "../change/Diff.ts"
import { joinedLines, type SeenLines } from "../change/SeenLines.ts"
import { AgentEvent } from "../run/AgentEvent.ts"
import { linesReturned, type ToolUse } from "./linesReturned.ts"
import type { Task } from "./Task.ts"

export class SeenCollector {
  readonly #files: ReadonlyArray<DiffFile>
  readonly #uses = new Map<string, ToolUse>()
  #seen: ReadonlyArray<SeenLines> = []

  constructor(files: ReadonlyArray<DiffFile>) {
    this.#files = files
  }

  get seen(): ReadonlyArray<SeenLines> {
    return this.#seen
  }

  take(event: AgentEvent): void {
    if (event._tag === "Shown") this.#seen = joinedLines(event.lines)
    if (event._tag === "ToolStart") this.#uses.set(event.id, event)
    if (event._tag === "ToolResult") {
      const uses = this.#uses.get(event.id)
      this.#uses.delete(event.id)
      if (uses !== undefined && !event.isError) this.add(linesReturned(uses, event.output, this.#files))
    }
  }

  add(more: ReadonlyArray<SeenLines>): void {
    if (more.length > 0) this.#seen = joinedLines([...this.#seen, ...more])
  }
}

/** The first event of a reviewer; other tasks have none. */
export const shownEvents = (
  task: Task,
  lines: ReadonlyArray<SeenLines>,
  timestamp: string
): ReadonlyArray<AgentEvent> =>
  task._tag === "StackReview" ? [AgentEvent.make({ _tag: "Shown", timestamp, lines })] : []
