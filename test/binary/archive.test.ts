import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { install } from "../support/cli/install.ts"
import { run } from "../support/inProcess.ts"
import { inside, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const careless = "def load(path, seen=[]):\n    seen.append(path)\n    return seen\n"

/** A repository whose last commit has a finding, and a user with a home of their own. */
const world = (files: Readonly<Record<string, string>> = {}) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "shop"))
  repository.git("remote", "add", "origin", "https://ada:hunter2hunter2@example.com/acme/shop.git")
  repository.commit("Begin", { "README.md": "# App\n" })
  repository.commit("Be careless", { "a.py": careless, ...files })
  const home = inside(place.path, "home")
  const env: Record<string, string> = { PATH: systemPath, HOME: home }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  const archive = join(home, ".daydream", "archive")
  const bundles = () => (existsSync(join(archive, "runs")) ? readdirSync(join(archive, "runs")) : [])
  const rows = async () => JSON.parse((await call("archive", "list", "--format", "json", "--limit", "0")).stdout).runs
  return { repository, home, env, call, archive, bundles, rows, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

/** Every file below a directory, with its text. */
const textsIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, "latin1") }))

const extension = (home: string, text: string) => {
  const extensions = inside(home, ".daydream", "extensions")
  for (const directory of [home, join(home, ".daydream"), extensions]) chmodSync(directory, 0o700)
  writeFileSync(join(extensions, "own.ts"), text, { mode: 0o600 })
}

/** An extension whose step never comes back keeps a review at work. */
const waiting = (home: string) =>
  extension(
    home,
    `export const DAYDREAM_EXT_API = 1
    const wait = () => new Promise((done) => setTimeout(done, 600_000))
    export const register = (r) => r.insertAfter("deep", "per-stack-reviews", { name: "wait", run: wait })`
  )

describe("a finished review", () => {
  test("leaves a bundle and a row with the same content, readable by its user only", async () => {
    using at = world()
    expect((await at.call("review", "-q", "--fail-on", "low")).status).toBe(1)
    const [session = ""] = at.bundles()
    const bundle = join(at.archive, "runs", session)
    expect(readdirSync(bundle).toSorted()).toEqual([
      "deep",
      "diff.patch",
      "evaluation.json",
      "findings.json",
      "manifest.json",
      "review-output.md",
      "trajectories",
      "trajectory.json"
    ])
    expect(readdirSync(join(bundle, "deep"))).toContain("merged-items.json")
    const manifest = JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8"))
    expect(manifest).toMatchObject({
      schema_version: "1.0",
      session_id: session,
      status: "complete",
      run: { flow: "deep", backend: "static", deep: true, model: null },
      git: { repo_slug: "acme/shop", branch: "main" },
      code_context: { changed_files: ["a.py"] },
      metrics: {
        total_findings: 1,
        coverage_ratio: 1,
        grounding_rate: 1,
        total_cost_usd: 0,
        total_prompt_tokens: null
      },
      archive_path: `runs/${session}`,
      dd: { ended: "concluded", not_archived: [] }
    })
    const [row] = await at.rows()
    expect(row).toMatchObject({
      session_id: session,
      status: "complete",
      run_flow: "deep",
      repo_slug: "acme/shop",
      head_sha: at.repository.git("rev-parse", "HEAD"),
      total_findings: 1,
      outcome_labels: "[]",
      composite_reward: 1
    })
    expect(Object.keys(row).length).toBe(39)
    const trajectories = ["trajectory.json", "trajectories/deep-structure.json"].map((name) => join(bundle, name))
    expect((await at.call("trajectory", "validate", ...trajectories)).stdout.split(": valid").length).toBe(3)
    for (const { path } of textsIn(at.archive)) expect(statSync(path).mode & 0o077).toBe(0)
    expect(readdirSync(join(at.archive, "drafts"))).toEqual([])
  })

  test("records the commit below uncommitted edits, and that there were some", async () => {
    using at = world()
    const head = at.repository.git("rev-parse", "HEAD")
    const recorded = (session: string) => {
      const read = (name: string) => JSON.parse(readFileSync(join(at.archive, "runs", session, name), "utf8"))
      const { dd, git } = read("manifest.json")
      const { extra } = read("trajectory.json")
      return [git.head_sha, dd.head, dd.dirty, extra.head_sha, extra.dirty]
    }
    const reviewed = async (...args: ReadonlyArray<string>) => {
      const { stdout } = await at.call("review", "--format", "json", ...args)
      const { run } = JSON.parse(stdout)
      const [row] = (await at.rows()).filter(({ session_id }: { session_id: string }) => session_id === run.session_id)
      return [run.head, row.head_sha, ...recorded(run.session_id)]
    }
    at.repository.write("a.py", "import os\n\nprint(os)\n")
    expect(await reviewed()).toEqual(["worktree", head, head, "worktree", true, head, true])
    at.repository.git("add", "a.py")
    expect(await reviewed("--staged")).toEqual(["index", head, head, "index", true, head, true])
    expect(await reviewed("--commit", "HEAD")).toEqual([head, head, head, head, false, head, false])
  })

  test("leaves no secret in any archived file, nor in the index", async () => {
    const secret = `ghp_${"A1b2C3d4E5f6".repeat(3)}`
    using at = world({ "settings.py": `TOKEN = "${secret}"\npassword = "correct horse battery"\n` })
    mkdirSync(at.repository.path(".daydream/deep"), { recursive: true })
    at.env.SHOP_SECRET_KEY = "zebra-quartz-omelette-19"
    at.repository.commit("More", { "b.py": `x = "zebra-quartz-omelette-19"\n`, "c.py": `y = "${secret}"\n` })
    await at.call("review", "-q", "--base", "HEAD~2")
    const [session = ""] = at.bundles()
    // Another step, or the repository, may have left what dd did not write itself.
    for (const { path, text } of textsIn(at.archive)) {
      for (const hidden of [secret, "hunter2hunter2", "correct horse", "zebra-quartz"]) {
        if (text.includes(hidden)) throw new Error(`${path} has ${hidden}`)
      }
    }
    const patch = readFileSync(join(at.archive, "runs", session, "diff.patch"), "utf8")
    expect(patch).toContain("[REDACTED")
  })

  test("is not archived if a flag, a variable or a setting of the user disables it", async () => {
    using at = world()
    await at.call("review", "-q", "--no-archive")
    at.env.DD_ARCHIVE = "off"
    await at.call("review", "-q")
    delete at.env.DD_ARCHIVE
    mkdirSync(join(at.home, ".daydream"), { recursive: true })
    writeFileSync(join(at.home, ".daydream", "config.toml"), 'archive = "off"\n')
    await at.call("review", "-q")
    expect(existsSync(at.archive)).toBe(false)
    await at.call("review", "-q", "--preview")
    expect(existsSync(at.archive)).toBe(false)
  })

  test("is archived without an evaluation if the user disables it; a repository can disable neither", async () => {
    using at = world()
    at.repository.commit("Settings", { ".daydream.toml": 'archive = "off"\nevaluate = "off"\n' })
    at.repository.commit("Next", { "b.py": careless })
    const { stderr } = await at.call("review", "--no-eval")
    expect(stderr).toContain("a repository may not set archive")
    const [row] = await at.rows()
    expect(row).toMatchObject({ total_findings: 1, grounding_rate: null, coverage_ratio: null, composite_reward: null })
  })

  test("takes nothing for its own that an earlier run or the repository has left in its place", async () => {
    using at = world()
    const own = at.repository.path(".daydream")
    mkdirSync(join(own, "deep"), { recursive: true })
    for (const name of ["recommended.patch", "deep/planted.md"]) {
      writeFileSync(join(own, name), "planted")
      utimesSync(join(own, name), 1, 1)
    }
    await at.call("review", "-q")
    const [session = ""] = at.bundles()
    const bundle = join(at.archive, "runs", session)
    expect(readdirSync(bundle)).not.toContain("recommended.patch")
    expect(readdirSync(join(bundle, "deep"))).not.toContain("planted.md")
    expect(readFileSync(join(bundle, "diff.patch"), "utf8")).toContain("+def load")
  })

  for (const [what, args, prepare] of [
    ["a step that cannot be taken up", ["--start-at", "merge"], () => {}],
    ["a broken extension", [], (at: ReturnType<typeof world>) => extension(at.home, "export const nothing = 1")],
    [
      "a flow without its steps",
      ["--flow", "mine"],
      (at: ReturnType<typeof world>) =>
        extension(
          at.home,
          `export const DAYDREAM_EXT_API = 1
           export const register = (r) => r.defineFlow({ name: "mine", description: "", entries: ["post-review"] })`
        )
    ]
  ] as const) {
    test(`that fails before its first step archives nothing of the run before: ${what}`, async () => {
      using at = world()
      await at.call("review", "-q")
      const [earlier] = at.bundles()
      at.repository.commit("Next", { "b.py": careless })
      prepare(at)
      const ended = await at.call("review", ...args)
      expect(ended.status).toBeGreaterThan(1)
      const [session = ""] = at.bundles().filter((name) => name !== earlier)
      const bundle = join(at.archive, "runs", session)
      expect(existsSync(join(bundle, "deep"))).toBe(false)
      expect(existsSync(join(bundle, "evaluation.json"))).toBe(false)
      expect(existsSync(join(bundle, "review-output.md"))).toBe(false)
      expect(readFileSync(join(bundle, "diff.patch"), "utf8")).toContain("b.py")
      const row = (await at.rows()).find(({ session_id }: { session_id: string }) => session_id === session)
      expect(row).toMatchObject({
        status: "failed",
        total_findings: null,
        grounding_rate: null,
        coverage_ratio: null,
        composite_reward: null
      })
    })
  }

  test("that resumes another archives only what it made, and does not evaluate the other's reviews", async () => {
    using at = world()
    await at.call("review", "-q")
    const [earlier] = at.bundles()
    await at.call("review", "-q", "--start-at", "merge")
    const [session = ""] = at.bundles().filter((name) => name !== earlier)
    const files = readdirSync(join(at.archive, "runs", session, "deep"))
    expect(files).toContain("merged-items.json")
    expect(files).not.toContain("intent.md")
    expect(files).not.toContain("stack-python-records.json")
    const row = (await at.rows()).find(({ session_id }: { session_id: string }) => session_id === session)
    expect(row).toMatchObject({ status: "complete", total_findings: 1, coverage_ratio: null, composite_reward: null })
  })

  test("in which no reviewer answered has no evaluation", async () => {
    using at = world()
    const bin = inside(at.home, "bin")
    install(bin, "claude", "killed")
    at.env.PATH = `${bin}:${systemPath}`
    expect((await at.call("review", "--backend", "claude", "--on-inconclusive", "fail")).status).toBe(4)
    const [session = ""] = at.bundles()
    const files = readdirSync(join(at.archive, "runs", session), { recursive: true })
    expect(files).toContain("trajectories/deep-python.json")
    expect(files).not.toContain("evaluation.json")
    const [row] = await at.rows()
    expect(row).toMatchObject({ grounding_rate: null, coverage_ratio: null, composite_reward: null })
  })

  test("is not archived without a home directory, and reports it", async () => {
    using at = world()
    delete at.env.HOME
    const { status, stdout } = await at.call("review")
    expect(status).toBe(0)
    expect(stdout).toContain("This run is not archived: there is no home directory")
  })

  test("is written to DAYDREAM_ARCHIVE_DIR; a bare patch is archived too", async () => {
    using at = world()
    const elsewhere = join(at.home, "kept", "runs of dd")
    at.env.DAYDREAM_ARCHIVE_DIR = elsewhere
    const patch = `${at.repository.git("show", "--format=", "HEAD")}\n`
    writeFileSync(join(at.home, "a.patch"), patch)
    const ended = await run([dd, "review", "-q", "--diff-file", "a.patch"], { cwd: at.home, env: at.env })
    expect(ended.stderr).toMatch(/^dd: warning: .* only the patch is known.*\n$/)
    const [session = ""] = readdirSync(join(elsewhere, "runs"))
    expect(readFileSync(join(elsewhere, "runs", session, "diff.patch"), "utf8")).toBe(patch)
    expect((await at.rows()).length).toBe(1)
  })
})

describe("an archive that cannot be used", () => {
  const json = async (at: ReturnType<typeof world>) => {
    const { status, stderr, stdout } = await at.call("review", "--format", "json", "--fail-on", "low")
    return { status, stderr, degraded: JSON.parse(stdout).degraded }
  }

  test("does not change the review and its exit code, and is in the warnings and the result", async () => {
    using at = world()
    mkdirSync(join(at.home, ".daydream"), { recursive: true })
    writeFileSync(at.archive, "a file where the archive should be")
    const { degraded, status, stderr } = await json(at)
    expect(status).toBe(1)
    expect(stderr).toContain("warning: this run is not archived")
    expect(degraded).toMatchObject([{ step: "archive", error: "BundleNotWritten" }])
  })

  test("of a newer dd is not changed; the commands print one error", async () => {
    using at = world()
    await at.call("review", "-q")
    const database = new Database(join(at.archive, "index.db"))
    database.run("PRAGMA user_version = 99")
    database.close()
    const before = textsIn(at.archive)
    const { status, stderr } = await json(at)
    expect(status).toBe(1)
    expect(stderr).toContain("was made by a newer dd (version 99")
    for (const args of [
      ["list"],
      ["rebuild-index"],
      ["label", "latest", "--outcome", "accepted"],
      ["prune", "--max-size", "0"]
    ]) {
      const ended = await at.call("archive", ...args)
      expect(ended.status).toBe(3)
      expect(ended.stderr.trim().split("\n").length).toBe(1)
    }
    expect(textsIn(at.archive)).toEqual(before)
  })

  test("with an index of an older version is updated, also by several commands at the same time", async () => {
    using at = world()
    mkdirSync(join(at.archive, "runs", "00000000-0000-4000-8000-000000000001"), { recursive: true })
    const database = new Database(join(at.archive, "index.db"))
    database.run(`CREATE TABLE runs (session_id TEXT PRIMARY KEY, archived_at TEXT NOT NULL, status TEXT NOT NULL,
      run_flow TEXT NOT NULL, backend TEXT NOT NULL DEFAULT 'claude', outcome_labels TEXT NOT NULL DEFAULT '[]',
      archive_path TEXT NOT NULL)`)
    database.run(`CREATE TABLE label_observations (session_id TEXT NOT NULL, observed_at TEXT NOT NULL,
      labels TEXT NOT NULL, labeler_version TEXT NOT NULL, PRIMARY KEY (session_id, observed_at))`)
    database.run(`INSERT INTO runs (session_id, archived_at, status, run_flow, archive_path)
      VALUES ('00000000-0000-4000-8000-000000000001', '2025-01-01T00:00:00', 'complete', 'deep', '/old')`)
    database.run("PRAGMA user_version = 2")
    database.close()
    const lists = await Promise.all([1, 2, 3, 4].map(() => at.call("archive", "list", "--format", "json")))
    expect(lists.map(({ status, stderr }) => [status, stderr])).toEqual(lists.map(() => [0, ""]))
    at.env.DD_PRUNE_AFTER = "never"
    const reviewed = await at.call("review", "-q")
    expect(reviewed.stderr).toBe("")
    expect((await at.rows()).map(({ backend }: { backend: string }) => backend)).toEqual(["static", "claude"])
    expect((await at.call("archive", "rebuild-index")).status).toBe(0)
    expect((await at.call("archive", "label", "00000000", "--outcome", "accepted")).status).toBe(0)
    expect((await at.rows()).length).toBe(2)
  })

  test("with a damaged index is reported, and the next command rebuilds it with its labels", async () => {
    using at = world()
    await at.call("review", "-q")
    await at.call("archive", "label", "latest", "--outcome", "accepted", "--note", "good")
    await at.call("archive", "label", "latest", "--outcome", "rejected", "--finding", "1")
    writeFileSync(join(at.archive, "index.db"), "rubbish ".repeat(999))
    for (const ending of ["-wal", "-shm"]) rmSync(join(at.archive, `index.db${ending}`), { force: true })
    const { stderr, status } = await at.call("review", "-q")
    expect(status).toBe(0)
    expect(stderr).toContain("index was damaged and was moved to")
    const listed = await at.call("archive", "list", "--format", "json")
    expect(listed.stderr).toContain("rebuilt from 2 archived runs")
    const runs = JSON.parse(listed.stdout).runs
    expect(runs.map(({ outcome_labels: labels }: { outcome_labels: string }) => labels).toSorted()).toEqual([
      '["accepted"]',
      "[]"
    ])
    const verdicts = await at.call("archive", "query", "select verdict, note from finding_labels", "--format", "jsonl")
    expect(verdicts.stdout).toBe('{"verdict":"rejected","note":null}\n')
  })

  test("whose index cannot be opened keeps the run, and has its row as soon as it can", async () => {
    using at = world()
    mkdirSync(join(at.archive, "index.db"), { recursive: true })
    const { status, stderr } = await at.call("review", "-q")
    expect(status).toBe(0)
    expect(stderr).toContain("archived but not yet indexed")
    expect(at.bundles().length).toBe(1)
    rmSync(join(at.archive, "index.db"), { recursive: true })
    expect((await at.rows()).length).toBe(1)
  })

  test("that has lost its index is rebuilt by rebuild-index", async () => {
    using at = world()
    await at.call("review", "-q")
    await at.call("archive", "label", "latest", "--outcome", "contested")
    for (const name of readdirSync(at.archive)) if (name.startsWith("index.db")) rmSync(join(at.archive, name))
    const { stdout } = await at.call("archive", "rebuild-index")
    expect(stdout).toBe("1 run indexed, 1 label restored\n")
    expect((await at.rows())[0].outcome_labels).toBe('["contested"]')
    await at.call("archive", "label", "latest", "--finding", "1", "--outcome", "accepted")
    {
      using database = new Database(join(at.archive, "index.db"))
      database.run("UPDATE finding_labels SET verdict = 'rejected'")
    }
    const verdicts = ["archive", "query", "select verdict from finding_labels", "--format", "jsonl"]
    expect((await at.call("archive", "rebuild-index")).stdout).toBe("1 run indexed, 1 label restored\n")
    expect((await at.call(...verdicts)).stdout).toBe('{"verdict":"accepted"}\n')
    expect((await at.call("archive", "rebuild-index")).stdout).toBe("1 run indexed, 0 labels restored\n")
    rmSync(join(at.archive, "labels"), { recursive: true })
    expect((await at.call("archive", "rebuild-index")).stdout).toContain(
      "2 labels had no file, only a row in the index"
    )
    expect(readdirSync(join(at.archive, "labels"))).toHaveLength(1)
    rmSync(join(at.archive, "runs"), { recursive: true })
    expect((await at.call("archive", "rebuild-index")).stdout).toContain("1 row without files removed")
    expect(await at.rows()).toEqual([])
    // `dd archive reindex` was renamed.
    expect((await at.call("archive", "reindex")).status).toBe(2)
  })
})

describe("a review that is stopped", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    test(`by ${signal} is archived as partial, with what it had`, async () => {
      using at = world()
      waiting(at.home)
      const child = Bun.spawn([dd, "review", "-q"], { cwd: at.repository.root, env: at.env, stderr: "ignore" })
      const runs = at.repository.path(".daydream/runs")
      const journals = () =>
        (existsSync(runs) ? readdirSync(runs) : []).map((name) => join(runs, name, "trajectory.jsonl.partial"))
      const isAtWork = () =>
        journals().some((path) => {
          const text = existsSync(path) ? readFileSync(path, "utf8") : ""
          return text.includes('"step":"wait"') && text.includes("AgentEnded")
        })
      while (!isAtWork()) {
        expect(child.exitCode).toBeNull()
        await Bun.sleep(2)
      }
      child.kill(signal)
      await child.exited
      expect(child.exitCode).toBe(code)
      const [row] = await at.rows()
      expect(row).toMatchObject({ status: "interrupted", total_findings: null })
      const bundle = join(at.archive, "runs", row.session_id)
      expect(readdirSync(bundle)).toContain("trajectory.json.partial")
      expect(JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")).dd.ended).toBe("interrupted")
      const shown = await at.call("archive", "show", "latest")
      expect(shown.stdout).toContain("interrupted")
      expect(shown.stdout).toMatch(/wait +[\d.]+ s +interrupted\n/)
    })
  }

  test("by SIGKILL at any moment leaves an index that is sound, and no row without a bundle", async () => {
    using at = world()
    await at.call("review", "-q")
    for (let round = 0; round < 12; round++) {
      const child = Bun.spawn([dd, "review", "-q"], {
        cwd: at.repository.root,
        env: at.env,
        stdout: "ignore",
        stderr: "ignore"
      })
      // Nearly all moments that matter are at the end: the draft is there, then the bundle, then the row.
      const before = at.bundles().length
      while (child.exitCode === null && at.bundles().length === before && round % 3 !== 0) await Bun.sleep(1)
      if (round % 3 === 0) await Bun.sleep(30 * round)
      child.kill("SIGKILL")
      await child.exited
    }
    const database = new Database(join(at.archive, "index.db"))
    expect(database.query<{ quick_check: string }, []>("PRAGMA quick_check").all()).toEqual([{ quick_check: "ok" }])
    database.close()
    const known = new Set(at.bundles())
    for (const { session_id } of await at.rows()) expect(known.has(session_id)).toBe(true)
    expect((await at.call("archive", "rebuild-index")).stdout).toContain(`${known.size} run`)
    expect((await at.rows()).length).toBe(known.size)
  })
})

describe("many processes at once", () => {
  test("eight reviews lose no row", async () => {
    using at = world()
    const places = Array.from({ length: 8 }, (_, n) => join(at.home, `clone${n}`))
    for (const place of places) at.repository.git("clone", "--quiet", "--no-hardlinks", at.repository.root, place)
    const ended = await Promise.all(
      places.map((place) => run([dd, "review", "-q", "--commit", "HEAD"], { cwd: place, env: at.env }))
    )
    for (const { status, stderr } of ended) expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(at.bundles().length).toBe(8)
    const rows: ReadonlyArray<{ session_id: string }> = await at.rows()
    expect(rows.map(({ session_id }) => session_id).toSorted()).toEqual(at.bundles().toSorted())
  })
})

describe("dd archive", () => {
  test("shows a run: steps, findings and their labels", async () => {
    using at = world()
    await at.call("review", "-q")
    await at.call("archive", "label", "latest", "--finding", "1", "--outcome", "rejected", "--note", "on purpose")
    const { stdout } = await at.call("archive", "show", "latest")
    expect(stdout).toMatch(/├─ per-stack-reviews +\d/)
    // In the order in which they began.
    expect(stdout).toMatch(/├─ deep-structure[^\n]*\n[^\n]*└─ deep-python/)
    expect(stdout).toContain("a.py:1")
    expect(stdout).toContain("     rejected: on purpose\n")
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
    const [row] = await at.rows()
    for (const name of [row.session_id, row.session_id.slice(0, 6).toUpperCase()]) {
      expect((await at.call("archive", "show", name, "--json")).stdout).toContain(row.session_id)
    }
    const unknown = await at.call("archive", "show", "zz")
    expect({ status: unknown.status, stderr: unknown.stderr }).toEqual({
      status: 2,
      stderr: "dd: error: no archived run zz: no session id starts with it; see dd archive list\n"
    })
    const none = await at.call("archive", "label", "latest", "--finding", "9", "--outcome", "accepted")
    expect({ status: none.status, stderr: none.stderr.includes("it has 1 finding") }).toEqual({
      status: 2,
      stderr: true
    })
  })

  for (const place of ["outside of any repository", "where .daydream cannot be written"]) {
    test(`keeps the complete record of a run ${place}, and no draft`, async () => {
      using at = world()
      const patch = `${at.repository.git("diff", "HEAD~1", "HEAD")}\n`
      const isOutside = place.startsWith("outside")
      if (!isOutside) writeFileSync(join(at.repository.root, ".daydream"), "")
      const args = isOutside ? ["--diff-file", "-"] : []
      const cwd = isOutside ? at.home : at.repository.root
      const reviewed = await run([dd, "review", "-q", ...args], { cwd, env: at.env, stdin: isOutside ? patch : "" })
      expect(reviewed.status).toBe(isOutside ? 4 : 0)
      expect(reviewed.stderr).not.toContain("trajectory")
      const [session = ""] = at.bundles()
      const bundle = join(at.archive, "runs", session)
      expect(JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")).dd.not_archived).toEqual([])
      expect((await at.call("trajectory", "validate", join(bundle, "trajectory.json"))).status).toBe(0)
      expect((await at.call("archive", "show", session)).stdout).toContain("deep-structure")
      expect(readdirSync(join(at.archive, "drafts"))).toEqual([])
    })
  }

  test("stores the reward of a run with its label", async () => {
    using at = world()
    await at.call("review", "-q")
    await at.call("archive", "label", "latest", "--outcome", "accepted")
    const [session = ""] = at.bundles()
    const { derived } = JSON.parse(readFileSync(join(at.archive, "runs", session, "evaluation.json"), "utf8"))
    const { stdout } = await at.call(
      "archive",
      "query",
      "select reward_json from label_observations",
      "--format",
      "jsonl"
    )
    expect(JSON.parse(JSON.parse(stdout).reward_json)).toEqual(derived.reward)
  })

  test("takes no count below zero for all of them", async () => {
    using at = world()
    for (const args of [
      ["list", "--limit=-1"],
      ["query", "select 1", "--limit=-1"],
      ["query", "select 1", "--timeout=0"]
    ]) {
      const { status, stdout, stderr } = await at.call("archive", ...args)
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
      expect(stderr).toMatch(/a number from [01] on, not (-1|0)/)
    }
  })

  test("exports the state of a day, without later labels or traces of them", async () => {
    using at = world()
    await at.call("review", "-q")
    await at.call("archive", "label", "latest", "--outcome", "accepted", "--valid-at", "2026-01-01")
    await Bun.sleep(5)
    const then = new Date().toISOString()
    await Bun.sleep(5)
    await at.call("archive", "label", "latest", "--outcome", "rejected", "--note", "later")
    await at.call("archive", "label", "latest", "--finding", "1", "--outcome", "rejected", "--note", "later")
    const exported = async (...args: ReadonlyArray<string>) =>
      (await at.call("archive", "export", ...args)).stdout
        .split("\n")
        .flatMap((line) => (line ? [JSON.parse(line)] : []))
    const [old] = await exported("--as-of", then)
    expect(JSON.stringify(old)).not.toContain("later")
    expect(old.run.outcome_labels).toBe('["accepted"]')
    expect(old.findings[0].label).toBe(null)
    expect((await exported("--as-of", then, "--label", "accepted")).length).toBe(1)
    expect((await exported("--as-of", then, "--label", "rejected")).length).toBe(0)
    const [now] = await exported("--label", "rejected")
    expect(now.findings[0].label).toMatchObject({ verdict: "rejected", note: "later", file: "a.py" })
    expect(now.label_observations.length).toBe(2)
    expect(await exported("--as-of", "2026-01-01")).toEqual([])
    expect(await exported("--label", "rejected", "--output", "-")).toEqual([now])
  })

  test("writes and removes nothing outside of the archive, whatever a manifest, a row or a label contains", async () => {
    using at = world()
    await at.call("review", "-q")
    const [session = ""] = at.bundles()
    const precious = inside(at.archive, "..", "precious")
    writeFileSync(join(precious, "file"), "kept")
    const invalid = "../../precious"
    const manifest = join(at.archive, "runs", session, "manifest.json")
    const text = readFileSync(manifest, "utf8")
    const dated = text.replace(/"archived_at": "[^"]*"/, '"archived_at": "2020-01-01T00:00:00.000Z"')
    for (const id of [invalid, "00000000-0000-4000-8000-000000000001"]) {
      writeFileSync(manifest, dated.replace(`"session_id": "${session}"`, `"session_id": "${id}"`))
      expect((await at.call("archive", "rebuild-index")).stderr).toContain(`runs/${session} has no readable manifest`)
    }
    using database = new Database(join(at.archive, "index.db"))
    const columns = "archived_at, status, run_flow, archive_path"
    database.run(`INSERT INTO runs (session_id, ${columns}) VALUES (?, '2020-01-01', 'complete', 'deep', 'x')`, [
      invalid
    ])
    for (const args of [
      ["prune", "--older-than", "1d"],
      ["prune", "--max-size", "0", "--labelled"],
      ["label", "../../prec", "--outcome", "accepted"],
      ["show", "../../prec"],
      ["export"]
    ]) {
      const { status, stderr } = await at.call("archive", ...args)
      expect({ args, status, stderr }).toMatchObject({
        status: 3,
        stderr: expect.stringContaining("dd archive rebuild-index")
      })
    }
    expect(readFileSync(join(precious, "file"), "utf8")).toBe("kept")
    expect(existsSync(join(at.archive, "..", "precious.jsonl"))).toBe(false)
    writeFileSync(manifest, text)
    expect((await at.call("archive", "rebuild-index")).stdout).toContain("1 row without files removed")
    expect((await at.rows()).length).toBe(1)
  })

  test("keeps the complete record of a run with --trajectory", async () => {
    using at = world()
    expect((await at.call("review", "-q", "--trajectory", join(at.home, "out", "run.json"))).status).toBe(0)
    const [session = ""] = at.bundles()
    const record = join(at.archive, "runs", session, "trajectory.json")
    const validated = await at.call("trajectory", "validate", record)
    expect({ status: validated.status, stdout: validated.stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("valid")
    })
    expect((await at.call("archive", "show", session)).stdout).toContain("deep-python")
    expect((await at.call("trajectory", "export", session)).stdout).toContain('"trajectory":"deep-python"')
    expect((await at.call("review", "-q", "--replay", session)).status).toBe(0)
  })

  test("lists the label of each run, also while no run has one", async () => {
    using at = world()
    expect((await at.call("review", "-q", "--commit", "HEAD")).status).toBeLessThan(2)
    const list = async () => (await at.call("archive", "list")).stdout.trim().split("\n")
    const [heads, row] = await list()
    expect([heads, row].map((line) => line?.split(/ {2,}/).at(-1))).toEqual(["LABEL", "none"])
    await at.call("archive", "label", "latest", "--outcome", "accepted")
    expect((await list())[1]).toEndWith("  accepted")
  })

  test("keeps labels that only an older index has, in list, prune and rebuild-index", async () => {
    using at = world()
    await at.call("archive", "list")
    const runs = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`)
    const index = join(at.archive, "index.db")
    const columns = "archived_at, status, run_flow, archive_path, outcome_labels"
    {
      using database = new Database(index)
      const labels = ['["accepted"]', "[]", "[]"]
      for (const [n, id] of runs.entries()) {
        const values = "(?, '2020-01-01T00:00:00+00:00', 'complete', 'deep', 'x', ?)"
        database.run(`INSERT INTO runs (session_id, ${columns}) VALUES ${values}`, [id, labels[n] ?? "[]"])
      }
      {
        const values = "(?, '2020-02-01T00:00:00+00:00', '[\"rejected\"]', '1', ?)"
        database.run(
          `INSERT INTO label_observations (session_id, observed_at, labels, labeler_version, source) VALUES ${values}`,
          [runs[1] ?? "", "human"]
        )
      }
    }
    const [heads, ...rows] = (await at.call("archive", "list")).stdout.split("\n")
    expect(heads?.split(/ {2,}/)).toEqual(["RUN", "ARCHIVED (UTC)", "FLOW", "STATUS", "TIME", "COST", "LABEL"])
    expect(rows.join("\n")).toContain("accepted")
    const pruned = await at.call("archive", "prune", "--older-than", "1d")
    expect(pruned.stdout).toContain("1 run deleted")
    expect(pruned.stdout).toContain("2 labelled runs kept")
    const said = async () => {
      const { stdout } = await at.call(
        "archive",
        "query",
        "select session_id, labels from label_observations",
        "--format",
        "jsonl"
      )
      return stdout.trim().split("\n")
    }
    const expected = [JSON.stringify({ session_id: runs[1], labels: '["rejected"]' })]
    for (let time = 0; time < 2; time++) {
      expect((await at.call("archive", "rebuild-index")).status).toBe(0)
      expect(await said()).toEqual(expected)
    }
    for (const ending of ["", "-wal", "-shm"]) rmSync(index + ending, { force: true })
    for (let time = 0; time < 2; time++) {
      expect((await at.call("archive", "rebuild-index")).status).toBe(0)
      expect(await said()).toEqual(expected)
    }
  })

  test("prunes by age or size, after a dry run that changes nothing, and keeps labelled runs", async () => {
    using at = world()
    for (let n = 0; n < 3; n++) await at.call("review", "-q")
    await at.call("archive", "label", "latest", "--outcome", "accepted")
    const refused = await at.call("archive", "prune")
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain("nothing is deleted without --older-than AGE, such as 90d, or --max-size SIZE")
    const dry = await at.call("archive", "prune", "--max-size", "0", "--dry-run")
    expect(dry.stdout).toContain("2 runs to delete")
    expect(at.bundles().length).toBe(3)
    expect((await at.call("archive", "prune", "--older-than", "1d")).stdout).toContain("0 runs deleted")
    expect((await at.call("archive", "prune", "--max-size", "0")).stdout).toContain("2 runs deleted")
    expect(at.bundles().length).toBe(1)
    expect((await at.call("archive", "prune", "--max-size", "0", "--labelled")).stdout).toContain("1 run deleted")
    expect(await at.rows()).toEqual([])
    expect(readdirSync(join(at.archive, "labels"))).toEqual([])
  })

  /** Copies an archived run under new names, as if it was archived long ago. */
  const archiveOld = async (at: ReturnType<typeof world>, count: number): Promise<ReadonlyArray<string>> => {
    await at.call("review", "-q")
    const [source = ""] = at.bundles()
    const names = Array.from({ length: count }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`)
    const manifest = readFileSync(join(at.archive, "runs", source, "manifest.json"), "utf8")
    for (const name of names) {
      cpSync(join(at.archive, "runs", source), join(at.archive, "runs", name), { recursive: true })
      const dated = manifest.replace(/"archived_at": "[^"]*"/, '"archived_at": "2020-01-01T00:00:00.000Z"')
      writeFileSync(join(at.archive, "runs", name, "manifest.json"), dated.replaceAll(source, name))
    }
    expect((await at.call("archive", "rebuild-index")).stdout).toContain(`${count + 1} runs indexed`)
    using database = new Database(join(at.archive, "index.db"))
    database.run("DELETE FROM archive_state WHERE name = 'pruned'")
    return names
  }

  test("loses old runs without a label by itself, while several reviews end and runs are labelled", async () => {
    using at = world()
    const old = await archiveOld(at, 20)
    const labels = [3, 7].map((n) => at.call("archive", "label", old[n] ?? "", "--outcome", "accepted"))
    const reviews = [1, 2, 3].map(() => at.call("review", "-q"))
    const labelled = (await Promise.all(labels)).map(({ status }) => status === 0)
    for (const { status, stderr } of await Promise.all(reviews)) {
      expect(status).toBe(0)
      expect(stderr).not.toContain("archive")
    }
    const left = at.bundles().filter((name) => old.includes(name))
    // A label that was there first keeps its run.
    const listed = (await at.rows()).map(({ session_id }: { session_id: string }) => session_id)
    expect(listed.toSorted()).toEqual(at.bundles().toSorted())
    expect(at.bundles().length - left.length).toBe(4)
    for (const name of left) expect([old[3], old[7]]).toContain(name)
    expect(labelled.filter(Boolean).length).toBeGreaterThanOrEqual(left.length)
  })

  test("keeps all runs if the user switches that off, and says so", async () => {
    using at = world()
    const old = await archiveOld(at, 2)
    at.env.DD_PRUNE_AFTER = "never"
    await at.call("review", "-q")
    expect(at.bundles()).toEqual(expect.arrayContaining([...old]))
    expect((await at.call("doctor")).stdout).toContain("while the archive is larger than 1 GiB")
    at.env.DD_PRUNE_ABOVE = "never"
    expect((await at.call("doctor")).stdout).toContain("no run is deleted by itself")
    at.env.DD_PRUNE_AFTER = "soon"
    const { status, stderr } = await at.call("review", "-q")
    expect([status, stderr]).toEqual([2, expect.stringContaining('must be an age like 90d, or never, not "soon"')])
  })

  test("that cannot be changed keeps its old runs: a warning once a day, and the review is as before", async () => {
    using at = world()
    const old = await archiveOld(at, 1)
    {
      using database = new Database(join(at.archive, "index.db"))
      database.run("CREATE TRIGGER fixed BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'no deletions here'); END")
    }
    const { status, stderr, stdout } = await at.call("review", "--fail-on", "low")
    expect(status).toBe(1)
    expect(stdout).toContain("py/mutable-default")
    expect(stderr).toContain("warning: old runs stay in the archive")
    expect(at.bundles()).toEqual(expect.arrayContaining([...old]))
    expect((await at.call("review", "-q")).stderr).toBe("")
  })

  test("answers one statement that reads, stops one that never ends, and changes nothing", async () => {
    using at = world()
    await at.call("review", "-q")
    const query = (...args: ReadonlyArray<string>) => at.call("archive", "query", ...args)
    expect((await query("select backend, total_findings n from runs", "--format", "csv")).stdout).toBe(
      "backend,n\r\nstatic,1\r\n"
    )
    const endless = "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n"
    const stopped = await query(endless, "--timeout", "1")
    expect({ status: stopped.status, stderr: stopped.stderr }).toEqual({
      status: 3,
      stderr: "dd: error: the query was stopped after 1 s; see --timeout\n"
    })
    for (const sql of [
      "delete from runs",
      "with a as (select 1) delete from runs",
      `vacuum into '${at.home}/copy.db'`,
      "select 1; drop table runs",
      "pragma user_version = 0",
      "select load_extension('x')",
      `attach '${at.home}/other.db' as other`
    ]) {
      const { status, stdout } = await query(sql)
      expect({ sql, status, stdout }).toEqual({ sql, status: 2, stdout: "" })
    }
    expect((await at.rows()).length).toBe(1)
    expect(readdirSync(at.home)).toEqual([".daydream"])
  })

  test("takes latest as the newest run of this repository in every command", async () => {
    using at = world()
    await at.call("review", "-q")
    const [here = ""] = at.bundles()
    const other = initRepository(join(at.home, "..", "till"))
    other.commit("Begin", { "b.py": careless })
    const there = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: other.root, env: at.env })
    const nothing = [
      ["archive", "show", "latest"],
      ["archive", "label", "latest", "--outcome", "accepted"],
      ["trajectory", "show"],
      ["trajectory", "export", "latest"],
      ["review", "--replay", "latest"]
    ]
    for (const args of nothing) {
      const { status, stderr } = await there(...args)
      expect({ args, isRefused: (status ?? 0) > 1 && /no (?:archived )?run/.test(stderr) }).toEqual({
        args,
        isRefused: true
      })
    }
    await there("review", "-q")
    const [elsewhere = ""] = at.bundles().filter((name) => name !== here)
    const shown = async (call: typeof there, ...args: ReadonlyArray<string>) =>
      JSON.parse((await call("archive", "show", "latest", "--json", ...args)).stdout).run.session_id
    expect([await shown(at.call), await shown(there)]).toEqual([here, elsewhere])
    expect(await shown(at.call, "--all-repos")).toBe(elsewhere)
    const exported = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await at.call("trajectory", "export", ...args)).stdout.split("\n")[0] ?? "").session_id
    rmSync(at.repository.path(".daydream"), { recursive: true })
    expect([await exported(), await exported("--all-repos")]).toEqual([here, elsewhere])
    const labelled = await at.call("archive", "label", "latest", "--outcome", "accepted")
    const commit = at.repository.git("rev-parse", "HEAD").slice(0, 12)
    expect(labelled.stdout).toBe(`run ${here.slice(0, 8)} (acme/shop, commit ${commit}): accepted\n`)
    expect((await at.rows()).map(({ outcome_labels: label }: { outcome_labels: string }) => label)).toEqual([
      "[]",
      '["accepted"]'
    ])
    const nowhere = await run([dd, "archive", "show", "latest"], { cwd: at.home, env: at.env })
    expect(nowhere.stderr).toContain("--all-repos")
  })

  test("takes latest as the same run in every working tree of a repository", async () => {
    using at = world()
    const linked = join(at.home, "..", "linked")
    at.repository.git("worktree", "add", "--quiet", linked)
    const there = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: linked, env: at.env })
    await at.call("review", "-q")
    const [first = ""] = at.bundles()
    const latest = async (call: typeof there) => {
      const row = JSON.parse((await call("archive", "show", "latest", "--json")).stdout).run.session_id
      const [line = ""] = (await call("trajectory", "export", "latest")).stdout.split("\n")
      return [row, JSON.parse(line).session_id]
    }
    expect(await latest(there)).toEqual([first, first])
    await there("review", "-q")
    const [second = ""] = at.bundles().filter((name) => name !== first)
    expect([...(await latest(at.call)), ...(await latest(there))]).toEqual([second, second, second, second])
  })

  test("warns when the newest run was not archived, so that latest is an older one", async () => {
    using at = world()
    await at.call("review", "-q")
    const [archived = ""] = at.bundles()
    expect((await at.call("archive", "show", "latest")).stderr).toBe("")
    await at.call("review", "-q", "--no-archive")
    const runs = readdirSync(at.repository.path(".daydream/runs"))
    const newest = runs.find((name) => name !== archived)?.slice(0, 8)
    for (const args of [["show"], ["label", "--outcome", "accepted"]]) {
      const { status, stderr, stdout } = await at.call("archive", args[0] ?? "", "latest", ...args.slice(1))
      expect(status).toBe(0)
      expect(stdout).toContain(archived.slice(0, 8))
      expect(stderr).toContain(
        `run ${newest} is newer but not archived; latest is the archived run ${archived.slice(0, 8)}`
      )
    }
  })

  test("accepts latest in a recovery, and with --all-repos in a replay", async () => {
    using at = world()
    await at.call("review", "-q")
    const recovered = await at.call("trajectory", "recover", "latest")
    expect({ status: recovered.status, stderr: recovered.stderr }).toEqual({ status: 0, stderr: "" })
    expect(recovered.stdout).toContain("nothing to do: ")
    const other = initRepository(join(at.home, "..", "till"))
    other.commit("Begin", { "b.py": careless })
    const there = (...args: ReadonlyArray<string>) => run([dd, "review", ...args], { cwd: other.root, env: at.env })
    const replayed = await there("--replay", "latest", "--all-repos")
    expect([replayed.status, replayed.stderr]).toEqual([expect.any(Number), expect.stringContaining("only the patch")])
    expect(replayed.stdout).toContain("a.py:1")
    const alone = await there("--all-repos")
    expect([alone.status, alone.stderr]).toEqual([
      2,
      "dd: error: --all-repos requires --replay latest; see dd review --help\n"
    ])
  })

  test("counts runs and costs under the names of the index", async () => {
    using at = world()
    await at.call("review", "-q")
    const { stdout } = await at.call("archive", "stats", "--json")
    expect(JSON.parse(stdout)).toMatchObject({
      schema_version: 1,
      runs: 1,
      findings: 1,
      cost_usd: 0,
      unknown_cost: 0,
      labelled_findings: 0,
      by: { status: [["complete", 1]], outcome: [["unknown", 1]] },
      mean: { grounding_rate: 1, coverage_ratio: 1, composite_reward: 1 }
    })
  })

  test("reports that an archive is empty", async () => {
    using at = world()
    expect((await at.call("archive", "list")).stdout).toBe("No archived runs.\n")
    expect((await at.call("archive", "stats")).stdout).toBe("No archived runs.\n")
    expect((await at.call("archive", "show", "latest")).stderr).toContain("no run of")
    expect((await at.call("archive", "show", "latest", "--all-repos")).stderr).toContain("the archive is empty")
    expect((await at.call("archive", "list", "--since", "yesterday")).status).toBe(2)
    expect((await at.call("archive", "list", "--cost", "much")).status).toBe(2)
  })
})
