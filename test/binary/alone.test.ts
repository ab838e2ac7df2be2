import { describe, expect, test } from "bun:test"
import { copyFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { daydream, dd, sealed } from "../support/binary.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"

describe("the binary alone", () => {
  test("prints its name and version under both names", async () => {
    for (const name of [dd, daydream]) {
      for (const version of ["--version", "version"]) {
        const { status, stdout, stderr } = await run([name, version])
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
        expect(stdout).toMatch(/^dd [0-9.]+ \((?:[0-9a-f]{12,}(?:-modified)?, \d{4}-\d\d-\d\d, )?\w+-\w+\)\n$/)
        expect(stdout).toStartWith(`dd ${packageJson.version} (`)
      }
    }
  })

  test("prints its version as JSON, with its components", async () => {
    const { status, stdout } = await run([dd, "--version", "--json"])
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      name: "dd",
      version: packageJson.version,
      commit: expect.anything(),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[0-9:]{8}\.000Z$/),
      target: `${process.platform}-${process.arch}`,
      bun: packageJson.devDependencies.bun,
      effect: packageJson.dependencies.effect
    })
  })

  test("needs no file beside it: moved away from its repository, in an empty directory, with an empty environment", async () => {
    using place = scratch()
    const moved = join(place.path, "dd")
    copyFileSync(dd, moved)
    const empty = inside(place.path, "empty")
    const { status, stdout } = await run([moved, "--help"], { cwd: empty, env: {} })
    expect(status).toBe(0)
    expect(stdout).toContain("review")
    expect(readdirSync(empty)).toEqual([])
  })

  test.skipIf(sealed === undefined)("works where nothing can be written and no packages can be read", async () => {
    const jail = sealed ?? []
    using place = scratch()
    const where = { cwd: place.path, env: { PATH: systemPath, TMPDIR: place.path, HOME: "/nonexistent" } }
    expect((await run([...jail, "touch", join(place.path, "file")], where)).status).not.toBe(0)
    const modules = join(import.meta.dir, "../../node_modules")
    expect((await run([...jail, "ls", modules], where)).stdout).toBe("")
    const { status, stdout } = await run([...jail, dd, "--help"], where)
    expect({ status, mentionsReview: stdout.includes("review") }).toEqual({ status: 0, mentionsReview: true })
  })

  test("works for a user without a home and with a temporary directory that does not exist", async () => {
    const { status } = await run([dd, "--help"], { cwd: "/", env: { TMPDIR: "/nonexistent" } })
    expect(status).toBe(0)
  })
})
