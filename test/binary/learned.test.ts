/** What a review says of conventions that sessions have shown, through the compiled binary and a sealed store. */
import { expect, test } from "bun:test"
import { mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { projectAt } from "../../src/layers/dream/spoolFile.ts"
import * as Directory from "../../src/layers/dream/store/Directory.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { DreamStore } from "../../src/services/dream/DreamStore.ts"
import { dd, stable } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"
import { convention, profileOf } from "../support/sessionProfiles.ts"

const sentence = "names of .ts files, if they have several words, are in kebab-case"

/** A repository whose last commit adds a file with a name in another case than the sessions used. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  mkdirSync(join(home, ".daydream"), { recursive: true })
  repository.commit("First", { "src/date-parser.ts": "export const parse = 1\n" })
  repository.commit("Second", { "src/dateReport.ts": "export const report = 1\n" })
  const env: Record<string, string> = { PATH: systemPath, HOME: home }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  const learn = () => {
    const contribution = { key: "naming:ts:=kebab-case", body: convention("naming", sentence), s: 9, f: 0 }
    const profile = profileOf("s1", { endedAt: Date.now() - 1_000, contributions: [contribution] })
    const layer = Directory.layer(join(home, ".daydream")).pipe(Layer.provide(Platform.layer))
    return Effect.runPromise(
      DreamStore.use((store) => store.put(projectAt(realpathSync(repository.root))!, profile)).pipe(
        Effect.provide(layer),
        Effect.scoped
      )
    )
  }
  return { call, env, learn, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

test("a learned convention is a fact with its sessions, a finding only if its rule is enabled, and nothing with --no-learned", async () => {
  using at = world()
  const review = (...args: ReadonlyArray<string>) => at.call("review", "--commit", "HEAD", "--format", "json", ...args)
  const before = stable((await review()).stdout)
  expect(before.brief.learned).toBeUndefined()
  await at.learn()
  const after = stable((await review()).stdout)
  expect(after.brief.learned).toMatchObject([{ title: sentence, broken: ["src/dateReport.ts"], sessions: 1 }])
  expect([after.findings, { ...after.brief, learned: undefined }]).toEqual([before.findings, before.brief])
  expect(stable((await review("--no-learned")).stdout)).toEqual(before)
  at.env.DD_RULES_ENABLE = "history/learned-convention"
  expect(stable((await review()).stdout).findings).toMatchObject([
    { rule: "history/learned-convention", file: "src/dateReport.ts", line: 0, severity: "low" }
  ])
  expect((await at.call("brief", "--commit", "HEAD")).stdout.replaceAll(/\s+/g, " ")).toContain(sentence)
})
