/** Labels of archived runs from their pull requests, by the compiled binary and a local server with GitHub's API. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { otherToken } from "../support/gitHubServer.ts"
import { mutable, pullRequestWorld } from "../support/pullRequestWorld.ts"

const mergedAt = "2030-01-02T03:04:05Z"

/** Two findings, reviewed and posted by a bot; the run is archived. */
const posted = async () => {
  const at = await pullRequestWorld()
  at.repository.git("remote", "add", "origin", "git@github.com:acme/shop.git")
  at.pushed({ "a.py": mutable("add"), "b.py": mutable("put") })
  expect((await at.published()).labels).toEqual({
    outcome: null,
    runs: 1,
    added: [],
    findings: 0,
    reason: "the pull request is open"
  })
  const query = async (columns: string, table: string) => {
    const sql = `SELECT ${columns} FROM ${table} ORDER BY rowid`
    const { stdout } = await at.call(["archive", "query", sql, "--format", "jsonl"])
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
  }
  return Object.assign(at, {
    merge: () => Object.assign(at.state.pull, { state: "closed", merged_at: mergedAt }),
    resolve: (words: string, login: string) =>
      Object.assign(at.threadOf(words)!, { isResolved: true, resolvedBy: login }),
    /** By the person Grace, as GitHub keeps it: a reply, and a review. */
    reply: async (nth: number) => {
      const first = at.state.comments.filter(({ in_reply_to_id }) => in_reply_to_id === null)[nth]!
      const url = `${at.api}/repos/acme/shop/pulls/7/comments/${first.id}/replies`
      const headers = { authorization: `Bearer ${otherToken}` }
      await fetch(url, { method: "POST", headers, body: JSON.stringify({ body: "No." }) })
      const review = { user: { login: "grace" }, body: "", commit_id: at.state.pull.head, event: "COMMENT" }
      at.state.reviews.push({ id: 900, ...review })
    },
    postJson: async () => {
      const { status, stderr, stdout } = await at.post(["--json"])
      expect([status, stderr]).toEqual([0, ""])
      return JSON.parse(stdout)
    },
    runs: () => query("outcome_labels, has_posterior", "runs"),
    observations: () => query("labels, source, pr_state", "label_observations"),
    verdicts: () => query("finding, verdict, source, note", "finding_labels"),
    query
  })
}

describe("dd post", () => {
  test("labels the runs of a merged pull request as accepted if no thread is left", async () => {
    await using at = await posted()
    await at.reply(0)
    at.state.reviews.push({ id: 901, user: { login: "lint[bot]" }, body: "x", commit_id: "", event: "COMMENT" })
    at.resolve("add", "grace")
    at.resolve("put", "grace")
    at.merge()
    const { labels } = await at.postJson()
    expect(labels).toMatchObject({
      outcome: "accepted",
      runs: 1,
      added: [expect.any(String)],
      findings: 2,
      reason: null
    })
    expect(await at.runs()).toEqual([{ outcome_labels: '["accepted"]', has_posterior: 1 }])
    const [observation, ...others] = await at.query("*", "label_observations")
    expect(others).toEqual([])
    expect(observation).toMatchObject({
      pr_state: "merged",
      source: "auto",
      valid_at: "2030-01-02T03:04:05.000000Z",
      reviewer_logins: '["grace"]',
      labeler_version: "2026.05.28-2",
      evidence_sha: expect.stringMatching(/^[0-9a-f]{64}$/)
    })
    expect(JSON.parse(observation.rubric_json)).toEqual({
      pull_request: "acme/shop#7",
      threads: { fixed: 0, resolved: 2, answered: 0, open: 0 }
    })
    // The reward of the run, and beside it the posterior: too few verdicts for a prior.
    expect(JSON.parse(observation.reward_json)).toMatchObject({
      composite: observation.composite_reward,
      false_positive_penalty: 0,
      posterior_cost: 0.5,
      outcome_prior: null,
      outcome_prior_n: 0
    })
    expect(await at.verdicts()).toMatchObject([
      { verdict: "accepted", source: "auto", note: "pull request #7 merged: its thread was resolved" },
      { verdict: "accepted" }
    ])

    // A second time, nothing is new.
    expect((await at.postJson()).labels).toMatchObject({ outcome: "accepted", runs: 1, added: [], findings: 0 })
    expect(await at.observations()).toHaveLength(1)
    expect(await at.verdicts()).toHaveLength(2)
  })

  test("labels them as contested if threads are left, and each finding by its own thread", async () => {
    await using at = await posted()
    // A fixed finding, a run of its own.
    at.pushed({ "a.py": "def add(items=None):\n    return items or []\n", "c.py": mutable("push") })
    expect((await at.published()).fixed).toHaveLength(1)
    await at.reply(1)
    at.merge()
    const { status, stderr, stdout } = await at.post()
    expect([status, stderr]).toEqual([0, ""])
    expect(stdout).toEndWith("is merged: nothing is posted\nLabelled 2 archived runs: contested\n")
    expect(await at.runs()).toEqual(Array(2).fill({ outcome_labels: '["contested"]', has_posterior: 1 }))
    const notes = (await at.verdicts()).map(({ note, verdict }) => `${verdict}: ${note.replace(/^.*: /, "")}`).sort()
    expect(notes).toEqual([
      "accepted: fixed in a later commit",
      "contested: its thread was answered, but not resolved",
      "contested: its thread was answered, but not resolved",
      "contested: its thread was not resolved"
    ])
  })

  test("counts a thread that was hidden as fixed, and not one that is open again", async () => {
    await using at = await posted()
    at.state.canResolve = false
    at.pushed({ "a.py": "x = 1\n", "b.py": "y = 1\n" })
    expect((await at.published()).fixed).toHaveLength(2)
    at.merge()
    expect((await at.postJson()).labels).toMatchObject({ outcome: "accepted" })
    Object.assign(at.threadOf("add")!, { isMinimized: false })
    expect((await at.postJson()).labels).toMatchObject({ outcome: "contested" })
    expect((await at.runs()).map(({ outcome_labels }) => outcome_labels)).toEqual(['["contested"]', '["contested"]'])
  })

  test("labels the runs of a closed pull request as rejected until it is opened again", async () => {
    await using at = await posted()
    at.state.pull.state = "closed"
    expect((await at.postJson()).labels).toMatchObject({ outcome: "rejected", findings: 2 })
    expect(await at.runs()).toEqual([{ outcome_labels: '["rejected"]', has_posterior: 1 }])
    at.state.pull.state = "open"
    expect((await at.postJson()).labels).toMatchObject({ outcome: "unknown", added: [expect.any(String)], findings: 2 })
    expect(await at.runs()).toEqual([{ outcome_labels: "[]", has_posterior: 0 }])
    expect((await at.postJson()).labels).toMatchObject({ outcome: null, added: [] })
    at.state.pull.state = "closed"
    expect((await at.postJson()).labels).toMatchObject({ outcome: "rejected", added: [expect.any(String)] })
    for (const { comment } of at.state.threads)
      at.state.threads.find((each) => each.comment === comment)!.isResolved = true
    at.merge()
    expect((await at.postJson()).labels).toMatchObject({ outcome: "accepted" })
    expect((await at.observations()).map(({ pr_state }) => pr_state)).toEqual(["closed", "open", "closed", "merged"])
  })

  test("never outranks a person's label, given before or after", async () => {
    await using at = await posted()
    const label = async (...args: ReadonlyArray<string>) => {
      const { status } = await at.call(["archive", "label", "latest", ...args])
      expect(status).toBe(0)
    }
    await label("--outcome", "rejected")
    await label("--outcome", "rejected", "--finding", "1")
    at.resolve("add", "grace")
    at.resolve("put", "grace")
    at.merge()
    expect((await at.postJson()).labels).toMatchObject({ outcome: "accepted", findings: 2 })
    expect(await at.runs()).toMatchObject([{ outcome_labels: '["rejected"]' }])
    const shown = await at.call(["archive", "show", "latest"])
    expect(shown.stdout).toContain("Labelled rejected:")
    expect(shown.stdout).toContain("accepted: pull request #7 merged: its thread was resolved")
    await label("--outcome", "contested")
    expect(await at.runs()).toMatchObject([{ outcome_labels: '["contested"]' }])
    // The index has no more than the files.
    expect((await at.call(["archive", "rebuild-index"])).status).toBe(0)
    expect(await at.runs()).toMatchObject([{ outcome_labels: '["contested"]' }])
    expect((await at.observations()).map(({ source }) => source).sort()).toEqual(["auto", "human", "human"])
  })

  test("takes no label from a person's copy of dd's comments", async () => {
    await using at = await posted()
    const copies = at.state.comments.map(({ body }) => body)
    at.state.comments.splice(0)
    at.state.threads.splice(0)
    at.state.reviews.splice(0)
    for (const body of copies) at.comment("mallory", "a.py", 1, body)
    at.merge()
    expect((await at.postJson()).labels).toMatchObject({ outcome: null, runs: 0 })
    expect(await at.observations()).toEqual([])
  })

  test("says that no archived run is of the pull request, and labels nothing else", async () => {
    await using at = await posted()
    at.merge()
    rmSync(join(at.home, ".daydream", "archive"), { recursive: true })
    expect((await at.postJson()).labels).toMatchObject({ runs: 0, reason: "no run is archived" })
    at.repository.git("remote", "set-url", "origin", "git@github.com:acme/other.git")
    await at.review()
    expect((await at.postJson()).labels).toMatchObject({ runs: 0, reason: "no archived run is of this pull request" })
    at.repository.git("remote", "set-url", "origin", "git@github.com:acme/shop.git")
    at.repository.write("a.py", mutable("edited"))
    expect((await at.call(["review", "-q"])).status).toBe(0)
    expect((await at.postJson()).labels).toMatchObject({ runs: 0 })
    expect(await at.observations()).toEqual([])
  })

  test("is done with one warning if the archive cannot be written, or the forge not be read", async () => {
    await using at = await posted()
    at.merge()
    const archive = join(at.home, ".daydream", "archive")
    writeFileSync(join(archive, "labels"), "a file where the labels should be")
    const unwritable = await at.post()
    expect([unwritable.status, unwritable.stdout]).toEqual([
      0,
      expect.stringMatching(/is merged: nothing is posted\n$/)
    ])
    expect(unwritable.stderr).toMatch(/^dd: warning: the archived runs are not labelled: .+labels.+\n$/)
    rmSync(join(archive, "labels"))
    at.state.fault = ({ path }) => (path.includes("/comments") ? { status: 403, pieces: ['{"message": "no"}'] } : null)
    const unread = await at.post()
    expect([unread.status, unread.stderr]).toEqual([0, expect.stringContaining("not labelled: the forge refused")])
    rmSync(join(archive, "index.db"))
    mkdirSync(join(archive, "index.db"))
    expect((await at.post()).status).toBe(0)
  })
})

describe("dd review", () => {
  test("with --pr-number writes the pull request to the findings and the archive, and posts nothing", async () => {
    await using at = await posted()
    const writes = at.writes().length
    const args = ["review", "--base", "main", "--pr-number", "7", "--findings-out", at.findings, "-q"]
    expect((await at.call(args, { GITHUB_REPOSITORY: "", GITHUB_TOKEN: "" })).status).toBe(0)
    expect(JSON.parse(readFileSync(at.findings, "utf8"))).toMatchObject({ repo: "acme/shop", pr_number: 7 })
    expect(at.writes()).toHaveLength(writes)
    const [, run] = await at.query("pr_number, pr_repo", "runs")
    expect(run).toEqual({ pr_number: 7, pr_repo: "acme/shop" })
    // The number need not be given again.
    const { status, stdout } = await at.call(["post", at.findings])
    expect([status, stdout]).toEqual([0, expect.stringContaining("2 already there")])
  })

  test("with --comment labels the earlier runs of a merged pull request", async () => {
    await using at = await posted()
    at.merge()
    const args = ["review", "--base", "main", "--comment", "--pr-number", "7"]
    const without = await at.call([...args, "--no-archive"])
    expect([without.status, without.stderr]).toEqual([0, expect.stringContaining("is merged: nothing is posted\n")])
    expect(await at.observations()).toEqual([])
    const { status, stderr } = await at.call(args)
    expect([status, stderr]).toEqual([0, expect.stringContaining("Labelled 1 archived run: contested\n")])
  })
})

describe("dd archive label --from-forge", () => {
  const fromForge = ["archive", "label", "--from-forge"]
  const asGrace = { GITHUB_TOKEN: otherToken }

  test("labels the runs of all pull requests, with the token of any account, and visits none twice", async () => {
    await using at = await posted()
    const review = (number: string) => at.call(["review", "--base", "main", "--pr-number", number, "-q"])
    await review("7")
    await review("8")
    const open = await at.call(fromForge, asGrace)
    expect([open.status, open.stdout]).toEqual([
      0,
      "#7 open: nothing to label\n1 pull request of acme/shop visited, 0 runs labelled\n"
    ])
    expect(open.stderr).toMatch(/^dd: warning: pull request #8 of acme\/shop was not found.*\n$/)
    const one = await at.call([...fromForge, "--pr", "8"], asGrace)
    expect([one.status, one.stdout, one.stderr]).toEqual([3, "", expect.stringContaining("#8 of acme/shop was not")])
    at.merge()
    const merged = await at.call(fromForge, asGrace)
    expect(merged.stdout).toBe(
      "#7 merged: Labelled 2 archived runs: contested\n1 pull request of acme/shop visited, 2 runs labelled\n"
    )
    expect((await at.call(fromForge, asGrace)).stdout).toBe("0 pull requests of acme/shop visited, 0 runs labelled\n")
    expect(
      at.heard.some(
        ({ headers, method, path }) =>
          headers.authorization?.includes(otherToken) && method !== "GET" && path !== "/graphql"
      )
    ).toBe(false)
  })

  test("labels by commit the runs that name no pull request, with --pr", async () => {
    await using at = await posted()
    at.merge()
    expect((await at.call(fromForge, asGrace)).stdout).toBe("0 pull requests of acme/shop visited, 0 runs labelled\n")
    const { stdout } = await at.call([...fromForge, "--pr", "7"], asGrace)
    expect(stdout).toStartWith("#7 merged: Labelled 1 archived run: contested\n")
  })

  test("keeps what it labelled before the forge failed, and refuses unclear calls", async () => {
    await using at = await posted()
    for (const [args, reason] of [
      [[...fromForge, "--outcome", "accepted"], "--from-forge takes only --pr and --repo"],
      [["archive", "label", "--pr", "7"], "--pr and --repo require --from-forge"],
      [["archive", "label", "latest"], "label needs a RUN and --outcome, or --next, or --from-forge"],
      [[...fromForge, "--repo", "acme"], '"acme" is not a repository on GitHub']
    ] as const) {
      const { status, stderr } = await at.call(args)
      expect([status, stderr]).toEqual([2, expect.stringContaining(reason)])
    }
    const missing = await at.call(fromForge, { GITHUB_TOKEN: "" })
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining("no credentials")])
    const refused = await at.call([...fromForge, "--pr", "7"], { GITHUB_TOKEN: "ghp_unknown" })
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringContaining("the token is not valid")])
  })
})
