import { describe, expect } from "bun:test"
import { chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { ConfigProvider, Effect } from "effect"
import { findProgram } from "../../../../../src/layers/agent/backend/cli/findProgram.ts"
import * as Platform from "../../../../../src/layers/system/Platform.ts"
import { it } from "../../../../support/effect.ts"
import { inside, scratch } from "../../../../support/process.ts"

const program = (...path: readonly [string, ...ReadonlyArray<string>]): string => {
  const file = join(...path)
  writeFileSync(file, "#!/bin/sh\n")
  chmodSync(file, 0o755)
  return file
}

const found = (path: string, reviewed: string | null = null) =>
  findProgram("claude", reviewed).pipe(
    Effect.provide(Platform.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { PATH: path } }))
  )

describe("a program on PATH", () => {
  it.effect("is the first of its name that can be run, under the name it was found by", () =>
    Effect.gen(function* () {
      using place = scratch()
      const [one, two, three] = ["one", "two", "three"].map((name) => inside(place.path, name)) as [
        string,
        string,
        string
      ]
      writeFileSync(join(one, "claude"), "not executable")
      symlinkSync(program(three, "real"), join(two, "claude"))
      program(three, "claude")
      const path = `${one}:${two}:${three}`
      expect(yield* found(path)).toEqual({ _tag: "Found", path: join(two, "claude"), searched: path })
    })
  )

  it.effect("is never one that the repository under review could have put there", () =>
    Effect.gen(function* () {
      using place = scratch()
      const repository = inside(place.path, "repo")
      const own = inside(repository, "node_modules", ".bin")
      const outside = inside(place.path, "bin")
      const door = join(place.path, "door")
      program(own, "claude")
      symlinkSync(own, door)
      symlinkSync(join(own, "claude"), join(outside, "claude"))
      const here = relative(process.cwd(), own)
      const nothing = yield* found(`${here}:${own}:${door}:${outside}`, repository)
      expect(nothing).toMatchObject({ _tag: "NotFound" })
      expect(nothing._tag === "NotFound" && nothing.ignored.map((each) => each.replace(/^.* \(/, "("))).toEqual([
        "(a relative entry of PATH)",
        "(inside the repository under review)",
        "(inside the repository under review)",
        "(a link into the repository under review)"
      ])
      const users = program(inside(place.path, "later"), "claude")
      const later = yield* found(`.::${here}:${own}:${join(place.path, "later")}`, repository)
      expect(later).toEqual({ _tag: "Found", path: users, searched: join(place.path, "later") })
    })
  )

  it.effect("is not there without a PATH, or where its entries are not", () =>
    Effect.gen(function* () {
      expect(yield* found("")).toEqual({ _tag: "NotFound", ignored: [] })
      expect(yield* found("/nowhere:/nor/here")).toEqual({ _tag: "NotFound", ignored: [] })
    })
  )
})
