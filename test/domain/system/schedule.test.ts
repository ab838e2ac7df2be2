import { describe, expect, test } from "bun:test"
import { Result, Schema } from "effect"
import { type DailyJob, scheduleOf, timeOfDay, withCronLine } from "../../../src/domain/system/schedule.ts"
import { it } from "../../support/effect.ts"

const places = { home: "/home/ada", config: "/home/ada/.config" }
const job: DailyJob = {
  name: "dd-dream-shop-0011223344556677",
  program: "/usr/local/bin/dd",
  arguments: ["dream", "start"],
  about: "dd learns from labels of past reviews",
  root: "/home/ada/shop",
  hour: 1,
  minute: 5,
  environment: { PATH: "/usr/bin:/bin" }
}
const made = (scheduler: "systemd" | "launchd" | "cron", given: Partial<DailyJob> = {}) =>
  Result.getOrThrowWith(scheduleOf(scheduler, { ...job, ...given }, places), (reason) => new Error(reason))

const odd = '/home/ada/50% "off" & it\'s <b> $(x)'

describe("a daily job", () => {
  test("for systemd is a service and a timer of the user", () => {
    const { files, starts, stops } = made("systemd")
    expect(files).toEqual([
      {
        path: "/home/ada/.config/systemd/user/dd-dream-shop-0011223344556677.service",
        text: `[Unit]
Description=dd learns from labels of past reviews

[Service]
Type=oneshot
WorkingDirectory=/home/ada/shop
Environment="PATH=/usr/bin:/bin"
ExecStart="/usr/local/bin/dd" "dream" "start"
Nice=10
`
      },
      {
        path: "/home/ada/.config/systemd/user/dd-dream-shop-0011223344556677.timer",
        text: `[Unit]
Description=dd learns from labels of past reviews

[Timer]
OnCalendar=*-*-* 01:05:00
Persistent=true

[Install]
WantedBy=timers.target
`
      }
    ])
    expect(starts).toEqual([
      ["systemctl", "--user", "daemon-reload"],
      ["systemctl", "--user", "enable", "--now", "dd-dream-shop-0011223344556677.timer"]
    ])
    expect(stops).toEqual([["systemctl", "--user", "disable", "--now", "dd-dream-shop-0011223344556677.timer"]])
  })

  test("for systemd quotes paths, and refuses those that it cannot", () => {
    const [service] = made("systemd", { root: odd, environment: { PATH: odd } }).files
    expect(service?.text).toContain(`WorkingDirectory=/home/ada/50%% "off" & it's <b> $(x)\n`)
    expect(service?.text).toContain(`Environment="PATH=/home/ada/50%% \\"off\\" & it's <b> $(x)"\n`)
    for (const given of [
      { program: "/opt/$x/dd" },
      { program: "/home/o'neil/dd" },
      { program: '/opt/"x"/dd' },
      { program: "/opt/x\\y/dd" },
      { root: "/home/ada/x\\" },
      { root: "/home/ada/x " },
      { root: "/a\nb" },
      { arguments: ["$HOME"] }
    ]) {
      expect(Result.isFailure(scheduleOf("systemd", { ...job, ...given }, places))).toBe(true)
    }
  })

  test("for launchd is a property list with escaped texts", () => {
    const { files } = made("launchd", { root: odd })
    expect(files).toHaveLength(1)
    expect(files[0]?.path).toBe("/home/ada/Library/LaunchAgents/dd-dream-shop-0011223344556677.plist")
    expect(files[0]?.text).toContain(`<string>/home/ada/50% "off" &amp; it's &lt;b&gt; $(x)</string>`)
    expect(files[0]?.text).toContain(
      "    <key>Hour</key>\n    <integer>1</integer>\n    <key>Minute</key>\n    <integer>5</integer>"
    )
  })

  test("for cron is one line that a shell reads as it was meant", () => {
    const line = made("cron", { root: odd, program: "/opt/my dd/dd" }).cronLine ?? ""
    expect(line).toStartWith("5 1 * * * cd ")
    expect(line).toEndWith(" >/dev/null 2>&1 # dd-dream-shop-0011223344556677")
    // As cron does before it calls the shell.
    const command = line.slice("5 1 * * * ".length).replaceAll("\\%", "%")
    const words = command.replace("cd ", "printf '%s\\n' ").replace(/ && .*/, "")
    expect(Bun.spawnSync(["sh", "-c", words]).stdout.toString()).toBe(`${odd}\n`)
    expect(line.replaceAll("\\%", "")).not.toContain("%")
  })

  const line = made("cron").cronLine!
  const Crontab = Schema.Array(Schema.Literals(["", "# mine", "5 1 * * * backup", line, `${line} `]))
  it.prop(
    "in a crontab is there once, however often it is added, and leaves no trace when it is removed",
    Crontab,
    (lines) => {
      const before = lines.join("\n")
      const added = withCronLine(before, job.name, line)
      expect(withCronLine(added, job.name, line)).toBe(added)
      expect(added.split("\n").filter((each) => each === line)).toHaveLength(1)
      const others = (text: string) => text.split("\n").filter((each) => each !== line && each !== "")
      const removed = withCronLine(added, job.name, null)
      expect(removed.split("\n")).not.toContain(line)
      expect(others(removed)).toEqual(others(before))
    }
  )

  for (const [text, time] of [
    ["01:30", { hour: 1, minute: 30 }],
    ["7:05", { hour: 7, minute: 5 }],
    ["24:00", null],
    ["1:5", null],
    ["01:30:00", null],
    ["", null]
  ] as const) {
    test(`${time === null ? "is refused" : "is"} at "${text}"`, () => expect(timeOfDay(text)).toEqual(time))
  }
})
