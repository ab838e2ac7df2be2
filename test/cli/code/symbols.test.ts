import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { CliOutput, Command } from "effect/cli"
import { dd } from "../../../src/cli/dd.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Redactor, redactorOf } from "../../../src/services/secret/Redactor.ts"
import { it } from "../../support/effect.ts"

const refused = (...args: ReadonlyArray<string>) => Effect.flip(Command.runWith(dd, { version: "0.0.0" })(args))

describe("dd symbols on its command line", () => {
  it.live("refuses a missing name, what is no name, and two sides, with a pointer to its own help", () =>
    Effect.gen(function* () {
      for (const [args, reason] of [
        [[], "the name is missing; write dd symbols NAME"],
        [["."], "this is not a name of code"],
        [["total", "--commit", "HEAD", "--branch", "main"], "--commit and --branch cannot be used together"]
      ] as const) {
        expect(yield* refused("symbols", ...args)).toMatchObject({
          _tag: "UsageWrong",
          message: `${reason}; see dd symbols --help`
        })
      }
    }).pipe(
      Effect.provide(Platform.layer),
      Effect.provideService(Redactor, redactorOf({})),
      Effect.provide(CliOutput.layer(CliOutput.defaultFormatter({ colors: false })))
    )
  )
})
