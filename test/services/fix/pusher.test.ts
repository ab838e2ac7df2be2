/** Where a commit of fixes is pushed, and when it is not. */
import { describe, expect } from "bun:test"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { push as pushTo, upstream as upstreamIn } from "../../../src/services/fix/pusher.ts"
import { it } from "../../support/effect.ts"
import { makeDirectory, makeRepository, type TestRepository, tryGit } from "../../support/repository.ts"

const live = Git.layer.pipe(Layer.provideMerge(Platform.layer))

/** A clone with the branch `fix`, whose upstream is in a bare repository. */
const cloned = Effect.gen(function* () {
  const remote = join(yield* makeDirectory, "remote.git")
  const repository = yield* makeRepository
  tryGit("/", ["init", "--quiet", "--bare", remote])
  const head = repository.branch("fix").commit("first", { "a.py": "one\n" })
  repository.git("remote", "add", "origin", remote)
  repository.git("push", "--quiet", "--set-upstream", "origin", "fix:topic")
  const there = () => new TextDecoder().decode(tryGit(remote, ["rev-parse", "refs/heads/topic"]).stdout).trim()
  return { repository, remote, head, there }
})

const upstreamOf = (repository: TestRepository, wanted: string | null = null) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository.root))
    const upstream = yield* upstreamIn(opened, wanted)
    return { opened, upstream }
  })

const push = (repository: TestRepository, commit: { readonly sha: string; readonly onto: string }) =>
  Effect.gen(function* () {
    const { opened, upstream } = yield* upstreamOf(repository)
    yield* pushTo(opened, upstream, commit)
  })

describe("Pusher", () => {
  it.live("pushes one commit to the upstream of the branch", () =>
    Effect.gen(function* () {
      const { head, repository, there } = yield* cloned
      const sha = repository.commit("second", { "a.py": "two\n" })
      yield* push(repository, { sha, onto: head })
      expect(there()).toBe(sha)
    }).pipe(Effect.provide(live))
  )

  it.live("pushes no other commits with it, and none over those of others", () =>
    Effect.gen(function* () {
      const { head, remote, repository, there } = yield* cloned
      const own = repository.commit("of the user", { "b.py": "x\n" })
      const sha = repository.commit("fixes", { "a.py": "two\n" })
      const mixed = yield* Effect.flip(push(repository, { sha, onto: head }))
      expect(mixed.message).toContain("the branch got other commits in the meantime")
      const other = repository.git("commit-tree", "HEAD^{tree}", "-p", head, "-m", "of a colleague")
      repository.git("push", "--quiet", remote, `${other}:refs/heads/topic`)
      const behind = yield* Effect.flip(push(repository, { sha, onto: own }))
      expect(behind.message).toStartWith(`nothing was pushed: topic is not at ${own.slice(0, 7)} on the remote;`)
      expect(there()).toBe(other)
    }).pipe(Effect.provide(live))
  )

  it.live("pushes to no branch that is behind the commit's parent, and to none of another name than was wanted", () =>
    Effect.gen(function* () {
      const { remote, repository, there } = yield* cloned
      const old = there()
      const onto = repository.commit("of the pull request", { "b.py": "x\n" })
      const sha = repository.commit("fixes", { "a.py": "two\n" })
      const behind = yield* Effect.flip(push(repository, { sha, onto }))
      expect(behind.message).toContain(`topic is not at ${onto.slice(0, 7)} on the remote; run git fetch`)
      expect(there()).toBe(old)
      const other = yield* Effect.flip(upstreamOf(repository, "fix"))
      expect(other.message).toContain("the upstream of fix is topic, but the branch of the pull request is fix; set it")
      expect((yield* upstreamOf(repository, "topic")).upstream.ref).toBe("refs/heads/topic")
      tryGit(remote, ["update-ref", "-d", "refs/heads/topic"])
      expect((yield* Effect.flip(push(repository, { sha, onto }))).message).toContain("topic is not at")
      expect(there()).not.toBe(sha)
    }).pipe(Effect.provide(live))
  )

  it.live("says what is missing before any work is done", () =>
    Effect.gen(function* () {
      const { repository } = yield* cloned
      repository.git("checkout", "--quiet", "-b", "alone")
      expect((yield* Effect.flip(upstreamOf(repository))).message).toContain("alone has no upstream branch; set one")
      repository.git("checkout", "--quiet", "--detach")
      expect((yield* Effect.flip(upstreamOf(repository))).message).toContain("HEAD is detached; check out the branch")
    }).pipe(Effect.provide(live))
  )

  for (const [key, value] of [
    ["core.sshCommand", "sh -c evil"],
    ["core.askPass", "evil"],
    ["credential.helper", "!evil"],
    ["credential.https://example.com.helper", "!evil"],
    ["remote.origin.receivepack", "evil"],
    ["remote.origin.pushurl", "/elsewhere"],
    ["url./elsewhere.insteadOf", "/"]
  ] as const) {
    it.live(`refuses ${key} of the repository`, () =>
      Effect.gen(function* () {
        const { repository } = yield* cloned
        repository.git("config", key, value)
        const { message } = yield* Effect.flip(upstreamOf(repository))
        expect(message).toContain("which names a program or an address; push the commit with git push")
        repository.git("config", "--unset", key)
        repository.write("more.config", `[core]\n\tsshCommand = evil\n`).git("config", "include.path", "../more.config")
        expect((yield* Effect.flip(upstreamOf(repository))).message).toContain("core.sshcommand")
      }).pipe(Effect.provide(live))
    )
  }

  it.live("runs no transport that runs a program", () =>
    Effect.gen(function* () {
      const { head, repository } = yield* cloned
      repository.git("config", "remote.origin.url", `ext::sh -c touch% ${repository.path("ran")}`)
      const sha = repository.commit("second", { "a.py": "two\n" })
      expect((yield* Effect.flip(push(repository, { sha, onto: head }))).message).toContain(
        "transport 'ext' not allowed"
      )
    }).pipe(Effect.provide(live))
  )
})
