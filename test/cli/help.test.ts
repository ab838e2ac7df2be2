import { describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { Command, Completions } from "effect/cli"
import { TestConsole } from "effect/testing"
import { dd } from "../../src/cli/dd.ts"
import { withoutHelpOfUnknown } from "../../src/cli/system/help.ts"
import { invocation } from "../../src/cli/system/invocation.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { it } from "../support/effect.ts"

const plain = Layer.mergeAll(
  Platform.layer,
  invocation((text) => text)
)

const said = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Command.runWith(dd, { version: "0.0.0" })(args)
    return (yield* TestConsole.logLines).join("\n")
  }).pipe(Effect.provide(plain))

/** The last page that was printed. */
const pageOf = (...path: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Command.runWith(dd, { version: "0.0.0" })([...path, "--help"])
    return String((yield* TestConsole.logLines).at(-1))
  }).pipe(Effect.provide(plain))

/** The message for wrong usage. */
const refused = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* Effect.flip(Command.runWith(dd, { version: "0.0.0" })(args))
    return (yield* TestConsole.errorLines).at(-1)
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

  it.effect("names commands and flags that are planned, and refuses them by name", () =>
    Effect.gen(function* () {
      expect(yield* said("--help")).toContain("PLANNED, NOT IN THIS VERSION\n  serve")
      expect(yield* said("review", "--help")).toContain("PLANNED, NOT IN THIS VERSION\n  --worktree")
      expect(yield* refused("serve")).toBe('dd: error: "serve" is planned, but not in this version; see dd --help')
      expect(yield* refused("review", "--worktree")).toBe(
        'dd: error: "--worktree" is planned, but not in this version; see dd review --help'
      )
    })
  )

  const everyCommand = (
    at: Completions.CommandDescriptor,
    path: ReadonlyArray<string>
  ): Array<ReadonlyArray<string>> => [
    path,
    ...at.subcommands.flatMap((inner) => everyCommand(inner, [...path, inner.name]))
  ]

  it.effect("fits in 80 columns for every command, and divides no word", () =>
    Effect.gen(function* () {
      for (const path of everyCommand(Completions.fromCommand(dd), [])) {
        const [prose = ""] = (yield* pageOf(...path)).split("\nEXAMPLES\n")
        for (const line of prose.split("\n")) expect([path, line.length <= 80, line]).toEqual([path, true, line])
      }
    })
  )

  it.effect("shows each of more than ten flags under a heading", () =>
    Effect.gen(function* () {
      const many = Completions.fromCommand(dd).subcommands.filter(({ flags }) => flags.length > 10)
      expect(many.map(({ name }) => name)).toEqual(["review", "prove", "feedback", "pack", "ask"])
      for (const { name } of many) {
        const ungrouped = /\nFLAGS\n((?: {2}.*\n)*)/.exec(yield* pageOf(name))?.[1] ?? ""
        expect(ungrouped.match(/^ {2}--/gm)?.length ?? 0).toBeLessThanOrEqual(5)
      }
      const review = yield* pageOf("review")
      for (const heading of ["WHAT TO REVIEW\n  --base REF", "HOW TO REVIEW", "OUTPUT", "MODEL", "ADVANCED"]) {
        expect(review).toContain(`\n${heading}`)
      }
      expect(review).not.toContain("\nFLAGS\n")
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
        'unknown command "shwo" (did you mean "show"?); see dd rules --help'
      )
    }).pipe(Effect.provide(plain))
  )
})

describe("--help after an unknown command", () => {
  for (const [given, kept] of [
    [["reviewx", "--help"], ["reviewx"]],
    [
      ["--color", "never", "rules", "show", "--help"],
      ["--color", "never", "rules", "show", "--help"]
    ],
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
    ],
    [
      ["archive", "list", "-xh"],
      ["archive", "list", "-x"]
    ],
    [["reviewx", "-xh"], ["reviewx"]],
    [
      ["ask", "--", "-xh", "--help"],
      ["ask", "--", "-xh", "--help"]
    ],
    [
      ["dream", "start", "-Vhv"],
      ["dream", "start", "-v"]
    ],
    [
      ["review", "-qvh"],
      ["review", "-qvh"]
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
        'unknown command "reviewx" (did you mean "review"?); see dd --help'
      )
    }).pipe(Effect.provide(plain))
  )
})

describe("wrong usage", () => {
  for (const [given, message] of [
    [["reveiw"], 'unknown command "reveiw" (did you mean "review"?); see dd --help'],
    [["archive", "lst"], 'unknown command "lst" (did you mean "list"?); see dd archive --help'],
    [["review", "--bsae", "main"], 'unknown flag "--bsae" (did you mean "--base"?); see dd review --help'],
    [["doctor", "--colour", "never"], 'unknown flag "--colour" (did you mean "--color"?); see dd doctor --help'],
    [
      ["review", "--fail-on", "hihg"],
      '--fail-on is "hihg"; it takes one of none, low, medium, high (did you mean "high"?); see dd review --help'
    ],
    [
      ["doctor", "--color", "sometimes"],
      '--color is "sometimes"; it takes one of auto, always, never; see dd doctor --help'
    ],
    [["review", "--max-findings"], "--max-findings: the value is missing; it takes N; see dd review --help"],
    [["archive", "list", "--limit", "x"], '--limit is "x"; it takes a number; see dd archive list --help'],
    [["explain"], "ID is missing (id of a rule); for example: dd explain py/mutable-default; see dd explain --help"],
    [["ask"], 'QUESTION is missing; for example: dd ask "Which callers break?" --backend anthropic; see dd ask --help'],
    [["mpc"], 'unknown command "mpc" (did you mean "mcp"?), which is planned, but not in this version; see dd --help'],
    [["feedback", "7"], "--bot is missing; see dd feedback --help"],
    [["review", "a", "b"], 'dd review takes no argument "b"; see dd review --help']
  ] as const) {
    it.effect(`dd ${given.join(" ")}`, () =>
      Effect.gen(function* () {
        expect(yield* refused(...given)).toBe(`dd: error: ${message}`)
      })
    )
  }
})
