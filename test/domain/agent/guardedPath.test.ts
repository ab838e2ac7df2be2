import { describe, expect } from "bun:test"
import { guardedKind } from "../../../src/domain/agent/guardedPath.ts"
import { it } from "../../support/effect.ts"

const guarded = {
  hooks: [
    ".husky/pre-commit",
    ".Husky/_/husky.sh",
    ".githooks/pre-push",
    "hooks/post-checkout",
    "lefthook.yml",
    ".lefthook-local.yaml",
    ".pre-commit-config.yaml",
    ".lintstagedrc.json",
    ".gitmodules",
    ".envrc",
    ".vscode/tasks.json",
    ".claude/settings.json",
    "pkg/.mcp.json"
  ],
  ci: [
    ".github/workflows/ci.yml",
    ".GitHub/Workflows/ci.yml",
    ".github/actions/x/action.yml",
    ".gitlab-ci.yml",
    "sub/.gitlab-ci.yml",
    ".circleci/config.yml",
    "Jenkinsfile",
    "ci/Jenkinsfile.release",
    "azure-pipelines.yml",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker/build.yml",
    ".ci/run",
    "cloudbuild.yaml",
    "buildspec.yml"
  ],
  lockfiles: [
    "package-lock.json",
    "a/b/yarn.lock",
    "Cargo.lock",
    "PNPM-LOCK.yaml",
    "go.sum",
    "x/unknown.lock",
    "bun.lockb"
  ]
}

describe("guardedKind", () => {
  it("recognises what runs elsewhere and what programs write, in any case", () => {
    for (const [kind, paths] of Object.entries(guarded)) {
      for (const path of paths) expect(`${path} ${guardedKind(path)}`).toBe(`${path} ${kind}`)
    }
  })

  it("leaves ordinary files alone", () => {
    const ordinary = [
      "src/a.ts",
      "src/hooksUsed.ts",
      "docs/ci.md",
      "package.json",
      ".gitignore",
      "src/github/workflows.ts"
    ]
    for (const path of [
      ...ordinary,
      "src/lock.ts",
      "src/useHook.ts",
      "src/hooks/useCart.ts",
      "hooks/use-pre.ts",
      "README.md",
      ".github/README.md"
    ]) {
      expect([path, guardedKind(path)]).toEqual([path, null])
    }
  })
})
