/** `dd session`: the recorded sessions of coding assistants. Only `end` and `import` write. */

import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { keyWithHost, markedEnd, type SessionEvent } from "../../domain/dream/SessionEvent.ts"
import { outcomeAt } from "../../domain/dream/viewOfSession.ts"
import { plural } from "../../domain/text/plural.ts"
import { appendEvents } from "../../layers/dream/appendEvents.ts"
import { askForPass } from "../../layers/dream/askForPass.ts"
import { placeOf } from "../../layers/dream/spoolFile.ts"
import { digest, spoolOf } from "../../layers/dream/spoolPlace.ts"
import { Spool, type SpooledSession } from "../../services/dream/Spool.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { tableText } from "../system/tableText.ts"
import { tableWidth } from "../system/terminal.ts"
import { writeOut } from "../system/writeOut.ts"
import { isoTime, moment } from "../text/amounts.ts"
import { jsonFlag, numberFlag, switchFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { dreamHome } from "./dreamHome.ts"
import { sessionTimeline } from "./SessionTimeline.ts"
import { importCommand } from "./sessionImport.ts"

const everywhere = switchFlag("all-projects", "Of all projects, not only the one in the current directory")

const recorded = Effect.fnUntraced(function* (allProjects: boolean) {
  const home = yield* dreamHome
  const read = Spool.use((spool) => spool.sessions(allProjects ? null : placeOf(".").project))
  const found = yield* Effect.provide(read, Spool.layer(spoolOf(home)))
  if (found.unreadable > 0)
    yield* Effect.logWarning(`${plural(found.unreadable, "file")} of sessions could not be read`)
  if (found.faults > 0) {
    yield* Effect.logWarning(
      `${plural(found.faults, "event")} could not be recorded; the reasons are in ${spoolOf(home)}/faults`
    )
  }
  return found.sessions
})

const list = Command.make("list", {
  allProjects: everywhere,
  limit: numberFlag("limit", "N", "List at most so many, the newest; 20 when absent, 0 for all", 0, 20),
  json: jsonFlag
}).pipe(
  Command.withDescription("List recorded sessions, newest first"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allProjects, json, limit }) {
      const now = yield* Clock.currentTimeMillis
      const all = yield* recorded(allProjects)
      const rows = (limit === 0 ? all : all.slice(0, limit)).map((session) => rowOf(session, now))
      if (json) return yield* writeOut(`${plainJson({ schema_version: 1, sessions: rows }, 2)}\n`)
      if (rows.length === 0) {
        return yield* Console.log(
          `No recorded sessions${allProjects ? "" : " of this project"}. To record them: dd hook install --claude, --codex or --gemini.`
        )
      }
      const cells = rows.map(({ failures, host, outcome, project, session, started_at, steps, turns }) => [
        session,
        host,
        moment(started_at),
        String(turns),
        String(steps),
        String(failures),
        outcome,
        ...(allProjects ? [project] : [])
      ])
      const names = [
        "session",
        "host",
        "started",
        "turns",
        "steps",
        "failures",
        "outcome",
        ...(allProjects ? ["project"] : [])
      ]
      yield* Console.log(yield* tableText(names, cells, rightNames, flexible))
    })
  )
)

const rightNames = new Set(["turns", "steps", "failures"])
const flexible = [
  { name: "session", least: 13 },
  { name: "project", least: 12 },
  { name: "steps", least: 0 },
  { name: "started", least: 0 },
  { name: "turns", least: 0 }
]

const rowOf = ({ events, unreadable, view }: SpooledSession, now: number) => ({
  session: view.session,
  host: view.host,
  project: view.project,
  root: view.root,
  started_at: isoTime(view.startedAt),
  last_at: isoTime(view.lastAt),
  turns: view.turns,
  steps: view.steps.length,
  failures: view.steps.filter(({ result }) => result === "failed").length,
  loops: view.loops.length,
  outcome: outcomeAt(view, events, now),
  unreadable_lines: unreadable
})

/** The session with this id or beginning; the newest one without. */
const chosen = Effect.fnUntraced(function* (allProjects: boolean, session: Option.Option<string>) {
  const all = yield* recorded(allProjects)
  const id = Option.getOrElse(session, () => "")
  const found = all.filter(({ view }) => view.session.startsWith(id) || keyWithHost(view).startsWith(id))
  const exact = found.filter(({ view }) => view.session === id || keyWithHost(view) === id)
  if (exact.length > 1) {
    const places = exact.map(({ view }) => `${keyWithHost(view)} in ${view.root}`).join(", ")
    const way = "give one with its host, in its project"
    return yield* new CallRefused({ reason: `${exact.length} sessions have the id ${id}: ${places}; ${way}` })
  }
  const one = exact[0] ?? found[0]
  if (one === undefined) {
    const where = allProjects ? "" : " in this project (--all-projects looks in all)"
    const reason =
      id === ""
        ? `no session is recorded${where}`
        : `no recorded session begins with "${id}"${where}; dd session list shows them`
    return yield* new CallRefused({ reason })
  }
  if (id !== "" && exact.length === 0 && found.length > 1) {
    return yield* new CallRefused({ reason: `${found.length} sessions begin with "${id}": give more of the id` })
  }
  return one
})

const show = Command.make("show", {
  session: Argument.String("session").pipe(
    Argument.withDescription("The id of a session, or its beginning (default: the newest of this project)"),
    Argument.optional
  ),
  allProjects: everywhere,
  json: jsonFlag
}).pipe(
  Command.withDescription("Show a recorded session: phases, figures, loops and calls"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allProjects, json, session }) {
      const now = yield* Clock.currentTimeMillis
      const one = yield* chosen(allProjects, session)
      const outcome = outcomeAt(one.view, one.events, now)
      if (json) return yield* writeOut(`${plainJson({ schema_version: 1, session: { ...one.view, outcome } }, 2)}\n`)
      yield* Console.log(sessionTimeline(one.view, outcome, yield* tableWidth).join("\n"))
    })
  )
)

const end = Command.make("end", {
  session: Argument.String("session").pipe(
    Argument.withDescription("The id of a session, or its beginning (default: the newest of this project)"),
    Argument.optional
  ),
  allProjects: everywhere
}).pipe(
  Command.withDescription("Mark a recorded session as ended, so that it is analysed without waiting"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allProjects, session }) {
      const home = yield* dreamHome
      const one = yield* chosen(allProjects, session)
      const last = one.events.at(-1)!
      if (one.view.outcome !== "open") return yield* Console.log(`Session ${one.view.session} has ended already.`)
      const at = yield* Clock.currentTimeMillis
      const { branch, cwd, host, project, root } = last
      const event: SessionEvent = {
        v: 1,
        id: digest(`${at} end ${one.view.session}`).slice(0, 24),
        ...{ host, session: one.view.session, project, root, cwd, at },
        ...(branch === undefined ? {} : { branch }),
        kind: "session_end",
        reason: markedEnd
      }
      yield* appendEvents(home, [event])
      yield* askForPass(home)
      yield* Console.log(`Session ${one.view.session} is marked as ended.`)
    })
  )
)

export const sessionCommand = Command.make("session").pipe(
  Command.withDescription("Recorded sessions of coding assistants"),
  Command.withSubcommands([list, show, end, importCommand])
)
