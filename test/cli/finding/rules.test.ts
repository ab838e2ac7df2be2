import { describe, expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Cause, ConfigProvider, Effect, Exit, Layer } from "effect"
import { Command, TerminalCapabilities } from "effect/cli"
import { TestConsole } from "effect/testing"
import { findRule } from "../../../src/cli/finding/findRule.ts"
import { explainCommand, rulesCommand } from "../../../src/cli/finding/rules.ts"
import { chosen } from "../../../src/cli/finding/rulesTest.ts"
import { catalogue } from "../../../src/rules/catalogue.ts"
import { platformInConsole } from "../../support/cli/platformInConsole.ts"
import { it } from "../../support/effect.ts"
import { makeDirectory } from "../../support/repository.ts"

const root = Command.make("dd").pipe(Command.withSubcommands([rulesCommand, explainCommand]))

const rule = (pattern: string, examples: string) =>
  `title = "A claim"\nwhy = "It matters."\nfix = "Mend it."\nlanguages = ["python"]\nline = '${pattern}'\n${examples}`

/** A home with these files below it. */
const homeWith = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const home = yield* makeDirectory
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  return home
})

const running = (home: string, ...args: ReadonlyArray<string>) => runningDd(home, "rules", ...args)

const runningDd = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Command.runWith(root, { version: "0.0.0", renderErrors: false })(args))
    const out = (yield* TestConsole.logLines).join("\n").replaceAll(home, "~")
    return { out, error: Exit.isFailure(exit) ? Cause.squash(exit.cause) : null }
  }).pipe(
    Effect.provide(TerminalCapabilities.layer.pipe(Layer.provideMerge(platformInConsole()))),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ DD_HOME: home }))
  )

const message = (error: unknown) => (error instanceof Error ? error.message : "")

describe("dd rules list", () => {
  it.effect("names every rule by stack, the user's own among them", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({ "rules/own.toml": rule("a", "") })
      const { out, error } = yield* running(home, "list")
      expect(error).toBe(null)
      for (const { id } of catalogue) expect(out).toMatch(new RegExp(`^  ${id} .*`, "m"))
      expect(out).toContain("user/own")
      expect(out).toMatch(/^python \(\d+ rules\)$/m)
      expect(out.split("\n").at(-1)).toBe(`${catalogue.length + 1} rules. For details: dd rules show ID`)
    })
  )

  it.effect("lists one stack, also as JSON, and names the stacks", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({})
      const listed = JSON.parse((yield* running(home, "list", "--stack", "react", "--format", "json")).out)
      expect(listed.schema_version).toBe(1)
      expect(new Set(listed.rules.map(({ stack }: { stack: string }) => stack))).toEqual(new Set(["react"]))
      expect(listed.rules[0].origin).toEqual({ kind: "built-in", file: null })
      const { error } = yield* running(home, "list", "--stack", "cobol")
      expect(error).toMatchObject({ _tag: "RuleStackUnknown", "~effect/Runtime/errorExitCode": 2 })
      expect(message(error)).toContain("known: generic, structure, python")
    })
  )
})

describe("dd rules show", () => {
  it.effect("shows the reason, the fix, examples, the reference and the origin of a rule", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({ "rules/own.toml": rule("evil", "[[bad]]\ntext = 'evil()'\n") })
      const own = yield* running(home, "show", "user/own")
      expect(own.out.split("\n")).toEqual([
        "user/own  medium, medium confidence",
        "A claim",
        "",
        "Why        It matters.",
        "Fix        Mend it.",
        "Reference  ~/rules/own.toml",
        "Checks     python: each added line",
        "Source     ~/rules/own.toml (your own rule)",
        "",
        "Reported:",
        "  example.py",
        "    evil()"
      ])
    })
  )

  it.effect("prints the same as dd explain", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({})
      const { out } = yield* running(home, "show", "py/mutable-default")
      expect(out).toContain("py/mutable-default")
      expect(out).toMatch(/^Judged {5}\d+ findings? in real code: \d+ true/m)
      expect((yield* runningDd(home, "explain", "py/mutable-default")).out).toBe(`${out}\n${out}`)
      const { error } = yield* runningDd(home, "explain", "py/mutable-defaults")
      expect(message(error)).toContain('did you mean "py/mutable-default"')
    })
  )

  it.effect("reports the same as JSON, also of a rule for complete changes", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({})
      const shipped = JSON.parse((yield* running(home, "show", "deps/lockfile-out-of-step", "--format", "json")).out)
      expect(shipped.rule).toMatchObject({ looks_at: "change", origin: { kind: "built-in", file: null } })
      expect(shipped.rule).toMatchObject({ confidence: "HIGH", confidence_is_measured: true })
      expect(shipped.rule.judged.commits.true).toBeGreaterThan(8)
      expect(shipped.rule.bad[0].length).toBeGreaterThan(0)
    })
  )

  it.effect("shows no credential of an example, and no character that hides", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({})
      expect((yield* running(home, "show", "secret/provider-token")).out).toContain("[REDACTED_API_KEY]")
      const bidi = (yield* running(home, "show", "text/bidi-control")).out
      expect(bidi).toContain("<U+202E>")
      expect(bidi).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    })
  )

  it.effect("answers an unknown id with one error and the nearest names", () =>
    Effect.gen(function* () {
      const said = (id: string) => Effect.map(Effect.flip(findRule(catalogue, id)), message)
      expect(yield* said("py/bare-excep")).toBe(
        'unknown rule "py/bare-excep" (did you mean "py/bare-except"?); see dd rules list'
      )
      expect(yield* said("mutable-default")).toContain('did you mean "py/mutable-default"')
      expect(yield* said("weak-cipher")).toContain(
        'did you mean "elixir/weak-cipher", "go/weak-cipher", "java/weak-cipher"?'
      )
      expect(yield* said("zzzzzz")).toBe('unknown rule "zzzzzz"; see dd rules list')
      expect(yield* said("\u001b[31mred")).not.toContain("\u001b")
    })
  )
})

describe("dd rules check", () => {
  it.effect("checks each rule against its examples, and exits with 1 if one fails", () =>
    Effect.gen(function* () {
      const home = yield* homeWith({
        "rules/a.toml": rule("evil", "[[bad]]\ntext = 'evil()'\n[[good]]\ntext = 'fine()'\n"),
        "rules/b.toml": rule("evil", "[[bad]]\ntext = 'fine()'\n[[good]]\ntext = 'evil()'\n"),
        "rules/c.toml": rule("evil", ""),
        "rules/d.toml": rule("(evil", "")
      })
      const { out, error } = yield* running(home, "check")
      expect(out.split("\n")).toEqual([
        "~/rules/d.toml: broken",
        "  line 5: line: not a regular expression of RE2: missing closing ): `(evil`; it has no lookaround and no backreferences, use unless for what must be absent",
        "~/rules/a.toml: user/a passed (1 bad example, 1 good)",
        "~/rules/b.toml: user/b failed",
        "  bad example 1 is not reported",
        "  good example 1 is reported at line 1",
        "~/rules/c.toml: user/c failed",
        "  bad: no example shows what it reports; add [[bad]] with text = '''...'''"
      ])
      expect(error).toMatchObject({ _tag: "RuleCheckFailed", broken: 3, of: 4, "~effect/Runtime/errorExitCode": 1 })
    })
  )

  it.effect("reports that a query does not fit its grammar", () =>
    Effect.gen(function* () {
      const text = `title = "A"\nwhy = "B."\nfix = "C"\nlanguages = ["python"]\nquery = '(no_node) @claim'\n[[bad]]\ntext = 'a'\n`
      const home = yield* homeWith({ "rules/q.toml": text })
      const { out } = yield* running(home, "check", join(home, "rules/q.toml"), "--format", "json")
      expect(JSON.parse(out).files[0]).toMatchObject({ id: "user/q", passed: false })
      expect(out).toContain("query does not fit the python grammar")
    })
  )

  it.effect("is a wrong call for a file that is not there", () =>
    Effect.gen(function* () {
      const { error } = yield* running(yield* homeWith({}), "check", "nowhere.toml")
      expect(error).toMatchObject({ "~effect/Runtime/errorExitCode": 2 })
    })
  )
})

describe("dd rules test", () => {
  it.effect("applies the rules for single files, and reports one that is not for single files", () =>
    Effect.gen(function* () {
      const all = yield* chosen(catalogue, [])
      expect(new Set(all.map(({ _tag }) => _tag))).toEqual(new Set(["Line", "Syntax"]))
      expect((yield* chosen(catalogue, ["py/is-literal", "py/is-literal"])).map(({ id }) => id)).toEqual([
        "py/is-literal"
      ])
      expect(message(yield* Effect.flip(chosen(catalogue, ["files/large"])))).toContain("dd review applies it")
    })
  )
})
