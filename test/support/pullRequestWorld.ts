/** A repository with a pull request on a local server with GitHub's API, reviewed and posted by the compiled binary. */
import { expect } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { FoundFinding } from "../../src/domain/review/FindingsArtifact.ts"
import { dd } from "./binary.ts"
import { filesOf, ownToken, startGitHub } from "./gitHubServer.ts"
import { run } from "./inProcess.ts"
import { inside, scratch, systemPath } from "./process.ts"
import { initRepository } from "./repository.ts"

export const mutable = (name: string, body = "    return items\n"): string =>
  `def ${name}(items=[]):\n    items.append(1)\n${body}`

export const pullRequestWorld = async () => {
  const place = scratch()
  const gitHub = await startGitHub()
  const repository = initRepository(join(place.path, "repo"))
  const base = repository.commit("Base", {
    "shop/cart.py": "def total(items):\n    return sum(items)\n",
    "shop/order.py": "from shop.cart import total\n\n\ndef order(items):\n    return total(items)\n"
  })
  repository.branch("feature")
  gitHub.state.pull.base = base
  const [home, bin] = [inside(place.path, "home"), inside(place.path, "bin")]
  const findings = join(place.path, "findings.json")
  const env: Record<string, string> = {
    PATH: `${bin}:${systemPath}`,
    HOME: home,
    GITHUB_API_URL: gitHub.api,
    GITHUB_REPOSITORY: "acme/shop",
    GITHUB_TOKEN: ownToken
  }
  const call = (args: ReadonlyArray<string>, over: Readonly<Record<string, string>> = {}) =>
    run([dd, ...args], { cwd: repository.root, env: { ...env, ...over } })
  const push = (files: Readonly<Record<string, string>>) => {
    const head = repository.commit("Edit", files)
    gitHub.push(head, filesOf(repository, base, head))
    return head
  }
  const review = async () => {
    const { status, stderr } = await call(["review", "--base", "main", "--findings-out", findings, "-q"])
    expect([status, stderr]).toEqual([0, ""])
  }
  const post = (args: ReadonlyArray<string> = [], over?: Readonly<Record<string, string>>) =>
    call(["post", findings, "--pr", "7", ...args], over)
  /** Reviews and posts the head, with further findings; the report as JSON. */
  const published = async (more: ReadonlyArray<FoundFinding> = []) => {
    await review()
    const reviewed = JSON.parse(readFileSync(findings, "utf8"))
    writeFileSync(findings, JSON.stringify({ ...reviewed, findings: [...reviewed.findings, ...more] }))
    const { status, stderr, stdout } = await post(["--json"])
    expect([status, stderr]).toEqual([0, ""])
    return JSON.parse(stdout)
  }
  return Object.assign(gitHub, {
    base,
    bin,
    call,
    findings,
    home,
    place: place.path,
    post,
    published,
    /** A head with one finding, reviewed. */
    reviewed: async () => {
      push({ "a.py": mutable("add") })
      await review()
    },
    pushed: push,
    repository,
    review,
    /** Of the requests that write, with their paths below the repository. */
    writes: () =>
      gitHub.heard.flatMap(({ method, path, text }) =>
        method === "GET" || (path === "/graphql" && !text.includes("mutation"))
          ? []
          : [`${method} ${path.replace("/repos/acme/shop", "")}`]
      ),
    [Symbol.asyncDispose]: async () => {
      await gitHub.close()
      place[Symbol.dispose]()
    }
  })
}
