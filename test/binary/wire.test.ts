/** What dd sends to a model in unusual turns, through the compiled binary: servers refuse what their providers refuse. */
import { describe, expect, test } from "bun:test"
import { modelReviews } from "../support/modelReviews.ts"
import { agreeable, type Script, submitOf } from "../support/modelServer.ts"
import type { ScriptedTurn } from "../support/scriptedTurn.ts"

const changed = "def total(items, tax):\n    rate = tax / 100\n    return sum(items) * rate\n"

const coverage = [{ path: "shop/cart.py", status: "reviewed", reason: "" }]
const answer = { name: "submit_review", input: { review: "", issues: [], coverage } }

/** The turns of a reviewer, one after the other; other agents agree. */
const reviewing =
  (turns: ReadonlyArray<ScriptedTurn | "answer">): Script =>
  (asked, nth) => {
    if (submitOf(asked) !== "submit_review") return agreeable(asked, nth)
    // A turn without text and calls is not always sent back, but the request after it has a notice.
    const turn = asked.told.includes("[dd: your ") ? "answer" : (turns[asked.turns] ?? "answer")
    return turn === "answer" ? { thinking: `Turn ${asked.turns}.`, calls: [answer] } : turn
  }

const world = (script: Script) =>
  modelReviews((repository) => {
    repository.commit("Begin", { "shop/cart.py": "def total(items):\n    return sum(items)\n" })
    repository.branch("feature").commit("Add a tax", { "shop/cart.py": changed })
  }, script)

/** Reads what is not there; the third time in a row, an agent is asked for its answer. */
const lost: ScriptedTurn = { thinking: "It must be there.", calls: [{ name: "read_file", input: { path: "none.py" } }] }
const thought: ScriptedTurn = { thinking: "What did it say?" }
const cutOff: ScriptedTurn = { thinking: "First of all …", stop: "length" }
const misfit: ScriptedTurn = { calls: [{ name: "submit_review", input: { review: 1 } }] }

const many: ScriptedTurn = {
  thinking: "All of it.",
  calls: Array.from({ length: 20 }, (_, at) => ({ name: "read_file", input: { path: "shop/cart.py", from: at + 1 } }))
}

const openAi = (api: string) => ({ DD_OPENAI_API: api })

const cases: ReadonlyArray<
  readonly [what: string, backend: string, model: string, env: object, ReadonlyArray<ScriptedTurn | "answer">]
> = [
  ["an empty answer to the last request", "anthropic", "claude-opus-5-5", {}, [lost, lost, lost, thought]],
  ["an answer that does not fit", "anthropic", "claude-opus-5-5", {}, [lost, lost, lost, misfit]],
  ["an answer that does not fit", "anthropic", "claude-sonnet-4-5", {}, [lost, lost, lost, misfit]],
  ["an answer that does not fit", "openai", "gpt-5.6-sol", openAi("responses"), [lost, lost, lost, misfit]],
  ["an answer that does not fit", "openai", "gpt-5", openAi("chat"), [lost, lost, lost, misfit]],
  ["an answer that does not fit", "openai", "qwen3", openAi("chat"), [lost, lost, lost, misfit]],
  ["twenty calls in a turn", "anthropic", "claude-sonnet-5", {}, [many, lost]],
  ["an answer cut off while thinking", "anthropic", "claude-sonnet-5", {}, [lost, cutOff]],
  ["an answer cut off while thinking", "anthropic", "claude-opus-5-5", {}, [lost, cutOff]],
  ["an answer cut off while thinking", "openai", "gpt-5.6-sol", openAi("responses"), [lost, cutOff]],
  ["tools of a model that thinks", "openai", "gpt-5.6-sol", openAi("chat"), [lost]],
  [
    "no effort of a model that always thinks",
    "openai",
    "gpt-5.3-codex",
    { ...openAi("responses"), DD_EFFORT: "none" },
    [lost]
  ],
  ["no effort of a model that always thinks", "openai", "o3", { ...openAi("chat"), DD_EFFORT: "none" }, [lost]],
  ["the highest effort", "anthropic", "claude-opus-4-6", { DD_EFFORT: "max" }, [lost]]
]

describe("a provider accepts the requests of a review", () => {
  for (const [what, backend, model, env, turns] of cases) {
    test(`after ${what}: ${model}, ${Object.values(env).join(", ")}`, async () => {
      await using at = await world(reviewing(turns))
      if (model === "qwen3") at.config('[openai]\nserver = "ollama"\n')
      const { result, status, stderr } = await at.report(
        ["--backend", backend, "--model", model],
        env as Record<string, string>
      )
      expect({ status, stderr, degraded: result.degraded }).toEqual({ status: 0, stderr: "", degraded: [] })
      const reviewer = at.asked.filter((asked) => submitOf(asked) === "submit_review")
      expect(reviewer.length).toBeGreaterThan(turns.length)
    })
  }
})
