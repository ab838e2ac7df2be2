/** A home with recorded sessions of real repositories, in which the compiled binary's worker runs. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "./binary.ts"
import { type Plant, plantedMonth } from "./plantedSessions.ts"
import { inside, isRunning, run, scratch, systemPath } from "./process.ts"
import { initRepository } from "./repository.ts"

export const dreamWorld = (names: ReadonlyArray<string>, over: Record<string, string> = {}) => {
  const place = scratch()
  const home = inside(place.path, "home")
  // Hooks start no worker, unless a test wants one.
  const env: Record<string, string> = { PATH: systemPath, HOME: home, DD_DREAM_WORKER: "0", ...over }
  const repositories = names.map((name) => {
    const repository = initRepository(join(place.path, name))
    repository.commit("Begin", { "README.md": `# ${name}\n` })
    return repository
  })
  const own = join(home, ".daydream")
  const call = (cwd: string, ...args: ReadonlyArray<string>) => run([dd, ...args], { cwd, env })
  const event = (payload: object, host = "claude") =>
    run([dd, "hook", "event", "--host", host], { env, stdin: JSON.stringify(payload) })
  const stored = (root: string) => join(root, ".daydream", "cross-session")
  const profiles = (root: string) => {
    const folder = join(stored(root), "profiles")
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : []
  }
  return {
    home,
    own,
    env,
    repositories,
    call,
    event,
    stored,
    profiles,
    worker: (...args: ReadonlyArray<string>) => call("/", "dream", "worker", ...args),
    /** The process of the worker that runs in this home; null if there is none. */
    pid: (): number | null => {
      const lock = join(own, "dream", "worker.lock")
      const pid = existsSync(lock) ? Number(JSON.parse(readFileSync(lock, "utf8")).pid) : null
      return pid !== null && isRunning(pid) ? pid : null
    },
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}
export type DreamWorld = ReturnType<typeof dreamWorld>

/** The payloads of a short session, as Claude Code gives them. */
export const payloads = (cwd: string, session_id: string) => {
  const common = { session_id, transcript_path: "/t.jsonl", cwd, permission_mode: "default" }
  const tool = (id: string, tool_name: string, tool_input: object, result: object) => {
    const call = { ...common, tool_name, tool_input, tool_use_id: `${session_id}-${id}` }
    return [
      { ...call, hook_event_name: "PreToolUse" },
      { ...call, hook_event_name: "PostToolUse", tool_response: {}, ...result }
    ]
  }
  const failed = (error: string) => ({ hook_event_name: "PostToolUseFailure", error, is_interrupt: false })
  return [
    { ...common, hook_event_name: "SessionStart", source: "startup" },
    { ...common, hook_event_name: "UserPromptSubmit", prompt: "Fix the totals of the cart" },
    ...tool("1", "Edit", { file_path: join(cwd, "cart.ts"), old_string: "a", new_string: "b" }, {}),
    ...tool("2", "Bash", { command: "bun test" }, failed("Exit code 1\nTypeError: total is not a function")),
    ...tool("3", "Bash", { command: "bun test" }, failed("Exit code 1\nTypeError: total is not a function")),
    { ...common, hook_event_name: "SessionEnd", reason: "prompt_input_exit" }
  ]
}

const busy: Plant = (session) => {
  session.noise(12)
  session.fail("bun test", "TypeError: total is not a function")
  session.noise(6)
  return []
}

/** Writes ended sessions of a repository into the spool, as hooks would have. */
export const fillSpool = async (world: DreamWorld, root: string, sessions: number): Promise<void> => {
  const [start] = payloads(root, "first")
  await world.event(start!)
  const spool = join(world.own, "spool")
  const recorded = (project: string) => JSON.parse(readFileSync(join(spool, project, "first.jsonl"), "utf8").trim())
  const project = readdirSync(spool).find(
    (name) => existsSync(join(spool, name, "first.jsonl")) && recorded(name).root === root
  )!
  rmSync(join(spool, project, "first.jsonl"))
  const month = plantedMonth({ seed: sessions, sessions, plants: [busy] })
  for (const events of month.sessions) {
    const lines = events.map((event) => `${JSON.stringify({ ...event, project, root, cwd: root })}\n`)
    writeFileSync(join(spool, project, `${events[0]!.session}.jsonl`), lines.join(""))
  }
}

/** All JSON files of a store are whole. Returns the time at which each session was analysed. */
const analysisTimes = (world: DreamWorld, root: string): ReadonlyMap<string, number> => {
  const texts = (folder: string) =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith(".json"))
          .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const)
      : []
  const content = (text: string) => JSON.parse(text).content
  for (const [, text] of texts(world.stored(root))) content(text)
  return new Map(
    texts(join(world.stored(root), "profiles")).map(([name, text]) => [name, content(text).analysedAt as number])
  )
}

export interface Kills {
  readonly killed: number
  /** Analyses of the killed workers and those after them, beyond one for each session. */
  readonly repeated: number
  /** Times at which all sessions were analysed and the work began again. */
  readonly finished: number
}

/** Kills a worker at random moments of its pass, again and again. Throws if a file is not whole. */
export const killWorkers = async (
  world: DreamWorld,
  { moments, random }: { readonly moments: number; readonly random: () => number }
): Promise<Kills> => {
  const roots = world.repositories.map(({ root }) => root)
  const forget = () => {
    for (const root of roots) rmSync(world.stored(root), { recursive: true, force: true })
  }
  const began = performance.now()
  await world.worker("--once")
  const whole = performance.now() - began
  const expected = roots.reduce((sum, root) => sum + world.profiles(root).length, 0)
  forget()
  let [killed, finished, repeated] = [0, 0, 0]
  let before: ReadonlyMap<string, number> = new Map()
  while (killed < moments) {
    const child = Bun.spawn([dd, "dream", "worker", "--once"], {
      cwd: "/",
      env: world.env,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore"
    })
    const timer = Bun.sleep(random() * whole)
    await Promise.race([timer, child.exited])
    if (child.exitCode === null) killed++
    child.kill("SIGKILL")
    await child.exited
    const after: ReadonlyMap<string, number> = new Map<string, number>(
      roots.flatMap((root) => [...analysisTimes(world, root)].map(([name, at]) => [`${root} ${name}`, at] as const))
    )
    for (const [name, at] of before) if (after.get(name) !== at) repeated++
    before = after
    if (after.size < expected) continue
    finished++
    forget()
    before = new Map()
  }
  return { killed, repeated, finished }
}
