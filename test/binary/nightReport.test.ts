/** `dd dream report` and `dd dream do` of the compiled binary. */
import { Database } from "bun:sqlite"
import { describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ConditionKind, MorningPacket } from "../../src/domain/night/Packet.ts"
import { encodeSummary, type SummaryFields } from "../../src/domain/night/Summary.ts"
import { folderHash } from "../support/folderHash.ts"
import { goodNight } from "../support/night/nights.ts"
import { night } from "../support/night/summaries.ts"
import { mutable, nightWorld } from "../support/nightWorld.ts"

const world = () => {
  const at = nightWorld()
  at.repository.commit("Begin", { "README.md": "# Shop\n" })
  return Object.assign(at, {
    /** The newest night, as a run leaves it. */
    report: (summary: SummaryFields): string => {
      const directory = join(at.folder, "runs", summary.run_id)
      mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, "summary.json"), encodeSummary(summary))
      writeFileSync(join(at.folder, "latest"), `${directory}\n`)
      return directory
    }
  })
}

describe("dd dream report", () => {
  test("prints the report of the newest night, as it was written, and writes nothing", async () => {
    using at = world()
    at.report(goodNight)
    const before = folderHash(at.own)
    const { status, stderr, stdout } = await at.call("dream", "report")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    const golden = readFileSync(join(import.meta.dir, "../support/night/goodNight.md"), "utf8")
    expect(stdout.replaceAll("[REDACTED_USER]", "ada")).toBe(golden)
    expect(folderHash(at.own)).toBe(before)
  })

  test("prints JSON, also in version 1, and of a directory or a file", async () => {
    using at = world()
    const directory = at.report(goodNight)
    const json = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await at.call("dream", "report", "--format", "json", ...args)).stdout)
    expect(await json()).toEqual(JSON.parse(encodeSummary(goodNight)))
    expect(await json("--from", directory)).toEqual(await json())
    expect(await json("--from", join(directory, "summary.json"))).toEqual(await json())
    const first = await json("--report-schema", "1")
    expect(first).toMatchObject({ schema_version: 1, status: "done" })
    expect(first).not.toHaveProperty("morning_packets")
    const { stdout } = await at.call("dream", "report", "--report-schema", "1")
    expect(stdout).not.toContain("## Morning packets")
  })

  test("says how to run a night if there was none, and what is wrong with what is no report", async () => {
    using at = world()
    expect(await at.call("dream", "report")).toMatchObject({
      status: 2,
      stderr: "dd: error: no night has run for this repository yet: dd dream start runs one\n"
    })
    const { status, stderr } = await at.call("dream", "report", "--from", at.repository.root)
    expect(status).toBe(3)
    expect(stderr).toContain("summary.json is not the report of a night: no such file or directory")
    writeFileSync(join(at.own, "../x.json"), "{}")
    expect((await at.call("dream", "report", "--from", join(at.own, "../x.json"))).stderr).toContain("schema_version")
  })

  test("goes with dd archive prune when it is old, unless it is the newest", async () => {
    using at = world()
    for (const run_id of ["20200131T013000Z", "20200201T013000Z", "20200202T013000Z"]) {
      at.report({ ...goodNight, run_id })
    }
    const prune = (...args: ReadonlyArray<string>) => at.call("archive", "prune", ...args)
    expect((await prune("--max-size", "0")).stdout).not.toContain("night")
    expect((await prune("--older-than", "90d", "--dry-run")).stdout).toContain("2 reports of nights to delete\n")
    expect((await prune("--older-than", "90d")).stdout).toContain("2 reports of nights deleted\n")
    expect(readdirSync(join(at.folder, "runs"))).toEqual(["20200202T013000Z"])
    expect((await at.call("dream", "report")).status).toBe(0)
  })

  test("shows a night that was killed as failed, and one that is under way as begun", async () => {
    using at = world()
    const lock = join(at.folder, "run.lock")
    const planned = night({ status: "planned", steps: [{ name: "ingest", status: "pending" }] })
    at.report({ ...planned, runtime: { ...planned.runtime, lock_path: lock } })
    const killed = "its last sign of life came 12 minutes after its start."
    expect((await at.call("dream", "report")).stdout).toContain(killed)

    const held = new Database(lock)
    held.run("BEGIN EXCLUSIVE")
    expect((await at.call("dream", "report")).stdout).toContain("The night has begun and has not reported yet.")
    held.run("ROLLBACK")
    held.close()
    expect((await at.call("dream", "report")).stdout).toContain(killed)
  })
})

const packetOf = (condition: ConditionKind, subject: string, given: Partial<MorningPacket> = {}): MorningPacket => ({
  ...goodNight.morning_packets![0]!,
  why_now: "Last night's numbers.",
  dd: { condition, subject, nights: 1 },
  ...given
})

describe("dd dream do", () => {
  const contested = async () => {
    const at = world()
    const names = ["a", "b", "c", "d"]
    at.repository.commit("Add", Object.fromEntries(names.map((name) => [`src/${name}.py`, mutable(name)])))
    await at.call("review", "--commit", "HEAD")
    const label = (finding: number, outcome: string) =>
      at.call("archive", "label", "latest", "--finding", String(finding), "--outcome", outcome)
    for (const [finding, outcome] of [
      [1, "accepted"],
      [2, "accepted"],
      [3, "rejected"],
      [4, "rejected"]
    ] as const) {
      expect((await label(finding, outcome)).status).toBe(0)
    }
    at.report({ ...goodNight, morning_packets: [packetOf("contested-rule", "py/mutable-default")] })
    return Object.assign(at, { label })
  }

  test("shows what a packet needs, with today's numbers, by its number, its id or its beginning", async () => {
    using at = await contested()
    const before = folderHash(at.repository.root)
    const { status, stderr, stdout } = await at.call("dream", "do", "1")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout).toContain("Decide whether py/mutable-default is wanted\n  dream-0d9fa4d5f2e0d7a1: high priority")
    expect(stdout).toContain("Now: People accepted 2 of its findings and rejected 2, in 1 review.\n")
    expect(stdout).toMatch(/2 findings accepted:\n {2}\w{8} finding \d {2}src\/\w\.py:1 {2}\S/)
    expect(stdout).toMatch(/ {2}dd archive label \w{8} --finding \d --outcome accepted\n/)
    expect(stdout).toContain('  rules.disable = ["py/mutable-default"]')
    expect((await at.call("dream", "do", "dream-0d9fa4d5f2e0d7a1")).stdout).toBe(stdout)
    expect((await at.call("dream", "do", "0d9f")).stdout).toBe(stdout)
    expect(folderHash(at.repository.root)).toBe(before)
  })

  test("says that a packet is settled once its condition no longer holds", async () => {
    using at = await contested()
    await at.label(3, "accepted")
    await at.label(4, "accepted")
    expect((await at.call("dream", "do", "1")).stdout).toEndWith(
      "It is settled: what made it worth doing no longer holds.\n"
    )
  })

  test("says that a contested rule is settled once the line that it names is in .daydream.toml, committed or not", async () => {
    using at = await contested()
    const [line] = /rules\.disable = .*/.exec((await at.call("dream", "do", "1")).stdout) ?? []
    at.repository.write(".daydream.toml", `${line}\n`)
    expect((await at.call("dream", "do", "1")).stdout).toContain("It is settled")
  })

  test("offers the findings whose label teaches most, with the commands that label them", async () => {
    using at = world()
    const names = ["a", "b", "c", "d", "e", "f"]
    at.repository.commit("Add", Object.fromEntries(names.map((name) => [`src/${name}.py`, mutable(name)])))
    await at.call("review", "--commit", "HEAD")
    await at.call("archive", "label", "latest", "--finding", "1", "--outcome", "accepted")
    at.report({ ...goodNight, morning_packets: [packetOf("label-request", "findings")] })
    const { status, stdout } = await at.call("dream", "do", "1")
    expect(status).toBe(0)
    expect(stdout).toContain(
      "Now: 5 findings of the last 60 days have no label. Labels of py/mutable-default teach most"
    )
    expect(stdout.match(/ --outcome accepted \(or rejected, contested\)/g)).toHaveLength(5)
    expect(stdout).toEndWith((await at.call("archive", "label", "--next")).stdout)
  })

  test("refuses a packet that the night does not have, and names those that it has", async () => {
    using at = world()
    at.report(goodNight)
    for (const name of ["3", "dream-", "dream-ffff"]) {
      const { status, stderr } = await at.call("dream", "do", name)
      expect({ status, stderr }).toEqual({
        status: 2,
        stderr: `dd: error: the night 20260131T013000Z has no packet ${name}: it has dream-0d9fa4d5f2e0d7a1 and dream-8fb20ef63ced4145\n`
      })
    }
  })

  test("prints the line for AGENTS.md, adds it to no file, and is settled when somebody did", async () => {
    using at = world()
    const text = "In src/, avoid mutable defaults: they are shared between calls."
    const convention = {
      ...{ id: "con-00000000000000aa", rule: "py/mutable-default", folder: "", text },
      ...{ maturity: "established" as const, accepted: 9, rejected: 0, evidence: [] }
    }
    await at.learn({ conventions: [convention] })
    at.report({ ...goodNight, morning_packets: [packetOf("convention-mature", convention.id)] })
    expect((await at.call("dream", "do", "1")).stdout).toContain(`\n  - ${text}\n`)
    expect(at.repository.git("status", "--porcelain")).toBe("")
    writeFileSync(join(at.repository.root, "AGENTS.md"), `# Rules\n\n- ${text}\n`)
    expect((await at.call("dream", "do", "1")).stdout).toContain("It is settled")
  })

  test("shows the work for each kind of packet on what was learned", async () => {
    using at = world()
    const now = Date.now()
    const item = { rule: "py/mutable-default", accepted: 1, rejected: 5, evidence: [] }
    await at.learn({
      suppressions: [{ ...item, id: "sup-1", folder: "gone/", since: 0, expires: now + 86_400_000 }],
      playbooks: [{ id: "pbk-1", rule: item.rule, text: "Use None", check: "make", passed: 0, failed: 3, evidence: [] }]
    })
    const shown = async (condition: ConditionKind, subject: string) => {
      at.report({ ...goodNight, morning_packets: [packetOf(condition, subject)] })
      return (await at.call("dream", "do", "1")).stdout
    }
    expect(await shown("suppression-expiring", "sup-1")).toContain("  dd dream why sup-1\n")
    expect(await shown("anchors-broken", "gone/")).toContain("What was learned there:\n  dd dream why sup-1\n")
    expect(await shown("playbook-failing", "pbk-1")).toContain(
      "What was learned of these fixes:\n  dd dream why pbk-1\n"
    )
    expect(await shown("label-request", "findings")).toContain("It is settled")
  })

  test("shows a packet of another program without a command that a shell would interpret", async () => {
    using at = world()
    const { dd: _, ...foreign } = packetOf("contested-rule", "x")
    at.report({ ...goodNight, morning_packets: [{ ...foreign, morning_command: 'ao rpi "$(touch /tmp/p)"' }] })
    const { status, stdout } = await at.call("dream", "do", "1")
    expect(status).toBe(0)
    expect(stdout).not.toContain("touch")
    at.report({ ...goodNight, morning_packets: [{ ...foreign, morning_command: "ao rpi 'it'" }] })
    expect((await at.call("dream", "do", "1")).stdout).toContain("Its command:\n  ao rpi 'it'\n")
  })
})
