/**
 * The longest chain of turns in a review, and how often its agents pay for the beginning that they share:
 * `bun scripts/bench/chain.ts [BINARY]`.
 *
 * The binary reviews a made-up change of three languages over the Messages API. Every turn takes the same time, its first piece a
 * tenth of that; an agent with tools takes four turns. Agents and times are read from the refs that the run leaves. A
 * chain is agents of which each begins after the end of the one before.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { askedOf } from "../../test/support/Asked.ts"
import { messagesDialect } from "../../test/support/anthropicServer.ts"
import { agreeable, submitOf } from "../../test/support/modelServer.ts"
import { inside, run, scratch, systemPath } from "../../test/support/process.ts"
import { initRepository } from "../../test/support/repository.ts"

const [binary = join(import.meta.dir, "../../dist/dd")] = process.argv.slice(2)
const turnMillis = 1_000
const turnsWithTools = 4

const paths = ["shop/cart.py", "web/cart.ts", "api/cart.go"]
const code: Readonly<Record<string, readonly [string, string]>> = {
  "shop/cart.py": ["def total(items):\n    return sum(items)\n", "def total(items):\n    return sum(items) * 2\n"],
  "web/cart.ts": ["export const total = (n: number) => n\n", "export const total = (n: number) => n * 2\n"],
  "api/cart.go": [
    "package api\n\nfunc Total(n int) int { return n }\n",
    "package api\n\nfunc Total(n int) int { return n * 2 }\n"
  ]
}

const claimOn = (file: string) => ({
  title: "The total is doubled",
  description: "Every total is twice the sum, which no caller expects.",
  file,
  line: file.endsWith(".go") ? 3 : file.endsWith(".py") ? 2 : 1,
  endLine: null,
  severity: "high",
  confidence: "MEDIUM",
  quote: code[file]?.[1].trimEnd().split("\n").at(-1) ?? "",
  rationale: "The callers show the total as it is.",
  evidence: `${file}:1`,
  suggestion: null
})

const withTools = new Set(["submit_alternatives", "submit_review", "submit_verdicts", "submit_verification"])

interface Block {
  readonly type: string
  readonly text?: string
  readonly cache_control?: object
}

/** The beginning of a request, up to the last block that is marked for the cache, besides the end of the message. */
const beginningOf = (body: Record<string, unknown>): string => {
  const [first] = body.messages as ReadonlyArray<{ readonly content: ReadonlyArray<Block> }>
  const blocks = first?.content ?? []
  const marked = blocks.findIndex(({ cache_control }) => cache_control !== undefined)
  const lasting = blocks.slice(0, marked === blocks.length - 1 ? 0 : marked + 1).map(({ text }) => text)
  return JSON.stringify([body.tools, body.system, lasting, body.output_config ?? null].map((part) => part ?? null))
}

const cached = new Set<string>()
const paid = new Map<string, number>()
let asked = 0

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 120,
  fetch: async (request) => {
    if (request.method === "GET") return Response.json({})
    const text = await request.text()
    const heard = { method: "POST", path: new URL(request.url).pathname, headers: {}, text, body: JSON.parse(text) }
    const one = askedOf(heard)
    const submit = submitOf(one)
    const nth = asked++
    const beginning = beginningOf(heard.body)
    if (withTools.has(submit) && one.turns === 0 && !cached.has(beginning))
      paid.set(beginning, (paid.get(beginning) ?? 0) + 1)
    const path = paths[(one.turns + nth) % paths.length] ?? ""
    const own = /^# Profile: (\S+)/m.exec(one.told)?.[1] ?? ""
    const turn =
      withTools.has(submit) && one.turns < turnsWithTools - 1
        ? {
            calls: [
              { name: "diff", input: { path } },
              { name: "grep", input: { pattern: `${nth}` } }
            ]
          }
        : submit === "submit_review"
          ? {
              calls: [
                {
                  name: submit,
                  input: {
                    review: "It is doubled.",
                    issues: own === "structure" ? [] : paths.filter((each) => one.told.includes(each)).map(claimOn),
                    coverage: paths.map((each) => ({ path: each, status: "reviewed", reason: "" }))
                  }
                }
              ]
            }
          : agreeable(one, nth)
    const events = messagesDialect.events(turn, heard, nth)
    const stream = async function* () {
      await Bun.sleep(turnMillis / 10)
      cached.add(beginning)
      yield `${events[0]}`
      await Bun.sleep((turnMillis * 9) / 10)
      yield events.slice(1).join("")
    }
    return new Response(stream(), { headers: { "content-type": "text/event-stream" } })
  }
})

interface Agent {
  readonly name: string
  readonly turns: number
  readonly begin: number
  readonly end: number
}

const agentOf = (file: string): Agent => {
  const refs = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
  const steps = refs.filter(({ _tag }) => _tag === "Step")
  const task: string = refs[0].args.task
  return {
    name: task.slice(0, task.lastIndexOf(":")),
    turns: refs.filter(({ _tag }) => _tag === "Turn").length,
    begin: Date.parse(steps[0].at),
    end: Date.parse(refs.at(-1).at)
  }
}

/** The most turns that follow one another up to the end of each agent. */
const longestChain = (agents: ReadonlyArray<Agent>): number => {
  const best = new Map<Agent, number>()
  for (const agent of agents.toSorted((a, b) => a.end - b.end)) {
    const before = [...best].filter(([earlier]) => earlier.end <= agent.begin).map(([, turns]) => turns)
    best.set(agent, agent.turns + Math.max(0, ...before))
  }
  return Math.max(...best.values())
}

using place = scratch()
const repository = initRepository(join(place.path, "repo"))
repository.commit("Begin", Object.fromEntries(paths.map((path) => [path, code[path]?.[0] ?? ""])))
repository.commit("Double", Object.fromEntries(paths.map((path) => [path, code[path]?.[1] ?? ""])))
const { status, stderr } = await run([binary, "review", "--backend", "anthropic", "--no-archive", "--format", "json"], {
  cwd: repository.root,
  env: {
    PATH: systemPath,
    HOME: inside(place.path, "home"),
    ANTHROPIC_API_KEY: "k",
    DD_ANTHROPIC_BASE_URL: `http://127.0.0.1:${server.port}`
  }
})
if (stderr !== "") console.log(status, stderr)
const runs = join(repository.root, ".daydream/runs")
const [session = ""] = readdirSync(runs)
const logs = join(runs, session, "agents")
const agents = readdirSync(logs)
  .map((name) => agentOf(join(logs, name)))
  .toSorted((a, b) => a.begin - b.begin)
const begin = Math.min(...agents.map((agent) => agent.begin))
const inTurns = (at: number): string => ((at - begin) / turnMillis).toFixed(1)
console.log("| agent | turns | begins, ends (in times of a turn) |\n|---|---:|---|")
for (const agent of agents)
  console.log(`| ${agent.name} | ${agent.turns} | ${inTurns(agent.begin)}, ${inTurns(agent.end)} |`)
const total = agents.reduce((sum, { turns }) => sum + turns, 0)
const end = Math.max(...agents.map((agent) => agent.end))
console.log(
  `${total} turns, of which at most ${longestChain(agents)} follow one another; ${inTurns(end)} times of a turn`
)
console.log(`shared beginnings that were paid for in full: ${[...paid.values()].join(" + ")}`)
await server.stop(true)
