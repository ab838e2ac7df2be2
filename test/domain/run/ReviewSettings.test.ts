import { describe, expect } from "bun:test"
import { Result } from "effect"
import { answerersOf } from "../../../src/domain/run/BackendChoice.ts"
import { modelKeyNote } from "../../../src/domain/run/ModelKey.ts"
import {
  problemLines,
  resolveSettings,
  settingFromText,
  settingKeys,
  type WrittenSetting
} from "../../../src/domain/run/ReviewSettings.ts"
import { type Origin, originText } from "../../../src/domain/run/Setting.ts"
import { it } from "../../support/effect.ts"

const terminal = { ci: false, terminal: true }
const flag: Origin = { _tag: "Flag", name: "--x" }
const file: Origin = { _tag: "File", path: "c.toml", line: 3, ofBase: false }
const base: Origin = { _tag: "File", path: ".daydream.toml", line: 2, ofBase: true }

const written = (key: string, value: unknown, origin: Origin = file): WrittenSetting => ({
  key,
  value,
  origin,
  from: origin === base ? "repository" : "user"
})

const resolved = (...entries: ReadonlyArray<WrittenSetting>) => Result.getOrThrow(resolveSettings(entries, terminal))
const problems = (...entries: ReadonlyArray<WrittenSetting>) => {
  const result = resolveSettings(entries, terminal)
  return Result.isFailure(result) ? problemLines(result.failure) : []
}

describe("resolveSettings", () => {
  it("has defaults, and names them as such", () => {
    const { settings } = resolved()
    expect(settings.failOn).toEqual({ value: "none", origin: { _tag: "Default", because: "" } })
    expect(settings.shallowFanoutThreshold.value).toBe(2)
    expect(settings.maxFindings.value).toBe(20)
    const piped = Result.getOrThrow(resolveSettings([], { ...terminal, terminal: false })).settings
    expect(piped.maxFindings).toEqual({ value: 0, origin: { _tag: "Default", because: "not on a terminal" } })
    expect(settings.ignorePaths).toEqual([])
  })

  it("takes the value of the highest place that sets it, with the place", () => {
    const { settings } = resolved(written("fail_on", "high", flag), written("fail_on", "low"))
    expect(settings.failOn).toEqual({ value: "high", origin: flag })
  })

  it("lets a repository ask for rules that are off by default: more rules are a tighter review", () => {
    const { refused, settings } = resolved(written("rules.enable", ["test/*"], base))
    expect(refused).toEqual([])
    expect(settings.rulesEnable).toEqual([{ value: "test/*", origin: base }])
  })

  it("reads a switch in each usual way to write one, and refuses what is none", () => {
    for (const off of [false, 0, "off", "no", "False"]) {
      expect(resolved(written("archive", off)).settings.archive.value).toBe("off")
    }
    for (const on of [true, 1, "on", "yes", "TRUE"]) {
      expect(resolved(written("archive", on)).settings.archive.value).toBe("on")
    }
    expect(problems(written("dream.worker", "never"), written("archive", ["off"]))).toEqual([
      'c.toml:3: dream.worker must be one of on, off, not "never"',
      'c.toml:3: archive must be one of on, off, not ["off"]'
    ])
  })

  it("adds lists up, each entry with its own place", () => {
    const { settings } = resolved(written("ignore_paths", ["a"], flag), written("ignore_paths", ["b", "c"], base))
    expect(settings.ignorePaths.map((entry) => [entry.value, originText(entry.origin)])).toEqual([
      ["a", "--x"],
      ["b", ".daydream.toml:2 (base)"],
      ["c", ".daydream.toml:2 (base)"]
    ])
  })

  it("allows an inconclusive run only in a terminal", () => {
    const value = (ci: boolean, terminal: boolean) =>
      Result.getOrThrow(resolveSettings([], { ci, terminal })).settings.onInconclusive
    expect(value(false, true).value).toBe("pass")
    expect(value(true, true)).toEqual({ value: "fail", origin: { _tag: "Default", because: "CI is set" } })
    expect(value(false, false).value).toBe("fail")
  })

  it("names file, line, key, what was expected and the word that was meant", () => {
    expect(problems(written("fail_on", "hgih"))).toEqual([
      'c.toml:3: fail_on must be one of none, high, medium, low, not "hgih" (did you mean "high"?)'
    ])
    expect(problems(written("fail_onn", "high"))).toEqual([
      'c.toml:3: unknown setting "fail_onn" (did you mean "fail_on"?)'
    ])
  })

  it("writes problems of one file with the same words as one line, and no more than six lines", () => {
    const base = { _tag: "File", path: ".daydream.toml", line: 2, ofBase: true } as const
    const at = (key: string, line: number, value: unknown = "x"): WrittenSetting => ({
      ...{ key, value, from: "repository" },
      origin: { ...base, line }
    })
    const given = [at("backend", 1), at("model", 2), at("archive", 3), at("tools", 4), at("backend", 9)]
    const { refused } = Result.getOrThrow(resolveSettings(given, { ci: false, terminal: false }))
    expect(problemLines(refused)).toEqual([
      ".daydream.toml:1, 2, 3, 4, 9 (base): a repository may not set backend, model, archive, tools"
    ])
    expect(problems(at("zzzzzzz", 1), at("yyyyyyy", 2))).toEqual([
      '.daydream.toml:1, 2 (base): unknown setting "zzzzzzz", "yyyyyyy"'
    ])
    const many = problems(...settingKeys.map((key, line) => at(key, line + 1, { not: "a value" })))
    expect(many.length).toBeLessThanOrEqual(6)
    expect(many.at(-1)).toMatch(/^and \d+ more, of \w/)
  })

  it("reports everything that is wrong at once", () => {
    expect(problems(written("format", 1), written("fanout", 0), written("zzz", 1))).toHaveLength(3)
  })

  it("refuses booleans, fractions and text where a count is meant; 0 turns the threshold off", () => {
    for (const value of [true, 1.5, -1, "2"]) {
      expect(problems(written("shallow_fanout_threshold", value))[0]).toContain(
        "a whole number of files from 0 to 10000"
      )
    }
    expect(resolved(written("shallow_fanout_threshold", 0)).settings.shallowFanoutThreshold.value).toBe(0)
  })

  it("takes no setting that would do nothing in this build, and helps with a phase that is none", () => {
    expect(problems(written("improve", "x"), written("phases.review.model", "x"))).toEqual([
      "c.toml:3: improve is not in this build",
      'c.toml:3: unknown setting "phases.review.model" (did you mean "phases.merge.model"?)'
    ])
    expect(problems(written("backend", "claud"))[0]).toBe(
      'c.toml:3: backend must be one of static, anthropic, openai, claude, codex, pi, not "claud" (did you mean "claude"?)'
    )
  })

  it("takes who answers, for all phases and for one, and what it may cost", () => {
    const { settings } = resolved(
      written("backend", "anthropic"),
      written("model", "claude-x"),
      written("phases.arbiter.backend", "openai"),
      written("phases.arbiter.effort", "high"),
      written("fallback", ["codex", "static"]),
      written("max_cost", 2.5),
      written("openai.base_url", "http://127.0.0.1:11434/v1"),
      written("openai.key_env", "OLLAMA_KEY")
    )
    expect(answerersOf(settings.backendChoice, "intent")).toEqual([
      { backend: "anthropic", model: "claude-x", effort: null },
      { backend: "codex", model: null, effort: null },
      { backend: "static", model: null, effort: null }
    ])
    expect(answerersOf(settings.backendChoice, "arbiter")[0]).toEqual({
      backend: "openai",
      model: null,
      effort: "high"
    })
    expect(settings.maxCost.value).toBe(2.5)
    expect(settings.openai.keyEnv.value).toBe("OLLAMA_KEY")
  })

  it("takes no address that would carry a key in the open, and no key in an address", () => {
    for (const url of ["http://models.example/v1", "ftp://127.0.0.1", "https://key:word@models.example", "models"]) {
      for (const key of ["openai.base_url", "dream.embedder.base_url"]) {
        expect(problems(written(key, url))[0]).toContain(`${key} must be an address`)
      }
    }
    expect(problems(written("dream.embedder.alike_from", 70))[0]).toContain("must be a number from 0 to 1")
    expect(problems(written("max_cost", -1))[0]).toContain("max_cost must be at least 0 dollars")
    expect(problems(written("timeout", 0))[0]).toContain(
      "timeout must be a whole number of seconds from 1 to 86400, not 0"
    )
    expect(problems(written("model", "two words"))[0]).toContain("has no spaces")
  })

  it("never takes backend, address or display from a repository", () => {
    for (const key of [
      "backend",
      "model",
      "base_url",
      "api_key",
      "hooks",
      "tools",
      "extensions",
      "format",
      "color",
      "fanout",
      "dream.embedder.base_url"
    ]) {
      const { settings, refused } = resolved(written(key, "anything", base))
      expect(settings).toEqual(resolved().settings)
      expect(problemLines(refused)).toEqual([`.daydream.toml:2 (base): a repository may not set ${key}`])
    }
  })

  it("allows a repository to tighten, and never to loosen", () => {
    expect(resolved(written("fail_on", "medium", base)).settings.failOn.value).toBe("medium")
    expect(resolved(written("on_inconclusive", "fail", base)).settings.onInconclusive.value).toBe("fail")
    const loose = resolved(
      written("on_inconclusive", "pass", base),
      written("max_findings", 1, base),
      written("fail_on", "none", base)
    )
    expect(loose.settings).toEqual(resolved().settings)
    expect(problemLines(loose.refused)).toContain(
      ".daydream.toml:2 (base): a repository may only tighten max_findings; 1 is ignored"
    )
  })

  it("lets the user overrule the repository", () => {
    expect(resolved(written("fail_on", "none", flag), written("fail_on", "low", base)).settings.failOn.value).toBe(
      "none"
    )
  })

  it("checks each entry of a list", () => {
    expect(problems(written("rules.disable", ["py/eval", "Everything"]))[0]).toContain(
      'rules.disable has "Everything": a rule is written py/name'
    )
    expect(problems(written("ignore_paths", "vendor"))[0]).toContain("must be a list of path patterns")
    expect(problems(written("ignore_paths", [3]))[0]).toContain("must be text")
  })

  it("shows nothing of a value that could move a cursor", () => {
    expect(problems(written("fail_on", "\u001b[2J\u202e"))[0]).not.toMatch(/[\u001b\u202e]/)
  })
})

describe("settingFromText", () => {
  it("reads flags and variables as text", () => {
    expect(settingFromText("max_findings", " 7 ")).toBe(7)
    expect(settingFromText("max_findings", "many")).toBe("many")
    expect(settingFromText("ignore_paths", "a, b ,,c")).toEqual(["a", "b", "c"])
    expect(settingFromText("fail_on", " high")).toBe("high")
  })
})

describe("modelKeyNote", () => {
  it("names the variable, never the key, and reports how it would be used", () => {
    expect(modelKeyNote({})).toBeNull()
    expect(modelKeyNote({ OPENAI_API_KEY: "" })).toBeNull()
    const note = modelKeyNote({ ANTHROPIC_API_KEY: "sk-secret" })
    expect(note).toContain("ANTHROPIC_API_KEY is set but not used")
    expect(note).toContain("--backend anthropic")
    expect(note).not.toContain("secret")
  })
})
