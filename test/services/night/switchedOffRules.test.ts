import { describe, expect } from "bun:test"
import { Effect } from "effect"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { switchedOffRules } from "../../../src/services/night/switchedOffRules.ts"
import { it } from "../../support/effect.ts"
import { scratch } from "../../support/process.ts"

describe("rules that are switched off", () => {
  it.live("are those of the settings files in the working tree; what cannot be read switches nothing off", () =>
    Effect.gen(function* () {
      const place = yield* Effect.acquireRelease(
        Effect.sync(() => scratch()),
        (each) => Effect.sync(() => each[Symbol.dispose]())
      )
      const named = (files: Record<string, string>) =>
        Effect.gen(function* () {
          for (const [name, text] of Object.entries(files))
            yield* Effect.promise(() => Bun.write(`${place.path}/${name}`, text))
          const isOff = yield* switchedOffRules(place.path)
          return ["py/a", "py/b", "go/x", "go/y"].filter(isOff)
        })
      expect(yield* named({})).toEqual([])
      expect(yield* named({ ".daydream.toml": 'rules.disable = ["py/a"]\n' })).toEqual(["py/a"])
      expect(yield* named({ "pyproject.toml": '[tool.daydream.rules]\ndisable = ["go/*"]\n' })).toEqual([
        "py/a",
        "go/x",
        "go/y"
      ])
      expect(yield* named({ ".daydream.toml": "rules.disable = [" })).toEqual(["go/x", "go/y"])
    }).pipe(Effect.provide(Platform.layer), Effect.scoped)
  )
})
