/** Git hooks by the compiled binary: real pushes to bare repositories, real commits, real hooks. */
import { describe, expect, test } from "bun:test"
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { dd } from "../support/binary.ts"
import { modelReviews } from "../support/modelReviews.ts"
import { agreeable, type Script, submitOf } from "../support/modelServer.ts"
import { type Ended, inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const good = "def total(items):\n    return sum(items)\n"
const bad = "import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n"

/** A clone of a bare repository that has one commit, and a home of its own. */
const world = () => {
  const place = scratch()
  const home = inside(place.path, "home")
  const remote = join(place.path, "remote.git")
  initRepository(remote, "--bare")
  const repository = initRepository(join(place.path, "work"))
  const env = {
    ...{ PATH: systemPath, HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" },
    ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.com" },
    ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.com" }
  }
  repository.git("remote", "add", "origin", remote)
  repository.commit("one", { "a.py": good })
  repository.git("push", "--quiet", "origin", "main")
  const call = (command: ReadonlyArray<string>, more: Record<string, string> = {}, cwd = repository.root) =>
    run(command, { cwd, env: { ...env, ...more } })
  return {
    ...{ place, home, remote, repository, call },
    hook: (...args: ReadonlyArray<string>): Promise<Ended> => call([dd, "hook", ...args]),
    push: (args: ReadonlyArray<string> = ["origin", "main"], more: Record<string, string> = {}): Promise<Ended> =>
      call(["git", "push", ...args], more),
    remoteSha: (ref: string): string => repository.git("ls-remote", "origin", ref).split("\t")[0] ?? "",
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

/** Every file below a directory: its mode, and its bytes or the target of its link. */
const contents = (root: string): ReadonlyArray<string> =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(root, name)
      const info = lstatSync(path)
      const what = info.isSymbolicLink()
        ? readlinkSync(path)
        : info.isFile()
          ? readFileSync(path).toString("base64")
          : ""
      return `${name} ${info.mode.toString(8)} ${what}`
    })

const script = (path: string, text: string | Uint8Array, mode = 0o755) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** The manifests of the archived runs. */
const manifestsIn = (home: string): ReadonlyArray<string> => {
  const runs = join(home, ".daydream", "archive", "runs")
  return readdirSync(runs).map((run) => readFileSync(join(runs, run, "manifest.json"), "utf8"))
}
const isOfSkipped = (manifest: string) => manifest.includes("not reviewed (DD_SKIP): the push of main")

describe("a push", () => {
  test("with a high finding is stopped, and the message has the ways past; without one it goes on", async () => {
    using at = world()
    expect((await at.hook("install", "--pre-push")).status).toBe(0)
    const before = at.remoteSha("refs/heads/main")
    const sha = at.repository.commit("bad", { "b.py": bad })
    const stopped = await at.push()
    expect(stopped.status).toBe(1)
    expect(stopped.stderr).toContain("high[py/yaml-load]")
    expect(stopped.stderr).toContain("git push --no-verify, or with DD_SKIP=1")
    expect(at.remoteSha("refs/heads/main")).toBe(before)

    const skipped = await at.push(undefined, { DD_SKIP: "1" })
    expect(skipped.status).toBe(0)
    expect(skipped.stderr).toContain("DD_SKIP is set")
    expect(at.remoteSha("refs/heads/main")).toBe(sha)
    expect(manifestsIn(at.home).filter(isOfSkipped)).toHaveLength(1)
    const archived = await at.call([dd, "archive", "list", "--format", "json"])
    expect(JSON.parse(archived.stdout).runs.map(({ status }: { status: string }) => status)).toEqual([
      "skipped",
      "complete"
    ])

    at.repository.commit("good", { "b.py": good })
    const passed = await at.push()
    expect(passed.status).toBe(0)
    expect(passed.stderr).toContain("no findings")
  })

  test("that was reviewed before is answered from the marker, unless it was stopped or the settings changed", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.branch("topic").commit("good", { "b.py": good })
    expect((await at.push(["origin", "topic"])).stderr).toContain("no findings")
    await at.push(["origin", ":topic"])
    expect((await at.push(["origin", "topic"])).stderr).toContain("passed a review before")
    expect((await at.push(["origin", "topic:other"])).stderr).toContain("passed a review before")
    await at.push(["origin", ":topic"])
    expect((await at.push(["origin", "topic"], { DD_RULES_DISABLE: "py/*" })).stderr).toContain("no findings")
    at.repository.commit("bad", { "c.py": bad })
    expect((await at.push(["origin", "topic"])).status).toBe(1)
    expect((await at.push(["origin", "topic"])).status).toBe(1)
  })

  test("is judged by the flags that the hook was installed with, until others are given", async () => {
    using at = world()
    const status = async () => (await at.hook("status")).stdout
    await at.hook("install", "--pre-push", "--fail-on", "none", "--budget", "60")
    expect(await status()).toContain("git pre-push: installed in .git/hooks/pre-push with --fail-on none --budget 60\n")
    expect((await at.hook("install", "--pre-push")).stdout).toContain("already installed")
    at.repository.commit("bad", { "b.py": bad })
    expect((await at.push()).status).toBe(0)
    expect((await at.hook("install", "--pre-push", "--budget", "30", "--dry-run")).stdout).toContain(
      'hook pre-push --budget 30 "$@"'
    )
    await at.hook("install", "--pre-push", "--budget", "30")
    expect(await status()).toContain("with --budget 30\n")
    at.repository.commit("bad", { "c.py": bad })
    expect((await at.push()).status).toBe(1)
  })

  test("has no hook with flags that it cannot have", async () => {
    using at = world()
    for (const [words, reason] of [
      [["--pre-push", "--model", "m"], "need a --backend that asks a model"],
      [["--pre-push", "--model-stops"], "need a --backend that asks a model"],
      [["--pre-push", "--backend", "static", "--model", "m"], "need a --backend that asks a model"],
      [["--pre-push", "--backend", "openai", "--model", "a\nb"], "--model has a control character"],
      [["--claude", "--budget", "60"], "--budget 60 is for --pre-push or --pre-commit"],
      [["--claude", "--pre-push", "--dry-run"], "--dry-run is for hooks of git only"],
      [["--pre-push", "--user"], "--user and --project need an assistant"]
    ] as const) {
      const refused = await at.hook("install", ...words)
      expect({ status: refused.status, words: refused.stderr }).toMatchObject({
        status: 2,
        words: expect.stringContaining(reason)
      })
    }
    expect((await at.hook("status")).stdout).toContain("git pre-push: not installed\n")
    expect(existsSync(join(at.home, ".claude"))).toBe(false)
  })

  test("has a hook whose program is gone: status says so", async () => {
    using at = world()
    const own = join(inside(at.place.path, "own"), "daydream")
    copyFileSync(dd, own)
    await at.call([own, "hook", "install", "--pre-push"])
    rmSync(own)
    const { stdout } = await at.hook("status")
    expect(stdout).toContain(`installed in .git/hooks/pre-push, but there is no ${own}, and no daydream on PATH\n`)
  })

  test("that passed before is recorded as skipped with DD_SKIP", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.commit("two", { "b.py": good })
    await at.push(["--dry-run", "origin", "main"])
    const skipped = await at.push(undefined, { DD_SKIP: "1" })
    expect(skipped.stderr).toContain("DD_SKIP is set: the push is not reviewed")
    expect(skipped.stderr).not.toContain("passed a review before")
    expect(manifestsIn(at.home).filter(isOfSkipped)).toHaveLength(1)
  })

  test("of a new branch is reviewed from where it left the default branch; deletions are skipped", async () => {
    using at = world()
    at.repository.commit("bad, and on main already", { "old.py": bad })
    at.repository.git("push", "--quiet", "origin", "main")
    await at.hook("install", "--pre-push")
    at.repository.branch("topic").commit("good", { "b.py": good })
    at.repository.git("tag", "v1")
    const pushed = await at.push(["origin", "topic", "v1"])
    expect(pushed.status).toBe(0)
    expect(pushed.stderr).toContain("since it left origin/main: no findings")
    const deleted = await at.push(["origin", ":topic", ":v1"])
    expect(deleted.status).toBe(0)
    expect(deleted.stderr).not.toContain("dd:")
  })

  test("of a tag is reviewed if no branch has its commit: neither of the remote nor in the same push", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.git("checkout", "--quiet", "--detach")
    at.repository.commit("bad", { "b.py": bad })
    at.repository.git("tag", "v1")
    at.repository.git("tag", "--annotate", "--message", "v2", "v2")
    const stopped = await at.push(["origin", "v1"])
    expect({ status: stopped.status, words: stopped.stderr }).toMatchObject({
      status: 1,
      words: expect.stringMatching(/^dd: the push of tags\/v1 \(.*\) since it left origin\/main: 1 finding/m)
    })
    expect((await at.push(["origin", "v2"])).status).toBe(1)
    const both = await at.push(["origin", "HEAD:refs/heads/topic", "v1", "v2"])
    expect(both.status).toBe(1)
    expect(both.stderr.match(/: 1 finding at or above high/g)).toHaveLength(2)
    expect(both.stderr).toContain("nothing new in 2 of 3 refs")
    at.repository.git("push", "--quiet", "--no-verify", "origin", "HEAD:refs/heads/topic")
    expect(await at.push(["origin", "v1"])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("nothing new in the push of tags/v1")
    })
    // A tag of no commit.
    at.repository.git("tag", "tree", "HEAD^{tree}")
    at.repository.git("tag", "--annotate", "--message", "file", "file", "HEAD:b.py")
    expect((await at.push(["origin", "tree"])).stderr).toMatch(
      /tags\/tree: "[0-9a-f]+" is a folder \(a tree\), not a commit/
    )
    expect((await at.push(["origin", "file"])).stderr).toMatch(
      /tags\/file: "[0-9a-f]+" is a file \(a blob\), not a commit/
    )
    // A tag that moves.
    at.repository.commit("good", { "c.py": good })
    at.repository.git("tag", "--force", "v1")
    const moved = await at.push(["--force", "origin", "v1"])
    expect({ status: moved.status, words: moved.stderr }).toMatchObject({
      status: 0,
      words: expect.stringContaining("no findings")
    })
  })

  test("with force is reviewed from the merge base, and one over an unknown commit of the remote says so", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.commit("two", { "b.py": good })
    await at.push()
    at.repository.git("reset", "--quiet", "--hard", "HEAD~1")
    at.repository.commit("other", { "c.py": good })
    expect((await at.push(["--force", "origin", "main"])).stderr).toContain("where it leaves the remote's branch")

    const other = join(at.place.path, "other")
    await at.call(["git", "clone", "--quiet", at.remote, other])
    writeFileSync(join(other, "d.py"), good)
    await at.call(["git", "add", "."], {}, other)
    await at.call(["git", "commit", "--quiet", "-m", "theirs"], {}, other)
    await at.call(["git", "push", "--quiet", "origin", "main"], {}, other)
    at.repository.commit("bad", { "e.py": bad })
    const forced = await at.push(["--force", "origin", "main"])
    expect(forced.status).toBe(1)
    expect(forced.stderr).toContain("is not in this clone, and dd fetches nothing")
  })

  test("is not stopped for what the default branch brought: by a merge, a rebase, or a branch that was behind", async () => {
    using at = world()
    const { repository } = at
    repository.git("push", "--quiet", "origin", "main:release")
    repository.branch("topic").commit("good", { "b.py": good })
    repository.git("push", "--quiet", "origin", "topic")
    repository.git("checkout", "--quiet", "main")
    repository.commit("bad", { "c.py": bad })
    repository.git("push", "--quiet", "origin", "main")
    await at.hook("install", "--pre-push")
    const passes = async (words: string, ...args: ReadonlyArray<string>) => {
      const pushed = await at.push(args)
      expect({ status: pushed.status, words: pushed.stderr }).toMatchObject({
        status: 0,
        words: expect.stringContaining(words)
      })
    }
    await passes("dd: nothing new in the push of release", "origin", "main:release")
    repository.git("checkout", "--quiet", "-b", "rebased", "topic")
    repository.git("push", "--quiet", "--no-verify", "origin", "rebased")
    repository.git("rebase", "--quiet", "main")
    await passes(
      "no findings, besides 1 finding that origin/main has (dd archive show ",
      "--force",
      "origin",
      "rebased"
    )
    repository.git("checkout", "--quiet", "topic")
    repository.git("merge", "--quiet", "--no-edit", "main")
    await passes("no findings, besides 1 finding that origin/main has (dd archive show ", "origin", "topic")
    repository.commit("again", { "c.py": `${bad}\n\ndef again(text):\n    return yaml.load(text)\n` })
    const stopped = await at.push(["origin", "topic"])
    expect({ status: stopped.status, words: stopped.stderr }).toMatchObject({
      status: 1,
      words: expect.stringContaining("1 finding at or above high")
    })
  })

  test("is stopped where what the default branch brought breaks the branch, or another remote has the defect", async () => {
    using at = world()
    const { repository } = at
    repository
      .branch("topic")
      .commit("use it", { "b.py": "from a import total\n\n\ndef one(items):\n    return total(items)\n" })
    repository.git("push", "--quiet", "origin", "topic")
    repository.git("checkout", "--quiet", "main")
    repository.commit("a rate", { "a.py": "def total(items, rate):\n    return sum(items) * rate\n" })
    repository.git("push", "--quiet", "origin", "main")
    await at.hook("install", "--pre-push")
    repository.git("checkout", "--quiet", "topic")
    repository.git("merge", "--quiet", "--no-edit", "main")
    const broken = await at.push(["origin", "topic"])
    expect({ status: broken.status, words: broken.stderr }).toMatchObject({
      status: 1,
      words: expect.stringContaining("high[xref/call-no-longer-fits]")
    })

    repository.git("reset", "--quiet", "--hard", "origin/topic")
    const upstream = join(at.place.path, "upstream.git")
    initRepository(upstream, "--bare")
    repository.git("remote", "add", "upstream", upstream)
    repository.git("checkout", "--quiet", "-b", "theirs", "main")
    repository.commit("bad", { "c.py": bad })
    repository.git("push", "--quiet", "--no-verify", "upstream", "theirs:main")
    repository.git("checkout", "--quiet", "topic")
    repository.git("reset", "--quiet", "--hard", "theirs")
    const moved = await at.push(["--force", "origin", "topic"])
    expect({ status: moved.status, words: moved.stderr }).toMatchObject({
      status: 1,
      words: expect.stringContaining("high[py/yaml-load]")
    })
  })

  test("of several refs with the same commits shows a finding once, and stops for each", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.branch("one").commit("bad", { "b.py": bad })
    at.repository.branch("two").commit("more", { "c.py": good })
    const pushed = await at.push(["origin", "one", "two"])
    expect(pushed.status).toBe(1)
    expect(pushed.stderr.match(/high\[py\/yaml-load\]/g)).toHaveLength(1)
    expect(pushed.stderr.match(/1 finding at or above high/g)!.length).toBeGreaterThanOrEqual(2)
    expect(pushed.stderr).toContain("1 finding at or above high, shown above")
  })

  test("of several refs with nothing new says so in one line", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    for (const name of ["b", "c"]) at.repository.commit(name, { [`${name}.py`]: good })
    await at.push()
    const old = ["HEAD~1:refs/heads/one", "HEAD~2:refs/heads/two"]
    const pushed = await at.push(["origin", ...old])
    expect(pushed.stderr.match(/^dd: .*/gm)).toEqual(["dd: 2 refs are pushed", "dd: nothing new in 2 of 2 refs"])
    at.repository.commit("d", { "d.py": good })
    const mixed = await at.push(["origin", "HEAD:main", "HEAD~2:refs/heads/three"])
    expect(mixed.stderr).toContain("dd: nothing new in the push of three (")
    expect(mixed.stderr.match(/^dd: .*no findings$/gm)).toHaveLength(1)
  })

  test("to a remote that this clone knows nothing of is reviewed since the nearest branch of another one", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    const fork = join(at.place.path, "fork.git")
    initRepository(fork, "--bare")
    at.repository.git("remote", "add", "fork", fork)
    at.repository.branch("topic").commit("bad", { "b.py": bad })
    // The local default branch has the commits, but no remote.
    at.repository.checkout("main").git("merge", "--quiet", "topic")
    for (const to of ["fork", fork]) {
      const pushed = await at.push([to, "topic"])
      expect(pushed.status).toBe(1)
      expect(pushed.stderr).toContain("since it left origin/main: 1 finding")
    }
    at.repository.git("push", "--quiet", "--no-verify", "origin", "main")
    const known = await at.push(["fork", "topic"])
    expect(known.status).toBe(0)
    expect(known.stderr).toContain("dd: nothing new in the push of topic")
  })

  test("of a branch of a repository without main is reviewed since the nearest branch of the remote", async () => {
    using at = world()
    at.repository.branch("develop").commit("bad, and pushed", { "old.py": bad })
    at.repository.git("push", "--quiet", "origin", "develop")
    at.repository.git("update-ref", "-d", "refs/remotes/origin/main")
    at.repository.git("branch", "--quiet", "-D", "main")
    await at.hook("install", "--pre-push")
    at.repository.branch("topic").commit("good", { "b.py": good })
    const pushed = await at.push(["origin", "topic"])
    expect(pushed.status).toBe(0)
    expect(pushed.stderr).toContain("since it left origin/develop: no findings")
  })

  test("of a branch that left the repository a fork is of is not reviewed since an old main of the fork", async () => {
    using at = world()
    const upstream = join(at.place.path, "upstream.git")
    initRepository(upstream, "--bare")
    at.repository.git("remote", "add", "upstream", upstream)
    at.repository.branch("topic").commit("bad, of others", { "old.py": bad })
    at.repository.git("push", "--quiet", "upstream", "topic:main")
    await at.hook("install", "--pre-push")
    at.repository.commit("good", { "b.py": good })
    const pushed = await at.push(["origin", "topic"])
    expect(pushed.status).toBe(0)
    expect(pushed.stderr).toContain("since it left upstream/main: no findings")
  })

  test("to an empty repository is reviewed from the first commit if there is no other remote", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    initRepository(join(at.place.path, "empty.git"), "--bare")
    at.repository.git("remote", "remove", "origin")
    at.repository.git("remote", "add", "empty", join(at.place.path, "empty.git"))
    at.repository.commit("bad", { "b.py": bad })
    const first = await at.push(["empty", "main"])
    expect(first.status).toBe(1)
    expect(first.stderr).toContain("all of its history")
  })

  test("goes on when dd cannot review, and says so", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.commit("bad", { "b.py": bad })
    writeFileSync(join(inside(at.home, ".daydream"), "config.toml"), "fail_on = 7\n")
    const failed = await at.push()
    expect(failed.status).toBe(0)
    expect(failed.stderr).toContain("NOT REVIEWED: ")
    expect(failed.stderr).toContain("the push goes on without the review")
  })

  test("goes on with a line after the time limit", async () => {
    using at = world()
    at.repository.commit("bad", { "b.py": bad })
    script(
      join(at.place.path, "bin", "git"),
      `#!/bin/sh\ncase " $* " in *" diff "*) exec sleep 600 ;; esac\nexec "${Bun.which("git")}" "$@"\n`
    )
    const lines = `refs/heads/main ${at.repository.git("rev-parse", "HEAD")} refs/heads/main ${at.remoteSha("refs/heads/main")}\n`
    const late = await run([dd, "hook", "pre-push", "origin", at.remote, "--budget", "1"], {
      cwd: at.repository.root,
      env: { PATH: `${join(at.place.path, "bin")}:${systemPath}`, HOME: at.home },
      stdin: lines
    })
    expect(late.status).toBe(0)
    expect(late.stderr).toContain(
      "NOT REVIEWED: the review did not end within 1 s (--budget); the push goes on without it"
    )
  })

  test("is stopped by static findings also when a model is to be asked, and goes on when it does not answer", async () => {
    using at = world()
    script(join(at.place.path, "bin", "codex"), "#!/bin/sh\nexec sleep 600\n")
    const before = at.remoteSha("refs/heads/main")
    const call = () =>
      run([dd, "hook", "pre-push", "origin", at.remote, "--backend", "codex", "--model", "any", "--budget", "8"], {
        cwd: at.repository.root,
        env: { PATH: `${join(at.place.path, "bin")}:${systemPath}`, HOME: at.home },
        stdin: `refs/heads/main ${at.repository.git("rev-parse", "HEAD")} refs/heads/main ${before}\n`
      })
    at.repository.commit("good", { "b.py": good })
    const late = await call()
    expect(late.status).toBe(0)
    expect(late.stderr).toContain("no findings")
    expect(late.stderr).toMatch(/NOT REVIEWED: .*by codex|; the review is /)
    at.repository.commit("bad", { "c.py": bad })
    const stopped = await call()
    expect(stopped.status).toBe(1)
    expect(stopped.stderr).toContain("1 finding at or above high")
  })

  test("shows every finding of a model that was asked, and does not ask it again for the same push", async () => {
    const issue = {
      ...{ title: "The total is the tax alone", description: "The sum is multiplied by the rate.", file: "cart.py" },
      ...{ line: 2, endLine: null, severity: "medium", confidence: "HIGH", quote: "    return sum(items) * tax" },
      ...{ rationale: "With a tax of 2 a sum of 100 becomes 200.", evidence: "cart.py:2", suggestion: null }
    }
    const script: Script = (asked) =>
      submitOf(asked) === "submit_review"
        ? {
            calls: [
              {
                name: "submit_review",
                input: {
                  review: "The arithmetic is wrong.",
                  issues: [issue],
                  coverage: [{ path: "cart.py", status: "reviewed", reason: "" }]
                }
              }
            ]
          }
        : agreeable(asked, 0)
    await using at = await modelReviews((repository) => {
      repository.commit("Begin", { "cart.py": good })
      repository.commit("Add a tax", { "cart.py": "def total(items, tax):\n    return sum(items) * tax\n" })
    }, script)
    const [head, before] = ["HEAD", "HEAD~1"].map((name) => at.repository.git("rev-parse", name))
    const push = () =>
      run([dd, "hook", "pre-push", "origin", "--backend", "anthropic", "--model", "m-1", "--budget", "60"], {
        cwd: at.repository.root,
        env: at.env,
        stdin: `refs/heads/main ${head} refs/heads/main ${before}\n`
      })
    const first = await push()
    expect({ status: first.status, report: first.stdout }).toMatchObject({
      status: 0,
      report: expect.stringContaining("The total is the tax alone")
    })
    expect(first.stderr).toContain("by anthropic: 1 finding, none at or above high")
    const count = at.asked.length
    const second = await push()
    expect(second.stderr).toMatch(
      /by anthropic: 1 finding, none at or above high \(dd archive show \w{8}\); it passed a review before/
    )
    expect(at.asked).toHaveLength(count)
  })

  test("with a name of a branch that is an order for a terminal or a shell is reviewed", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.branch("$(touch${IFS}owned);`touch${IFS}owned`'\u202e").commit("bad", { "b.py": bad })
    const pushed = await at.push(["origin", "HEAD"])
    expect(pushed.status).toBe(1)
    expect(pushed.stderr).not.toContain("\u202e")
    expect(existsSync(at.repository.path("owned"))).toBe(false)
  })

  test("from a shallow clone that lacks the commit before it goes on with a line", async () => {
    using at = world()
    at.repository.commit("two", { "b.py": good })
    at.repository.git("push", "--quiet", "origin", "main")
    const clone = join(at.place.path, "shallow")
    await at.call(["git", "clone", "--quiet", "--depth", "1", `file://${at.remote}`, clone])
    await at.call([dd, "hook", "install", "--pre-push"], {}, clone)
    await at.call(["git", "checkout", "--quiet", "--orphan", "new"], {}, clone)
    await at.call(["git", "commit", "--quiet", "-m", "new"], {}, clone)
    const pushed = await at.call(["git", "push", "origin", "new"], {}, clone)
    expect(pushed.status).toBe(0)
    expect(pushed.stderr).toContain("NOT REVIEWED: new: this clone is shallow")
  })

  test("and another push at the same time are both reviewed", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    at.repository.branch("one").commit("bad", { "b.py": bad })
    at.repository.checkout("main").branch("two").commit("bad too", { "c.py": bad })
    const both = await Promise.all([at.push(["origin", "one"]), at.push(["origin", "two"])])
    expect(both.map(({ status }) => status)).toEqual([1, 1])
  })

  test("is not reviewed in CI, unless the hook is told to", async () => {
    using at = world()
    at.repository.commit("bad", { "b.py": bad })
    const lines = `refs/heads/main ${at.repository.git("rev-parse", "HEAD")} refs/heads/main ${at.remoteSha("refs/heads/main")}\n`
    const call = (...args: ReadonlyArray<string>) =>
      run([dd, "hook", "pre-push", "origin", at.remote, ...args], {
        cwd: at.repository.root,
        env: { PATH: systemPath, HOME: at.home, CI: "true" },
        stdin: lines
      })
    expect(await call()).toMatchObject({ status: 0, stdout: "" })
    expect(await call("--in-ci")).toMatchObject({ status: 1 })
  })

  test("from a linked working tree, a submodule and a subdirectory is reviewed", async () => {
    using at = world()
    await at.hook("install", "--pre-push")
    const tree = join(at.place.path, "tree")
    at.repository.git("worktree", "add", "--quiet", "-b", "topic", tree)
    mkdirSync(join(tree, "lib"))
    writeFileSync(join(tree, "lib", "b.py"), bad)
    await at.call(["git", "add", "."], {}, tree)
    await at.call(["git", "commit", "--quiet", "-m", "bad"], {}, tree)
    const fromTree = await at.call(["git", "push", "origin", "topic"], {}, join(tree, "lib"))
    expect(fromTree.status).toBe(1)
    expect(fromTree.stderr).toContain("lib/b.py")

    const parent = initRepository(join(at.place.path, "parent"))
    parent.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", at.remote, "sub")
    const sub = parent.path("sub")
    expect((await at.call([dd, "hook", "install", "--pre-push"], {}, sub)).stdout).toContain(
      "modules/sub/hooks/pre-push"
    )
    writeFileSync(join(sub, "b.py"), bad)
    await at.call(["git", "add", "."], {}, sub)
    await at.call(["git", "commit", "--quiet", "-m", "bad"], {}, sub)
    expect((await at.call(["git", "push", "origin", "main"], {}, sub)).status).toBe(1)
  })

  test("from a bare repository, and with the git directory elsewhere, is reviewed", async () => {
    using at = world()
    at.repository.commit("bad", { "b.py": bad })
    const bare = join(at.place.path, "bare.git")
    at.repository.git("clone", "--quiet", "--bare", at.repository.root, bare)
    expect((await at.call([dd, "hook", "install", "--pre-push"], {}, bare)).status).toBe(0)
    const fromBare = await at.call(["git", "push", at.remote, "main"], {}, bare)
    expect(fromBare.status).toBe(1)
    const elsewhere = { GIT_DIR: bare, GIT_WORK_TREE: at.home }
    expect((await at.call(["git", "push", at.remote, "main"], elsewhere, at.home)).status).toBe(1)
  })
})

describe("a commit", () => {
  test("is reviewed as it will be, also with --all and with a path", async () => {
    using at = world()
    await at.hook("install", "--pre-commit")
    at.repository.write("a.py", bad)
    const commit = (...args: ReadonlyArray<string>) => at.call(["git", "commit", "-m", "two", ...args])
    expect((await commit("--all")).status).toBe(1)
    expect((await commit("a.py")).status).toBe(1)
    at.repository.write("b.py", good).git("add", "b.py")
    const passed = await commit()
    expect(passed.status).toBe(0)
    expect(passed.stderr).toContain("no findings")
    expect((await at.call(["git", "commit", "--all", "-m", "three"], { DD_SKIP: "1" })).status).toBe(0)
  })
})

describe("an existing hook", () => {
  const given = `#!/bin/sh\nset -eu\necho "args: $*"\nwhile read -r line; do echo "line: $line"; done\nexit 7\n`
  const shapes: Readonly<Record<string, (path: string) => void>> = {
    "a shell script": (path) => script(path, given),
    "a script with another interpreter": (path) =>
      script(path, given.replace("#!/bin/sh", "#!/usr/bin/env -S sh -e").replace("set -eu\n", "# é\n")),
    "a link": (path) => {
      script(`${path}-target`, given)
      symlinkSync("pre-push-target", path)
    },
    "a script without a final newline": (path) => script(path, given.trimEnd()),
    "a script without a first line for the system": (path) => script(path, given.replace("#!/bin/sh\n", ""))
  }
  for (const [name, make] of Object.entries(shapes)) {
    test(`that is ${name} gets the same lines, arguments and exit code, and comes back byte for byte`, async () => {
      using at = world()
      const hooks = inside(at.repository.root, ".git", "hooks")
      make(join(hooks, "pre-push"))
      const before = contents(hooks)
      const dry = await at.hook("install", "--pre-push", "--dry-run")
      expect(dry.stdout).toContain("write ")
      expect(contents(hooks)).toEqual(before)
      await at.hook("install", "--pre-push")
      const installed = contents(hooks)
      expect((await at.hook("install", "--pre-push")).stdout).toContain("already installed")
      expect(contents(hooks)).toEqual(installed)
      const old = at.remoteSha("refs/heads/main")
      const sha = at.repository.commit("two", { "b.py": good })
      const pushed = await at.push()
      expect(pushed.stderr).toContain("no findings")
      expect(pushed.stdout).toContain(
        `args: origin ${at.remote}\nline: refs/heads/main ${sha} refs/heads/main ${old}\n`
      )
      expect(pushed.status).toBe(1)
      expect(at.remoteSha("refs/heads/main")).toBe(old)
      await at.hook("uninstall", "--pre-push")
      expect(contents(hooks)).toEqual(before)
      expect((await at.hook("uninstall", "--pre-push")).stdout).toContain("had no hook of dd")
    })
  }

  test("that git does not run, because it may not be executed, still does not run", async () => {
    using at = world()
    const path = at.repository.path(".git", "hooks", "pre-push")
    script(path, given, 0o644)
    await at.hook("install", "--pre-push")
    at.repository.commit("two", { "b.py": good })
    const pushed = await at.push()
    expect(pushed.status).toBe(0)
    expect(pushed.stdout).not.toContain("args:")
    await at.hook("uninstall", "--pre-push")
    expect(readFileSync(path, "utf8")).toBe(given)
  })

  test("that is a program, or has the line ends of Windows, is moved aside and comes back", async () => {
    for (const bytes of [
      new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0xff]),
      new TextEncoder().encode("#!/bin/sh\r\n")
    ]) {
      using at = world()
      const hooks = inside(at.repository.root, ".git", "hooks")
      script(join(hooks, "pre-push"), bytes)
      const before = contents(hooks)
      await at.hook("install", "--pre-push")
      expect(existsSync(join(hooks, "before-dd", "pre-push"))).toBe(true)
      await at.hook("uninstall", "--pre-push")
      expect(contents(hooks)).toEqual(before)
    }
  })
})

test("a hook that is replaced finds its name, also after an upgrade from the version that renamed it", async () => {
  using at = world()
  const hooks = at.repository.path(".git", "hooks")
  rmSync(hooks, { recursive: true, force: true })
  mkdirSync(hooks)
  script(at.repository.path("tools", "dispatch"), '#!/bin/sh\necho "name: $(basename "$0")"\n')
  symlinkSync("../../tools/dispatch", join(hooks, "pre-push"))
  const before = contents(hooks)
  await at.hook("install", "--pre-push")
  at.repository.commit("two", { "b.py": good })
  expect((await at.push()).stdout).toContain("name: pre-push\n")

  rmSync(join(hooks, "before-dd"), { recursive: true })
  symlinkSync("../../tools/dispatch", join(hooks, "pre-push.before-dd"))
  writeFileSync(
    join(hooks, "pre-push"),
    readFileSync(join(hooks, "pre-push"), "utf8").replace(/^dd_before=.*$/m, 'dd_before="$0.before-dd"')
  )
  await at.hook("install", "--pre-push")
  at.repository.commit("three", { "c.py": good })
  expect((await at.push()).stdout).toContain("name: pre-push\n")
  await at.hook("uninstall", "--pre-push")
  expect(contents(hooks)).toEqual(before)
})

describe("a line that is added to a hook of dd's own", () => {
  const added = `echo "added: $*"; cat\n`
  for (const hasAside of [false, true]) {
    test(`runs with the refs${hasAside ? " after the hook that was there" : ", and stays when dd is removed"}`, async () => {
      using at = world()
      const path = at.repository.path(".git", "hooks", "pre-push")
      if (hasAside) {
        script(`${path}-target`, "#!/bin/sh\necho before\ncat\n")
        symlinkSync("pre-push-target", path)
      }
      await at.hook("install", "--pre-push")
      appendFileSync(path, added)
      const sha = at.repository.commit("two", { "b.py": good })
      const pushed = await at.push()
      expect(pushed.status).toBe(0)
      expect(pushed.stdout).toContain(`added: origin ${at.remote}\nrefs/heads/main ${sha} `)
      if (hasAside) expect(pushed.stdout).toContain(`before\nrefs/heads/main ${sha} `)
      const removed = await at.hook("uninstall", "--pre-push")
      expect(removed.status).toBe(hasAside ? 2 : 0)
      if (!hasAside) expect(readFileSync(path, "utf8")).toBe(`#!/bin/sh\n${added}`)
    })
  }
})

test("a push goes on with a line after dd was removed, and another one on PATH takes its place", async () => {
  using at = world()
  const own = join(inside(at.place.path, "own"), "dd")
  copyFileSync(dd, own)
  await at.call([own, "hook", "install", "--pre-push"])
  rmSync(own)
  at.repository.commit("bad", { "b.py": bad })
  const replaced = await at.push(["--dry-run", "origin", "main"], { PATH: `${dirname(dd)}:${systemPath}` })
  expect(replaced.status).toBe(1)
  const gone = await at.push()
  expect(gone.status).toBe(0)
  expect(gone.stderr).toContain("daydream is not installed any more")
})

describe("core.hooksPath", () => {
  test("in the working tree gets a hook without a path of this machine", async () => {
    using at = world()
    at.repository.git("config", "core.hooksPath", ".githooks")
    await at.hook("install", "--pre-push")
    expect(readFileSync(at.repository.path(".githooks", "pre-push"), "utf8")).not.toContain(dd)
    at.repository.commit("bad", { "b.py": bad })
    expect((await at.push(undefined, { PATH: `${dirname(dd)}:${systemPath}` })).status).toBe(1)
  })

  test("of all repositories is left alone without a flag for that", async () => {
    using at = world()
    const shared = join(at.place.path, "shared")
    writeFileSync(join(at.home, ".gitconfig"), `[core]\n\thooksPath = ${shared}\n`)
    const refused = await at.hook("install", "--pre-push")
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain("--all-repositories")
    expect(existsSync(shared)).toBe(false)
    expect((await at.hook("install", "--pre-push", "--all-repositories")).status).toBe(0)
    at.repository.commit("bad", { "b.py": bad })
    expect((await at.push()).status).toBe(1)
    expect((await at.hook("status")).stdout).toContain("for all repositories that use this directory")
  })
})

/** The files that each manager makes, in their shape: what it runs, with which arguments and input. */
describe("a manager of hooks", () => {
  const withDd = { PATH: `${dirname(dd)}:${systemPath}` }
  const restart = `#!/usr/bin/env sh\nif [ -z "$husky_skip_init" ]; then\n  readonly husky_skip_init=1\n  export husky_skip_init\n  sh -e "$0" "$@"\n  exit $?\nfi\n`
  const start = `#!/bin/sh\nhook="$(dirname "$(dirname "$0")")/$(basename "$0")"\n[ -f "$hook" ] || exit 0\nsh -e "$hook" "$@"\n`

  for (const [name, hooksPath, files] of [
    ["husky 9", ".husky/_", { ".husky/_/pre-push": start, ".husky/pre-push": "cat\n" }],
    ["husky 9 in a subdirectory", "fe/.husky/_", { "fe/.husky/_/pre-push": start, "fe/.husky/pre-push": "cat\n" }],
    [
      "husky 8",
      ".husky",
      {
        ".husky/_/husky.sh": restart,
        ".husky/pre-push": `#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\ncat\n`
      }
    ]
  ] as const) {
    test(`${name}: its hook gets dd's lines, which review once, and the refs reach the rest`, async () => {
      using at = world()
      for (const [path, text] of Object.entries(files)) script(at.repository.path(path), text)
      at.repository.git("config", "core.hooksPath", hooksPath)
      const folder = at.repository.path(hooksPath.replace(/\/_$/, ""))
      const before = contents(folder)
      await at.hook("install", "--pre-push")
      expect(readFileSync(join(folder, "pre-push"), "utf8")).toContain("# >>> dd hook")
      at.repository.commit("two", { "b.py": good })
      const pushed = await at.push(undefined, withDd)
      expect(pushed.status).toBe(0)
      expect(pushed.stderr.match(/dd: the push/g)).toHaveLength(1)
      expect(pushed.stdout).toContain("refs/heads/main ")
      at.repository.commit("bad", { "c.py": bad })
      expect((await at.push(undefined, withDd)).status).toBe(1)
      await at.hook("uninstall", "--pre-push")
      expect(contents(folder)).toEqual(before)
    })
  }

  test("husky 4: its hook finds its name", async () => {
    using at = world()
    const hooks = inside(at.repository.root, ".git", "hooks")
    script(join(hooks, "pre-push"), `#!/bin/sh\n# husky\n. "$(dirname "$0")/husky.sh"\n`)
    script(join(hooks, "husky.sh"), `echo "husky runs $(basename "$0") with $(cat)"\n`)
    const before = contents(hooks)
    await at.hook("install", "--pre-push")
    at.repository.commit("two", { "b.py": good })
    expect((await at.push()).stdout).toContain("husky runs pre-push with refs/heads/main ")
    await at.hook("uninstall", "--pre-push")
    expect(contents(hooks)).toEqual(before)
  })

  for (const [name, file, setUp, settings] of [
    [
      "lefthook",
      "lefthook.yml",
      "lefthook install",
      "pre-push:\n  jobs:\n    - run: daydream hook pre-push {1}\n      use_stdin: true\n"
    ],
    [
      "pre-commit",
      ".pre-commit-config.yaml",
      "pre-commit install --hook-type pre-push",
      "repos:\n- repo: local\n  hooks:\n  - id: mine\n    entry: daydream hook pre-push\n"
    ]
  ] as const) {
    test(`${name}: a call in its settings is found, and what git does not run is shown`, async () => {
      using at = world()
      const hook = at.repository.path(".git", "hooks", "pre-push")
      script(hook, `#!/bin/sh\n${name} run\n`)
      const status = async () => (await at.hook("status")).stdout
      at.repository.write(file, settings.replaceAll(/^/gm, "# "))
      expect(await status()).toContain("git pre-push: not installed; ")
      at.repository.write(file, settings)
      const limit = name === "lefthook" ? "\n" : ", which reviews only one ref of a push; "
      expect(await status()).toContain(`git pre-push: installed in the settings of ${name}${limit}`)
      expect((await at.hook("install", "--pre-push")).stdout).toBe(`${name}: already installed\n`)
      rmSync(hook)
      expect(await status()).toContain(
        `git pre-push: not installed: dd is in the settings of ${name}, but ${name} is not installed as a hook: ${setUp}`
      )
      expect((await at.hook("install", "--pre-push")).status).toBe(2)
    })
  }

  test("lefthook: its settings are not edited; what to add is printed", async () => {
    using at = world()
    script(at.repository.path(".git", "hooks", "pre-push"), "#!/bin/sh\nlefthook run\n")
    at.repository.write("lefthook.yml", "# own\n")
    const refused = await at.hook("install", "--pre-push")
    expect(refused.status).toBe(2)
    expect(refused.stdout).toContain("daydream hook pre-push")
    expect(readFileSync(at.repository.path("lefthook.yml"), "utf8")).toBe("# own\n")
  })

  test("pre-commit: dd is in the file that it runs first, with all refs", async () => {
    using at = world()
    at.repository.write(".pre-commit-config.yaml", "repos: []\n")
    const hooks = inside(at.repository.root, ".git", "hooks")
    // As pre-commit does, which reads the refs and calls the other file with them.
    script(join(hooks, "pre-push"), `#!/bin/sh\n# File generated by pre-commit\ncat | "$0.legacy" "$@"\n`)
    const before = contents(hooks)
    await at.hook("install", "--pre-push")
    expect((await at.hook("install", "--pre-push")).stdout).toContain("already installed")
    expect((await at.hook("status")).stdout).toContain("git pre-push: installed in .git/hooks/pre-push.legacy\n")
    at.repository.branch("fine").commit("two", { "b.py": good })
    at.repository.branch("bad").commit("bad", { "c.py": bad })
    const pushed = await at.push(["origin", "fine", "bad"])
    expect(pushed.status).toBe(1)
    expect(pushed.stderr).toContain("1 finding at or above high")
    await at.hook("uninstall", "--pre-push")
    expect(contents(hooks)).toEqual(before)
  })

  test("whose settings are in the repository, but which is not installed in this clone, does not stand in the way", async () => {
    for (const hook of ["pre-push", "pre-commit"] as const) {
      using at = world()
      at.repository.write(".pre-commit-config.yaml", "repos: []\n")
      at.repository.write("lefthook.yml", `${hook}:\n  jobs:\n    - run: npm test\n`)
      const hooks = inside(at.repository.root, ".git", "hooks")
      const before = contents(hooks)
      expect((await at.hook("install", `--${hook}`)).status).toBe(0)
      expect((await at.hook("install", `--${hook}`)).stdout).toContain("already installed")
      expect((await at.hook("status")).stdout).toContain(`git ${hook}: installed in .git/hooks/${hook}\n`)
      await at.hook("uninstall", `--${hook}`)
      expect(contents(hooks)).toEqual(before)
    }
  })

  test("husky: a working tree without its generated files is shown as one where git runs nothing", async () => {
    using at = world()
    script(at.repository.path(".husky", "pre-push"), "true\n")
    at.repository.git("config", "core.hooksPath", ".husky/_")
    await at.hook("install", "--pre-push")
    expect((await at.hook("status")).stdout).toContain(
      "installed in .husky/pre-push, but husky is not installed as a hook: run husky"
    )
  })

  test("pre-commit: its variables name the commits", async () => {
    using at = world()
    const from = at.repository.git("rev-parse", "HEAD")
    const to = at.repository.commit("bad", { "b.py": bad })
    const variables = { PRE_COMMIT_FROM_REF: from, PRE_COMMIT_TO_REF: to, PRE_COMMIT_REMOTE_BRANCH: "refs/heads/main" }
    expect((await at.call([dd, "hook", "pre-push"], variables)).status).toBe(1)
  })

  test("pre-commit: its variables name the remote, whose old ref of a new branch does not count", async () => {
    using at = world()
    at.repository.git("remote", "rename", "origin", "hub")
    const to = at.repository.branch("topic").commit("bad", { "b.py": bad })
    at.repository.git("update-ref", "refs/remotes/hub/topic", to)
    const branch = { PRE_COMMIT_LOCAL_BRANCH: "refs/heads/topic", PRE_COMMIT_REMOTE_BRANCH: "refs/heads/topic" }
    const variables = { ...branch, PRE_COMMIT_TO_REF: to, PRE_COMMIT_REMOTE_NAME: "hub" }
    expect((await at.call([dd, "hook", "pre-push"], variables)).status).toBe(1)
  })

  test("pre-commit: without commits in its variables, all of the branch is reviewed", async () => {
    using at = world()
    at.repository.commit("bad", { "b.py": bad })
    at.repository.git("remote", "remove", "origin")
    const variables = { PRE_COMMIT_LOCAL_BRANCH: "refs/heads/main", PRE_COMMIT_REMOTE_BRANCH: "refs/heads/main" }
    const first = await at.call([dd, "hook", "pre-push"], variables)
    expect(first.status).toBe(1)
    expect(first.stderr).toContain("all of its history")
  })
})
