import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect, FileSystem, Layer, PlatformError } from "effect"
import { TestClock } from "effect/testing"
import type { SessionProfile } from "../../../src/domain/dream/SessionProfile.ts"
import { dreamKey, madeDreamKey, readSealed, storeFolder } from "../../../src/layers/dream/seal.ts"
import * as Directory from "../../../src/layers/dream/store/Directory.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { DreamStore } from "../../../src/services/dream/DreamStore.ts"
import { inside, scratch } from "../../support/process.ts"
import { day, firstDay, profileOf, repair, seen } from "../../support/sessionProfiles.ts"

const now = (firstDay + 30) * day
/** So few that sessions leave the store in every test. */
const most = 5

/** A project and dd's own directory; each call is a process of its own. */
const world = () => {
  const place = scratch()
  const home = join(place.path, "home")
  const root = inside(place.path, "shop")
  const store = join(root, ...storeFolder)
  const use = <A, E>(
    body: (store: DreamStore["Service"]) => Effect.Effect<A, E>,
    fs = full(Number.POSITIVE_INFINITY)
  ) =>
    Effect.runPromise(
      Effect.andThen(TestClock.setTime(now), DreamStore.use(body)).pipe(
        Effect.provide(
          Directory.layer(home, most).pipe(
            Layer.provide(fs),
            Layer.provide(Platform.layer),
            Layer.provideMerge(TestClock.layer())
          )
        ),
        Effect.scoped
      )
    )
  const project = { key: "shop-1", root }
  const put = (...profiles: ReadonlyArray<SessionProfile>) =>
    use((dreams) =>
      Effect.map(
        Effect.forEach(profiles, (profile) => dreams.put(project, profile)),
        (all) => all.at(-1)!
      )
    )
  const read = () => use((dreams) => dreams.read(project))
  return {
    home,
    root,
    store,
    project,
    use,
    put,
    read,
    text: (name: string) => readFileSync(join(store, name), "utf8"),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

const sessions = (count: number): ReadonlyArray<SessionProfile> =>
  Array.from({ length: count }, (_, at) =>
    profileOf(`session-${at}`, {
      endedAt: firstDay * day + at * 1000,
      packet: {
        session: `session-${at}`,
        host: "claude",
        root: "/repo",
        branch: null,
        head: null,
        endedAt: firstDay * day + at * 1000,
        outcome: "clean",
        items: [{ kind: "goal", text: `goal ${at}` }]
      },
      contributions: [
        seen("ENOENT", repair("ENOENT", "mkdir -p")),
        seen(`own ${at % 7}`, repair(`error ${at % 7}`, `fix ${at % 7}`))
      ]
    })
  )

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe("the dream store", () => {
  test("keeps profiles, artifacts and packets, readable only by the user and ignored by git", async () => {
    using at = world()
    const [first, second] = sessions(2)
    await at.put(first!)
    const written = await at.put(second!)
    const read = await at.read()
    expect(read).toEqual(written)
    expect(read.profiles.map(({ session }) => session)).toEqual(["session-1", "session-0"])
    expect(read.artifacts[0]).toMatchObject({ error_signature: "ENOENT", occurrences: 2 })
    expect(read.packets.map(({ session }) => session)).toEqual(["session-1", "session-0"])
    expect(await at.use((dreams) => dreams.artifacts(at.project))).toEqual({ artifacts: read.artifacts, refused: [] })
    expect(readdirSync(at.store).sort()).toEqual(["artifacts.json", "base.json", "profiles", "resume.json"])
    expect(readFileSync(join(at.root, ".daydream", ".gitignore"), "utf8")).toBe("*\n")
    expect(
      ["artifacts.json", "base.json", "resume.json", "profiles/session-0.json"].map((name) =>
        modeOf(join(at.store, name))
      )
    ).toEqual(["600", "600", "600", "600"])
    expect([at.store, join(at.store, "profiles"), at.home].map(modeOf)).toEqual(["700", "700", "700"])
    expect(modeOf(join(at.home, "dream.key"))).toBe("600")
    expect(Buffer.byteLength(at.text("artifacts.json"))).toBeLessThanOrEqual(32 * 1024)
  })

  test("a project without a store is empty, and reading it creates nothing", async () => {
    using at = world()
    const { artifacts, packets, profiles, refused } = await at.read()
    expect({ artifacts, packets, profiles, refused }).toEqual({ artifacts: [], packets: [], profiles: [], refused: [] })
    expect([existsSync(at.home), readdirSync(at.root)]).toEqual([false, []])
  })

  test("a session that is analysed again replaces what it gave before, and the same analysis changes no file", async () => {
    using at = world()
    const [first, second] = sessions(2)
    for (const profile of [first!, second!, first!]) await at.put(profile)
    const files = ["artifacts.json", "base.json", "resume.json"].map(at.text)
    await at.put(second!)
    expect(["artifacts.json", "base.json", "resume.json"].map(at.text)).toEqual(files)
    const { artifacts } = await at.put({ ...first!, contributions: [] })
    expect(artifacts.find((each) => each.type === "RepairPattern" && each.error_signature === "ENOENT")).toMatchObject({
      error_signature: "ENOENT",
      occurrences: 1,
      sources: ["session-1"]
    })
  })

  test("sessions that left the store still count, each once, in whatever order they came", async () => {
    using at = world()
    using other = world()
    const all = sessions(most + 6)
    await at.put(...all)
    await other.put(...all.toReversed())
    const read = await at.read()
    expect(read.profiles).toHaveLength(most)
    expect(Object.keys(read.base.folded).sort()).toEqual([
      "session-0",
      "session-1",
      "session-2",
      "session-3",
      "session-4",
      "session-5"
    ])
    expect(read.artifacts[0]).toMatchObject({ occurrences: all.length })
    expect((await other.read()).artifacts).toEqual(read.artifacts)
    const again = await at.put(all[3]!)
    expect(again.artifacts).toEqual(read.artifacts)
    expect(readdirSync(join(at.store, "profiles"))).toHaveLength(most)
  })

  test("packets of the five newest sessions are kept", async () => {
    using at = world()
    for (const profile of sessions(8)) await at.put(profile)
    expect((await at.read()).packets.map(({ session }) => session)).toEqual([7, 6, 5, 4, 3].map((n) => `session-${n}`))
  })

  test("a session whose id is a path stays in the store", async () => {
    using at = world()
    await at.put(profileOf("../../../evil"))
    expect((await at.read()).profiles.map(({ session }) => session)).toEqual(["../../../evil"])
    expect(readdirSync(at.root)).toEqual([".daydream"])
  })

  test("what is pinned, unpinned and forgotten", async () => {
    using at = world()
    for (const profile of sessions(3)) await at.put(profile)
    const [first] = (await at.read()).artifacts
    const mark = (mark: "pin" | "unpin" | "forget") => at.use((dreams) => dreams.mark(at.project, first!.id, mark))
    expect((await mark("pin")).artifacts[0]).toEqual({ ...first!, pinned: true })
    expect((await mark("unpin")).artifacts[0]).toEqual(first!)
    expect((await mark("forget")).artifacts.map(({ id }) => id)).not.toContain(first!.id)
    await at.put(sessions(4)[3]!)
    expect((await at.read()).artifacts.map(({ id }) => id)).not.toContain(first!.id)
  })
})

describe("files that dd did not write", () => {
  test("of another user or another project are not used, and are named", async () => {
    using at = world()
    using hostile = world()
    for (const profile of sessions(2)) await hostile.put(profile)
    renameSync(join(hostile.root, ".daydream"), join(at.root, ".daydream"))
    madeDreamKey(at.home)
    const read = await at.read()
    expect([read.artifacts, read.profiles, read.packets]).toEqual([[], [], []])
    expect(read.refused).toHaveLength(5)
    expect(read.refused[0]).toBe("artifacts.json: it is not sealed by your dd for this project")
    expect(readSealed(at.home, at.root, { project: "shop-1", name: "resume.json" })).toBe(null)
    const elsewhere = await hostile.use((dreams) => dreams.read({ key: "shop-2", root: at.root }))
    expect(elsewhere.artifacts).toEqual([])
  })

  test("are moved aside when something is written, never deleted", async () => {
    using at = world()
    await at.put(sessions(1)[0]!)
    for (const [name, text] of [
      ["artifacts.json", "{}"],
      ["resume.json", '{"v":1,"packets":[]}'],
      ["profiles/session-0.json", "x"]
    ] as const) {
      writeFileSync(join(at.store, name), text)
    }
    const { artifacts, refused } = await at.put(sessions(2)[1]!)
    expect(refused.map((words) => words.replace(/.*moved/, "moved"))).toEqual([
      "moved to artifacts.json.aside-1",
      "moved to resume.json.aside-1",
      "moved to profiles/session-0.json.aside-1"
    ])
    expect(at.text("artifacts.json.aside-1")).toBe("{}")
    expect(artifacts[0]).toMatchObject({ occurrences: 1 })
    expect((await at.read()).refused).toEqual([])
  })

  test("a sealed file of another version, or under another name, is not used", async () => {
    using at = world()
    for (const profile of sessions(2)) await at.put(profile)
    writeFileSync(join(at.store, "profiles/session-0.json"), at.text("profiles/session-1.json"))
    expect((await at.read()).refused).toEqual(["profiles/session-0.json: it is not sealed by your dd for this project"])
  })

  test("links, pipes and directories in the place of files neither hang dd nor lead it away", async () => {
    using at = world()
    await at.put(sessions(1)[0]!)
    const target = join(at.root, "target")
    writeFileSync(target, "mine")
    Bun.spawnSync(["mkfifo", join(at.store, "profiles", "pipe.json")])
    mkdirSync(join(at.store, "profiles", "folder.json"))
    rmSync(join(at.store, "resume.json"))
    symlinkSync(target, join(at.store, "resume.json"))
    symlinkSync(target, join(at.store, "artifacts.json.draft"))
    expect((await at.read()).refused).toHaveLength(3)
    await at.put(sessions(2)[1]!)
    expect(readFileSync(target, "utf8")).toBe("mine")
    expect((await at.read()).packets).toHaveLength(2)
  })

  test("a directory of the store that is a link is not written to", async () => {
    using at = world()
    const target = inside(at.root, "elsewhere")
    mkdirSync(join(at.root, ".daydream"))
    symlinkSync(target, join(at.root, ".daydream", "cross-session"))
    await expect(at.put(sessions(1)[0]!)).rejects.toThrow("could not be written")
    expect(readdirSync(target)).toEqual([])
  })
})

describe("the key of the seals", () => {
  test("is made once, also by processes at the same time", async () => {
    using at = world()
    const script = join(import.meta.dir, "../../support/dreamProcess.ts")
    const made = await Promise.all(
      Array.from({ length: 6 }, () => new Response(Bun.spawn([process.execPath, script, "key", at.home]).stdout).text())
    )
    expect(new Set(made).size).toBe(1)
    expect(dreamKey(at.home)).toBe(made[0]!)
    expect(readdirSync(at.home)).toEqual(["dream.key"])
  })

  test("one that is no key is not replaced, and nothing is moved aside for it", async () => {
    using at = world()
    await at.put(sessions(1)[0]!)
    writeFileSync(join(at.home, "dream.key"), "something else")
    expect((await at.read()).refused[0]).toContain("the key of the seals cannot be read: it is not a key of dd")
    await expect(at.put(sessions(2)[1]!)).rejects.toThrow(
      "dream.key could not be written: it is not a key of dd; move it away"
    )
    expect(readdirSync(at.store).filter((name) => name.includes("aside"))).toEqual([])
  })
})

describe("a store that cannot be written", () => {
  test("says why, and stays as it was", async () => {
    using at = world()
    await at.put(sessions(1)[0]!)
    const before = await at.read()
    await expect(at.use((dreams) => dreams.put(at.project, sessions(2)[1]!), full(0))).rejects.toThrow(
      "could not be written: no space left on the device"
    )
    expect(await at.read()).toEqual(before)
  })

  test("is valid after a failure at any operation, and complete after the next attempt", async () => {
    using undisturbed = world()
    const all = sessions(most + 2)
    await undisturbed.put(...all)
    const whole = await undisturbed.read()
    let failures = 0
    for (let at = 0; ; at++) {
      using place = world()
      await place.put(...all.slice(0, -1))
      const failing = await place
        .use((dreams) => dreams.put(place.project, all.at(-1)!), full(at))
        .then(
          () => false,
          () => true
        )
      const between = await place.read()
      expect(between.refused).toEqual([])
      expect(between.profiles.length).toBeGreaterThanOrEqual(most - 1)
      await place.put(all.at(-1)!)
      expect(await place.read()).toEqual(whole)
      expect(readdirSync(place.store).filter((name) => name.endsWith(".draft"))).toEqual([])
      if (!failing) break
      failures++
    }
    expect(failures).toBeGreaterThan(20)
  })

  test("another process that writes is waited for, and one that died is not", async () => {
    using at = world()
    await at.put(sessions(1)[0]!)
    const holder = { pid: 2 ** 22 - 3, started: { boot: "another", ticks: "1" }, session: "x" }
    writeFileSync(join(at.store, "lock"), JSON.stringify(holder))
    expect((await at.put(sessions(2)[1]!)).profiles).toHaveLength(2)
    const put = (profile: SessionProfile) =>
      DreamStore.use((dreams) => dreams.put(at.project, profile)).pipe(
        Effect.provide(Directory.layer(at.home, most).pipe(Layer.provide(Platform.layer)))
      )
    await Effect.runPromise(Effect.forEach(sessions(6), put, { concurrency: "unbounded", discard: true }))
    const { artifacts, profiles } = await at.read()
    expect(profiles).toHaveLength(most)
    expect(artifacts[0]).toMatchObject({ occurrences: 6 })
  })

  test("a directory without the right to write is left alone", async () => {
    using at = world()
    chmodSync(at.root, 0o500)
    const outcome = await at.put(sessions(1)[0]!).then(() => "stored", String)
    chmodSync(at.root, 0o700)
    // The superuser may write anywhere.
    if (process.getuid?.() === 0) expect(outcome).toBe("stored")
    else expect(outcome).toContain("permission denied")
  })
})

describe("a process that is killed while it writes", () => {
  test("leaves a valid store at any moment, and nothing is counted twice", async () => {
    using at = world()
    const file = join(at.root, "..", "profiles.json")
    const script = join(import.meta.dir, "../../support/dreamProcess.ts")
    const start = () =>
      Bun.spawn([process.execPath, script, "put", at.home, at.root, file, String(now), String(most)], {
        stdout: "pipe",
        stderr: "inherit"
      })
    const readAt = (root: string) => at.use((dreams) => dreams.read({ key: "shop", root }))
    /** Each round analyses the last sessions of the one before again, with another result, and adds others. */
    const roundOf = (round: number) =>
      sessions(round * 4 + 40)
        .slice(round * 4)
        .map((profile) => ({ ...profile, events: round, contributions: profile.contributions.slice(round % 2) }))
    let killed = 0
    for (let round = 0; round < kills; round++) {
      writeFileSync(file, JSON.stringify(roundOf(round)))
      const child = start()
      const lines = child.stdout.getReader()
      // In the middle of the write after so many sessions, without waiting for a time.
      for (let count = 0; count <= round % 4; count++) await lines.read()
      for (let spin = 0; spin < (round * 7919) % 400_000; spin++) Math.sqrt(spin)
      child.kill("SIGKILL")
      await child.exited
      if (child.signalCode === "SIGKILL") killed++
      const { artifacts, base, profiles, refused } = await readAt(at.root)
      expect(refused).toEqual([])
      const counted = new Set([...profiles.map(({ session }) => session), ...Object.keys(base.folded)])
      for (const artifact of artifacts) expect(artifact.stats.sessions).toBeLessThanOrEqual(counted.size + 1)
    }
    expect(killed).toBe(kills)
    writeFileSync(file, JSON.stringify(roundOf(kills)))
    expect(await start().exited).toBe(0)
    const { artifacts, base, profiles } = await readAt(at.root)
    const counted = new Set([...profiles.map(({ session }) => session), ...Object.keys(base.folded)])
    for (let kind = 0; kind < 7; kind++) {
      const sessions = [...counted].filter((session) => Number(session.slice("session-".length)) % 7 === kind)
      const own = artifacts.find((each) => each.type === "RepairPattern" && each.fix_action === `fix ${kind}`)
      expect(own).toMatchObject({ occurrences: sessions.length, stats: { sessions: sessions.length } })
    }
  })
})

/** 200 take a minute: `DD_TEST_KILLS=200`. */
const kills = Number(process.env.DD_TEST_KILLS ?? 24)

/** A file system that is full from this operation on: all that create or write fail. */
const full = (first: number): Layer.Layer<FileSystem.FileSystem> =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => {
      let count = 0
      const failing =
        (method: string) =>
        <A, R>(path: string, self: Effect.Effect<A, PlatformError.PlatformError, R>) =>
          Effect.suspend(() =>
            count++ < first
              ? self
              : Effect.fail(
                  PlatformError.systemError({
                    _tag: "Unknown",
                    module: "FileSystem",
                    method,
                    pathOrDescriptor: path,
                    cause: Object.assign(new Error("full"), { code: "ENOSPC" })
                  })
                )
          )
      return FileSystem.FileSystem.of({
        ...fs,
        open: (path, options) =>
          failing("open")(
            path,
            Effect.map(fs.open(path, options), (file) => ({
              ...file,
              [FileSystem.FileTypeId]: FileSystem.FileTypeId,
              writeAll: (bytes: Uint8Array) => failing("write")(path, file.writeAll(bytes)),
              sync: failing("sync")(path, file.sync)
            }))
          ),
        // A process that cannot remove its lock waits for itself until it ends.
        remove: (path, options) =>
          path.endsWith("lock") ? fs.remove(path, options) : failing("remove")(path, fs.remove(path, options)),
        rename: (from, to) => failing("rename")(from, fs.rename(from, to)),
        link: (from, to) => failing("link")(from, fs.link(from, to)),
        writeFileString: (path, text, options) => failing("writeFile")(path, fs.writeFileString(path, text, options))
      })
    })
  ).pipe(Layer.provide(Platform.layer))
