import { describe, expect } from "bun:test"
import { ConfigProvider, Effect, FileSystem, Layer, Path, PlatformError } from "effect"
import { originText } from "../../../src/domain/run/Setting.ts"
import { Sources, type SourceText } from "../../../src/services/change/Sources.ts"
import { type Flags, Settings } from "../../../src/services/run/Settings.ts"
import { sourcesOf } from "../../support/changeOf.ts"
import { it } from "../../support/effect.ts"

interface World {
  readonly flags?: Flags
  readonly env?: Record<string, string>
  /** The text of the user's file; null when it may not be read. */
  readonly user?: string | null
  readonly base?: Readonly<Record<string, string>>
  readonly head?: Readonly<Record<string, string>>
  readonly other?: Readonly<Record<string, SourceText>>
  /** Only a patch is known: no file of the repository can be listed. */
  readonly patchOnly?: boolean
}

const settingsIn = ({ flags = {}, env = {}, user, base = {}, head = {}, other = {}, patchOnly = false }: World) => {
  const files = FileSystem.layerNoop({
    readFileString: (path) =>
      typeof user === "string" && path === "/home/u/.daydream/config.toml"
        ? Effect.succeed(user)
        : Effect.fail(
            PlatformError.systemError({
              _tag: user === null ? "PermissionDenied" : "NotFound",
              module: "FileSystem",
              method: "readFileString",
              pathOrDescriptor: path
            })
          )
  })
  const readme = patchOnly ? {} : { README: ["", ""] as const }
  const texts = {
    ...readme,
    ...Object.fromEntries(
      [...new Set([...Object.keys(base), ...Object.keys(head)])].map((path) => [
        path,
        [base[path] ?? null, head[path] ?? null] as const
      ])
    )
  }
  const whole = sourcesOf(texts, other)
  const unlisted = Layer.effect(
    Sources,
    Effect.map(Sources, (own) => Sources.of({ ...own, headPaths: Effect.succeed([]) }))
  ).pipe(Layer.provide(whole))
  const provider = ConfigProvider.fromEnv({ env: { HOME: "/home/u", ...env } })
  return Settings.pipe(
    Effect.provide(
      Settings.layer(flags, true).pipe(
        Layer.provide([files, Path.layer, patchOnly ? unlisted : whole, ConfigProvider.layer(provider)])
      )
    )
  )
}

const failed = (world: World) => Effect.flip(settingsIn(world)).pipe(Effect.map((error) => error.message))

describe("Settings", () => {
  it.effect("asks flags, then the environment, then the user's file, then the repository", () =>
    Effect.gen(function* () {
      const world = {
        flags: { fail_on: "high" },
        env: { DD_FAIL_ON: "medium", DD_MAX_FINDINGS: "9" },
        user: 'fail_on = "low"\nmax_findings = 3\nfanout = 2\n',
        base: { ".daydream.toml": "shallow_fanout_threshold = 4\n", "pyproject.toml": "" }
      } satisfies World
      const { settings } = yield* settingsIn(world)
      const seen = [settings.failOn, settings.maxFindings, settings.fanout, settings.shallowFanoutThreshold]
      expect(seen.map((setting) => [setting.value, originText(setting.origin)])).toEqual([
        ["high", "--fail-on"],
        [9, "DD_MAX_FINDINGS"],
        [2, "/home/u/.daydream/config.toml:3"],
        [4, ".daydream.toml:1 (base)"]
      ])
    })
  )

  it.effect("prefers .daydream.toml to pyproject.toml", () =>
    Effect.gen(function* () {
      const base = {
        ".daydream.toml": 'fail_on = "high"\n',
        "pyproject.toml": '[tool.daydream]\nfail_on = "low"\nshallow_fanout_threshold = 0\n'
      }
      const { settings } = yield* settingsIn({ base })
      expect(settings.failOn.value).toBe("high")
      expect(originText(settings.shallowFanoutThreshold.origin)).toBe("pyproject.toml:3 (base)")
    })
  )

  it.effect("prevents a change from loosening its own review", () =>
    Effect.gen(function* () {
      const { settings } = yield* settingsIn({ head: { ".daydream.toml": 'ignore_paths = ["src"]\n' } })
      expect(settings.ignorePaths).toEqual([])
    })
  )

  it.effect("refuses what a repository may not set, naming file, line and key, and goes on", () =>
    Effect.gen(function* () {
      const { warnings } = yield* settingsIn({ base: { ".daydream.toml": '\nmodel = "x"\nbackend = "mine"\n' } })
      expect(warnings).toEqual([".daydream.toml:2, 3 (base): a repository may not set model, backend"])
    })
  )

  it.effect("names file, line and key of a malformed file", () =>
    Effect.gen(function* () {
      expect(yield* failed({ user: 'fail_on = "high\n' })).toBe(
        "/home/u/.daydream/config.toml:1: not TOML at fail_on: Basic strings cannot contain newlines"
      )
      expect(yield* failed({ base: { ".daydream.toml": "x =\n" } })).toStartWith(".daydream.toml:")
      expect(yield* failed({ env: { DD_FANOUT: "many" } })).toStartWith(
        "DD_FANOUT must be a whole number of concurrent calls from 1 to 64"
      )
      expect(yield* failed({ flags: { max_cost: -1 } })).toBe(
        "--max-cost must be at least 0 dollars, as in 2.5, not -1"
      )
      expect(yield* failed({ flags: { format: "yaml" } })).toStartWith("--format must be one of text, json")
    })
  )

  it.effect("reports the problems of all places at once", () =>
    Effect.gen(function* () {
      const message = yield* failed({ user: "x = ", env: { DD_COLOR: "pink" }, base: { ".daydream.toml": "y = 1" } })
      expect(message.split("\n")).toHaveLength(3)
    })
  )

  it.effect("reports that the user's file could not be read, rather than going on without it", () =>
    Effect.gen(function* () {
      expect(yield* failed({ user: null })).toBe(
        "/home/u/.daydream/config.toml: could not be read: permission denied; make it a readable file, or move it away"
      )
    })
  )

  it.effect("never minds a pyproject.toml that is not dd's business", () =>
    Effect.gen(function* () {
      const { settings } = yield* settingsIn({ base: { "pyproject.toml": "this is not toml" } })
      expect(settings.failOn.value).toBe("none")
    })
  )

  it.effect("does not follow a link or parse a giant, and reports it", () =>
    Effect.gen(function* () {
      const { warnings } = yield* settingsIn({ other: { ".daydream.toml": { _tag: "Link", target: "/etc/passwd" } } })
      expect(warnings).toEqual([".daydream.toml (base) was not read: it is a link"])
      const long = { ".daydream.toml": `# ${"x".repeat(300_000)}\n` }
      expect((yield* settingsIn({ base: long })).warnings).toEqual([
        ".daydream.toml (base) was not read: it is larger than 256 kB"
      ])
    })
  )

  it.effect("takes no policy from a patch, whose base may be forged", () =>
    Effect.gen(function* () {
      const base = { ".daydream.toml": 'rules.disable = ["py/*"]\n' }
      expect((yield* settingsIn({ base, patchOnly: true })).settings.rulesDisable).toEqual([])
      const hidden = { ".daydream.toml": { _tag: "Unreadable", reason: "only the patch is known" } } as const
      expect((yield* settingsIn({ other: hidden, patchOnly: true })).warnings).toEqual([])
    })
  )

  it.effect("moves with DD_HOME, and does without a home", () =>
    Effect.gen(function* () {
      const user = "fanout = 7\n"
      const at = (env: Record<string, string>) =>
        settingsIn({ env, user }).pipe(Effect.map(({ settings }) => settings.fanout.value))
      expect(yield* at({})).toBe(7)
      expect(yield* at({ DD_HOME: "/elsewhere" })).toBe(4)
      expect(yield* at({ HOME: "" })).toBe(4)
    })
  )

  it.effect("is not confused by variables that only begin like its own", () =>
    Effect.gen(function* () {
      const { settings } = yield* settingsIn({ env: { CI_COMMIT_SHA: "x", DD_FAIL_ON_X: "y", DD_API_KEY: "z" } })
      expect(settings.onInconclusive.value).toBe("pass")
      const ci = yield* settingsIn({ env: { CI: "true", CI_COMMIT_SHA: "x" } })
      expect(ci.settings.onInconclusive.value).toBe("fail")
      expect((yield* settingsIn({ env: { CI: "false" } })).settings.onInconclusive.value).toBe("pass")
    })
  )

  it.effect("honours NO_COLOR below an explicit wish", () =>
    Effect.gen(function* () {
      const color = (env: Record<string, string>, flags: Flags = {}) =>
        settingsIn({ env, flags }).pipe(Effect.map(({ settings }) => settings.color.value))
      expect(yield* color({ NO_COLOR: "1" })).toBe("never")
      expect(yield* color({ NO_COLOR: "1", DD_COLOR: "always" })).toBe("always")
      expect(yield* color({}, { color: "never" })).toBe("never")
    })
  )

  it.effect("uses a model key for nothing but one line", () =>
    Effect.gen(function* () {
      const { notes, settings } = yield* settingsIn({ env: { OPENAI_API_KEY: "sk-1" } })
      expect(notes).toHaveLength(1)
      expect(settings.backendChoice.backend.value).toBe("static")
      // The choice of no model is a choice.
      expect((yield* settingsIn({ env: { OPENAI_API_KEY: "sk-1" }, flags: { backend: "static" } })).notes).toEqual([])
    })
  )
})
