/** A changed file whose text is not known has one reason, which review, brief and pack give. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository, TestRepository, tryGit } from "../support/repository.ts"

const pointer = (digit: string, end = "\n") =>
  ["version https://git-lfs.github.com/spec/v1", `oid sha256:${digit.repeat(64)}`, "size 12345", ""].join(end)
const long = (name: string) => `${name} = 1\n`.repeat(400)
const lfs = "a Git LFS pointer: the content of the file is not in the repository"
const conflict = "merge conflict: resolve it, then run `git add` or `git rm`"
const missing = "its content is not in this clone (a partial clone fetches it later)"

interface World {
  readonly root: string
  readonly target: ReadonlyArray<string>
}
const worlds: Readonly<Record<string, readonly [reason: string, make: (place: string) => World]>> = {
  "a pointer of Git LFS": [
    lfs,
    (place) => {
      const repository = initRepository(join(place, "repo"))
      repository.commit("one", { "a.py": pointer("1"), "r.ts": pointer("3", "\r\n") })
      repository.commit("two", { "a.py": pointer("2") })
      return { root: repository.root, target: ["--commit", "HEAD"] }
    }
  ],
  "a pointer with CRLF": [
    lfs,
    (place) => {
      const repository = initRepository(join(place, "repo"))
      repository.commit("one", { "a.py": pointer("1", "\r\n") })
      repository.commit("two", { "a.py": pointer("2", "\r\n") })
      return { root: repository.root, target: ["--commit", "HEAD"] }
    }
  ],
  "a file in conflict": [
    conflict,
    (place) => {
      const repository = initRepository(join(place, "repo"))
      repository.commit("one", { "a.py": "x = 1\n" })
      repository.git("checkout", "--quiet", "-b", "topic")
      repository.commit("two", { "a.py": "x = 2\n" })
      repository.git("checkout", "--quiet", "main")
      repository.commit("three", { "a.py": "x = 3\n" })
      tryGit(repository.root, ["merge", "topic"])
      return { root: repository.root, target: ["--staged"] }
    }
  ],
  "a file that a partial clone lacks": [
    missing,
    (place) => {
      const origin = initRepository(join(place, "origin"))
      origin.git("config", "uploadpack.allowFilter", "true")
      origin.commit("one", { "a.py": long("a"), "b.py": "b = 1\n" })
      origin.commit("two", { "a.py": long("c") })
      const args = ["clone", "--quiet", "--no-checkout", "--filter=blob:limit=1k", `file://${origin.root}`, "work"]
      tryGit(place, args)
      return { root: new TestRepository(join(place, "work")).root, target: ["--commit", "HEAD"] }
    }
  ]
}

describe.each(Object.entries(worlds))("%s", (_, [reason, make]) => {
  test("has the same reason in review, brief and pack", async () => {
    using place = scratch()
    const { root, target } = make(place.path)
    const call = async (command: string, ...more: ReadonlyArray<string>) =>
      (await run([dd, command, ...target, ...more], { cwd: root, env: { PATH: systemPath, HOME: place.path } })).stdout
    const review = JSON.parse(await call("review", "--format", "json"))
    expect(review.coverage.files).toEqual([{ path: "a.py", status: "unread", reason }])
    const brief = JSON.parse(await call("brief", "--format", "json"))
    expect(brief.brief.omitted).toContainEqual({ part: "size", reason: `lines of a.py: ${reason}` })
    const pack = join(place.path, "pack")
    await call("pack", "--output", pack)
    const text = readFileSync(join(pack, "pr-context.txt"), "utf8")
    expect(text).toContain(`a.py (${reason})`)
    expect(text).not.toMatch(/\(binary|sha256:3/)
  })
})
