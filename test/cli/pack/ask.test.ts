import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { CliOutput, Command } from "effect/cli"
import { dd } from "../../../src/cli/dd.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Redactor, redactorOf } from "../../../src/services/secret/Redactor.ts"
import { it } from "../../support/effect.ts"

const refused = (...args: ReadonlyArray<string>) => Effect.flip(Command.runWith(dd, { version: "0.0.0" })(args))

describe("dd ask on its command line", () => {
  it.live("refuses an empty or long question, and a pack together with a change, with a pointer to its own help", () =>
    Effect.gen(function* () {
      const pack = ["why?", "--context-pack", "pack.txt"]
      for (const [args, reason] of [
        [[" \n"], "the question is empty"],
        [["x".repeat(200_001)], "the question has more than 200000 characters; write it shorter"],
        [["-", "--diff-file", "-"], "standard input has either the question or the patch"],
        ...["--base", "--branch", "--commit", "--exclude", "--include", "--focus"].map(
          (flag) => [[...pack, flag, "x"], `--context-pack and ${flag} cannot be used together`] as const
        ),
        [[...pack, "--staged"], "--context-pack and --staged cannot be used together"],
        [[...pack, "src"], "--context-pack and TARGET cannot be used together"]
      ] as const) {
        expect(yield* refused("ask", ...args)).toMatchObject({
          _tag: "UsageWrong",
          message: `${reason}; see dd ask --help`
        })
      }
    }).pipe(
      Effect.provide(Platform.layer),
      Effect.provideService(Redactor, redactorOf({})),
      Effect.provide(CliOutput.layer(CliOutput.defaultFormatter({ colors: false })))
    )
  )
})
