import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { inside, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const careless = "def load(path, seen=[]):\n    try:\n        return open(path)\n    except:\n        pass\n"

/** A repository whose last commit changes files of three languages, and a user whose extension never comes back. */
const world = (waits: boolean) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# App\n" })
  repository.commit("Be careless", {
    "a.py": careless,
    "b.go": "package b\n\nvar A = 1\n",
    "c.rb": "def a\nend\n",
    "d.rs": "fn a() {}\n"
  })
  const home = join(place.path, "home")
  const extensions = inside(home, ".daydream", "extensions")
  for (const directory of [home, join(home, ".daydream"), extensions]) chmodSync(directory, 0o700)
  if (waits) {
    const text = `export const DAYDREAM_EXT_API = 1
      const wait = () => new Promise((done) => setTimeout(done, 600_000))
      export const register = (r) => r.insertAfter("deep", "per-stack-reviews", { name: "wait", run: wait })`
    writeFileSync(join(extensions, "wait.ts"), text, { mode: 0o600 })
  }
  const env = { PATH: systemPath, HOME: home }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  const runs = () => {
    const directory = repository.path(".daydream/runs")
    return existsSync(directory) ? readdirSync(directory).map((name) => join(directory, name)) : []
  }
  const files = () =>
    runs().flatMap((directory) =>
      readdirSync(directory, { recursive: true, encoding: "utf8" })
        .filter((name) => name.includes("."))
        .map((name) => join(directory, name))
    )
  return { repository, home, env, call, runs, files, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

/** A review that is at work; `until` waits for words in its journal. */
const reviewing = (at: ReturnType<typeof world>) => {
  const child = Bun.spawn([dd, "review", "--format", "jsonl"], {
    cwd: at.repository.root,
    env: at.env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore"
  })
  const until = async (words: string) => {
    while (child.exitCode === null) {
      const [directory] = at.runs()
      const journal = directory === undefined ? "" : join(directory, "trajectory.jsonl.partial")
      if (journal !== "" && existsSync(journal) && readFileSync(journal, "utf8").includes(words)) return
      await Bun.sleep(1)
    }
    throw new Error("the review ended")
  }
  return { child, until }
}

describe("the record of a review", () => {
  test("is a valid trajectory with a sibling for each stack, which can be shown and exported", async () => {
    using at = world(false)
    expect((await at.call("review", "-q")).status).toBe(0)
    const documents = at.files().toSorted()
    expect(documents.map((path) => path.slice(at.runs()[0]!.length + 1))).toEqual([
      "trajectories/deep-go.json",
      "trajectories/deep-python.json",
      "trajectories/deep-ruby.json",
      "trajectories/deep-rust.json",
      "trajectories/deep-structure.json",
      "trajectory.json"
    ])
    const { status, stdout } = await at.call("trajectory", "validate", ...documents)
    expect({ status, valid: stdout.split(": valid").length - 1 }).toEqual({ status: 0, valid: 6 })
    const shown = await at.call("trajectory", "show")
    expect(shown.stdout).toContain("deep-python")
    expect(shown.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
    const exported = await at.call("trajectory", "export", "--as", "chat")
    const conversations = exported.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(conversations.map(({ trajectory }) => trajectory)).toContain("deep-python")
    expect(conversations.every(({ messages }) => messages[0].role === "user")).toBe(true)
    const again = await at.call("trajectory", "export", "--as", "chat", "--output", "-")
    expect(again.stdout).toBe(exported.stdout)
    expect(existsSync(at.repository.path("-"))).toBe(false)
  })

  test("is written to --trajectory, or the review does not begin", async () => {
    using at = world(false)
    const path = join(at.home, "out", "run.json")
    expect((await at.call("review", "-q", "--trajectory", path)).status).toBe(0)
    expect((await at.call("trajectory", "validate", path)).stdout).toContain("valid")
    expect(at.files()).toEqual([])
    const { status, stderr, stdout } = await at.call("review", "-q", "--trajectory", at.home)
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toContain("it is a directory")
  })

  test("reports every violation with its path, and ends with 1", async () => {
    using at = world(false)
    const path = join(at.home, "bad.json")
    writeFileSync(
      path,
      '{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"a","version":"1"},"steps":[{"step_id":2,"source":"user","message":"","metrics":{}}],"x":1}'
    )
    const { status, stdout } = await at.call("trajectory", "validate", path)
    expect(status).toBe(1)
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.replace(`${path}: `, "").split(" ")[0])
    ).toEqual(["$.steps[0].metrics", "$.steps[0].step_id", "$.x"])
  })
})

describe("dd trajectory validate", () => {
  const step = (fields: string) => `{"step_id":1,"source":"agent","message":"x",${fields}}`
  const document = (fields: string, more = "") =>
    `{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"a","version":"1"},"steps":[${step(fields)}]${more}}`
  const call = '{"tool_call_id":"t","function_name":"f","arguments":{}}'
  const time = (text: string) => document(`"timestamp":"${text}"`)
  const cases: ReadonlyArray<readonly [string, string | Uint8Array, string | null]> = [
    ["an offset", time("2026-01-01T00:00:00+02:00"), null],
    ["30 February", time("2026-02-30T00:00:00Z"), "$.steps[0].timestamp"],
    ["24 o'clock", time("2026-01-01T24:00:00Z"), "$.steps[0].timestamp"],
    ["a leap second", time("2016-12-31T23:59:60Z"), "$.steps[0].timestamp"],
    ["a repeated tool call id", document(`"tool_calls":[${call},${call}]`), "$.steps[0].tool_calls[1].tool_call_id"],
    ["a repeated key", document('"message":"y"'), "$.steps[0].message"],
    ["a negative cost", document('"metrics":{"cost_usd":-1}'), "$.steps[0].metrics.cost_usd"],
    ["an infinite cost", document('"metrics":{"cost_usd":1e999}'), "$.steps[0].metrics.cost_usd"],
    [
      "a token count that is no safe integer",
      document('"metrics":{"prompt_tokens":1e30}'),
      "$.steps[0].metrics.prompt_tokens"
    ],
    ["NaN", document('"metrics":{"cost_usd":NaN}'), "the document is not JSON"],
    ["a byte order mark", `\ufeff${time("2026-01-01T00:00:00Z")}`, "the document starts with a byte order mark"],
    ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), "the document is not UTF-8"]
  ]
  for (const [what, content, place] of cases) {
    test(`${place === null ? "allows" : "refuses"} ${what}`, async () => {
      using at = world(false)
      const path = join(at.home, "t.json")
      writeFileSync(path, content)
      const { status, stdout } = await at.call("trajectory", "validate", path)
      expect(status).toBe(place === null ? 0 : 1)
      expect(stdout).toContain(place ?? "valid")
    })
  }
})

describe("a review that is stopped in the middle", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    test(`by ${signal} ends with ${code} and leaves valid partial trajectories, the siblings' too`, async () => {
      using at = world(true)
      const { child, until } = reviewing(at)
      await until('"step":"wait"')
      child.kill(signal)
      await child.exited
      expect(child.exitCode).toBe(code)
      const documents = at.files()
      expect(documents.length).toBe(6)
      expect(documents.every((path) => path.endsWith(".json.partial"))).toBe(true)
      expect((await at.call("trajectory", "validate", ...documents)).status).toBe(0)
      for (const path of documents) expect(JSON.parse(readFileSync(path, "utf8")).extra.partial).toBe(true)
    })
  }

  test("can be followed to its end, however it ends", async () => {
    using at = world(true)
    const { child, until } = reviewing(at)
    await until("AgentEnded")
    const follower = Bun.spawn([dd, "trajectory", "show", "--follow"], {
      cwd: at.repository.root,
      env: at.env,
      stdin: "ignore",
      stderr: "inherit"
    })
    let heard = ""
    for await (const chunk of follower.stdout) {
      heard += new TextDecoder().decode(chunk)
      // It follows.
      if (heard.includes("deep-python\n")) void until('"step":"wait"').then(() => child.kill("SIGTERM"))
    }
    expect(await follower.exited).toBe(0)
    expect(heard).toContain("Dispatching 5 parallel deep tasks")
  })

  test("can be looked at in whatever moment it ends", async () => {
    for (const moment of ["AgentStarted", "AgentEnded", '"step":"wait"']) {
      using at = world(true)
      const { child, until } = reviewing(at)
      await until(moment)
      const looks = [["--follow"], []].map((flags) => at.call("trajectory", "show", ...flags))
      child.kill("SIGTERM")
      for (const { status, stdout, stderr } of await Promise.all(looks)) {
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
        expect(stdout).toContain("intent")
      }
    }
  })

  test("by SIGKILL leaves a journal that can be shown, and recovered once it is dead", async () => {
    using at = world(true)
    const { child, until } = reviewing(at)
    await until('"step":"wait"')
    expect((await at.call("trajectory", "recover")).stdout).toContain("still working")
    expect((await at.call("trajectory", "show")).stdout).toContain("deep-python")
    child.kill("SIGKILL")
    await child.exited
    expect(at.files().map((path) => path.slice(at.runs()[0]!.length + 1))).toEqual(["trajectory.jsonl.partial"])
    const recovered = await at.call("trajectory", "recover")
    expect(recovered.stdout).toContain("trajectory.json.partial and 5 siblings")
    expect((await at.call("trajectory", "validate", ...at.files())).status).toBe(0)
    expect((await at.call("trajectory", "recover")).stdout).toContain("nothing to recover")
  })

  test("at any moment leaves a valid record or a journal that makes one", async () => {
    for (const [signal, words] of [
      ["SIGINT", '"journal":1'],
      ["SIGKILL", '"journal":1'],
      ["SIGTERM", "RunStarted"],
      ["SIGKILL", "AgentStarted"],
      ["SIGINT", '"fork":"deep-'],
      ["SIGKILL", '"fork":"deep-'],
      ["SIGTERM", "StepEnded"]
    ] as const) {
      using at = world(true)
      const { child, until } = reviewing(at)
      await until(words)
      child.kill(signal)
      await child.exited
      if (signal === "SIGKILL") expect((await at.call("trajectory", "recover")).status).toBe(0)
      const documents = at.files()
      expect(documents.length).toBeGreaterThan(0)
      expect((await at.call("trajectory", "validate", ...documents)).stdout).not.toContain("$")
    }
  })
})
