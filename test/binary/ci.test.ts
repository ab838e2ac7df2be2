/** `dd review --ci` by the compiled binary: the environment of each service, and clones as its jobs have them. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { bad, ciWorld, good, services, zeros } from "../support/ciWorld.ts"
import { run } from "../support/inProcess.ts"

describe.each(services)("a job of $name", ({ checkout, hasBefore, pull, push, remedy }) => {
  test("reviews what a pull request adds to its target, and fails on a high finding", async () => {
    using at = ciWorld()
    const ended = await at.review(at.clone([], checkout), pull(at), "--fail-on", "high")
    const isMerge = checkout.endsWith("/merge")
    expect(ended.report.run).toMatchObject({
      base: isMerge ? at.main : at.fork,
      head: isMerge ? at.merge : at.topic
    })
    expect(ended.report.findings.map(({ rule }: { rule: string }) => rule)).toEqual(["py/yaml-load"])
    expect(ended.report.coverage.files.map(({ path }: { path: string }) => path)).toEqual(["b.py", "c.py"])
    expect({ status: ended.status, state: ended.report.status }).toEqual({ status: 1, state: "complete" })
    expect(ended.stdout).toContain("the pull request")
  })

  test("reviews a push since the commit before it, or else the last commit, and says that others may be new", async () => {
    using at = ciWorld()
    const { report, status, stdout } = await at.review(at.clone([], "main"), push(at), "--format", "text")
    expect(report.run).toMatchObject({ base: hasBefore ? at.fork : at.before, head: at.main })
    expect({ status, state: report.status }).toEqual({ status: 0, state: "complete" })
    const note = `does not say which commits are new: commits before ${at.main.slice(0, 7)} were not reviewed`
    expect(report.degraded).toMatchObject(
      hasBefore ? [] : [{ step: "checkout", detail: expect.stringContaining(note) }]
    )
    expect(stdout.includes("1 step was incomplete.")).toBe(!hasBefore)
  })

  test("in a clone of one commit says what is missing and how to get it, and does not pass", async () => {
    using at = ciWorld()
    const repository = at.clone(["--depth=1", "--branch=topic"], checkout)
    const { report, status, stdout } = await at.review(repository, pull(at), "--fail-on", "high")
    expect({ status, state: report.status }).toEqual({ status: 4, state: "partial" })
    expect(report.degraded[0]).toMatchObject({ step: "checkout", error: "HistoryTooShallow" })
    expect(report.degraded[0].detail).toContain(remedy)
    expect(stdout).toContain("Nothing was reviewed. This review is partial. Not checked: the change")
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(remedy)

    const deepened = await at.review(repository, pull(at), "--fail-on", "high", "--deepen")
    expect(deepened.report.degraded).toEqual([])
    expect({ status: deepened.status, state: deepened.report.status }).toEqual({ status: 1, state: "complete" })
  })
})

const gitHub = services[0]!
const gitLab = services[1]!

describe("the formats of a service", () => {
  test("are annotations and an appended summary on GitHub", async () => {
    using at = ciWorld()
    const summary = join(at.place.path, "summary.md")
    writeFileSync(summary, "earlier\n")
    const env = { ...gitHub.pull(at), GITHUB_STEP_SUMMARY: summary }
    const { stdout } = await at.review(at.clone([], gitHub.checkout), env)
    expect(stdout).toContain("::error file=b.py,line=5")
    const text = readFileSync(summary, "utf8")
    expect(text.startsWith("earlier\n## dd review\n")).toBe(true)
    expect(text).toContain("py/yaml-load")
  })

  test("stay beside what the user asks for, but one of the same format is replaced", async () => {
    using at = ciWorld()
    const summary = join(at.place.path, "summary.md")
    const env = { ...gitHub.pull(at), GITHUB_STEP_SUMMARY: summary }
    const repository = at.clone([], gitHub.checkout)
    const page = `markdown=${at.place.path}/own.md`
    writeFileSync(summary, "earlier\n")
    expect((await at.review(repository, env, "--format", "text", "--output", page)).stdout).toContain(
      "high[py/yaml-load]"
    )
    expect(readFileSync(summary, "utf8")).toBe("earlier\n")
    await at.review(repository, env, "--format", "text")
    expect(readFileSync(summary, "utf8")).toContain("py/yaml-load")
    await at.review(repository, services[5]!.pull(at), "--output", page)
    expect(existsSync(repository.path("dd.sarif"))).toBe(true)
  })

  test("are a code quality file on GitLab, a SARIF file elsewhere, and what the user asks for", async () => {
    using at = ciWorld()
    const repository = at.clone([], "topic")
    await at.review(repository, gitLab.pull(at))
    const quality = JSON.parse(readFileSync(repository.path("gl-code-quality-report.json"), "utf8"))
    expect(quality[0]).toMatchObject({ check_name: "py/yaml-load", location: { path: "b.py", lines: { begin: 5 } } })
    await at.review(repository, services[6]!.pull(at), "--output", `sarif=${at.place.path}/own.sarif`)
    expect(existsSync(repository.path("dd.sarif"))).toBe(false)
    expect(existsSync(join(at.place.path, "own.sarif"))).toBe(true)
    const { stdout } = await at.review(repository, services[6]!.pull(at), "--format", "markdown")
    expect(stdout.startsWith("## dd review")).toBe(true)
    expect(existsSync(repository.path("dd.sarif"))).toBe(true)
  })

  test("are left out where they cannot be written, unless the user asks for them", async () => {
    using at = ciWorld()
    const repository = at.clone([], "topic")
    repository.write("dd.sarif/kept", "")
    const jenkins = services[6]!.pull(at)
    const { report, status } = await at.review(repository, jenkins)
    expect({ status, state: report.status, count: report.findings.length }).toEqual({
      status: 0,
      state: "complete",
      count: 1
    })
    expect(report.degraded).toMatchObject([
      { step: "output", detail: "not written: --output sarif=dd.sarif: it is a directory" }
    ])
    expect((await at.review(repository, jenkins, "--output", "sarif=dd.sarif")).status).toBe(2)
  })
})

describe("--ci", () => {
  test("reviews a new branch since the default branch, and a first push from its first commit", async () => {
    using at = ciWorld()
    const pushed = (branch: string, sha: string) => ({
      ...{ GITHUB_ACTIONS: "true", GITHUB_REF: `refs/heads/${branch}`, GITHUB_SHA: sha },
      GITHUB_EVENT_PATH: at.event({ before: zeros, repository: { default_branch: "main" } })
    })
    const repository = at.clone([], "topic")
    expect((await at.review(repository, pushed("topic", at.topic))).report.run.base).toBe(at.fork)
    repository.git("checkout", "--quiet", "--detach", "origin/main")
    expect((await at.review(repository, pushed("main", at.main))).report.run.base).toBe("empty")
  })

  test("reviews a force push since the merge base, also if its old commit is gone", async () => {
    using at = ciWorld()
    const pushed = (before: string) => ({
      ...{ GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/topic", GITHUB_SHA: at.topic },
      GITHUB_EVENT_PATH: at.event({ before, repository: { default_branch: "main" } })
    })
    const repository = at.clone([], "topic")
    for (const before of [at.before, "1234567".padEnd(40, "0")]) {
      const { report } = await at.review(repository, pushed(before))
      expect({ base: report.run.base, state: report.status }).toEqual({ base: at.fork, state: "complete" })
    }
  })

  test("reviews the head of a pull request since it left its target, also if that head is a merge", async () => {
    using at = ciWorld()
    const repository = at.clone([], "topic")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Take main into the topic", "origin/main")
    const head = repository.git("rev-parse", "HEAD")
    const pulled = { pull_request: { number: 7, base: { sha: at.main }, head: { sha: head } } }
    const { report } = await at.review(repository, { ...gitHub.pull(at), GITHUB_EVENT_PATH: at.event(pulled) })
    expect(report.run).toMatchObject({ base: at.main, head })
    expect(report.coverage.files.map(({ path }: { path: string }) => path)).toEqual(["b.py", "c.py"])
  })

  test("does not take the last commit for a force push to the default branch whose old commit is gone", async () => {
    using at = ciWorld()
    const env = {
      ...{ GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/main", GITHUB_SHA: at.main },
      GITHUB_EVENT_PATH: at.event({ before: "1234567".padEnd(40, "0"), repository: { default_branch: "main" } })
    }
    const { report, status } = await at.review(at.clone([], "main"), env)
    expect({ status, state: report.status, base: report.run.base }).toEqual({
      status: 4,
      state: "partial",
      base: at.before
    })
    expect(report.degraded[0]).toMatchObject({ error: "BaseMissing" })
  })

  test.each([
    [
      "Woodpecker, whose last pipeline failed",
      (before: string, head: string) => ({
        ...{ CI: "woodpecker", CI_PIPELINE_EVENT: "push", CI_COMMIT_BRANCH: "main", CI_REPO_DEFAULT_BRANCH: "main" },
        ...{ CI_COMMIT_SHA: head, CI_PREV_COMMIT_SHA: before, CI_PREV_PIPELINE_STATUS: "failure" }
      })
    ],
    [
      "Jenkins, where no build passed yet",
      (before: string, head: string) => ({
        ...{ JENKINS_URL: "http://127.0.0.1/", BRANCH_NAME: "main", GIT_BRANCH: "origin/main" },
        ...{ GIT_COMMIT: head, GIT_PREVIOUS_COMMIT: before }
      })
    ]
  ])("finds a defect below the last commit of a push to the default branch on %s", async (_, env) => {
    using at = ciWorld()
    at.remote.commit("bad", { "d.py": bad })
    const head = at.remote.commit("good", { "e.py": good })
    const { report, status, stdout } = await at.review(at.clone([], "main"), env(at.main, head), "--fail-on", "high")
    expect({ status, base: report.run.base, count: report.findings.length }).toEqual({
      ...{ status: 1, base: at.main, count: 1 }
    })
    expect(stdout).toContain(`since ${at.main.slice(0, 7)}, the commit before the push`)
  })

  test("does not compare a branch with a commit whose build failed", async () => {
    using at = ciWorld()
    const env = {
      JENKINS_URL: "http://127.0.0.1/",
      BRANCH_NAME: "topic",
      GIT_COMMIT: at.topic,
      GIT_PREVIOUS_COMMIT: at.remote.git("rev-parse", "topic~1")
    }
    const { report } = await at.review(at.clone([], "topic"), env)
    expect(report.run.base).toBe(at.fork)
  })

  test("fetches nothing for a job that does not say which commits are new", async () => {
    using at = ciWorld()
    const repository = at.clone(["--depth=2"], "main")
    const env = { CIRCLECI: "true", CIRCLE_SHA1: at.main, CIRCLE_BRANCH: "main" }
    const { report, status } = await at.review(repository, env, "--deepen")
    expect({ status, error: report.degraded[0].error }).toEqual({ status: 0, error: "BaseUnknown" })
    expect(repository.git("rev-list", "--count", "HEAD")).toBe("2")
  })

  test("reviews a tag whose commit no branch has, since what a branch has", async () => {
    using at = ciWorld()
    const job = (tag: string, sha: string) => ({
      ...{ GITHUB_ACTIONS: "true", GITHUB_REF: `refs/tags/${tag}`, GITHUB_SHA: sha }
    })
    const merged = await at.review(at.clone([], "v1"), job("v1", at.main))
    expect({ status: merged.status, files: merged.report.coverage.files }).toEqual({ status: 0, files: [] })
    expect(merged.stdout).toContain(`the tag v1 (${at.main.slice(0, 7)}): a branch has its commit`)

    at.remote.git("checkout", "--quiet", "--detach", "main")
    at.remote.commit("bad", { "tagged.py": bad })
    const head = at.remote.commit("good", { "tagged2.py": good })
    at.remote.git("tag", "--annotate", "--message", "v2", "v2")
    at.remote.git("checkout", "--quiet", "main")
    const alone = await at.review(at.clone([], "v2", "whole"), job("v2", head), "--fail-on", "high")
    expect({ status: alone.status, base: alone.report.run.base, count: alone.report.findings.length }).toEqual({
      ...{ status: 1, base: at.main, count: 1 }
    })
    const shallow = at.clone(["--depth=1", "--branch=v2"], "v2", "shallow")
    const lacking = await at.review(shallow, job("v2", head))
    expect({ status: lacking.status, error: lacking.report.degraded[0].error }).toEqual({
      ...{ status: 4, error: "HistoryTooShallow" }
    })
    const deepened = await at.review(shallow, job("v2", head), "--deepen", "--fail-on", "high")
    expect({ status: deepened.status, base: deepened.report.run.base }).toEqual({ status: 1, base: at.main })
  })

  test("reviews all of a branch that has no commit in common with the default branch", async () => {
    using at = ciWorld()
    at.remote.git("checkout", "--quiet", "--orphan", "pages")
    at.remote.commit("bad", { "c.py": bad })
    const head = at.remote.commit("good", { "d.py": good })
    const env = {
      ...{ GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/pages", GITHUB_SHA: head },
      GITHUB_EVENT_PATH: at.event({ before: zeros, repository: { default_branch: "main" } })
    }
    const { report, status } = await at.review(at.clone([], "pages"), env, "--fail-on", "high")
    expect({ status, base: report.run.base, degraded: report.degraded }).toEqual({
      status: 1,
      base: "empty",
      degraded: []
    })
  })

  test("does not pass a job of pull_request_target that has checked out the target", async () => {
    using at = ciWorld()
    const env = {
      ...gitHub.pull(at),
      GITHUB_EVENT_NAME: "pull_request_target",
      GITHUB_REF: "refs/heads/main",
      GITHUB_SHA: at.main
    }
    const shallow = at.clone(["--depth=1"], "main")
    const { report, status } = await at.review(shallow, env)
    expect({ status, error: report.degraded[0].error }).toEqual({ status: 4, error: "HeadMissing" })
  })

  test("passes a pull request that its target has already, and says so", async () => {
    using at = ciWorld()
    const env = {
      ...{ BUILDKITE: "true", BUILDKITE_PULL_REQUEST: "7", BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main" },
      ...{ BUILDKITE_BRANCH: "topic", BUILDKITE_COMMIT: at.before }
    }
    const { report, status, stdout } = await at.review(at.clone([], "main"), env)
    expect({ status, state: report.status, degraded: report.degraded }).toEqual({
      ...{ status: 0, state: "complete", degraded: [] }
    })
    expect(stdout).toContain("which has nothing that its target lacks")
  })

  test("reviews the last commit of a shallow clone that lacks the commit before the push, and is partial", async () => {
    using at = ciWorld()
    const { report, status, stdout } = await at.review(at.clone(["--depth=2"], "main"), gitHub.push(at))
    expect(report.run).toMatchObject({ base: at.before, head: at.main })
    expect({ status, state: report.status }).toEqual({ status: 4, state: "partial" })
    expect(stdout).toContain(`Not checked: commits before ${at.main.slice(0, 7)}`)
  })

  test("does not fetch with a program that the repository names", async () => {
    using at = ciWorld()
    const repository = at.clone(["--depth=1", "--branch=topic"], "topic")
    const mark = join(at.place.path, "ran")
    repository.git("config", "core.sshCommand", `touch ${mark}`)
    repository.git("config", "remote.origin.uploadpack", `touch ${mark}; git-upload-pack`)
    const { report, status } = await at.review(repository, gitLab.pull(at), "--deepen")
    expect(status).toBe(4)
    expect(report.degraded[0].detail).toContain("which names a program or an address")
    expect(existsSync(mark)).toBe(false)
  })

  test("compares with --base instead, and needs a job", async () => {
    using at = ciWorld()
    const repository = at.clone([], "topic")
    expect((await at.review(repository, gitLab.pull(at), "--base", "HEAD~1")).report.run.base).toBe(
      repository.git("rev-parse", "HEAD~1")
    )
    const mistyped = await at.review(repository, gitLab.pull(at), "--base", "topicc")
    expect({ status: mistyped.status, words: mistyped.stderr }).toMatchObject({
      status: 2,
      words: expect.stringContaining('unknown commit "topicc"')
    })
    const outside = await at.review(repository, {})
    expect(outside.status).toBe(2)
    expect(outside.stderr).toContain("no job of a known service (GitHub Actions, GitLab CI/CD")
    expect((await at.review(repository, gitLab.pull(at), "--staged")).status).toBe(2)
    const alone = await run([dd, "review", "--deepen"], { cwd: repository.root })
    expect({ status: alone.status, words: alone.stderr }).toMatchObject({
      status: 2,
      words: expect.stringContaining("--deepen requires --ci")
    })
  })
})
