/** `dd post` by the compiled binary: reviews of real commits, posted to a local server with GitHub's API. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { artifact, found } from "../support/forges.ts"
import { type Fault, ownToken } from "../support/gitHubServer.ts"
import { run } from "../support/inProcess.ts"
import { systemPath } from "../support/process.ts"
import { mutable, pullRequestWorld } from "../support/pullRequestWorld.ts"
import type { Heard } from "../support/wireServer.ts"

const summary = ({ comments, fixed, left, moved, summary: listed }: Record<string, ReadonlyArray<unknown>>) => ({
  comments: comments?.length,
  summary: listed?.length,
  moved: moved?.length,
  fixed: fixed?.length,
  left: left?.length
})
const nothing = { comments: 0, summary: 0, moved: 0, fixed: 0, left: 0 }

const isPost = ({ method, path }: Heard): boolean => method === "POST" && path.endsWith("/reviews")

describe("five pushes", () => {
  test("are reconciled: nothing is repeated, fixes are answered, moved findings keep their thread", async () => {
    await using at = await pullRequestWorld()

    // 1: three findings on lines, and one in a file that did not change.
    at.pushed({
      "a.py": mutable("add"),
      "b.py": mutable("put"),
      "shop/cart.py": "def sum_of(items):\n    return sum(items)\n"
    })
    const outside = found(1, { path: "shop/order.py", line: 5, end_line: 5 })
    const first = await at.published([outside])
    expect(first.comments.map(({ path, line, side }: never) => [path, line, side])).toEqual([
      ["shop/cart.py", 1, "RIGHT"],
      ["a.py", 1, "RIGHT"],
      ["b.py", 1, "RIGHT"]
    ])
    expect(first.summary).toMatchObject([{ path: "shop/order.py", side: null }])
    expect(at.state.reviews).toHaveLength(1)
    expect(at.state.reviews[0]).toMatchObject({ event: "COMMENT", commit_id: at.state.pull.head })
    expect(at.state.reviews[0]!.body).toContain("#### `shop/order.py:5` Finding 1\n")
    const [, onA, onB] = at.state.comments
    expect(onA!.body).toContain("`py/mutable-default`")

    // The same again.
    const before = at.writes().length
    expect(summary(await at.published([outside]))).toEqual({ ...nothing, summary: 1, left: 3 })
    expect(at.writes()).toHaveLength(before)

    // 2: the code moves down.
    at.pushed({ "a.py": `import os\n\nprint(os)\n\n\n${mutable("add")}` })
    expect(summary(await at.published([outside]))).toEqual({ ...nothing, summary: 1, left: 3 })

    // 3: two and the one outside of the diff are fixed, and there is a new one.
    at.pushed({
      "a.py": "def add(items=None):\n    return items or []\n",
      "c.py": mutable("push"),
      "shop/cart.py": "def total(items):\n    return sum(items)\n"
    })
    expect(summary(await at.published())).toEqual({ ...nothing, comments: 1, fixed: 2, left: 1 })
    expect(at.threadOf(onA!.body)).toMatchObject({ isResolved: true, resolvedBy: "dd-bot[bot]" })
    expect(at.state.comments.find(({ in_reply_to_id }) => in_reply_to_id === onA!.id)?.body).toStartWith(
      `Fixed in \`${at.state.pull.head.slice(0, 7)}\`.\n`
    )
    expect(at.state.reviews.map(({ body }) => body.split("\n", 1)[0])).toEqual([
      `**dd** reviewed \`${at.state.pull.head.slice(0, 7)}\`: 2 findings (2 medium).`,
      `1 new finding in \`${at.state.pull.head.slice(0, 7)}\`.`
    ])

    // 4: the line of a finding is edited; a person resolves the newest thread.
    Object.assign(at.state.threads.at(-1)!, { isResolved: true, resolvedBy: "ada" })
    at.pushed({ "b.py": mutable("place") })
    expect(summary(await at.published())).toEqual({ ...nothing, moved: 1, left: 1 })
    expect(at.threadOf(onB!.body)).toMatchObject({ isResolved: false })
    expect(at.state.comments.at(-1)).toMatchObject({ in_reply_to_id: onB!.id })
    expect(at.state.comments.at(-1)!.body).toStartWith("Now at `b.py:1` in ")
    expect(summary(await at.published())).toEqual({ ...nothing, left: 2 })

    // 5: all is fixed.
    at.pushed({ "b.py": "def place(items):\n    return items\n", "c.py": "def push(items):\n    return items\n" })
    expect(summary(await at.published())).toEqual({ ...nothing, fixed: 1 })
    expect(at.state.reviews[0]!.body).toContain("no findings")
    expect(summary(await at.published())).toEqual(nothing)
    expect(at.state.comments.filter(({ in_reply_to_id }) => in_reply_to_id === null)).toHaveLength(4)
  })
})

describe("dd post", () => {
  test("prints what it did", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const { status, stderr, stdout } = await at.post()
    expect([status, stderr]).toEqual([0, ""])
    const head = at.state.pull.head.slice(0, 7)
    expect(stdout).toMatch(
      new RegExp(
        `^Pull request #7 at ${head}\n  comment  a\\.py:1  .+\nPosted 1 comment, 0 in the summary, 0 moved, 0 fixed, 0 already there\n$`
      )
    )
  })

  test("posts nothing with --dry-run, and nothing on a pull request that is not open", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const dry = await at.post(["--dry-run"])
    expect([dry.status, dry.stdout]).toEqual([0, expect.stringContaining("Would post 1 comment, ")])
    Object.assign(at.state.pull, { state: "closed", merged_at: "2026-01-02T03:04:05Z" })
    const merged = await at.post()
    expect([merged.status, merged.stdout]).toEqual([
      0,
      `Pull request #7 at ${at.state.pull.head.slice(0, 7)} is merged: nothing is posted\n`
    ])
    expect(at.writes()).toEqual([])
  })

  test("ignores the comments of others with the same marker", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    await at.post()
    const copied = at.state.comments[0]!.body
    at.state.comments.splice(0)
    at.state.threads.splice(0)
    at.comment("mallory", "a.py", 1, copied)
    const { comments } = await at.published()
    expect(comments).toHaveLength(1)
    expect(at.state.threads.map(({ isResolved }) => isResolved)).toEqual([false, false])
  })

  test("refuses findings of another commit, pull request or repository, and says what to do", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const head = at.state.pull.head.slice(0, 7)
    at.state.pull.head = "c".repeat(40)
    const other = await at.post()
    expect([other.status, other.stdout, other.stderr]).toEqual([
      3,
      "",
      `dd: error: the findings are for ${head}, but the head of pull request #7 is ccccccc; check out that commit and run dd review --findings-out again\n`
    ])
    for (const [over, reason] of [
      [{ head_sha: "worktree" }, "the findings are not for a commit (worktree); commit and push the change"],
      [{ pr_number: 8 }, "the findings are for pull request #8, not for #7"],
      [{ repo: "acme/other" }, "the findings are for acme/other, not for acme/shop"]
    ] as const) {
      writeFileSync(at.findings, JSON.stringify(artifact([], over)))
      const { status, stderr } = await at.post()
      expect([status, stderr]).toEqual([3, expect.stringContaining(reason)])
    }
    expect(at.writes()).toEqual([])
  })

  test("refuses files that are not findings, and unclear targets", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const file = (name: string, text: string) => {
      writeFileSync(join(at.place, name), text)
      return join(at.place, name)
    }
    for (const [args, env, reason] of [
      [[join(at.place, "missing.json"), "--pr", "7"], {}, "no such file or directory"],
      [[file("a", "{"), "--pr", "7"], {}, "is not a file of dd review --findings-out"],
      [[file("b", '{"schema_version": 2}'), "--pr", "7"], {}, "is not a file of dd review --findings-out"],
      [[file("c", " ".repeat(16_777_217)), "--pr", "7"], {}, "larger than 16777216 bytes"],
      [[at.findings], {}, "the number of the pull request is missing, or not positive; add --pr N"],
      [[at.findings, "--pr", "7", "--repo", "acme"], {}, '"acme" is not a repository on GitHub'],
      [[at.findings, "--pr", "7", "--repo", "../.."], {}, '"../.." is not a repository on GitHub'],
      [[at.findings, "--pr", "7"], { GITHUB_REPOSITORY: "" }, "the repository is unknown; add --repo OWNER/NAME"],
      [[at.findings, "--pr", "7"], { GITHUB_TOKEN: "" }, "no credentials: set GITHUB_TOKEN"],
      [[at.findings, "--pr", "7"], { GITHUB_TOKEN: "a b" }, "GITHUB_TOKEN is not a key"],
      [[at.findings, "--pr", "7"], { GITHUB_API_URL: "http://api.example.com" }, "GITHUB_API_URL is not an address"],
      [[at.findings, "--pr", "7"], { GITHUB_APP_ID: "1" }, "GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY"],
      [
        [at.findings, "--pr", "7"],
        { GITHUB_APP_ID: "1", GITHUB_APP_PRIVATE_KEY: "no" },
        "GITHUB_APP_PRIVATE_KEY is not a private key"
      ]
    ] as const) {
      const { status, stderr, stdout } = await at.call(["post", ...args], env)
      expect([status, stdout]).toEqual([2, ""])
      expect(stderr).toContain(reason)
    }
    expect(at.heard).toEqual([])
  })

  test("finds the repository by the remote of the clone, and does not send a token to another host", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const env = { GITHUB_REPOSITORY: "" }
    at.repository.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    expect((await at.post([], env)).status).toBe(0)
    at.repository.git("remote", "set-url", "origin", "https://git.acme.example/acme/shop.git")
    const { status, stderr } = await at.post([], { ...env, GITHUB_API_URL: "" })
    expect([status, stderr]).toEqual([2, expect.stringContaining("the remote origin is on git.acme.example")])
  })

  test("takes the token of gh, which gets none of dd's environment", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const log = join(at.place, "gh.log")
    writeFileSync(join(at.bin, "gh"), `#!/bin/sh\n{ echo "$@"; env; } > ${log}\necho ${ownToken}\n`, { mode: 0o755 })
    const { status, stderr } = await at.post([], { GITHUB_TOKEN: "", OPENAI_API_KEY: "sk-secret-0123456789" })
    expect([status, stderr]).toEqual([0, ""])
    const said = readFileSync(log, "utf8")
    expect(said).toStartWith("auth token --hostname 127.0.0.1\n")
    expect(said).not.toMatch(/GITHUB|sk-secret/)
  })

  test("acts as an app with a token for this repository", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const { privateKey, publicKey } = await crypto.subtle.generateKey(
      { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
      true,
      ["sign", "verify"]
    )
    const der = Buffer.from(await crypto.subtle.exportKey("pkcs8", privateKey)).toString("base64")
    const pem = `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`
    const tokens: Array<string> = []
    at.state.fault = ({ headers, path, text }): Fault => {
      const json = (body: object): Fault => ({
        headers: { "content-type": "application/json" },
        pieces: [JSON.stringify(body)]
      })
      if (path.endsWith("/installation") || path.startsWith("/app/")) tokens.push(headers.authorization ?? "")
      if (path === "/repos/acme/shop/installation") return json({ id: 42 })
      if (path !== "/app/installations/42/access_tokens") return null
      expect(JSON.parse(text)).toEqual({ repositories: ["shop"] })
      return json({ token: ownToken })
    }
    const app = { GITHUB_TOKEN: "", GITHUB_APP_ID: "12", GITHUB_APP_PRIVATE_KEY: pem.replaceAll("\n", "\\n") }
    const { status, stderr } = await at.post([], app)
    expect([status, stderr]).toEqual([0, ""])
    expect(at.state.reviews).toHaveLength(1)
    const [head = "", claims = "", signature = ""] = tokens[0]!.replace("Bearer ", "").split(".")
    const valid = await crypto.subtle.verify(
      "RSASSA-PKCS1-v1_5",
      publicKey,
      Buffer.from(signature, "base64url"),
      Buffer.from(`${head}.${claims}`)
    )
    expect(valid).toBe(true)
    const { exp, iat, iss } = JSON.parse(Buffer.from(claims, "base64url").toString())
    expect([iss, exp - iat]).toEqual(["12", 600])
  })

  test("never prints a token, and keeps none", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    at.state.fault = ({ headers }) => ({
      status: 403,
      headers: { "content-type": "application/json" },
      pieces: [JSON.stringify({ message: `you sent ${headers.authorization}` })]
    })
    const { status, stderr, stdout } = await at.post()
    expect(status).toBe(3)
    expect(stderr).toContain("the forge refused (403: you sent ")
    expect(stdout + stderr).not.toContain(ownToken)
    const kept = await run(["grep", "-rl", ownToken, at.place])
    expect(kept.stdout).toBe("")
  })

  test("hides the secrets of its own environment in what it posts", async () => {
    await using at = await pullRequestWorld()
    at.pushed({ "a.py": mutable("add") })
    const secret = "s3cr3t-Value-0123456789"
    const finding = found(1, { line: 1, end_line: 1, title: `Has ${secret}`, body: secret, suggestion: secret })
    writeFileSync(at.findings, JSON.stringify(artifact([finding], { head_sha: at.state.pull.head })))
    const { status } = await at.post([], { DEPLOY_PASSWORD: secret })
    expect(status).toBe(0)
    expect(at.state.comments).toHaveLength(1)
    expect(JSON.stringify([at.state.comments[0]!.body, at.state.reviews[0]!.body])).not.toContain(secret)
    expect(at.state.comments[0]!.body).not.toContain("```suggestion")
  })

  test("places comments in deleted files and under unusual names, on several lines and as suggestions", async () => {
    await using at = await pullRequestWorld()
    const odd = "a b/`ü`.py"
    at.repository.remove("shop/order.py")
    at.pushed({ [odd]: "one\ntwo\nthree\n", "last.py": "no newline" })
    const findings = [
      found(1, { path: odd, line: 1, end_line: 2, suggestion: "zwei" }),
      found(2, { path: "shop/order.py", line: 4, end_line: 5, suggestion: "x" }),
      found(3, { path: "last.py", line: 1, end_line: 1, suggestion: "" }),
      found(4, { path: `missing/${odd}`, line: 3 })
    ]
    writeFileSync(at.findings, JSON.stringify(artifact(findings, { head_sha: at.state.pull.head })))
    const { status, stderr } = await at.post()
    expect([status, stderr]).toEqual([0, ""])
    expect(at.state.comments.map(({ path, line, side, start_line }) => [path, start_line, line, side])).toEqual([
      [odd, 1, 2, "RIGHT"],
      ["shop/order.py", 4, 5, "LEFT"],
      ["last.py", null, 1, "RIGHT"]
    ])
    expect(at.state.comments.map(({ body }) => body.includes("```suggestion\n"))).toEqual([true, false, true])
    expect(at.state.reviews[0]!.body).toContain("#### ``missing/a b/`ü`.py:3`` Finding 4\n")
  })

  test("handles many findings and files", async () => {
    await using at = await pullRequestWorld()
    at.state.pageSize = 100
    const names = Array.from({ length: 250 }, (_, n) => `src/f${n}.py`)
    at.pushed(Object.fromEntries(names.map((name) => [name, "x = 1\n"])))
    const findings = names.map((path, n) => found(n, { path, line: 1, end_line: 1 }))
    writeFileSync(at.findings, JSON.stringify(artifact(findings, { head_sha: at.state.pull.head })))
    for (const posted of [50, 100, 150]) {
      expect((await at.post()).status).toBe(0)
      expect(at.state.comments).toHaveLength(posted)
    }
    writeFileSync(at.findings, JSON.stringify(artifact(findings.slice(4, 150), { head_sha: at.state.pull.head })))
    // Of more, the writes would be paced.
    expect((await at.post()).stdout).toContain("4 fixed, 146 already there")
    expect(at.state.threads.map(({ isResolved }) => isResolved)).toEqual(findings.slice(0, 150).map((_, n) => n < 4))
  })

  test("writes to files instead of a forge, also over several commits", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const out = join(at.place, "out")
    const post = () => at.call(["post", at.findings, "--files", out], { GITHUB_TOKEN: "", GITHUB_API_URL: "" })
    const first = await post()
    expect([first.status, first.stderr]).toEqual([0, ""])
    expect(first.stdout).toContain("Posted 1 comment, ")
    const kept = () => JSON.parse(readFileSync(join(out, "discussion.json"), "utf8"))
    expect(kept().threads).toMatchObject([{ path: "a.py", line: 1, side: "RIGHT", isResolved: false }])
    expect((await post()).stdout).toContain("Posted 0 comments, 0 in the summary, 0 moved, 0 fixed, 1 already there")
    at.pushed({ "a.py": "def add(items):\n    return items\n" })
    await at.review()
    expect((await post()).stdout).toContain("1 fixed")
    expect(kept().threads).toMatchObject([{ isResolved: true }])
    expect(existsSync(join(out, "pull-request.json"))).toBe(true)
    const taken = await at.call(["post", at.findings, "--files", at.findings])
    expect([taken.status, taken.stderr]).toEqual([3, expect.stringContaining("choose another directory with --files")])
    expect(at.heard).toEqual([])
  })
})

describe("dd review --comment", () => {
  test("posts after the report, and keeps the exit code of the review", async () => {
    await using at = await pullRequestWorld()
    at.pushed({ "a.py": mutable("add") })
    const args = ["review", "--base", "main", "--comment", "--pr-number", "7", "-q"]
    const first = await at.call([...args, "--format", "json", "--fail-on", "low"])
    expect(first.status).toBe(1)
    expect(JSON.parse(first.stdout).findings).toHaveLength(1)
    expect(first.stderr).toBe("")
    expect(at.state.comments).toMatchObject([{ path: "a.py", line: 1 }])
    const archived = await at.call(["archive", "query", "SELECT pr_number, pr_repo FROM runs", "--format", "json"])
    expect(JSON.parse(archived.stdout)).toMatchObject({ rows: [{ pr_number: 7, pr_repo: "acme/shop" }] })
    const second = await at.call(args.slice(0, -1))
    expect([second.status, at.state.comments.length]).toEqual([0, 1])
    expect(second.stderr).toEndWith("Posted 0 comments, 0 in the summary, 0 moved, 0 fixed, 1 already there\n")
  })

  test("shows the report also if the findings cannot be posted", async () => {
    await using at = await pullRequestWorld()
    at.pushed({ "a.py": mutable("add") })
    at.repository.write("b.py", "x = 1\n")
    const { status, stderr, stdout } = await at.call(["review", "--base", "main", "--comment", "--pr-number", "7"])
    expect([status, stdout]).toEqual([3, expect.stringContaining("a.py")])
    expect(stderr).toContain("the findings are not for a commit (worktree); commit and push the change")
    expect(at.writes()).toEqual([])
  })

  test("needs the number of the pull request", async () => {
    await using at = await pullRequestWorld()
    const { status, stderr } = await at.call(["review", "--comment"])
    expect([status, stderr]).toEqual([2, expect.stringContaining("--comment requires --pr-number N")])
    const none = await at.call(["review", "--comment", "--pr-number", "0"])
    expect([none.status, none.stdout]).toEqual([2, ""])
  })

  test("ends before the review without a token", async () => {
    await using at = await pullRequestWorld()
    at.pushed({ "a.py": mutable("add") })
    const { status, stderr, stdout } = await at.call(["review", "--comment", "--pr-number", "7"], { GITHUB_TOKEN: "" })
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining("no credentials: set GITHUB_TOKEN")])
  })
})

describe("when the forge fails", () => {
  test("a review without an answer is looked for, and not posted twice", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    let posts = 0
    at.state.fault = (heard) => (isPost(heard) && posts++ === 0 ? "lost" : null)
    const { status, stderr, stdout } = await at.post()
    expect([status, stderr]).toEqual([0, ""])
    expect(stdout).toContain("Posted 1 comment, ")
    expect([posts, at.state.reviews.length]).toEqual([1, 1])
  })

  test("a review that was not posted is posted again", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    let posts = 0
    at.state.fault = (heard) => (isPost(heard) && posts++ === 0 ? { status: 502, pieces: ["bad gateway"] } : null)
    expect((await at.post()).status).toBe(0)
    expect([posts, at.state.reviews.length]).toEqual([2, 1])
  })

  test("nothing is posted twice by a run that follows one killed before the answer", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const posted = Promise.withResolvers<void>()
    at.state.fault = (heard) => {
      if (!isPost(heard)) return null
      posted.resolve()
      return "held"
    }
    const child = Bun.spawn([dd, "post", at.findings, "--pr", "7"], {
      cwd: at.repository.root,
      env: {
        PATH: systemPath,
        HOME: at.home,
        GITHUB_API_URL: at.api,
        GITHUB_REPOSITORY: "acme/shop",
        GITHUB_TOKEN: ownToken
      },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore"
    })
    await posted.promise
    child.kill("SIGKILL")
    await child.exited
    expect(at.state.reviews).toHaveLength(1)
    at.state.fault = () => null
    expect(summary(await at.published())).toEqual({ ...nothing, left: 1 })
    expect([at.state.reviews.length, at.state.comments.length]).toEqual([1, 1])
  })

  test("a comment that it does not accept goes to the summary, and no other is lost", async () => {
    await using at = await pullRequestWorld()
    const names = ["a", "b", "c", "d", "e"]
    at.pushed(Object.fromEntries(names.map((name) => [`${name}.py`, mutable(name)])))
    at.state.stale.add("c.py:1")
    const { comments, summary: listed } = await at.published()
    expect([comments.length, listed.length]).toEqual([4, 1])
    expect(at.state.comments.map(({ path }) => path).sort()).toEqual(["a.py", "b.py", "d.py", "e.py"])
    expect(at.state.reviews.filter(({ body }) => body.includes("#### `c.py:1`"))).toHaveLength(1)
    const before = at.state.reviews.length
    const again = await at.published()
    expect([again.left.length, again.summary.length]).toEqual([4, 1])
    expect(at.state.reviews).toHaveLength(before)
  })

  test("a fixed finding is answered, also if the token may not resolve its thread", async () => {
    await using at = await pullRequestWorld()
    at.state.canResolve = false
    await at.reviewed()
    await at.post()
    at.pushed({ "a.py": "def add(items):\n    return items\n" })
    expect(summary(await at.published())).toEqual({ ...nothing, fixed: 1 })
    expect(at.state.threads).toMatchObject([{ isResolved: false, isMinimized: true }])
    expect(at.state.comments[1]!.body).toStartWith("Fixed in ")
    expect(summary(await at.published())).toEqual(nothing)
  })

  test("a finding that is suppressed, known or in a file that was not reviewed is not called fixed", async () => {
    await using at = await pullRequestWorld()
    at.pushed({ "a.py": mutable("add"), "b.py": mutable("put"), "c.py": mutable("push") })
    await at.published()
    at.pushed({
      "a.py": mutable("add").replace("\n", "  # dd-ignore py/mutable-default: on purpose\n"),
      "b.py": `${mutable("put")}# \0\n`
    })
    const baseline = join(at.place, "baseline.json")
    const known = ["review", "--base", "main", "--baseline", baseline, "-q"]
    await at.call([...known, "--write-baseline"])
    await at.call([...known, "--findings-out", at.findings])
    expect((await at.post()).stdout).toContain("Posted 0 comments, 0 in the summary, 0 moved, 0 fixed, 0 already there")
    expect(at.state.threads.map(({ isResolved }) => isResolved)).toEqual([false, false, false])
    const head = at.state.pull.head.slice(0, 7)
    expect(at.state.reviews[0]!.body).toStartWith(
      `**dd** reviewed \`${head}\`: no findings. 1 of 3 files was not reviewed. 3 earlier comments are still open.\n`
    )
    // A review of a part does not speak for the whole.
    await at.call(["review", "--base", "HEAD", "--comment", "--pr-number", "7", "-q"])
    expect(at.state.reviews[0]!.body).toContain("no findings. 3 of 3 files were not reviewed. 3 earlier comments are")
  })

  test("a thread that cannot be answered is not counted as fixed", async () => {
    await using at = await pullRequestWorld()
    at.pushed({ "a.py": mutable("add"), "b.py": mutable("put") })
    await at.published()
    at.pushed({ "a.py": "x = 1\n", "b.py": "y = 1\n" })
    await at.review()
    at.state.fault = ({ path }) => (path.includes("/comments/1000/replies") ? { status: 404, pieces: ["{}"] } : null)
    const { status, stderr, stdout } = await at.post()
    expect([status, stderr]).toEqual([0, expect.stringContaining("the thread at a.py could not be answered or closed")])
    expect(stdout).toContain("1 fixed")
    at.state.fault = () => null
    expect((await at.post()).stdout).toContain("  fixed    a.py\n")
  })

  test("a review that was partial closes nothing", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    await at.post()
    writeFileSync(at.findings, JSON.stringify(artifact([], { head_sha: at.state.pull.head, complete: false })))
    const { stdout } = await at.post()
    expect(stdout).toContain("0 fixed")
    expect(at.state.threads).toMatchObject([{ isResolved: false }])
  })

  test("a short limit is waited for, and a long one ends with the time", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    let posts = 0
    const limited = (seconds: string): Fault => ({
      status: 403,
      headers: { "content-type": "application/json", "retry-after": seconds },
      pieces: [JSON.stringify({ message: "You have exceeded a secondary rate limit" })]
    })
    at.state.fault = (heard) => (isPost(heard) && posts++ === 0 ? limited("3600") : null)
    const { status, stderr } = await at.post()
    expect([status, stderr]).toEqual([3, expect.stringContaining("try again in 60 min: nothing is posted twice")])
    posts = 0
    at.state.fault = (heard) => (isPost(heard) && posts++ === 0 ? limited("1") : null)
    expect((await at.post()).status).toBe(0)
    expect([posts, at.state.reviews.length]).toEqual([2, 1])
  })

  test("a server that cannot be reached ends with exit code 3", async () => {
    await using at = await pullRequestWorld()
    await at.reviewed()
    const { status, stderr, stdout } = await at.post([], { GITHUB_API_URL: "http://127.0.0.1:1" })
    expect([status, stdout]).toEqual([3, ""])
    expect(stderr).toStartWith("dd: error: the forge did not answer (")
  })
})
