/** The three CLIs keep the backend contract, and what else they promise, with executables that speak the real formats. */
import { afterAll, describe, expect } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Deferred, Effect, Exit, Fiber, Layer, Random, Ref, Stream } from "effect"
import type { Task } from "../../../../src/domain/agent/Task.ts"
import type { AgentEvent } from "../../../../src/domain/run/AgentEvent.ts"
import { Backend, type BackendError, type NoModel, type Repair } from "../../../../src/services/agent/Backend.ts"
import { EndGrace } from "../../../../src/services/system/Subprocess.ts"
import { type Block, backendContract } from "../../../support/backendContract.ts"
import { everyTask, fixTask } from "../../../support/builders.ts"
import { type CliName, cliNames } from "../../../support/cli/protocols.ts"
import { type World, world } from "../../../support/cli/world.ts"
import { it } from "../../../support/effect.ts"
import * as Memory from "../../../support/MemoryRecorder.ts"
import { isRunning, scratch } from "../../../support/process.ts"

const [intent] = everyTask as [Task]
const places: Array<string> = []
afterAll(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true })
})

/** A temporary working tree with these files. */
const treeOf = (files: Readonly<Record<string, string>>): string => {
  const { path } = scratch()
  places.push(path)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

const openFile = "import os\nf = open(p)\n"
const tasks = everyTask.map((task) =>
  task._tag === "Fix" ? fixTask({ root: treeOf({ "src/a.py": openFile }), allow: [] }) : task
)

const placed = (name: CliName, given: World | string) => {
  const place = scratch().path
  places.push(place)
  return { place, ...world(name, place, typeof given === "string" ? { scenario: given } : given) }
}

const waitFor = (holds: () => boolean) =>
  Effect.promise(async () => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
  })

const heard = (task: Task = intent, repair?: Repair) =>
  Backend.use((backend) => Stream.runCollect(backend.execute(task, repair)))

/** What is heard before a failure, and the failure. */
const heardAndFailed = Effect.gen(function* () {
  const backend = yield* Backend
  const events: Array<AgentEvent> = []
  const exit = yield* Effect.exit(
    Stream.runForEach(backend.execute(intent), (event) => Effect.sync(() => events.push(event)))
  )
  return { events, exit }
})

const failureIn = (exit: Exit.Exit<unknown, BackendError | NoModel>): BackendError | NoModel | null =>
  Exit.match(exit, {
    onSuccess: () => null,
    onFailure: (cause) => {
      const [first] = cause.reasons
      return first?._tag === "Fail" ? first.error : null
    }
  })

const failing = (layer: Layer.Layer<Backend>) =>
  Effect.map(Effect.provide(heardAndFailed, layer), ({ events, exit }) => {
    const error = failureIn(exit)
    return {
      events,
      error,
      retryable: error?._tag === "BackendFailed" ? error.retryable : null,
      words: error?.message ?? ""
    }
  })

/** Begins and hangs; when the stream is over, its process must be. */
const hanging =
  (name: CliName) =>
  ({ began, stopped }: Block): Layer.Layer<Backend> => {
    const { cli, layer } = placed(name, "hang")
    const watched = Layer.effect(
      Backend,
      Backend.use((backend) =>
        Effect.succeed({
          ...backend,
          execute: (task: Task) =>
            Stream.unwrap(
              Effect.as(
                Effect.addFinalizer(() => Ref.set(stopped, !cli.pids().some(isRunning))),
                backend.execute(task)
              )
            )
        })
      )
    ).pipe(Layer.provide(layer))
    const seen = waitFor(() => cli.pids().length > 0).pipe(Effect.andThen(Deferred.succeed(began, undefined)))
    return Layer.merge(watched, Layer.effectDiscard(Effect.forkScoped(seen)))
  }

for (const name of cliNames) {
  backendContract(name, {
    tasks,
    answering: placed(name, "answer").layer,
    blocking: hanging(name),
    usingTools: placed(name, "tools").layer
  })
  backendContract(`${name}, in prose,`, {
    tasks,
    answering: placed(name, "prose").layer,
    blocking: hanging(name),
    prose: true
  })
}

const commandLines: Readonly<Record<CliName, ReadonlyArray<string>>> = {
  claude: [
    "-p",
    "--output-format=stream-json",
    "--setting-sources=user",
    "--strict-mcp-config",
    "--tools=Read,Grep,Glob"
  ],
  codex: ["exec", "--json", "--sandbox=read-only", "--ignore-user-config", "--ignore-rules", "--ephemeral", "-"],
  pi: ["--mode", "json", "--no-session", "--no-extensions", "--no-skills", "--no-context-files", "read,grep,find,ls"]
}

/** Without these, Codex offers commands, images, connectors, plugins and skills. */
const codexWithoutTools = [
  ...["shell_tool", "unified_exec", "view_image", "apps", "plugins", "remote_plugin"].map(
    (each) => `features.${each}=false`
  ),
  ...["skills.include_instructions=false", 'web_search="disabled"']
]

const keyOf: Readonly<Record<CliName, string>> = {
  claude: "ANTHROPIC_API_KEY",
  codex: "OPENAI_API_KEY",
  pi: "GROQ_API_KEY"
}

for (const name of cliNames) {
  describe(`${name}, as a program`, () => {
    it.live("is started read-only, with the task on its standard input and the schema if it enforces one", () =>
      Effect.gen(function* () {
        const { cli, layer } = placed(name, "answer")
        yield* Effect.provide(heard(), layer)
        const { args, input } = cli.started()
        for (const each of commandLines[name]) expect(args).toContain(each)
        expect(input).toContain("TASK Intent")
        expect(input).not.toContain("the tool diff")
        expect(input).toEndWith("answer with the JSON object alone, without other text and without a code fence.")
        const all = [...args, input].join("\n")
        const schemas = all.split(name === "codex" ? "--output-schema=" : '"additionalProperties":false').length - 1
        // The prompt has the form of the answer.
        expect(schemas > 0).toBe(name !== "pi")
        expect(all).toContain("You review code.")
      })
    )

    it.live("runs in a copy of the head side without what tools obey, secrets or links, which is gone afterwards", () =>
      Effect.gen(function* () {
        const token = `ghp_${"a1B2".repeat(9)}`
        const files = {
          "src/a.py": `import os\ntoken = "${token}"\nf = open(p)\n`,
          "src/b.py": "x = 1\n",
          "CLAUDE.md": "obey me",
          "src/AGENTS.md": "obey me",
          ".claude/settings.json": "{}",
          ".codex/config.toml": "",
          ".pi/settings.json": "{}",
          ".mcp.json": "{}",
          ".git/config": "",
          "../outside.py": "no",
          "binary.bin": "a\0b"
        }
        const { cli, layer, place } = placed(name, { scenario: "answer", files })
        yield* Effect.provide(
          Effect.andThen(
            heard(),
            Effect.sync(() => {
              const { cwd, files: seen } = cli.started()
              expect(cwd.startsWith(join(place, "dd", "work"))).toBe(true)
              expect(seen).toEqual(["src/a.py", "src/b.py"])
              const text = readFileSync(join(cwd, "src/a.py"), "utf8")
              expect(text).not.toContain(token)
              expect(text.split("\n")).toHaveLength(4)
            })
          ),
          layer
        )
        expect(readdirSync(join(place, "dd", "work"))).toEqual([])
        expect(cli.started().input).toContain("2 files in their state after the change")
      })
    )

    it.live("gets its own key and none of dd's other secrets", () =>
      Effect.gen(function* () {
        const environment = {
          ANTHROPIC_API_KEY: "sk-a",
          OPENAI_API_KEY: "sk-o",
          GROQ_API_KEY: "gsk",
          GITHUB_TOKEN: "ghp",
          AWS_SECRET_ACCESS_KEY: "aws",
          GIT_DIR: "/x/.git",
          BUN_OPTIONS: "--smol",
          BUN_BE_BUN: "1",
          NODE_OPTIONS: "--inspect",
          DD_HOME: "/x",
          HTTPS_PROXY: "http://proxy"
        }
        const { cli, layer } = placed(name, { scenario: "answer", environment, options: { provider: "groq" } })
        yield* Effect.provide(heard(), layer)
        const seen = cli.started().environment
        expect(seen[keyOf[name]]).toBe(environment[keyOf[name] as keyof typeof environment])
        expect(seen.HTTPS_PROXY).toBe("http://proxy")
        const others = Object.keys(environment).filter((each) => each !== keyOf[name] && each !== "HTTPS_PROXY")
        expect(others.filter((each) => each in seen)).toEqual([])
      })
    )

    it.live("reports what was wrong when it repeats the request", () =>
      Effect.gen(function* () {
        const { cli, layer } = placed(name, "answer")
        yield* Effect.provide(heard(intent, { answer: "{}", fault: "intent is missing" }), layer)
        expect(cli.started().input).toContain("It was {}: intent is missing")
      })
    )

    it.live("takes the model and the effort that were requested", () =>
      Effect.gen(function* () {
        const { cli, layer } = placed(name, { scenario: "answer", options: { model: "m-1", effort: "high" } })
        const model = yield* Effect.provide(
          Effect.andThen(
            heard(),
            Backend.use((backend) => Effect.succeed(backend.model))
          ),
          layer
        )
        const args = cli.started().args.join(" ")
        expect(model).toBe("m-1")
        expect(args).toMatch(/--model[= ]m-1/)
        expect(args).toContain("high")
      })
    )

    it.live("has no tools where the task has none", () =>
      Effect.gen(function* () {
        const { cli, layer } = placed(name, { scenario: "answer", prompt: { tools: "none" } })
        yield* Effect.provide(heard(), layer)
        const { args, files, input } = cli.started()
        expect(files).toEqual([])
        expect(input).toContain("there are no files to read")
        if (name !== "codex") expect(args.join(" ")).not.toContain("ead,")
        else for (const each of codexWithoutTools) expect(args[args.indexOf(each) - 1]).toBe("-c")
      })
    )

    it.live("may write text around its reply, which is passed on unchanged", () =>
      Effect.gen(function* () {
        const events = yield* Effect.provide(heard(), placed(name, "prose").layer)
        expect(events.at(-1)).toMatchObject({ _tag: "Result", output: null })
        const text = events.map((event) => (event._tag === "Text" ? event.text : "")).join("")
        expect(text).toContain('{"intent":"Open a file."}')
      })
    )

    it.live("reports prompt tokens including cached ones, its model and its cost", () =>
      Effect.gen(function* () {
        const events = yield* Effect.provide(heard(), placed(name, "tools").layer)
        // The first only announces the turn.
        const measured = events.filter((event) => event._tag === "Metrics").slice(1)
        expect(measured.length).toBeGreaterThan(0)
        for (const each of measured) {
          expect(each.cachedTokens).not.toBeNull()
          expect(each.promptTokens).toBeGreaterThan(each.cachedTokens ?? 0)
        }
        const cost = events.filter((event) => event._tag === "Cost")
        // Codex tells of no cost, and of tokens only once.
        expect(cost).toHaveLength(name === "codex" ? 0 : 1)
        if (name !== "codex") expect(cost[0]?.costUsd).toBeGreaterThan(0)
      })
    )

    for (const scenario of ["slow", "unknown", "noise", "thinking", "linger"]) {
      it.live(`answers all the same: ${scenario}`, () =>
        Effect.gen(function* () {
          const { cli, layer } = placed(name, scenario)
          const events = yield* Effect.provide(heard(), layer)
          expect(events.at(-1)).toMatchObject({ _tag: "Result", output: { intent: "Open a file." } })
          if (scenario === "thinking") expect(events.filter((event) => event._tag === "Thinking")).toHaveLength(10_000)
          expect(cli.pids().some(isRunning)).toBe(false)
        })
      )
    }

    for (const [scenario, lost] of [
      ["malformed", 2],
      ["huge", 1]
    ] as const) {
      it.live(`answers all the same, and reports what could not be read: ${scenario}`, () =>
        Effect.gen(function* () {
          const { layer } = placed(name, scenario)
          yield* Effect.gen(function* () {
            const events = yield* heard()
            expect(events.at(-1)).toMatchObject({ _tag: "Result", output: { intent: "Open a file." } })
            const recorded = yield* Ref.get(yield* Memory.RecordedEvents)
            const lines = lost === 1 ? "line" : "lines"
            expect(recorded).toMatchObject([
              {
                _tag: "Degraded",
                step: "intent",
                error: "CliOutputUnreadable",
                detail: `${lost} ${lines} printed by ${name} could not be read`
              }
            ])
          }).pipe(Effect.provide(layer))
        })
      )
    }

    for (const [scenario, retryable, words] of [
      ["cut", true, "ended without an answer"],
      ["exit", false, "exit code 3"],
      ["refused", false, "Not logged in"],
      ["late-exit", false, "exit code 9"],
      ["overloaded", true, "429 Too Many Requests"],
      ["killed", true, "exit code 137"]
    ] as const) {
      it.live(`fails and reports why: ${scenario}`, () =>
        Effect.gen(function* () {
          const failed = yield* failing(placed(name, scenario).layer)
          expect(failed.words).toContain(words)
          expect(failed.retryable).toBe(retryable)
          expect(failed.events.some((event) => event._tag === "Result")).toBe(false)
          if (scenario === "exit") expect(failed.words).toContain("lacks an option that dd needs")
        })
      )
    }

    it.live("stalls when it is silent for too long, and leaves no process", () =>
      Effect.gen(function* () {
        const { cli, layer } = placed(name, { scenario: "hang", idle: "300 millis" })
        const failed = yield* failing(layer)
        expect(failed.words).toContain("printed nothing for too long")
        expect(failed.retryable).toBe(true)
        expect(cli.pids().some(isRunning)).toBe(false)
      })
    )

    it.live("is reported as missing if PATH has none, and never taken from the repository under review", () =>
      Effect.gen(function* () {
        const missing = yield* failing(placed(name, { scenario: "answer", environment: { PATH: "/nowhere" } }).layer)
        expect(missing.error?._tag).toBe("BackendUnavailable")
        expect(missing.words).toContain(`${name} is not on PATH`)
        const place = scratch().path
        places.push(place)
        const inside = world(name, place, { scenario: "answer", options: { reviewed: place } })
        const refused = yield* failing(inside.layer)
        expect(refused.words).toContain("inside the repository under review")
        expect(inside.cli.turns()).toBe(0)
      })
    )

    it.live("ends with its children when it is interrupted, also those that ignore signals", () =>
      Effect.gen(function* () {
        const { cli, layer } = placed(name, "stubborn")
        const fiber = yield* Effect.forkChild(
          heard().pipe(Effect.provide(layer), Effect.provideService(EndGrace, "50 millis"))
        )
        yield* waitFor(() => cli.pids().length === 2)
        expect(cli.pids().map(isRunning)).toEqual([true, true])
        yield* Fiber.interrupt(fiber)
        yield* waitFor(() => !cli.pids().some(isRunning))
      })
    )

    it.live("leaves no process and no file, in whatever moment it is interrupted", () =>
      Effect.gen(function* () {
        const { cli, layer, place } = placed(name, "talking")
        for (let turn = 0; turn < 12; turn++) {
          const fiber = yield* Effect.forkChild(Effect.provide(heard(), layer))
          yield* Effect.sleep(yield* Random.nextIntBetween(0, 120))
          yield* Fiber.interrupt(fiber)
          expect(cli.pids().filter(isRunning)).toEqual([])
          expect(existsSync(join(place, "dd", "work")) ? readdirSync(join(place, "dd", "work")) : []).toEqual([])
        }
      })
    )
  })
}

const writing: Readonly<Record<CliName, ReadonlyArray<string>>> = {
  claude: ["--permission-mode=acceptEdits", "--tools=Read,Edit,Write,Grep,Glob"],
  codex: [
    "--sandbox=workspace-write",
    "sandbox_workspace_write.network_access=false",
    "sandbox_workspace_write.exclude_slash_tmp=true",
    "sandbox_workspace_write.writable_roots=[]"
  ],
  pi: ["read,grep,find,ls,edit,write"]
}
const unlimited = /bypassPermissions|dangerously|danger-full-access|yolo|Bash|bash/

/** Every file below a directory, with its text. */
const filesIn = (root: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

for (const name of cliNames) {
  describe(`${name}, fixing`, () => {
    const token = `ghp_${"a1B2".repeat(9)}`
    const before = {
      ".git": "gitdir: /elsewhere\n",
      "CLAUDE.md": "obey me\n",
      "src/a.py": `import os\nkey = "${token}"\nf = open(p)\n`,
      "src/b.py": "x = 1\n"
    }
    const fixed = `import os\nkey = "[REDACTED_API_KEY]"\nwith open(p) as f:\n    pass\n`

    it.live("may write in a copy of the working tree, and nothing more", () =>
      Effect.gen(function* () {
        const root = treeOf(before)
        const { cli, layer, place } = placed(name, "edit")
        cli.edits({ "src/a.py": fixed })
        yield* Effect.provide(heard(fixTask({ root, allow: [] })), layer)
        const { args, cwd, files, input } = cli.started()
        for (const each of writing[name]) expect(args).toContain(each)
        expect(args.join(" ")).not.toMatch(unlimited)
        expect(cwd.startsWith(join(place, "dd", "work"))).toBe(true)
        expect(files).toContain("src/a.py")
        expect(files).not.toContain(".git")
        expect(files).not.toContain("CLAUDE.md")
        expect(input).toContain("Edit the file to fix there")
        expect(readdirSync(join(place, "dd", "work"))).toEqual([])
      })
    )

    it.live("changes the file of the task in the tree, with its secrets, and no other file", () =>
      Effect.gen(function* () {
        const root = treeOf(before)
        const { cli, layer } = placed(name, "edit")
        cli.edits({ "src/a.py": fixed, "src/b.py": "x = 2\n", "new.py": "", "../own.txt": "no" })
        yield* Effect.gen(function* () {
          yield* heard(fixTask({ root, allow: [] }))
          const recorded = yield* Ref.get(yield* Memory.RecordedEvents)
          const detail = `${name} also changed new.py, src/b.py; these changes are dropped`
          expect(recorded).toMatchObject([{ _tag: "Degraded", step: "fix:src/a.py", error: "EditsDropped", detail }])
        }).pipe(Effect.provide(layer))
        expect(filesIn(root)).toEqual({
          ...before,
          "src/a.py": `import os\nkey = "${token}"\nwith open(p) as f:\n    pass\n`
        })
      })
    )

    it.live("sees the tree as it is now, and may delete and create the file", () =>
      Effect.gen(function* () {
        const root = treeOf(before)
        const { cli, layer } = placed(name, "edit")
        const fix = (edits: Readonly<Record<string, string | null>>) =>
          Effect.gen(function* () {
            cli.edits(edits)
            yield* heard(fixTask({ root, allow: [] }))
          }).pipe(Effect.provide(layer))
        yield* fix({ "src/a.py": null })
        const { "src/a.py": _, ...others } = before
        expect(filesIn(root)).toEqual(others)
        yield* fix({ "src/a.py": "1\n" })
        expect(cli.started(1).files).not.toContain("src/a.py")
        expect(filesIn(root)).toEqual({ ...before, "src/a.py": "1\n" })
      })
    )

    for (const [reason, path, files, edited, allow] of [
      [
        "other programs run or write it",
        ".github/workflows/ci.yml",
        { ".github/workflows/ci.yml": "on: push\n" },
        "x",
        []
      ],
      ["it configures coding tools", "src/AGENTS.md", { "src/AGENTS.md": "x\n" }, "y", []],
      ["it is not UTF-8 text", "bin", { bin: "a\0b" }, "y", []],
      ["replaces text that is not known", "src/a.py", before, 'key = "[REDACTED_OTHER_TOKEN]"\n', []],
      ["its new version is not UTF-8 text", "src/a.py", before, "a\0b", []]
    ] as const) {
      it.live(`fails and changes nothing: ${reason}`, () =>
        Effect.gen(function* () {
          const root = treeOf(files)
          const { cli, layer } = placed(name, "edit")
          cli.edits({ [path]: edited })
          const exit = yield* Effect.exit(Effect.provide(heard(fixTask({ root, allow }, { path })), layer))
          const error = failureIn(exit)
          expect(error?.message).toContain(reason)
          expect(error?._tag === "BackendFailed" && error.retryable).toBe(false)
          expect(filesIn(root)).toEqual(files)
        })
      )
    }

    it.live("writes a guarded file that is allowed", () =>
      Effect.gen(function* () {
        const path = ".github/workflows/ci.yml"
        const root = treeOf({ [path]: "on: push\n" })
        const { cli, layer } = placed(name, "edit")
        cli.edits({ [path]: "on: pull_request\n" })
        yield* Effect.provide(heard(fixTask({ root, allow: ["ci"] }, { path })), layer)
        expect(filesIn(root)).toEqual({ [path]: "on: pull_request\n" })
      })
    )

    it.live("leaves the tree as it was if it ends without an answer or is interrupted", () =>
      Effect.gen(function* () {
        const root = treeOf(before)
        const cut = placed(name, "edit-cut")
        cut.cli.edits({ "src/a.py": fixed })
        const exit = yield* Effect.exit(Effect.provide(heard(fixTask({ root, allow: [] })), cut.layer))
        expect(failureIn(exit)).toMatchObject({ _tag: "BackendFailed", retryable: true })
        expect(filesIn(root)).toEqual(before)

        const { cli, layer, place } = placed(name, "edit-hang")
        cli.edits({ "src/a.py": fixed })
        const fiber = yield* Effect.forkChild(Effect.provide(heard(fixTask({ root, allow: [] })), layer))
        yield* waitFor(() => cli.pids().length > 0)
        yield* Fiber.interrupt(fiber)
        expect(cli.pids().some(isRunning)).toBe(false)
        expect(filesIn(root)).toEqual(before)
        expect(readdirSync(join(place, "dd", "work"))).toEqual([])
      })
    )
  })
}
