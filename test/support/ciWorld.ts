/** Jobs of continuous integration: a remote with a pull request, clones as jobs have them, and the variables of each service. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "./binary.ts"
import { run } from "./inProcess.ts"
import { inside, scratch, systemPath } from "./process.ts"
import { initRepository, TestRepository, tryGit } from "./repository.ts"

export const good = "def total(items):\n    return sum(items)\n"
export const bad = "import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n"
export const zeros = "0".repeat(40)

/** A remote with a pull request: its branch left main after `fork`, and main went on. */
export const ciWorld = () => {
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

  const clone = (args: ReadonlyArray<string>, checkout: string, name = "work"): TestRepository => {
    const path = join(place.path, name)
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
export type CiWorld = ReturnType<typeof ciWorld>

interface Service {
  readonly name: string
  /** The ref that a job of a pull request checks out. */
  readonly checkout: string
  readonly pull: (at: CiWorld) => Record<string, string>
  readonly push: (at: CiWorld) => Record<string, string>
  /** Does a job of a push have the commit before it? */
  readonly hasBefore: boolean
  readonly remedy: string
}

export const services: ReadonlyArray<Service> = [
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
      ...{ CI_REPO_DEFAULT_BRANCH: "main", CI_PREV_PIPELINE_EVENT: "push" }
    }),
    hasBefore: true,
    remedy: "depth: 0"
  }
]
