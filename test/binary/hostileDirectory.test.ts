import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"

/** A directory in which everything Bun would read on its own leaves a mark: docs/decisions/0005. */
const hostileDirectory = (directory: string): { readonly cwd: string; readonly mark: string } => {
  const cwd = inside(directory, "hostile")
  const mark = join(directory, "mark")
  const leaveMark = `import { writeFileSync } from "node:fs"\nwriteFileSync(${JSON.stringify(mark)}, "was here")\n`
  writeFileSync(join(cwd, "evil.ts"), leaveMark)
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n')
  writeFileSync(
    join(cwd, "tsconfig.json"),
    '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./evil.ts"] } } }'
  )
  writeFileSync(
    join(cwd, "package.json"),
    '{ "name": "effect", "main": "./evil.ts", "imports": { "#*": "./evil.ts" }, "scripts": { "preinstall": "bun evil.ts" } }'
  )
  return { cwd, mark }
}

describe("a hostile directory", () => {
  test("runs none of its code in the program that replaces it", async () => {
    using place = scratch()
    const { cwd, mark } = hostileDirectory(place.path)
    for (const args of [["--version"], ["--help"], ["review", "--help"]]) {
      expect((await run([dd, ...args], { cwd })).status).toBe(0)
    }
    expect(existsSync(mark)).toBe(false)
  })

  test("cannot choose the program's environment with a .env file", async () => {
    using place = scratch()
    const { cwd } = hostileDirectory(place.path)
    // The hand-over reads PATH, so a PATH out of .env would show: echo under the name dd prints its arguments.
    const planted = inside(place.path, "planted")
    Bun.spawnSync(["ln", "-s", "/bin/echo", join(planted, "dd")])
    for (const name of [".env", ".env.local", ".env.production", ".env.development"]) {
      writeFileSync(join(cwd, name), `PATH=${planted}\nDD_HOME=${cwd}\n`)
    }
    const { stdout } = await run([dd, "if=/dev/null", "status=none"], { cwd, env: {} })
    expect(stdout).toBe("")
    const chosen = await run([dd, "if=/dev/null", "status=none"], { cwd, env: { PATH: `${planted}:${systemPath}` } })
    expect(chosen.stdout).toBe("if=/dev/null status=none\n")
  })

  test("resolves the same modules for the user's own extensions", async () => {
    using place = scratch()
    const { cwd, mark } = hostileDirectory(place.path)
    const extensions = inside(cwd, "extensions")
    for (const directory of [cwd, extensions]) chmodSync(directory, 0o700)
    for (const specifier of ["anything", "#anything", "effect"]) {
      writeFileSync(join(extensions, "a.ts"), `import "${specifier}"\n`, { mode: 0o600 })
      const { status } = await run([dd, "ext", "validate"], { cwd: place.path, env: { DD_HOME: cwd } })
      expect(status).toBe(1)
    }
    expect(existsSync(mark)).toBe(false)
  })
})
