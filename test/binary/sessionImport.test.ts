/** Transcripts that assistants keep, imported by the compiled binary: what is evidence in them, once, and what is left out. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { dd } from "../support/binary.ts"
import { type DreamWorld, dreamWorld, payloads } from "../support/dreamWorld.ts"
import { run } from "../support/process.ts"
import { ClaudeLines, CodexLines, claudePath, codexPath, writeTranscript } from "../support/transcripts.ts"

/** A world with one repository, and short forms of what is called in it. */
const world = () => {
  const made = dreamWorld(["shop"])
  const [{ root }] = made.repositories as [DreamWorld["repositories"][number]]
  const call = async (...args: ReadonlyArray<string>) => {
    const { status, stderr, stdout } = await made.call(root, ...args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    return stdout
  }
  const json = async (...args: ReadonlyArray<string>) => JSON.parse(await call(...args, "--json"))
  return {
    ...made,
    root,
    call,
    json,
    path: (session: string) => claudePath(made.home, root, session),
    save: (session: string, lines: ClaudeLines) => writeTranscript(claudePath(made.home, root, session), lines.text),
    import: (...args: ReadonlyArray<string>) => call("session", "import", ...args),
    steps: async () =>
      Object.fromEntries(
        (await json("session", "list")).sessions.map((one: { session: string; steps: number }) => [
          one.session,
          one.steps
        ])
      ),
    /** What is learned of all sessions that are due: for each artifact, its sessions and successes. */
    learned: async () => {
      await made.worker("--once")
      const [project] = (await json("dream", "artifacts", "list")).projects
      return project.artifacts.map(({ stats }: { stats: { s: number; sessions: number } }) => ({
        sessions: stats.sessions,
        successes: Math.round(stats.s)
      }))
    },
    [Symbol.dispose]: () => made[Symbol.dispose]()
  }
}

const repair = (lines: ClaudeLines, root: string, id: string) => {
  lines.prompt("Repair the totals")
  lines.call(`${id}1`, "Bash", { command: "npx tsc --noEmit" })
  lines.result(`${id}1`, "Exit code 2\ncart.ts(3,4): error TS2345: x", "Error: Exit code 2", true)
  lines.call(`${id}2`, "Edit", { file_path: join(root, "cart.ts"), old_string: "a", new_string: "b" })
  lines.result(`${id}2`, "ok", { filePath: join(root, "cart.ts") })
  for (const check of [`${id}3`, `${id}4`]) {
    lines.call(check, "Bash", { command: "npx tsc --noEmit" })
    lines.result(check, "", { stdout: "", stderr: "" })
  }
  lines.stop()
  return lines
}

describe("history that several transcripts have", () => {
  const family = (root: string) => {
    const first = repair(new ClaudeLines("first", root), root, "t")
    const forks = ["fork-a", "fork-b", "fork-c"].map((session, at) => {
      const fork = first.fork(session)
      fork.prompt(`Only a question ${at}`)
      fork.stop()
      return [session, fork] as const
    })
    return [["first", first], ...forks] as const
  }

  test("is evidence once: a repair that three forks copied counts as one, in any order and number of imports", async () => {
    using alone = world()
    alone.save("first", family(alone.root)[0][1])
    await alone.import()
    expect(await alone.learned()).toEqual([{ sessions: 1, successes: 1 }])

    using at = world()
    const all = family(at.root)
    // The forks are the older files.
    for (const [age, [session, lines]] of all.entries()) {
      at.save(session, lines)
      utimesSync(at.path(session), 1_000_000 - age, 1_000_000 - age)
    }
    await at.import()
    expect(await at.steps()).toEqual({ first: 4, "fork-a": 0, "fork-b": 0, "fork-c": 0 })
    expect(await at.learned()).toEqual([{ sessions: 1, successes: 1 }])

    using later = world()
    for (const [session, lines] of family(later.root).toReversed()) {
      later.save(session, lines)
      await later.import()
    }
    expect(await later.steps()).toEqual({ "fork-c": 4, "fork-b": 0, "fork-a": 0 })
    expect(await later.learned()).toEqual([{ sessions: 1, successes: 1 }])
    const sessions: ReadonlyArray<{ state: string; copied: number }> = (await later.json("session", "import")).sessions
    expect(sessions.map(({ state }) => state)).toEqual(["unchanged", "unchanged", "unchanged", "copied"])
    expect(sessions.filter(({ copied }) => copied > 0)).toHaveLength(3)
  })

  test("stays where it is recorded when the older session goes on, and when its transcript is gone", async () => {
    using at = world()
    const first = repair(new ClaudeLines("first", at.root), at.root, "t")
    const fork = first.fork("fork-a")
    fork.prompt("Only a question")
    fork.stop()
    at.save("first", first)
    await at.import()
    at.save("fork-a", fork)
    first.prompt("Go on here, after the fork")
    first.call("t9", "Bash", { command: "ls" })
    first.result("t9", "a", { stdout: "a" })
    first.stop()
    at.save("first", first)
    await at.import()
    expect(await at.steps()).toEqual({ first: 5, "fork-a": 0 })
    writeFileSync(at.path("first"), "")
    fork.prompt("And here")
    fork.stop()
    at.save("fork-a", fork)
    await at.import("--since", "2026-01-01")
    expect(await at.steps()).toEqual({ first: 5, "fork-a": 0 })
  })

  test("is left to an older session that --since leaves out", async () => {
    using at = world()
    const first = repair(new ClaudeLines("first", at.root), at.root, "t")
    const fork = first.fork("fork")
    fork.prompt("Only a question")
    fork.stop()
    at.save("first", first)
    at.save("fork", fork)
    utimesSync(at.path("first"), 1_000_000, 1_000_000)
    await at.import("--since", "2020-01-01")
    expect(await at.steps()).toEqual({ fork: 0 })
    await at.import()
    expect(await at.steps()).toEqual({ first: 4, fork: 0 })
  })

  test("is left to a session that hooks recorded, and to no session whose hooks began after it", async () => {
    using at = world()
    for (const payload of payloads(at.root, "first")) await at.event(payload)
    const recorded = await at.steps()
    const first = repair(new ClaudeLines("first", at.root), at.root, "t")
    const fork = first.fork("fork")
    fork.prompt("Only a question")
    fork.stop()
    // Hooks have the time of the clock.
    for (const [session, { text }] of [
      ["first", first],
      ["fork", fork]
    ] as const)
      writeTranscript(at.path(session), text.replaceAll("2026-11-20", "2999-01-01"))
    await at.import()
    expect(await at.steps()).toEqual({ ...recorded, fork: 0 })

    using other = world()
    const imported = repair(new ClaudeLines("first", other.root), other.root, "t")
    other.save("first", imported)
    other.save("fork", imported.fork("fork"))
    await other.event({ ...payloads(other.root, "fork")[0]!, source: "fork" })
    await other.import()
    expect(await other.steps()).toEqual({ first: 4, fork: 0 })
  })

  test("of Codex is left to a session that hooks recorded, also after the clock was set", async () => {
    using at = world()
    const common = { session_id: "0199-first", cwd: at.root, turn_id: "u1", transcript_path: null, tool_use_id: "k1" }
    const call = { ...common, tool_name: "Bash", tool_input: { command: "cargo build" } }
    const events = [
      { ...call, hook_event_name: "PreToolUse" },
      { ...call, hook_event_name: "PostToolUse", tool_response: "error[E0308]: mismatched types" }
    ]
    for (const payload of events) await at.event(payload, "codex")
    const first = new CodexLines("0199-first", at.root)
    first.command("k1", "cargo build", 101, "error[E0308]: mismatched types")
    first.patch("k2", "src/a.rs")
    first.complete()
    const fork = first.fork("0199-fork", 3_000)
    fork.command("k3", "ls", 0, "a")
    fork.complete()
    writeTranscript(codexPath(at.home, "0199-first"), first.text)
    writeTranscript(codexPath(at.home, "0199-fork"), fork.text)
    await at.import()
    expect(await at.steps()).toEqual({ "0199-first": 1, "0199-fork": 1 })
  })

  test("is not what two assistants have that gave the same id", async () => {
    using at = world()
    at.save("same", repair(new ClaudeLines("same", at.root), at.root, "t"))
    const codex = new CodexLines("same", at.root)
    codex.command("t1", "ls", 0, "a")
    codex.complete()
    writeTranscript(codexPath(at.home, "same"), codex.text)
    await at.import()
    const { sessions } = await at.json("session", "list")
    expect(sessions.map(({ host, steps }: { host: string; steps: number }) => `${host} ${steps}`).toSorted()).toEqual([
      "claude 4",
      "codex 1"
    ])
  })

  test("of Codex is known in a fork, whose copies have new times", async () => {
    using at = world()
    const first = new CodexLines("0199-first", at.root)
    first.prompt("Repair the build")
    first.command("k1", "cargo build", 101, "error[E0308]: mismatched types")
    first.patch("k2", "src/a.rs")
    first.command("k3", "cargo build", 0, "ok")
    first.complete()
    const fork = first.fork("0199-fork", 3_000)
    fork.prompt("Repair the build")
    fork.command("k4", "ls", 0, "a")
    fork.complete()
    writeTranscript(codexPath(at.home, "0199-fork"), fork.text)
    writeTranscript(codexPath(at.home, "0199-first"), first.text)
    await at.import()
    expect(await at.steps()).toEqual({ "0199-first": 3, "0199-fork": 1 })
    const { sessions } = await at.json("session", "list")
    expect(sessions.map(({ outcome, turns }: { outcome: string; turns: number }) => [turns, outcome])).toEqual([
      [1, "clean"],
      [1, "clean"]
    ])
  })
})

describe("a second import gives the same session as a first one", () => {
  /** The session in a home that never imported it before. */
  const fresh = async (at: ReturnType<typeof world>, session: string) => {
    const env = { ...at.env, DD_HOME: join(at.home, "fresh") }
    await run([dd, "session", "import"], { cwd: at.root, env })
    return (await run([dd, "session", "show", session, "--json"], { cwd: at.root, env })).stdout
  }

  test("after something was rewound: its repair is learned no more", async () => {
    using at = world()
    const lines = new ClaudeLines("s", at.root)
    lines.prompt("Look at the totals")
    lines.stop()
    const kept = lines.last
    repair(lines, at.root, "gone")
    at.save("s", lines)
    await at.import()
    expect(await at.learned()).toHaveLength(1)
    lines.rewind(kept)
    lines.prompt("Another way")
    // As many events as before.
    for (const id of ["n1", "n2", "n3", "n4"]) {
      lines.call(id, "Bash", { command: `ls ${id}` })
      lines.result(id, "a", { stdout: "a" })
    }
    lines.stop()
    at.save("s", lines)
    await at.import()
    expect(await at.call("session", "show", "s", "--json")).toBe(await fresh(at, "s"))
    expect(await at.learned()).toEqual([])
  })

  test("when a subagent's file comes later", async () => {
    using at = world()
    const lines = repair(new ClaudeLines("s", at.root), at.root, "t")
    at.save("s", lines)
    await at.import()
    const agent = new ClaudeLines("s", at.root, "agent")
    agent.prompt("Explore")
    agent.call("x1", "Grep", { pattern: "total" })
    agent.result("x1", "cart.ts", {})
    agent.stop()
    writeTranscript(join(dirname(at.path("s")), "s", "subagents", "agent-7f.jsonl"), agent.text)
    expect(await at.import()).toBe("Imported 1 session with 3 new events.\n")
    expect(await at.steps()).toEqual({ s: 5 })
    expect((await at.json("session", "list")).sessions[0].outcome).toBe("clean")
    expect(await at.call("session", "show", "s", "--json")).toBe(await fresh(at, "s"))
    expect(await at.import()).toBe("Imported 0 sessions with 0 new events, 1 unchanged.\n")
  })
})

describe("nothing of a transcript is lost in silence", () => {
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

  test("long lines without a folder, damaged lines and deep ones lose only themselves", async () => {
    using at = world()
    const text = (session: string) => repair(new ClaudeLines(session, at.root), at.root, session).text
    const summary = `${JSON.stringify({ type: "summary", summary: "y".repeat(300_000), leafUuid: "q" })}\n`
    writeTranscript(at.path("long"), summary + text("long"))
    const [first = "", second = "", ...rest] = text("cut").split("\n")
    writeTranscript(at.path("cut"), [first, second.slice(0, -20), ...rest].join("\n"))
    const bare = `{"type":"user","cwd":"${at.root}","message":${deep(100_000)}}\n`
    writeTranscript(at.path("bare"), text("bare") + bare)
    const lines = repair(new ClaudeLines("deep", at.root), at.root, "deep")
    lines.call("d1", "Task", { deep: "HERE" })
    lines.result("d1", "ok", {})
    lines.stop()
    writeTranscript(at.path("deep"), lines.text.replace('"HERE"', deep(100_000)))
    const later = repair(new ClaudeLines("later", at.root), at.root, "later")
    writeTranscript(at.path("later"), later.text.replaceAll("2026-11-20", "2999-01-01"))
    const { sessions, skipped } = await at.json("session", "import")
    expect(skipped).toEqual([])
    expect(
      sessions
        .map(({ events, session, unreadable }: Record<string, unknown>) => ({ events, session, unreadable }))
        .toSorted((a: { session: string }, b: { session: string }) => (a.session < b.session ? -1 : 1))
    ).toEqual([
      { events: 12, session: "bare", unreadable: 1 },
      // Without the call of the damaged line, and its result.
      { events: 10, session: "cut", unreadable: 1 },
      { events: 15, session: "deep", unreadable: 0 },
      // A clock was wrong.
      { events: 12, session: "later", unreadable: 0 },
      { events: 12, session: "long", unreadable: 0 }
    ])
    expect(await at.import()).toBe("Imported 0 sessions with 0 new events, 5 unchanged, 2 damaged lines.\n")
    const listed: ReadonlyArray<{ outcome: string }> = (await at.json("session", "list")).sessions
    expect(new Set(listed.map(({ outcome }) => outcome))).toEqual(new Set(["clean"]))
  })

  test("a session that goes on after it was marked as ended is imported further", async () => {
    using at = world()
    const lines = new ClaudeLines("s", at.root)
    lines.prompt("Look at the totals")
    at.save("s", lines)
    await at.import()
    await at.call("session", "end")
    expect(await at.import()).toBe("Imported 0 sessions with 0 new events, 1 unchanged.\n")
    repair(lines, at.root, "t")
    at.save("s", lines)
    expect(await at.import()).toBe("Imported 1 session with 11 new events.\n")
    expect(await at.steps()).toEqual({ s: 4 })
    // The mark stays when the session is written anew.
    lines.rewind(null)
    lines.prompt("All over again")
    at.save("s", lines)
    await at.import()
    expect(await at.steps()).toEqual({ s: 0 })
    expect((await at.json("session", "show", "s")).session.endedAt).not.toBeNull()
  })

  test("links are followed and may form circles, and files that cannot be used are named with the reason", async () => {
    using at = world()
    const projects = join(at.home, ".claude", "projects")
    const elsewhere = join(at.home, "elsewhere")
    writeTranscript(join(elsewhere, "linked.jsonl"), repair(new ClaudeLines("linked", at.root), at.root, "l").text)
    mkdirSync(projects, { recursive: true })
    symlinkSync(elsewhere, join(projects, "linked"))
    symlinkSync(".", join(projects, "circle"))
    symlinkSync("self", join(projects, "self"))
    symlinkSync("../..", join(elsewhere, "up"))
    symlinkSync("nothing", join(elsewhere, "gone.jsonl"))
    mkdirSync(join(elsewhere, "folder.jsonl"))
    writeFileSync(join(elsewhere, "nameless.jsonl"), '{"type":"summary","summary":"x","leafUuid":"y"}\n')
    const old = repair(new ClaudeLines("old", at.root), at.root, "o")
    writeFileSync(join(elsewhere, "empty.jsonl"), `${JSON.stringify(old.lines[0]).replace('"user"', '"system"')}\n`)
    const codex = new CodexLines("packed", at.root)
    codex.prompt("Look")
    const packed = `${codexPath(at.home, "packed")}.zst`
    mkdirSync(dirname(packed), { recursive: true })
    // 40 MB in a line that takes some kilobytes.
    writeFileSync(packed, Bun.zstdCompressSync(`${codex.text}{"type":"${"x".repeat(40_000_000)}"}\n`))
    const { sessions, skipped } = await at.json("session", "import", "--dry-run")
    expect(sessions.map(({ session }: { session: string }) => session).toSorted()).toEqual(["linked", "packed"])
    expect(sessions.map(({ unreadable }: { unreadable: number }) => unreadable).toSorted()).toEqual([0, 1])
    const reasons = skipped.map(({ path, reason }: Record<string, string>) => `${path?.split("/").at(-1)} ${reason}`)
    expect(reasons.toSorted()).toEqual([
      "empty.jsonl has no events",
      "folder.jsonl cannot be read",
      "gone.jsonl cannot be read",
      "nameless.jsonl names no session"
    ])
    expect(await at.import()).toBe(
      "Imported 2 sessions with 14 new events, 1 damaged line, 4 files left out (2 cannot be read, 1 names no session, 1 has no events).\n"
    )
  })
})
