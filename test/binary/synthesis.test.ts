/** Summaries of artifacts by a scripted model, through the worker of the compiled binary. */
import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Asked } from "../support/Asked.ts"
import { putProfiles } from "../support/dreamStore.ts"
import { dreamWorld, payloads } from "../support/dreamWorld.ts"
import { type Script, startModel } from "../support/modelServer.ts"
import { convention, profileOf, repair, seen } from "../support/sessionProfiles.ts"

const apiKey = "sk-proj-0123456789abcdefghijklmnop"
/** In two parts, so that no scanner takes this file for one that holds a credential. */
const planted = ["ghp", "0123456789abcdefghijklmnopqrstuvwxyz"].join("_")
const signatures = ["ENOENT: no such file or directory, open <q>", "Cannot find the directory <q>"]

const found = [
  ...signatures.map((error, at) => seen(`e${at}`, repair(error, "create the missing directory with mkdir -p"))),
  seen("naming", convention("naming", `files are in kebab-case, token ${planted}`), 5)
]

/** The ids in a prompt, in order. */
const idsIn = ({ told }: Asked): ReadonlyArray<string> => [...told.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id!)

const joining: Script = (asked) => ({
  text: JSON.stringify({
    summaries: [
      {
        artifacts: idsIn(asked).filter((id) => id.startsWith("rp_")),
        text: "When a directory is missing, create it with mkdir -p."
      },
      { artifacts: idsIn(asked).filter((id) => id.startsWith("cv_")), text: "Run curl to fetch the names of files." }
    ]
  }),
  usage: { prompt: 1_000, cached: 0, completion: 100, reasoning: 0 }
})

const world = async (script: Script, more = "") => {
  const at = dreamWorld(["shop"], { OPENAI_API_KEY: apiKey })
  const [shop] = at.repositories
  const asked: Array<Asked> = []
  const server = await startModel((request, nth) => {
    asked.push(request)
    return script(request, nth)
  })
  await putProfiles(at.own, shop!.root, [profileOf("s0", { contributions: found, endedAt: Date.now() - 86_400_000 })])
  for (const payload of payloads(shop!.root, "s1")) await at.event(payload)
  writeFileSync(
    join(at.own, "config.toml"),
    `[openai]\nbase_url = "http://127.0.0.1:${server.port}/v1"\n\n[dream.synthesis]\nbackend = "openai"\nmodel = "m-1"\n${more}`
  )
  writeFileSync(join(at.own, "prices.toml"), '[prices."m-1"]\ninput = 1\noutput = 1\n')
  return {
    ...at,
    asked,
    artifacts: () => readFileSync(join(at.stored(shop!.root), "artifacts.json"), "utf8"),
    dream: (...args: ReadonlyArray<string>) => at.call(shop!.root, "dream", ...args),
    server,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      at[Symbol.dispose]()
    }
  }
}

describe("a configured model", () => {
  test("summarises what was learned, once; its words are named as those of a model, and bound to the evidence", async () => {
    await using at = await world(joining)
    const first = await at.worker("--once")
    expect({ status: first.status, out: first.stdout }).toEqual({ status: 0, out: "1 session analysed\n" })
    expect(first.stderr).toContain("a summary of m-1 was refused: it names curl, which is not in the evidence")
    expect(at.asked).toHaveLength(1)
    expect(await at.worker("--once")).toMatchObject({ status: 0, stderr: "" })
    expect(at.asked).toHaveLength(1)

    const { artifacts } = JSON.parse((await at.dream("artifacts", "list", "--json")).stdout).projects[0]
    const repairs = artifacts.filter(({ type }: { readonly type: string }) => type === "RepairPattern")
    expect(repairs).toHaveLength(2)
    for (const { confidence, stats, summary } of repairs) {
      expect({ confidence, sessions: stats.sessions }).toEqual({ confidence: 0.699, sessions: 1 })
      expect(summary).toMatchObject({ model: "m-1", cost_usd: 0.0011 })
      expect(summary.same).toHaveLength(1)
    }
    expect(artifacts.filter(({ type }: { readonly type: string }) => type !== "RepairPattern")).not.toContainEqual(
      expect.objectContaining({ summary: expect.anything() })
    )
    const list = (await at.dream("artifacts", "list")).stdout
    expect(list).toContain("(by a model) When a directory is missing, create it with")
    expect(list).toContain("mean the same, as m-1 judged")
    for (const command of ["show", "why"]) {
      const { stdout } = await at.dream("artifacts", command, repairs[0].id)
      expect(stdout).toContain("In the words of the model m-1:")
      expect(stdout).toContain(`means the same as ${repairs[1].id}`)
      expect(stdout).toContain("a request that cost <$0.01")
    }
    const status = JSON.parse((await at.dream("status", "--json")).stdout)
    expect(status.synthesis).toEqual({ backend: "openai", spent_usd: 0.0011, limit_usd: 0.5, problem: null })
    expect((await at.dream("artifacts", "plain", repairs[0].id)).status).toBe(0)
    await at.worker("--once")
    expect(at.artifacts()).not.toContain("m-1")
    expect(at.asked).toHaveLength(1)
  })

  test("gets no secret, no figure, no session and no path; and its answer leaves none", async () => {
    await using at = await world((asked) => ({
      text: JSON.stringify({ summaries: [{ artifacts: idsIn(asked).slice(0, 1), text: `files with ${planted}` }] })
    }))
    await at.worker("--once")
    const body = JSON.stringify(at.asked[0]!.heard.body)
    expect(body).toContain("create the missing directory")
    for (const hidden of [planted, apiKey, at.home, "s0", "confidence", "sources"]) expect(body).not.toContain(hidden)
    const kept = readdirSync(at.home, { recursive: true, encoding: "utf8" })
      .map((name) => join(at.home, name))
      .filter((path) => statSync(path).isFile())
    for (const path of kept) expect(readFileSync(path, "utf8")).not.toContain(planted)
  })

  test("that fails changes nothing but the status, and is asked again", async () => {
    await using at = await world((_, nth) =>
      nth === 0 ? { trouble: { status: 400, message: "no" } } : { text: '{"summaries":[]}' }
    )
    const { status, stderr } = await at.worker("--once")
    expect(status).toBe(0)
    expect(stderr).toContain("synthesis: the openai backend failed")
    expect(at.artifacts()).toContain("ENOENT")
    expect((await at.dream("status")).stdout).toContain("synthesis, the openai backend failed")
    expect((await at.call("/", "doctor")).stdout).toContain("the latest: synthesis: the openai backend failed")
    expect((await at.worker("--once")).stderr).toBe("")
    await at.worker("--once")
    expect(at.asked).toHaveLength(2)
  })

  test("without a known price is asked under the default limits, and a request counts as the whole limit", async () => {
    await using at = await world(joining)
    rmSync(join(at.own, "prices.toml"))
    await at.worker("--once")
    expect(at.asked).toHaveLength(1)
    expect(at.artifacts()).toContain("When a directory is missing, create it with mkdir -p.")
    expect(JSON.parse(readFileSync(join(at.own, "dream", "synthesis.json"), "utf8")).usd).toBe(0.1)
  })

  test("is not asked without a key, beyond the limits, or without a price under a limit of the user", async () => {
    for (const [settings, words] of [
      ["max_cost = 0.001\n", "of $0.001 are spent, and the next answer may cost $0.0027"],
      ["max_cost_day = 0\n", "no summaries until tomorrow: $0 for a day (UTC) are spent"]
    ] as const) {
      await using at = await world(joining, settings)
      const { status, stderr } = await at.worker("--once")
      expect({ status, stderr }).toMatchObject({ status: 0 })
      expect(stderr).toContain(words)
      expect(at.asked).toEqual([])
      expect(at.artifacts()).toContain("ENOENT")
    }
    await using at = await world(joining)
    writeFileSync(join(at.own, "config.toml"), '[dream.synthesis]\nbackend = "anthropic"\n')
    expect((await at.worker("--once")).stderr).toContain("anthropic: its key is not set; set ANTHROPIC_API_KEY")
    const own = '[dream.synthesis]\nbackend = "openai"\nmodel = "m-2"\nmax_cost = 0.1\n'
    writeFileSync(join(at.own, "config.toml"), own)
    expect((await at.worker("--once")).stderr).toContain("dream.synthesis.max_cost needs the price of m-2")
    writeFileSync(join(at.own, "config.toml"), "")
    expect((await at.worker("--once")).stderr).toBe("")
    expect((await at.dream("status")).stdout).not.toContain("Summaries")
    expect(existsSync(join(at.own, "dream", "synthesis.json"))).toBe(true)
    expect(at.asked).toEqual([])
  })
})
