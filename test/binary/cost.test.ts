/** What a review by a model cost: the same number and the same source in the result, the record and the archive. */
import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { install } from "../support/cli/install.ts"
import { type ModelReviews, modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { handing, type Script, submitOf } from "../support/modelServer.ts"

const usage = { prompt: 5000, cached: 3500, completion: 200, reasoning: 0 }

const reviewer: Script = (asked, nth) => ({
  ...handing({ submit_review: { review: "Fine.", issues: [], coverage: [] } })(asked, nth),
  usage
})

/** Says a word of its review, and then nothing more. */
const held: Script = (asked, nth) =>
  submitOf(asked) === "submit_review"
    ? { text: "Well, this is a long story", usage, trouble: { holdAfter: 3 } }
    : reviewer(asked, nth)

const world = (script: Script = reviewer) =>
  modelReviews((repository) => {
    repository.commit("Begin", { "cart.py": "def total(items):\n    return sum(items)\n" })
    repository.commit("Round", { "cart.py": "def total(items):\n    return round(sum(items), 2)\n" })
  }, script)

/** The cost in the archive and the record of the only run, whose steps add up to it. */
const recorded = (at: ModelReviews) => {
  const manifest = at.kept("manifest.json")
  const names = readdirSync(at.bundle(), { recursive: true, encoding: "utf8" })
  const root = names.find((name) => name.startsWith("trajectory.json")) ?? ""
  const siblings = names.filter((name) => /^trajectories\/.*\.json/.test(name))
  const trajectories = [root, ...siblings].map((name) => at.kept(name))
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

const models = { anthropic: "claude-sonnet-5", openai: "gpt-5.6-sol" }

describe("the cost of a review", () => {
  for (const [backend, env] of services) {
    const name = nameOf([backend, env])
    const asking = ["--backend", backend, "--model", models[backend]]
    test(`by ${name} is the same in the result, the steps of the record and the archive`, async () => {
      await using at = await world()
      const { result } = await at.report(asking, env)
      expect(result.cost.source).toBe("computed")
      expect(result.cost.usd).toBeGreaterThan(0)
      const { trajectories, ...rest } = recorded(at)
      expect(rest).toEqual({ usd: result.cost.usd, source: "computed", promptTokens: result.cost.prompt_tokens })
      for (const { steps } of trajectories)
        for (const { metrics, source } of steps)
          if (source === "agent" && metrics !== undefined) expect(metrics.cost_usd).toBeGreaterThan(0)
    })

    test(`by ${name} counts a turn that timed out: by the usage its provider reported, else as unknown`, async () => {
      await using at = await world(held)
      const { result } = await at.report(asking, { ...env, DD_TIMEOUT: "2" })
      const isReported = backend === "anthropic"
      expect(result.cost.source).toBe(isReported ? "computed" : "unknown")
      expect(result.cost.usd === null).toBe(!isReported)
      expect(recorded(at)).toMatchObject({ usd: result.cost.usd, source: result.cost.source })
      // The intent, the alternatives and the cut turns, each with its whole prompt where that was reported.
      if (isReported) expect(result.cost.prompt_tokens).toBeGreaterThan(2 * usage.prompt)
      expect(result.notes.join("\n")).toMatch(isReported ? /for (less than )?\$0\.\d\d/ : /at an unknown cost/)
    })
  }

  test("without a model is zero in the result, the record and the archive", async () => {
    await using at = await world()
    const { result } = await at.report(["--backend", "static"])
    expect(result.cost).toMatchObject({ usd: 0, source: "none" })
    expect(recorded(at)).toMatchObject({ usd: 0, source: "none", promptTokens: null })
  })

  test("is recorded when the review is interrupted", async () => {
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
    // The review is under way, and its provider has reported the prompt's tokens.
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
    test(`by the ${name} CLI is what the CLI reports, counted once`, async () => {
      await using at = await world()
      const cli = install(at.bin, name, "tools")
      const { result } = await at.report(["--backend", name])
      expect(result.cost.source).toBe(source)
      if (total !== null) expect(result.cost.usd / total).toBeGreaterThan(1)
      if (name === "claude") expect(result.cost.usd).toBeCloseTo(0.0125 * cli.turns(), 9)
      expect(recorded(at)).toMatchObject({ usd: result.cost.usd, source })
    })
  }
})

const safely = (read: () => string): string => {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ""
    throw error
  }
}

test("a review that the provider refuses costs nothing", async () => {
  await using at = await world(() => ({ trouble: { status: 401 } }))
  await at.call(["review", "--commit", "HEAD", "--backend", "anthropic"])
  expect(recorded(at)).toMatchObject({ usd: 0, source: "none", promptTokens: null })
})

describe("a limit of cost", () => {
  for (const args of [
    ["--backend", "openai", "--model", "m-1"],
    ["--backend", "codex"]
  ]) {
    test(`is refused before the first request when the price is not known: ${args.join(" ")}`, async () => {
      await using at = await world()
      const cli = install(at.bin, "codex", "tools")
      const { status, stderr, stdout } = await at.call(["review", "--commit", "HEAD", "--max-cost", "1", ...args])
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
      expect(cli.turns()).toBe(0)
      expect(stderr).toContain("--max-cost")
      expect(stderr).toContain(args[1] === "codex" ? "codex.model" : `[prices."m-1"]`)
      expect(stderr).toContain(args[1] === "codex" ? "config.toml" : join(at.home, ".daydream/prices.toml"))
    })
  }

  test("below the cost of the first request leaves a run without requests", async () => {
    await using at = await world()
    const { result } = await at.report(["--backend", "anthropic", "--max-cost", "0.001"])
    expect(result.cost).toMatchObject({ usd: 0, source: "none" })
    const { promptTokens, source } = recorded(at)
    expect({ promptTokens, source }).toEqual({ promptTokens: null, source: "none" })
  })

  test("is in the headline with what the review cost, and in the JSON", async () => {
    await using at = await world()
    const { stdout } = await at.review(["--backend", "anthropic"])
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(/It cost \$0\.\d\d of at most \$1\.00\./)
    const { result } = await at.report(["--backend", "anthropic", "--max-cost", "3"])
    expect(result.cost.limit_usd).toBe(3)
    const { result: free } = await at.report(["--backend", "static"])
    expect(free.cost.limit_usd).toBeNull()
  })

  test("that stops a review is in the headline with the way out", async () => {
    await using at = await world()
    const { stdout } = await at.review(["--backend", "anthropic", "--max-cost", "0.02"])
    const headline = stdout.replaceAll(/\s+/g, " ")
    expect(headline).toContain("It stopped at the limit of $0.02; --max-cost USD sets another.")
    expect(headline).toContain("This review is inconclusive")
  })

  test("of $0.20 buys a review of ten files: agents answer before the money is spent", async () => {
    const paths = Array.from({ length: 10 }, (_, at) => `shop/part_${at}.py`)
    const code = (name: string, sum: string) =>
      [
        `def ${name}(items):`,
        ...Array.from({ length: 60 }, (_, at) => `    step_${at}(items, "${name}")`),
        `    return ${sum}`,
        ""
      ].join("\n")
    const claim = {
      title: "The sum is not rounded",
      description: "The total is shown to customers and has more than two digits for prices such as 0.1.",
      file: paths[3],
      line: 62,
      endLine: null,
      severity: "high",
      confidence: "HIGH",
      quote: "    return sum(items) * 2",
      rationale: "A float sum is returned as it is.",
      evidence: `${paths[3]}:62`,
      suggestion: null
    }
    const careful: Script = (asked, nth) => {
      const prompt = Math.ceil(JSON.stringify(asked.heard.body).length / 4)
      const used = {
        usage: { prompt, cached: nth === 0 ? 0 : Math.floor(prompt * 0.8), completion: 1_000, reasoning: 500 }
      }
      if (
        submitOf(asked) === "submit_review" &&
        asked.turns < 3 &&
        !JSON.stringify(asked.heard.body).includes("Call submit_review now")
      )
        return { calls: [{ name: "read_file", input: { path: paths[asked.turns] } }], ...used }
      const coverage = paths.map((path) => ({ path, status: "reviewed", reason: "" }))
      return {
        ...handing({ submit_review: { review: "One defect.", issues: [claim], coverage } })(asked, nth),
        ...used
      }
    }
    await using at = await modelReviews((repository) => {
      repository.commit("Begin", Object.fromEntries(paths.map((path) => [path, code("total", "sum(items)")])))
      repository.commit("Double", Object.fromEntries(paths.map((path) => [path, code("total", "sum(items) * 2")])))
    }, careful)
    const { result } = await at.report(["--backend", "anthropic", "--max-cost", "0.20"])
    expect(result.findings.map(({ file }: { file: string }) => file)).toContain(paths[3]!)
    expect(result.cost.usd).toBeLessThanOrEqual(0.2)
    expect([result.status, result.coverage.files_reviewed]).toEqual(["complete", 10])
    const early = "Agents answered early, or were left out, to stay below the limit; --max-cost USD sets another."
    const [little, enough] = [at.asked.length, await at.review(["--backend", "anthropic", "--max-cost", "1"])]
    expect(at.asked.length - little).toBeGreaterThan(little)
    expect(enough.stdout.replaceAll(/\s+/g, " ")).not.toContain(early)
    const { stdout } = await at.review(["--backend", "anthropic", "--max-cost", "0.20"])
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(early)
  })

  test("applies to a model whose price is in prices.toml", async () => {
    await using at = await world()
    writeFileSync(join(at.home, ".daydream/prices.toml"), '[prices."m-1"]\ninput = 1\noutput = 2\n')
    const { result } = await at.report(["--backend", "openai", "--model", "m-1", "--max-cost", "1"])
    expect(result.cost.source).toBe("computed")
    expect(result.cost.usd).toBeGreaterThan(0)
  })
})

test("DAYDREAM_PRICES_FILE names the file with the user's prices", async () => {
  await using at = await world()
  const file = join(at.home, "mine.toml")
  writeFileSync(file, '[prices."m-1"]\ninput = 1\noutput = 2\n')
  const { result } = await at.report(["--backend", "openai", "--model", "m-1", "--max-cost", "1"], {
    DAYDREAM_PRICES_FILE: file
  })
  expect(result.cost.source).toBe("computed")
  writeFileSync(file, '[prices."m-1"]\ninput = "much"\n')
  const { stdout } = await at.call(["doctor"], { DAYDREAM_PRICES_FILE: file })
  expect(stdout).toContain(file)
})

test("dd doctor reports the date of the built-in prices and the faults in the user's", async () => {
  await using at = await world()
  writeFileSync(join(at.home, ".daydream/prices.toml"), '[prices."m-1"]\ninput = "much"\n')
  const { stdout } = await at.call(["doctor", "--format", "json"])
  const words = JSON.parse(stdout).checks.filter(({ subject }: { subject: string }) => subject === "prices")
  expect(words[0].words).toMatch(/^built-in prices of \d{4}-\d\d-\d\d/)
  expect(words[1]).toMatchObject({ state: "problem" })
})
