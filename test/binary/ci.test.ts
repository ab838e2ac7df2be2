/** `dd review --ci` by the compiled binary: the environment of each service, and clones as its jobs have them. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { patience } from "../support/patience.ts"
import { inside, run, scratch, systemPath } from "../support/process.ts"
import { initRepository, TestRepository, tryGit } from "../support/repository.ts"

setDefaultTimeout(patience)

const good = "def total(items):\n    return sum(items)\n"
const bad = "import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n"
const zeros = "0".repeat(40)

/** A remote with a pull request: its branch left main after `fork`, and main went on. */
const world = () => {
  const place = scratch()
  const remote = initRepository(join(place.path, "remote"))
  const fork = remote.commit("one", { "a.py": good })
  remote.branch("topic").commit("bad", { "b.py": bad })
  const topic = remote.commit("more", { "c.py": good })
  remote.git("checkout", "--quiet", "main")
  const before = remote.commit("two", { "a.py": `${good}# two\n` })
  const main = remote.commit("three", { "a.py": `${good}# three\n` })
  remote.git("checkout", "--quiet", "--detach", "main")
  remote.git("merge", "--quiet", "--no-ff", "--message", "Merge 7", "topic")
  const merge = remote.git("rev-parse", "HEAD")
  remote.git("update-ref", "refs/pull/7/merge", merge)
  remote.git("update-ref", "refs/merge-requests/7/merge", merge)
  remote.git("tag", "v1", main)
  remote.git("checkout", "--quiet", "main")

  const clone = (args: ReadonlyArray<string>, checkout: string): TestRepository => {
    const path = join(place.path, "work")
    const made = tryGit(place.path, ["clone", "--quiet", ...args, `file://${remote.root}`, path])
    if (made.status !== 0) throw new Error(made.stderr)
    const depth = args.some((each) => each.startsWith("--depth")) ? args : []
    tryGit(path, ["fetch", "--quiet", ...depth, "origin", checkout])
    tryGit(path, ["checkout", "--quiet", "--detach", "FETCH_HEAD"])
    return new TestRepository(path)
  }

  const review = async (repository: TestRepository, env: Record<string, string>, ...args: ReadonlyArray<string>) => {
    const report = join(place.path, "report.json")
    const ended = await run([dd, "review", "--ci", "--output", `json=${report}`, ...args], {
      cwd: repository.root,
      env: { PATH: systemPath, HOME: inside(place.path, "home"), CI: "true", ...env }
    })
    return { ...ended, report: existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null }
  }

  const event = (content: unknown): string => {
    const path = join(place.path, "event.json")
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  return {
    place,
    remote,
    fork,
    topic,
    before,
    main,
    merge,
    clone,
    review,
    event,
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}
type World = ReturnType<typeof world>

interface Service {
  readonly name: string
  /** The ref that a job of a pull request checks out. */
  readonly checkout: string
  readonly pull: (at: World) => Record<string, string>
  readonly push: (at: World) => Record<string, string>
  /** Does a job of a push have the commit before it? */
  readonly hasBefore: boolean
  readonly remedy: string
}

const services: ReadonlyArray<Service> = [
  {
    name: "GitHub Actions",
    checkout: "refs/pull/7/merge",
    pull: (at) => ({
      ...{ GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "pull_request", GITHUB_REF: "refs/pull/7/merge" },
      ...{ GITHUB_BASE_REF: "main", GITHUB_HEAD_REF: "topic", GITHUB_SHA: at.merge },
      GITHUB_EVENT_PATH: at.event({ pull_request: { number: 7, base: { sha: at.main }, head: { sha: at.topic } } })
    }),
    push: (at) => ({
      ...{ GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "push", GITHUB_REF: "refs/heads/main", GITHUB_SHA: at.main },
      GITHUB_EVENT_PATH: at.event({ before: at.fork, repository: { default_branch: "main" } })
    }),
    hasBefore: true,
    remedy: "fetch-depth: 0"
  },
  {
    name: "GitLab CI/CD",
    checkout: "topic",
    pull: (at) => ({
      ...{ GITLAB_CI: "true", CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main" },
      ...{ CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: "topic", CI_MERGE_REQUEST_REF_PATH: "refs/merge-requests/7/head" },
      ...{ CI_MERGE_REQUEST_DIFF_BASE_SHA: at.fork, CI_COMMIT_SHA: at.topic, CI_COMMIT_BEFORE_SHA: zeros },
      CI_PIPELINE_SOURCE: "merge_request_event"
    }),
    push: (at) => ({
      ...{ GITLAB_CI: "true", CI_COMMIT_BRANCH: "main", CI_DEFAULT_BRANCH: "main", CI_COMMIT_SHA: at.main },
      ...{ CI_COMMIT_BEFORE_SHA: at.fork, CI_PIPELINE_SOURCE: "push" }
    }),
    hasBefore: true,
    remedy: "GIT_DEPTH: 0"
  },
  {
    name: "Bitbucket Pipelines",
    checkout: "topic",
    pull: (at) => ({
      ...{ BITBUCKET_BUILD_NUMBER: "12", BITBUCKET_PR_ID: "7", BITBUCKET_PR_DESTINATION_BRANCH: "main" },
      ...{ BITBUCKET_PR_DESTINATION_COMMIT: at.main, BITBUCKET_COMMIT: at.topic, BITBUCKET_BRANCH: "topic" }
    }),
    push: (at) => ({ BITBUCKET_BUILD_NUMBER: "12", BITBUCKET_COMMIT: at.main, BITBUCKET_BRANCH: "main" }),
    hasBefore: false,
    remedy: "clone: depth: full"
  },
  {
    name: "Azure Pipelines",
    checkout: "refs/pull/7/merge",
    pull: (at) => ({
      ...{ TF_BUILD: "True", SYSTEM_PULLREQUEST_PULLREQUESTID: "7", BUILD_SOURCEVERSION: at.merge },
      ...{ SYSTEM_PULLREQUEST_TARGETBRANCH: "refs/heads/main", SYSTEM_PULLREQUEST_SOURCEBRANCH: "refs/heads/topic" },
      ...{ SYSTEM_PULLREQUEST_SOURCECOMMITID: at.topic, BUILD_SOURCEBRANCH: "refs/pull/7/merge" }
    }),
    push: (at) => ({ TF_BUILD: "True", BUILD_SOURCEVERSION: at.main, BUILD_SOURCEBRANCH: "refs/heads/main" }),
    hasBefore: false,
    remedy: "fetchDepth: 0"
  },
  {
    name: "CircleCI",
    checkout: "topic",
    pull: (at) => ({
      ...{ CIRCLECI: "true", CIRCLE_PULL_REQUEST: "https://github.com/ada/shop/pull/7" },
      ...{ CIRCLE_SHA1: at.topic, CIRCLE_BRANCH: "topic" }
    }),
    push: (at) => ({ CIRCLECI: "true", CIRCLE_SHA1: at.main, CIRCLE_BRANCH: "main" }),
    hasBefore: false,
    remedy: "method: full"
  },
  {
    name: "Buildkite",
    checkout: "topic",
    pull: (at) => ({
      ...{ BUILDKITE: "true", BUILDKITE_PULL_REQUEST: "7", BUILDKITE_PULL_REQUEST_BASE_BRANCH: "main" },
      ...{ BUILDKITE_COMMIT: at.topic, BUILDKITE_BRANCH: "topic", BUILDKITE_PIPELINE_DEFAULT_BRANCH: "main" }
    }),
    push: () => ({
      ...{ BUILDKITE: "true", BUILDKITE_PULL_REQUEST: "false", BUILDKITE_COMMIT: "HEAD", BUILDKITE_BRANCH: "main" },
      BUILDKITE_PIPELINE_DEFAULT_BRANCH: "main"
    }),
    hasBefore: false,
    remedy: "BUILDKITE_GIT_CLONE_FLAGS"
  },
  {
    name: "Jenkins",
    checkout: "topic",
    pull: (at) => ({
      ...{ JENKINS_URL: "http://127.0.0.1/", CHANGE_ID: "7", CHANGE_TARGET: "main", BRANCH_NAME: "PR-7" },
      GIT_COMMIT: at.topic
    }),
    push: (at) => ({
      ...{ JENKINS_URL: "http://127.0.0.1/", BRANCH_NAME: "main", GIT_BRANCH: "origin/main", GIT_COMMIT: at.main },
      ...{ GIT_PREVIOUS_COMMIT: at.before, GIT_PREVIOUS_SUCCESSFUL_COMMIT: at.fork }
    }),
    hasBefore: true,
    remedy: "without shallow clone"
  },
  {
    name: "Woodpecker CI",
    checkout: "topic",
    pull: (at) => ({
      ...{ CI: "woodpecker", CI_COMMIT_PULL_REQUEST: "7", CI_COMMIT_TARGET_BRANCH: "main" },
      ...{ CI_COMMIT_SOURCE_BRANCH: "topic", CI_COMMIT_BRANCH: "main", CI_COMMIT_SHA: at.topic },
      CI_REPO_DEFAULT_BRANCH: "main"
    }),
    push: (at) => ({
      ...{ CI: "woodpecker", CI_COMMIT_BRANCH: "main", CI_COMMIT_SHA: at.main, CI_PREV_COMMIT_SHA: at.fork },
      CI_REPO_DEFAULT_BRANCH: "main"
    }),
    hasBefore: true,
    remedy: "depth: 0"
  }
]

describe.each(services)("a job of $name", ({ checkout, hasBefore, pull, push, remedy }) => {
  test("reviews what a pull request adds to its target, and fails on a high finding", async () => {
    using at = world()
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

  test("reviews a push since the commit before it, or else the last commit of the default branch", async () => {
    using at = world()
    const ended = await at.review(at.clone([], "main"), push(at))
    expect(ended.report.run).toMatchObject({ base: hasBefore ? at.fork : at.before, head: at.main })
    expect(ended.status).toBe(0)
  })

  test("in a clone of one commit says what is missing and how to get it, and does not pass", async () => {
    using at = world()
    const repository = at.clone(["--depth=1", "--branch=topic"], checkout)
    const { report, status, stdout } = await at.review(repository, pull(at), "--fail-on", "high")
    expect({ status, state: report.status }).toEqual({ status: 4, state: "partial" })
    expect(report.degraded[0]).toMatchObject({ step: "checkout", error: "HistoryTooShallow" })
    expect(report.degraded[0].detail).toContain(remedy)
    expect(stdout).toContain("Not checked: the change")

    const deepened = await at.review(repository, pull(at), "--fail-on", "high", "--deepen")
    expect(deepened.report.degraded).toEqual([])
    expect({ status: deepened.status, state: deepened.report.status }).toEqual({ status: 1, state: "complete" })
  })
})

const gitHub = services[0]!
const gitLab = services[1]!

describe("the formats of a service", () => {
  test("are annotations and an appended summary on GitHub", async () => {
    using at = world()
    const summary = join(at.place.path, "summary.md")
    writeFileSync(summary, "earlier\n")
    const env = { ...gitHub.pull(at), GITHUB_STEP_SUMMARY: summary }
    const { stdout } = await at.review(at.clone([], gitHub.checkout), env)
    expect(stdout).toContain("::error file=b.py,line=5")
    const text = readFileSync(summary, "utf8")
    expect(text.startsWith("earlier\n## dd review\n")).toBe(true)
    expect(text).toContain("py/yaml-load")
  })

  test("are a code quality file on GitLab, a SARIF file elsewhere, and what the user asks for", async () => {
    using at = world()
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
})

describe("--ci", () => {
  test("reviews a new branch since the default branch, and a first push from its first commit", async () => {
    using at = world()
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
    using at = world()
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

  test("finds a rebuilt commit again instead of passing it", async () => {
    using at = world()
    const env = {
      JENKINS_URL: "http://127.0.0.1/",
      BRANCH_NAME: "topic",
      GIT_COMMIT: at.topic,
      GIT_PREVIOUS_COMMIT: at.topic
    }
    const { report } = await at.review(at.clone([], "topic"), env)
    expect(report.run.base).toBe(at.fork)
  })

  test("reviews nothing of a tag, and says why", async () => {
    using at = world()
    const { report, status, stdout } = await at.review(at.clone([], "v1"), {
      ...{ GITHUB_ACTIONS: "true", GITHUB_REF: "refs/tags/v1", GITHUB_SHA: at.main }
    })
    expect({ status, files: report.coverage.files }).toEqual({ status: 0, files: [] })
    expect(stdout).toContain("the tag v1")
    expect(stdout).toContain("whose commits were pushed to a branch")
  })

  test("does not pass a job of pull_request_target that has checked out the target", async () => {
    using at = world()
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

  test("reviews the last commit of a shallow clone that lacks the commit before the push, and is partial", async () => {
    using at = world()
    const { report, status, stdout } = await at.review(at.clone(["--depth=2"], "main"), gitHub.push(at))
    expect(report.run).toMatchObject({ base: at.before, head: at.main })
    expect({ status, state: report.status }).toEqual({ status: 4, state: "partial" })
    expect(stdout).toContain(`Not checked: commits before ${at.main.slice(0, 7)}`)
  })

  test("does not fetch with a program that the repository names", async () => {
    using at = world()
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
    using at = world()
    const repository = at.clone([], "topic")
    expect((await at.review(repository, gitLab.pull(at), "--base", "HEAD~1")).report.run.base).toBe(
      repository.git("rev-parse", "HEAD~1")
    )
    const outside = await at.review(repository, {})
    expect(outside.status).toBe(2)
    expect(outside.stderr).toContain("no job of a known service (GitHub Actions, GitLab CI/CD")
    expect((await at.review(repository, gitLab.pull(at), "--staged")).status).toBe(2)
  })
})
