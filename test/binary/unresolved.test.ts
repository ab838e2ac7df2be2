/** Every command in each state in which git leaves a repository in the middle of something. */
import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository, type TestRepository, tryGit } from "../support/repository.ts"

type Begin = (repository: TestRepository) => void

const git =
  (...args: ReadonlyArray<string>): Begin =>
  ({ root }) =>
    void tryGit(root, args)

/** Each leaves conflicts in `a.py` (edited on both sides), in `gone.py` (deleted on one) and in `new.py` (added on both). */
const conflicts: Readonly<Record<string, Begin>> = {
  merge: git("merge", "topic"),
  "cherry-pick": git("cherry-pick", "topic"),
  "rebase onto main": git("rebase", "main", "topic"),
  revert: (repository) => {
    repository.commit("more", {
      "a.py": "def total(a, b):\n    return a + b\n",
      "gone.py": "gone = 2\n",
      "new.py": "new = 1\n"
    })
    repository.commit("later", {
      "a.py": "def total(a):\n    return -a\n",
      "gone.py": "gone = 3\n",
      "new.py": "new = 3\n"
    })
    git("revert", "--no-edit", "HEAD~1")(repository)
  },
  am: (repository) => {
    const patch = repository.gitBytes("format-patch", "--stdout", "-1", "topic")
    tryGit(repository.root, ["am", "--3way"], patch)
  },
  "stash pop": (repository) => {
    repository.git("checkout", "--quiet", "topic~1")
    repository.write("a.py", "def total(a, b):\n    return a + b\n").write("gone.py", "gone = 2\n")
    repository.write("new.py", "new = 1\n").git("add", "--all")
    repository.git("stash", "--quiet")
    repository.git("checkout", "--quiet", "main")
    git("stash", "pop")(repository)
  }
}

const clean: Readonly<Record<string, Begin>> = {
  bisect: (repository) => {
    repository.commit("later", { "later.py": "later = 1\n" })
    repository.git("bisect", "start", "HEAD", "HEAD~2")
  },
  "an am that did not apply": (repository) => {
    const patch = repository.gitBytes("format-patch", "--stdout", "-1", "topic")
    tryGit(repository.root, ["am"], patch)
  },
  "a rebase that stops to edit": (repository) => {
    const sequence = ["-c", "sequence.editor=sed -i s/^pick/edit/"]
    tryGit(repository.root, [...sequence, "rebase", "--interactive", "HEAD~1"])
  }
}

const world = (begin: Begin) => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("base", { "a.py": "def total(a):\n    return a\n", "gone.py": "gone = 1\n", "b.py": "b = 1\n" })
  repository.branch("topic")
  repository.commit("topic", {
    "a.py": "def total(a, b):\n    return a + b\n",
    "gone.py": "gone = 2\n",
    "new.py": "new = 1\n"
  })
  repository.checkout("main").git("rm", "--quiet", "gone.py")
  repository.commit("main", {
    "a.py": "def total(a, c):\n    return a - c\n",
    "new.py": "new = 2\n",
    "b.py": "b = 2\n"
  })
  begin(repository)
  const env = { PATH: systemPath, HOME: join(place.path, "home") }
  const call = (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env })
  const unmerged = new Set(
    repository
      .git("ls-files", "--unmerged")
      .split("\n")
      .flatMap((line) => line.split("\t")[1] ?? [])
  )
  return { repository, unmerged, call, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

/** With the exit codes while files are in conflict, and otherwise. */
const commands = [
  [["review"], 4, 0],
  [["review", "--staged"], 4, 0],
  [["review", "--base", "HEAD"], 4, 0],
  [["review", "--staged", "--format", "json"], 4, 0],
  [["brief"], 0, 0],
  [["brief", "--staged"], 0, 0],
  [["pack"], 0, 0],
  // Nothing is staged.
  [["pack", "--staged"], 0, 2],
  // It makes the pack and has no model.
  [["ask", "why?"], 2, 2],
  [["symbols", "b"], 0, 0],
  [["hook", "pre-commit"], 0, 0]
] as const

const words = (text: string) => text.replaceAll(/\s+/g, " ")

describe.each(Object.entries(conflicts))("in the middle of a %s with conflicts", (_, begin) => {
  test("each command names the files in conflict and what to do", async () => {
    using at = world(begin)
    expect([...at.unmerged]).toEqual(["a.py", "gone.py", "new.py"])
    for (const [command, status] of commands) {
      const ended = await at.call(...command)
      const pack = command[0] === "ask" ? readFileSync(at.repository.path(".daydream/pack/pr-context.txt"), "utf8") : ""
      const said = words(ended.stdout + ended.stderr + pack)
      const missing = [...at.unmerged, "git add"].filter((name) => !said.includes(name))
      expect({ command, status: ended.status, missing, said }).toMatchObject({ command, status, missing: [] })
      expect(said).not.toContain("cannot read the diff")
    }
    expect(at.repository.git("ls-files", "--unmerged")).not.toBe("")
  })
})

describe.each(Object.entries(clean))("in the middle of %s, without conflicts", (_, begin) => {
  test("each command works as in any repository", async () => {
    using at = world(begin)
    expect([...at.unmerged]).toEqual([])
    for (const [command, , status] of commands) {
      const ended = await at.call(...command)
      expect({ command, ...ended }).toMatchObject({ command, status })
      expect(words(ended.stdout + ended.stderr)).not.toMatch(/cannot read the diff|git add|NOT REVIEWED/)
    }
  })
})
