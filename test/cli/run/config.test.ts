import { describe, expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Cause, ConfigProvider, Effect, Exit, Layer, Logger } from "effect"
import { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { configCommand } from "../../../src/cli/run/config.ts"
import { platformInConsole } from "../../support/cli/platformInConsole.ts"
import { it } from "../../support/effect.ts"
import { makeDirectory as directory, tryGit } from "../../support/repository.ts"

interface World {
  /** The user's config.toml. */
  readonly user?: string
  /** Files of the one commit before the last; null when the target is no repository. */
  readonly base: Readonly<Record<string, string>> | null
  readonly env?: Readonly<Record<string, string>>
}

const commit = (root: string, files: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  for (const args of [
    ["add", "-A"],
    ["commit", "-qm", "x", "--allow-empty"]
  ]) {
    expect(tryGit(root, args).status).toBe(0)
  }
}

/** What `dd config show` prints and warns of; the second commit tries to loosen what the first says. */
const show = ({ user, base, env = {} }: World, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const root = yield* directory
    const home = join(root, "home")
    const target = join(root, "repository")
    mkdirSync(home)
    mkdirSync(target)
    if (user !== undefined) writeFileSync(join(home, "config.toml"), user)
    if (base !== null) {
      tryGit(target, ["init", "-q", "-b", "main"])
      commit(target, base)
      commit(target, { ".daydream.toml": 'ignore_paths = ["src"]\n' })
    }
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => {
      warnings.push(String(message))
    })
    const run = Command.runWith(configCommand, { version: "0", renderErrors: false })(["show", ...flags, target])
    const exit = yield* Effect.exit(run).pipe(
      // Not on a terminal, wherever the tests are run.
      Effect.provide(Layer.mergeAll(platformInConsole(false), Logger.layer([logger]))),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: { DD_HOME: home, PATH: process.env.PATH ?? "", ...env } })
      )
    )
    const out = (yield* TestConsole.logLines).join("\n").replaceAll(home, "~")
    const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
    return { out, warnings, error: error instanceof Error ? error.message.replaceAll(home, "~") : null }
  })

describe("dd config show", () => {
  it.effect("names the origin of each setting, and reads the repository before the change", () =>
    Effect.gen(function* () {
      const { out, warnings } = yield* show(
        {
          user: "\nfanout = 2\n",
          base: { ".daydream.toml": 'ignore_paths = ["vendor", "*.lock"]\nbackend = "theirs"\n' },
          env: { DD_FAIL_ON: "high" }
        },
        "--origin"
      )
      expect(out).toMatchInlineSnapshot(`
        "fail_on                          high               DD_FAIL_ON
        on_inconclusive                  fail               default, not on a terminal
        format                           text               default
        ignore_paths                     vendor             .daydream.toml:1 (base)
                                         *.lock             .daydream.toml:1 (base)
        max_findings                     0                  default, not on a terminal
        pack.exclude                     -                  default
        pack.include                     -                  default
        pack.focus                       -                  default
        pack.budget                      257952             default
        brief                            short              default
        review.instructions              -                  default
        shallow_fanout_threshold         2                  default
        fanout                           2                  ~/config.toml:2
        test_command                     -                  default
        test_timeout                     600                default
        test_sandbox                     auto               default
        color                            auto               default
        rules.disable                    -                  default
        rules.enable                     -                  default
        backend                          static             default
        model                            -                  default
        effort                           -                  default
        fallback                         -                  default
        max_cost                         1                  default
        timeout                          -                  default
        anthropic.model                  -                  default
        openai.model                     -                  default
        claude.model                     -                  default
        codex.model                      -                  default
        pi.model                         -                  default
        pi.provider                      -                  default
        anthropic.at                     anthropic          default
        anthropic.region                 -                  default
        anthropic.project                -                  default
        anthropic.base_url               -                  default
        anthropic.key_env                ANTHROPIC_API_KEY  default
        openai.base_url                  -                  default
        openai.key_env                   OPENAI_API_KEY     default
        openai.api                       -                  default
        openai.server                    -                  default
        openai.tools                     native             default
        openai.context_tokens            -                  default
        archive                          on                 default
        prune_after                      90d                default
        prune_above                      1G                 default
        evaluate                         on                 default
        learned                          on                 default
        dream.worker                     on                 default
        dream.embedder.base_url          -                  default
        dream.embedder.model             -                  default
        dream.embedder.key_env           -                  default
        dream.embedder.api               -                  default
        dream.embedder.alike_from        0.7                default
        dream.synthesis.backend          -                  default
        dream.synthesis.model            -                  default
        dream.synthesis.max_cost         0.1                default
        dream.synthesis.max_cost_day     0.5                default
        phases.intent.effort             medium             default, for models with an API
        phases.alternatives.effort       high               default, for models with an API
        phases.per-stack-reviews.effort  high               default, for models with an API
        phases.per-stack-parse.effort    low                default, for models with an API
        phases.arbiter.effort            xhigh              default, for models with an API
        phases.merge.effort              medium             default, for models with an API
        phases.verify.effort             high               default, for models with an API
        phases.fix.effort                medium             default, for models with an API
        phases.test.effort               medium             default, for models with an API
        phases.pr_feedback.effort        high               default, for models with an API"
      `)
      expect(warnings).toEqual([".daydream.toml:2 (base): a repository may not set backend"])
    })
  )

  it.effect("shows values alone when origins are not requested", () =>
    Effect.gen(function* () {
      const { out } = yield* show({ base: {} })
      expect(out).not.toContain("default")
      expect(out.split("\n")[0]).toMatch(/^fail_on +none$/)
    })
  )

  it.effect("prints JSON with every origin", () =>
    Effect.gen(function* () {
      const { out } = yield* show({ base: { ".daydream.toml": 'ignore_paths = ["vendor"]\n' } }, "--json")
      const { schema_version, settings } = JSON.parse(out)
      expect(schema_version).toBe(1)
      expect(settings.ignore_paths).toEqual([
        { value: "vendor", origin: { kind: "file", name: ".daydream.toml", line: 1, base: true } }
      ])
      expect(settings.fail_on).toEqual({
        value: "none",
        origin: { kind: "default", name: null, line: null, base: false }
      })
    })
  )

  it.effect("works where there is no repository", () =>
    Effect.gen(function* () {
      const { out, warnings, error } = yield* show({ base: null, user: "fanout = 9\n" }, "--origin")
      expect([warnings, error]).toEqual([[], null])
      expect(out).toContain("~/config.toml:1")
    })
  )

  it.effect("names file, line and key of what cannot be read", () =>
    Effect.gen(function* () {
      const { error } = yield* show({ base: {}, user: "fanout = \n" })
      expect(error).toStartWith("~/config.toml:1: not TOML at fanout: ")
    })
  )
})
