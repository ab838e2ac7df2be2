import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { CliOutput, Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { dd } from "../../src/cli/dd.ts"
import { reviewFlags } from "../../src/cli/review/reviewFlags.ts"
import { withoutHelpOfUnknown } from "../../src/cli/system/help.ts"
import { invocation } from "../../src/cli/system/invocation.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { it } from "../support/effect.ts"

const plain = Layer.mergeAll(
  Platform.layer,
  invocation((text) => text),
  CliOutput.layer(CliOutput.defaultFormatter({ colors: false }))
)

const said = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Command.runWith(dd, { version: "0.0.0" })(args)
    return (yield* TestConsole.logLines).join("\n")
  }).pipe(Effect.provide(plain))

describe("--help", () => {
  for (const path of [
    [],
    ["review"],
    ["brief"],
    ["feedback"],
    ["post"],
    ["symbols"],
    ["flow"],
    ["flow", "show"],
    ["ext"],
    ["config"],
    ["archive"],
    ["archive", "list"],
    ["archive", "show"],
    ["archive", "label"],
    ["archive", "query"],
    ["archive", "export"],
    ["archive", "prune"],
    ["trajectory"],
    ["trajectory", "show"],
    ["trajectory", "export"],
    ["trajectory", "redact"],
    ["rules"],
    ["rules", "list"],
    ["rules", "show"],
    ["rules", "test"],
    ["rules", "check"],
    ["explain"],
    ["completions"],
    ["help"],
    ["version"]
  ]) {
    it.effect(`dd ${path.join(" ")} --help`.replace("  ", " "), () =>
      Effect.gen(function* () {
        expect(yield* said(...path, "--help")).toMatchSnapshot()
      })
    )
  }

  it.effect("names every exit code of product.md", () =>
    Effect.gen(function* () {
      const help = yield* said("review", "--help")
      for (const code of ["0 pass", "1 findings", "2 usage", "3 could not", "4 inconclusive", "130", "143"]) {
        expect(help).toContain(code)
      }
    })
  )

  it.effect("has no flag that belongs to a later version", () =>
    Effect.gen(function* () {
      const help = yield* said("review", "--help")
      for (const flag of ["--worktree"]) {
        expect(help).not.toContain(`${flag} `)
      }
      expect(Object.keys(reviewFlags).length).toBeGreaterThan(20)
    })
  )
})

describe("dd help", () => {
  for (const path of [[], ["review"], ["rules", "show"]]) {
    it.effect(`${["dd help", ...path].join(" ")} prints what --help prints`, () =>
      Effect.gen(function* () {
        const help = yield* said("help", ...path)
        expect(help).not.toBe("")
        expect(yield* said(...path, "--help")).toBe(`${help}\n${help}`)
      })
    )
  }

  it.effect("refuses an unknown command and suggests the nearest", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Command.runWith(dd, { version: "0.0.0" })(["help", "rules", "shwo"]))
      expect(error).toMatchObject({ _tag: "ShowHelp", commandPath: ["dd", "rules"] })
      expect((yield* TestConsole.errorLines).join("\n")).toContain(
        'Unknown subcommand "shwo" for "dd rules". Did you mean show?'
      )
    }).pipe(Effect.provide(plain))
  )
})

describe("--help after an unknown command", () => {
  for (const [given, kept] of [
    [["reviewx", "--help"], ["reviewx"]],
    [["--help", "reviewx"], ["reviewx"]],
    [
      ["archive", "shw", "-h"],
      ["archive", "shw"]
    ],
    [
      ["archive", "show", "--help"],
      ["archive", "show", "--help"]
    ],
    [
      ["rules", "--help"],
      ["rules", "--help"]
    ],
    [
      ["explain", "no/such-rule", "--help"],
      ["explain", "no/such-rule", "--help"]
    ]
  ] as const) {
    test(`dd ${given.join(" ")} runs dd ${kept.join(" ")}`, () => {
      expect(withoutHelpOfUnknown(dd, given)).toEqual([...kept])
    })
  }

  it.effect("is an error that suggests the nearest command", () =>
    Effect.gen(function* () {
      const args = withoutHelpOfUnknown(dd, ["reviewx", "--help"])
      expect(yield* Effect.flip(Command.runWith(dd, { version: "0.0.0" })(args))).toMatchObject({ _tag: "ShowHelp" })
      expect((yield* TestConsole.errorLines).join("\n")).toContain(
        'Unknown subcommand "reviewx" for "dd". Did you mean review?'
      )
    }).pipe(Effect.provide(plain))
  )
})
