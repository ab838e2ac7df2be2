import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { copyFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { version } from "../../package.json" with { type: "json" }
import { launcherPackage, type NpmPackage, targetPackage } from "../../scripts/release/npmPackages.ts"
import { type ReleaseTarget, targets } from "../../scripts/release/targets.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"

/** Shows its arguments, ends with a status, and waits for a signal if asked. */
const program = `#!/bin/sh
echo "dd for $TARGET: $*"
[ "$1" = wait ] && { trap 'echo ended; exit 7' TERM; echo ready; while :; do sleep 0.05; done; }
exit 5
`

const linux = targets.filter(({ cpu, os }) => os === "linux" && cpu === process.arch)
const time = new Date(0)

/** A registry with these packages only. */
const registryOf = (packages: ReadonlyArray<NpmPackage>) => {
  const manifestOf = ({ bytes }: NpmPackage): { readonly name: string } =>
    JSON.parse(/\{[\s\S]*?\n\}\n/.exec(gunzipSync(bytes).toString("latin1"))?.[0] ?? "")
  const server: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const path = decodeURIComponent(new URL(url).pathname.slice(1))
      const file = packages.find((each) => each.file === path)
      if (file !== undefined) return new Response(file.bytes)
      const found = packages.find((each) => manifestOf(each).name === path)
      if (found === undefined) return new Response("{}", { status: 404 })
      const integrity = `sha512-${new Bun.CryptoHasher("sha512").update(found.bytes).digest("base64")}`
      const dist = { tarball: `http://127.0.0.1:${server.port}/${found.file}`, integrity }
      const manifest = { ...manifestOf(found), dist }
      return Response.json({ name: path, "dist-tags": { latest: version }, versions: { [version]: manifest } })
    }
  })
  return server
}

let server: Bun.Server<undefined>
let place: ReturnType<typeof scratch>
let env: Record<string, string>

beforeAll(async () => {
  place = scratch()
  const packages = await Promise.all([
    launcherPackage(targets, [], time),
    ...linux.map((target) => targetPackage(target, [programFor(target)], time))
  ])
  server = registryOf(packages)
  const registry = `http://127.0.0.1:${server.port}/`
  env = {
    PATH: `${join(import.meta.dir, "../../node_modules/.bin")}:${systemPath}`,
    HOME: place.path,
    npm_config_registry: registry,
    npm_config_update_notifier: "false",
    BUN_INSTALL_CACHE_DIR: join(place.path, "bun-cache")
  }
})
afterAll(async () => {
  await server.stop(true)
  place[Symbol.dispose]()
})

const programFor = ({ name }: ReleaseTarget) => ({
  name: "daydream",
  content: program.replace("$TARGET", name),
  isProgram: true
})

const said = `dd for linux-${process.arch}: review --base main\n`

describe.skipIf(process.platform !== "linux")("the npm package", () => {
  test("runs the program for this system after a global installation, with its exit code", async () => {
    const prefix = inside(place.path, "global")
    const installed = await run(["npm", "install", "--global", "--prefix", prefix, "daydream-review"], { env })
    expect(installed.status).toBe(0)
    expect(readdirSync(join(prefix, "bin"))).toEqual(["daydream"])
    const { status, stdout } = await run([join(prefix, "bin/daydream"), "review", "--base", "main"], { env })
    expect({ status, stdout }).toEqual({ status: 5, stdout: said })
  })

  test("runs with npx", async () => {
    const { status, stdout } = await run(["npx", "--yes", "daydream-review", "review", "--base", "main"], { env })
    expect({ status, stdout }).toEqual({ status: 5, stdout: said })
  })

  test("runs with bunx", async () => {
    const own = { ...env, TMPDIR: inside(place.path, "bunx") }
    const { status, stdout } = await run(["bunx", "daydream-review", "review", "--base", "main"], { env: own })
    expect({ status, stdout }).toEqual({ status: 5, stdout: said })
  })

  test("passes the signal that ends it to the program", async () => {
    const prefix = join(place.path, "global")
    const child = Bun.spawn([join(prefix, "bin/daydream"), "wait"], { env, stdout: "pipe" })
    let text = ""
    for await (const chunk of child.stdout) {
      text += new TextDecoder().decode(chunk)
      if (text.endsWith("ready\n")) child.kill("SIGTERM")
    }
    expect(text).toEndWith("ready\nended\n")
    expect(await child.exited).toBe(7)
  })

  test("says which package is missing", async () => {
    const launcher = join(inside(place.path, "without"), "daydream.cjs")
    copyFileSync(join(import.meta.dir, "../../scripts/release/launcher.cjs"), launcher)
    const { status, stderr } = await run(["node", launcher], { env })
    expect(status).toBe(3)
    expect(stderr).toStartWith(`daydream: daydream-review-linux-${process.arch} is not installed`)
  })
})
