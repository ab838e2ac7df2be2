/** The examples of the rules for what running the tests shows: each is a repository whose tests run. */
import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { examplesOf } from "../../src/rules/examples.ts"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { shipped } from "../support/rules.ts"

for (const { id } of shipped("run/*")) {
  for (const { files, isReported, name } of examplesOf(id)) {
    test(`${id} ${isReported ? "reports" : "does not report"}: ${name}`, async () => {
      using place = scratch()
      const home = join(place.path, "home")
      mkdirSync(home)
      const repository = initRepository(join(place.path, "repo"))
      const side = (of: "before" | "after") =>
        Object.fromEntries(files.flatMap((file) => (file[of] === null ? [] : [[file.path ?? "", file[of]]])))
      repository.commit("Before", { "README.md": "", ...side("before") })
      repository.commit("After", side("after"))
      const PATH = `${systemPath}:${join(Bun.which("node") ?? "/usr/bin/node", "..")}`
      const { stdout } = await run([dd, "prove", "--format", "json"], {
        cwd: repository.root,
        env: { PATH, HOME: home }
      })
      const { findings, status } = JSON.parse(stdout)
      expect(status).toBe("complete")
      expect(findings.map(({ rule }: { rule: string }) => rule)).toEqual(isReported ? [id] : [])
    })
  }
}
