import { describe, expect, it } from "bun:test"
import { phaseOf } from "../../../src/domain/agent/Task.ts"
import {
  answerersOf,
  type BackendChoice,
  defaultEfforts,
  effortOf,
  everyAnswerer,
  type PhaseChoice,
  phases,
  questionAnswerer,
  withoutFixes
} from "../../../src/domain/run/BackendChoice.ts"
import type { Origin, Setting } from "../../../src/domain/run/Setting.ts"

const file: Origin = { _tag: "File", path: "config.toml", line: 1, ofBase: false }
const flag: Origin = { _tag: "Flag", name: "--backend" }
const said = <A>(value: A, origin: Origin = file): Setting<A> => ({ value, origin })
const unsaid = <A>(value: A): Setting<A> => said(value, { _tag: "Default", because: "" })

const nothing: PhaseChoice = { backend: unsaid(null), model: unsaid(null), effort: unsaid(null) }
const choice = (over: Partial<BackendChoice> = {}): BackendChoice => ({
  ...nothing,
  backend: unsaid("static"),
  phases: {
    intent: nothing,
    alternatives: nothing,
    "per-stack-reviews": nothing,
    "per-stack-parse": nothing,
    arbiter: nothing,
    merge: nothing,
    verify: nothing,
    fix: nothing,
    test: nothing,
    pr_feedback: nothing
  },
  written: null,
  models: { anthropic: null, openai: null, claude: null, codex: null, pi: null },
  fallback: [],
  ...over
})

describe("the effort of a phase", () => {
  it("is that of the flag or variable, else of the phase, else of the whole review, else the default", () => {
    const own: PhaseChoice = { ...nothing, effort: said("low") }
    const inPhase = choice({ phases: { ...choice().phases, arbiter: own } })
    expect(phases.map((phase) => effortOf(choice(), phase))).toEqual(phases.map((phase) => defaultEfforts[phase]))
    expect(effortOf(inPhase, "arbiter")).toBe("low")
    expect(effortOf({ ...inPhase, effort: said("medium") }, "arbiter")).toBe("low")
    expect(effortOf({ ...inPhase, effort: said("medium") }, "per-stack-reviews")).toBe("medium")
    expect(effortOf({ ...inPhase, effort: said("max", flag) }, "arbiter")).toBe("max")
  })

  it("makes no further backend of a model behind an API", () => {
    const efforts = { ...choice().phases, intent: { ...nothing, effort: said("low" as const) } }
    expect(everyAnswerer(choice({ backend: said("anthropic"), phases: efforts }))).toHaveLength(1)
    expect(everyAnswerer(choice({ backend: said("codex"), phases: efforts }))).toHaveLength(2)
  })
})

describe("who answers", () => {
  it("is dd itself in every phase without a setting", () => {
    expect(everyAnswerer(choice())).toEqual([{ backend: "static", model: null, effort: null }])
  })

  it("is never a model because of a fallback, which only replaces a model", () => {
    expect(everyAnswerer(choice({ fallback: ["anthropic"] }))).toEqual([
      { backend: "static", model: null, effort: null }
    ])
  })

  it("is in a phase the one configured for it, and a flag of the call has precedence", () => {
    const ownPhases: BackendChoice["phases"] = {
      ...choice().phases,
      arbiter: { ...nothing, backend: said("openai"), model: said("gpt-x") }
    }
    const inFile = choice({ backend: said("claude"), phases: ownPhases })
    expect(answerersOf(inFile, "arbiter")[0]).toEqual({ backend: "openai", model: "gpt-x", effort: null })
    expect(answerersOf(inFile, "intent")[0]).toEqual({ backend: "claude", model: null, effort: null })
    expect(answerersOf({ ...inFile, backend: said("static", flag) }, "arbiter")[0].backend).toBe("static")
  })

  it("of a question, is the one of the review, without its phases and fallbacks", () => {
    const ownPhases = Object.fromEntries(
      phases.map((phase) => [phase, { ...nothing, backend: said("codex"), model: said("gpt-x") }])
    ) as BackendChoice["phases"]
    const inFile = choice({ phases: ownPhases, fallback: ["openai"] })
    expect(questionAnswerer(inFile)).toEqual({ backend: "static", model: null, effort: null })
    const chosen: BackendChoice = { ...inFile, backend: said("claude"), model: said("opus"), effort: said("high") }
    expect(questionAnswerer(chosen)).toEqual({ backend: "claude", model: "opus", effort: "high" })
    expect(questionAnswerer({ ...chosen, backend: said("openai", flag), written: "claude" }).model).toBeNull()
  })

  it("is not called for another provider's model", () => {
    const ownPhases: BackendChoice["phases"] = { ...choice().phases, merge: { ...nothing, backend: said("codex") } }
    const all = choice({ backend: said("anthropic"), model: said("claude-x"), phases: ownPhases })
    expect(answerersOf(all, "merge")[0]).toEqual({ backend: "codex", model: null, effort: null })
  })

  it("is not called for the model that a file names beside another backend", () => {
    const ownPhases: BackendChoice["phases"] = { ...choice().phases, arbiter: { ...nothing, model: said("claude-y") } }
    const file = choice({ model: said("claude-x"), written: "anthropic", phases: ownPhases })
    const called = (backend: "codex" | "anthropic") => ({ ...file, backend: said(backend, flag) })
    expect(answerersOf(called("codex"), "intent")[0]).toEqual({ backend: "codex", model: null, effort: null })
    expect(answerersOf(called("codex"), "arbiter")[0].model).toBeNull()
    expect(answerersOf(called("anthropic"), "intent")[0].model).toBe("claude-x")
    expect(answerersOf(called("anthropic"), "arbiter")[0].model).toBe("claude-y")
    const both = { ...called("codex"), model: said("gpt-x", flag) }
    expect(answerersOf(both, "arbiter")[0]).toEqual({ backend: "codex", model: "gpt-x", effort: null })
  })

  it("has fallbacks in the order in which they were written, each once", () => {
    const all = choice({ backend: said("anthropic"), fallback: ["codex", "anthropic", "static", "codex"] })
    expect(answerersOf(all, "intent").map(({ backend }) => backend)).toEqual(["anthropic", "codex", "static"])
  })

  it("is static in the phases of fixes in a run without them, unless the run has a backend", () => {
    const fixedBy = { ...nothing, backend: said("claude" as const), model: said("opus") }
    const written = choice({ phases: { ...choice().phases, fix: fixedBy } })
    expect(everyAnswerer(written).map(({ backend }) => backend)).toEqual(["static", "claude"])
    expect(everyAnswerer(withoutFixes(written))).toEqual([{ backend: "static", model: null, effort: null }])
    const flagged = choice({ backend: said("anthropic", flag) })
    expect(everyAnswerer(withoutFixes(flagged)).map(({ backend }) => backend)).toEqual(["anthropic"])
  })

  it("is known for every task; tests and feedback have settings only", () => {
    expect(new Set([...Object.values(phaseOf), "test", "pr_feedback"])).toEqual(new Set(phases))
  })
})
