import { describe, expect } from "bun:test"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { visiblePath } from "../../../src/domain/text/Printable.ts"
import { asking, lastCommit } from "../../support/acting.ts"
import { it } from "../../support/effect.ts"
import { fileDirectory } from "../../support/fileDirectory.ts"
import { oddPaths } from "../../support/oddPaths.ts"
import { initRepository } from "../../support/repository.ts"

const repository = initRepository(join(fileDirectory(), "repo"))
const textOf = (path: string) => `number = ${oddPaths.indexOf(path)}\n`
repository.commit("one", { "a.txt": "a\n" })
repository.commit("two", Object.fromEntries(oddPaths.map((path) => [path, textOf(path)])))

describe("the tools of a model", () => {
  it.live("find every file and folder by the name under which they show it", () =>
    asking(repository.root, lastCommit, (ask) =>
      Effect.gen(function* () {
        const listed = yield* ask("list_files", {})
        for (const path of oddPaths) {
          const name = visiblePath(path)
          expect(listed.text).toContain(name.includes("/") ? `${name.split("/")[0]}/` : name)
          for (const tool of ["read_file", "diff"]) {
            const answer = yield* ask(tool, { path: name })
            expect([tool, name, answer.isError]).toEqual([tool, name, false])
            expect(answer.text).toContain(textOf(path).trim())
          }
          const folder = dirname(name)
          const found = yield* ask("grep", { pattern: textOf(path).trim(), path: folder === "." ? "" : folder })
          expect(found.text).toContain(textOf(path).trim())
        }
      })
    )
  )
})
