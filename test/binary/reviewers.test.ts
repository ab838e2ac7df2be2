/** Which backend a run names as its reviewer, and how it ended: the same in the report, the record and the archive. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { agreeable, type Script, startModel } from "../support/modelServer.ts"
import { inside, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

const isReview = (tools: unknown): boolean => JSON.stringify(tools).includes("submit_review")

const fine: Script = (asked, nth) =>
  isReview(asked.tools)
    ? {
        calls: [
          {
            name: "submit_review",
            input: { review: "Fine.", issues: [], coverage: [{ path: "a.py", status: "reviewed", reason: "" }] }
          }
        ]
      }
    : agreeable(asked, nth)

const refusing: Script = () => ({ trouble: { status: 400, message: "no" } })

const world = async (script: Script) => {
  const place = scratch()
  const server = await startModel(script)
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "README.md": "# Shop\n" })
  repository.branch("feature").commit("Add", { "a.py": "x = 1\n" })
  const home = inside(place.path, "home")
  mkdirSync(join(home, ".daydream"))
  const url = `http://127.0.0.1:${server.port}`
  const env: Record<string, string> = {
    PATH: systemPath,
    HOME: home,
    ANTHROPIC_API_KEY: "k",
    OPENAI_API_KEY: "k",
    DD_ANTHROPIC_BASE_URL: url,
    DD_OPENAI_BASE_URL: `${url}/v1`,
    DD_OPENAI_API: "responses"
  }
  const call = (args: ReadonlyArray<string>, over: Record<string, string> = {}) =>
    run([dd, ...args], { cwd: repository.root, env: { ...env, ...over } })
  const json = async (...args: ReadonlyArray<string>) => JSON.parse((await call(args)).stdout)
  return {
    call,
    env,
    repository,
    config: (text: string) => writeFileSync(join(home, ".daydream", "config.toml"), text),
    /** What every command says of the newest run. */
    told: async () => {
      const { run: row, manifest, findings } = await json("archive", "show", "latest", "--json")
      const bundle = join(home, ".daydream", "archive", "runs", row.session_id)
      const record = readdirSync(bundle).find((name) => /^trajectory\.json/.test(name)) ?? ""
      const listed = (await json("archive", "list", "--format", "json")).runs[0]
      const head = async (...args: ReadonlyArray<string>) =>
        (await call(args)).stdout.split("\n").slice(0, 3).join("\n")
      return {
        row,
        manifest,
        findings,
        listed,
        record: JSON.parse(readFileSync(join(bundle, record), "utf8")),
        story: await head("archive", "show", "latest"),
        steps: await head("trajectory", "show", join(bundle, record)),
        table: (await call(["archive", "list"])).stdout.split("\n")[1] ?? "",
        stats: (await json("archive", "stats", "--json")).by
      }
    },
    sessionsOf: async (backend: string): Promise<ReadonlyArray<unknown>> =>
      (await json("archive", "list", "--backend", backend, "--format", "json")).runs,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      place[Symbol.dispose]()
    }
  }
}

type World = Awaited<ReturnType<typeof world>>

const namesNobody = async (at: World) => {
  const { listed, manifest, record, row, steps, story, stats } = await at.told()
  for (const named of [row, listed, manifest.run]) {
    expect(named).toMatchObject({ backend: "none", review_backend: null, model: null })
  }
  expect(await at.sessionsOf("anthropic")).toEqual([])
  expect(stats.backend).toEqual([["none", 1]])
  expect(record.agent.model_name).toBeUndefined()
  expect(record.steps.map((step: { model_name?: string }) => step.model_name)).not.toContain("claude-sonnet-5")
  for (const text of [story, steps]) {
    expect(text).toContain("no backend answered")
    expect(text).not.toMatch(/claude-sonnet-5|, anthropic/)
  }
}

describe("a backend that answered nothing", () => {
  test("that fails in every task warns once, with the steps and a count", async () => {
    await using at = await world(refusing)
    at.repository.commit("Add more", { "b.ts": "export const b = 1\n", "c.go": "package c\n" })
    const { stderr } = await at.call(["review", "--backend", "anthropic", "--no-archive"])
    const warnings = stderr.split("\n").filter((line) => line.startsWith("dd: warning: "))
    expect(warnings).toEqual([
      "dd: warning: reading the purpose of the change, looking for alternatives, reviewing files: the anthropic backend failed: anthropic did not accept the request (HTTP 400): no (6 times)"
    ])
  })

  test("is named nowhere where its service cannot be reached", async () => {
    await using at = await world(fine)
    const nobody = { DD_ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }
    expect((await at.call(["review", "--backend", "anthropic"], nobody)).status).toBe(3)
    await namesNobody(at)
  })

  test("is named nowhere where the limit of cost allows no answer", async () => {
    await using at = await world(fine)
    const { stdout } = await at.call(["review", "--backend", "anthropic", "--max-cost", "0.0001", "--format", "json"])
    expect(JSON.parse(stdout).run.reviewed_by).toEqual([])
    await namesNobody(at)
  })

  test("is named nowhere where its service refuses every request", async () => {
    await using at = await world(refusing)
    const { stdout } = await at.call(["review", "--backend", "anthropic", "--format", "json"])
    expect(JSON.parse(stdout).run.reviewed_by).toEqual([])
    await namesNobody(at)
    const again = await at.call(["review", "--replay", "latest"])
    expect(again.stdout.replaceAll(/\s+/g, " ")).not.toMatch(/Replayed from the recorded run \S+ \(/)
  })

  test("is named nowhere where the run was interrupted before its first answer", async () => {
    let asked = () => {}
    const begun = new Promise<void>((resolve) => {
      asked = resolve
    })
    await using at = await world(() => {
      asked()
      return { trouble: { holdAfter: 0 } }
    })
    const child = Bun.spawn([dd, "review", "--backend", "anthropic"], {
      cwd: at.repository.root,
      env: at.env,
      stdout: "ignore",
      stderr: "ignore"
    })
    await begun
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    await namesNobody(at)
    await endsAs(at, "interrupted")
  })

  test("is not named beside the one that answered in its place", async () => {
    await using at = await world((asked, nth) =>
      asked.protocol === "messages" ? refusing(asked, nth) : fine(asked, nth)
    )
    at.config('backend = "anthropic"\nmodel = "m-1"\nfallback = ["openai"]\n\n[openai]\nmodel = "m-2"\n')
    await at.call(["review"])
    const { record, row, steps, story } = await at.told()
    expect(row).toMatchObject({ backend: "openai", review_backend: "openai", model: "m-2" })
    expect(record.agent.model_name).toBe("m-2")
    expect(JSON.stringify(record.steps.map((step: { model_name?: string }) => step.model_name))).not.toContain("m-1")
    for (const text of [story, steps]) expect(text).not.toMatch(/m-1|anthropic/)
    const again = (await at.call(["review", "--replay", "latest"])).stdout.replaceAll(/\s+/g, " ")
    expect(again).toContain("(openai, m-2)")
  })
})

describe("a backend that answered about no file", () => {
  test("is not named as the reviewer", async () => {
    await using at = await world((asked, nth) => (isReview(asked.tools) ? refusing(asked, nth) : fine(asked, nth)))
    const { stdout } = await at.call(["review", "--backend", "anthropic", "--format", "json"])
    expect(JSON.parse(stdout).run.reviewed_by).toEqual([])
    expect((await at.told()).row).toMatchObject({ backend: "anthropic", review_backend: null })
  })
})

describe("a review that takes up another", () => {
  test("is archived under the backend that reviewed", async () => {
    await using at = await world(fine)
    at.config('[openai]\nmodel = "m-1"\n')
    await at.call(["review", "--backend", "openai"])
    await at.call(["review", "--backend", "static", "--start-at", "merge"])
    expect((await at.told()).row).toMatchObject({ backend: "openai", review_backend: "openai" })
  })

  test("is by the static checks where it takes up the replay of a review by them", async () => {
    await using at = await world(fine)
    await at.call(["review", "--backend", "static"])
    await at.call(["review", "--replay", "latest"])
    const { stdout } = await at.call(["review", "--backend", "static", "--start-at", "merge"])
    expect(stdout).not.toContain("Reviewed by replay")
    expect((await at.told()).row).toMatchObject({ backend: "static", review_backend: "static" })
  })
})

/** One word for how a run ended, wherever it is said. */
const endsAs = async (at: World, status: string) => {
  const { listed, row, stats, story, table } = await at.told()
  expect([row.status, listed.status]).toEqual([status, status])
  expect(stats.status).toEqual([[status, 1]])
  for (const text of [story, table]) expect(text).toMatch(new RegExp(`\\b${status}\\b`))
}

describe("how a run ended", () => {
  test("is inconclusive everywhere where no reviewer answered; the stored row keeps the format's words", async () => {
    await using at = await world(refusing)
    const { stdout } = await at.call(["review", "--backend", "anthropic", "--format", "json"])
    expect(JSON.parse(stdout).status).toBe("inconclusive")
    await endsAs(at, "inconclusive")
    const { findings, manifest, record } = await at.told()
    expect([findings.status, record.extra.status, manifest.dd.review_status]).toEqual(Array(3).fill("inconclusive"))
    const stored = await at.call(["archive", "query", "SELECT status FROM runs", "--format", "json"])
    expect([manifest.status, stored.stdout]).toEqual(["partial", expect.stringContaining('"partial"')])
  })

  test("is partial everywhere where some files were not reviewed", async () => {
    await using at = await world((asked, nth) =>
      isReview(asked.tools)
        ? { calls: [{ name: "submit_review", input: { review: "Fine.", issues: [], coverage: [] } }] }
        : agreeable(asked, nth)
    )
    await at.call(["review", "--backend", "anthropic"])
    await endsAs(at, "partial")
  })

  test("is failed everywhere where the backend refused", async () => {
    await using at = await world(fine)
    await at.call(["review", "--backend", "anthropic"], { DD_ANTHROPIC_BASE_URL: "http://127.0.0.1:9" })
    await endsAs(at, "failed")
  })
})
