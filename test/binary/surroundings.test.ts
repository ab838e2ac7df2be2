import { describe, expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { agreeable, startModel } from "../support/modelServer.ts"
import { scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

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

describe("a tracked path that is not a regular file", () => {
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
      expect(notRead(stdout)).toEqual([
        ["sub/deep.py", expect.stringMatching(/^it is not a regular file \(\w+\); remove it, or restore it with git$/)]
      ])
    })
  }

  test("a link to a device is unread, also if it is named", async () => {
    using at = world()
    symlinkSync("/dev/zero", at.repository.path("zero.py"))
    const { status, stderr, stdout } = await at.review(["zero.py"])
    expect([status, stderr]).toEqual([4, ""])
    expect(rules(stdout)).toEqual(["files/link-outside"])
    const reason =
      "a link to /dev/zero, which is no file (CharacterDevice); remove the link, or make the place a setting"
    expect(notRead(stdout)).toEqual([["zero.py", reason]])
  })

  test("a FIFO that was only added to the index is not read either", async () => {
    using at = world()
    at.repository.write("new name.py", careless).git("add", "new name.py")
    rmSync(at.repository.path("new name.py"))
    using _ = places["a FIFO"]!(at.repository.path("new name.py"))
    const { stdout } = await at.review()
    expect(rules(stdout)).toEqual(["py/bare-except"])
    expect(notRead(stdout)).toEqual([
      ["new name.py", expect.stringMatching(/^it is not a regular file \(FIFO\); remove it/)]
    ])
  })

  test("a directory with files is a deleted file and new ones, as for git", async () => {
    using at = world()
    rmSync(at.repository.path("other.py"))
    at.repository.write("other.py/inner.py", careless)
    const { stdout } = await at.review()
    expect(rules(stdout)).toEqual(["py/bare-except", "py/bare-except"])
    expect(notRead(stdout)).toEqual([])
  })
})

describe("a FIFO in place of a file that git reads", () => {
  const reviewWith = async (name: string) => {
    using at = world()
    at.repository.commit("More", { ".gitignore": "*.log\n", ".gitattributes": "*.txt text\n" })
    at.repository.write("new.py", careless)
    rmSync(at.repository.path(name), { force: true })
    Bun.spawnSync(["mkfifo", at.repository.path(name)])
    // Far less than what one call of git may take.
    return await at.review(["--base", "HEAD~1"], { DD_GIT_TIMEOUT: "600" })
  }

  test("leaves out only what cannot be known without it: .gitignore", async () => {
    const { status, stderr, stdout } = await reviewWith(".gitignore")
    const { degraded, status: ended } = JSON.parse(stdout)
    expect({ status, ended, rules: rules(stdout) }).toEqual({ status: 4, ended: "partial", rules: ["py/bare-except"] })
    const detail =
      "not checked: files that git does not track: .gitignore is a FIFO, which git would wait for; remove it"
    expect(degraded).toEqual([{ step: "git", error: "GitWouldWait", detail }])
    expect(stderr).toBe(`dd: warning: git: ${detail}\n`)
  })

  for (const name of [".gitattributes", ".git/info/exclude"]) {
    test(`is named soon where git can do nothing without it: ${name}`, async () => {
      const { status, stderr } = await reviewWith(name)
      expect({ status, stderr }).toEqual({
        status: 3,
        stderr: `dd: error: ${name} is a FIFO, which git would wait for; remove it\n`
      })
    })
  }

  test("is not read where it is not needed: .mailmap", async () => {
    const { stderr, stdout } = await reviewWith(".mailmap")
    expect({ stderr, rules: rules(stdout) }).toEqual({ stderr: "", rules: ["py/bare-except", "py/bare-except"] })
  })
})

describe("a FIFO given as a file", () => {
  const refused = async (at: ReturnType<typeof world>, args: ReadonlyArray<string>, path: string) => {
    const ended = await run([dd, ...args], { cwd: at.repository.root, env: { PATH: systemPath, HOME: at.home } })
    expect({ args, status: ended.status, stdout: ended.stdout }).toEqual({ args, status: 2, stdout: "" })
    expect(ended.stderr).toMatch(/^dd: error: [^\n]*it is not a regular file[^\n]*\n$/)
    expect(ended.stderr).toContain(path)
  }

  test("is refused before the first step, whatever reads it", async () => {
    using at = world()
    const fifo = join(at.place.path, "fifo")
    Bun.spawnSync(["mkfifo", fifo])
    await refused(at, ["review", "--baseline", fifo], fifo)
    await refused(at, ["review", "--diff-file", fifo], fifo)
    await refused(at, ["rules", "check", fifo], fifo)
    expect(existsSync(at.repository.path(".daydream"))).toBe(false)
  })

  test("is refused as the user's settings, and left out as the user's prices", async () => {
    using at = world()
    mkdirSync(join(at.home, ".daydream"))
    const prices = join(at.home, ".daydream/prices.toml")
    Bun.spawnSync(["mkfifo", prices])
    const env = { PATH: systemPath, HOME: at.home }
    const { stdout } = await run([dd, "doctor"], { cwd: at.repository.root, env })
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("it is not a regular file")
    const config = join(at.home, ".daydream/config.toml")
    Bun.spawnSync(["mkfifo", config])
    await refused(at, ["review"], config)
  })

  test("is read where a shell has opened it", async () => {
    using at = world()
    const script = '"$0" review --format json --diff-file <(git diff)'
    const options = { cwd: at.repository.root, env: { PATH: systemPath, HOME: at.home } }
    expect(rules((await run(["bash", "-c", script, dd], options)).stdout)).toEqual(["py/bare-except"])
  })
})

describe("a home that cannot be used", () => {
  test("below a file counts as absent: the review is complete, and degraded names the archive", async () => {
    using at = world()
    for (const variable of ["HOME", "DD_HOME"]) {
      const { status, stdout, stderr } = await at.review([], { [variable]: "/dev/null" })
      expect({ status, rules: rules(stdout) }).toEqual({ status: 0, rules: ["py/bare-except"] })
      expect(stderr).toContain("a part of the path is not a directory")
      expect(JSON.parse(stdout).degraded.map(({ step }: { step: string }) => step)).toEqual(["archive"])
    }
  })

  test("unset or empty is no failure", async () => {
    using at = world()
    for (const HOME of [undefined, ""]) {
      const { status, stdout, stderr } = await at.review([], { HOME })
      expect({ status, stderr, rules: rules(stdout) }).toEqual({ status: 0, stderr: "", rules: ["py/bare-except"] })
    }
  })

  test("that is relative is refused in each variable, and nothing is written into the repository", async () => {
    using at = world()
    for (const variable of ["HOME", "DD_HOME", "DAYDREAM_ARCHIVE_DIR"]) {
      for (const value of ["place", "./place", "../repo/place"]) {
        const { status, stdout, stderr } = await at.review([], { [variable]: value })
        expect({ status, stdout, stderr }).toEqual({
          status: 2,
          stdout: "",
          stderr: `dd: error: ${variable} is "${value}", which is not an absolute path; set it to one, or unset it\n`
        })
      }
    }
    expect(readdirSync(at.repository.root).sort()).toEqual([".git", "app.py", "other.py", "sub"])
  })

  test("that is relative is not used by git either", async () => {
    using at = world()
    at.repository.write("place/.gitconfig", '[diff]\n\tnoprefix = "broken\n')
    const { status } = await at.review([], { HOME: "place", DD_HOME: at.home })
    expect(status).toBe(0)
  })
})

describe("the environment of the process", () => {
  test("may have any umask: the user can read what dd writes", async () => {
    using at = world()
    const script = 'umask 0777; "$0" review --format json --output text=report.txt && "$0" archive list'
    const { status, stdout } = await run(["sh", "-c", script, dd], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home }
    })
    expect(status).toBe(0)
    expect(stdout).toContain("py/bare-except")
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    expect(mode(at.repository.path(".daydream"))).toBe("700")
    expect(mode(join(at.home, ".daydream"))).toBe("700")
    expect(mode(at.repository.path("report.txt"))).toBe("600")
  })

  test("may have a deleted working directory: exit code 3, and coreutils' dd still copies", async () => {
    using at = world()
    const gone = (...args: ReadonlyArray<string>) =>
      run(["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"', dd, ...args], {
        cwd: at.place.path,
        env: { PATH: systemPath, HOME: at.home }
      })
    for (const args of [["review"], ["doctor"], ["archive", "list"]]) {
      const { status, stdout, stderr } = await gone(...args)
      expect({ status, stdout, stderr }).toEqual({
        status: 3,
        stdout: "",
        stderr: "dd: error: the current directory no longer exists; change to another directory and try again\n"
      })
    }
    expect((await gone("--version")).status).toBe(0)
    expect((await gone("if=/dev/null", `of=${at.place.path}/copy`)).status).toBe(0)
    expect(existsSync(join(at.place.path, "copy"))).toBe(true)
  })
})

describe("a .daydream that is deleted during the review", () => {
  test("is made again with its .gitignore", async () => {
    using at = world()
    let asked = 0
    const server = await startModel((heard, turn) => {
      asked++
      rmSync(at.repository.path(".daydream"), { recursive: true, force: true })
      return agreeable(heard, turn)
    })
    try {
      const { stdout } = await at.review(["--backend", "openai", "--model", "m"], {
        OPENAI_API_KEY: "sk-test-0123456789",
        DD_OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
        DD_OPENAI_API: "chat"
      })
      expect(asked).toBeGreaterThan(0)
      expect(rules(stdout)).toContain("py/bare-except")
    } finally {
      await server.close()
    }
    expect(readFileSync(at.repository.path(".daydream/.gitignore"), "utf8")).toBe("*\n")
    expect(at.repository.git("status", "--short")).toBe("M app.py")
  })
})
