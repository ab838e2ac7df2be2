import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { patience } from "../support/patience.ts"
import { run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

setDefaultTimeout(patience)

const safe = "def load(path):\n    return path\n"
const careless = "def load(path):\n    try:\n        return path\n    except:\n        pass\n"

/** A repository with a careless edit that is not committed, and a home. */
const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "app.py": safe, "other.py": safe, "sub/deep.py": safe })
  repository.write("app.py", careless)
  const home = join(place.path, "home")
  mkdirSync(home)
  const review = (args: ReadonlyArray<string> = [], env: Record<string, string | undefined> = {}) => {
    const all = { PATH: systemPath, HOME: home, ...env }
    const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
    return run([dd, "review", "--format", "json", ...args], { cwd: repository.root, env: Object.fromEntries(given) })
  }
  return { place, repository, home, review, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

const rules = (stdout: string) => JSON.parse(stdout).findings.map(({ rule }: { rule: string }) => rule)

const notRead = (stdout: string) =>
  JSON.parse(stdout).coverage.files.flatMap(({ path, status, reason }: Record<string, string>) =>
    status === "unread" ? [[path, reason]] : []
  )

describe("what stands in place of a tracked file", () => {
  const places: Readonly<Record<string, (path: string) => Disposable>> = {
    "a FIFO": (path) => {
      Bun.spawnSync(["mkfifo", path])
      return { [Symbol.dispose]: () => undefined }
    },
    "a socket": (path) => {
      const server = Bun.listen({ unix: path, socket: { data: () => undefined } })
      return { [Symbol.dispose]: () => server.stop(true) }
    }
  }
  for (const [name, put] of Object.entries(places)) {
    test(`${name} is not read, and the other files are reviewed`, async () => {
      using at = world()
      rmSync(at.repository.path("sub/deep.py"))
      using _ = put(at.repository.path("sub/deep.py"))
      const { status, stdout, stderr } = await at.review()
      expect({ status, stderr, rules: rules(stdout) }).toEqual({ status: 4, stderr: "", rules: ["py/bare-except"] })
      expect(notRead(stdout)).toEqual([["sub/deep.py", "it is not a regular file"]])
    })
  }

  test("a FIFO that was only added to the index is not read either", async () => {
    using at = world()
    at.repository.write("new name.py", careless).git("add", "new name.py")
    rmSync(at.repository.path("new name.py"))
    using _ = places["a FIFO"]!(at.repository.path("new name.py"))
    const { stdout } = await at.review()
    expect(rules(stdout)).toEqual(["py/bare-except"])
    expect(notRead(stdout)).toEqual([["new name.py", "it is not a regular file"]])
  })

  test("a directory with files is what git says of it: one file gone, others new", async () => {
    using at = world()
    rmSync(at.repository.path("other.py"))
    at.repository.write("other.py/inner.py", careless)
    const { stdout } = await at.review()
    expect(rules(stdout)).toEqual(["py/bare-except", "py/bare-except"])
    expect(notRead(stdout)).toEqual([])
  })
})
