import { describe, expect } from "bun:test"
import { Effect, FileSystem, type Path } from "effect"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { baselineIn, writeBaseline } from "../../../src/services/review/baselineFile.ts"
import type { Redactor } from "../../../src/services/secret/Redactor.ts"
import { it } from "../../support/effect.ts"
import { finding } from "../../support/finding.ts"

const inDirectory = <A, E>(
  body: (directory: string) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Redactor>
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* fs.makeTempDirectoryScoped()
    return yield* body(directory)
  }).pipe(Effect.provide(Platform.layer))

describe("the baseline", () => {
  it.live("reads what it wrote, again and again", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const path = `${directory}/b.json`
        yield* writeBaseline(path, [])
        yield* writeBaseline(path, [finding()])
        expect(yield* baselineIn(path)).toEqual(new Set([finding().fingerprint]))
        expect(yield* (yield* FileSystem.FileSystem).readDirectory(directory)).toEqual(["b.json"])
      })
    )
  )

  it.live("never writes through an existing link", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        yield* fs.writeFileString(`${directory}/victim`, "mine")
        yield* fs.symlink(`${directory}/victim`, `${directory}/b.json`)
        yield* fs.symlink(`${directory}/victim`, `${directory}/b.json.new`)
        yield* writeBaseline(`${directory}/b.json`, [finding()])
        expect(yield* fs.readFileString(`${directory}/victim`)).toBe("mine")
      })
    )
  )

  it.live("reports what to do when there is none, and where a broken one is broken", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const missing = yield* Effect.flip(baselineIn(`${directory}/none.json`))
        expect(missing.message).toContain("dd review --write-baseline")
        yield* (yield* FileSystem.FileSystem).writeFileString(`${directory}/b.json`, "{\n  <<<<<<<\n}\n")
        const broken = yield* Effect.flip(baselineIn(`${directory}/b.json`))
        expect(broken.message).toStartWith(`${directory}/b.json:2: `)
        const unwritable = yield* Effect.flip(writeBaseline(`${directory}/b.json/under-a-file.json`, []))
        expect(unwritable._tag).toBe("BaselineUnwritable")
      })
    )
  )
})
