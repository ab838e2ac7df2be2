/** The worker of the compiled binary: started by hooks, asked for one pass, killed. */
import { describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { putProfiles } from "../support/dreamStore.ts"
import { type DreamWorld, dreamWorld, fillSpool, killWorkers, payloads } from "../support/dreamWorld.ts"
import { Random } from "../support/plantedSessions.ts"
import { profileOf, repair, seen } from "../support/sessionProfiles.ts"

/** Waits for something that another process does. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await Bun.sleep(20)
}

/** `test/layers/dream/killedWorker.test.ts` has every moment. 200 take about two minutes: `DD_TEST_KILLS=200`. */
const kills = Number(process.env.DD_TEST_KILLS ?? 40)

/** Processes of this home, found by their environment. */
const workersOf = ({ home }: DreamWorld): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((name) => {
    try {
      const isWorker =
        readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").slice(1, 3).join(" ") === "dream worker"
      return isWorker && readFileSync(`/proc/${name}/environ`, "utf8").includes(`HOME=${home}\0`) ? [Number(name)] : []
    } catch {
      return []
    }
  })

const endWorker = async (world: DreamWorld): Promise<void> => {
  for (const pid of workersOf(world)) process.kill(pid, "SIGTERM")
  await until(() => workersOf(world).length === 0)
}

describe("dd dream worker --once", () => {
  test("analyses the sessions of two repositories, and a second time nothing", async () => {
    using world = dreamWorld(["shop", "bank"])
    for (const { root } of world.repositories) {
      for (const payload of payloads(root, `s-${root.length}`)) expect((await world.event(payload)).stderr).toBe("")
    }
    const once = async () => JSON.parse((await world.worker("--once", "--json")).stdout)
    expect((await once()).analysed).toHaveLength(2)
    for (const { root } of world.repositories) {
      expect(world.profiles(root)).toHaveLength(1)
      expect(readFileSync(join(world.stored(root), "resume.json"), "utf8")).toContain('"outcome":"clean"')
    }
    expect(await once()).toEqual({ schema_version: 1, analysed: [], faults: [], notes: [] })
    const [shop] = world.repositories
    const status = JSON.parse((await world.call(shop!.root, "dream", "status", "--json")).stdout)
    expect(status.worker).toMatchObject({ running: false, faults: 0, last_pass: { analysed: 0 } })
    expect(status.projects).toMatchObject([{ root: shop!.root, sessions: 1, open: 0, due: 0, analysed: 1, packets: 1 }])
    const text = (await world.call(shop!.root, "dream", "status")).stdout
    expect(text).toContain("No worker runs")
    expect(text).toContain("1 session: 0 open, 0 due, 1 analysed")
    const { tasks } = JSON.parse((await world.call(shop!.root, "dream", "tasks", "--json")).stdout)
    const places = tasks.map(({ place }: { readonly place: number }) => place)
    expect(places).toEqual(places.toSorted((a: number, b: number) => a - b))
    expect(tasks.every(({ last }: { readonly last: object | null }) => last !== null)).toBe(true)
  })

  test("one id from two assistants in one project is two sessions", async () => {
    using world = dreamWorld(["shop"])
    const { root } = world.repositories[0]!
    for (const host of ["claude", "codex"])
      for (const payload of payloads(root, "same")) expect((await world.event(payload, host)).stderr).toBe("")
    expect(JSON.parse((await world.worker("--once", "--json")).stdout).analysed).toEqual(["same", "same"])
    expect(JSON.parse((await world.worker("--once", "--json")).stdout).analysed).toEqual([])
    const status = JSON.parse((await world.call(root, "dream", "status", "--json")).stdout)
    expect(status.projects).toMatchObject([{ sessions: 2, due: 0, analysed: 2, packets: 2 }])
    const ambiguous = await world.call(root, "session", "show", "same")
    expect(ambiguous.status).toBe(2)
    for (const host of ["claude", "codex"]) {
      expect(ambiguous.stderr).toContain(`${host}~same in ${root}`)
      const { stdout } = await world.call(root, "session", "show", `${host}~same`, "--json")
      expect(JSON.parse(stdout).session).toMatchObject({ session: "same", host, steps: [{}, {}, {}] })
    }
  })

  test("restores what was learned and the notes where their files are damaged or gone", async () => {
    using world = dreamWorld(["shop"])
    const { root } = world.repositories[0]!
    for (const payload of payloads(root, "s1")) await world.event(payload)
    const contributions = [seen("E1", repair("error E1", "fix it"))]
    await putProfiles(world.own, root, [profileOf("s0", { contributions, endedAt: Date.now() })])
    await world.worker("--once")
    const files = ["artifacts.json", "resume.json"].map((name) => join(world.stored(root), name))
    const contents = () => files.map((path) => JSON.parse(readFileSync(path, "utf8")).content)
    const before = contents()
    expect(before).toMatchObject([{ artifacts: [{}] }, { packets: [{}] }])
    const damages: ReadonlyArray<(path: string) => void> = [
      (path) => rmSync(path),
      (path) => writeFileSync(path, ""),
      (path) => writeFileSync(path, '{"seal":"0'),
      (path) => writeFileSync(path, '{"v":99}'),
      (path) => writeFileSync(path, Buffer.alloc(20_000_000))
    ]
    for (const damage of damages) {
      for (const path of files) damage(path)
      const { analysed, faults } = JSON.parse((await world.worker("--once", "--json")).stdout)
      expect({ analysed, faults, contents: contents() }).toEqual({ analysed: [], faults: [], contents: before })
      expect((await world.call(root, "doctor")).stdout).not.toContain("not used")
    }
  })

  test("files of sessions that this dd cannot read are counted, and hide no other session", async () => {
    using world = dreamWorld(["shop"])
    const { root } = world.repositories[0]!
    await fillSpool(world, root, 4)
    const spool = join(world.own, "spool")
    const folder = join(spool, readdirSync(spool)[0]!)
    const [later, damaged, ...others] = readdirSync(folder).map((name) => join(folder, name))
    writeFileSync(later!, readFileSync(later!, "utf8").replaceAll('"v":1', '"v":2'))
    writeFileSync(damaged!, Buffer.alloc(5_000, 7))
    expect((await world.call(root, "session", "list")).stderr).toContain("2 files of sessions could not be read")
    expect(JSON.parse((await world.worker("--once", "--json")).stdout)).toMatchObject({ faults: [] })
    const { projects } = JSON.parse((await world.call(root, "dream", "status", "--json")).stdout)
    expect(projects).toMatchObject([{ sessions: others.length, analysed: others.length, unreadable_files: 2 }])
  })

  test("passes over what is no file among the recorded sessions", async () => {
    using world = dreamWorld(["shop"])
    const [shop] = world.repositories
    for (const payload of payloads(shop!.root, "s-1")) await world.event(payload)
    const spool = join(world.own, "spool")
    spawnSync("mkfifo", [join(spool, readdirSync(spool)[0]!, "pipe.jsonl")])
    for (const command of [
      ["session", "list"],
      ["dream", "status"]
    ])
      expect((await world.call(shop!.root, ...command)).status).toBe(0)
    expect(JSON.parse((await world.worker("--once", "--json")).stdout).analysed).toHaveLength(1)
  })

  test("names the cause and the way out where no worker can start, and ends with 3", async () => {
    using world = dreamWorld(["shop"])
    const [shop] = world.repositories
    await world.event(payloads(shop!.root, "s0")[1]!)
    writeFileSync(join(world.own, "dream"), "")
    for (const flags of [["--once"], ["--once", "--json"], []]) {
      const { status, stderr, stdout } = await world.worker(...flags)
      expect({ status, stdout }).toEqual({ status: 3, stdout: "" })
      expect(stderr).toContain(`no worker can start: ${join(world.own, "dream")} cannot be written (`)
      expect(stderr).toContain("Make it writable, or set DD_HOME to another directory")
    }
  })

  test("killed at random moments, it leaves whole files, repeats nothing and comes to the end", async () => {
    using world = dreamWorld(["shop", "bank"])
    for (const { root } of world.repositories) await fillSpool(world, root, 6)
    const random = new Random(7)
    const result = await killWorkers(world, { moments: kills, random: () => random.below(1_000) / 1_000 })
    expect(result).toMatchObject({ killed: kills, repeated: 0 })
    expect((await world.worker("--once")).status).toBe(0)
    for (const { root } of world.repositories) {
      expect(world.profiles(root)).toHaveLength(6)
      // A worker that is killed after its last write leaves its lock. The next one that writes there takes it.
      expect(readdirSync(world.stored(root)).filter((name) => name.includes("draft"))).toEqual([])
    }
    expect(readdirSync(join(world.own, "dream")).filter((name) => /draft|stale|lock/.test(name))).toEqual([])
  })
})

describe("a worker in the background", () => {
  test("analyses a session that ends while it runs, and ends when there is nothing to do", async () => {
    using world = dreamWorld(["shop"])
    const [shop] = world.repositories
    const child = Bun.spawn([dd, "dream", "worker", "--cycle", "1", "--idle", "4"], { cwd: "/", env: world.env })
    await until(() => world.pid() === child.pid)
    expect((await world.worker()).stdout).toContain(`A worker already runs (process ${child.pid})`)
    for (const payload of payloads(shop!.root, "s1")) await world.event(payload)
    await until(() => world.profiles(shop!.root).length === 1)
    expect(await child.exited).toBe(0)
    expect(world.pid()).toBeNull()
  })

  test("in a repository that cannot be written, tries each session three times, and ends", async () => {
    using world = dreamWorld(["shop"])
    const [shop] = world.repositories
    for (const session of ["s1", "s2"]) for (const payload of payloads(shop!.root, session)) await world.event(payload)
    writeFileSync(join(shop!.root, ".daydream"), "")
    expect((await world.worker("--cycle", "1", "--idle", "5")).status).toBe(0)
    const { worker } = JSON.parse((await world.call(shop!.root, "dream", "status", "--json")).stdout)
    expect(worker.faults).toBe(6)
    expect(worker.latest_faults[0].reason).toContain("cross-session could not be written: ")
    rmSync(join(shop!.root, ".daydream"))
    expect(JSON.parse((await world.worker("--once", "--json")).stdout)).toMatchObject({
      analysed: ["s1", "s2"],
      faults: []
    })
  })

  test("analyses a session at once that the user marks as ended", async () => {
    using world = dreamWorld(["shop"])
    const [shop] = world.repositories
    for (const payload of payloads(shop!.root, "s1").slice(0, -1)) await world.event(payload)
    // No test waits for its second pass.
    const child = Bun.spawn([dd, "dream", "worker", "--cycle", "86400"], { cwd: "/", env: world.env })
    await until(() => existsSync(join(world.own, "dream", "worker.json")))
    expect(world.profiles(shop!.root)).toEqual([])
    expect((await world.call(shop!.root, "session", "end")).status).toBe(0)
    await until(() => world.profiles(shop!.root).length === 1)
    child.kill("SIGTERM")
    await child.exited
  })

  test("SIGTERM ends it, and it gives its place away", async () => {
    using world = dreamWorld(["shop"])
    const child = Bun.spawn([dd, "dream", "worker"], { cwd: "/", env: world.env, stderr: "pipe" })
    await until(() => existsSync(join(world.own, "dream", "worker.json")))
    child.kill("SIGTERM")
    expect(await child.exited).toBe(143)
    expect(await new Response(child.stderr).text()).toBe("")
    expect(existsSync(join(world.own, "dream", "worker.lock"))).toBe(false)
    JSON.parse(readFileSync(join(world.own, "dream", "worker.json"), "utf8"))
  })

  test("takes the place of one that was killed", async () => {
    using world = dreamWorld(["shop"])
    const first = Bun.spawn([dd, "dream", "worker"], { cwd: "/", env: world.env })
    await until(() => world.pid() === first.pid)
    first.kill("SIGKILL")
    await first.exited
    const second = Bun.spawn([dd, "dream", "worker"], { cwd: "/", env: world.env })
    await until(() => world.pid() === second.pid)
    second.kill("SIGTERM")
    expect(await second.exited).toBe(143)
  })
})

describe("hooks", () => {
  test("ten at once start one worker, detached, which analyses what they record", async () => {
    using world = dreamWorld(["shop"], { DD_DREAM_WORKER: "" })
    const [shop] = world.repositories
    const starts = Array.from({ length: 10 }, (_, at) => payloads(shop!.root, `s${at}`)[0]!)
    const ended = await Promise.all(starts.map((payload) => world.event(payload)))
    expect(ended.map(({ status, stderr, stdout }) => ({ status, said: stdout + stderr }))).toEqual(
      starts.map(() => ({ status: 0, said: "" }))
    )
    await until(() => world.pid() !== null)
    const pid = world.pid()!
    expect(workersOf(world)).toEqual([pid])
    const { atimeMs: _, mtimeMs } = statSync(join(world.own, "dream", "worker.started"))
    for (const payload of payloads(shop!.root, "s1")) await world.event(payload)
    expect(statSync(join(world.own, "dream", "worker.started")).mtimeMs).toBe(mtimeMs)
    expect(workersOf(world)).toEqual([pid])
    await endWorker(world)
  })

  test("start none if the user does not want one, and the other commands read the same setting", async () => {
    for (const [settings, variable, isRefused] of [
      ["", "0", false],
      ['[dream]\nworker = "off"\n', "", false],
      ["[dream]\nworker = false\n", "", false],
      ['[dream]\nworker = "never"\n', "", true],
      ["", "never", false]
    ] as const) {
      using world = dreamWorld(["shop"], { DD_DREAM_WORKER: variable })
      const [shop] = world.repositories
      await world.event(payloads(shop!.root, "s0")[1]!)
      writeFileSync(join(world.own, "config.toml"), settings)
      for (const payload of payloads(shop!.root, "s1")) await world.event(payload)
      expect(existsSync(join(world.own, "dream"))).toBe(false)
      const { status, stderr } = await world.call(shop!.root, "dream", "artifacts", "list", "--like", "x")
      expect({ isRefused: status !== 0, stderr }).toEqual({
        isRefused,
        stderr: isRefused ? expect.stringContaining('must be one of on, off, not "never"') : ""
      })
    }
  })

  test("are not disturbed by a place that cannot be written", async () => {
    using world = dreamWorld(["shop"], { DD_DREAM_WORKER: "" })
    const [shop] = world.repositories
    await world.event(payloads(shop!.root, "s0")[1]!)
    writeFileSync(join(world.own, "dream"), "")
    for (const payload of payloads(shop!.root, "s1")) {
      expect(await world.event(payload)).toMatchObject({ status: 0, stdout: "", stderr: "" })
    }
    expect(workersOf(world)).toEqual([])
    const doctor = await world.call(shop!.root, "doctor")
    expect(doctor.status).toBe(1)
    expect(doctor.stdout).toMatch(/!!\s+worker\s+\S+\/dream cannot be written \(.+\): none can start/)
  })
})
