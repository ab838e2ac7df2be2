import { describe, expect, test } from "bun:test"
import { ciJobOf, ciVariables, inEvent } from "../../../src/domain/ci/CiJob.ts"

const jobOf = (values: Record<string, string>) => ciJobOf((name) => values[name] ?? "")

describe("the job in an environment", () => {
  test("is none on a developer's machine, also with CI=true", () => {
    expect(jobOf({ CI: "true", HOME: "/home/ada" })).toBeNull()
  })

  test("is a push although Buildkite writes false for the number of its pull request", () => {
    expect(jobOf({ BUILDKITE: "true", BUILDKITE_PULL_REQUEST: "false", BUILDKITE_BRANCH: "a/b" })).toMatchObject({
      ...{ kind: "push", id: null, branch: "a/b", before: null }
    })
  })

  test("has short names of branches and tags, from refs and from Jenkins' names of remote branches", () => {
    expect(jobOf({ JENKINS_URL: "x", GIT_BRANCH: "origin/main" })?.branch).toBe("main")
    expect(jobOf({ TF_BUILD: "True", BUILD_SOURCEBRANCH: "refs/heads/a/b" })).toMatchObject({
      kind: "push",
      branch: "a/b"
    })
    expect(jobOf({ TF_BUILD: "True", BUILD_SOURCEBRANCH: "refs/tags/v1" })).toMatchObject({
      kind: "tag",
      id: "v1",
      branch: null
    })
  })

  test("has the number of a pull request from an address, and none from a branch that ends in one", () => {
    expect(jobOf({ CIRCLECI: "true", CIRCLE_PULL_REQUEST: "https://example.com/a/b/pull/7" })?.id).toBe("7")
    expect(jobOf({ GITHUB_ACTIONS: "true", GITHUB_BASE_REF: "release/2" })).toMatchObject({
      id: null,
      target: "release/2"
    })
  })

  test("is a merge of the service only for the refs of merges", () => {
    const isMerge = (ref: string) =>
      jobOf({ GITHUB_ACTIONS: "true", GITHUB_BASE_REF: "main", GITHUB_REF: ref })?.isMerge
    expect(["refs/pull/7/merge", "refs/pull/7/head", "refs/heads/x/merge"].map(isMerge)).toEqual([true, false, false])
  })

  test("is of a merge queue", () => {
    const values: Record<string, string> = {
      ...{
        GITHUB_ACTIONS: "true",
        "event:merge_group.base_sha": "a1",
        "event:merge_group.base_ref": "refs/heads/main"
      },
      GITHUB_SHA: "b2"
    }
    expect(jobOf(values)).toMatchObject({ kind: "pull request", target: "main", targetCommits: ["a1"], heads: ["b2"] })
  })

  test("has no commit before a scheduled pipeline of GitLab, whose variable has zeros", () => {
    const values = { GITLAB_CI: "true", CI_COMMIT_BEFORE_SHA: "0".repeat(40), CI_COMMIT_BRANCH: "main" }
    expect(jobOf({ ...values, CI_PIPELINE_SOURCE: "schedule" })?.before).toBeNull()
    expect(jobOf({ ...values, CI_PIPELINE_SOURCE: "push" })?.before).toBe("")
  })

  test("has the commit before a push on Woodpecker, unless that is one of a pull request", () => {
    const values = { CI: "woodpecker", CI_COMMIT_BRANCH: "main", CI_PREV_COMMIT_SHA: "a1" }
    const before = (event: string) => jobOf({ ...values, CI_PREV_PIPELINE_EVENT: event })?.before
    expect(["push", "cron", "", "pull_request", "pull_request_closed"].map(before)).toEqual([
      ...["a1", "a1", "a1"],
      ...[null, null]
    ])
  })

  test("is read from variables that exist", () => {
    expect(ciVariables.filter((name) => !/^[A-Z][A-Z0-9_]*$/.test(name))).toEqual([])
  })
})

describe("the event of GitHub", () => {
  test("has values at paths, and none in an event of another form", () => {
    expect(inEvent({ pull_request: { number: 7, base: { sha: "a1" } } }, "event:pull_request.number")).toBe("7")
    expect(inEvent({ pull_request: [] }, "event:pull_request.base.sha")).toBe("")
    expect(inEvent(null, "event:before")).toBe("")
    expect(inEvent({ before: { a: 1 } }, "event:before")).toBe("")
  })
})
