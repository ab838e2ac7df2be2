/** Whole reviews by models that are scripted behind the real protocols, through the compiled binary. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { dd } from "../support/binary.ts"
import { run } from "../support/inProcess.ts"
import { key, modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { agreeable, agreement, handing, type Script, submitOf } from "../support/modelServer.ts"
import { systemPath } from "../support/process.ts"
import type { ScriptedTurn } from "../support/scriptedTurn.ts"

const before = "def total(items):\n    return sum(items)\n"
const after = "def total(items, tax):\n    rate = tax / 100\n    return sum(items) * rate\n"
const user = "from shop.cart import total\n\n\ndef bill(items):\n    return total(items)\n"

const issue = {
  title: "The total is the tax alone",
  description: "The sum is multiplied by the rate instead of having it added.",
  file: "shop/cart.py",
  line: 3,
  endLine: null,
  severity: "high",
  confidence: "HIGH",
  quote: "    return sum(items) * rate",
  rationale: "With a tax of 20 a sum of 100 becomes 20.",
  evidence: "shop/cart.py:3",
  suggestion: null
}

/** Looks around in the first turn, then claims one true thing and one that stands nowhere. */
const reviewer: Script = (asked) => {
  if (submitOf(asked) !== "submit_review") return agreeable(asked, 0)
  const looks = asked.tools.some(({ name }) => name === "read_file")
  if (asked.turns === 0 && looks) {
    return {
      thinking: "Who calls it?",
      text: "I look at the callers.",
      calls: [
        { name: "read_file", input: { path: "shop/cart.py" } },
        { name: "grep", input: { pattern: "total\\(" } },
        { name: "symbols", input: { query: "references", name: "total" } }
      ],
      usage: { prompt: 4000, cached: 0, completion: 100, reasoning: 20 }
    }
  }
  return {
    calls: [
      {
        name: "submit_review",
        input: {
          review: "The arithmetic is wrong.",
          issues: [issue, { ...issue, title: "Made up", quote: "nothing_like_this()", line: 2 }],
          coverage: [
            { path: "shop/cart.py", status: "reviewed", reason: "" },
            { path: "shop/bill.py", status: "reviewed", reason: "" }
          ]
        }
      }
    ],
    usage: { prompt: 5000, cached: 3500, completion: 200, reasoning: 0 }
  }
}

const world = (script: Script = reviewer) =>
  modelReviews((repository) => {
    repository.commit("Begin", { "shop/cart.py": before, "shop/bill.py": user })
    repository.branch("feature").commit("Add a tax", { "shop/cart.py": after })
  }, script)

const rulesOf = (stdout: string) =>
  JSON.parse(stdout)
    .findings.map(({ rule, source }: { rule: string; source: string }) => `${source} ${rule}`)
    .sort()

const protocols = [...services, ["openai", { DD_OPENAI_API: "chat", DD_OPENAI_TOOLS: "words" }]] as const

describe("a review by a model", () => {
  for (const [backend, env] of protocols) {
    const wordy = Object.values(env).includes("words")
    test(`over ${nameOf([backend, env])}: looks around, claims, and is held to what it quotes`, async () => {
      await using at = await world(wordy ? inWords : reviewer)
      const { status, stdout, stderr } = await at.review(
        ["--backend", backend, "--model", "m-1", "--format", "json"],
        env
      )
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
      const result = JSON.parse(stdout)
      expect(result.run.backend).toBe(backend)
      const claimed = result.findings.filter(({ source }: { source: string }) => source === "model")
      expect(claimed).toHaveLength(1)
      expect(claimed[0]).toMatchObject({ title: issue.title, file: "shop/cart.py", line: 3, severity: "high" })
      // What dd proves stands beside it.
      expect(rulesOf(stdout)).toContain("static xref/call-no-longer-fits")
      expect(result.dropped.map(({ reason }: { reason: string }) => reason).join()).toContain(
        "the quoted text is not there"
      )
      expect(result.coverage.files).toEqual([{ path: "shop/cart.py", status: "reviewed", reason: "" }])
      expect(result.cost.prompt_tokens).toBeGreaterThan(0)
      expect(result.notes.join()).toMatch(/The model read [\d,]+ tokens/)
      expect(JSON.stringify(at.asked.map(({ heard }) => heard.body))).not.toContain(key)
    })
  }

  test("is a session of the host dd, if it is archived", async () => {
    await using at = await world()
    const review = ["--backend", "openai", "--model", "m-1", "--format", "json"]
    await at.review([...review, "--no-archive"])
    await at.review(["--format", "json"])
    const sessions = async () => JSON.parse((await at.call(["session", "list", "--json"])).stdout).sessions
    expect(await sessions()).toEqual([])
    const run = JSON.parse((await at.review(review)).stdout).run.session_id
    expect(await sessions()).toMatchObject([{ session: run, host: "dd", turns: 1, outcome: "clean" }])
    const { session } = JSON.parse((await at.call(["session", "show", run, "--json"])).stdout)
    const steps: ReadonlyArray<{
      readonly tool: string
      readonly action: string
      readonly files: ReadonlyArray<string>
    }> = session.steps
    expect(steps.find(({ tool }) => tool === "read_file")).toMatchObject({ action: "read", files: ["shop/cart.py"] })
    expect(steps.find(({ tool }) => tool === "grep")).toMatchObject({ action: "search", result: "ok" })
  })

  const model = ["--backend", "openai", "--model", "m-1"]
  const reviewed = (...paths: ReadonlyArray<string>) => paths.map((path) => ({ path, status: "reviewed", reason: "" }))
  /** Answers the reviewer's task with prose, and the others by their tools. */
  const inProse =
    (text: string, records: object): Script =>
    (asked, nth) =>
      submitOf(asked) === "submit_review" ? { text } : handing({ submit_records: records })(asked, nth)

  test("in prose is read by the parse agent, and is the same in a replay", async () => {
    const records = { notAReview: false, issues: [issue], coverage: reviewed("shop/cart.py") }
    await using at = await world(inProse("shop/cart.py:3: the total is the tax alone.", records))
    const { result, status } = await at.report(model)
    expect([status, result.status, result.degraded]).toEqual([0, "complete", []])
    expect(result.findings.filter(({ source }: { source: string }) => source === "model")).toMatchObject([
      { title: issue.title, line: 3 }
    ])
    expect((await at.report(["--replay", "latest"])).result.findings).toEqual(result.findings)
  })

  for (const [what, script] of [
    ["in prose that names no file", inProse("no", { notAReview: false, issues: [], coverage: [] })],
    ["that lists no file as reviewed", handing({ submit_review: { review: "no", issues: [], coverage: [] } })]
  ] as const) {
    test(`${what} leaves every file unread`, async () => {
      await using at = await world(script)
      const { result, status } = await at.report(model)
      expect([status, result.status]).toEqual([4, "partial"])
      expect(result.coverage.files).toEqual([
        { path: "shop/cart.py", status: "unread", reason: "not reported as read by its reviewer" }
      ])
      expect(result.notes[0]).toMatch(
        /^A model answered, but no file counts as reviewed by it: .* Static checks: \d+ rules\.$/
      )
    })
  }

  /** A change of three files, so that there is an arbiter. */
  const contested = async (script: Script, files: Readonly<Record<string, string>> = {}) => {
    const at = await world(script)
    at.repository.commit("More", { "shop/a.py": "a = 1\n", "shop/b.py": "b = 1\n", ...files })
    return at
  }
  const claiming = (...issues: ReadonlyArray<object>) => ({
    submit_review: { review: "Wrong.", issues, coverage: reviewed("shop/a.py", "shop/b.py", "shop/cart.py") }
  })
  const errorsOf = (result: { readonly degraded: ReadonlyArray<{ readonly step: string; readonly error: string }> }) =>
    result.degraded.map(({ error, step }) => [step, error])

  for (const [what, verdicts, expected] of [
    ["contradicts itself", [{ keep: true, severity: "low" }, { keep: false }], { severity: "high", undecided: true }],
    ["lacks keep", [{ severity: "low", description: "Milder." }], { severity: "high", undecided: true }],
    ["has keep as a string", [{ keep: "false" }], { severity: "high", undecided: true }],
    ["is not given", [], { severity: "high", undecided: true }],
    [
      "rewords the claim",
      [{ keep: true, severity: "medium", description: "The tax replaces the sum. Add it instead." }],
      { severity: "medium", title: "The tax replaces the sum.", undecided: false }
    ]
  ] as const) {
    test(`keeps a claim when the arbiter's verdict ${what}`, async () => {
      // The first claim is the true one, the second is made up.
      const findings = [...verdicts.map((verdict) => ({ arb_id: 1, ...verdict })), { arb_id: 2, keep: true }]
      const madeUp = { ...issue, title: "Made up", quote: "nothing_like_this()", line: 2 }
      await using at = await contested(handing({ ...claiming(issue, madeUp), submit_verdicts: { findings } }))
      const { result } = await at.report(model)
      const { undecided, ...finding } = { title: issue.title, ...expected }
      const claimed = result.findings.filter(({ stack }: { stack: string }) => stack.startsWith("python"))
      expect(claimed).toContainEqual(expect.objectContaining(finding))
      expect(errorsOf(result)).toEqual(undecided ? [["arbiter", "ArbiterUndecided"]] : [])
    })
  }

  const twoClaims = claiming(
    { ...issue, title: "Of two lines", line: 1, quote: "def total(items, tax):\n    rate = tax / 100" },
    { ...issue, title: "A line above", description: "A negative tax lowers what is paid.", line: 2 }
  )
  const withoutArbiter: Script = (asked, nth) =>
    submitOf(asked) === "submit_verdicts" ? { trouble: { status: 400 } } : handing(twoClaims)(asked, nth)
  const expectUndecided = (result: Awaited<ReturnType<Awaited<ReturnType<typeof world>>["report"]>>["result"]) => {
    expect(result.dropped).toEqual([])
    const claimed = result.findings.filter(
      ({ source, stack }: { source: string; stack: string }) => source === "model" && stack.includes("python")
    )
    expect(claimed).toMatchObject([
      { title: "Of two lines", line: 1, severity: "high" },
      { title: "A line above", line: 3, severity: "high" }
    ])
    expect(errorsOf(result)).toContainEqual(["arbiter", "ArbiterUndecided"])
  }
  for (const [how, config] of [
    ["stand in for the arbiter", 'fallback = ["static"]\n'],
    ["are the arbiter", '[phases.arbiter]\nbackend = "static"\n']
  ] as const) {
    test(`keeps its claims when the static checks ${how}`, async () => {
      await using at = await contested(withoutArbiter)
      at.config(`backend = "openai"\nmodel = "m-1"\n${config}`)
      expectUndecided((await at.report([])).result)
    })
  }

  test("keeps its claims in a merge without a model, and a later merge asks the arbiter", async () => {
    let isDown = true
    const verdicts = { submit_verdicts: { findings: [1, 2].map((arb_id) => ({ arb_id, keep: true })) } }
    await using at = await contested((asked, nth) => (isDown ? withoutArbiter : handing(verdicts))(asked, nth))
    await at.review(model)
    expectUndecided((await at.report(["--start-at", "merge"])).result)
    isDown = false
    at.asked.length = 0
    expect((await at.report([...model, "--start-at", "merge"])).result.degraded).toEqual([])
    expect(at.asked.map(submitOf)).toContain("submit_verdicts")
  })

  test("leaves findings of rules when the arbiter drops everything", async () => {
    const findings = Array.from({ length: 9 }, (_, at) => ({ arb_id: at + 1, keep: false, rationale: "no" }))
    await using at = await contested(handing({ ...twoClaims, submit_verdicts: { findings } }), {
      "shop/a.py": 'def go(x):\n    assert (x > 1, "too small")\n'
    })
    const high = async (args: ReadonlyArray<string>) =>
      (await at.report(args)).result.findings
        .filter(({ severity, source }: Record<string, string>) => severity === "high" && source === "static")
        .map(({ file, line, rule }: Record<string, string>) => `${file}:${line} ${rule}`)
    const alone = await high([])
    expect(alone.some((each: string) => each.startsWith("shop/a.py"))).toBe(true)
    expect(await high(model)).toEqual(alone)
  })

  test("whose prose cannot be parsed is partial, also when it is resumed", async () => {
    let isBroken = true
    const broken: Script = (asked, nth) =>
      submitOf(asked) === "submit_records" ? { trouble: { status: 400 } } : inProse("It is wrong.", {})(asked, nth)
    await using at = await world((asked, nth) => (isBroken ? broken : agreeable)(asked, nth))
    const first = await at.report(model)
    isBroken = false
    expect(first.status).toBe(4)
    const { coverage, degraded, status } = first.result
    expect(status).not.toBe("complete")
    for (const startAt of ["merge", "fix", "merge"]) {
      const again = await at.report([...model, "--start-at", startAt])
      expect(again.status).toBe(4)
      expect(again.result).toMatchObject({ coverage, degraded, status })
    }
  })

  test("sends a model with a small context less, so that it has room for tools and the answer", async () => {
    await using at = await world()
    at.repository.commit("Much", { "shop/much.py": "def f(x):\n    return x + 1\n\n\n".repeat(1500) })
    const longestAsked = async (tokens: string) => {
      at.asked.length = 0
      await at.review(["--backend", "openai", "--model", "m-1", "--commit", "HEAD"], {
        DD_OPENAI_CONTEXT_TOKENS: tokens
      })
      return Math.max(...at.asked.map(({ heard }) => heard.text.length))
    }
    const ample = await longestAsked("200000")
    const small = await longestAsked("16000")
    expect(small).toBeLessThan(ample * 0.6)
    // Some three characters a token.
    expect(small).toBeLessThan(16_000 * 3)
  })

  test("keeps a record that is valid, with every call, its result and what it took, and no key", async () => {
    await using at = await world()
    const record = join(at.place, "record.json")
    await at.review(["--backend", "anthropic", "--trajectory", record])
    const siblings = Array.from(new Bun.Glob("**/*.json").scanSync(at.place))
    const valid = await at.call(["trajectory", "validate", record])
    expect(valid).toMatchObject({ status: 0, stderr: "" })
    const all = siblings
      .filter((path) => path.startsWith("record"))
      .map((path) => readFileSync(join(at.place, path), "utf8"))
      .join("\n")
    for (const words of ["read_file", "Who calls it?", "I look at the callers.", "return total(items)"]) {
      expect(all).toContain(words)
    }
    expect(all).not.toContain(key)
  })

  test("has a preview of the least cost that sends no request", async () => {
    await using at = await world()
    const { status, stdout } = await at.review(["--backend", "anthropic", "--model", "claude-sonnet-5", "--preview"])
    expect(status).toBe(0)
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /Cost: at least \$0\.\d+, about \$0\.\d\d expected, at most \$1\.00 \(--max-cost sets another limit\)\. At least [\d,]+ tokens are sent/
    )
    expect(at.asked).toHaveLength(0)
  })

  test("can be replayed without the model", async () => {
    await using at = await world()
    const first = await at.review(["--backend", "anthropic", "--format", "json"])
    const asked = at.asked.length
    const again = await at.review(["--replay", "latest", "--format", "json"])
    expect(again.status).toBe(0)
    expect(JSON.parse(again.stdout).findings).toEqual(JSON.parse(first.stdout).findings)
    expect(at.asked.length).toBe(asked)
    // The latest that asked somebody: a replay is not replayed.
    const told = (await at.review(["--replay", "latest"])).stdout.replaceAll(/\s+/g, " ")
    expect(told).toMatch(/no model was called, and nothing was spent\. It cost \$0\.\d\d then\./)
    expect(told).toContain(", at no cost.")
    expect(told).not.toContain("set and not used")
  })

  test("is sent to the backend of each phase, and names the fallback that answered", async () => {
    await using at = await world((asked, nth) =>
      asked.protocol === "messages" && asked.tools.some(({ name }) => name === "submit_review")
        ? { trouble: { status: 400, message: "no" } }
        : reviewer(asked, nth)
    )
    at.config(
      'backend = "anthropic"\nfallback = ["openai"]\nmodel = "m-1"\n\n[openai]\napi = "responses"\nmodel = "m-3"\n\n[phases.intent]\nbackend = "openai"\nmodel = "m-2"\n'
    )
    const { stdout } = await at.review(["--format", "json"])
    const result = JSON.parse(stdout)
    const protocolsOf = (tool: string) =>
      new Set(at.asked.filter((asked) => submitOf(asked) === tool).map(({ heard }) => heard.path))
    expect([...protocolsOf("submit_intent")]).toEqual(["/v1/responses"])
    expect(result.degraded.map(({ detail }: { detail: string }) => detail).join()).toContain("openai is used instead")
    expect(result.findings.some(({ source }: { source: string }) => source === "model")).toBe(true)
  })

  test("is asked with the effort of each phase, by one backend", async () => {
    await using at = await world()
    at.config('backend = "anthropic"\nmodel = "claude-sonnet-5"\n\n[phases.intent]\neffort = "low"\n')
    await at.review(["-q"])
    const efforts = (tool: string) =>
      new Set(
        at.asked
          .filter((asked) => submitOf(asked) === tool)
          .map(({ heard }) => /"effort":"(\w+)"/.exec(JSON.stringify(heard.body))?.[1])
      )
    expect([...efforts("submit_intent")]).toEqual(["low"])
    expect([...efforts("submit_review")]).toEqual(["high"])
    const { stdout } = await at.call(["config", "show", "--origin"])
    expect(stdout).toMatch(/phases\.intent\.effort +low +.*config\.toml:5/)
    expect(stdout).toMatch(/phases\.arbiter\.effort +xhigh +default, for models with an API/)
  })

  test("is archived under the backend and the model that answered", async () => {
    await using at = await world()
    at.config('backend = "openai"\nmodel = "mystery"\nfallback = ["anthropic"]\n')
    expect((await at.review(["-q"], { DD_OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })).status).not.toBe(2)
    const listed = async (backend: string) => {
      const { stdout } = await at.call(["archive", "list", "--backend", backend, "--format", "json"])
      return JSON.parse(stdout).runs
    }
    expect(await listed("openai")).toEqual([])
    const [row] = await listed("anthropic")
    expect(row).toMatchObject({ backend: "anthropic", review_backend: "anthropic", model: at.asked[0]?.model })
    expect(row.model).not.toBe("mystery")
  })
})

/** Calls in words: the runtime tells the model how. */
const inWords: Script = (asked, nth): ScriptedTurn => {
  const wanted = /the tool `(submit_\w+)`/.exec(asked.told)?.[1] ?? "submit_intent"
  const tools = [
    { name: wanted, input: { type: "object" } },
    ...(asked.system.includes("read_file") ? [{ name: "read_file", input: {} }] : [])
  ]
  const turn = reviewer({ ...asked, tools }, nth)
  const calls = turn.calls ?? []
  return {
    text: calls
      .map(({ name, input }) => `<action_call name="${name}">${JSON.stringify(inputOf(name, input))}</action_call>`)
      .join("\n")
  }
}

const inputOf = (name: string, input: unknown): unknown =>
  ({
    submit_intent: { intent: "To add a tax." },
    submit_alternatives: { issues: [] },
    submit_verdicts: { findings: [] },
    submit_notes: { notes: [] },
    submit_verification: agreement("Number 1:\nNumber 2:")
  })[name] ?? input

describe("a review by a model that cannot answer", () => {
  test("does not begin without a key, and names the variable", async () => {
    await using at = await world()
    const { status, stdout, stderr } = await run([dd, "review", "--backend", "anthropic"], {
      cwd: at.repository.root,
      env: { PATH: systemPath, HOME: at.home }
    })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
    expect(stderr).toContain("ANTHROPIC_API_KEY")
    expect(at.asked).toHaveLength(0)
  })

  test("is not begun with a key that no header can carry, and does not show it", async () => {
    await using at = await world()
    const { status, stderr } = await at.review(["--backend", "anthropic"], { ANTHROPIC_API_KEY: `${key}\nand more` })
    expect(status).toBe(2)
    expect(stderr).toContain("ANTHROPIC_API_KEY is not a key")
    expect(stderr).not.toContain(key)
    expect(at.asked).toHaveLength(0)
  })

  for (const [what, script] of [
    ["refuses", () => ({ text: "I cannot help.", stop: "refusal" })],
    ["speaks another protocol", () => ({ trouble: { brokenAfter: 1 } })],
    ["answers something else", () => ({ text: "All is fine, ship it." })]
  ] as ReadonlyArray<readonly [string, Script]>) {
    test(`because it ${what} is inconclusive, never clean, and keeps what dd proves`, async () => {
      await using at = await world(script)
      const { status, stdout } = await at.review(["--backend", "anthropic", "--format", "json"])
      expect(status).toBe(4)
      const result = JSON.parse(stdout)
      expect(result.status).toBe("inconclusive")
      expect(result.coverage.files_reviewed).toBe(0)
      expect(rulesOf(stdout)).toEqual(["static xref/call-no-longer-fits"])
      expect(result.degraded.length).toBeGreaterThan(0)
      expect(stdout).not.toContain(key)
    })
  }

  test("stops before it costs more than it may, and ends inconclusive", async () => {
    // A turn costs $0.05. Some fit, the whole review does not.
    const dear = { prompt: 4000, cached: 0, completion: 4_000, reasoning: 0 }
    await using at = await world((asked, nth) => ({ ...reviewer(asked, nth), usage: dear }))
    const asking = ["--backend", "anthropic", "--model", "claude-sonnet-5", "--max-cost", "0.2"]
    const { status, stdout } = await at.review([...asking, "--format", "json"])
    const result = JSON.parse(stdout)
    expect(status).toBe(4)
    expect(result.status).toBe("inconclusive")
    expect(result.cost.usd).toBeGreaterThan(0)
    expect(result.cost.usd).toBeLessThanOrEqual(0.2)
    // It reads on although it is asked for its answer.
    expect(JSON.stringify(result.degraded)).toContain("no answer after 1 turn (budget)")
  })

  test("reports what is wrong with the user's prices, archived or not", async () => {
    await using at = await world()
    writeFileSync(join(at.home, ".daydream", "prices.toml"), '[prices."m-1"]\ninput = "much"\n')
    const { stderr } = await at.review(["--backend", "anthropic", "--model", "m-1", "--no-archive"])
    expect(stderr).toContain('prices."m-1" needs input and output')
  })

  test("waits and asks again when it is overloaded", async () => {
    let refused = 0
    await using at = await world((asked, nth) =>
      refused++ < 2 ? { trouble: { status: 529, headers: { "retry-after": "0" } } } : reviewer(asked, nth)
    )
    const { status, stdout } = await at.review(["--backend", "anthropic", "--format", "json"])
    expect(status).toBe(0)
    expect(JSON.parse(stdout).status).toBe("complete")
  })

  test("ends when it is interrupted: with 130, a partial record, and no connection left open", async () => {
    await using at = await world((asked, nth) =>
      asked.tools.some(({ name }) => name === "submit_review")
        ? { text: "Well", trouble: { holdAfter: 2 } }
        : reviewer(asked, nth)
    )
    const record = join(at.place, "record.json")
    const child = Bun.spawn([dd, "review", "--backend", "anthropic", "--trajectory", record], {
      cwd: at.repository.root,
      env: at.env,
      stdout: "ignore",
      stderr: "ignore"
    })
    while (!at.asked.some((asked) => submitOf(asked) === "submit_review")) await Bun.sleep(20)
    child.kill("SIGINT")
    expect(await child.exited).toBe(130)
    expect(existsSync(`${record}.partial`) || existsSync(record.replace(/\.json$/, ".partial.json"))).toBe(true)
  })
})
