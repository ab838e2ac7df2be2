/** `dd review --fix --yes`, killed from outside while it renames the files of the user. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const names = Array.from({ length: 40 }, (_, at) => `f${String(at).padStart(2, "0")}.py`)
const wrong = (name: string) => `def f(x):\n    return x is "${name}"\n`
const right = (name: string) => wrong(name).replace(" is ", " == ")

describe("dd review --fix, killed while it applies the fixes", () => {
  for (const at of [0, 1, 13, 26, 38, 39]) {
    test(`at file ${at + 1} of ${names.length}: the next run undoes what was half done, and says so`, async () => {
      using place = scratch()
      const repository = initRepository(join(place.path, "repo"))
      const home = join(place.path, "home")
      mkdirSync(home)
      const env = { PATH: systemPath, HOME: home }
      repository.commit("Begin", { "README.md": "f\n" })
      repository.commit("Wrong", Object.fromEntries(names.map((name) => [name, wrong(name)])))
      const texts = () => names.map((name) => readFileSync(repository.path(name), "utf8"))
      const watched = repository.path(names[at]!)
      const child = Bun.spawn([dd, "review", "--fix", "--yes", "--commit", "HEAD", "--test-command", "true"], {
        cwd: repository.root,
        env,
        stdout: "ignore",
        stderr: "ignore"
      })
      // Without waiting: a rename takes less than the shortest sleep.
      while (readFileSync(watched, "utf8") === wrong(names[at]!) && child.exitCode === null) {
        if (readdirSync(home).length === 0 || !readdirSync(join(home, ".daydream")).includes("applying")) {
          await Bun.sleep(1)
        }
      }
      child.kill("SIGKILL")
      await child.exited
      const left = texts()
      const fixed = names.filter((name, index) => left[index] === right(name)).length
      expect(left.filter((text, index) => text !== right(names[index]!) && text !== wrong(names[index]!))).toEqual([])

      const review = (...args: ReadonlyArray<string>) =>
        run([dd, "review", ...args, "--commit", "HEAD"], { cwd: repository.root, env })
      const isPartial = fixed > 0 && fixed < names.length
      if (isPartial) {
        const doctor = await run([dd, "doctor"], { cwd: repository.root, env })
        expect(doctor.stdout).toContain(repository.root)
        expect(doctor.stdout).toContain("half applied in 40 files")
        // A review without --fix edits nothing.
        expect((await review()).stderr).toContain("dd review --fix undoes that")
        expect(texts()).toEqual(left)
      }
      const { stderr, stdout } = await review("--fix", "--non-interactive", "--test-command", "true")
      if (isPartial) expect(`${stdout}${stderr}`).toContain(`undone in ${fixed} file`)
      expect(texts()).toEqual(names.map(fixed === names.length ? right : wrong))
      expect(readdirSync(repository.root).filter((name) => name.endsWith(".draft"))).toEqual([])
      expect(readdirSync(join(home, ".daydream/applying"))).toEqual([])
    })
  }
})
