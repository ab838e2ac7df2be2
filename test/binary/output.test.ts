import { describe, expect, test } from "bun:test"
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { unblock } from "../support/unblock.ts"

const careless = (at: number) =>
  `def load${at}(path, seen=[]):\n    try:\n        return open(path)\n    except:\n        pass\n`

/** A repository whose last commit gives a report several times as large as a pipe. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const files = Array.from({ length: 60 }, (_, at) => [`m${at}.py`, careless(at).repeat(2)])
  repository.commit("Begin", { "README.md": "# App\n" })
  repository.commit("Be careless", Object.fromEntries(files))
  const home = join(place.path, "home")
  mkdirSync(home)
  const options = { cwd: repository.root, env: { PATH: systemPath, HOME: home } }
  return { place, repository, options, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

const review = (...args: ReadonlyArray<string>) => [dd, "review", "--commit", "HEAD", "--no-archive", ...args]

describe("a report that is larger than a pipe", () => {
  test.each([
    ["at once", "cat"],
    ["late", "(sleep 1; cat)"],
    ["slowly", `(while IFS= read -r -N 5000 part; do printf %s "$part"; done; printf %s "$part")`]
  ])("arrives once and whole at a reader that reads %s", async (_, reader) => {
    using at = world()
    const file = join(at.place.path, "report.json")
    const shell = `"$@" | ${reader} > read.json`
    const call = review("--format", "json", "--output", `json=${file}`)
    expect(await run(["bash", "-c", shell, "bash", ...call], at.options)).toMatchObject({ status: 0, stderr: "" })
    const whole = readFileSync(file, "utf8")
    expect(whole.length).toBeGreaterThan(2 * 65_536)
    expect(readFileSync(join(at.repository.root, "read.json"), "utf8") === whole).toBe(true)
  })

  test("arrives once and completely in a non-blocking pipe for both streams", async () => {
    using at = world()
    const fifo = join(at.place.path, "fifo")
    const file = join(at.place.path, "report.json")
    await run(["mkfifo", fifo])
    const held = openSync(fifo, constants.O_RDWR)
    const child = Bun.spawn(review("--format", "json", "--output", `json=${file}`), {
      ...at.options,
      stdin: "ignore",
      stdout: held,
      stderr: held
    })
    expect(unblock(held)).toBe(true)
    const read = run(["cat", fifo])
    expect(await child.exited).toBe(0)
    closeSync(held)
    expect((await read).stdout === readFileSync(file, "utf8")).toBe(true)
  })

  test("ends silently with the review's exit code when its reader closes the pipe", async () => {
    using at = world()
    const shell = `"$@" | head -c 10 > /dev/null; echo "\${PIPESTATUS[0]}"`
    for (const [threshold, code] of [
      ["none", "0\n"],
      ["low", "1\n"]
    ] as const) {
      const call = review("--format", "json", "--fail-on", threshold)
      expect(await run(["bash", "-c", shell, "bash", ...call], at.options)).toMatchObject({ stdout: code, stderr: "" })
    }
  })
})

describe("a signal", () => {
  /** A review whose report waits in a pipe, the pipe, and what its run has left. */
  const reviewing = async (at: ReturnType<typeof world>, stderr: number | "pipe" = "pipe") => {
    const fifo = join(at.place.path, "fifo")
    await run(["mkfifo", fifo])
    const held = openSync(fifo, constants.O_RDWR)
    const child = Bun.spawn(review("--format", "json"), {
      ...at.options,
      stdin: "ignore",
      stdout: held,
      stderr
    })
    const records = () => readdirSync(at.repository.path(".daydream/runs"), { recursive: true }).map(String)
    return { fifo, held, child, records }
  }

  test("while the report waits for its reader ends the review with a partial record", async () => {
    using at = world()
    const { child, held, records } = await reviewing(at)
    readSync(held, Buffer.alloc(1))
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    closeSync(held)
    expect(records().filter((name) => /trajectory\.json/.test(name))).toEqual([
      expect.stringMatching(/trajectory\.json\.partial$/)
    ])
  })

  test("ends the review although its pending warnings are not read", async () => {
    using at = world()
    mkdirSync(join(at.options.env.HOME, ".daydream"))
    writeFileSync(join(at.options.env.HOME, ".daydream/config.toml"), '[rules]\ndisable = ["py/none"]\n')
    const full = join(at.place.path, "full")
    await run(["mkfifo", full])
    const words = openSync(full, constants.O_RDWR | constants.O_NONBLOCK)
    expect(() => {
      for (;;) writeSync(words, Buffer.alloc(4096))
    }).toThrow("EAGAIN")
    const { child, held } = await reviewing(at, words)
    readSync(held, Buffer.alloc(1))
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    for (const descriptor of [held, words]) closeSync(descriptor)
  })

  test("after the complete report was read changes neither the exit code nor the record", async () => {
    using at = world()
    const { child, fifo, held, records } = await reviewing(at)
    const reader = Bun.spawn(["cat", fifo], { stdout: "pipe" })
    let report = ""
    for await (const chunk of reader.stdout) {
      report += new TextDecoder().decode(chunk)
      if (report.endsWith("\n}\n")) break
    }
    child.kill("SIGINT")
    expect(await child.exited).toBe(0)
    closeSync(held)
    await reader.exited
    expect(JSON.parse(report).status).toBe("complete")
    expect(records().filter((name) => /trajectory\.json/.test(name))).toEqual([
      expect.stringMatching(/trajectory\.json$/)
    ])
  })
})

describe("output that cannot be written", () => {
  const commands = [
    "--help",
    "--version",
    "--version --json",
    "review --help",
    "review --print-schema",
    "review --preview",
    "review --no-archive",
    "review --no-archive --format json",
    "review --no-archive --format jsonl",
    "symbols load1",
    "rules list",
    "rules show py/bare-except",
    "rules check",
    "rules test m1.py",
    "trajectory show latest",
    "trajectory export latest",
    "trajectory recover",
    "trajectory redact",
    "archive list",
    "archive stats",
    "archive rebuild-index",
    "archive export",
    "archive query select+1",
    "archive prune --older-than 90d",
    "flow list",
    "flow show deep",
    "ext validate",
    "config show",
    "doctor",
    "doctor --format json",
    "completions bash"
  ]

  test.skipIf(!existsSync("/dev/full"))("is one error message and exit code 3, in every command", async () => {
    using at = world()
    await run([dd, "review", "--commit", "HEAD"], at.options)
    const shell = `"$@" > /dev/full`
    for (const command of commands) {
      const call = [dd, ...command.split(" ").map((each) => each.replace("+", " "))]
      const ended = await run(["sh", "-c", shell, "sh", ...call], { ...at.options, stdin: "a text\n" })
      expect({ command, ...ended }).toMatchObject({
        command,
        status: 3,
        stderr: "dd: error: standard output could not be written: no space left on the device\n"
      })
    }
  })

  test.skipIf(!existsSync("/dev/full"))("does not affect the other outputs", async () => {
    using at = world()
    const file = join(at.place.path, "report.json")
    const call = review("--output", `json=${file}`)
    expect(await run(["sh", "-c", `"$@" > /dev/full`, "sh", ...call], at.options)).toMatchObject({ status: 3 })
    expect(JSON.parse(readFileSync(file, "utf8")).status).toBe("complete")
  })

  test("because its reader has closed the pipe is no error, in any command", async () => {
    using at = world()
    await run([dd, "review", "--commit", "HEAD"], at.options)
    for (const command of commands) {
      const call = [dd, ...command.split(" ").map((each) => each.replace("+", " "))]
      const shell = `"$@" | true; exit "\${PIPESTATUS[0]}"`
      const ended = await run(["bash", "-c", shell, "bash", ...call], { ...at.options, stdin: "a text\n" })
      const status = command.startsWith("rules test") ? 1 : 0
      expect({ command, ...ended }).toMatchObject({ command, status, stderr: "" })
    }
  })
})
