/** What a review by a model cost: the same number and the same source in the result, the record and the archive. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { install } from "../support/cli/install.ts"
import { agreeable, type Script, startModel } from "../support/modelServer.ts"
import { patience } from "../support/patience.ts"
import { run, scratch, systemPath } from "../support/process.ts"
import { initRepository } from "../support/repository.ts"

setDefaultTimeout(patience)

const usage = { prompt: 5000, cached: 3500, completion: 200, reasoning: 0 }

const reviewer: Script = (asked, nth) =>
  asked.tools.some(({ name }) => name === "submit_review")
    ? { calls: [{ name: "submit_review", input: { review: "Fine.", issues: [], coverage: [] } }], usage }
    : { ...agreeable(asked, nth), usage }

/** Says a word of its review, and then nothing more. */
const held: Script = (asked, nth) =>
  asked.tools.some(({ name }) => name === "submit_review")
    ? { text: "Well, this is a long story", usage, trouble: { holdAfter: 3 } }
    : reviewer(asked, nth)

const world = async (script: Script = reviewer) => {
  const place = scratch()
  const server = await startModel(script, () => undefined)
  const repository = initRepository(join(place.path, "repo"))
  repository.commit("Begin", { "cart.py": "def total(items):\n    return sum(items)\n" })
  repository.commit("Round", { "cart.py": "def total(items):\n    return round(sum(items), 2)\n" })
  const home = join(place.path, "home")
  const bin = join(place.path, "bin")
  mkdirSync(join(home, ".daydream"), { recursive: true })
  mkdirSync(bin)
  const root = `http://127.0.0.1:${server.port}`
  const env = {
    PATH: `${bin}:${systemPath}`,
    HOME: home,
    ANTHROPIC_API_KEY: "k",
    OPENAI_API_KEY: "k",
    DD_ANTHROPIC_BASE_URL: root,
    DD_OPENAI_BASE_URL: `${root}/v1`
  }
  const call = (args: ReadonlyArray<string>, over: Record<string, string> = {}) =>
    run([dd, ...args], { cwd: repository.root, env: { ...env, ...over } })
  const review = async (args: ReadonlyArray<string>, over: Record<string, string> = {}) => {
    const { status, stdout } = await call(["review", "--commit", "HEAD", "--format", "json", ...args], over)
    return { status, result: JSON.parse(stdout) }
  }
  /** The trajectories of the only run, its own first, and its manifest. */
  const kept = () => {
    const runs = join(home, ".daydream", "archive", "runs")
    const bundle = join(runs, readdirSync(runs)[0] ?? "")
    const read = (path: string) => JSON.parse(readFileSync(join(bundle, path), "utf8"))
    const names = readdirSync(bundle, { recursive: true, encoding: "utf8" })
    const root = names.find((name) => name.startsWith("trajectory.json")) ?? ""
    const siblings = names.filter((name) => /^trajectories\/.*\.json/.test(name))
    return { manifest: read("manifest.json"), trajectories: [root, ...siblings].map(read) }
  }
  return {
    bin,
    call,
    env,
    home,
    kept,
    repository,
    review,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      place[Symbol.dispose]()
    }
  }
}

type World = Awaited<ReturnType<typeof world>>

/** What the archive and the record of the only run say of its cost; the steps add up to it. */
const recorded = (at: World) => {
  const { manifest, trajectories } = at.kept()
  const { total_cost_usd = null, extra } = trajectories[0].final_metrics
  const steps = trajectories
    .flatMap((each: { steps: ReadonlyArray<{ metrics?: { cost_usd?: number } }> }) => each.steps)
    .reduce((sum: number, { metrics }: { metrics?: { cost_usd?: number } }) => sum + (metrics?.cost_usd ?? 0), 0)
  expect({ usd: manifest.metrics.total_cost_usd, source: manifest.dd.cost_source }).toEqual({
    usd: total_cost_usd,
    source: extra.cost_source
  })
  if (total_cost_usd !== null) expect(steps).toBeCloseTo(total_cost_usd, 9)
  return {
    usd: total_cost_usd,
    source: extra.cost_source,
    promptTokens: manifest.metrics.total_prompt_tokens,
    trajectories
  }
}

const apis = [
  ["anthropic", "claude-sonnet-5", {}],
  ["openai", "gpt-5.6-sol", { DD_OPENAI_API: "responses" }],
  ["openai", "gpt-5.6-sol", { DD_OPENAI_API: "chat" }]
] as const

describe("the cost of a review", () => {
  for (const [backend, model, env] of apis) {
    const name = [backend, ...Object.values(env)].join(", ")
    test(`by ${name} is the same in the result, on the steps of the record and in the archive`, async () => {
      await using at = await world()
      const { result } = await at.review(["--backend", backend, "--model", model], env)
      expect(result.cost.source).toBe("computed")
      expect(result.cost.usd).toBeGreaterThan(0)
      const { trajectories, ...rest } = recorded(at)
      expect(rest).toEqual({ usd: result.cost.usd, source: "computed", promptTokens: result.cost.prompt_tokens })
      for (const { steps } of trajectories)
        for (const { metrics, source } of steps)
          if (source === "agent" && metrics !== undefined) expect(metrics.cost_usd).toBeGreaterThan(0)
    })

    test(`by ${name} counts a turn that ran out of time: by what its provider had told, else as unknown`, async () => {
      await using at = await world(held)
      const { result } = await at.review(["--backend", backend, "--model", model], { ...env, DD_TIMEOUT: "2" })
      const told = backend === "anthropic"
      expect(result.cost.source).toBe(told ? "computed" : "unknown")
      expect(result.cost.usd === null).toBe(!told)
      expect(recorded(at)).toMatchObject({ usd: result.cost.usd, source: result.cost.source })
      // The intent, the alternatives and the cut turns, each with its whole prompt where that was told.
      if (told) expect(result.cost.prompt_tokens).toBeGreaterThan(2 * usage.prompt)
      expect(result.notes.join("\n")).toMatch(told ? /for (less than )?\$0\.\d\d/ : /at a cost that is not known/)
    })
  }

  test("without a model is zero in the result, in the record and in the archive", async () => {
    await using at = await world()
    const { result } = await at.review(["--backend", "static"])
    expect(result.cost).toMatchObject({ usd: 0, source: "none" })
    expect(recorded(at)).toMatchObject({ usd: 0, source: "none", promptTokens: null })
  })

  test("is kept of a review that was interrupted, too", async () => {
    await using at = await world(held)
    const child = Bun.spawn([dd, "review", "--commit", "HEAD", "--shallow", "--backend", "anthropic"], {
      cwd: at.repository.root,
      env: at.env,
      stdout: "ignore",
      stderr: "ignore"
    })
    const runs = join(at.repository.root, ".daydream", "runs")
    const journal = () => {
      const [session] = Array.from(new Bun.Glob("*/*.jsonl*").scanSync({ cwd: runs, dot: true }))
      return session === undefined ? "" : readFileSync(join(runs, session), "utf8")
    }
    // The review is under way, and its provider has told what it was sent.
    while (!/"task":"review:[\s\S]*"promptTokens":5000/.test(safely(journal))) await Bun.sleep(20)
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    const { promptTokens, source, usd } = recorded(at)
    expect(source).toBe("computed")
    expect(usd).toBeGreaterThan(0)
    expect(promptTokens).toBeGreaterThanOrEqual(usage.prompt)
  })

  for (const [name, source, total] of [
    ["claude", "reported", 0.0125],
    ["pi", "reported", 0.002],
    ["codex", "unknown", null]
  ] as const) {
    test(`by the ${name} CLI is what it reports, once`, async () => {
      await using at = await world()
      const cli = install(at.bin, name, "tools", cliReplies)
      const { result } = await at.review(["--backend", name])
      expect(result.cost.source).toBe(source)
      if (total !== null) expect(result.cost.usd / total).toBeGreaterThan(1)
      if (name === "claude") expect(result.cost.usd).toBeCloseTo(0.0125 * cli.turns(), 9)
      expect(recorded(at)).toMatchObject({ usd: result.cost.usd, source })
    })
  }
})

const cliReplies = {
  Intent: { intent: "To round." },
  Alternatives: { issues: [] },
  StackReview: { review: "Fine.", issues: [], coverage: [] },
  ParseReview: { issues: [] },
  Arbitrate: { findings: [] },
  Merge: { notes: [] }
}

const safely = (read: () => string): string => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ""
    throw error
  }
}

test("a review that the provider refused outright cost nothing, and asked nobody", async () => {
  await using at = await world(() => ({ trouble: { status: 401 } }))
  await at.call(["review", "--commit", "HEAD", "--backend", "anthropic"])
  expect(recorded(at)).toMatchObject({ usd: 0, source: "none", promptTokens: null })
})

describe("a limit of cost", () => {
  for (const args of [
    ["--backend", "openai", "--model", "m-1"],
    ["--backend", "codex"]
  ]) {
    test(`is refused where nobody knows what the model costs, before anybody is asked: ${args.join(" ")}`, async () => {
      await using at = await world()
      const cli = install(at.bin, "codex", "tools", cliReplies)
      const { status, stderr, stdout } = await at.call(["review", "--commit", "HEAD", "--max-cost", "1", ...args])
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
      expect(cli.turns()).toBe(0)
      expect(stderr).toContain("--max-cost")
      expect(stderr).toContain(args[1] === "codex" ? "codex.model" : `[prices."m-1"]`)
      expect(stderr).toContain(args[1] === "codex" ? "config.toml" : join(at.home, ".daydream/prices.toml"))
    })
  }

  test("that not even the first request fits into leaves a run that asked nobody", async () => {
    await using at = await world()
    const { result } = await at.review(["--backend", "anthropic", "--max-cost", "0.001"])
    expect(result.cost).toMatchObject({ usd: 0, source: "none" })
    const { promptTokens, source } = recorded(at)
    expect({ promptTokens, source }).toEqual({ promptTokens: null, source: "none" })
  })

  test("holds for a model that the user has given a price", async () => {
    await using at = await world()
    writeFileSync(join(at.home, ".daydream/prices.toml"), '[prices."m-1"]\ninput = 1\noutput = 2\n')
    const { result } = await at.review(["--backend", "openai", "--model", "m-1", "--max-cost", "1"])
    expect(result.cost.source).toBe("computed")
    expect(result.cost.usd).toBeGreaterThan(0)
  })
})

test("DAYDREAM_PRICES_FILE names the user's prices", async () => {
  await using at = await world()
  const file = join(at.home, "mine.toml")
  writeFileSync(file, '[prices."m-1"]\ninput = 1\noutput = 2\n')
  const { result } = await at.review(["--backend", "openai", "--model", "m-1", "--max-cost", "1"], {
    DAYDREAM_PRICES_FILE: file
  })
  expect(result.cost.source).toBe("computed")
  writeFileSync(file, '[prices."m-1"]\ninput = "much"\n')
  const { stdout } = await at.call(["doctor"], { DAYDREAM_PRICES_FILE: file })
  expect(stdout).toContain(file)
})

test("dd doctor says of when the built-in prices are, and what is wrong with the user's", async () => {
  await using at = await world()
  writeFileSync(join(at.home, ".daydream/prices.toml"), '[prices."m-1"]\ninput = "much"\n')
  const { stdout } = await at.call(["doctor", "--format", "json"])
  const words = JSON.parse(stdout).checks.filter(({ subject }: { subject: string }) => subject === "prices")
  expect(words[0].words).toMatch(/^built-in prices of \d{4}-\d\d-\d\d/)
  expect(words[1]).toMatchObject({ state: "problem" })
})
