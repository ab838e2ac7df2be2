import { describe, expect, test } from "bun:test"
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Ended, inside, run, scratch, systemPath, withoutRights } from "../support/process.ts"
import { programOfVersion, programsIn, type ReleaseServer, releaseServer } from "../support/releaseServer.ts"

const script = join(import.meta.dir, "../../install.sh")
const target = `${process.platform}-${process.arch}`
const shells = [["dash"], ["busybox", "sh"], ["bash", "--posix"], ["sh"]].filter(
  ([name = ""]) => Bun.which(name) !== null
)

type World = {
  readonly home: string
  readonly bin: string
  readonly server: ReleaseServer
  readonly install: (args?: ReadonlyArray<string>, env?: Record<string, string>) => Promise<Ended>
} & Disposable

const world = async (shell: ReadonlyArray<string>, program = programOfVersion("1.2.3")): Promise<World> => {
  const place = scratch()
  const home = inside(place.path, "home")
  const server = await releaseServer("1.2.3", target, program)
  return {
    home,
    bin: join(home, ".local/bin"),
    server,
    install: (args = [], env = {}) =>
      run([...withoutRights, ...shell, script, ...args], {
        env: { PATH: systemPath, HOME: home, DD_RELEASE_URL: server.url, SHELL: "/bin/sh", ...env }
      }),
    [Symbol.dispose]: () => {
      server[Symbol.dispose]()
      place[Symbol.dispose]()
    }
  }
}

for (const shell of shells) {
  describe(`install.sh in ${shell[0]}`, () => {
    test("installs the newest version, and leaves the name dd to coreutils", async () => {
      using at = await world(shell)
      const { status, stderr, stdout } = await at.install()
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
      expect(stdout).toContain(`installed dd 1.2.3 as ${at.bin}/daydream\n`)
      expect(stdout).toContain("--with-dd")
      expect(readdirSync(at.bin)).toEqual(["daydream"])
      expect(readdirSync(at.home)).toEqual([".local"])
    })

    test("replaces an old version, and installs a chosen one in a chosen directory, with the name dd", async () => {
      using at = await world(shell)
      const bin = programsIn(join(at.home, "my programs"), { daydream: programOfVersion("0.0.1") })
      const { status } = await at.install(["--with-dd"], { DD_INSTALL_DIR: bin, DD_VERSION: "1.2.3" })
      expect(status).toBe(0)
      expect(readdirSync(bin).sort()).toEqual(["daydream", "dd"])
      expect((await run([join(bin, "dd")])).stdout).toBe("dd 1.2.3\n")
    })

    for (const [what, answer, words] of [
      ["another checksum", "damaged", "instead of"],
      ["the download is cut", "cut", "could not be downloaded"],
      ["the archive is missing", "missing", "could not be downloaded"]
    ] as const) {
      test(`changes nothing when there is ${what}`, async () => {
        using at = await world(shell)
        at.server.serve(answer)
        const fresh = await at.install()
        expect(fresh.status).toBe(1)
        expect(fresh.stderr).toContain(words)
        expect(readdirSync(at.home)).toEqual([])
        programsIn(at.bin, { daydream: programOfVersion("0.0.1") })
        expect((await at.install()).status).toBe(1)
        expect(readdirSync(at.bin)).toEqual(["daydream"])
        expect(readFileSync(join(at.bin, "daydream"), "utf8")).toBe(programOfVersion("0.0.1"))
      })
    }

    test("changes nothing when the new program does not run", async () => {
      using at = await world(shell, "#!/bin/sh\nexit 1\n")
      const { status, stderr } = await at.install()
      expect(status).toBe(1)
      expect(stderr).toContain(`the program for ${target} does not run here; nothing was installed`)
      expect(readdirSync(at.home)).toEqual([])
    })

    test("refuses a directory that cannot be written, and names the variable", async () => {
      using at = await world(shell)
      writeFileSync(join(at.home, "file"), "")
      const closed = inside(at.home, "closed")
      chmodSync(closed, 0o500)
      for (const [directory, words] of [
        [join(at.home, "file", "bin"), "cannot be created"],
        [join(closed, "bin"), "cannot be created"],
        [closed, "is not writable"]
      ] as const) {
        const { status, stderr } = await at.install([], { DD_INSTALL_DIR: directory })
        expect({ status, stderr }).toEqual({
          status: 1,
          stderr: expect.stringContaining(`install.sh: ${directory} ${words}; set DD_INSTALL_DIR`)
        })
      }
      expect(readdirSync(at.home).sort()).toEqual(["closed", "file"])
    })

    test("neither replaces nor removes another program with its name", async () => {
      using at = await world(shell)
      programsIn(at.bin, { daydream: "#!/bin/sh\necho mine\n" })
      for (const args of [[], ["uninstall"]]) {
        const { status, stderr } = await at.install(args)
        expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("is another program") })
      }
      expect((await run([join(at.bin, "daydream")])).stdout).toBe("mine\n")
    })

    test("does not replace another program with the name dd", async () => {
      using at = await world(shell)
      programsIn(at.bin, { dd: "#!/bin/sh\n" })
      const { status, stderr } = await at.install(["--with-dd"])
      expect(status).toBe(1)
      expect(stderr).toContain(`${at.bin}/dd is another program; nothing was installed`)
      expect(readdirSync(at.bin)).toEqual(["dd"])
    })

    test("changes PATH only when asked, once, and uninstalling restores the file", async () => {
      using at = await world(shell)
      const profile = join(at.home, ".profile")
      // Without an end of the line.
      writeFileSync(profile, "umask 022")
      await at.install()
      expect(readFileSync(profile, "utf8")).toBe("umask 022")
      await at.install(["--modify-path"])
      await at.install(["--modify-path"])
      const lines = readFileSync(profile, "utf8").split("\n")
      expect(lines.filter((line) => line.includes(at.bin))).toHaveLength(1)
      const found = await run(["sh", "-c", `. "$HOME/.profile"; daydream`], {
        env: { PATH: systemPath, HOME: at.home }
      })
      expect(found.stdout).toBe("dd 1.2.3\n")
      await at.install(["uninstall"])
      expect(readFileSync(profile, "utf8")).toBe("umask 022\n")
    })

    test("works in a home directory with blanks and quotes, and reads a tilde that no shell has replaced", async () => {
      using at = await world(shell)
      const home = inside(at.home, "Ann's  home $HOME")
      const env = { HOME: home, DD_INSTALL_DIR: "~/my bin" }
      expect(await at.install(["--modify-path", "--with-dd"], env)).toMatchObject({ status: 0, stderr: "" })
      expect(readdirSync(join(home, "my bin")).sort()).toEqual(["daydream", "dd"])
      const found = await run(["sh", "-c", `. "$HOME/.profile"; dd`], { env: { PATH: systemPath, HOME: home } })
      expect(found.stdout).toBe("dd 1.2.3\n")
      expect(await at.install(["uninstall"], env)).toMatchObject({ status: 0, stderr: "" })
      expect(readFileSync(join(home, ".profile"), "utf8")).toBe("")
    })

    test("uninstalling from a directory without dd changes nothing, and names it", async () => {
      using at = await world(shell)
      const env = { DD_INSTALL_DIR: join(at.home, "bin") }
      await at.install(["--modify-path"], env)
      const profile = readFileSync(join(at.home, ".profile"), "utf8")
      expect(await at.install(["uninstall"])).toMatchObject({
        status: 1,
        stderr: `install.sh: dd is not installed in ${at.bin}\n`
      })
      expect(readFileSync(join(at.home, ".profile"), "utf8")).toBe(profile)
      expect((await at.install(["uninstall"], env)).status).toBe(0)
      expect(readFileSync(join(at.home, ".profile"), "utf8")).toBe("")
    })

    test("uninstalls the program and its other name, and nothing else", async () => {
      using at = await world(shell)
      await at.install(["--with-dd"])
      writeFileSync(join(at.bin, "other"), "")
      inside(at.home, ".daydream")
      const { status, stdout } = await at.install(["uninstall"])
      expect(status).toBe(0)
      expect(stdout).toContain(`still in ${at.home}/.daydream`)
      expect(readdirSync(at.bin)).toEqual(["other"])
      expect((await at.install(["uninstall"])).status).toBe(1)
    })

    test("leaves nothing behind: a home directory without .local is empty again", async () => {
      using at = await world(shell)
      await at.install(["--with-dd"])
      expect(await at.install(["uninstall"])).toMatchObject({ status: 0, stderr: "" })
      expect(readdirSync(at.home)).toEqual([])
    })

    test("says so when the old version cannot be replaced or removed", async () => {
      using at = await world(shell)
      programsIn(at.bin, { daydream: programOfVersion("0.0.1") })
      chmodSync(at.bin, 0o500)
      expect(await at.install()).toMatchObject({ status: 1, stderr: expect.stringContaining("is not writable") })
      expect(await at.install(["uninstall"])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`install.sh: ${at.bin}/daydream cannot be removed`)
      })
      expect(readFileSync(join(at.bin, "daydream"), "utf8")).toBe(programOfVersion("0.0.1"))
      chmodSync(at.bin, 0o700)
    })

    test("without an address of the releases, asks for it", async () => {
      using at = await world(shell)
      const { status, stderr } = await at.install([], { DD_RELEASE_URL: "" })
      expect(status).toBe(1)
      expect(stderr).toContain("set DD_RELEASE_URL")
    })
  })
}

test("a part of install.sh does nothing", async () => {
  using place = scratch()
  const text = readFileSync(script, "utf8")
  for (const share of [0.2, 0.5, 0.9]) {
    const part = join(place.path, "part.sh")
    writeFileSync(part, text.slice(0, text.length * share))
    await run(["sh", part], { env: { PATH: systemPath, HOME: place.path, DD_RELEASE_URL: "http://127.0.0.1:1" } })
    expect(readdirSync(place.path)).toEqual(["part.sh"])
  }
})
