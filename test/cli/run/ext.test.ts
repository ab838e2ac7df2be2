import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cause, ConfigProvider, Effect, Exit, Result } from "effect"
import { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { extCommand, validateAll } from "../../../src/cli/run/ext.ts"
import { flowCommand } from "../../../src/cli/run/flow.ts"
import type { Facts } from "../../../src/domain/run/Facts.ts"
import { type ExtensionFile, type ExtensionStepFailed, extend, runnable } from "../../../src/services/run/Extensions.ts"
import { platformInConsole } from "../../support/cli/platformInConsole.ts"
import { it } from "../../support/effect.ts"
import { emptyRegistry } from "../../support/emptyRegistry.ts"
import { makeDirectory } from "../../support/repository.ts"

/** A home with these extensions, removed when the scope closes. */
const homeWith = (extensions: Readonly<Record<string, string>>) =>
  Effect.map(makeDirectory, (home) => {
    mkdirSync(join(home, "extensions"))
    for (const [name, text] of Object.entries(extensions)) {
      writeFileSync(join(home, "extensions", name), text)
      chmodSync(join(home, "extensions", name), 0o600)
    }
    chmodSync(join(home, "extensions"), 0o700)
    return home
  })

const root = Command.make("dd").pipe(Command.withSubcommands([extCommand, flowCommand]))

const running = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Command.runWith(root, { version: "0.0.0", renderErrors: false })(args))
    const out = (yield* TestConsole.logLines).join("\n").replaceAll(home, "~")
    return { out, error: Exit.isFailure(exit) ? Cause.squash(exit.cause) : null }
  }).pipe(
    Effect.provide(platformInConsole()),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ DD_HOME: home }))
  )

const documented = readFileSync(join(import.meta.dir, "../../../docs/extensions.md"), "utf8")
const example = /```ts example\n([\s\S]*?)```/.exec(documented)?.[1] ?? ""

describe("dd ext validate", () => {
  it.effect("reports that there are none, and succeeds", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({})
      expect(yield* running(home, "ext", "validate")).toEqual({
        out: "no extensions in ~/extensions (API version 1)",
        error: null
      })
    })
  )

  it.effect("reports what the documented example registers, as documented", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({ "todo-owner.ts": example })
      const { out, error } = yield* running(home, "ext", "validate")
      expect(error).toBe(null)
      expect(documented).toContain(`$ dd ext validate\n${out.replace("~", "/home/you/.daydream")}\n`)
    })
  )

  it.effect("names each broken file, why, and what to do, and fails with 1", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({
        "a.ts": "export const DAYDREAM_EXT_API = 2\nexport const register = () => {}",
        "b.ts":
          'export const DAYDREAM_EXT_API = 1\nexport const register = (r) => r.remove("deep", "arbitre\\u001b[31m")',
        "c.ts": "export const DAYDREAM_EXT_API = 1\nexport const register = () => {}"
      })
      const { out, error } = yield* running(home, "ext", "validate")
      expect(out).toContain("~/extensions/a.ts: broken\n  it is written for extension API 2; this dd has API 1")
      expect(out).toContain("To fix it: adapt it, then: export const DAYDREAM_EXT_API = 1")
      expect(out).toContain("~/extensions/b.ts: broken")
      expect(out).toContain("~/extensions/c.ts: valid, API version 1\n  registers nothing")
      expect(out).not.toContain("\u001b")
      expect(error).toMatchObject({ _tag: "ExtensionsNotValid", broken: 2, of: 3, "~effect/Runtime/errorExitCode": 1 })
    })
  )

  it.effect("reports the same in JSON", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({ "a.ts": "export const register = () => {}" })
      const { out, error } = yield* running(home, "ext", "validate", "--json")
      expect(JSON.parse(out)).toMatchObject({
        schema_version: 1,
        api: 1,
        extensions: [{ file: "~/extensions/a.ts", valid: false, reason: "it does not export DAYDREAM_EXT_API" }]
      })
      expect(error).toMatchObject({ broken: 1, of: 1 })
    })
  )

  it.effect("names the directory when that is what is wrong", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({})
      chmodSync(join(home, "extensions"), 0o777)
      const { out, error } = yield* running(home, "ext", "validate")
      expect(out).toContain("~/extensions: broken\n  it can be changed by everybody\n  To fix it: chmod go-w")
      expect(error).toMatchObject({ _tag: "ExtensionsNotValid" })
    })
  )

  test("checks the extensions after a broken one", () => {
    const file = (name: string, register: unknown): ExtensionFile => ({
      file: name,
      exports: Result.succeed({ DAYDREAM_EXT_API: 1, register })
    })
    const report = validateAll([
      file("a", () => {
        throw new Error("no")
      }),
      file("b", (r: { remove: (flow: string, name: string) => void }) => r.remove("deep", "commit"))
    ])
    expect(report.map(({ valid }) => valid)).toEqual([false, true])
  })
})

describe("the documented example", () => {
  it.effect("finds a TODO without an owner, and only that", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({ "todo-owner.ts": example })
      const exports: Record<string, unknown> = yield* Effect.promise(
        () => import(join(home, "extensions", "todo-owner.ts"))
      )
      const facts = (...texts: ReadonlyArray<string>): Facts => ({
        flow: "deep",
        step: "todo-owner",
        iteration: null,
        change: { description: "", base: "empty", head: "worktree", branch: null, commits: [] },
        files: [
          {
            path: "a.py",
            old_path: null,
            status: "modified",
            binary: false,
            added: texts.map((text, index) => ({ line: index + 1, text })),
            deleted: []
          }
        ],
        stacks: [],
        intent: "",
        findings: []
      })
      // The example edits flows, which this registry has not; its step is all that is wanted here.
      const deep = { name: "deep", description: "", entries: ["arbiter"] }
      const toStep = runnable<ReadonlyArray<number>, ExtensionStepFailed>({
        facts: () => facts("# TODO(ada): fine", "x = 1", "  # TODO later"),
        add: (_, records) => records.map(({ line }) => line),
        stopped: (state) => state,
        failed: (failure) => failure
      })
      const registry = emptyRegistry<ReturnType<typeof toStep>>()
      const arbiter = {
        ...toStep({
          name: "arbiter",
          phase: "",
          when: "",
          origin: "dd",
          definition: { name: "arbiter", run: () => undefined }
        })
      }
      const { registry: extended } = Result.getOrThrow(
        extend(
          { ...registry, flows: new Map([["deep", deep]]), steps: new Map([["arbiter", arbiter]]) },
          { file: "todo-owner.ts", exports: Result.succeed(exports) },
          toStep
        )
      )
      const step = extended.steps.get("todo-owner")!
      expect(step.enabled?.([])).toBe(true)
      expect(yield* step.run([])).toMatchObject({ _tag: "Continue", state: [3], summary: "1 finding" })
    })
  )
})

describe("dd flow", () => {
  it.effect("lists the flows, and those of extensions", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({
        "a.ts":
          'export const DAYDREAM_EXT_API = 1\nexport const register = (r) => r.defineFlow({ name: "quick", description: "Two steps", entries: ["intent", "arbiter"] })'
      })
      const { out } = yield* running(home, "flow", "list")
      expect(out.split("\n").map((line) => line.split(" ")[0])).toEqual([
        "deep",
        "shallow",
        "review",
        "prove",
        "pr-feedback",
        "quick"
      ])
      expect(out).toContain("(16 steps, 1 not in this build)")
      expect(out).toContain("quick        Two steps (2 steps)")
    })
  )

  it.effect("shows deep as its sixteen steps, with what is not in this build", () =>
    Effect.gen(function* () {
      const { out } = yield* running(yield* homeWith({}), "flow", "show", "deep")
      expect(out).toMatchSnapshot()
    })
  )

  it.effect("shows shallow with its loop group indented", () =>
    Effect.gen(function* () {
      const { out } = yield* running(yield* homeWith({}), "flow", "show", "shallow")
      expect(out).toMatchSnapshot()
    })
  )

  it.effect("shows a flow in JSON, with the extension a step comes from", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({ "todo-owner.ts": example })
      const { out } = yield* running(home, "flow", "show", "deep", "--json")
      const { entries } = JSON.parse(out)
      expect(entries[5]).toEqual({
        name: "todo-owner",
        phase: "todo-owner",
        when: "when the change adds a line with TODO",
        origin: "~/extensions/todo-owner.ts",
        available: true,
        reason: null
      })
      expect(entries.at(-1)).toMatchObject({ name: "commit", available: true, when: "with --fix" })
    })
  )

  it.effect("fails with 2 for an unknown flow, and suggests the nearest", () =>
    Effect.gen(function* () {
      const { error } = yield* running(yield* homeWith({}), "flow", "show", "depe")
      expect(error).toMatchObject({ _tag: "FlowUnknown", suggestion: "deep", "~effect/Runtime/errorExitCode": 2 })
    })
  )

  it.effect("shows nothing while an extension is broken, and fails with 2", () =>
    Effect.gen(function* () {
      const { out, error } = yield* running(yield* homeWith({ "a.ts": "export const x = 1" }), "flow", "list")
      expect(out).toBe("")
      expect(error).toMatchObject({ _tag: "ExtensionBroken", "~effect/Runtime/errorExitCode": 2 })
    })
  )
})
