/** A release for this machine, made by the real script from the sources as they are, and installed by its own installer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { dirname, join } from "node:path"
import { version } from "../../package.json" with { type: "json" }
import { targets } from "../../scripts/release/targets.ts"
import { type Ended, inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const root = join(import.meta.dir, "../..")
const target = `${process.platform}-${process.arch}`

/** A repository with the sources of this one, changed or not, as one commit: a release is made from a clean tree. */
const copyOfSources = async (at: string): Promise<string> => {
  const { stdout } = await run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  const repository = initRepository(at)
  const paths = stdout.split("\0").filter((path) => !/^(?:$|test\/|docs\/(?!night\.md))/.test(path))
  for (const path of paths.filter((each) => existsSync(join(root, each)))) {
    mkdirSync(dirname(join(at, path)), { recursive: true })
    copyFileSync(join(root, path), join(at, path))
  }
  symlinkSync(join(root, "node_modules"), join(at, "node_modules"))
  repository.git("add", "--all")
  repository.git("commit", "--quiet", "--message", "The sources")
  return repository.git("rev-parse", "HEAD")
}

describe.skipIf(!targets.some(({ name, os }) => name === target && os !== "win32"))("a release", () => {
  let place: ReturnType<typeof scratch>
  let commit: string
  let released: Ended
  /** The directory of the release, and that of the unpacked archive. */
  let release: string
  let unpacked: string
  const archive = `daydream-${version}-${target}.tar.xz`
  const releaseScript = () =>
    run([process.execPath, "scripts/release.ts", version, "--target", target, "--level=-0"], {
      cwd: join(place.path, "dd"),
      // In its cache below the home directory, Bun keeps the runtimes that it loads from npm's registry.
      env: { PATH: systemPath, HOME: userInfo().homedir }
    })

  beforeAll(async () => {
    place = scratch()
    commit = await copyOfSources(join(place.path, "dd"))
    released = await releaseScript()
    release = join(place.path, "dd/dist/release", version)
    unpacked = join(place.path, archive.replace(".tar.xz", ""))
    if (released.status === 0) await run(["tar", "-xf", join(release, archive), "-C", place.path])
  })
  afterAll(() => place[Symbol.dispose]())

  test("is built, and its program has reviewed a repository", () => {
    // Bun may say on standard error that it unpacks a runtime.
    expect(released.status, released.stderr).toBe(0)
    expect(released.stdout).toMatch(new RegExp(`^${target} .*: ran$`, "m"))
  })

  test("has an archive with the program, its licenses, a manual page and completions", () => {
    expect(readdirSync(unpacked, { recursive: true, encoding: "utf8" }).sort()).toEqual([
      ...["LICENSE", "README.md", "THIRD-PARTY-LICENSES", "completions", "completions/_daydream"],
      ...["completions/daydream.bash", "completions/daydream.fish", "daydream", "daydream.1"]
    ])
    expect(readFileSync(join(unpacked, "daydream.1"), "utf8")).toStartWith('.TH DAYDREAM 1 "2026-01-02" "dd ')
  })

  test("has the checksum of each file, the installers and the bill of materials included", async () => {
    expect((await run(["sha256sum", "--check", "--strict", "SHA256SUMS"], { cwd: release })).status).toBe(0)
    const summed = readFileSync(join(release, "SHA256SUMS"), "utf8").matchAll(/^[0-9a-f]{64} {2}(.+)$/gm)
    expect([...summed].map(([, name]) => name).sort()).toEqual(
      [archive, `daydream-${version}.cdx.json`, "install.ps1", "install.sh"].sort()
    )
  })

  test("has a bill of materials with the packages whose licenses are in the archive", () => {
    const { components }: { components: ReadonlyArray<{ name: string; version: string; purl: string }> } = JSON.parse(
      readFileSync(join(release, `daydream-${version}.cdx.json`), "utf8")
    )
    const names = components.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(["effect", "bun"]))
    const notices = readFileSync(join(unpacked, "THIRD-PARTY-LICENSES"), "utf8")
    for (const { name, purl, version } of components) {
      expect(purl).toEndWith(`@${version}`)
      expect(notices).toContain(name)
    }
  })

  test("has packages for npm: the launcher, and the one for this system", () => {
    expect(readdirSync(join(release, "npm")).sort()).toEqual([
      `daydream-review-${version}.tgz`,
      `daydream-review-${target}-${version}.tgz`
    ])
  })

  test("is installed by its own installer, with the commit, the date and the target in its version", async () => {
    const home = inside(place.path, "home")
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => new Response(Bun.file(join(release, url.slice(url.lastIndexOf("/") + 1))))
    })
    try {
      const env = { PATH: systemPath, HOME: home, DD_RELEASE_URL: `http://127.0.0.1:${server.port}` }
      const installed = await run(["sh", join(release, "install.sh")], { env })
      expect({ status: installed.status, stderr: installed.stderr }).toEqual({ status: 0, stderr: "" })
      const { stdout } = await run([join(home, ".local/bin/daydream"), "--version"])
      expect(stdout).toBe(`dd ${version} (${commit.slice(0, 12)}, 2026-01-02, ${target})\n`)
    } finally {
      await server.stop(true)
    }
  })

  test("is not made from sources with changes that are not committed", async () => {
    writeFileSync(join(place.path, "dd/src/new.ts"), "")
    const { status, stderr } = await releaseScript()
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: "the working tree has changes that are not committed\n"
    })
    expect(readdirSync(release)).toContain(archive)
  })
})
