/** A review that was killed at any moment and is resumed: the same findings, and no finished agent is asked again. */
import { describe, expect, test } from "bun:test"
import { appendFileSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Asked } from "../support/Asked.ts"
import { dd } from "../support/binary.ts"
import { type ModelReviews, modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { agreeable, type Script, submitOf } from "../support/modelServer.ts"

const cart = "def total(items):\n    return sum(items)\n"
const taxed = "def total(items, tax):\n    rate = tax / 100\n    return sum(items) * rate\n"
const page = "export const label = (n: number) => `${n}`\n"
const changedPage = "export const label = (n: number) => {\n  return `${n} items`\n}\n"

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

/** Reads a file first, then claims one thing. */
const reviewer: Script = (asked) => {
  const usage = { prompt: 4000, cached: 0, completion: 100, reasoning: 20 }
  if (submitOf(asked) !== "submit_review") return { ...agreeable(asked, 0), usage }
  if (asked.turns === 0) return { calls: [{ name: "read_file", input: { path: "shop/cart.py" } }], usage }
  const issues = asked.told.includes("shop/cart.py") ? [issue] : []
  const coverage = ["shop/cart.py", "web/label.ts"].map((path) => ({ path, status: "reviewed", reason: "" }))
  return { calls: [{ name: "submit_review", input: { review: "The arithmetic is wrong.", issues, coverage } }], usage }
}

const world = (script: Script = reviewer) =>
  modelReviews((repository) => {
    repository.commit("Begin", { "shop/cart.py": cart, "web/label.ts": page })
    repository.branch("feature").commit("Add a tax", { "shop/cart.py": taxed, "web/label.ts": changedPage })
  }, script)

/** Agents that may run at once. */
const fanout = 5

const flags = ["--no-archive", "--max-cost", "5"]
const findingsOf = ({ findings }: { findings: ReadonlyArray<{ fingerprint: string; file: string; line: number }> }) =>
  findings.map(({ file, fingerprint, line }) => `${file}:${line} ${fingerprint}`).sort()

const sessionOf = (result: { run: { session_id: string } }): string => result.run.session_id

const runsIn = (at: ModelReviews) => readdirSync(join(at.repository.root, ".daydream", "runs"))

/** The prompt of each agent that had ended when the only run was killed. */
const finishedIn = (at: ModelReviews): ReadonlyArray<ReadonlyArray<string>> => {
  const [run = ""] = runsIn(at)
  const agents = join(at.repository.root, ".daydream", "runs", run, "agents")
  return readdirSync(agents).flatMap((name) => {
    const lines = readFileSync(join(agents, name), "utf8").split("\n")
    const refs = lines.flatMap((line) => (line.endsWith("}") ? [JSON.parse(line)] : []))
    if (!refs.some(({ _tag }) => _tag === "RunEnded")) return []
    return [refs.find(({ _tag }) => _tag === "Input").words.map(({ text }: { text: string }) => text)]
  })
}

/** The conversation of a request: what it asks and how far it is, without the word of the fences. */
const requestOf = ({ told, turns }: Asked) => JSON.stringify([told, turns])

/** A review that waits for the answer to its nth request (from 0), which never comes. */
const waitingAt = async (at: ModelReviews, nth: number, args: ReadonlyArray<string>, env: Record<string, string>) => {
  const before = at.server.heard.length
  const child = Bun.spawn([dd, "review", ...args, "--format", "json"], {
    cwd: at.repository.root,
    env: { ...at.env, ...env },
    stdout: "ignore",
    stderr: "pipe"
  })
  await Promise.race([at.server.answering(before + nth), child.exited])
  return child
}

/** Kills the review when the nth request (from 0) arrives. Returns what it wrote to standard error. */
const killedAt = async (
  at: ModelReviews,
  nth: number,
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  signal: "SIGKILL" | "SIGINT" = "SIGKILL"
) => {
  const child = await waitingAt(at, nth, args, env)
  child.kill(signal)
  await child.exited
  return new Response(child.stderr).text()
}

describe("dd review --resume", () => {
  for (const [place, service] of services.entries()) {
    const [backend, env] = service
    // Over the first service at every request; each of the two others takes half of them.
    const [first, step] = place === 0 ? [1, 1] : [place, 2]
    const moments = place === 0 ? "every request" : "every second request"
    test(`over ${nameOf(service)}: continues after a kill at ${moments}, and repeats no finished agent`, async () => {
      await using at = await world()
      const args = ["--backend", backend, "--model", "claude-sonnet-4-5", ...flags]
      const whole = await at.report(args, env)
      const usual = at.asked.length
      expect(findingsOf(whole.result).length).toBeGreaterThan(0)
      for (let nth = first; nth <= usual; nth += step) {
        rmSync(join(at.repository.root, ".daydream"), { recursive: true })
        at.asked.length = 0
        await killedAt(at, nth, args, env)
        const killed = at.asked.length
        const finished = finishedIn(at)
        const said = await at.review([...args, "--resume", "latest", "--format", "json"], env)
        expect({ nth, status: said.status, stderr: said.stderr }).toEqual({ nth, status: 0, stderr: "" })
        const resumed = { result: JSON.parse(said.stdout) }
        expect(findingsOf(resumed.result)).toEqual(findingsOf(whole.result))
        expect(resumed.result.coverage).toEqual(whole.result.coverage)
        // Both parts together cost what one review costs; unknown if the kill came between an answer and its usage.
        if (resumed.result.cost.usd !== null) expect(resumed.result.cost).toEqual(whole.result.cost)
        expect(at.asked.length).toBeLessThanOrEqual(usual + fanout)
        const counts = Map.groupBy(at.asked, requestOf)
        const repeated = [...counts.values()].filter((each) => each.length > 1)
        expect(repeated.length).toBeLessThanOrEqual(fanout)
        for (const words of finished) {
          const again = at.asked.slice(killed).filter(({ told }) => words.every((text) => told.includes(text)))
          expect(again).toEqual([])
        }
      }
    })
  }

  for (const [protocol, backend, model, settings] of [
    ["messages", "anthropic", "claude-opus-5-5", ""],
    ["responses", "openai", "gpt-5.6-sol", 'api = "responses"'],
    ["chat", "openai", "gpt-5.6-sol", 'api = "chat"'],
    ["ollama", "openai", "qwen3", 'server = "ollama"\ncontext_tokens = 200000']
  ] as const) {
    test(`over ${protocol}: continues an agent that gets what it had left as a further input`, async () => {
      const lines = Array.from(
        { length: 800 },
        (_, at) => `value_${at} = compute(${at}, "${"some words ".repeat(14)}")`
      )
      const path = "shop/values.py"
      const usage = { prompt: 4000, cached: 0, completion: 100, reasoning: 20 }
      /** Reads each part that it is shown, then claims one thing on it. */
      const careful: Script = (asked) => {
        if (submitOf(asked) !== "submit_review") return { ...agreeable(asked, 0), usage }
        // Killed between its answer and the end of its turn, an agent cannot get more: another one gets only the rest.
        const isRest = asked.told.includes("# What is left") || !asked.told.includes("value_0 =")
        const at = isRest ? 799 : 0
        const thinking = `Line ${at + 1}, turn ${asked.turns}.`
        if (asked.turns % 2 === 0) return { thinking, calls: [{ name: "read_file", input: { path, from: at } }], usage }
        const found = { ...issue, file: path, line: at + 1, quote: lines[at] ?? "", evidence: `${path}:${at + 1}` }
        const coverage = [{ path, status: "reviewed", reason: "" }]
        return { thinking, calls: [{ name: "submit_review", input: { review: "", issues: [found], coverage } }], usage }
      }
      await using at = await modelReviews((repository) => {
        repository.commit("Begin", { "README.md": "# Shop\n" })
        repository.branch("feature").commit("Add", { [path]: `${lines.join("\n")}\n` })
      }, careful)
      at.config(`[openai]\n${settings}\n`)
      const args = ["--backend", backend, "--model", model, "--no-archive"]
      const whole = await at.report(args)
      const usual = at.asked.length
      expect(new Set(at.asked.map((asked) => asked.protocol))).toEqual(new Set([protocol]))
      /** What is sent back of the model's thinking, in requests about what is left. */
      const thoughts = () =>
        at.asked.flatMap(({ heard, told, turns }) =>
          told.includes("# What is left")
            ? [[turns, ...(heard.text.match(/Line \d+, turn \d+\./g) ?? [])].join(" ")]
            : []
        )
      const usually = thoughts()
      expect(usually).toHaveLength(2)
      expect(findingsOf(whole.result)).toHaveLength(2)
      const requests = at.server.heard.length
      const joins = at.server.heard.findIndex(({ text }) => text.includes("# What is left"))
      // Before that, agents are continued as in the test above.
      for (let nth = protocol === "messages" ? 1 : joins; nth < requests; nth++) {
        rmSync(join(at.repository.root, ".daydream"), { recursive: true })
        at.asked.length = 0
        await killedAt(at, nth, args, {})
        const again = await at.report([...args, "--resume", "latest"])
        expect({ nth, status: again.status, stderr: again.stderr }).toEqual({ nth, status: 0, stderr: "" })
        expect(again.result.degraded).toEqual([])
        expect(findingsOf(again.result)).toEqual(findingsOf(whole.result))
        expect(again.result.coverage).toEqual(whole.result.coverage)
        if (again.result.cost.usd !== null) expect(again.result.cost).toEqual(whole.result.cost)
        // No answer is paid twice except those that were running.
        const repeated = [...Map.groupBy(at.asked, requestOf).values()].filter((each) => each.length > 1)
        expect(repeated.length).toBeLessThanOrEqual(2)
        expect(at.asked.length).toBeLessThanOrEqual(usual + 2)
        if (nth >= joins) expect([...new Set(thoughts())]).toEqual(usually)
      }
    })
  }

  test("refuses a run that has ended, is unknown, or reviewed another change", async () => {
    await using at = await world()
    const args = ["--backend", "anthropic", "--model", "claude-sonnet-4-5", ...flags]
    at.repository.write("shop/cart.py", `${taxed}\n`)
    await killedAt(at, 2, args, {})
    const [killed = ""] = runsIn(at)
    at.repository.write("shop/cart.py", `${taxed}# more\n`)
    const changed = await at.review([...args, "--resume", killed])
    expect(changed.status).toBe(2)
    expect(changed.stderr).toContain("the change is not the same now")
    at.repository.write("shop/cart.py", `${taxed}\n`)
    const unknown = await at.review([...args, "--resume", "ffffffff"])
    expect(unknown.stderr).toContain("no session id starts with it")
    const done = await at.report([...args, "--resume", killed])
    const ended = await at.review([...args, "--resume", sessionOf(done.result)])
    expect(ended.status).toBe(2)
    expect(ended.stderr).toContain("there is nothing to resume")
  })

  test("refuses a run that is still running, with its process, and takes it when that is gone", async () => {
    let holds = true
    await using at = await world((asked, nth) =>
      holds && asked.turns > 0 ? { trouble: { holdAfter: 0 } } : reviewer(asked, nth)
    )
    const args = ["--backend", "anthropic", "--model", "claude-sonnet-4-5", ...flags]
    const child = await waitingAt(at, 4, args, {})
    const [running = ""] = runsIn(at)
    for (const run of ["latest", running, running.slice(0, 8), join(".daydream", "runs", running)]) {
      const refused = await at.review([...args, "--resume", run])
      expect({ run, status: refused.status, stdout: refused.stdout }).toEqual({ run, status: 2, stdout: "" })
      expect(refused.stderr).toStartWith(
        `dd: error: --resume: the run ${running} is still running (process ${child.pid}); wait until it ends, stop it with kill ${child.pid}, or name another run`
      )
    }
    // Nothing is asked twice.
    expect(new Set(at.asked.map(requestOf)).size).toBe(at.asked.length)
    child.kill("SIGKILL")
    await child.exited
    holds = false
    const { result, status } = await at.report([...args, "--resume", "latest"])
    expect([status, findingsOf(result).length > 0]).toEqual([0, true])
  })

  test("continues a review that its cost limit stopped, and counts both parts toward the new limit", async () => {
    // Gives its answer early if it is asked to.
    await using at = await world((asked, nth) =>
      reviewer(asked.choice === "submit_review" ? { ...asked, turns: 1 } : asked, nth)
    )
    const args = ["--backend", "anthropic", "--model", "claude-sonnet-4-5", "--no-archive", "--on-inconclusive", "pass"]
    const whole = await at.report([...args, "--max-cost", "5"])
    const usual = at.asked.length
    const first = await at.report([...args, "--max-cost", "0.05"])
    expect(first.result.status).toBe("inconclusive")
    const stopped = at.asked.length - usual
    expect(stopped).toBeLessThan(usual)
    const again = await at.report([...args, "--max-cost", "0.05", "--resume", "latest"])
    expect(at.asked.length).toBe(usual + stopped)
    expect(again.result.status).toBe("inconclusive")
    const rest = await at.report([...args, "--max-cost", "5", "--resume", "latest"])
    expect(at.asked.length).toBeLessThanOrEqual(usual + usual)
    expect(findingsOf(rest.result)).toEqual(findingsOf(whole.result))
    // No turn is missing, and none is counted twice.
    expect(rest.result.cost.prompt_tokens).toBe(4000 * (at.asked.length - usual))
  })

  test("continues after Ctrl-C as after a kill, also with the last line of each log cut off", async () => {
    await using at = await world()
    const args = ["--backend", "openai", "--model", "gpt-5", ...flags]
    const whole = await at.report(args)
    const usual = at.asked.length
    rmSync(join(at.repository.root, ".daydream"), { recursive: true })
    const said = await killedAt(at, 5, args, {}, "SIGINT")
    const [run = ""] = runsIn(at)
    expect(said).toBe(
      `dd: interrupted; what its agents did is kept in .daydream/runs/${run}, and dd review --resume ${run} continues it, with the other flags of this run\n`
    )
    const agents = join(at.repository.root, ".daydream", "runs", run, "agents")
    for (const name of readdirSync(agents)) appendFileSync(join(agents, name), '{"_tag":"Turn","id":"ha')
    const again = await at.report([...args, "--resume", run.slice(0, 8)])
    expect({ status: again.status, stderr: again.stderr }).toEqual({ status: 0, stderr: "" })
    expect(findingsOf(again.result)).toEqual(findingsOf(whole.result))
    expect(at.asked.length).toBeLessThanOrEqual(usual + usual + fanout)
    expect(again.result.notes.join("\n")).not.toContain("not used")
  })

  test("asks again, and says so, if the prompt differs", async () => {
    await using at = await world()
    const args = ["--backend", "anthropic", "--model", "claude-sonnet-4-5", ...flags]
    await killedAt(at, 4, args, {})
    const paid = at.asked.length
    const { result } = await at.report([...args, "--resume", "latest", "--instructions", "Look at the taxes."])
    expect(result.notes.join("\n")).toContain("not used, because the task or the prompt differs")
    expect(findingsOf(result).length).toBeGreaterThan(0)
    expect(at.asked.length).toBeGreaterThan(paid)
  })

  for (const [what, over, why] of [
    [
      "another model",
      ["--backend", "anthropic", "--model", "claude-haiku-4-5"],
      "that run asked claude-sonnet-4-5 and this one asks claude-haiku-4-5"
    ],
    [
      "another backend",
      ["--backend", "openai", "--model", "gpt-5"],
      "that run asked anthropic and this one asks openai"
    ],
    ["no model", ["--backend", "static"], "that run asked anthropic and this one no model"]
  ] as const) {
    test(`with ${what} takes nothing, says why, and keeps what was paid in the cost and the record`, async () => {
      await using at = await world()
      const args = ["--backend", "anthropic", "--model", "claude-sonnet-4-5", "--max-cost", "5"]
      await killedAt(at, 4, args, {})
      const [killed = ""] = runsIn(at)
      // Of the killed run, as far as its answers arrived.
      const flags = ["--no-archive", "--max-cost", "5", "--on-inconclusive", "pass"]
      const again = await at.report(["--resume", "latest", ...over, ...flags])
      const notes = again.result.notes.join("\n")
      expect(notes).toContain(
        `This resumes the run ${killed}. Of its agents, the answers of 0 are taken and 0 continue.`
      )
      expect(notes).toMatch(new RegExp(`\\d+ (is|are) not used, because ${why}\\.`))
      expect(notes).toContain("The cost and its limit include what all of them cost then.")
      expect(notes).not.toContain("no model was chosen")
      const fresh = await at.report([...over, ...flags])
      expect(again.result.cost.prompt_tokens).toBeGreaterThan(fresh.result.cost.prompt_tokens ?? 0)
      const usd = again.result.cost.usd
      if (usd !== null) expect(usd).toBeGreaterThan(fresh.result.cost.usd ?? 0)
      const run = join(at.repository.root, ".daydream", "runs", sessionOf(again.result), "trajectory.json")
      const { final_metrics } = JSON.parse(readFileSync(run, "utf8"))
      expect(final_metrics.total_prompt_tokens).toBe(again.result.cost.prompt_tokens)
      expect(final_metrics.total_cost_usd).toBeCloseTo(usd, 4)
    })
  }

  test("continues a resumed review that was killed in its turn, with what all of them had paid", async () => {
    await using at = await world()
    const args = ["--backend", "anthropic", "--model", "claude-sonnet-4-5", ...flags]
    const whole = await at.report(args)
    const usual = at.asked.length
    rmSync(join(at.repository.root, ".daydream"), { recursive: true })
    at.asked.length = 0
    await killedAt(at, usual - 1, args, {})
    const [first = ""] = runsIn(at)
    await killedAt(at, 0, [...args, "--resume", first], {})
    const { result } = await at.report([...args, "--resume", "latest"])
    expect(findingsOf(result)).toEqual(findingsOf(whole.result))
    expect(at.asked.length).toBeLessThanOrEqual(usual + 2 * fanout)
    if (result.cost.usd !== null) expect(result.cost).toEqual(whole.result.cost)
  })
})
