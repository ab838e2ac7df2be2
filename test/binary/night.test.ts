/** Nights of the compiled binary over archived, labelled reviews of a real repository. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { decodeSummary, isCommitted, type Summary } from "../../src/domain/night/Summary.ts"
import { dd, sealed, stable } from "../support/binary.ts"
import { folderHash } from "../support/folderHash.ts"
import { run } from "../support/inProcess.ts"
import { breachesOf } from "../support/jsonSchema.ts"
import schema from "../support/night/report.schema.json"
import { mutable, nightWorld } from "../support/nightWorld.ts"

const breaches = breachesOf(schema)

/** Seven reviews: people reject a rule in `src/generated/` and accept it in `src/core/`. */
const taught = nightWorld()
afterAll(() => taught[Symbol.dispose]())
beforeAll(async () => {
  taught.repository.commit("First", { "src/a.py": "x = 1\n" })
  for (let review = 1; review <= 7; review++) {
    taught.repository.commit(`Change ${review}`, {
      [`src/core/c${review}.py`]: mutable(`c${review}`),
      [`src/generated/m${review}.py`]: mutable(`m${review}`)
    })
    expect((await taught.call("review", "--commit", "HEAD")).stderr).toBe("")
    for (const [finding, outcome] of [
      ["1", "accepted"],
      ["2", "rejected"]
    ] as const) {
      const labelled = await taught.call("archive", "label", "latest", "--finding", finding, "--outcome", outcome)
      expect(labelled).toMatchObject({ status: 0, stderr: "" })
    }
  }
})

/** A copy of it. */
const world = () => {
  const at = nightWorld()
  cpSync(taught.repository.root, at.repository.root, { recursive: true })
  cpSync(taught.own, at.own, { recursive: true })
  const runs = join(at.folder, "runs")
  const reports = (): ReadonlyArray<Summary> =>
    existsSync(runs)
      ? readdirSync(runs)
          .toSorted()
          // One that ended before it planned has no report.
          .filter((name) => existsSync(join(runs, name, "summary.json")))
          .map((name) => {
            const text = readFileSync(join(runs, name, "summary.json"), "utf8")
            expect(breaches(JSON.parse(text))).toEqual([])
            return Result.getOrThrowWith(decodeSummary(text), (reason) => new Error(reason))
          })
      : []
  return Object.assign(at, {
    reports,
    start: (...args: ReadonlyArray<string>) => at.call("dream", "start", "--no-keep-awake", ...args),
    /** Starts a night, sends the signal when a file is there, and waits for its end. */
    stopped: async (signal: "SIGTERM" | "SIGHUP" | "SIGKILL", isMoment: () => boolean) => {
      const child = Bun.spawn([dd, "dream", "start", "--no-keep-awake"], {
        ...{ cwd: at.repository.root, env: at.env, stdin: "ignore", stdout: "ignore", stderr: "pipe" }
      })
      while (child.exitCode === null && !isMoment()) await new Promise((resolve) => setImmediate(resolve))
      child.kill(signal)
      if (signal === "SIGHUP") child.kill(signal)
      await child.exited
      return { exitCode: child.exitCode, stderr: await new Response(child.stderr).text() }
    },
    review: async (...args: ReadonlyArray<string>) =>
      stable((await at.call("review", "--commit", "HEAD", "--format", "json", ...args)).stdout)
  })
}

const committedBy = ({ iterations = [] }: Summary) => iterations.filter(({ status }) => isCommitted(status)).length

test("a night learns what people reject; reviews hide it, say why, and can go back", async () => {
  using at = world()
  const night = await at.start()
  expect(night).toMatchObject({ status: 0, stderr: "" })
  expect(night.stdout).toStartWith("# Dream Morning Report\n")
  expect(night.stdout).toContain("Findings of py/mutable-default in src/generated/ are hidden: people rejected 5 of 5")
  expect(at.reports()).toMatchObject([{ status: "done", dd: { generation_before: 0, generation_after: 1 } }])

  at.repository.commit("Next", { "src/core/y.py": mutable("y"), "src/generated/z.py": mutable("z") })
  const after = await at.review()
  expect(after.findings).toMatchObject([{ file: "src/core/y.py" }])
  const [hidden] = after.suppressed
  expect(hidden).toMatchObject({ finding: { file: "src/generated/z.py", rule: "py/mutable-default" } })
  expect(hidden.reason).toStartWith("people rejected 5 of 5 findings of this rule in src/generated/; dd dream why sup-")
  expect((await at.review("--no-learned")).findings).toHaveLength(2)
  const id = /sup-[0-9a-f]{16}/.exec(hidden.by)?.[0] ?? ""
  const why = await at.call("dream", "why", id)
  expect(why.stdout).toContain("people rejected 5 of 5 such findings")
  expect(why.stdout).toContain("all labels of such findings now: 7 rejected, 0 accepted")

  const all = JSON.parse((await at.call("dream", "why", "py/mutable-default", "--json")).stdout)
  for (const { evidence, id, kind } of all.learned) {
    expect([kind, id]).toEqual([kind, expect.stringMatching(/^(sup|con|cal)-[0-9a-f]{16}$/)])
    expect(evidence.length).toBeGreaterThan(4)
    for (const each of evidence) expect(each.label).toMatch(/^(accepted|rejected)$/)
    const given = evidence.map(({ at }: { readonly at: string }) => Date.parse(at))
    expect(given).toEqual(given.toSorted((a: number, b: number) => b - a))
  }
  expect(all.learned.map(({ kind }: { kind: string }) => kind)).toEqual(["suppression", "convention", "calibration"])

  expect(await at.call("dream", "rollback", "0")).toMatchObject({ status: 0 })
  expect((await at.review()).findings).toHaveLength(2)
  const again = await at.start()
  expect(again.status).toBe(0)
  const reports = at.reports()
  expect(reports).toHaveLength(2)
  expect(reports[1]?.dd?.notes.join("")).toContain("A rollback on ")
  expect((await at.current()).number).toBe(2)
})

test("a hidden finding has a number, and its label as accepted ends what hid it with the next night", async () => {
  using at = world()
  await at.start()
  at.repository.commit("Next", { "src/core/y.py": mutable("y"), "src/generated/z.py": mutable("z") })
  const { findings, suppressed } = await at.review("--fail-on", "low")
  expect([findings, suppressed]).toMatchObject([[{ id: 1 }], [{ finding: { id: 2, file: "src/generated/z.py" } }]])
  const [{ by, finding }] = suppressed
  const label = (number: string, outcome: string) =>
    at.call("archive", "label", "latest", "--finding", number, "--outcome", outcome)
  const missing = await label("3", "accepted")
  expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining("it has 1 finding, and 1 suppressed")])
  // Nobody is asked for its label.
  const next = async () => JSON.parse((await at.call("archive", "label", "--next", "--json")).stdout)
  expect((await next()).requests.map(({ file }: { file: string }) => file)).toEqual(["src/core/y.py"])

  expect(await label("2", "accepted")).toMatchObject({ status: 0, stderr: "" })
  const shown = (await at.call("archive", "show", "latest")).stdout.replaceAll(/\s+/g, " ")
  expect(shown).toMatch(/Suppressed: 2: src\/generated\/z\.py:1 .* \(label: accepted\)/)
  const exported = (await at.call("archive", "export")).stdout.trim().split("\n")
  expect(exported.flatMap((line) => JSON.parse(line).suppressed)).toMatchObject([
    { id: 2, fingerprint: finding.fingerprint, label: { verdict: "accepted" } }
  ])
  // What people rejected stays the evidence of what is hidden, until the night.
  expect((await at.review()).suppressed).toMatchObject([{ by }])
  expect(await at.start()).toMatchObject({ status: 0, stderr: "" })
  expect((await at.current()).suppressions).toEqual([])
  expect((await at.review()).findings).toMatchObject([{ file: "src/core/y.py" }, { file: "src/generated/z.py" }])
  // The next nights do not learn it again.
  await at.start()
  expect((await at.current()).suppressions).toEqual([])
})

test("a second night on the same labels changes nothing, also in the same second", async () => {
  using at = world()
  const nights = [await at.start("--json"), await at.start("--json"), await at.start("--json")]
  const reports = nights.map(({ stdout }) => JSON.parse(stdout))
  expect(reports.map(({ dd: { generation_after } }) => generation_after)).toEqual([1, 1, 1])
  expect(reports.map(({ iterations }) => iterations.length)).toEqual([1, 0, 0])
  expect(new Set(reports.map(({ run_id }) => run_id)).size).toBe(3)
})

test("a directory that leads elsewhere, or has other files, is refused, and nothing is learned", async () => {
  using at = world()
  mkdirSync(join(at.repository.root, "foreign"))
  at.repository.write("foreign/mine.txt", "mine").link("link", "foreign").link("outside", at.own)
  for (const [directory, reason] of [
    ["link", "it is a link"],
    ["outside/below", "it leads through a link to"],
    ["foreign", "it has files that no night wrote"]
  ] as const) {
    const night = await at.start("--output-dir", directory)
    expect([directory, night.status, night.stdout]).toEqual([directory, 2, ""])
    expect(night.stderr).toContain(reason)
  }
  expect((await at.current()).number).toBe(0)
  for (const directory of ["reports/tonight", "../beside"]) {
    expect((await at.start("--output-dir", directory)).status).toBe(0)
    expect(existsSync(at.repository.path(directory, "summary.json"))).toBe(true)
  }
})

test("a damaged corpus ends a night with a report that says so, and dd dream report shows it", async () => {
  using at = world()
  await at.start()
  writeFileSync(join(at.folder, "current.json"), "{")
  const night = await at.start()
  expect(night.status).toBe(3)
  expect(night.stderr).toContain("current.json could not be used")
  expect(at.reports().map(({ status }) => status)).toEqual(["done", "failed"])
  expect((await at.call("dream", "report")).stdout).toContain("The night failed")
})

test("the first move after a damaged generation works", async () => {
  using at = world()
  await at.start()
  const file = join(at.folder, "generations", "000001.json")
  writeFileSync(file, readFileSync(file, "utf8").replace("py/mutable-default", "py/other"))
  expect((await at.start()).status).toBe(3)
  const { next_action, recommended } = at.reports()[1]!
  expect(next_action).toBe("Run `dd dream rollback 0`, then `dd dream start`.")
  for (const command of recommended) {
    expect([command, await at.call(...command.split(" ").slice(1))]).toMatchObject([command, { status: 0 }])
  }
  expect((await at.current()).suppressions).toHaveLength(1)
})

test("a label that was edited between two nights stops the second, and one that was pruned does not", async () => {
  using at = world()
  await at.start()
  const labels = join(at.own, "archive", "labels")
  const [name = ""] = readdirSync(labels)
  const text = readFileSync(join(labels, name), "utf8")
  const stops = async (file: string) => {
    const night = await at.start()
    expect(night.status).toBe(3)
    expect(night.stderr).toContain("labels that an earlier night read are gone or changed")
    expect(at.reports().at(-1)?.next_action).toStartWith(`Restore ${file} of the archive from a backup`)
  }
  writeFileSync(join(labels, name), text.replaceAll('"rejected"', '"accepted"'))
  await stops(`labels/${name}`)
  writeFileSync(join(labels, name), text)

  const review = join("runs", name.replace(".jsonl", ""))
  const findings = join(at.own, "archive", review, "findings.json")
  const whole = readFileSync(findings, "utf8")
  for (const damaged of ["{", whole.replaceAll("py/", "other/")]) {
    writeFileSync(findings, damaged)
    await stops(`${review}/findings.json`)
  }
  writeFileSync(findings, whole)
  expect(await at.start()).toMatchObject({ status: 0, stderr: "" })

  expect((await at.call("archive", "prune", "--max-size", "1KB", "--labelled")).status).toBe(0)
  expect(readdirSync(labels)).toEqual([])
  expect(await at.start()).toMatchObject({ status: 0, stderr: "" })
  expect(at.reports().at(-1)?.dd?.notes[0]).toStartWith("7 labelled reviews were removed from the archive")
  expect((await at.current()).suppressions).toEqual([])
})

test("an archive that was deleted as a whole is missed, and the first move brings back what was learned", async () => {
  using at = world()
  await at.start()
  const archive = join(at.own, "archive")
  cpSync(archive, `${archive}.backup`, { recursive: true })
  rmSync(archive, { recursive: true })
  for (const { stdout } of [await at.start(), await at.start()]) {
    expect(stdout).toContain("The reviews that dd learned from are no longer archived.")
    expect(stdout).toContain(
      "**First move:** Restore the archive from a backup, run `dd archive rebuild-index`, and go back to"
    )
    expect(stdout).toContain("- No review of this repository is archived any more, although dd learned from reviews")
    expect(stdout).toContain("\ndd archive rebuild-index\ndd dream rollback\ndd review\n")
    expect(stdout).not.toContain("archived yet")
    // Reviews have the first digits of their ids.
    expect(stdout).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
  }
  for (const name of ["runs", "labels"])
    cpSync(join(`${archive}.backup`, name), join(archive, name), { recursive: true })
  expect(await at.call("archive", "rebuild-index")).toMatchObject({ status: 0 })
  expect((await at.call("dream", "rollback")).stdout).toContain("1 ")
  expect(await at.call("dream", "rollback", "1")).toMatchObject({ status: 0 })
  expect((await at.start()).stdout).toContain("It read 14 labels on 7 reviews.")
  expect((await at.current()).suppressions).toHaveLength(1)
})

test("a directory in which a night was killed before its first report is taken again", async () => {
  using at = world()
  mkdirSync(join(at.repository.root, "reports"))
  writeFileSync(join(at.repository.root, "reports", "dd-night.123.draft"), "{")
  expect((await at.start("--output-dir", "reports")).status).toBe(0)
})

test("a value that begins with a minus is an error of its flag, not a question for the help", async () => {
  using at = nightWorld()
  for (const [command, flag, value] of [
    ["dream start", "run-timeout", "-5h"],
    ["review", "max-cost", "-1h"],
    ["archive prune", "max-size", "-5h"],
    ["archive list", "since", "-1h"],
    ["dream start", "max-iterations", "-1"]
  ] as const) {
    const { status, stderr, stdout } = await at.call(...command.split(" "), `--${flag}`, value)
    expect([status, stdout]).toEqual([2, ""])
    expect(stderr).toContain(`--${flag}`)
    expect(stderr).toContain(value)
    expect(stderr).not.toContain("Unrecognized")
  }
})

test("a word that is no flag and no argument of a command is an error, not a question for the help", async () => {
  using at = nightWorld()
  for (const [command, wrong] of [
    ["dream start -5h", '"-5h"'],
    ["review -5h", "-5h does not exist"],
    ["archive -5h", '"-5h"'],
    ["-5h", '"-5h"'],
    ["archive list -xh", 'unknown flag "-x"'],
    ["review -5V", "-5V does not exist"],
    ["dream start tonight", '"tonight"']
  ] as const) {
    const { status, stderr, stdout } = await at.call(...command.split(" "))
    expect([command, status, stdout]).toEqual([command, 2, ""])
    expect(stderr).toContain(wrong)
    expect(stderr.split("dd: error: ")).toHaveLength(2)
  }
})

test("a dry run writes nothing, and recommends no report of it", async () => {
  using at = world()
  const before = folderHash(at.own)
  const dry = await at.start("--dry-run", "--json")
  expect([dry.status, dry.stderr]).toEqual([0, ""])
  expect(JSON.parse(dry.stdout)).toMatchObject({ status: "dry-run", dry_run: true })
  expect(breaches(JSON.parse(dry.stdout))).toEqual([])
  const { stdout } = await at.start("--dry-run")
  expect(stdout).toContain("Run `dd dream start` without --dry-run.")
  expect(stdout).not.toContain("dd dream report")
  expect(folderHash(at.own)).toBe(before)
})

describe("a night that is stopped", () => {
  const moments = (at: ReturnType<typeof world>): Record<string, () => boolean> => {
    const has = (...names: ReadonlyArray<string>) => existsSync(join(at.folder, ...names))
    const newest = () => (has("runs") ? (readdirSync(join(at.folder, "runs"))[0] ?? "") : "")
    return {
      "as it takes the lock": () => has("run.lock"),
      "as it plans": () => newest() !== "" && has("runs", newest(), "summary.json"),
      "as it commits": () => has("generations") && readdirSync(join(at.folder, "generations")).length > 0,
      "as it records": () => newest() !== "" && has("runs", newest(), newest(), "iterations", "iter-1.json")
    }
  }
  for (const moment of ["as it takes the lock", "as it plans", "as it commits", "as it records"]) {
    test(`by SIGTERM ${moment} leaves a valid report of what it did`, async () => {
      using at = world()
      const { exitCode } = await at.stopped("SIGTERM", moments(at)[moment]!)
      const current = await at.current()
      for (const report of at.reports()) {
        expect(report.status).toBe(exitCode === 0 ? "done" : "failed")
        expect(committedBy(report)).toBe(current.number)
      }
      expect(exitCode === 0 || exitCode === 143).toBe(true)
      expect(await at.start()).toMatchObject({ status: 0, stderr: "" })
      expect((await at.current()).number).toBe(1)
    })

    test(`by SIGHUP ${moment}, without a terminal, leaves the same`, async () => {
      using at = world()
      const { exitCode, stderr } = await at.stopped("SIGHUP", moments(at)[moment]!)
      expect(exitCode === 0 || exitCode === 143).toBe(true)
      for (const { output_dir, status } of at.reports()) {
        expect(["done", "failed"]).toContain(status)
        if (status === "failed") expect(stderr.replaceAll(/\s+/g, " ")).toContain(`its report is in ${output_dir}.`)
      }
    })

    test(`by kill -9 ${moment} is finished by the next one`, async () => {
      using at = world()
      await at.stopped("SIGKILL", moments(at)[moment]!)
      // Nobody knows yet what it committed.
      expect((await at.call("dream", "report")).stdout).not.toContain("nothing was changed")
      expect(await at.start()).toMatchObject({ status: 0, stderr: "" })
      const reports = at.reports()
      expect(reports.map(({ status }) => status)).not.toContain("planned")
      expect(reports.at(-1)?.status).toBe("done")
      expect((await at.current()).number).toBe(1)
      expect(readdirSync(at.folder, { recursive: true }).filter((name) => String(name).endsWith(".draft"))).toEqual([])
      expect((await at.review()).status).toBe("complete")
    })
  }

  test("by SIGTERM once its report says done is over: it ends with 0, whenever the signal comes", async () => {
    using at = world()
    const runs = join(at.folder, "runs")
    const textOf = (run: string) =>
      existsSync(join(runs, run, "summary.json")) ? readFileSync(join(runs, run, "summary.json"), "utf8") : ""
    const isDone = () =>
      existsSync(runs) && readdirSync(runs).some((run) => textOf(run).includes('"status": "done",\n  "dry'))
    for (let night = 1; night <= 5; night++) {
      expect(await at.stopped("SIGTERM", isDone)).toMatchObject({ exitCode: 0, stderr: "" })
      expect(at.reports()).toMatchObject([{ status: "done" }])
      rmSync(runs, { recursive: true })
    }
  })

  test("by a full disk, with a report that nothing names any more, is finished by the next one", async () => {
    using at = world()
    expect(await at.start()).toMatchObject({ status: 0 })
    const summary = join(at.reports()[0]!.output_dir, "summary.json")
    writeFileSync(summary, readFileSync(summary, "utf8").replace('"status": "done"', '"status": "planned"'))
    rmSync(join(at.folder, "latest"))
    expect(await at.start()).toMatchObject({ status: 0 })
    expect(at.reports().map(({ status }) => status)).toEqual(["failed", "done"])
  })

  test("by kill -9 before its report names what it wrote: the next one names every file, and none of an earlier night", async () => {
    using at = world()
    expect(await at.start()).toMatchObject({ status: 0 })
    const { output_dir: out } = at.reports()[0]!
    const files = () =>
      readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name, parentPath }) => join(parentPath, name))
    const summary = join(out, "summary.json")
    const written: Summary = JSON.parse(readFileSync(summary, "utf8"))
    writeFileSync(summary, JSON.stringify({ ...written, status: "planned", artifacts: {} }))
    // As a file system does that takes the time from the last tick of its clock.
    const start = Date.parse(written.started_at) / 1_000
    utimesSync(summary, start, start - 0.005)
    const names = files()
    expect(names).toContain(join(out, "close-loop.json"))
    expect(names).toContain(join(out, written.run_id, "iterations/iter-1.json"))
    mkdirSync(join(out, "council"))
    writeFileSync(join(out, "council/claude.json"), "{}")
    utimesSync(join(out, "council/claude.json"), 0, 0)
    expect(await at.start()).toMatchObject({ status: 0 })
    const [killed] = at.reports()
    expect(killed?.status).toBe("failed")
    expect(Object.values(killed?.artifacts ?? {}).toSorted()).toEqual(names.toSorted())
  })

  test("by SIGHUP under nohup goes on", async () => {
    using at = world()
    const child = Bun.spawn(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", dd, "dream", "start", "--no-keep-awake"], {
      ...{ cwd: at.repository.root, env: at.env, stdin: "ignore", stdout: "ignore", stderr: "ignore" }
    })
    const isMoment = moments(at)["as it plans"]!
    while (child.exitCode === null && !isMoment()) await new Promise((resolve) => setImmediate(resolve))
    child.kill("SIGHUP")
    expect(await child.exited).toBe(0)
    expect(at.reports()).toMatchObject([{ status: "done" }])
  })

  test("two at once: one runs, the other says so with 3", async () => {
    using at = world()
    const [one, other] = await Promise.all([at.start("--output-dir", "out-1"), at.start("--output-dir", "out-2")])
    const statuses = [one.status, other.status].toSorted()
    if (statuses[1] === 3) {
      const busy = one.status === 3 ? one : other
      expect(busy.stderr).toContain("another night run of this repository is under way")
    } else expect(statuses).toEqual([0, 0])
    expect((await at.current()).number).toBe(1)
  })
})

test.skipIf(sealed === undefined)("a home that cannot be written is an error in words, and nothing else", async () => {
  using at = world()
  const before = folderHash(at.own)
  const night = await run([...sealed!, dd, "dream", "start"], { cwd: at.repository.root, env: at.env })
  expect([night.status, night.stdout]).toEqual([3, ""])
  expect(night.stderr).toContain("the file system is read-only")
  expect(night.stderr).not.toContain("    at ")
  expect(folderHash(at.own)).toBe(before)
})

test("hostile titles, paths and links of the repository stay inert in the report", async () => {
  using at = world()
  const folder = "src/$(touch own)`id`\u001b[31m[x](javascript:1)/"
  for (let review = 1; review <= 5; review++) {
    at.repository.commit(`Hostile ${review}`, { [`${folder}h${review}.py`]: mutable(`h${review}`) })
    await at.call("review", "--commit", "HEAD")
    await at.call("archive", "label", "latest", "--finding", "1", "--outcome", "rejected")
  }
  symlinkSync("/dev/zero", join(at.repository.root, "AGENTS.md"))
  const night = await at.start("--goal", "$(touch goal) `touch goal`")
  expect(night).toMatchObject({ status: 0, stderr: "" })
  const [report] = at.reports()
  const text = readFileSync(join(report!.output_dir, "summary.md"), "utf8")
  expect(text).not.toContain("\u001b")
  expect(text.replaceAll(/``.*?``/g, "")).not.toMatch(/(?<!\\)\]\(javascript/)
  for (const command of [
    ...report!.recommended,
    ...(report!.morning_packets ?? []).map((each) => each.morning_command)
  ]) {
    expect(command).toMatch(/^dd [\w -]+$/)
  }
  for (const fence of text.match(/`dd [^`]*`/g) ?? []) expect(fence).not.toMatch(/[$;|&<>]/)
})
