/**
 * What can be set, where each value came from, and what a reviewed repository may set.
 *
 * Two stages: what was typed (flags, environment, files) and what it means. The first place that says
 * something wins, except for lists, which add up. A repository may only tighten (product.md, safety rule 2).
 */
import { Result } from "effect"
import { isRulePattern } from "../finding/RulePattern.ts"
import { globFault } from "../text/PathGlob.ts"
import { oneLine } from "../text/Printable.ts"
import { didYouMean, nearest } from "../text/Suggestion.ts"
import {
  type BackendName,
  backends,
  type Effort,
  efforts,
  type ModelBackendName,
  type Phase,
  phases,
  type Wish,
  type Wishes
} from "./BackendChoice.ts"
import { type Origin, originText, type Setting } from "./Setting.ts"

export const failOnLevels = ["none", "high", "medium", "low"] as const
export type FailOn = (typeof failOnLevels)[number]

export const onInconclusiveChoices = ["pass", "fail"] as const
export type OnInconclusive = (typeof onInconclusiveChoices)[number]

export const formats = ["text", "json", "jsonl", "markdown", "sarif", "rdjsonl", "gitlab", "github"] as const
export type Format = (typeof formats)[number]

export const colorChoices = ["auto", "always", "never"] as const
export type Color = (typeof colorChoices)[number]

export const claudePlaces = ["anthropic", "bedrock", "vertex"] as const
/** Where Claude is asked: at its vendor's, at Amazon's or at Google's. */
export type ClaudePlaceName = (typeof claudePlaces)[number]

export const openAiApis = ["responses", "chat"] as const
export type OpenAiApi = (typeof openAiApis)[number]

/** Servers that are compatible with OpenAI's and have words of their own. */
export const chatServers = ["openai", "ollama", "llama.cpp", "lm-studio", "vllm", "openrouter", "other"] as const
export type ChatServer = (typeof chatServers)[number]

export const toolChoices = ["native", "words", "none"] as const
/** How a model of a server that is compatible with OpenAI's calls tools. */
export type ToolChoice = (typeof toolChoices)[number]

export const switches = ["on", "off"] as const
export type Switch = (typeof switches)[number]

export interface ReviewSettings {
  /** Findings this severe and worse make the exit code 1. */
  readonly failOn: Setting<FailOn>
  readonly onInconclusive: Setting<OnInconclusive>
  readonly format: Setting<Format>
  /** Globs of paths that are not reviewed; each with its own origin. */
  readonly ignorePaths: ReadonlyArray<Setting<string>>
  /** How many findings the text report shows; 0 for all. */
  readonly maxFindings: Setting<number>
  /** With at most this many changed files the fan-out collapses; 0 turns that off. */
  readonly shallowFanoutThreshold: Setting<number>
  /** How many agent calls may run at once. */
  readonly fanout: Setting<number>
  readonly color: Setting<Color>
  /** Rules and areas (`py/*`) that are not applied. */
  readonly rulesDisable: ReadonlyArray<Setting<string>>
  /** Rules and areas that are applied although they are off by default; `rulesDisable` has the last word. */
  readonly rulesEnable: ReadonlyArray<Setting<string>>
  /** Who answers, in the whole review and in its phases. */
  readonly wishes: Wishes
  readonly fallback: ReadonlyArray<Setting<string>>
  /** US dollars a run may cost; null: whatever it takes. */
  readonly maxCost: Setting<number | null>
  /** Seconds one answer may take; null: as the backend has it. */
  readonly timeout: Setting<number | null>
  readonly models: Readonly<Record<ModelBackendName, Setting<string | null>>>
  readonly piProvider: Setting<string | null>
  readonly anthropic: {
    readonly at: Setting<ClaudePlaceName>
    readonly region: Setting<string | null>
    /** Of Google's cloud. */
    readonly project: Setting<string | null>
    readonly baseUrl: Setting<string | null>
    /** The variable that holds the key. */
    readonly keyEnv: Setting<string>
  }
  readonly openai: {
    readonly baseUrl: Setting<string | null>
    readonly keyEnv: Setting<string>
    readonly api: Setting<OpenAiApi | null>
    /** Null: as its address tells. */
    readonly server: Setting<ChatServer | null>
    readonly tools: Setting<ToolChoice>
    /** Tokens of a request and its answer together. */
    readonly contextTokens: Setting<number | null>
  }
  /** Is the run archived when it is over? */
  readonly archive: Setting<Switch>
  /** Is an archived run judged? */
  readonly evaluate: Setting<Switch>
}

/** One key at one place, as it was typed. */
export interface Typed {
  readonly key: string
  readonly value: unknown
  readonly origin: Origin
  readonly from: "user" | "repository"
}

/** Where, which key, what is wrong with it. */
export interface Problem {
  readonly place: string
  readonly key: string
  readonly problem: string
}

export interface Resolved {
  readonly settings: ReviewSettings
  /** What a repository asked for and did not get. */
  readonly refused: ReadonlyArray<Problem>
}

type Kind =
  | { readonly _tag: "Choice"; readonly choices: ReadonlyArray<string> }
  | { readonly _tag: "Count"; readonly min: number; readonly max: number }
  | { readonly _tag: "List"; readonly what: string; readonly fault: (item: string) => string | null }
  | { readonly _tag: "Dollars" }
  | { readonly _tag: "Text"; readonly what: string; readonly fault: (text: string) => string | null }

interface Key {
  readonly kind: Kind
  /** `--fail-on`; null where there is no flag. */
  readonly flag: string | null
  /** Null where there is no variable. */
  readonly env: string | null
  /** May a repository set this value? */
  readonly repository: (value: unknown) => boolean
}

const never = () => false
const always = () => true
const backendFault = (item: string) =>
  backends.some((backend) => backend === item) ? null : `a backend is one of ${backends.join(", ")}`
const nameFault = (text: string) =>
  /^[\x21-\x7e]{1,200}$/.test(text) ? null : "a name has no spaces and at most 200 characters"
const variableFault = (text: string) => (/^[A-Za-z_]\w*$/.test(text) ? null : "it is the name of a variable")
const urlFault = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return "it begins with http:// or https://"
  if (url.username !== "" || url.password !== "") return "keys do not belong in an address"
  // A key must not cross a network in the open.
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  return url.protocol === "https:" || isLocal ? null : "only this machine is asked over http://"
}

/** What may be said of one phase: `[phases.arbiter]`, `model = "..."`. */
const phaseKeys = {
  backend: { kind: { _tag: "Choice", choices: backends }, flag: null, env: null, repository: never },
  model: { kind: { _tag: "Text", what: "a model's name", fault: nameFault }, flag: null, env: null, repository: never },
  effort: { kind: { _tag: "Choice", choices: efforts }, flag: null, env: null, repository: never }
} as const satisfies Record<string, Key>

const modelKey = {
  kind: { _tag: "Text", what: "a model's name", fault: nameFault },
  flag: null,
  env: null,
  repository: never
} as const satisfies Key
/** The model a backend is asked for where the whole review names none: `[openai]`, `model = "..."`. */
const modelKeys = {
  "anthropic.model": modelKey,
  "openai.model": modelKey,
  "claude.model": modelKey,
  "codex.model": modelKey,
  "pi.model": modelKey
} as const satisfies Record<`${ModelBackendName}.model`, Key>

type PhaseKey = `phases.${Phase}.${keyof typeof phaseKeys}`

const ruleFault = (item: string) => (isRulePattern(item) ? null : "a rule is written py/name, an area py/*")

const keys = {
  fail_on: {
    kind: { _tag: "Choice", choices: failOnLevels },
    flag: "--fail-on",
    env: "DD_FAIL_ON",
    repository: (value) => value !== "none"
  },
  on_inconclusive: {
    kind: { _tag: "Choice", choices: onInconclusiveChoices },
    flag: "--on-inconclusive",
    env: "DD_ON_INCONCLUSIVE",
    repository: (value) => value === "fail"
  },
  format: { kind: { _tag: "Choice", choices: formats }, flag: "--format", env: "DD_FORMAT", repository: never },
  // What a repository leaves out was decided on the base, before the change under review, and is listed.
  ignore_paths: {
    kind: { _tag: "List", what: "path patterns", fault: globFault },
    flag: "--ignore-path",
    env: "DD_IGNORE_PATHS",
    repository: always
  },
  max_findings: {
    kind: { _tag: "Count", min: 0, max: 10_000 },
    flag: "--max-findings",
    env: "DD_MAX_FINDINGS",
    repository: (value) => value === 0 || (typeof value === "number" && value >= defaults.max_findings)
  },
  shallow_fanout_threshold: {
    kind: { _tag: "Count", min: 0, max: 10_000 },
    flag: null,
    env: "DD_SHALLOW_FANOUT_THRESHOLD",
    repository: always
  },
  fanout: { kind: { _tag: "Count", min: 1, max: 64 }, flag: null, env: "DD_FANOUT", repository: never },
  color: { kind: { _tag: "Choice", choices: colorChoices }, flag: "--no-color", env: "DD_COLOR", repository: never },
  "rules.disable": {
    kind: { _tag: "List", what: "rules", fault: ruleFault },
    flag: null,
    env: "DD_RULES_DISABLE",
    repository: always
  },
  // More rules are a tighter review.
  "rules.enable": {
    kind: { _tag: "List", what: "rules", fault: ruleFault },
    flag: null,
    env: "DD_RULES_ENABLE",
    repository: always
  },
  backend: { kind: { _tag: "Choice", choices: backends }, flag: "--backend", env: "DD_BACKEND", repository: never },
  model: {
    kind: { _tag: "Text", what: "a model's name", fault: nameFault },
    flag: "--model",
    env: "DD_MODEL",
    repository: never
  },
  effort: { kind: { _tag: "Choice", choices: efforts }, flag: null, env: "DD_EFFORT", repository: never },
  fallback: {
    kind: { _tag: "List", what: "backends", fault: backendFault },
    flag: null,
    env: "DD_FALLBACK",
    repository: never
  },
  max_cost: { kind: { _tag: "Dollars" }, flag: "--max-cost", env: "DD_MAX_COST", repository: never },
  timeout: { kind: { _tag: "Count", min: 1, max: 86_400 }, flag: null, env: "DD_TIMEOUT", repository: never },
  ...modelKeys,
  "pi.provider": {
    kind: { _tag: "Text", what: "a provider's name", fault: nameFault },
    flag: null,
    env: null,
    repository: never
  },
  "anthropic.at": { kind: { _tag: "Choice", choices: claudePlaces }, flag: null, env: null, repository: never },
  "anthropic.region": {
    kind: { _tag: "Text", what: "a region's name", fault: nameFault },
    flag: null,
    env: null,
    repository: never
  },
  "anthropic.project": {
    kind: { _tag: "Text", what: "a project's name", fault: nameFault },
    flag: null,
    env: null,
    repository: never
  },
  "anthropic.base_url": {
    kind: { _tag: "Text", what: "an address", fault: urlFault },
    flag: null,
    env: "DD_ANTHROPIC_BASE_URL",
    repository: never
  },
  "anthropic.key_env": {
    kind: { _tag: "Text", what: "a variable's name", fault: variableFault },
    flag: null,
    env: null,
    repository: never
  },
  "openai.base_url": {
    kind: { _tag: "Text", what: "an address", fault: urlFault },
    flag: null,
    env: "DD_OPENAI_BASE_URL",
    repository: never
  },
  "openai.key_env": {
    kind: { _tag: "Text", what: "a variable's name", fault: variableFault },
    flag: null,
    env: null,
    repository: never
  },
  "openai.api": { kind: { _tag: "Choice", choices: openAiApis }, flag: null, env: "DD_OPENAI_API", repository: never },
  "openai.server": { kind: { _tag: "Choice", choices: chatServers }, flag: null, env: null, repository: never },
  "openai.tools": {
    kind: { _tag: "Choice", choices: toolChoices },
    flag: null,
    env: "DD_OPENAI_TOOLS",
    repository: never
  },
  "openai.context_tokens": {
    kind: { _tag: "Count", min: 4_000, max: 100_000_000 },
    flag: null,
    env: "DD_OPENAI_CONTEXT_TOKENS",
    repository: never
  },
  archive: { kind: { _tag: "Choice", choices: switches }, flag: "--no-archive", env: "DD_ARCHIVE", repository: never },
  evaluate: { kind: { _tag: "Choice", choices: switches }, flag: "--no-eval", env: "DD_EVALUATE", repository: never }
} as const satisfies Record<string, Key>

type WholeKey = keyof typeof keys
export type SettingKey = WholeKey | PhaseKey

const wishNames = ["backend", "model", "effort"] as const
const everyPhaseKey: ReadonlyArray<PhaseKey> = phases.flatMap((phase) =>
  wishNames.map((name): PhaseKey => `phases.${phase}.${name}`)
)
/** In the order in which they are shown. */
export const settingKeys: ReadonlyArray<SettingKey> = [...Object.keys(keys).filter(isWholeKey), ...everyPhaseKey]

const keyOf = (key: SettingKey): Key => {
  if (isWholeKey(key)) return keys[key]
  const name = wishNames.find((each) => key.endsWith(`.${each}`))
  return phaseKeys[name ?? "model"]
}

export const environmentOf = (key: SettingKey): string | null => keyOf(key).env
export const flagOf = (key: SettingKey): string | null => keyOf(key).flag

const defaults = { max_findings: 20, shallow_fanout_threshold: 2, fanout: 4 }

/** Keys that other builds of dd know; here they would do nothing, so they are not taken. */
const later = new Set([
  "api_key",
  "api_key_cmd",
  "archive_dir",
  "bench",
  "extensions",
  "hooks",
  "improve",
  "precision_mode",
  "prices",
  "reasoning_effort",
  "skills",
  "supervisor",
  "tools",
  "workspace"
])

/** Where a repository names something dd does not know, it is none of its business either way. */
const usersOnly = new Set(["anthropic", "base_url", "claude", "codex", "openai", "phases", "pi"])

/**
 * Flags and variables are text: a count becomes a number, a list is split at its commas. What does not fit stays
 * text, for `resolveSettings` to name.
 */
export const typedText = (key: SettingKey, text: string): unknown => {
  switch (keyOf(key).kind._tag) {
    case "Dollars":
      return /^\d{1,9}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : text
    case "Count":
      return /^\d{1,9}$/.test(text.trim()) ? Number(text) : text
    case "List":
      return text
        .split(",")
        .map((item) => item.trim())
        .filter((item) => item !== "")
    default:
      return text.trim()
  }
}

/** The meaning of what was typed, highest place first; or everything that is wrong with it. */
export const resolveSettings = (
  typed: ReadonlyArray<Typed>,
  surroundings: { readonly ci: boolean; readonly terminal: boolean }
): Result.Result<Resolved, ReadonlyArray<Problem>> => {
  const problems: Array<Problem> = []
  const refused: Array<Problem> = []
  const accepted = new Map<string, Array<Setting<unknown>>>()
  for (const { key, value, origin, from } of typed) {
    const place = originText(origin)
    if (!isSettingKey(key)) {
      const name = key.split(".", 1)[0]!
      if (from === "repository" && (later.has(name) || usersOnly.has(name))) {
        refused.push({ place, key: name, problem: `a repository may not set ${name}` })
      } else if (later.has(name)) problems.push({ place, key: name, problem: `${name} is not in this build` })
      else problems.push({ place, key, problem: unknownKey(key) })
      continue
    }
    const known = keyOf(key)
    const fault = faultOf(known.kind, value)
    if (fault !== null && !(from === "repository" && known.repository === never)) {
      problems.push({ place, key, problem: `${key} ${fault}` })
    } else if (from === "repository" && !known.repository(value)) {
      refused.push({ place, key, problem: refusal(key, known, value) })
    } else {
      accepted.set(key, [...(accepted.get(key) ?? []), { value, origin }])
    }
  }
  if (problems.length > 0) return Result.fail(problems)
  return Result.succeed({ settings: settingsOf(accepted, surroundings), refused })
}

/** Every setting by its key, in the order of `settingKeys`; a list has one entry for each of its own. */
export const settingsByKey = (
  settings: ReviewSettings
): Readonly<Record<SettingKey, Setting<string | number | null> | ReadonlyArray<Setting<string>>>> => ({
  fail_on: settings.failOn,
  on_inconclusive: settings.onInconclusive,
  format: settings.format,
  ignore_paths: settings.ignorePaths,
  max_findings: settings.maxFindings,
  shallow_fanout_threshold: settings.shallowFanoutThreshold,
  fanout: settings.fanout,
  color: settings.color,
  "rules.disable": settings.rulesDisable,
  "rules.enable": settings.rulesEnable,
  backend: settings.wishes.backend,
  model: settings.wishes.model,
  effort: settings.wishes.effort,
  fallback: settings.fallback,
  max_cost: settings.maxCost,
  timeout: settings.timeout,
  "anthropic.model": settings.models.anthropic,
  "openai.model": settings.models.openai,
  "claude.model": settings.models.claude,
  "codex.model": settings.models.codex,
  "pi.model": settings.models.pi,
  "pi.provider": settings.piProvider,
  "anthropic.at": settings.anthropic.at,
  "anthropic.region": settings.anthropic.region,
  "anthropic.project": settings.anthropic.project,
  "anthropic.base_url": settings.anthropic.baseUrl,
  "anthropic.key_env": settings.anthropic.keyEnv,
  "openai.base_url": settings.openai.baseUrl,
  "openai.key_env": settings.openai.keyEnv,
  "openai.api": settings.openai.api,
  "openai.server": settings.openai.server,
  "openai.tools": settings.openai.tools,
  "openai.context_tokens": settings.openai.contextTokens,
  archive: settings.archive,
  evaluate: settings.evaluate,
  ...byPhaseKey(settings.wishes.phases)
})

const byPhaseKey = (wishes: Readonly<Record<Phase, Wish>>): Record<PhaseKey, Setting<string | null>> => {
  const found: Partial<Record<PhaseKey, Setting<string | null>>> = {}
  for (const phase of phases) for (const name of wishNames) found[`phases.${phase}.${name}`] = wishes[phase][name]
  return found as Record<PhaseKey, Setting<string | null>>
}

/** One line a problem: `.daydream.toml:3 (base): fail_on must be ...`. */
export const problemText = ({ place, problem }: Problem): string => `${place}: ${problem}`

function isWholeKey(key: string): key is WholeKey {
  return Object.hasOwn(keys, key)
}

const isSettingKey = (key: string): key is SettingKey => settingKeys.some((known) => known === key)

const settingsOf = (
  accepted: ReadonlyMap<string, ReadonlyArray<Setting<unknown>>>,
  { ci, terminal }: { readonly ci: boolean; readonly terminal: boolean }
): ReviewSettings => {
  const one = <A>(key: SettingKey, is: (value: unknown) => value is A, value: A, because = ""): Setting<A> => {
    const found = accepted.get(key)?.[0]
    return found !== undefined && is(found.value)
      ? { value: found.value, origin: found.origin }
      : { value, origin: { _tag: "Default", because } }
  }
  const list = (key: SettingKey): ReadonlyArray<Setting<string>> =>
    (accepted.get(key) ?? []).flatMap(({ value, origin }) =>
      Array.isArray(value) ? value.map((item) => ({ value: String(item), origin })) : []
    )
  const wishOf = (phase: Phase): Wish => ({
    backend: one<BackendName | null>(`phases.${phase}.backend`, oneOf(backends), null),
    model: one<string | null>(`phases.${phase}.model`, isText, null),
    effort: one<Effort | null>(`phases.${phase}.effort`, oneOf(efforts), null)
  })
  const writtenBackend = accepted.get("backend")?.find(({ origin }) => origin._tag === "File")
  const models = {
    anthropic: one<string | null>("anthropic.model", isText, null),
    openai: one<string | null>("openai.model", isText, null),
    claude: one<string | null>("claude.model", isText, null),
    codex: one<string | null>("codex.model", isText, null),
    pi: one<string | null>("pi.model", isText, null)
  }
  // Nobody is watching a script: it must not take "could not tell" for "fine".
  const failing = ci || !terminal
  const where = terminal ? "on a terminal" : "not on a terminal"
  return {
    failOn: one("fail_on", oneOf(failOnLevels), "none"),
    onInconclusive: one(
      "on_inconclusive",
      oneOf(onInconclusiveChoices),
      failing ? "fail" : "pass",
      ci ? "CI is set" : where
    ),
    format: one("format", oneOf(formats), "text"),
    ignorePaths: list("ignore_paths"),
    // Who reads a pipe or a file can search it.
    maxFindings: one("max_findings", isCount, terminal ? defaults.max_findings : 0, where),
    shallowFanoutThreshold: one("shallow_fanout_threshold", isCount, defaults.shallow_fanout_threshold),
    fanout: one("fanout", isCount, defaults.fanout),
    color: one("color", oneOf(colorChoices), "auto"),
    rulesDisable: list("rules.disable"),
    rulesEnable: list("rules.enable"),
    wishes: {
      backend: one<BackendName | null>("backend", oneOf(backends), "static"),
      model: one<string | null>("model", isText, null),
      effort: one<Effort | null>("effort", oneOf(efforts), null),
      phases: Object.fromEntries(phases.map((phase) => [phase, wishOf(phase)])) as Record<Phase, Wish>,
      written: backends.find((backend) => backend === writtenBackend?.value) ?? null,
      models: {
        anthropic: models.anthropic.value,
        openai: models.openai.value,
        claude: models.claude.value,
        codex: models.codex.value,
        pi: models.pi.value
      },
      fallback: list("fallback").flatMap(({ value }) => backends.filter((backend) => backend === value))
    },
    fallback: list("fallback"),
    maxCost: one<number | null>("max_cost", isCount, null),
    timeout: one<number | null>("timeout", isCount, null),
    models,
    piProvider: one<string | null>("pi.provider", isText, null),
    anthropic: {
      at: one("anthropic.at", oneOf(claudePlaces), "anthropic"),
      region: one<string | null>("anthropic.region", isText, null),
      project: one<string | null>("anthropic.project", isText, null),
      baseUrl: one<string | null>("anthropic.base_url", isText, null),
      keyEnv: one("anthropic.key_env", isText, "ANTHROPIC_API_KEY")
    },
    openai: {
      baseUrl: one<string | null>("openai.base_url", isText, null),
      keyEnv: one("openai.key_env", isText, "OPENAI_API_KEY"),
      api: one<OpenAiApi | null>("openai.api", oneOf(openAiApis), null),
      server: one<ChatServer | null>("openai.server", oneOf(chatServers), null),
      tools: one("openai.tools", oneOf(toolChoices), "native"),
      contextTokens: one<number | null>("openai.context_tokens", isCount, null)
    },
    archive: one("archive", oneOf(switches), "on"),
    evaluate: one("evaluate", oneOf(switches), "on")
  }
}

const oneOf =
  <A extends string>(choices: ReadonlyArray<A>) =>
  (value: unknown): value is A =>
    choices.some((choice) => choice === value)

const isCount = (value: unknown): value is number => typeof value === "number"
const isText = (value: unknown): value is string => typeof value === "string"

/** Completes "fail_on ...". */
const faultOf = (kind: Kind, value: unknown): string | null => {
  switch (kind._tag) {
    case "Choice": {
      if (kind.choices.some((choice) => choice === value)) return null
      const closest = typeof value === "string" ? nearest(value, kind.choices) : null
      return `must be one of ${kind.choices.join(", ")}, not ${shown(value)}${didYouMean(closest)}`
    }
    case "Count":
      return typeof value === "number" && Number.isInteger(value) && value >= kind.min && value <= kind.max
        ? null
        : `must be a whole number from ${kind.min} to ${kind.max}, not ${shown(value)}`
    case "Dollars":
      return typeof value === "number" && value >= 0 && value < 1e9
        ? null
        : `must be dollars, as in 2.5, not ${shown(value)}`
    case "Text": {
      if (typeof value !== "string") return `must be ${kind.what}, not ${shown(value)}`
      const fault = kind.fault(value)
      return fault === null ? null : `must be ${kind.what}, not ${shown(value)}: ${fault}`
    }
    case "List": {
      if (!Array.isArray(value)) return `must be a list of ${kind.what}, not ${shown(value)}`
      for (const item of value) {
        const fault = typeof item === "string" ? kind.fault(item) : `each of its ${kind.what} must be text`
        if (fault !== null) return `has ${shown(item)}: ${fault}`
      }
      return null
    }
  }
}

const unknownKey = (key: string): string => `there is no setting ${shown(key)}${didYouMean(nearest(key, settingKeys))}`

const refusal = (key: SettingKey, known: Key, value: unknown): string =>
  known.repository === never
    ? `a repository may not set ${key}`
    : `a repository may only tighten ${key}, so ${shown(value)} is not used`

/** A value in an error: quoted, on one line, short. */
const shown = (value: unknown): string => {
  const text = oneLine(JSON.stringify(value) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
