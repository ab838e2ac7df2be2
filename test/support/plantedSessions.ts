/**
 * Sessions with known truth. A plant adds what a user and an assistant do to a session, as the payloads that Claude Code gives
 * to hooks, and says what the tasks must find in it. `plantedMonth` spreads plants over the sessions of one project, among
 * noise in which there is nothing to find. The same seed gives the same month.
 */

import { hookEvent } from "../../src/domain/dream/hookPayload.ts"
import type { RepositoryView } from "../../src/domain/dream/RepositoryView.ts"
import type { InjectedContext, SessionEvent } from "../../src/domain/dream/SessionEvent.ts"

/** What a task must find, in the words of its judge (`dreamScores.ts`). */
export interface Truth {
  /** The name of the task. */
  readonly task: string
  readonly found: string
  /**
   * Absent: it must be found in this session. Otherwise it must be found in the month, if it was planted in at least so many
   * sessions.
   */
  readonly sessions?: number
}

/** A plant that returns nothing is a near miss: it looks like something and is not. */
export type Plant = (session: PlantedSession) => ReadonlyArray<Truth>

export interface Month {
  /** The events of each session, oldest session first. */
  readonly sessions: ReadonlyArray<ReadonlyArray<SessionEvent>>
  readonly truths: ReadonlyArray<Truth & { readonly session: string }>
  readonly repository: RepositoryView
}

export const root = "/home/dev/shop"
const project = "0123456789abcdef"
const day = 86_400_000
/** 1 September 2026. */
const firstDay = 1_788_220_800_000

export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** From 0 to below `end`. */
  below(end: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * end)
  }

  chance(share: number): boolean {
    return this.below(1_000) < share * 1_000
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.below(values.length)]!
  }

  shuffled<A>(values: ReadonlyArray<A>): ReadonlyArray<A> {
    const left = [...values]
    return values.map(() => left.splice(this.below(left.length), 1)[0]!)
  }
}

type Fields = Readonly<Record<string, unknown>>

/** The session under construction: each method is something that happens in it. */
export class PlantedSession {
  readonly events: Array<SessionEvent> = []
  readonly id: string
  readonly random: Random
  private at: number
  private calls = 0
  private words = 0
  private noises: number
  private isNoise = false

  private readonly seen: Set<string>

  private readonly restless: number

  /**
   * `restless`: the share of calls before which something unrelated happens. `seen`: what earlier sessions of the month had.
   */
  constructor(id: string, random: Random, at: number, restless = 0, seen: Set<string> = new Set()) {
    this.id = id
    this.random = random
    this.restless = restless
    this.seen = seen
    this.at = at
    this.noises = random.below(6)
    this.hook("SessionStart", { source: "startup" })
  }

  /** A word that no other plant of this session uses, for names of files. */
  fresh(word: string): string {
    this.words++
    return `${word}${this.words}`
  }

  /** Did an earlier session have it? */
  hasSeen(what: string): boolean {
    const known = this.seen.has(what)
    this.seen.add(what)
    return known
  }

  prompt(text: string): void {
    this.hook("UserPromptSubmit", { prompt: text })
  }

  read(file: string): void {
    const content = `// ${file}\n`
    const shown = { filePath: `${root}/${file}`, content, numLines: 2, startLine: 1, totalLines: 2 }
    this.call("Read", { file_path: `${root}/${file}` }, { type: "text", file: shown })
  }

  search(pattern: string): void {
    this.call(
      "Grep",
      { pattern, output_mode: "files_with_matches" },
      { mode: "files_with_matches", filenames: [], numFiles: 0 }
    )
  }

  edit(file: string): void {
    const change = { file_path: `${root}/${file}`, old_string: `a${this.calls}`, new_string: `b${this.calls}` }
    this.call("Edit", change, { filePath: change.file_path, structuredPatch: [] })
  }

  /** Makes a new file. */
  write(file: string, content: string): void {
    const path = `${root}/${file}`
    this.call("Write", { file_path: path, content }, { type: "create", filePath: path, structuredPatch: [] })
  }

  run(command: string, stdout = `done ${this.calls}`): void {
    this.call("Bash", { command }, { stdout, stderr: "", interrupted: false, isImage: false })
  }

  /** A command that fails with this output; the exit code is in the text only, as the assistant reports it. */
  fail(command: string, output: string): void {
    const call = this.begin("Bash", { command })
    this.hook("PostToolUseFailure", { ...call, error: `Exit code 1\n${output}`, is_interrupt: false, duration_ms: 900 })
  }

  deny(command: string): void {
    const call = this.begin("Bash", { command })
    this.hook("PermissionDenied", { ...call, reason: "The user does not want this" })
  }

  inject(injection: InjectedContext): void {
    this.at += 10
    const last = this.events.at(-1)!
    this.events.push({ ...last, id: `${this.id}-${injection.id}`, at: this.at, kind: "injected", injection })
  }

  /** Reads, edits and runs in which there is nothing to find. */
  noise(count: number): void {
    this.isNoise = true
    for (let done = 0; done < count; done++) noises[this.noises++ % noises.length]!(this)
    this.isNoise = false
  }

  end(reason = "prompt_input_exit"): void {
    this.hook("Stop", { stop_hook_active: false, last_assistant_message: "Done.", background_tasks: [] })
    this.hook("SessionEnd", { reason })
  }

  private call(tool: string, input: Fields, response: Fields): void {
    this.hook("PostToolUse", { ...this.begin(tool, input), tool_response: response, duration_ms: 30 })
  }

  private begin(tool: string, input: Fields): Fields {
    if (!this.isNoise && this.random.chance(this.restless)) this.noise(1)
    const call = { tool_name: tool, tool_input: input, tool_use_id: `toolu_${this.id}_${this.calls++}` }
    this.hook("PreToolUse", call)
    return call
  }

  private hook(name: string, fields: Fields): void {
    this.at += 500 + this.random.below(8_000)
    const common = { session_id: this.id, transcript_path: `${this.id}.jsonl`, cwd: root, permission_mode: "default" }
    const id = digest(`${this.id} ${this.events.length}`).slice(0, 24)
    const moment = {
      id,
      at: this.at,
      project,
      root,
      main: root,
      branch: "main",
      head: () => null,
      redact: (text: string) => text,
      digest
    }
    this.events.push(hookEvent("claude", { ...common, hook_event_name: name, ...fields }, moment)!)
  }
}

const digest = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex")

const folders = ["src/api", "src/web", "src/jobs", "src/mail"]

/** In this order they contain no loop. */
const noises: ReadonlyArray<(session: PlantedSession) => void> = [
  (session) => session.read(`${session.random.pick(folders)}/${session.fresh("page")}.ts`),
  (session) => session.edit(`${session.random.pick(folders)}/${session.fresh("part")}.ts`),
  (session) => session.run(`${session.random.pick(["ls", "cat", "wc", "file"])} ${session.fresh("src/dir")}`),
  (session) => session.search(session.fresh("thing")),
  (session) => session.edit(`${session.random.pick(folders)}/${session.fresh("form")}.ts`),
  (session) => session.run(`${session.random.pick(["git show", "git diff", "git log", "stat"])} ${session.fresh("v")}`)
]

/** A session has three or four of the plants, in any order, with noise before, between and after them. */
export const plantedMonth = (given: {
  readonly seed: number
  readonly sessions: number
  readonly plants: ReadonlyArray<Plant>
  readonly restless?: number
  readonly repository?: Partial<RepositoryView>
}): Month => {
  const random = new Random(given.seed)
  const truths: Array<Month["truths"][number]> = []
  const seen = new Set<string>()
  const sessions = Array.from({ length: given.sessions }, (_, index) => {
    const id = `session-${String(index).padStart(3, "0")}`
    const session = new PlantedSession(
      id,
      random,
      firstDay + Math.floor((index / given.sessions) * 30 * day),
      given.restless,
      seen
    )
    session.prompt(random.pick(goals))
    session.noise(1 + random.below(3))
    for (const plant of random.shuffled(given.plants).slice(0, 3 + random.below(2))) {
      truths.push(...plant(session).map((truth) => ({ ...truth, session: id })))
      if (random.chance(0.5)) session.prompt(random.pick(goals))
      session.noise(1 + random.below(4))
    }
    session.end()
    return session.events
  })
  return { sessions, truths, repository: { ...emptyRepository, ...given.repository } }
}

const goals = [
  "Fix the rounding of prices in the cart",
  "Add a page with the orders of a customer",
  "Refactor the client of the mail service",
  "Write tests for the import of products"
]

export const emptyRepository: RepositoryView = {
  root,
  branch: "main",
  head: null,
  files: [],
  subjects: [],
  commits: [],
  commands: new Set(),
  text: () => null
}
