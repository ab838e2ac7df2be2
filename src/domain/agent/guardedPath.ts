/** Files that an agent writes only with permission, because other programs execute or generate them. */
import { isLockfile } from "../change/PathKind.ts"

export const guardedKinds = ["hooks", "ci", "lockfiles"] as const
export type GuardedKind = (typeof guardedKinds)[number]

/** Null for an ordinary file. Ignores case, as some file systems do. */
export const guardedKind = (path: string): GuardedKind | null => {
  const low = path.toLowerCase()
  if (lockfile(path)) return "lockfiles"
  if (hooks.some((form) => form.test(low))) return "hooks"
  return ci.some((form) => form.test(low)) ? "ci" : null
}

const lockfile = (path: string): boolean =>
  isLockfile(path) || isLockfile(path.toLowerCase()) || /\.lock(?:b|file)?$/i.test(path)

/** Files from which git, editors and agents start programs. */
const hooks: ReadonlyArray<RegExp> = [
  /(?:^|\/)\.?githooks\//,
  /^\.hooks\//,
  // Only git's names: React projects have folders called `hooks`, too.
  /(?:^|\/)hooks\/(?:(?:pre|post|prepare|commit|applypatch|reference|push|update|fsmonitor|proc|sendemail)[a-z-]*)(?:\.sh)?$/,
  /(?:^|\/)\.husky\//,
  /(?:^|\/)\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$/,
  /(?:^|\/)\.pre-commit-(?:config|hooks)\.ya?ml$/,
  /(?:^|\/)\.(?:overcommit|huskyrc|lintstagedrc|simple-git-hooks)(?:\.[a-z]+)?$/,
  /(?:^|\/)\.gitmodules$/,
  /(?:^|\/)\.envrc$/,
  /(?:^|\/)\.(?:vscode|idea|claude|cursor|devcontainer)\//,
  /(?:^|\/)\.mcp\.json$/
]

const ci: ReadonlyArray<RegExp> = [
  /^\.(?:github|gitea|forgejo)\/(?:workflows|actions)\//,
  /^\.github\/(?:dependabot\.ya?ml|codeowners)$/,
  /(?:^|\/)\.gitlab-ci\.ya?ml$/,
  /^\.gitlab\/ci\//,
  /^\.(?:circleci|buildkite|woodpecker|teamcity|ci|azure-pipelines|semaphore|builds)\//,
  /(?:^|\/)(?:azure-pipelines|bitbucket-pipelines|appveyor|buildspec|cloudbuild|codefresh)(?:[.-][\w.-]+)?\.(?:ya?ml|json)$/,
  /(?:^|\/)\.(?:travis|drone|woodpecker|appveyor|cirrus|build)\.ya?ml$/,
  /(?:^|\/)jenkinsfile(?:\.[\w.-]+)?$/,
  /(?:^|\/)\.?(?:zuul|tekton)(?:\.ya?ml|\/)/
]
