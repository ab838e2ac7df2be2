import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Files from "../../../src/layers/forge/Files.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { forgeContract } from "../../support/forgeContract.ts"
import { diffFile, headSha } from "../../support/forges.ts"
import { makeDirectory } from "../../support/repository.ts"

const pullRequest = {
  number: 7,
  state: "open",
  author: "ada",
  baseSha: "b".repeat(40),
  headSha,
  mergedAt: null
} as const

forgeContract(
  "in files",
  Effect.map(makeDirectory, (directory) => ({
    layer: Files.layer({ directory, pullRequest, diff: { files: [diffFile("a.py")] } }).pipe(
      Layer.provide(Platform.layer)
    ),
    asAda: Effect.sync(() => {
      const path = join(directory, "discussion.json")
      const discussion = JSON.parse(readFileSync(path, "utf8"))
      Object.assign(discussion.threads[0], { isResolved: true, resolvedBy: "ada" })
      writeFileSync(path, JSON.stringify(discussion))
    })
  }))
)
