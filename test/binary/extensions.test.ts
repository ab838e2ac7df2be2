import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const put = (path: string, text: string): string => {
  writeFileSync(path, text)
  chmodSync(path, 0o600)
  return path
}

const home = (place: string): string => {
  const extensions = inside(place, "home", "extensions")
  for (const directory of [join(place, "home"), extensions, inside(extensions, "lib")]) chmodSync(directory, 0o700)
  return join(place, "home")
}

describe("the binary's extensions", () => {
  test("are TypeScript files that import others, loaded with nothing installed", async () => {
    using place = scratch()
    const DD_HOME = home(place.path)
    put(join(DD_HOME, "extensions/lib/name.ts"), "export const name = (n: number): string => `scan-${n}`\n")
    put(
      join(DD_HOME, "extensions/a.ts"),
      `import { name } from "./lib/name.ts"
       interface Registry { insertBefore(flow: string, anchor: string, step: object): void }
       export const DAYDREAM_EXT_API = 1
       export const register = (r: Registry): void => r.insertBefore("deep", "arbiter", { name: name(1), run: () => undefined })`
    )
    const shown = await run([dd, "flow", "show", "deep"], { cwd: place.path, env: { DD_HOME } })
    expect(shown).toMatchObject({ status: 0, stderr: "" })
    expect(shown.stdout).toContain("scan-1")
  })

  test("take no module, alias or setting from the directory dd is called in", async () => {
    using place = scratch()
    const DD_HOME = home(place.path)
    const cwd = inside(place.path, "hostile")
    const mark = join(place.path, "mark")
    const evil = `require("node:fs").writeFileSync(${JSON.stringify(mark)}, "was here")\nmodule.exports = {}\n`
    put(join(inside(cwd, "node_modules", "left-pad"), "index.js"), evil)
    put(join(cwd, "evil.js"), evil)
    put(join(cwd, "bunfig.toml"), 'preload = ["./evil.js"]\n')
    put(join(cwd, "tsconfig.json"), '{ "compilerOptions": { "baseUrl": ".", "paths": { "*": ["./evil.js"] } } }')
    put(join(cwd, "package.json"), '{ "name": "left-pad", "main": "./evil.js", "imports": { "#x": "./evil.js" } }')
    for (const specifier of ["left-pad", "#x", "evil", "@/evil"]) {
      put(join(DD_HOME, "extensions/a.ts"), `import ${JSON.stringify(specifier)}\nexport const DAYDREAM_EXT_API = 1\n`)
      const { status, stdout } = await run([dd, "ext", "validate"], { cwd, env: { DD_HOME } })
      expect({ specifier, status }).toEqual({ specifier, status: 1 })
      expect(stdout).toContain("could not be loaded")
    }
    expect(existsSync(mark)).toBe(false)
  })

  test("are refused, and do not run, inside the repository dd is called in", async () => {
    using place = scratch()
    const DD_HOME = home(place.path)
    const mark = join(place.path, "mark")
    inside(place.path, ".git")
    put(
      join(DD_HOME, "extensions/a.ts"),
      `import { writeFileSync } from "node:fs"\nwriteFileSync(${JSON.stringify(mark)}, "was here")\n`
    )
    const { status, stderr } = await run([dd, "flow", "list"], { cwd: place.path, env: { DD_HOME } })
    expect(status).toBe(2)
    expect(stderr).toContain("inside the repository under review")
    expect(existsSync(mark)).toBe(false)
  })

  test("end a review with their exit code, whatever the review's own is", async () => {
    using place = scratch()
    const DD_HOME = home(place.path)
    const { root } = initRepository(join(place.path, "repo")).write("app.py", "value = 1\n")
    for (const [stop, policy, status] of [
      [1, "fail", 1],
      [2, "fail", 2],
      [3, "pass", 3],
      [4, "pass", 4],
      [0, "fail", 4],
      [0, "pass", 0]
    ] as const) {
      put(
        join(DD_HOME, "extensions/a.ts"),
        `export const DAYDREAM_EXT_API = 1
         export const register = (r) => r.insertBefore("deep", "intent", { name: "halt", run: () => ({ stop: ${stop} }) })`
      )
      const args = ["review", "--on-inconclusive", policy]
      const ended = await run([dd, ...args], { cwd: root, env: { DD_HOME, PATH: systemPath } })
      expect({ stop, policy, status: ended.status }).toEqual({ stop, policy, status })
    }
  })

  test("are named with their reason where they end a review, which is inconclusive with 3 and 4", async () => {
    using place = scratch()
    const DD_HOME = home(place.path)
    const { root } = initRepository(join(place.path, "repo")).write("app.py", "value = 1\n")
    for (const [stop, ending, status] of [
      [0, "ended the review: freeze", "complete"],
      [1, "ended the review with exit code 1: freeze", "complete"],
      [3, "ended the review with exit code 3: freeze", "inconclusive"],
      [4, "ended the review with exit code 4: freeze", "inconclusive"]
    ] as const) {
      put(
        join(DD_HOME, "extensions/a.ts"),
        `export const DAYDREAM_EXT_API = 1
         const halt = { name: "halt", run: () => ({ stop: ${stop}, summary: "freeze" }) }
         export const register = (r) => r.insertBefore("deep", "load-items", halt)`
      )
      const ended = await run([dd, "review", "--format", "json"], { cwd: root, env: { DD_HOME, PATH: systemPath } })
      const result = JSON.parse(ended.stdout)
      expect([result.status, ended.status]).toEqual([status, stop])
      expect(result.notes).toContain(`The extension step "halt" ${ending}.`)
    }
  })

  test("are refused by the wrong field of a loop group, not by its name", async () => {
    using place = scratch()
    const DD_HOME = home(place.path)
    for (const [group, field] of [
      ['steps: ["intent"], maxIterations: 0', "maxIterations"],
      ['steps: ["intent"], maxIterations: -1', "maxIterations"],
      ['steps: ["intent"], maxIterations: 1.5', "maxIterations"],
      ["steps: [], maxIterations: 1", "steps"]
    ]) {
      const define = 'r.defineFlow({ name: "mine", entries: [group] })'
      const insert = 'r.replace("deep", "intent", group)'
      for (const edit of [define, insert]) {
        put(
          join(DD_HOME, "extensions/a.ts"),
          `const group = { name: "g1", ${group} }
           export const DAYDREAM_EXT_API = 1
           export const register = (r) => ${edit}`
        )
        const { stdout } = await run([dd, "ext", "validate"], { cwd: place.path, env: { DD_HOME } })
        expect(stdout).toContain(`["${field}"]`)
        expect(stdout).toContain("correct the fields named above")
        expect(stdout).not.toContain("not a name")
      }
    }
  })

  test("exit with 0 when valid and 1 when broken, and a wrong call with 2", async () => {
    using place = scratch()
    const DD_HOME = home(place.path)
    const ended = async (...args: ReadonlyArray<string>) => (await run([dd, ...args], { env: { DD_HOME } })).status
    expect(await ended("ext", "validate")).toBe(0)
    expect(await ended("ext", "validate", "--jsn")).toBe(2)
    put(join(DD_HOME, "extensions/a.ts"), "export const DAYDREAM_EXT_API = 2\n")
    expect(await ended("ext", "validate")).toBe(1)
    expect(await ended("flow", "list")).toBe(2)
    expect(await ended("flow", "show", "nope")).toBe(2)
  })

  for (const [what, statement] of [
    ["removes the parsing of reviews", 'r.remove("deep", "per-stack-parse")'],
    ["ends the flow before it", 'r.insertBefore("deep", "per-stack-parse", { name: "s1", run: () => ({ stop: 0 }) })'],
    ["replaces it", 'r.replaceStep({ name: "per-stack-parse", run() {} })'],
    ["moves the reviews behind it", 'r.move("deep", "per-stack-reviews", { after: "per-stack-parse" })']
  ] as const) {
    test(`make the review inconclusive when one ${what}`, async () => {
      using place = scratch()
      const DD_HOME = home(place.path)
      const repository = initRepository(join(place.path, "repo"))
      repository.commit("Begin", { "README.md": "# App\n" })
      repository.branch("feature").commit("Add", { "a.py": "try:\n    x = 1\nexcept:\n    pass\n" })
      put(
        join(DD_HOME, "extensions/a.ts"),
        `export const DAYDREAM_EXT_API = 1\nexport const register = (r) => ${statement}\n`
      )
      const env = { DD_HOME, HOME: place.path, PATH: systemPath }
      const review = (...args: ReadonlyArray<string>) =>
        run([dd, "review", "--format", "json", ...args], { cwd: repository.root, env })
      const { status, stdout } = await review()
      const result = JSON.parse(stdout)
      expect(status).toBe(4)
      expect(result.status).toBe("inconclusive")
      expect(result.coverage.files).toMatchObject([
        { path: "a.py", status: "unread", reason: "its review was not parsed" }
      ])
      expect(result.degraded.map(({ error }: { error: string }) => error)).toContain("ReviewNotParsed")
      // Nor can it be resumed as a clean one.
      expect((await review("--start-at", "fix")).status).not.toBe(0)
    })
  }
})
