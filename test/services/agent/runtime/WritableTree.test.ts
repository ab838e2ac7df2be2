import { describe, expect } from "bun:test"
import { Effect, FileSystem, Path, Result } from "effect"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { makeWritableTree } from "../../../../src/services/agent/runtime/WritableTree.ts"
import { it } from "../../../support/effect.ts"
import { makeDirectory } from "../../../support/repository.ts"

describe("a writable tree", () => {
  it.effect("names what the system has against a file", () =>
    Effect.gen(function* () {
      const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
      const tree = makeWritableTree(platform, yield* makeDirectory)
      const refused = Result.getFailure(yield* Effect.result(tree.create(`${"x".repeat(300)}.py`, new Uint8Array())))
      expect(refused).toMatchObject({ value: { message: "the system refused it (the name is too long)" } })
    }).pipe(Effect.provide(Platform.layer))
  )
})
