/** Objects that are small in a pack and large outside of it, through the compiled binary. */
import { describe, expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { packBomb } from "../support/packBomb.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const large = 300_000_000
/** Of dd and of each git it starts. */
const mostMemory = 250_000_000

/**
 * Runs a command and prints how much memory the largest of its processes took. In a process of its own: a child's figure
 * begins with its parent's.
 */
const measuring = `
  const child = Bun.spawn(process.argv.slice(1), { stdio: ["ignore", "inherit", "inherit"] })
  await child.exited
  process.stderr.write("\\n" + child.resourceUsage().maxRSS + " " + child.exitCode)`

const before = "def load(x):\n    return x\n"
const after = "def load(x, y):\n    return x + y\n"
const user = "from app import load\n\nload(1)\n"

const world = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  mkdirSync(join(place.path, "home"))
  repository.commit("Begin", { "app.py": before, "use.py": user })
  /** A commit on the one that is checked out, with blobs that no working tree ever had. */
  const commit = (parent: string, files: Readonly<Record<string, string>>): string => {
    const oid = (text: string) => (/^[0-9a-f]{40}$/.test(text) ? text : repository.storeBlob(text))
    const tree = repository.tree(Object.entries(files).map(([path, text]) => [path, oid(text)]))
    return repository.git("commit-tree", tree, "-p", parent, "-m", "next")
  }
  const review = async (sha: string) => {
    const command = [dd, "review", "--no-archive", "--format", "json", "--commit", sha]
    const { stderr: told, stdout } = await run([process.execPath, "-e", measuring, ...command], {
      cwd: repository.root,
      env: { PATH: systemPath, HOME: join(place.path, "home") }
    })
    const [, stderr, memory, status] = /^(.*)\n(\d+) (\d+)$/s.exec(told) ?? []
    expect(Number(memory)).toBeLessThan(mostMemory)
    const { coverage, findings, notes } = JSON.parse(stdout)
    return {
      status: Number(status),
      stderr,
      notes: notes.join("\n"),
      rules: findings.map(({ rule }: { rule: string }) => rule),
      files: coverage.files.map(({ path, reason, status }: Record<string, string>) => [path, status, reason])
    }
  }
  return { repository, commit, review, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

describe("an object that expands to gigabytes", () => {
  test("outside of the change is not searched for uses, and the result names it", async () => {
    using at = world()
    const bomb = packBomb(at.repository, "x = 'a'", large)
    const base = at.commit("HEAD", { "app.py": before, "bomb.py": bomb.large, "use.py": user })
    const { notes, status, stderr, rules } = await at.review(
      at.commit(base, { "app.py": after, "bomb.py": bomb.large, "use.py": user })
    )
    expect({ status, stderr, rules }).toEqual({ status: 0, stderr: "", rules: ["xref/call-no-longer-fits"] })
    expect(notes).toContain("Not checked: uses in bomb.py (too large, ")
  })

  test("in the change is skipped with its size, and the other files are reviewed", async () => {
    using at = world()
    const [one, two] = [packBomb(at.repository, "x = 'a'", large), packBomb(at.repository, "y = 'b'", large)]
    const added = at.commit("HEAD", { "app.py": after, "bomb.py": one.large, "use.py": user })
    const first = await at.review(added)
    expect(first.rules).toEqual(["xref/call-no-longer-fits"])
    expect(first.files).toEqual([
      ["app.py", "reviewed", ""],
      ["bomb.py", "skipped", expect.stringContaining("too large: ")]
    ])
    const moved = await at.review(at.commit(added, { "app.py": before, "moved.py": two.large, "use.py": user }))
    expect(moved.files).toEqual([
      ["app.py", "reviewed", ""],
      ["bomb.py", "skipped", "deleted"],
      ["moved.py", "skipped", expect.stringContaining("too large: ")]
    ])
  })

  test("that git needs to unpack a small file leaves only that file unread", async () => {
    using at = world()
    const bomb = packBomb(at.repository, "x = 'a'", large)
    const { files, rules } = await at.review(
      at.commit("HEAD", { "app.py": after, "small.py": bomb.small, "use.py": user })
    )
    expect(rules).toContain("xref/call-no-longer-fits")
    expect(files).toEqual([
      ["app.py", "reviewed", ""],
      ["small.py", "unread", "git needs too much memory to unpack it"]
    ])
  })
})
