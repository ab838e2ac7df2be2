import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import manifest from "../../package.json" with { type: "json" }
import { tar, zip } from "../../scripts/release/archive.ts"
import { bom, notices, packagesOf } from "../../scripts/release/bom.ts"
import { filled } from "../../scripts/release/filled.ts"
import { commandReference, manualPage } from "../../scripts/release/reference.ts"
import { archiveOf, targets } from "../../scripts/release/targets.ts"
import { scratch } from "../support/process.ts"

const root = join(import.meta.dir, "../..")

describe("the command reference", () => {
  test("docs/commands.md describes the commands as they are: bun scripts/release/reference.ts", async () => {
    expect(await Bun.file(join(root, "docs/commands.md")).text()).toBe(await commandReference())
  })

  test("the manual page describes each command, with its flags and the exit codes", async () => {
    const page = await manualPage("1.2.3", "2026-01-02")
    expect(page).toStartWith('.TH DAYDREAM 1 "2026-01-02" "dd 1.2.3" "User Commands"\n')
    for (const line of [".SS dd review", ".SS dd archive list", ".B \\-\\-fail\\-on", ".B 143"]) {
      expect(page).toContain(`\n${line}`)
    }
  })

  test("no text of a help page is a request to roff", async () => {
    const requests = (await manualPage("1.2.3", "2026-01-02")).split("\n").filter((line) => /^[.']/.test(line))
    expect(new Set(requests.map((line) => line.slice(0, 3).trim()))).toEqual(
      new Set([".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I"])
    )
  })
})

describe("archives", () => {
  const files = [
    { name: "daydream", content: "#!/bin/sh\n", isProgram: true },
    { name: "LICENSE", content: "Apache\n" }
  ]
  const time = new Date("2026-01-02T03:04:06Z")

  test("of the same files have the same bytes, and the time of the commit", async () => {
    for (const pack of [tar, zip]) {
      const packed = await pack("daydream-1", files, time)
      expect(Buffer.from(packed).equals(Buffer.from(await pack("daydream-1", files, time)))).toBe(true)
      expect(Buffer.from(packed).equals(Buffer.from(await pack("daydream-1", files, new Date(0))))).toBe(false)
    }
  })

  test("unpack to one directory with a program that can be executed", async () => {
    using place = scratch()
    await Bun.write(join(place.path, "a.tar"), await tar("daydream-1", files, time))
    const listed = Bun.spawnSync(["tar", "-tvf", join(place.path, "a.tar")], { env: { ...process.env, TZ: "UTC" } })
    const lines = listed.stdout.toString().trim().split("\n")
    expect(lines.map((line) => line.slice(0, 10))).toEqual(["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--"])
    expect(lines.every((line) => line.includes("2026-01-02 03:04 daydream-1/"))).toBe(true)
  })

  test("have a name for each target", () => {
    const names = targets.map((target) => archiveOf("1.2.3", target))
    expect(names).toContain("daydream-1.2.3-linux-x64-musl.tar.xz")
    expect(names).toContain("daydream-1.2.3-windows-x64.zip")
    expect(new Set(names).size).toBe(targets.length)
  })
})

describe("the bill of materials", () => {
  const inputs = ["src/cli/main.ts", "node_modules/effect/dist/Effect.js", "node_modules/@anthropic-ai/sdk/index.js"]

  test("lists the packages in the program, with version, license and hash", () => {
    const packages = packagesOf([...inputs, join(root, "node_modules/effect/dist/Layer.js")])
    expect(packages.map(({ license, name, version }) => `${name} ${version} ${license}`)).toEqual([
      `@anthropic-ai/sdk ${manifest.dependencies["@anthropic-ai/sdk"]} Apache-2.0`,
      `effect ${manifest.dependencies.effect} MIT`
    ])
    for (const { hash } of packages) expect(hash).toMatch(/^[0-9a-f]{128}$/)
    const refs = JSON.stringify(bom(packages, "2026-01-02T00:00:00.000Z"))
    expect(refs).toContain(`"purl":"pkg:npm/%40anthropic-ai/sdk@${manifest.dependencies["@anthropic-ai/sdk"]}"`)
    expect(refs).toContain(`"purl":"pkg:npm/bun@${manifest.devDependencies.bun}"`)
  })

  test("has the text of each license beside it", () => {
    expect(notices(packagesOf(inputs))).toContain("Permission is hereby granted")
  })

  test("refuses a package that the lock file does not have", () => {
    expect(() => packagesOf(["node_modules/.bin/none"])).toThrow("bun.lock has no node_modules/.bin")
  })
})

describe("the formula for Homebrew and the manifest for Scoop", () => {
  const checksums: Record<string, string> = Object.fromEntries(targets.map(({ name }) => [name, name.padEnd(64, "0")]))
  const values: Record<string, string> = {
    version: "1.2.3",
    url: "http://127.0.0.1/releases",
    homepage: "http://127.0.0.1",
    ...checksums
  }
  const textOf = (file: string) => Bun.file(join(root, "templates", file)).text()

  test("name the archives of the release, with their checksums", async () => {
    const formula = filled(await textOf("daydream.rb"), values) ?? ""
    for (const target of targets.filter(({ libc, os }) => os !== "win32" && libc !== "musl")) {
      const archive = `download/1.2.3/${archiveOf("1.2.3", target)}"\n      sha256 "${checksums[target.name]}"`
      expect(formula).toContain(archive)
    }
    const manifest = JSON.parse(filled(await textOf("daydream.json"), values) ?? "")
    expect(manifest.architecture.arm64).toEqual({
      url: "http://127.0.0.1/releases/download/1.2.3/daydream-1.2.3-windows-arm64.zip",
      hash: checksums["windows-arm64"],
      extract_dir: "daydream-1.2.3-windows-arm64"
    })
  })

  test("are not written without an address, or without a checksum", async () => {
    const { url: _address, ...withoutAddress } = values
    const { "darwin-x64": _checksum, ...withoutChecksum } = values
    expect(filled(await textOf("daydream.rb"), withoutAddress)).toBeNull()
    expect(filled(await textOf("daydream.rb"), withoutChecksum)).toBeNull()
  })
})
