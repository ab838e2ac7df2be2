/** `dd dream setup` of the compiled binary, with a home of its own and schedulers that only record their calls. */
import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { inside, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const world = (name = "shop") => {
  const place = scratch()
  const repository = initRepository(join(place.path, name))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  const home = inside(place.path, "home")
  const programs = inside(place.path, "programs")
  const log = join(place.path, "log")
  const table = join(place.path, "crontab")
  const script = (program: string, body: string) => {
    writeFileSync(join(programs, program), `#!/bin/sh\n${body}\n`)
    chmodSync(join(programs, program), 0o755)
  }
  const record = `echo "$(basename "$0") $*" >> '${log}'`
  const env: Record<string, string> = { HOME: home, PATH: `${programs}:${systemPath}` }
  return {
    home,
    table,
    log: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    systemd: (body = record) => {
      script("systemctl", body)
      env.XDG_RUNTIME_DIR = join(place.path, "runtime")
      mkdirSync(join(env.XDG_RUNTIME_DIR, "systemd"), { recursive: true })
    },
    launchd: () => script("launchctl", record),
    cron: (reads = `cat '${table}' 2>/dev/null || { echo 'no crontab for ann' >&2; exit 1; }`) =>
      script("crontab", `${record}\nif [ "$1" = -l ]; then ${reads}; else cat > '${table}'; fi`),
    /** No scheduler is on this PATH. */
    without: () => {
      symlinkSync(Bun.which("git", { PATH: systemPath })!, join(programs, "git"))
      env.PATH = programs
    },
    call: (...args: ReadonlyArray<string>) => run([dd, "dream", "setup", ...args], { cwd: repository.root, env }),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

const well = { status: 0, stderr: "" }

describe("dd dream setup", () => {
  test("shows the files and commands for systemd, and changes nothing until it is told to", async () => {
    using at = world()
    at.systemd()
    const { status, stderr, stdout } = await at.call("--at", "02:15")
    expect({ status, stderr }).toEqual(well)
    expect(stdout).toContain("OnCalendar=*-*-* 02:15:00")
    expect(stdout).toContain("  systemctl --user daemon-reload\n")
    expect(stdout).toEndWith("Nothing was changed; --apply writes and runs this.\n")
    expect(readdirSync(at.home)).toEqual([])
    expect(at.log()).toEqual([])

    expect((await at.call("--at", "02:15", "--apply")).stdout).toStartWith("Set up: a night at 02:15 each day in ")
    const units = join(at.home, ".config/systemd/user")
    const [service = "", timer = ""] = readdirSync(units).sort()
    expect([service, timer]).toEqual([
      expect.stringMatching(/^dd-dream-shop-[0-9a-f]{16}\.service$/),
      service.replace("service", "timer")
    ])
    for (const name of [service, timer]) {
      for (const line of readFileSync(join(units, name), "utf8").trim().split("\n")) expect(stdout).toContain(line)
    }
    expect(at.log()).toEqual(["systemctl --user daemon-reload", `systemctl --user enable --now ${timer}`])
  })

  test("does nothing more the second time, and removes what it added", async () => {
    using at = world()
    at.systemd()
    await at.call("--apply")
    const units = join(at.home, ".config/systemd/user")
    const texts = () => readdirSync(units).map((name) => readFileSync(join(units, name), "utf8"))
    const before = texts()
    expect(await at.call("--apply")).toMatchObject(well)
    expect(texts()).toEqual(before)
    expect((await at.call("--remove")).stdout).toEndWith("Nothing was changed; --apply runs and removes this.\n")
    expect(texts()).toEqual(before)
    expect((await at.call("--remove", "--apply")).stdout).toBe(
      "Removed: systemd runs no night in this repository any more.\n"
    )
    expect(readdirSync(units)).toEqual([])
    expect(at.log().at(-1)).toMatch(/^systemctl --user disable --now dd-dream-shop-\w+\.timer$/)
    expect((await at.call("--remove", "--apply")).stdout).toBe("No scheduler runs a night in this repository.\n")
  })

  test("keeps the other lines of a crontab", async () => {
    using at = world("it's 100% $(mine)")
    at.cron()
    writeFileSync(at.table, "# mine\n0 3 * * * backup\n")
    expect((await at.call()).stdout).toContain("A line of your crontab:\n  30 1 * * * cd ")
    expect(at.log()).toEqual([])
    await at.call("--apply")
    await at.call("--apply", "--at", "4:00")
    const lines = readFileSync(at.table, "utf8").split("\n")
    expect(lines).toEqual([
      "# mine",
      "0 3 * * * backup",
      expect.stringMatching(/^0 4 \* \* \* cd '.*it'\\''s 100\\% \$\(mine\)' && /),
      ""
    ])
    await at.call("--remove", "--apply")
    expect(readFileSync(at.table, "utf8")).toBe("# mine\n0 3 * * * backup\n")
  })

  test("changes no crontab that it cannot read whole, and no byte of other lines", async () => {
    using at = world()
    at.cron()
    const mine = Buffer.from("# M\xfcller\r\n0 3 * * * backup   \n\n\n", "latin1")
    writeFileSync(at.table, mine)
    await at.call("--apply")
    expect(readFileSync(at.table).subarray(0, mine.length)).toEqual(mine)
    await at.call("--remove", "--apply")
    expect(readFileSync(at.table)).toEqual(mine)
    for (const [reads, why] of [
      ["echo 'crontab: Input/output error' >&2; exit 1", "Input/output error"],
      ["echo '# M'; echo 'read error' >&2; exit 1", "read error"],
      ["kill -9 $$", "it ended with 137"],
      ["yes '0 1 * * * x' | head -c 2000000", "the crontab is larger than 1 MB"]
    ] as const) {
      at.cron(reads)
      const { status, stderr } = await at.call("--scheduler", "cron", "--apply")
      expect([status, stderr.includes(why)]).toEqual([3, true])
      expect(readFileSync(at.table)).toEqual(mine)
    }
    rmSync(at.table)
    at.cron()
    expect((await at.call("--scheduler", "cron", "--apply")).status).toBe(0)
    expect(readFileSync(at.table, "utf8")).toMatch(/^30 1 \* \* \* cd .*\n$/)
  })

  test("reads a crontab back, and fails if it is not what was written", async () => {
    using at = world()
    const keptNothing = "dd: error: the schedule of nights is not set up: crontab -: it did not keep what it was given"
    at.cron("echo 'no crontab for ann' >&2; exit 1")
    const failed = { status: 3, stdout: "", stderr: expect.stringContaining(keptNothing) }
    expect(await at.call("--scheduler", "cron", "--apply")).toMatchObject(failed)
    const header = "echo '# DO NOT EDIT THIS FILE'"
    at.cron(`${header}; cat '${at.table}' 2>/dev/null`)
    expect(await at.call("--scheduler", "cron", "--apply")).toMatchObject(well)
    // A line that stays is a night that still runs.
    at.cron(`cat '${at.table}.old'`)
    copyFileSync(at.table, `${at.table}.old`)
    expect(await at.call("--remove", "--scheduler", "cron", "--apply")).toMatchObject(failed)
  })

  test("says that a scheduler could not be asked, after it has set up another", async () => {
    using at = world()
    at.systemd()
    at.cron("echo 'not allowed' >&2; exit 1")
    const { status, stdout } = await at.call("--apply")
    expect(status).toBe(0)
    expect(stdout).toContain("It is unknown whether another scheduler runs one, too: ")
    expect(stdout).toContain("not allowed")
  })

  test("prefers launchd where there is one", async () => {
    using at = world()
    at.launchd()
    at.cron()
    await at.call("--apply")
    const [plist = ""] = readdirSync(join(at.home, "Library/LaunchAgents"))
    expect(plist).toMatch(/^dd-dream-shop-\w+\.plist$/)
    expect(at.log().filter((line) => line.startsWith("launchctl"))).toEqual([
      `launchctl unload ${join(at.home, "Library/LaunchAgents", plist)}`,
      `launchctl load -w ${join(at.home, "Library/LaunchAgents", plist)}`
    ])
  })

  test("says so if two schedulers run a night", async () => {
    using at = world()
    at.systemd()
    at.cron()
    await at.call("--apply")
    expect((await at.call("--apply", "--scheduler", "cron")).stdout).toContain(
      "systemd runs one, too: dd dream setup --remove --scheduler systemd --apply\n"
    )
  })

  test("prints the command where there is no scheduler, or none is wanted", async () => {
    using at = world()
    at.without()
    const { status, stdout } = await at.call("--apply")
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^dd knows no scheduler of this machine\. Run this when a night is to begin:\n {2}cd \S+ && \S+ dream start\n$/
    )
    expect((await at.call("--scheduler", "none")).stdout).toStartWith("Run this when a night is to begin:\n")
  })

  test("says why a scheduler refused, and leaves nothing of what it began", async () => {
    using at = world()
    at.systemd(`echo "$*" >> '${at.home}/../calls'
case "$*" in *enable*) echo "Created symlink /a/b.timer -> /c/b.timer." >&2; echo "Failed to start b.timer: Unit masked." >&2; exit 1;; esac`)
    const { status, stderr } = await at.call("--apply")
    expect(status).toBe(3)
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(
      /^dd: error: the schedule of nights is not set up: systemctl --user enable --now (\S+): Failed to start b\.timer: Unit masked\.; the files written for it were removed again; --scheduler NAME uses another one, --scheduler none prints the command $/
    )
    expect(readdirSync(join(at.home, ".config/systemd/user"))).toEqual([])
    expect(readFileSync(join(at.home, "../calls"), "utf8")).toMatch(/--user disable --now \S+\.timer\n$/)
  })

  test("restores the schedule that it could not replace", async () => {
    using at = world()
    at.systemd()
    await at.call("--apply", "--at", "02:15")
    const units = join(at.home, ".config/systemd/user")
    const texts = () => readdirSync(units).map((name) => readFileSync(join(units, name), "utf8"))
    const before = texts()
    at.systemd("echo 'No medium found' >&2; exit 1")
    const { status, stderr } = await at.call("--apply", "--at", "03:15")
    expect(status).toBe(3)
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(": No medium found; the schedule before it was restored;")
    expect(texts()).toEqual(before)
  })

  test("refuses what is no time of day", async () => {
    using at = world()
    const { status, stderr } = await at.call("--at", "25:00")
    expect(status).toBe(2)
    expect(stderr).toContain("a time of day such as 01:30, not 25:00")
  })
})
