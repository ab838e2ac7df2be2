/** `dd dream artifacts` of the compiled binary. */
import { describe, expect, test } from "bun:test"
import { readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { artifactId } from "../../src/domain/dream/artifacts/ArtifactBase.ts"
import { digest } from "../../src/layers/dream/spoolPlace.ts"
import { dd } from "../support/binary.ts"
import { putProfiles } from "../support/dreamStore.ts"
import { run } from "../support/inProcess.ts"
import { inside, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { convention, playbook, profileOf, repair, seen, sequence } from "../support/sessionProfiles.ts"
import { startServer } from "../support/wireServer.ts"

/** A day ago, so that evidence has lost some weight. */
const yesterday = Date.now() - 86_400_000

const found = [
  seen(
    "ENOENT\0mkdir",
    repair("ENOENT: no such file or directory, open <q>", "create the missing directory with mkdir -p")
  ),
  seen(
    "TS2345",
    playbook("error:typescript:TS2345", "read the file with the error", "edit the call", "run tsc to verify")
  ),
  {
    ...seen("testing:suffix", convention("testing", "test files use .spec.ts and are beside the source"), 2),
    repository: { s: 12, f: 1 }
  },
  { ...seen("q", sequence("fix", "read the test", "edit the source", "run the test")), trustDelta: 9 }
]

const world = async () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "shop"))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  const home = inside(place.path, "home", ".daydream")
  await putProfiles(home, repository.root, [
    profileOf("7c0f1f0e-1111-4222-8333-944455556666", { contributions: found, endedAt: yesterday - 1_000 }),
    profileOf("91aa0000-1111-4222-8333-944455556666", {
      contributions: [...found.slice(0, 3), { ...found[3]!, trustDelta: 3 }],
      host: "codex",
      endedAt: yesterday
    })
  ])
  const env = { PATH: systemPath, HOME: join(home, ".."), DD_DREAM_WORKER: "0" }
  const call = (...args: ReadonlyArray<string>) =>
    run([dd, "dream", "artifacts", ...args], { cwd: repository.root, env })
  const listed = async () => JSON.parse((await call("list", "--json")).stdout).projects[0].artifacts
  return { call, home, listed, root: repository.root, place, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("dd dream artifacts", () => {
  test("lists what was learned, the most certain first, with its size", async () => {
    using at = await world()
    const { status, stderr, stdout } = await at.call("list")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout).toContain("testing: test files use .spec.ts and are beside the source")
    expect(stdout).toMatch(/^4 artifacts, 1\.\d of 32 KiB$/m)
    const artifacts = await at.listed()
    expect(artifacts.map(({ type }: { readonly type: string }) => type)).toEqual([
      "ProjectConvention",
      ...artifacts.slice(1).map(({ type }: { readonly type: string }) => type)
    ])
    expect(artifacts[0]).toMatchObject({ evidence_count: 16, stats: { sessions: 2 }, origin: "hook" })
    expect(artifacts.find(({ type }: { readonly type: string }) => type === "SuccessfulSequence")).toMatchObject({
      avg_trust_delta: 6,
      occurrences: 2
    })
  })

  test("explains one: formula, sessions, decay, uses and when it would go", async () => {
    using at = await world()
    const { status, stdout } = await at.call("why", "rp_")
    expect(status).toBe(0)
    expect(stdout).toMatch(/Confidence 0\.79\d = \(1\.98\d \+ 0\.4\) \/ \(1\.98\d \+ 0 \+ 1\)/)
    expect(stdout).toContain("codex   91aa0000  0.99  1 success")
    expect(stdout).toContain("claude  7c0f1f0e  0.99  1 success")
    expect(stdout).toContain("Never given to an assistant")
    expect(stdout).toContain("Now: 4 of at most 50 artifacts")
    const [convention] = (await at.listed()).filter(
      ({ type }: { readonly type: string }) => type === "ProjectConvention"
    )
    expect((await at.call("why", convention.id)).stdout).toContain("0.99  2 successes, 12 of 13 in the repository")
  })

  test("finds a repair by an error in other words", async () => {
    using at = await world()
    const { stdout } = await at.call("list", "--like", "Error: cannot open 'a/b.txt': file not found (ENOENT)")
    expect(stdout).toContain("ENOENT: no such file or directory")
    expect(stdout).toContain("1 artifact,")
    expect((await at.call("list", "--like", "segmentation fault")).stdout).toBe(
      "Nothing like that was learned in this project.\n"
    )
  })

  test("asks the configured embedder, and compares words when it fails", async () => {
    using at = await world()
    const isAsked = { now: true }
    const server = await startServer(({ body }) => {
      const input = (body?.input ?? []) as ReadonlyArray<string>
      // A model to which "out of disk" means the same as a missing directory.
      const embeddings = input.map((text) => (/disk|ENOENT/.test(text) ? [3, 4] : [-4, 3]))
      const headers = { "content-type": "application/json" }
      return isAsked.now ? { headers, pieces: [JSON.stringify({ embeddings })] } : { status: 500, pieces: ["no"] }
    })
    try {
      const table = `[dream.embedder]\nbase_url = "${server.url}"\nmodel = "m"\napi = "ollama"\n`
      writeFileSync(join(at.home, "config.toml"), table)
      const found = await at.call("list", "--like", "out of disk")
      expect(found).toMatchObject({ status: 0, stderr: "" })
      expect(found.stdout).toContain("ENOENT: no such file or directory")
      expect(found.stdout).toContain("1 artifact,")
      isAsked.now = false
      const { status, stderr, stdout } = await at.call("list", "--like", "out of disk")
      expect({ status, stdout }).toEqual({ status: 0, stdout: "Nothing like that was learned in this project.\n" })
      expect(stderr).toContain("returned no vectors, so texts are compared by their words: status 500: no")
      expect((await at.call("list")).stdout).toContain("4 artifacts,")
      // Without --like, nothing is sent.
      expect(server.heard).toHaveLength(2)
      writeFileSync(join(at.home, "config.toml"), table.replace('model = "m"', 'key_env = "NO_SUCH_KEY"'))
      expect((await at.call("list", "--like", "x")).stderr).toContain("dream.embedder.model is not set")
    } finally {
      await server.close()
    }
  })

  test("shows one whole, and as JSON", async () => {
    using at = await world()
    const { stdout } = await at.call("show", "pb_")
    expect(stdout).toContain("When error:typescript:TS2345:\n  1. read the file with the error\n  2. edit the call\n")
    const { artifact } = JSON.parse((await at.call("show", "pb_", "--json")).stdout)
    expect(artifact).toMatchObject({ type: "DreamPlaybook", source_sessions: 2, v: 2 })
  })

  test("pins, unpins and forgets", async () => {
    using at = await world()
    expect((await at.call("pin", "pb_")).stdout).toStartWith("Pinned: error:typescript:TS2345")
    expect((await at.listed()).filter(({ pinned }: { readonly pinned?: true }) => pinned)).toHaveLength(1)
    expect((await at.call("unpin", "pb_")).stdout).toStartWith("No longer pinned: ")
    expect((await at.call("forget", "pb_")).stdout).toStartWith("Forgotten: ")
    expect(await at.listed()).toHaveLength(3)
    await putProfiles(at.home, at.root, [profileOf("old", { contributions: found, endedAt: yesterday })])
    expect(await at.listed()).toHaveLength(3)
  })

  test("merges what means the same, and undoes it", async () => {
    using at = await world()
    const twin = seen("ENOENT\0create", repair("ENOENT: the folder does not exist", "create the folder with mkdir -p"))
    await putProfiles(at.home, at.root, [profileOf("b7", { contributions: [twin], endedAt: yesterday })])
    const before = await at.listed()
    const repairs = before.filter(({ type }: { readonly type: string }) => type === "RepairPattern")
    const into = repairs.find(({ key }: { readonly key: string }) => key.includes("mkdir")).id
    const from = repairs.find(({ id }: { readonly id: string }) => id !== into).id
    expect((await at.call("merge", from, into)).stdout).toStartWith(`Merged into ${into.slice(0, 9)}: `)
    const merged = (await at.listed()).find(({ id }: { readonly id: string }) => id === into)
    expect(merged).toMatchObject({ merged: ["ENOENT: the folder does not exist"], stats: { sessions: 3 } })
    expect((await at.call("show", into)).stdout).toContain("Merged into it: ENOENT: the folder does not exist")
    expect((await at.call("why", into)).stdout).toContain("b7")
    expect((await at.call("unmerge", into)).status).toBe(0)
    expect(await at.listed()).toEqual(before)
    for (const args of [
      [into, into],
      [into, "pb_"]
    ])
      expect(await at.call("merge", ...args)).toMatchObject({ status: 2, stdout: "" })
  })

  test("a merge in a full store loses neither artifact, and undone it leaves everything as it was", async () => {
    using at = await world()
    const idOf = (key: string) => artifactId("RepairPattern", key, digest)
    const all = Array.from({ length: 25 }, (_, age) => ({
      name: `s${age}`,
      key: `E${age}`,
      endedAt: yesterday - (25 - age) * 3_600_000
    }))
    await putProfiles(
      at.home,
      at.root,
      all.map(({ endedAt, key, name }) =>
        profileOf(name, { contributions: [seen(key, repair(`error ${key}`, `fix ${key}`))], endedAt })
      )
    )
    // The oldest has room because it was given to an assistant; what it is merged into was never given, and is then as old.
    const use = { id: "i", sources: ["repair" as const], artifacts: [idOf("E0")], value: 1 as const }
    await putProfiles(at.home, at.root, [profileOf("user", { injections: [use], endedAt: yesterday })])
    const before = await at.listed()
    const repairs: ReadonlyArray<{ readonly id: string; readonly key: string; readonly created_at: number }> = before
      .filter(({ type }: { readonly type: string }) => type === "RepairPattern")
      .toSorted((a: { readonly created_at: number }, b: { readonly created_at: number }) => a.created_at - b.created_at)
    expect(repairs).toHaveLength(20)
    const [oldest, next] = repairs.map(({ id }) => id)
    for (const [from, into] of [
      [oldest!, next!],
      [next!, oldest!]
    ] as const) {
      expect((await at.call("merge", from, into)).status).toBe(0)
      const merged = (await at.listed()).find(({ id }: { readonly id: string }) => id === into)
      expect(merged).toMatchObject({ stats: { sessions: 2 } })
      expect((await at.call("unmerge", into)).status).toBe(0)
      expect(await at.listed()).toEqual(before)
    }
    // Without room, and still there for the user's decisions.
    const out = all.map(({ key }) => idOf(key)).find((id) => !repairs.some((kept) => kept.id === id))!
    expect((await at.call("show", out)).status).toBe(2)
    expect((await at.call("pin", out)).stdout).toStartWith("Pinned: ")
    expect((await at.call("show", out)).status).toBe(0)
  })

  test("names what was meant by a wrong id", async () => {
    using at = await world()
    const [{ id }] = await at.listed()
    const wrong = await at.call("show", `${id.slice(0, -1)}x`)
    expect(wrong).toMatchObject({ status: 2, stdout: "" })
    expect(wrong.stderr).toContain(`(did you mean "${id}"?)`)
    expect((await at.call("forget", "")).status).toBe(2)
    expect((await at.call("why", "zz")).stderr).toContain("dd dream artifacts list shows all")
  })

  test("an empty project says how to begin, and a foreign store is named", async () => {
    using at = await world()
    renameSync(join(at.home, "dream.key"), join(at.home, "other.key"))
    const { status, stderr, stdout } = await at.call("list")
    expect(status).toBe(0)
    expect(stdout).toBe("Nothing was learned in this project yet. docs/dream.md says how dd learns.\n")
    expect(stderr).toContain("not used: artifacts.json: it is not sealed by your dd for this project")
    writeFileSync(join(at.home, "dream.key"), "x")
    expect((await at.call("list")).stderr).toContain("move it away, and dd makes another one")
    expect(readdirSync(join(at.root, ".daydream", "cross-session")).filter((name) => name.includes("aside"))).toEqual(
      []
    )
  })

  test("lists all projects that have recorded sessions", async () => {
    using at = await world()
    const payload = { session_id: "s", cwd: at.root, hook_event_name: "SessionStart", source: "startup" }
    await run([dd, "hook", "event"], {
      env: { PATH: systemPath, HOME: join(at.home, ".."), DD_DREAM_WORKER: "0" },
      stdin: JSON.stringify(payload)
    })
    const elsewhere = await run([dd, "dream", "artifacts", "list", "--all-projects"], {
      cwd: at.place.path,
      env: { PATH: systemPath, HOME: join(at.home, ".."), DD_DREAM_WORKER: "0" }
    })
    expect(elsewhere.stdout).toStartWith(`${at.root}\n`)
    expect(elsewhere.stdout).toContain("4 artifacts")
  })
})
