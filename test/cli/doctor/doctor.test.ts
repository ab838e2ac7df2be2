import { describe, expect, test } from "bun:test"
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cause, ConfigProvider, Effect, Exit } from "effect"
import { Command } from "effect/cli"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { TestConsole } from "effect/testing"
import { doctorCommand, nameChecks, ProblemsFound, type Report } from "../../../src/cli/doctor/doctor.ts"
import { install } from "../../support/cli/install.ts"
import { platformInConsole } from "../../support/cli/platformInConsole.ts"
import { it } from "../../support/effect.ts"
import { inside, scratch, systemPath } from "../../support/process.ts"

const root = Command.make("dd").pipe(Command.withSubcommands([doctorCommand]))

/** Nobody is asked: a request is a failure of the test. */
const offline: typeof globalThis.fetch = Object.assign(
  () => {
    throw new Error("somebody was asked")
  },
  { preconnect: () => undefined }
)

const running = (
  environment: Readonly<Record<string, string>>,
  args: ReadonlyArray<string>,
  fetch: typeof globalThis.fetch = offline
) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(
      Command.runWith(root, { version: "0.0.0", renderErrors: false })(["doctor", ...args])
    )
    const out = (yield* TestConsole.logLines).join("\n")
    return { out, error: Exit.isFailure(exit) ? Cause.squash(exit.cause) : null }
  }).pipe(
    Effect.provide(platformInConsole()),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { ...environment } })),
    Effect.provideService(FetchHttpClient.Fetch, fetch)
  )

const report = (...given: Parameters<typeof running>) =>
  Effect.map(running(given[0], [...given[1], "--format", "json"], given[2]), ({ error, out }) => {
    const read: Report = JSON.parse(out)
    const stateOf = (subject: string) => read.checks.find((check) => check.subject === subject)
    return { error, out, read, stateOf, backend: (name: string) => read.backends.find((each) => each.name === name) }
  })

const homeIn = (place: string) => {
  const home = inside(place, "home")
  chmodSync(home, 0o700)
  return home
}

describe("dd doctor", () => {
  it.effect("reports that a home below a file cannot be made", () =>
    Effect.gen(function* () {
      using place = scratch()
      const { out } = yield* running({ PATH: systemPath, DD_HOME: "/dev/null/.daydream" }, [place.path])
      expect(out).toContain("/dev/null/.daydream cannot be created: /dev/null is not a directory")
    })
  )

  it.effect("reports no problem where there is none, uses no network and leaves no files behind", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = join(place.path, "not-there")
      const { error, out } = yield* running({ PATH: systemPath, DD_HOME: home }, [place.path])
      expect(error).toBeNull()
      expect(out).toContain("No problems found.")
      expect(out).toContain("created by the first review")
      expect(existsSync(home)).toBe(false)
      expect(readdirSync(place.path)).toEqual([])
    })
  )

  it.effect("names the variable of a key that is set, never the key", () =>
    Effect.gen(function* () {
      using place = scratch()
      const environment = { PATH: systemPath, DD_HOME: homeIn(place.path), ANTHROPIC_API_KEY: "sk-ant-verysecret123" }
      const { backend, out } = yield* report(environment, [place.path])
      expect(out).not.toContain("verysecret")
      expect(backend("anthropic")).toMatchObject({
        usable: true,
        variable: { name: "ANTHROPIC_API_KEY", set: true },
        reachable: null,
        words: "ANTHROPIC_API_KEY is set; not contacted (--online contacts it)"
      })
      expect(backend("openai")).toMatchObject({ usable: false, variable: { name: "OPENAI_API_KEY", set: false } })
    })
  )

  it.effect("contacts services only with the flag and their key, and reports their answers", () =>
    Effect.gen(function* () {
      using place = scratch()
      const asked: Array<readonly [string, string | null]> = []
      const answering = (status: number): typeof globalThis.fetch =>
        Object.assign(
          (url: string | URL | Request, init?: RequestInit) => {
            const headers = new Headers(init?.headers)
            asked.push([String(url), headers.get("x-api-key") ?? headers.get("authorization")])
            return Promise.resolve(new Response("{}", { status }))
          },
          { preconnect: () => undefined }
        )
      const environment = {
        PATH: systemPath,
        DD_HOME: homeIn(place.path),
        ANTHROPIC_API_KEY: "k-1\n",
        OPENAI_API_KEY: "k-2"
      }
      const fine = yield* report(environment, [place.path, "--online"], answering(200))
      expect(fine.backend("anthropic")).toMatchObject({ usable: true, reachable: true })
      expect(asked).toEqual([
        ["https://api.anthropic.com/v1/models", "k-1"],
        ["https://api.openai.com/v1/models", "Bearer k-2"]
      ])
    })
  )

  it.effect("reports that a service refuses a key, or is not there", () =>
    Effect.gen(function* () {
      using place = scratch()
      const environment = {
        PATH: systemPath,
        DD_HOME: homeIn(place.path),
        OPENAI_API_KEY: "k-2",
        DD_BACKEND: "openai"
      }
      const refusing: typeof globalThis.fetch = Object.assign(
        () => Promise.resolve(new Response("", { status: 401 })),
        {
          preconnect: () => undefined
        }
      )
      const refused = yield* report(environment, [place.path, "--online"], refusing)
      expect(refused.backend("openai")?.words).toContain("refuses the key (401)")
      expect(refused.backend("openai")).toMatchObject({ usable: false, reachable: true })
      expect(refused.error).toBeInstanceOf(ProblemsFound)
    })
  )

  it.effect("takes nothing for a key that no header can carry", () =>
    Effect.gen(function* () {
      using place = scratch()
      const environment = { PATH: systemPath, DD_HOME: homeIn(place.path), ANTHROPIC_API_KEY: "two words" }
      const { backend, out } = yield* report(environment, [place.path, "--online"])
      expect(backend("anthropic")).toMatchObject({ usable: false, reachable: null })
      expect(backend("anthropic")?.words).toContain("ANTHROPIC_API_KEY is not a key")
      expect(out).not.toContain("two words")
    })
  )

  const whole = 'backend = "anthropic"\n[anthropic]\nat = "bedrock"\nmodel = "m"\nregion = "eu-west-1"\n'
  for (const [config, usable, words] of [
    [whole, true, "at bedrock in eu-west-1"],
    [whole.replace(/region.*/, ""), false, "anthropic.region"],
    [whole.replace(/model.*/, ""), false, "anthropic.model"],
    [whole.replace("bedrock", "vertex"), false, "anthropic.project"]
  ] as const) {
    it.effect(`asks for no key of the vendor's where Claude answers at a cloud: ${words}`, () =>
      Effect.gen(function* () {
        using place = scratch()
        const home = homeIn(place.path)
        writeFileSync(join(home, "config.toml"), config, { mode: 0o600 })
        const { backend, error } = yield* report({ PATH: systemPath, DD_HOME: home }, [place.path, "--online"])
        expect(error === null).toBe(usable)
        expect(backend("anthropic")).toMatchObject({ usable, variable: null, reachable: null })
        expect(backend("anthropic")?.words).toContain(words)
      })
    )
  }

  it.effect("reports that no server answers at an address", () =>
    Effect.gen(function* () {
      using place = scratch()
      const environment = { PATH: systemPath, DD_HOME: homeIn(place.path), OPENAI_API_KEY: "k-2" }
      const { backend } = yield* report(environment, [place.path, "--online"])
      expect(backend("openai")).toMatchObject({ usable: false, reachable: false })
      expect(backend("openai")?.words).toContain("unreachable")
    })
  )

  it.effect("finds coding CLIs with their version, and reports why one cannot be used", () =>
    Effect.gen(function* () {
      using place = scratch()
      const bin = inside(place.path, "bin")
      install(bin, "claude", "answer", {})
      writeFileSync(join(bin, "codex"), "#!/bin/sh\necho broken >&2\nexit 4\n")
      chmodSync(join(bin, "codex"), 0o755)
      writeFileSync(join(bin, "pi"), "not executable")
      const { backend } = yield* report({ PATH: `${bin}:${systemPath}`, DD_HOME: homeIn(place.path) }, [place.path])
      expect(backend("claude")).toMatchObject({
        usable: true,
        program: join(bin, "claude"),
        version: "2.1.114 (Claude Code)"
      })
      expect(backend("codex")).toMatchObject({ usable: false, version: null })
      expect(backend("codex")?.words).toContain("--version ended with exit code 4")
      expect(backend("pi")?.words).toBe("pi is not on PATH")
    })
  )

  it.effect("never runs a CLI from the current repository, although it is on PATH", () =>
    Effect.gen(function* () {
      using place = scratch()
      const repository = inside(place.path, "repository")
      Bun.spawnSync(["git", "init", "-q", repository], { env: { PATH: systemPath } })
      const bin = inside(repository, "node_modules", ".bin")
      install(bin, "claude", "answer", {})
      const { backend } = yield* report({ PATH: `${bin}:${systemPath}`, DD_HOME: homeIn(place.path) }, [repository])
      expect(backend("claude")).toMatchObject({ usable: false })
      expect(backend("claude")?.words).toContain("inside the repository under review")
    })
  )

  it.effect("ends with 1 if a configured backend cannot be used", () =>
    Effect.gen(function* () {
      using place = scratch()
      const environment = { PATH: systemPath, DD_HOME: homeIn(place.path), DD_BACKEND: "codex" }
      const { error, stateOf } = yield* report(environment, [place.path])
      expect(stateOf("codex")?.state).toBe("problem")
      expect(error).toBeInstanceOf(ProblemsFound)
      expect(error).toMatchObject({ problems: 1, hasGit: true })
    })
  )

  it.effect("ends with 1 if others may read dd's directory, and reports how to fix it", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = homeIn(place.path)
      chmodSync(home, 0o755)
      writeFileSync(join(home, "config.toml"), "")
      chmodSync(join(home, "config.toml"), 0o666)
      const { error, stateOf } = yield* report({ PATH: systemPath, DD_HOME: home }, [place.path])
      expect(stateOf("home")).toMatchObject({
        state: "problem",
        words: `other users may read ${home} (0755): run chmod 700 on it`
      })
      expect(stateOf("config.toml")?.state).toBe("problem")
      expect(error).toMatchObject({ problems: 2 })
    })
  )

  it.effect("shows everything that is wrong with settings and extensions, and goes on", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = homeIn(place.path)
      writeFileSync(join(home, "config.toml"), 'fail_on = "sometimes"\nnonsense = 1\n')
      chmodSync(join(home, "config.toml"), 0o600)
      mkdirSync(join(home, "extensions"), { mode: 0o700 })
      writeFileSync(join(home, "extensions", "bad.ts"), "export const nothing = 1\n", { mode: 0o600 })
      const { read } = yield* report({ PATH: systemPath, DD_HOME: home }, [place.path])
      const wrong = read.checks.filter(({ state }) => state === "problem")
      expect(wrong.map(({ area }) => area).sort()).toEqual(["extensions", "settings", "settings"])
      expect(read.backends).toEqual([])
    })
  )

  it.effect("finds an archive whose index is damaged, and leaves it as it is", () =>
    Effect.gen(function* () {
      using place = scratch()
      const home = homeIn(place.path)
      const archive = inside(home, "archive")
      chmodSync(archive, 0o700)
      writeFileSync(join(archive, "index.db"), "this is no database, however long it may be".repeat(100))
      const { stateOf } = yield* report({ PATH: systemPath, DD_HOME: home }, [place.path])
      expect(stateOf("index")?.state).toBe("problem")
      expect(stateOf("index")?.words).toContain("dd archive rebuild-index")
      expect(readdirSync(archive)).toEqual(["index.db"])
    })
  )

  it.effect("ends with 3 where there is no git", () =>
    Effect.gen(function* () {
      using place = scratch()
      const { error, stateOf } = yield* report({ PATH: inside(place.path, "empty"), DD_HOME: homeIn(place.path) }, [
        place.path
      ])
      expect(stateOf("git")?.state).toBe("problem")
      expect(error).toMatchObject({ hasGit: false })
    })
  )
})

describe("what dd is", () => {
  const executable = (path: string) => {
    writeFileSync(path, `#!/bin/sh\n# ${path}\n`)
    chmodSync(path, 0o755)
    return path
  }

  test("is recognised by the file, under any name", () => {
    using place = scratch()
    const [one, two] = [inside(place.path, "one"), inside(place.path, "two")]
    const self = executable(join(one, "daydream"))
    const coreutils = executable(join(two, "dd"))
    expect(nameChecks(`${two}:${one}`, self).map(({ state, words }) => [state, words])).toEqual([
      ["note", `${coreutils}, another program or another version of dd (this one is ${self})`],
      ["ok", `${self}, this program`]
    ])
    copyFileSync(self, join(two, "daydream"))
    expect(nameChecks(two, self)[1]).toMatchObject({
      state: "ok",
      words: `${join(two, "daydream")}, a copy of this program (${self})`
    })
    symlinkSync(self, join(one, "dd"))
    expect(nameChecks(`${one}:${two}`, self)[0]).toMatchObject({
      state: "ok",
      words: `${join(one, "dd")}, this program; calls with operands go to ${coreutils}`
    })
    expect(nameChecks("", self)[0]?.words).toBe("not on PATH")
  })
})
