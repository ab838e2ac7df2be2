/**
 * Services of continuous integration as data: the variables that each sets in a job, from its public documentation.
 *
 * A column lists variables in the order in which they are asked. A name that begins with `event:` is a path in the JSON
 * file that GitHub writes for each event.
 */

export interface CiService {
  readonly name: string
  /** Set by this service alone; with a value if others set the variable too. */
  readonly mark: readonly [variable: string, value?: string]
  /** The number or the address of a pull request, or a branch that only a pull request has. */
  readonly pull: ReadonlyArray<string>
  /** The branch into which it is merged. */
  readonly target: ReadonlyArray<string>
  /** Commits on that branch. */
  readonly targetCommits: ReadonlyArray<string>
  /** The commit that the job is for. */
  readonly heads: ReadonlyArray<string>
  readonly branch: ReadonlyArray<string>
  readonly tag: ReadonlyArray<string>
  /** The commit of the branch that was pushed, or built, before; its job may have failed. */
  readonly before: ReadonlyArray<string>
  /** `before` counts only if this variable has such a value. */
  readonly beforeIf?: readonly [variable: string, value: RegExp]
  /** The last commit of the branch whose job passed. */
  readonly passed: ReadonlyArray<string>
  readonly defaultBranch: ReadonlyArray<string>
  /** Refs of merges that the service makes: `refs/pull/7/merge`, whose first parent is on the target. */
  readonly mergeRef: ReadonlyArray<string>
  /** How its jobs get the whole history. */
  readonly wholeHistory: string
  readonly format: "text" | "github"
  /** The file of a format that the service, or a plugin of it, reads. */
  readonly file: { readonly format: "gitlab" | "sarif"; readonly path: string } | null
  /** The variable with the path of a Markdown page to which a job appends. */
  readonly summary?: string
}

/** Most have no variable for these. */
const none = { targetCommits: [], before: [], passed: [], defaultBranch: [], mergeRef: [] }

const sarif = { format: "sarif", path: "dd.sarif" } as const

/** https://docs.github.com/en/actions/reference/workflows-and-actions/variables and /webhooks/webhook-events-and-payloads */
const gitHub: CiService = {
  name: "GitHub Actions",
  mark: ["GITHUB_ACTIONS", "true"],
  pull: ["event:pull_request.number", "GITHUB_BASE_REF", "event:merge_group.base_sha"],
  target: ["GITHUB_BASE_REF", "event:merge_group.base_ref"],
  targetCommits: ["event:pull_request.base.sha", "event:merge_group.base_sha"],
  heads: ["GITHUB_SHA", "event:pull_request.head.sha"],
  branch: ["GITHUB_HEAD_REF", "GITHUB_REF"],
  tag: ["GITHUB_REF"],
  before: ["event:before"],
  passed: [],
  defaultBranch: ["event:repository.default_branch"],
  mergeRef: ["GITHUB_REF"],
  wholeHistory: "fetch-depth: 0 for actions/checkout",
  format: "github",
  file: null,
  summary: "GITHUB_STEP_SUMMARY"
}

/** https://plugins.jenkins.io/git/ and https://www.jenkins.io/doc/book/pipeline/multibranch/ */
const jenkins: CiService = {
  ...none,
  name: "Jenkins",
  mark: ["JENKINS_URL"],
  pull: ["CHANGE_ID"],
  target: ["CHANGE_TARGET"],
  heads: ["GIT_COMMIT"],
  branch: ["BRANCH_NAME", "GIT_BRANCH"],
  tag: ["TAG_NAME"],
  before: ["GIT_PREVIOUS_COMMIT"],
  passed: ["GIT_PREVIOUS_SUCCESSFUL_COMMIT"],
  wholeHistory: "a checkout without shallow clone that also fetches the target branch",
  format: "text",
  file: sarif
}

/** The path of GitHub's event file. */
export const eventFile = "GITHUB_EVENT_PATH"

export const ciServices: ReadonlyArray<CiService> = [
  // Its GITHUB_SHA is the last commit of the target, and that is what is checked out unless the workflow says otherwise.
  { ...gitHub, mark: ["GITHUB_EVENT_NAME", "pull_request_target"], heads: ["event:pull_request.head.sha"] },
  gitHub,
  /** https://docs.gitlab.com/ci/variables/predefined_variables/ */
  {
    name: "GitLab CI/CD",
    mark: ["GITLAB_CI", "true"],
    pull: ["CI_MERGE_REQUEST_IID"],
    target: ["CI_MERGE_REQUEST_TARGET_BRANCH_NAME"],
    targetCommits: ["CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "CI_MERGE_REQUEST_DIFF_BASE_SHA"],
    heads: ["CI_COMMIT_SHA"],
    branch: ["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH"],
    tag: ["CI_COMMIT_TAG"],
    // Zeros also in scheduled and manual pipelines.
    before: ["CI_COMMIT_BEFORE_SHA"],
    beforeIf: ["CI_PIPELINE_SOURCE", /^push$/],
    passed: [],
    defaultBranch: ["CI_DEFAULT_BRANCH"],
    mergeRef: ["CI_MERGE_REQUEST_REF_PATH"],
    wholeHistory: "the variable GIT_DEPTH: 0",
    format: "text",
    file: { format: "gitlab", path: "gl-code-quality-report.json" }
  },
  /** https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/ */
  {
    ...none,
    name: "Bitbucket Pipelines",
    mark: ["BITBUCKET_BUILD_NUMBER"],
    pull: ["BITBUCKET_PR_ID"],
    target: ["BITBUCKET_PR_DESTINATION_BRANCH"],
    targetCommits: ["BITBUCKET_PR_DESTINATION_COMMIT"],
    heads: ["BITBUCKET_COMMIT"],
    branch: ["BITBUCKET_BRANCH"],
    tag: ["BITBUCKET_TAG"],
    wholeHistory: "clone: depth: full",
    format: "text",
    file: sarif
  },
  /** https://learn.microsoft.com/azure/devops/pipelines/build/variables */
  {
    ...none,
    name: "Azure Pipelines",
    mark: ["TF_BUILD"],
    pull: ["SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID"],
    target: ["SYSTEM_PULLREQUEST_TARGETBRANCH"],
    heads: ["BUILD_SOURCEVERSION", "SYSTEM_PULLREQUEST_SOURCECOMMITID"],
    branch: ["SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"],
    tag: ["BUILD_SOURCEBRANCH"],
    mergeRef: ["BUILD_SOURCEBRANCH"],
    wholeHistory: "fetchDepth: 0 for the checkout step",
    format: "text",
    file: sarif
  },
  /** https://circleci.com/docs/reference/variables/; the base of a pull request is not among them. */
  {
    ...none,
    name: "CircleCI",
    mark: ["CIRCLECI", "true"],
    pull: ["CIRCLE_PULL_REQUEST"],
    target: [],
    heads: ["CIRCLE_SHA1"],
    branch: ["CIRCLE_BRANCH"],
    tag: ["CIRCLE_TAG"],
    wholeHistory: "method: full for the checkout step",
    format: "text",
    file: sarif
  },
  /** https://buildkite.com/docs/pipelines/configure/environment-variables */
  {
    ...none,
    name: "Buildkite",
    mark: ["BUILDKITE", "true"],
    pull: ["BUILDKITE_PULL_REQUEST"],
    target: ["BUILDKITE_PULL_REQUEST_BASE_BRANCH"],
    heads: ["BUILDKITE_COMMIT"],
    branch: ["BUILDKITE_BRANCH"],
    tag: ["BUILDKITE_TAG"],
    defaultBranch: ["BUILDKITE_PIPELINE_DEFAULT_BRANCH"],
    wholeHistory: "BUILDKITE_GIT_CLONE_FLAGS without --depth",
    format: "text",
    file: sarif
  },
  jenkins,
  // It has no address before an administrator sets one.
  { ...jenkins, mark: ["JENKINS_HOME"] },
  /** https://woodpecker-ci.org/docs/usage/environment */
  {
    ...none,
    name: "Woodpecker CI",
    mark: ["CI", "woodpecker"],
    pull: ["CI_COMMIT_PULL_REQUEST"],
    target: ["CI_COMMIT_TARGET_BRANCH"],
    heads: ["CI_COMMIT_SHA"],
    branch: ["CI_COMMIT_SOURCE_BRANCH", "CI_COMMIT_BRANCH"],
    tag: ["CI_COMMIT_TAG"],
    before: ["CI_PREV_COMMIT_SHA"],
    // The last pipeline of a pull request into the branch was for a commit of its author.
    beforeIf: ["CI_PREV_PIPELINE_EVENT", /^(?!pull_request)/],
    defaultBranch: ["CI_REPO_DEFAULT_BRANCH"],
    wholeHistory: "a clone step with the settings depth: 0, partial: false and fetch-target-branch: true",
    format: "text",
    file: sarif
  }
]
