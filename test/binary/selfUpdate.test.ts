import { describe, expect, test } from "bun:test"
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import packageJson from "../../package.json" with { type: "json" }
import { daydream } from "../support/binary.ts"
import { type Ended, inside, run, scratch, systemPath, withoutRights } from "../support/process.ts"
import { programOfVersion, type ReleaseServer, releaseServer } from "../support/releaseServer.ts"

const target = `${process.platform}-${process.arch}`

type World = {
  readonly program: string
  readonly server: ReleaseServer
  readonly update: (...args: ReadonlyArray<string>) => Promise<Ended>
  /** Is the program the one that was there, and alone? */
  readonly isUntouched: () => boolean
} & Disposable

/** A copy of the program in a directory of its own, and a server with this newest release. */
const world = async (version = "99.0.0", text = programOfVersion("99.0.0"), folder = "bin"): Promise<World> => {
  const place = scratch()
  const program = join(inside(place.path, folder), "daydream")
  copyFileSync(daydream, program)
  const server = await releaseServer(version, target, text)
  return {
    program,
    server,
    update: (...args) =>
      run([...withoutRights, program, "self-update", ...args], {
        env: { PATH: systemPath, HOME: inside(place.path, "home"), DD_RELEASE_URL: server.url }
      }),
    isUntouched: () =>
      statSync(program).size === statSync(daydream).size && readdirSync(join(program, "..")).join() === "daydream",
    [Symbol.dispose]: () => {
      server[Symbol.dispose]()
      place[Symbol.dispose]()
    }
  }
}

describe("dd self-update", () => {
  test("replaces the program by the newest version, and leaves nothing else", async () => {
    using at = await world()
    const { status, stdout } = await at.update()
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `replaced dd ${packageJson.version} by 99.0.0: ${at.program}\n`
    })
    expect(readFileSync(at.program, "utf8")).toBe(programOfVersion("99.0.0"))
    expect(readdirSync(join(at.program, ".."))).toEqual(["daydream"])
  })

  test("only looks with --check", async () => {
    using at = await world()
    const { status, stdout } = await at.update("--check")
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `dd 99.0.0 is available; this is ${packageJson.version}\n`
    })
    expect(at.isUntouched()).toBe(true)
  })

  test("does nothing when it is the newest version", async () => {
    using at = await world(packageJson.version)
    expect((await at.update()).stdout).toBe(`dd ${packageJson.version} is the newest version\n`)
    expect(at.isUntouched()).toBe(true)
  })

  test.skipIf(process.platform !== "linux")("writes no file if the program was replaced since it started", async () => {
    using at = await world()
    const directory = join(at.program, "..")
    const started = `exec 3<"$0"; rm "$0"; exec /proc/self/fd/3 self-update`
    const { status, stderr } = await run(["sh", "-c", started, at.program], {
      env: { PATH: systemPath, HOME: inside(directory, "../home"), DD_RELEASE_URL: at.server.url }
    })
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining("daydream was replaced") })
    expect(readdirSync(directory)).toEqual([])
  })

  for (const [what, answer, words] of [
    ["has another checksum", "damaged", "has another checksum than SHA256SUMS says; nothing was changed"],
    ["is cut", "cut", "could not be read"],
    ["is missing", "missing", "the server answered 404; nothing was changed"]
  ] as const) {
    test(`keeps the program when the archive ${what}`, async () => {
      using at = await world()
      at.server.serve(answer)
      const { status, stderr } = await at.update()
      expect(status).toBe(3)
      expect(stderr.replaceAll(/\s+/g, " ")).toContain(words)
      expect(at.isUntouched()).toBe(true)
    })
  }

  for (const [what, text] of [
    ["does not run", "#!/bin/sh\nexit 1\n"],
    ["is another version", programOfVersion("98.0.0")]
  ] as const) {
    test(`keeps the program when the new one ${what}`, async () => {
      using at = await world("99.0.0", text)
      const { status, stderr } = await at.update()
      expect(status).toBe(3)
      expect(stderr).toContain("dd 99.0.0 does not run here; nothing was changed")
      expect(at.isUntouched()).toBe(true)
    })
  }

  test("reports that there is no network", async () => {
    using at = await world()
    at.server[Symbol.dispose]()
    const { status, stderr } = await at.update("--check")
    expect(status).toBe(3)
    expect(stderr).toContain("nothing answers at this address")
  })

  for (const [folder, command] of [
    ["node_modules/daydream-review-linux-x64", "npm install --global"],
    ["Cellar/daydream/1.0.0/bin", "brew upgrade daydream"],
    ["scoop/apps/daydream/current", "scoop update daydream"]
  ] as const) {
    test(`leaves a program in ${folder} to its package manager`, async () => {
      using at = await world("99.0.0", programOfVersion("99.0.0"), folder)
      const { status, stderr } = await at.update()
      expect(status).toBe(2)
      expect(stderr.replaceAll(/\s+/g, " ")).toContain(`run ${command}`)
      expect(at.isUntouched()).toBe(true)
    })
  }

  test("refuses a directory that cannot be written", async () => {
    using at = await world()
    chmodSync(join(at.program, ".."), 0o500)
    const { status, stderr } = await at.update()
    chmodSync(join(at.program, ".."), 0o700)
    expect(status).toBe(2)
    expect(stderr).toContain("is not writable")
  })

  test("asks for an address of the releases, as the project has none", async () => {
    const { status, stderr } = await run([daydream, "self-update"], { env: { PATH: systemPath } })
    expect(status).toBe(2)
    expect(stderr).toContain("set DD_RELEASE_URL")
  })
})
