/** Sessions of coding assistants, recorded by the compiled binary as an assistant calls it. */

import { describe, expect, test } from "bun:test"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { ClaudeLines, CodexLines, claudePath, codexPath, writeTranscript } from "../support/transcripts.ts"
import { commandsWithSecrets, ordinaryCommands } from "../support/typedCommands.ts"

const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "shop"))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  const home = inside(place.path, "home")
  const env: Record<string, string> = { PATH: systemPath, HOME: home, DD_DREAM_WORKER: "0" }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  const event = async (payload: unknown, over: Record<string, string> = {}) => {
    const child = Bun.spawn([dd, "hook", "event"], {
      cwd: "/",
      env: { ...env, ...over },
      stdin: new TextEncoder().encode(typeof payload === "string" ? payload : JSON.stringify(payload)),
      stdout: "pipe",
      stderr: "pipe"
    })
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { status: await child.exited, said: out + err }
  }
  const spool = join(home, ".daydream", "spool")
  const files = () =>
    readdirSync(spool, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"))
  const lines = () => files().flatMap((name) => readFileSync(join(spool, name), "utf8").trim().split("\n"))
  return { call, env, event, files, home, lines, repository, spool, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

/** A full disk needs a file system of its own. */
const canMount = Bun.spawnSync(["sh", "-c", "unshare -rm mount -t tmpfs tmpfs /mnt 2> /dev/null"]).exitCode === 0

const silent = { status: 0, said: "" }

/** The payloads of a short session of Claude Code. */
const session = (cwd: string, session_id = "7c0f1f0e-1111-4222-8333-944455556666") => {
  const common = { session_id, transcript_path: "/home/a/.claude/projects/x/7c.jsonl", cwd, permission_mode: "default" }
  let calls = 0
  const tool = (tool_name: string, tool_input: object, result: object) => {
    const call = { ...common, tool_name, tool_input, tool_use_id: `toolu_${++calls}` }
    return [
      { ...call, hook_event_name: "PreToolUse" },
      { ...call, ...result }
    ]
  }
  const done = (tool_response: object = {}) => ({ hook_event_name: "PostToolUse", tool_response })
  const failed = (error: string) => ({ hook_event_name: "PostToolUseFailure", error, is_interrupt: false })
  return [
    { ...common, hook_event_name: "SessionStart", source: "startup" },
    { ...common, hook_event_name: "UserPromptSubmit", prompt: "Fix the totals of the cart" },
    ...tool("Read", { file_path: join(cwd, "cart.ts") }, done({ type: "text", file: { content: "x" } })),
    ...tool("Edit", { file_path: join(cwd, "cart.ts"), old_string: "a", new_string: "b" }, done()),
    ...tool("Bash", { command: "bun test" }, failed("Exit code 1\nTypeError: total is not a function")),
    ...tool("Edit", { file_path: join(cwd, "cart.ts"), old_string: "b", new_string: "c" }, done()),
    ...tool("Bash", { command: "bun test" }, done({ stdout: "4 pass\n", stderr: "" })),
    { ...common, hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done" },
    { ...common, hook_event_name: "SessionEnd", reason: "prompt_input_exit" }
  ]
}

describe("dd hook event and dd session", () => {
  test("a session stays in its project when a command changes the directory", async () => {
    using at = world()
    const other = initRepository(join(at.repository.root, "vendored"))
    const [start, ...events] = session(at.repository.root)
    await at.event(start, { CLAUDE_PROJECT_DIR: at.repository.root })
    for (const payload of events) {
      await at.event({ ...payload, cwd: other.root }, { CLAUDE_PROJECT_DIR: at.repository.root })
    }
    const listed = JSON.parse((await at.call("session", "list", "--all-projects", "--json")).stdout)
    expect(listed.sessions).toMatchObject([{ root: at.repository.root, steps: 5, outcome: "clean" }])
  })

  test("a session of Codex stays where it began, also below a submodule and when its working tree is gone", async () => {
    using at = world()
    const { root } = at.repository
    const git = (...args: ReadonlyArray<string>) => at.repository.git(...args)
    const other = initRepository(join(root, "..", "other"))
    other.commit("Begin", { "README.md": "# Other\n" })
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.root, "vendored")
    const linked = `${root}-linked`
    git("worktree", "add", "-q", linked)
    const codex = (id: string, start: string, cwds: ReadonlyArray<string>) =>
      session(start, id).map(({ transcript_path: _, ...payload }, nth) => ({
        ...payload,
        turn_id: "t",
        cwd: nth === 0 ? start : cwds[nth % cwds.length]!
      }))
    for (const payload of codex("one", root, [root, join(root, "vendored"), other.root])) await at.event(payload)
    const [start, ...rest] = codex("two", linked, [linked])
    await at.event(start)
    git("worktree", "remove", "--force", linked)
    for (const payload of rest) await at.event(payload)
    for (const payload of codex("three", join(root, "vendored"), [join(root, "vendored")])) await at.event(payload)
    const { sessions } = JSON.parse((await at.call("session", "list", "--all-projects", "--json")).stdout)
    expect(sessions).toHaveLength(3)
    const found = (id: string) => sessions.find(({ session }: { readonly session: string }) => session === id)
    expect(found("one")).toMatchObject({ host: "codex", root, steps: 5, outcome: "clean" })
    expect(found("two")).toMatchObject({ root: linked, project: found("one").project, steps: 5, outcome: "clean" })
    expect(found("three")).toMatchObject({ root: join(root, "vendored"), steps: 5 })
    expect(found("three").project).not.toBe(found("one").project)
    await at.call("dream", "worker", "--once")
    const status = JSON.parse((await at.call("dream", "status", "--all-projects", "--json")).stdout)
    expect(status.projects.map(({ root }: { readonly root: string }) => root).toSorted()).toEqual([
      root,
      join(root, "vendored")
    ])
    expect(existsSync(join(root, ".git", "modules", "vendored", ".daydream"))).toBe(false)
  })

  test("what was learned in a removed working tree is shown from the main one", async () => {
    using at = world()
    const { root } = at.repository
    const git = (...args: ReadonlyArray<string>) => at.repository.git(...args)
    const linked = `${root}-linked`
    git("worktree", "add", "-q", linked)
    for (const payload of session(linked)) await at.event(payload)
    expect((await at.call("dream", "worker", "--once")).stdout).toContain("1 session analysed")
    git("worktree", "remove", "--force", linked)
    for (const args of [[], ["--all-projects"]]) {
      const { projects } = JSON.parse((await at.call("dream", "status", "--json", ...args)).stdout)
      expect(projects).toMatchObject([{ root, sessions: 1, analysed: 1, due: 0, packets: 1 }])
      const artifacts = JSON.parse((await at.call("dream", "artifacts", "list", "--json", ...args)).stdout)
      expect(artifacts.projects).toMatchObject([{ root }])
    }
  })

  test("a session outside of a repository is recorded in the home only, and the status says so", async () => {
    using at = world()
    const folder = inside(at.home, "notes")
    const bare = join(at.home, "bare.git")
    at.repository.git("init", "-q", "--bare", bare)
    const files = readdirSync(bare)
    for (const payload of session(folder, "a")) await at.event(payload)
    for (const payload of session(bare, "b")) await at.event(payload)
    const once = await at.call("dream", "worker", "--once")
    expect(once).toMatchObject({ status: 0, stdout: "0 sessions analysed\n", stderr: "" })
    expect(readdirSync(folder)).toEqual([])
    expect(readdirSync(bare)).toEqual(files)
    const { stdout } = await at.call("dream", "status", "--all-projects")
    for (const place of [folder, bare]) {
      expect(stdout).toContain(
        `${place}: in no git repository; its sessions are recorded, nothing is learned from them`
      )
    }
    expect(stdout).toContain("1 session: 0 open, 0 due, 0 analysed")
    const list = await run([dd, "dream", "artifacts", "list"], { cwd: folder, env: at.env })
    expect(list.status).toBe(2)
    expect(list.stderr).toContain("this directory is in no git repository")
  })

  test("a session is recorded in silence, listed, and shown turn by turn", async () => {
    using at = world()
    for (const payload of session(at.repository.root)) expect(await at.event(payload)).toEqual(silent)
    const listed = JSON.parse((await at.call("session", "list", "--json")).stdout)
    expect(listed.sessions).toHaveLength(1)
    expect(listed.sessions[0]).toMatchObject({ host: "claude", turns: 1, steps: 5, failures: 1, outcome: "clean" })
    const { status, stderr, stdout } = await at.call("session", "show", "7c0f")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout).toContain("1 turn, 5 steps, 1 failure, 1 milestone")
    expect(stdout).toContain("bun test  failed: TypeError: total is not a function")
    expect(stdout).toContain("milestone: test")
    expect(stdout).toContain("At the end: trust 100, focus 100, 0 unchecked edits")
    const shown = JSON.parse((await at.call("session", "show", "--json")).stdout)
    expect(shown.session.steps.map(({ result }: { readonly result: string }) => result)).toEqual([
      "ok",
      "ok",
      "failed",
      "ok",
      "ok"
    ])
    expect((await at.call("session", "list")).stdout).toContain("7c0f1f0e")
  })

  test("linked working trees are one project, and other projects are separate", async () => {
    using at = world()
    const linked = `${at.repository.root}-linked`
    at.repository.git("worktree", "add", "-q", linked)
    await at.event(session(at.repository.root)[0])
    await at.event(session(linked, "second")[0])
    await at.event(session("/", "third")[0])
    const count = async (...args: ReadonlyArray<string>) =>
      JSON.parse((await at.call("session", "list", "--json", ...args)).stdout).sessions.length
    expect(await count()).toBe(2)
    expect(await count("--all-projects")).toBe(3)
  })

  test("1,000 events of eight processes at once are all there, whole", async () => {
    using at = world()
    const [first] = session(at.repository.root)
    const worker = async (nth: number) => {
      for (let event = 0; event < 125; event++)
        await at.event({
          ...first,
          hook_event_name: "UserPromptSubmit",
          prompt: `${nth} ${event} ${"x".repeat(3_000)}`
        })
    }
    await Promise.all(Array.from({ length: 8 }, (_, nth) => worker(nth)))
    const lines = at.lines().map((line) => JSON.parse(line))
    expect(new Set(lines.map(({ id }) => id)).size).toBe(1_000)
    expect(new Set(lines.map(({ text }) => text.start.slice(0, 6))).size).toBe(1_000)
    expect(existsSync(join(at.spool, "faults"))).toBe(false)
  })

  test("nothing disturbs the assistant: bad input, no home, a place that cannot be written, an id that is a path", async () => {
    using at = world()
    const [start] = session(at.repository.root)
    for (const bad of ["", "no json", "[]", "null", "{}", '{"hook_event_name":7}', '{"session_id":"a'])
      expect(await at.event(bad)).toEqual(silent)
    expect(await at.event(start, { HOME: "" })).toEqual(silent)
    expect(await at.event(start, { HOME: "/dev/null" })).toEqual(silent)
    expect(await at.event(start, { DD_HOME: "relative" })).toEqual(silent)
    expect(await at.event({ ...start, session_id: "../../../../escape" })).toEqual(silent)
    expect(await at.event({ ...start, cwd: "/no/such/folder", session_id: "elsewhere" })).toEqual(silent)
    expect(at.files()).toHaveLength(2)
    expect(existsSync(join(at.home, "escape.jsonl"))).toBe(false)
    const listed = await at.call("session", "list")
    expect(listed.status).toBe(0)
    expect(listed.stderr).toContain("could not be recorded")
  })

  test("a payload of many megabytes becomes one short line", async () => {
    using at = world()
    const [start] = session(at.repository.root)
    const call = { ...start, hook_event_name: "PostToolUse", tool_name: "Read", tool_use_id: "t" }
    const content = "const a = 1\n".repeat(700_000)
    const payload = { ...call, tool_input: { file_path: "a.ts" }, tool_response: { type: "text", file: { content } } }
    expect(await at.event(payload)).toEqual(silent)
    const failed = {
      ...call,
      hook_event_name: "PostToolUseFailure",
      tool_name: "Bash",
      error: `Exit code 1\n${content}`
    }
    expect(await at.event({ ...failed, tool_input: { command: `echo ${content}` } })).toEqual(silent)
    expect(at.lines().map((line) => line.length < 16 * 1024)).toEqual([true, true])
  })

  test("a full disk loses events in silence, and dd doctor reports it and its end", async () => {
    using at = world()
    const [start] = session(at.repository.root)
    expect(await at.event(start)).toEqual(silent)
    const file = join(at.spool, at.files()[0]!)
    // The session goes to a device without space: the fault can be counted.
    renameSync(file, `${file}.kept`)
    symlinkSync("/dev/full", file)
    expect(await at.event(start)).toEqual(silent)
    rmSync(file)
    renameSync(`${file}.kept`, file)
    const after = await at.call("doctor")
    expect(after.stdout).toContain("1 event could not be recorded (1 ENOSPC)")
    // No file may grow, so nothing can be counted either.
    const limited = (...args: ReadonlyArray<string>) => ["sh", "-c", 'ulimit -f 0; exec "$0" "$@"', dd, ...args]
    const full = await run(limited("hook", "event"), { env: at.env, stdin: JSON.stringify(start) })
    expect(full).toEqual({ status: 0, signal: null, stdout: "", stderr: "" })
    const doctor = await run(limited("doctor"), { cwd: at.repository.root, env: at.env })
    expect(doctor.stdout).toContain("cannot be written")
    expect(doctor.stdout).toContain("no session is recorded")
    expect(doctor.status).toBe(1)
    expect(await at.event(start)).toEqual(silent)
    expect(at.lines()).toHaveLength(2)
    expect((await at.call("doctor")).stdout).not.toContain("cannot be written")
    expect(readdirSync(at.spool).filter((name) => name.startsWith(".doctor"))).toEqual([])
  })

  test.skipIf(!canMount)(
    "events lost on a full disk are counted there, and still shown when it has room again",
    async () => {
      using at = world()
      const [start, prompt] = session(at.repository.root)
      const disk = inside(at.home, "disk")
      const script = `
      mount -t tmpfs -o size=64k,mode=700 tmpfs ${disk} || exit 9
      echo '${JSON.stringify(start)}' | "$0" hook event
      dd if=/dev/zero of=${disk}/filler bs=1k 2> /dev/null
      for id in a b c; do echo '${JSON.stringify({ ...prompt, session_id: "ID" })}' | sed "s/ID/$id/" | "$0" hook event || exit 8; done
      rm ${disk}/filler
      "$0" doctor`
      const { status, stderr, stdout } = await run(["unshare", "-rm", "sh", "-c", script, dd], {
        cwd: at.repository.root,
        env: { ...at.env, DD_HOME: disk }
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
      expect(stdout).toContain("3 events could not be recorded")
      expect(stdout).toContain("1 session,")
    }
  )

  test("a home that no folder can be made in disturbs nobody, and dd doctor reports it", async () => {
    using at = world()
    const [start] = session(at.repository.root)
    writeFileSync(join(at.home, ".daydream"), "not a directory")
    expect(await at.event(start)).toEqual(silent)
    expect((await at.call("doctor")).stdout).toContain("cannot be written")
  })

  test("the line of a killed process does not damage the next one", async () => {
    using at = world()
    const events = session(at.repository.root)
    await at.event(events[0])
    const file = join(at.spool, at.files()[0]!)
    appendFileSync(file, '\n{"v":1,"id":"x","ho')
    for (const payload of events.slice(1)) await at.event(payload)
    const listed = JSON.parse((await at.call("session", "list", "--json")).stdout)
    expect(listed.sessions[0]).toMatchObject({ steps: 5, unreadable_lines: 1, outcome: "clean" })
  })

  test("only the user may read it, and no secret is in it", async () => {
    using at = world()
    const token = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    const own = "q8Zr-own-secret-value-17"
    const [start] = session(at.repository.root)
    const call = { ...start, hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_use_id: "t" }
    const payload = {
      ...call,
      tool_input: { command: `curl -H "Authorization: Bearer ${token}" x` },
      error: `Exit code 1\n${own}`
    }
    expect(await at.event(payload, { MY_API_TOKEN: own })).toEqual(silent)
    expect(at.lines().join("")).not.toMatch(new RegExp(`${token}|${own}`))
    expect(statSync(join(at.spool, at.files()[0]!)).mode & 0o777).toBe(0o600)
    expect(statSync(join(at.home, ".daydream", "spool")).mode & 0o777).toBe(0o700)
  })

  test("an unknown session, and none at all, are named", async () => {
    using at = world()
    mkdirSync(join(at.home, ".daydream"), { recursive: true })
    expect((await at.call("session", "list")).stdout).toContain("No recorded sessions of this project.")
    const { status, stderr } = await at.call("session", "show", "nothing")
    expect({ status, named: stderr.includes('no recorded session begins with "nothing"') }).toEqual({
      status: 2,
      named: true
    })
  })
})

describe("dd session import and dd session end", () => {
  test("transcripts become sessions, redacted, once, and none that a hook has recorded", async () => {
    using at = world()
    const { root } = at.repository
    const token = "ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    const claude = new ClaudeLines("5e55-claude", root)
    claude.prompt("Fix the totals of the cart")
    claude.call("t1", "Edit", { file_path: join(root, "cart.ts"), old_string: "a", new_string: "b" })
    claude.result("t1", "ok", { filePath: join(root, "cart.ts") })
    claude.call("t2", "Bash", { command: `curl -H "Authorization: Bearer ${token}" x && bun test` })
    claude.result("t2", `Exit code 1\nTypeError: ${token}`, "Error", true)
    claude.stop()
    const codex = new CodexLines("5e55-codex", root)
    codex.prompt("Fix the build")
    codex.command("k1", "cargo build", 101, "error[E0308]: mismatched types")
    codex.complete()
    writeTranscript(claudePath(at.home, root, "5e55-claude"), claude.text)
    writeTranscript(codexPath(at.home, "5e55-codex"), codex.text)
    const other = new ClaudeLines("other", "/elsewhere")
    other.prompt("Of another project")
    writeTranscript(claudePath(at.home, "/elsewhere", "other"), other.text)
    const hooked = session(root)
    const recorded = new ClaudeLines(hooked[0]!.session_id, root)
    recorded.prompt("Fix the totals of the cart")
    writeTranscript(claudePath(at.home, root, hooked[0]!.session_id), recorded.text)
    for (const payload of hooked) await at.event(payload)

    expect((await at.call("session", "import", "--dry-run")).stdout).toContain(
      "Would import 2 sessions with 14 new events"
    )
    expect(at.lines()).toHaveLength(hooked.length)
    const imported = await at.call("session", "import")
    expect(imported).toMatchObject({ status: 0, stderr: "" })
    expect(imported.stdout).toBe("Imported 2 sessions with 14 new events, 1 already recorded by hooks.\n")
    const lines = at.lines()
    expect(lines.join("")).not.toContain(token)
    const again = await at.call("session", "import")
    expect(again.stdout).toBe("Imported 0 sessions with 0 new events, 2 unchanged, 1 already recorded by hooks.\n")
    expect(at.lines()).toEqual(lines)
    expect((await at.call("session", "import", "--since", "2100-01-01")).stdout).toContain("Imported 0 sessions")

    const listed = JSON.parse((await at.call("session", "list", "--json")).stdout).sessions
    expect(listed.find(({ session }: { session: string }) => session === "5e55-claude")).toMatchObject({
      host: "claude",
      started_at: "2026-11-20T10:00:01.000Z",
      steps: 2,
      failures: 1,
      outcome: "clean"
    })
    expect(listed.find(({ session }: { session: string }) => session === "5e55-codex")).toMatchObject({
      host: "codex",
      steps: 1,
      failures: 1,
      outcome: "clean"
    })
    // The session goes on: only what is new is added.
    claude.prompt("And the taxes")
    claude.stop()
    writeTranscript(claudePath(at.home, root, "5e55-claude"), claude.text)
    expect((await at.call("session", "import")).stdout).toContain("Imported 1 session with 3 new events")
  })

  test("a session that is marked as ended is over, and stays so", async () => {
    using at = world()
    for (const payload of session(at.repository.root).slice(0, -1)) await at.event(payload)
    const outcome = async () => JSON.parse((await at.call("session", "list", "--json")).stdout).sessions[0].outcome
    expect(await outcome()).toBe("open")
    expect((await at.call("session", "end", "7c0f")).stdout).toContain("is marked as ended")
    expect(await outcome()).toBe("clean")
    const lines = at.lines()
    expect((await at.call("session", "end")).stdout).toContain("has ended already")
    expect(at.lines()).toEqual(lines)
    expect((await at.call("session", "end", "nothing")).status).toBe(2)
  })
})

describe("what an assistant types", () => {
  test("is recorded without the secrets in it, and ordinary commands as they are", async () => {
    using at = world()
    const cwd = at.repository.root
    const recorded = async (commands: ReadonlyArray<string>, session_id: string) => {
      // A recorded command has at most 2,000 characters.
      for (let from = 0; from < commands.length; from += 20) {
        const command = commands.slice(from, from + 20).join("\n")
        const call = { tool_name: "Bash", tool_use_id: `toolu_${from}`, tool_input: { command } }
        expect(await at.event({ session_id, cwd, hook_event_name: "PreToolUse", ...call })).toEqual(silent)
      }
      const own = at.lines().map((line) => JSON.parse(line))
      return own
        .filter(({ session }) => session === session_id)
        .map(({ command }) => command)
        .join("\n")
    }
    const typed = await recorded(commandsWithSecrets, "5ec0")
    expect(typed.split("\n")).toHaveLength(commandsWithSecrets.length)
    expect(typed).not.toMatch(/hunter|correcthorse/)
    expect(await recorded(ordinaryCommands, "0rd1")).toBe(ordinaryCommands.join("\n"))
  })
})

describe("dd hook install", () => {
  test("adds the hooks beside foreign ones, records through them, and removes them to the same bytes", async () => {
    using at = world()
    const file = join(at.home, ".claude", "settings.json")
    mkdirSync(join(at.home, ".claude"))
    // Not as JSON.stringify would write it.
    const before =
      '{ "model": "opus",\n      "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]} }\n'
    writeFileSync(file, before, { mode: 0o640 })
    chmodSync(file, 0o640)
    expect(await at.call("hook", "install", "--claude", "--codex")).toMatchObject({ status: 0, stderr: "" })
    expect((await at.call("hook", "install", "--claude")).stdout).toContain("already installed")
    const settings = JSON.parse(readFileSync(file, "utf8"))
    expect(settings.hooks.Stop).toHaveLength(2)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    const { command } = settings.hooks.SessionStart[0].hooks[0]
    const payload = JSON.stringify(session(at.repository.root)[0])
    const shell = Bun.spawn(["sh", "-c", command], {
      env: { PATH: systemPath, HOME: at.home },
      stdin: new TextEncoder().encode(payload),
      stdout: "pipe"
    })
    expect([await new Response(shell.stdout).text(), await shell.exited]).toEqual(["", 0])
    // What is imported, and what the user marks, is of no hook.
    const imported = new CodexLines("5e55-codex", at.repository.root)
    imported.prompt("Fix the build")
    writeTranscript(codexPath(at.home, "5e55-codex"), imported.text)
    await at.call("session", "import")
    await at.call("session", "end", "5e55-codex")
    const { stdout } = await at.call("hook", "status")
    expect(stdout).toContain("Claude Code: installed, last event 20")
    expect(stdout).toContain("Codex: installed, nothing recorded yet")
    expect(stdout).toContain("Gemini CLI: not installed")
    await at.call("hook", "uninstall", "--claude", "--codex")
    expect(readFileSync(file, "utf8")).toBe(before)
    expect(existsSync(join(at.home, ".codex", "hooks.json"))).toBe(false)
  })

  test("what was edited meanwhile stays byte for byte, and only dd's hooks go", async () => {
    using at = world()
    const file = join(at.repository.root, ".gemini", "settings.json")
    mkdirSync(join(at.repository.root, ".gemini"))
    const before = '\uFEFF{\r\n\t// mine\r\n\t"id": 12345678901234567890, "ratio": 1.0,\r\n\t"hooks": {}\r\n}\r\n'
    const edit = (text: string) =>
      text.replace("// mine", "/* changed */").replace(/\r\n\}\r\n$/, ',\r\n\r\n\t"theme" : "dark"\r\n}\r\n')
    writeFileSync(file, before)
    expect((await at.call("hook", "install", "--gemini", "--project")).stdout).toContain("dd records 7 events")
    const during = readFileSync(file, "utf8")
    expect(during.replaceAll("\r\n", "")).not.toContain("\n")
    writeFileSync(file, edit(during))
    expect((await at.call("hook", "uninstall", "--gemini", "--project")).stdout).toContain("dd's hooks are removed")
    expect(readFileSync(file, "utf8")).toBe(edit(before))
  })

  test("an assistant with another folder for its settings has its hooks there", async () => {
    using at = world()
    const folders = { CLAUDE_CONFIG_DIR: join(at.home, "cc"), CODEX_HOME: join(at.home, "cx") }
    const call = (...args: ReadonlyArray<string>) =>
      run([dd, "hook", ...args], { cwd: at.repository.root, env: { ...at.env, ...folders } })
    await call("install", "--claude", "--codex")
    const files = [join(folders.CLAUDE_CONFIG_DIR, "settings.json"), join(folders.CODEX_HOME, "hooks.json")]
    expect(files.map((file) => existsSync(file))).toEqual([true, true])
    expect(existsSync(join(at.home, ".claude"))).toBe(false)
    expect((await call("status")).stdout).toContain(`${files[0]}: 11 of 11 events`)
    await call("uninstall", "--claude", "--codex")
    expect(files.map((file) => existsSync(file))).toEqual([false, false])
  })

  test("a link to settings that are not there yet stays, and its target gets the hooks", async () => {
    using at = world()
    mkdirSync(join(at.home, ".claude"))
    mkdirSync(join(at.home, "dot"))
    const link = join(at.home, ".claude", "settings.json")
    symlinkSync("../dot/claude.json", link)
    await at.call("hook", "install", "--claude")
    expect([readlinkSync(link), existsSync(join(at.home, "dot", "claude.json"))]).toEqual(["../dot/claude.json", true])
    await at.call("hook", "uninstall", "--claude")
    expect([readlinkSync(link), existsSync(join(at.home, "dot", "claude.json"))]).toEqual(["../dot/claude.json", false])
  })

  test("settings that are not UTF-8 are not changed", async () => {
    using at = world()
    mkdirSync(join(at.home, ".claude"))
    const file = join(at.home, ".claude", "settings.json")
    const bytes = Buffer.from('{"a":"\xff"}', "latin1")
    writeFileSync(file, bytes)
    const { status, stderr } = await at.call("hook", "install", "--claude")
    expect({ status, isNamed: stderr.includes("it is not UTF-8") }).toEqual({ status: 2, isNamed: true })
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  test("a link in a repository does not lead the hooks to another place; a link in the home directory is the user's own", async () => {
    using at = world()
    const elsewhere = join(at.home, "elsewhere")
    mkdirSync(elsewhere)
    for (const directory of [at.repository.root, at.home]) symlinkSync(elsewhere, join(directory, ".claude"))
    const { status, stderr } = await at.call("hook", "install", "--claude", "--project")
    expect({ status, isNamed: stderr.includes("it leads outside of the repository") }).toEqual({
      status: 2,
      isNamed: true
    })
    expect(existsSync(join(elsewhere, "settings.json"))).toBe(false)
    expect(await at.call("hook", "install", "--claude")).toMatchObject({ status: 0 })
    expect(existsSync(join(elsewhere, "settings.json"))).toBe(true)
  })

  test("a file that cannot be understood, or no assistant, is one clear error, and nothing is changed", async () => {
    using at = world()
    mkdirSync(join(at.home, ".claude"))
    const file = join(at.home, ".claude", "settings.json")
    writeFileSync(file, '{ "model": "opus" "a": 1 }')
    for (const action of ["install", "uninstall"]) {
      const { status, stderr } = await at.call("hook", action, "--claude")
      expect({ status, named: stderr.includes("settings.json was not changed: it is not valid JSON") }).toEqual({
        status: 2,
        named: true
      })
    }
    expect(readFileSync(file, "utf8")).toBe('{ "model": "opus" "a": 1 }')
    expect(await at.call("hook", "install")).toMatchObject({ status: 2 })
  })
})
