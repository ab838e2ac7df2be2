/** The image: what its build takes from a release. The script of that stage runs here, on an archive of the release's form. */
import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tar, xz } from "../../scripts/release/archive.ts"
import { archiveOf, targets } from "../../scripts/release/targets.ts"
import { type Ended, inside, run, scratch, systemPath } from "../support/process.ts"

const text = readFileSync(join(import.meta.dir, "../../Containerfile"), "utf8")

/** The instructions of the stage with this name, lines joined and comments left out. */
const stage = (name: string): ReadonlyArray<string> => {
  const [, body = ""] = text.split(new RegExp(`^FROM .* AS ${name}$`, "m"))
  const [own = ""] = body.split(/^FROM /m)
  return own
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll("\\\n", "")
    .split("\n")
}

const version = "1.2.3"

/** Builds the stage of the program in a directory, after `damage` has been done to the archive. */
const build = async (
  at: string,
  architecture: string,
  damage: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes
): Promise<Ended> => {
  const release = inside(at, "release")
  const sums: Array<string> = []
  for (const target of targets.filter(({ name }) => /^linux-(?:x64|arm64)$/.test(name))) {
    const name = archiveOf(version, target)
    const files = [
      { name: "daydream", content: `#!/bin/sh\necho ${target.name}\n`, isProgram: true },
      { name: "LICENSE", content: "license\n" },
      { name: "THIRD-PARTY-LICENSES", content: "licenses\n" }
    ]
    const bytes = await xz(await tar(name.replace(".tar.xz", ""), files, new Date(0)), "-0")
    sums.push(`${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}  ${name}\n`)
    writeFileSync(join(release, name), damage(bytes))
  }
  writeFileSync(join(release, "SHA256SUMS"), sums.join(""))
  const script =
    stage("program")
      .find((line) => line.startsWith("RUN "))
      ?.slice("RUN ".length) ?? ""
  const here = script.replaceAll("/release", release).replaceAll("/image", join(at, "image"))
  return run(["sh", "-c", here], { cwd: at, env: { PATH: systemPath, VERSION: version, TARGETARCH: architecture } })
}

describe("the image", () => {
  test.each([
    ["amd64", "linux-x64"],
    ["arm64", "linux-arm64"]
  ])("has the program of the release for %s under both names", async (architecture, target) => {
    using at = scratch()
    const ended = await build(at.path, architecture)
    expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status: 0, stderr: "" })
    for (const name of ["dd", "daydream"]) {
      const { stdout } = await run([join(at.path, "image/usr/local/bin", name)])
      expect(stdout).toBe(`${target}\n`)
    }
  })

  test("is not built from an archive with another checksum, nor for a system without a release", async () => {
    using at = scratch()
    const damaged = await build(at.path, "amd64", (bytes) => bytes.slice(0, -1))
    expect(damaged.status).not.toBe(0)
    expect(damaged.stderr).toContain("did NOT match")
    using other = scratch()
    expect(await build(other.path, "s390x")).toMatchObject({ status: 1, stderr: "no release for s390x\n" })
  })

  test("runs dd as another user than root, and leaves git's check of the owner on", () => {
    expect(text).toMatch(/^USER 10001:10001$/m)
    expect(text).toMatch(/^ENTRYPOINT \["dd"\]$/m)
    expect(text).not.toContain("safe.directory")
    expect(text).toMatch(/^ARG BASE=debian:[\d.]+-slim$/m)
  })
})
