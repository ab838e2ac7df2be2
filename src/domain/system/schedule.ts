/**
 * A program that runs each day, in the forms of systemd, launchd and cron: files, commands and a line of a crontab. Texts that a
 * form cannot quote are refused.
 */
import { Result } from "effect"
import { quoted } from "./shellQuote.ts"

export const schedulers = ["systemd", "launchd", "cron"] as const
export type Scheduler = (typeof schedulers)[number]

export interface DailyJob {
  /** Of letters, digits, `.`, `_` and `-`; no other job has it. */
  readonly name: string
  /** Absolute. */
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  /** In one line, for people. */
  readonly about: string
  /** It runs there. */
  readonly root: string
  readonly hour: number
  readonly minute: number
  readonly environment: Readonly<Record<string, string>>
}

export interface Schedule {
  readonly files: ReadonlyArray<{ readonly path: string; readonly text: string }>
  /** A line of the user's crontab, which ends in the name of the job as a comment; null: it is not changed. */
  readonly cronLine: string | null
  /** After the files are written, and before they are removed. */
  readonly starts: ReadonlyArray<ReadonlyArray<string>>
  readonly stops: ReadonlyArray<ReadonlyArray<string>>
}

/** `home`: the user's; `config`: `~/.config`, or what takes its place. A failure is the reason. */
export const scheduleOf = (
  scheduler: Scheduler,
  job: DailyJob,
  { config, home }: { readonly config: string; readonly home: string }
): Result.Result<Schedule, string> => {
  const texts = [job.root, job.program, job.about, ...job.arguments, ...Object.values(job.environment)]
  if (texts.some((text) => /[\x00-\x1f\x7f]/.test(text))) return Result.fail("a path has a control character")
  switch (scheduler) {
    case "systemd":
      return systemd(job, `${config}/systemd/user`)
    case "launchd":
      return Result.succeed(launchd(job, `${home}/Library/LaunchAgents`))
    case "cron":
      return Result.succeed({ files: [], cronLine: cronLine(job), starts: [], stops: [] })
  }
}

const systemd = (job: DailyJob, folder: string): Result.Result<Schedule, string> => {
  const { about, environment, hour, minute, name, program, root } = job
  // systemd reads these in a path in ways that cannot be quoted.
  if ([program, ...job.arguments].some((text) => text.includes("$"))) {
    return Result.fail(`systemd cannot run a command with $ in it: ${program}`)
  }
  if (/["'\\]/.test(program)) {
    return Result.fail(`systemd cannot run a program with a quote or a backslash in its path: ${program}`)
  }
  if (/^\s|[\s\\]$/.test(root)) return Result.fail(`systemd cannot work in a directory of this name: ${root}`)
  const timer = `${name}.timer`
  return Result.succeed({
    files: [
      {
        path: `${folder}/${name}.service`,
        text: [
          "[Unit]",
          `Description=${about.replaceAll("%", "%%")}`,
          "",
          "[Service]",
          "Type=oneshot",
          `WorkingDirectory=${root.replaceAll("%", "%%")}`,
          ...Object.entries(environment).map(([key, value]) => `Environment=${inUnit(`${key}=${value}`)}`),
          `ExecStart=${[program, ...job.arguments].map(inUnit).join(" ")}`,
          "Nice=10",
          ""
        ].join("\n")
      },
      {
        path: `${folder}/${timer}`,
        text: [
          "[Unit]",
          `Description=${about.replaceAll("%", "%%")}`,
          "",
          "[Timer]",
          `OnCalendar=*-*-* ${two(hour)}:${two(minute)}:00`,
          "Persistent=true",
          "",
          "[Install]",
          "WantedBy=timers.target",
          ""
        ].join("\n")
      }
    ],
    cronLine: null,
    starts: [
      ["systemctl", "--user", "daemon-reload"],
      ["systemctl", "--user", "enable", "--now", timer]
    ],
    stops: [["systemctl", "--user", "disable", "--now", timer]]
  })
}

const inUnit = (text: string): string =>
  `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`

const launchd = (job: DailyJob, folder: string): Schedule => {
  const { environment, hour, minute, name, program, root } = job
  const path = `${folder}/${name}.plist`
  const entry = (key: string, value: string) => [`    <key>${inXml(key)}</key>`, `    <string>${inXml(value)}</string>`]
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    "  <key>Label</key>",
    `  <string>${inXml(name)}</string>`,
    "  <key>ProgramArguments</key>",
    "  <array>",
    ...[program, ...job.arguments].map((argument) => `    <string>${inXml(argument)}</string>`),
    "  </array>",
    "  <key>WorkingDirectory</key>",
    `  <string>${inXml(root)}</string>`,
    "  <key>EnvironmentVariables</key>",
    "  <dict>",
    ...Object.entries(environment).flatMap(([key, value]) => entry(key, value)),
    "  </dict>",
    "  <key>StartCalendarInterval</key>",
    "  <dict>",
    "    <key>Hour</key>",
    `    <integer>${hour}</integer>`,
    "    <key>Minute</key>",
    `    <integer>${minute}</integer>`,
    "  </dict>",
    "  <key>ProcessType</key>",
    "  <string>Background</string>",
    "</dict>",
    "</plist>",
    ""
  ].join("\n")
  return {
    files: [{ path, text }],
    cronLine: null,
    // A changed file counts only after it is loaded again.
    starts: [
      ["launchctl", "unload", path],
      ["launchctl", "load", "-w", path]
    ],
    stops: [["launchctl", "unload", "-w", path]]
  }
}

const inXml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const cronLine = ({ arguments: given, environment, hour, minute, name, program, root }: DailyJob): string => {
  const variables = Object.entries(environment).map(([key, value]) => `${key}=${quoted(value)}`)
  const command = `cd ${quoted(root)} && ${[...variables, ...[program, ...given].map(quoted)].join(" ")} >/dev/null 2>&1`
  // cron takes a bare % for the end of the command, also between quotes.
  return `${minute} ${hour} * * * ${command.replaceAll("%", "\\%")} ${tagOf(name)}`
}

const tagOf = (name: string): string => `# ${name}`

/** A crontab with the line, once; null: without it. Other lines stay as they are. */
export const withCronLine = (crontab: string, name: string, line: string | null): string => {
  const others = crontab.split("\n").filter((each) => !each.endsWith(` ${tagOf(name)}`))
  const rest = others.join("\n")
  if (line === null) return rest
  return `${rest === "" || rest.endsWith("\n") ? rest : `${rest}\n`}${line}\n`
}

/** Has a crontab that was read back what was written? Some programs put comments of their own before it. */
export const isCrontabKept = (written: string, read: string, name: string): boolean => {
  const lines = new Set(read.split("\n"))
  return written.split("\n").every((each) => lines.has(each)) && hasCronLine(read, name) === hasCronLine(written, name)
}

export const hasCronLine = (crontab: string, name: string): boolean =>
  crontab.split("\n").some((each) => each.endsWith(` ${tagOf(name)}`))

/** `01:30`; null for what is no time of day. */
export const timeOfDay = (text: string): { readonly hour: number; readonly minute: number } | null => {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hour === undefined || minute === undefined ? null : { hour: Number(hour), minute: Number(minute) }
}

const two = (n: number): string => String(n).padStart(2, "0")
