/** Names that look the same when they are shown, or that are no text: each is one file, also in a real push. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { visiblePath } from "../../src/domain/text/Printable.ts"
import { dd } from "../support/binary.ts"
import { run as runInside } from "../support/inProcess.ts"
import { oddPaths } from "../support/oddPaths.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const before = "import yaml\n"
const after = "import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n"

/** On disk, and as dd names it. */
const twins: ReadonlyArray<readonly [string | Buffer, string]> = [
  ["bad\\xff.py", "bad\\x5cxff.py"],
  [Buffer.concat([Buffer.from("bad"), Buffer.from([0xff]), Buffer.from(".py")]), "bad\\xff.py"],
  ["bad\\x5cxff.py", "bad\\x5cx5cxff.py"],
  ["b\\x09.py", "b\\x09.py"],
  ["b\t.py", "b\t.py"],
  ["c<U+200B>.py", "c<U+200B>.py"],
  ["c\u200b.py", "c\u200b.py"]
]

const world = () => {
  const place = scratch()
  const remote = join(place.path, "remote.git")
  initRepository(remote, "--bare")
  const repository = initRepository(join(place.path, "work"))
  const env = { PATH: systemPath, HOME: inside(place.path, "home"), GIT_CONFIG_NOSYSTEM: "1" }
  const write = (text: string) => {
    for (const [name] of twins)
      writeFileSync(Buffer.concat([Buffer.from(`${repository.root}/`), Buffer.from(name as string)]), text)
  }
  repository.git("remote", "add", "origin", remote)
  write(before)
  repository.commit("one", Object.fromEntries(oddPaths.map((path) => [path, before])))
  repository.git("push", "--quiet", "origin", "main")
  write(after)
  return { place, repository, env, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

const names = twins.map(([, name]) => name)

describe("names that look the same when they are shown", () => {
  test("are different files in the working tree, in a commit and in each format", async () => {
    using at = world()
    const found = async (...args: ReadonlyArray<string>) => {
      const sarif = join(at.place.path, "report.sarif")
      const command = [dd, "review", ...args, "--format", "json", "--output", `sarif=${sarif}`]
      const { stdout } = await runInside(command, { cwd: at.repository.root, env: at.env })
      const report = JSON.parse(stdout)
      const files: ReadonlyArray<string> = report.findings.map(({ file }: { readonly file: string }) => file)
      const { results } = JSON.parse(await Bun.file(sarif).text()).runs[0]
      const uris: ReadonlyArray<string> = results.map(
        (result: {
          readonly locations: ReadonlyArray<{
            readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } }
          }>
        }) => result.locations[0]?.physicalLocation.artifactLocation.uri ?? ""
      )
      return { files: files.toSorted(), uris: uris.toSorted(), coverage: report.coverage.files }
    }
    // A name that is not UTF-8 cannot be opened.
    const inTree = await found()
    expect(inTree.files).toEqual(names.filter((name) => name !== "bad\\xff.py").toSorted())
    expect(inTree.coverage.filter(({ status }: { readonly status: string }) => status === "unread")).toEqual([
      { path: "bad\\xff.py", status: "unread", reason: "its name is not UTF-8" }
    ])
    at.repository.commit("two")
    const committed = await found("--commit", "HEAD")
    expect(committed.files).toEqual(names.toSorted())
    expect(committed.uris).toEqual(
      [
        ...["bad%5Cxff.py", "bad%FF.py", "bad%5Cx5cxff.py", "b%5Cx09.py", "b%09.py"],
        ...["c%3CU%2B200B%3E.py", "c%E2%80%8B.py"]
      ].toSorted()
    )
  })

  test("stop a real push, and each is named", async () => {
    using at = world()
    at.repository.commit("two", Object.fromEntries(oddPaths.map((path) => [path, after])))
    const call = (...command: ReadonlyArray<string>) => run(command, { cwd: at.repository.root, env: at.env })
    expect((await call(dd, "hook", "install", "--pre-push", "--fail-on", "medium")).status).toBe(0)
    const push = await call("git", "push", "origin", "main")
    expect(push.status).toBe(1)
    for (const path of [...oddPaths, ...names]) expect(push.stderr).toContain(` ${visiblePath(path)}:5`)
    expect(new Set([...oddPaths, ...names].map(visiblePath)).size).toBe(oddPaths.length + names.length)
    expect(at.repository.git("ls-remote", "origin", "main").split("\t")[0]).toBe(
      at.repository.git("rev-parse", "HEAD~1")
    )
  })
})
