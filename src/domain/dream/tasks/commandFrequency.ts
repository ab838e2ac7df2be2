/**
 * Task 8: the most frequent commands and tools, and those that were never allowed or never denied.
 *
 * A session does not record whether a person was asked before a call ran. So `always allowed` is only suggested for checks of
 * the project, and it means: it ran often, in several sessions, and was not denied once.
 */
import { compareText } from "../../text/compareText.ts"
import { readCommand } from "../commandFamily.ts"
import type { CommandCount, SessionProfile } from "../SessionProfile.ts"
import type { SessionStep } from "../SessionView.ts"

type Count = (typeof CommandCount)["Type"]

/**
 * More than the ten that are reported: a family that ran once in a session must not be missing where it was denied in others.
 */
const mostFrequent = 40
/** Also kept, whatever their frequency: families with a denial. */
const mostDenied = 20

/** The most frequent families of a session, and those that were denied; a tool without a command counts by its name. */
export const commandCounts = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<Count> => {
  const counts = new Map<string, { runs: number; failures: number; denials: number; tool?: true }>()
  for (const { action, family, result, tool } of steps) {
    // A command without a family ran elsewhere: it says nothing of the tool that runs commands.
    const name = (family ?? (action === "run" ? "" : tool)).slice(0, longestName)
    if (name === "" || result === "in flight") continue
    const own = family === null ? { tool: true as const } : {}
    const count = counts.get(name) ?? { ...own, runs: 0, failures: 0, denials: 0 }
    counts.set(name, count)
    if (result === "denied") count.denials++
    else count.runs++
    if (result === "failed") count.failures++
  }
  return kept([...counts].map(([family, count]) => ({ family, ...count })))
}

const longestName = 100

const kept = (counts: ReadonlyArray<Count>): ReadonlyArray<Count> => {
  const ordered = counts.toSorted(
    (a, b) => b.runs + b.denials - (a.runs + a.denials) || compareText(a.family, b.family)
  )
  const top = ordered.slice(0, mostFrequent)
  const denied = ordered.slice(mostFrequent).filter(({ denials }) => denials > 0)
  return [...top, ...denied.slice(0, mostDenied)]
}

export interface CommandSuggestion {
  readonly family: string
  readonly kind: "always denied" | "always allowed"
  /** Denials, or runs. */
  readonly times: number
  readonly sessions: number
  /** As Claude Code writes it in its settings. */
  readonly rule: string
}

const leastDenials = 3
const leastRuns = 5
/** Of what was always allowed: a person may have allowed it for one session. */
const leastSessions = 2

/** What the user could add to the settings of the assistant, by all sessions: to its block list or to its allow list. */
export const commandSuggestions = (
  sessions: ReadonlyArray<Pick<SessionProfile, "commands">>
): ReadonlyArray<CommandSuggestion> => {
  const all = new Map<string, { runs: number; denials: number; sessions: number; readonly rule: string }>()
  for (const { commands } of sessions) {
    for (const { denials, family, runs, tool } of commands) {
      const rule = tool === true ? family : `Bash(${family}:*)`
      const count = all.get(family) ?? { runs: 0, denials: 0, sessions: 0, rule }
      all.set(family, count)
      count.runs += runs
      count.denials += denials
      count.sessions++
    }
  }
  return [...all]
    .flatMap(([family, { denials, rule, runs, sessions: seen }]): ReadonlyArray<CommandSuggestion> => {
      if (runs === 0 && denials >= leastDenials)
        return [{ family, kind: "always denied", times: denials, sessions: seen, rule }]
      return denials === 0 && runs >= leastRuns && seen >= leastSessions && isCheck(family)
        ? [{ family, kind: "always allowed", times: runs, sessions: seen, rule }]
        : []
    })
    .sort((a, b) => compareText(a.kind, b.kind) * -1 || b.times - a.times || compareText(a.family, b.family))
}

const isCheck = (family: string): boolean => {
  const purpose = readCommand(family)?.purpose
  return purpose === "test" || purpose === "check" || purpose === "build" || purpose === "format"
}
